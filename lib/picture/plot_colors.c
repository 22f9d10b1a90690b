#include "picture/plot_colors.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLUE, ORANGE, GREEN, PINK, SKY, RED, VIOLET, WINE, LIME, TEAL, BROWN, OLIVE, NAVY, MAGENTA, SALMON, FOREST,
	LAVENDER, STEEL, SAND, PLUM, IDLE = PLOT_IDLE, OTHER = PLOT_OTHER };

/* Found by a search from the colors of Okabe and Ito on: any two are at least 8 apart (CIEDE2000), as seen with and
 * without red-green blindness, and each has a contrast of at least 2.5 to its background, white or nearly black. */
static const struct { const char *hex, *dark; unsigned on_terminal; } colors[] = {
	[BLUE] = { "#1574b2", "#5196ca", 32 }, [ORANGE] = { "#d78f00", "#ffae07", 214 },
		[GREEN] = { "#00a079", "#21c59a", 36 },
	[PINK] = { "#c06494", "#ea8ab5", 175 }, [SKY] = { "#53a9e0", "#73c7ff", 117 },
		[RED] = { "#d45d00", "#f77d2b", 166 },
	[VIOLET] = { "#533bc7", "#8f6cfd", 99 }, [WINE] = { "#941f35", "#d64c5b", 124 },
		[LIME] = { "#76b25c", "#96d875", 114 },
	[TEAL] = { "#1e4b56", "#4f8290", 30 }, [BROWN] = { "#814f0e", "#b47225", 94 },
		[OLIVE] = { "#8a8944", "#a8a85f", 142 },
	[NAVY] = { "#202b6c", "#5d5eb1", 61 }, [MAGENTA] = { "#ac1b85", "#ea53bc", 169 },
		[SALMON] = { "#d27479", "#ff949b", 210 },
	[FOREST] = { "#0c4a1c", "#41834f", 28 }, [LAVENDER] = { "#8a77e1", "#a690ff", 141 },
		[STEEL] = { "#628eb4", "#9bbcd5", 110 },
	[SAND] = { "#8a795c", "#aa997b", 144 }, [PLUM] = { "#3f1640", "#804e83", 96 },
		[IDLE] = { "#9ea3aa", "#5f666e", 250 },
	[OTHER] = { "#6c737b", "#8c9298", 243 },
};

