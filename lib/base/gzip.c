#include "base/gzip.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

/*
 * The input is cut into blocks, which are compressed each on its own, on any thread, with the end of the block before
 * as dictionary, and written in order.  All but the last end on a whole byte (Z_SYNC_FLUSH), so that together they are
 * one stream.
 */
enum { BLOCK = 1 << 19, DICTIONARY = 1 << 15, RAW = -15, MEMORY_LEVEL = 8, MOST_HELPERS = 15 };

enum state { FREE, FULL, TAKEN, PACKED };

typedef struct {
	enum state state;
	bool last;
	unsigned char before[DICTIONARY], in[BLOCK], *out;
	size_t nbefore, n, nout;
	uLong crc;
} block;

typedef struct {
	FILE *to;
	block *ring;
	size_t nring, filling, oldest;   /* the blocks from oldest up to filling are full, taken or packed */
	uLong crc, length;
	size_t room;            /* of out */
	z_stream z;             /* of the writing thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ended;             /* no further block comes */
	pthread_t helper[MOST_HELPERS];
	size_t helpers;
} packing;

/* The fastest level: it takes a third of the time of the usual one, for a file a third larger. */
static void begin_stream(z_stream *z)
{
	if (deflateInit2(z, Z_BEST_SPEED, Z_DEFLATED, RAW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		mem_exhausted(1, sizeof *z);
}

static void pack(block *b, z_stream *z, size_t room)
{
	deflateReset(z);
	if (b->nbefore)
		deflateSetDictionary(z, b->before, (uInt)b->nbefore);
	z->next_in = b->in;
	z->avail_in = (uInt)b->n;
	z->next_out = b->out;
	z->avail_out = (uInt)room;
	deflate(z, b->last ? Z_FINISH : Z_SYNC_FLUSH);
	b->nout = room - z->avail_out;
	b->crc = crc32(0, b->in, (uInt)b->n);
}

/* The first block that is full, or NULL.  The lock is held. */
static block *first_full(packing *p)
{
	for (size_t i = 0; i < p->nring; i++)
		if (p->ring[(p->oldest + i) % p->nring].state == FULL)
			return &p->ring[(p->oldest + i) % p->nring];
	return NULL;
}

/* Pack a block that is full, without the lock, which is held before and after. */
static void take(packing *p, block *b, z_stream *z)
{
	b->state = TAKEN;
	pthread_mutex_unlock(&p->lock);
	pack(b, z, p->room);
	pthread_mutex_lock(&p->lock);
	b->state = PACKED;
	pthread_cond_broadcast(&p->changed);
}

static void *help(void *arg)
{
	packing *p = arg;
	z_stream z = { 0 };

	begin_stream(&z);
	pthread_mutex_lock(&p->lock);
	while (!p->ended) {
		block *b = first_full(p);
		if (b)
			take(p, b, &z);
		else
			pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	deflateEnd(&z);
	return NULL;
}

/* Write the oldest block when it is packed, and help until it is.  Called, and returns, with the lock held. */
static void write_oldest(packing *p)
{
	block *b = &p->ring[p->oldest], *full;

	while (b->state != PACKED) {
		full = first_full(p);
		if (full)
			take(p, full, &p->z);
		else
			pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	fwrite(b->out, 1, b->nout, p->to);
	p->crc = crc32_combine(p->crc, b->crc, (z_off_t)b->n);
	p->length += b->n;
	pthread_mutex_lock(&p->lock);
	b->state = FREE;
	p->oldest = (p->oldest + 1) % p->nring;
}

/* The block that is being filled is complete: the next one, which begins with nothing in it. */
static void hand_over(packing *p, bool last)
{
	block *b = &p->ring[p->filling], *next;

	p->filling = (p->filling + 1) % p->nring;
	next = &p->ring[p->filling];
	pthread_mutex_lock(&p->lock);
	b->last = last;
	b->state = FULL;
	pthread_cond_broadcast(&p->changed);
	while (next->state != FREE)
		write_oldest(p);
	pthread_mutex_unlock(&p->lock);
	next->n = 0;
	next->nbefore = b->n < DICTIONARY ? 0 : DICTIONARY;
	memcpy(next->before, b->in + b->n - next->nbefore, next->nbefore);
}

/* It always takes all: an error of the other stream stays there. */
static ssize_t put(void *cookie, const char *data, size_t n)
{
	packing *p = cookie;

	for (size_t done = 0, some; done < n; done += some) {
		block *b = &p->ring[p->filling];
		some = n - done < BLOCK - b->n ? n - done : BLOCK - b->n;
		memcpy(b->in + b->n, data + done, some);
		b->n += some;
		if (b->n == BLOCK)
			hand_over(p, false);
	}
	return (ssize_t)n;
}

static void put_number(FILE *to, uLong v)
{
	for (int i = 0; i < 4; i++, v >>= 8)
		putc((int)(v & 255), to);
}

static int finish(void *cookie)
{
	packing *p = cookie;

	hand_over(p, true);
	pthread_mutex_lock(&p->lock);
	while (p->oldest != p->filling)
		write_oldest(p);
	p->ended = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->helpers; i++)
		pthread_join(p->helper[i], NULL);
	put_number(p->to, p->crc);
	put_number(p->to, p->length);
	deflateEnd(&p->z);
	for (size_t i = 0; i < p->nring; i++)
		free(p->ring[i].out);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->ring);
	free(p);
	return 0;
}

FILE *gzip_begin_threads(FILE *to, int threads)
{
	static const char head[10] = { 0x1f, (char)0x8b, Z_DEFLATED, [8] = 4 /* fastest */, [9] = 3 /* Unix */ };
	packing *p = mem_new(packing, 1);
	size_t helpers = threads < 2 ? 0 : threads - 1 < MOST_HELPERS ? (size_t)threads - 1 : MOST_HELPERS;
	FILE *out;

	p->to = to;
	begin_stream(&p->z);
	p->room = deflateBound(&p->z, BLOCK) + 64;      /* and what a flush adds */
	p->nring = 2 * helpers + 2;
	p->ring = mem_new(block, p->nring);
	for (size_t i = 0; i < p->nring; i++)
		p->ring[i].out = mem_new(unsigned char, p->room);
	p->crc = crc32(0, NULL, 0);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	/* if a thread cannot be created, go on with fewer: this one does the rest */
	while (p->helpers < helpers && pthread_create(&p->helper[p->helpers], NULL, help, p) == 0)
		p->helpers++;
	fwrite(head, 1, sizeof head, to);
	out = fopencookie(p, "w", (cookie_io_functions_t){ .write = put, .close = finish });
	if (!out)
		mem_exhausted(1, BUFSIZ);
	return out;
}

FILE *gzip_begin(FILE *to)
{
	return gzip_begin_threads(to, 1);
}
