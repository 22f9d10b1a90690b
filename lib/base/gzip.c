#include "base/gzip.h"
#include "base/memory.h"

#include <zlib.h>

enum { BLOCK = 1 << 18, GZIP_HEADER = 16, WINDOW_BITS = 15, MEMORY_LEVEL = 8 };

typedef struct {
	z_stream z;
	FILE *to;
	unsigned char block[BLOCK];
} packing;

/* Compress what z has been given.  flush is Z_FINISH at the end. */
static void pack(packing *p, int flush)
{
	do {
		p->z.next_out = p->block;
		p->z.avail_out = BLOCK;
		deflate(&p->z, flush);
		fwrite(p->block, 1, BLOCK - p->z.avail_out, p->to);
	} while (!p->z.avail_out);
}

/* It always takes all: an error of the other stream stays there. */
static ssize_t put(void *cookie, const char *data, size_t n)
{
	packing *p = cookie;

	for (size_t done = 0; done < n; done += BLOCK) {
		p->z.next_in = (z_const Bytef *)(data + done);
		p->z.avail_in = (uInt)(n - done < BLOCK ? n - done : BLOCK);
		pack(p, Z_NO_FLUSH);
	}
	return (ssize_t)n;
}

static int finish(void *cookie)
{
	packing *p = cookie;

	pack(p, Z_FINISH);
	deflateEnd(&p->z);
	free(p);
	return 0;
}

FILE *gzip_begin(FILE *to)
{
	packing *p = mem_new(packing, 1);
	FILE *out;

	p->to = to;
	/* the fastest level: it takes a third of the time of the usual one, for a file a third larger */
	if (deflateInit2(&p->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP_HEADER, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		mem_exhausted(1, sizeof *p);
	out = fopencookie(p, "w", (cookie_io_functions_t){ .write = put, .close = finish });
	if (!out)
		mem_exhausted(1, BUFSIZ);
	return out;
}
