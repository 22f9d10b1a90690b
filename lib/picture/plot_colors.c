#include "picture/plot_colors.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLUE, ORANGE, GREEN, PINK, SKY, RED, VIOLET, WINE, LIME, TEAL, IDLE = PLOT_IDLE, OTHER = PLOT_OTHER };

/* The first six are those of Okabe and Ito; the others were chosen for their distance from these and from each other, as
 * seen with and without red-green blindness, on white and on black. */
static const struct { const char *hex; unsigned on_terminal; } colors[] = {
	[BLUE] = { "#0072b2", 25 }, [ORANGE] = { "#e69f00", 178 }, [GREEN] = { "#009e73", 36 }, [PINK] = { "#cc79a7", 175 },
	[SKY] = { "#56b4e9", 74 }, [RED] = { "#d55e00", 166 }, [VIOLET] = { "#5b3fc4", 62 }, [WINE] = { "#8f1d33", 88 },
	[LIME] = { "#8fd175", 114 }, [TEAL] = { "#1d4a55", 23 }, [IDLE] = { "#c4cad1", 252 }, [OTHER] = { "#6b737c", 243 },
};

/* The words of nsq's columns.  Those that stand in one column have different colors. */
static const struct { const char *name; unsigned color; } known[] = {
	/* causes of idle time, classes of calls, steps of a path */
	{ "api", RED }, { "cpu", WINE }, { "edge", IDLE }, { "event", SKY }, { "host", WINE }, { "inferred", LIME }, { "launch", ORANGE },
	{ "memory", LIME }, { "module", WINE }, { "queued", SKY }, { "stream", TEAL }, { "sync", PINK }, { "um", VIOLET },
	{ "unknown", OTHER }, { "unresolved", OTHER },
	/* classes and categories of work */
	{ "attn", ORANGE }, { "both", VIOLET }, { "comm", RED }, { "comm only", RED }, { "compute", BLUE }, { "compute only", BLUE },
	{ "copy", GREEN }, { "copy only", GREEN }, { "elementwise", SKY }, { "gemm", BLUE }, { "graph", VIOLET }, { "kernel", BLUE },
	{ "memset", LIME }, { "moe", PINK }, { "moe_gemm", TEAL }, { "nccl", RED }, { "norm", LIME }, { "optimizer", WINE }, { "reduce", PINK },
	{ "softmax", TEAL }, { "triton", VIOLET },
	/* what there is none of */
	{ "idle", IDLE }, { "non-gpu", IDLE }, { "wall", IDLE }, { "other", OTHER }, { "-", OTHER }, { "mixed", OTHER },
	/* parts of a whole */
	{ "blocked", ORANGE }, { "busy", BLUE }, { "exposed", RED }, { "hidden", GREEN }, { "stalled", PINK }, { "starved", RED },
	{ "transfer", SKY }, { "wait", ORANGE },
	/* events, copies, memory */
	{ "call", ORANGE }, { "d2d", GREEN }, { "d2h", ORANGE }, { "device", BLUE }, { "h2d", BLUE }, { "h2h", SKY }, { "managed", VIOLET },
	{ "mark", PINK }, { "os", TEAL }, { "p2p", RED }, { "pageable", RED }, { "pinned", GREEN }, { "range", SKY }, { "set", LIME },
	{ "static", TEAL },
	/* changes */
	{ "faster", GREEN }, { "gone", WINE }, { "less", GREEN }, { "more", RED }, { "new", VIOLET }, { "same", IDLE }, { "slower", RED },
	{ "unsure", OTHER },
};

static bool is_known(const char *name, unsigned *color)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0) {
			*color = known[i].color;
			return true;
		}
	*color = OTHER;
	return strncmp(name, "other (", 7) == 0;        /* what is pooled */
}

static unsigned by_letters(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ h >> 15) % PLOT_HUES;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

void plot_colors(const char *const *names, size_t n, unsigned *chosen)
{
	const char *const **order = mem_new(const char *const *, n + 1);
	bool taken[PLOT_COLORS] = { false };

	for (size_t i = 0; i < n; i++)
		order[i] = &names[i];
	qsort(order, n, sizeof *order, by_name);
	for (int pass = 0; pass < 2; pass++)            /* known words first */
		for (size_t i = 0; i < n; i++) {
			unsigned color;
			bool fixed = is_known(*order[i], &color);
			if (fixed != (pass == 0))
				continue;
			color = fixed ? color : by_letters(*order[i]);
			for (unsigned tries = 0; taken[color] && tries < PLOT_HUES; tries++)
				color = (color + 1) % PLOT_HUES;
			taken[color] = true;
			chosen[order[i] - names] = color;
		}
	free(order);
}

const char *plot_color_hex(unsigned color)
{
	return colors[color].hex;
}

unsigned plot_color_256(unsigned color)
{
	return colors[color].on_terminal;
}