const plot_word plot_known[] = {
	/* causes of idle time and of stalls, classes of calls, steps of a path */
	{ "api", RED }, { "blocked_comm", RED }, { "blocked_compute", BLUE }, { "blocked_copy", GREEN },
		{ "cpu", WINE }, { "edge", IDLE },
	{ "event", SKY }, { "host", WINE }, { "inferred", LIME }, { "launch", ORANGE }, { "memory", LIME },
		{ "module", BROWN }, { "queued", SKY },
	{ "stream", TEAL }, { "sync", PINK }, { "um", VIOLET }, { "unknown", OTHER }, { "unresolved", OTHER },
	/* classes of work, and its categories */
	{ "attn", ORANGE }, { "comm", RED }, { "compute", BLUE }, { "conv", NAVY }, { "copy", GREEN },
		{ "elementwise", SKY }, { "embedding", OLIVE },
	{ "gemm", BLUE }, { "graph", VIOLET }, { "kv_cache", PLUM }, { "moe", PINK }, { "moe_gemm", TEAL },
		{ "nccl", SALMON }, { "norm", LIME },
	{ "optimizer", WINE }, { "quant", MAGENTA }, { "reduce", STEEL }, { "rope", SAND }, { "sample", BROWN },
		{ "softmax", FOREST },
	{ "triton", LAVENDER },
	/* phases, purposes, stages */
	{ "backward", ORANGE }, { "combine", OLIVE }, { "combine_b", FOREST }, { "combine_f", LIME },
		{ "cp_ring", VIOLET }, { "decode", GREEN },
	{ "dispatch", STEEL }, { "dispatch_b", NAVY }, { "dispatch_f", SKY }, { "ep_a2a", RED }, { "forward", BLUE },
		{ "mixed", SAND },
	{ "pp_p2p", GREEN }, { "prefill", VIOLET }, { "stage1_b", SKY }, { "stage1_f", BLUE }, { "stage1_w", NAVY },
		{ "stage2_b", SALMON },
	{ "stage2_f", RED }, { "stage2_w", WINE }, { "stage3_b", LIME }, { "stage3_f", GREEN }, { "stage3_w", FOREST },
		{ "stage4_b", SAND },
	{ "stage4_f", ORANGE }, { "stage4_w", BROWN }, { "stage5_b", LAVENDER }, { "stage5_f", VIOLET },
		{ "stage5_w", PLUM },
	/* whatever is missing */
	{ "idle", IDLE }, { "non-gpu", IDLE }, { "wall", IDLE }, { "other", OTHER }, { "-", OTHER },
	/* parts of a whole */
	{ "blocked", ORANGE }, { "both", VIOLET }, { "busy", BLUE }, { "comm only", RED }, { "compute only", BLUE },
		{ "copy only", GREEN },
	{ "exposed", RED }, { "hidden", GREEN }, { "stalled", PINK }, { "starved", WINE }, { "transfer", SKY },
		{ "wait", ORANGE },
	/* events, copies, memory */
	{ "array", LIME }, { "call", ORANGE }, { "d2d", GREEN }, { "d2h", ORANGE }, { "device", BLUE }, { "h2d", BLUE },
		{ "h2h", SKY },
	{ "kernel", BLUE }, { "managed", VIOLET }, { "mark", PINK }, { "memset", LIME }, { "os", TEAL }, { "p2p", RED },
		{ "pageable", RED },
	{ "pinned", GREEN }, { "range", SKY }, { "set", LIME }, { "static", TEAL }, { "um_d2d", TEAL },
		{ "um_d2h", PINK }, { "um_h2d", VIOLET },
	/* changes */
	{ "faster", GREEN }, { "gone", WINE }, { "less", LIME }, { "more", SALMON }, { "new", VIOLET },
		{ "same", IDLE }, { "slower", RED },
	{ "unsure", OTHER },
	{ NULL, 0 }
};

static bool is_known(const char *name, unsigned *color)
{
	for (const plot_word *w = plot_known; w->name; w++)
		if (strcmp(w->name, name) == 0) {
			*color = w->color;
			return true;
		}
	*color = OTHER;
	return strncmp(name, "other (", 7) == 0 || strncmp(name, "(no ", 4) == 0;       /* what is pooled, or missing */
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

/* Words with a fixed color come first, then those whose own color is still free; what is left takes any. */
void plot_colors(const char *const *names, size_t n, unsigned *chosen)
{
	const char *const **order = mem_new(const char *const *, n + 1);
	bool taken[PLOT_COLORS] = { false }, *done = mem_new(bool, n + 1);

	for (size_t i = 0; i < n; i++)
		order[i] = &names[i];
	qsort(order, n, sizeof *order, by_name);
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < n; i++) {
			unsigned color;
			bool fixed = is_known(*order[i], &color);
			color = fixed ? color : by_letters(*order[i]);
			if (done[i] || (pass == 0 && !fixed) || (pass < 2 && taken[color]))
				continue;
			for (unsigned tries = 0; taken[color] && tries < PLOT_HUES; tries++)
				color = (color + 1) % PLOT_HUES;
			taken[color] = done[i] = true;
			chosen[order[i] - names] = color;
		}
	free(order);
	free(done);
}

bool plot_colors_fit(const char *const *names, size_t n, bool pooled)
{
	bool taken[PLOT_COLORS] = { [OTHER] = pooled };
	size_t hues = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned color;
		if (is_known(names[i], &color) && color >= PLOT_HUES && !taken[color])
			taken[color] = true;
		else
			hues++;
	}
	return hues <= PLOT_HUES;
}

const char *plot_color_hex(unsigned color)
{
	return colors[color].hex;
}

const char *plot_color_dark(unsigned color)
{
	return colors[color].dark;
}

bool plot_color_is_light(unsigned color)
{
	unsigned long rgb = strtoul(colors[color].hex + 1, NULL, 16);

	return 3 * (rgb >> 16) + 6 * (rgb >> 8 & 0xff) + (rgb & 0xff) > 10 * 130;
}

unsigned plot_color_256(unsigned color)
{
	return colors[color].on_terminal;
}
