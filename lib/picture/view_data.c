#include "picture/view_data.h"
#include "base/gzip.h"
#include "picture/view_colors.h"

#include <string.h>

void view_data_put(view_data *d, uint64_t x)
{
	for (; x > 127; x >>= 7)
		vec_push(&d->bytes, (uint8_t)(x | 128));
	vec_push(&d->bytes, (uint8_t)x);
}

void view_data_free(view_data *d)
{
	str_free(&d->names);
	group_free(&d->paths);
	vec_free(&d->work);
	vec_free(&d->comm);
	vec_free(&d->ranges);
	vec_free(&d->bytes);
}

/* By name, its category plus one or 0; then the colors of those that there are. */
static void put_categories(view_data *d, FILE *to)
{
	group labels = { .width = 1 };
	vec(const char *) names = { 0 };
	vec(uint32_t) numbers = { 0 };

	fprintf(to, ",\n\"categories\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->work.n);
	for (size_t i = 0; i < d->work.n; i++) {
		bool comm = i < d->comm.n && d->comm.v[i], asked = d->categories && d->work.v[i];
		uint32_t label = asked ? rules_label_work(d->categories, d->names.text[i], comm, &d->names) : STR_NONE;
		view_data_put(d, label == STR_NONE ? 0 : (uint64_t)label + 1);
		if (label != STR_NONE)
			group_of(&labels, (int64_t[]){ label });
	}
	for (size_t i = 0; i < labels.n; i++) {
		vec_push(&names, d->names.text[labels.key[i]]);
		vec_push(&numbers, (uint32_t)labels.key[i] + 1);
	}
	fputs(",\n\"colours\":", to);
	view_colors_write(names.v, numbers.v, names.n, to);
	group_free(&labels);
	vec_free(&names);
	vec_free(&numbers);
}

void view_data_tables(view_data *d, FILE *to)
{
	put_categories(d, to);
	fprintf(to, ",\n\"ranges\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->ranges.n);
	for (size_t i = 0; i < d->ranges.n; i++)
		view_data_put(d, d->ranges.v[i] ? view_colors_range(d->names.text[i]) : 0);
	fprintf(to, ",\n\"paths\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->paths.n);
	for (size_t i = 0; i < 2 * d->paths.n; i++)
		view_data_put(d, (uint64_t)d->paths.key[i]);
	fprintf(to, ",\n\"names\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->names.n);
	for (size_t i = 0; i < d->names.n; i++)
		for (size_t k = 0; k <= d->names.len[i]; k++)
			vec_push(&d->bytes, (uint8_t)d->names.text[i][k]);
}

static void base64(const unsigned char *bytes, size_t n, FILE *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned x = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0u);
		char four[4] = { digits[x >> 18], digits[x >> 12 & 63], i + 1 < n ? digits[x >> 6 & 63] : '=',
			i + 2 < n ? digits[x & 63] : '=' };
		fwrite(four, 1, 4, to);
	}
}

void view_data_write(const view_data *d, FILE *to)
{
	char *packed = NULL;
	size_t n = 0;
	FILE *memory = open_memstream(&packed, &n), *z;

	if (!memory)
		mem_exhausted(1, BUFSIZ);
	z = gzip_begin(memory);
	fwrite(d->bytes.v, 1, d->bytes.n, z);
	fclose(z);
	if (fclose(memory))
		mem_exhausted(n, 1);
	base64((const unsigned char *)packed, n, to);
	free(packed);
}
