#include "base/gzip.h"
#include "base/memory.h"

#define ZLIB_CONST      /* makes zlib declare its input const */
#include <zlib.h>

typedef struct {
	FILE *to;
	z_stream z;
} gzip_ctx;

/* Compress the pending input, and write the result to p->to, which remembers a failed write (ferror). */
static void gzip_pack_bytes(gzip_ctx *p, int flush)
{
	unsigned char out[1 << 16];

	do {
		p->z.next_out = out;
		p->z.avail_out = sizeof out;
		deflate(&p->z, flush);
		fwrite(out, 1, sizeof out - p->z.avail_out, p->to);
	} while (!p->z.avail_out);
}

static ssize_t gzip_write(void *cookie, const char *data, size_t n)
{
	gzip_ctx *p = cookie;

	p->z.next_in = (const unsigned char *)data;
	p->z.avail_in = (uInt)n;
	gzip_pack_bytes(p, Z_NO_FLUSH);
	return (ssize_t)n;
}

static int gzip_close(void *cookie)
{
	gzip_ctx *p = cookie;

	gzip_pack_bytes(p, Z_FINISH);
	deflateEnd(&p->z);
	free(p);
	return 0;
}

/* Z_BEST_SPEED takes a third of the time of the default level, and makes the file a third larger. */
FILE *gzip_begin(FILE *to)
{
	enum { WINDOW = 15, AS_GZIP = 16, MEMORY_LEVEL = 8 };
	gzip_ctx *p = mem_new(gzip_ctx, 1);
	FILE *out;

	p->to = to;
	if (deflateInit2(&p->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW + AS_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		mem_exhausted(1, sizeof p->z);
	out = fopencookie(p, "w", (cookie_io_functions_t){ .write = gzip_write, .close = gzip_close });
	if (!out)
		mem_exhausted(1, BUFSIZ);
	return out;
}
