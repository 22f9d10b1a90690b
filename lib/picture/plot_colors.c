#include "picture/plot_colors.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each with the words that always have it.  Found by a search from the colors of Okabe and Ito on: any two are at least
 * 8 apart (CIEDE2000), as seen with and without red-green blindness, and each has a contrast of at least 2.5 to its
 * background, white or nearly black. */
static const struct { const char *hex, *dark; unsigned on_terminal; const char *words; } colors[PLOT_COLORS] = {
	{ "#1574b2", "#5196ca", 32, "blocked_compute|busy|compute|compute only|device|forward|gemm|h2d|kernel|"
		"stage1_f" },
	{ "#d78f00", "#ffae07", 214, "attn|backward|blocked|call|d2h|launch|stage4_f|wait" },
	{ "#00a079", "#21c59a", 36, "blocked_copy|copy|copy only|d2d|decode|faster|hidden|pinned|pp_p2p|stage3_f" },
	{ "#c06494", "#ea8ab5", 175, "mark|moe|stalled|sync|um_d2h" },
	{ "#53a9e0", "#73c7ff", 117, "dispatch_f|elementwise|event|h2h|queued|range|stage1_b|transfer" },
	{ "#d45d00", "#f77d2b", 166, "api|blocked_comm|comm|comm only|ep_a2a|exposed|p2p|pageable|slower|stage2_f" },
	{ "#533bc7", "#8f6cfd", 99, "both|cp_ring|graph|managed|new|prefill|stage5_f|um|um_h2d" },
	{ "#941f35", "#d64c5b", 124, "cpu|gone|host|optimizer|stage2_w|starved" },
	{ "#76b25c", "#96d875", 114, "array|combine_f|inferred|less|memory|memset|norm|set|stage3_b" },
	{ "#1e4b56", "#4f8290", 30, "moe_gemm|os|static|stream|um_d2d" },
	{ "#814f0e", "#b47225", 94, "module|mpi|sample|stage4_w" },
	{ "#8a8944", "#a8a85f", 142, "combine|embedding" },
	{ "#202b6c", "#5d5eb1", 61, "conv|dispatch_b|stage1_w" },
	{ "#ac1b85", "#ea53bc", 169, "quant" },
	{ "#d27479", "#ff949b", 210, "more|nccl|stage2_b" },
	{ "#0c4a1c", "#41834f", 28, "combine_b|softmax|stage3_w" },
	{ "#8a77e1", "#a690ff", 141, "stage5_b|triton" },
	{ "#628eb4", "#9bbcd5", 110, "dispatch|reduce" },
	{ "#8a795c", "#aa997b", 144, "mixed|rope|stage4_b" },
	{ "#3f1640", "#804e83", 96, "kv_cache|stage5_w" },
	[PLOT_IDLE] = { "#9ea3aa", "#5f666e", 250, "edge|idle|non-gpu|same|wall" },
	[PLOT_OTHER] = { "#6c737b", "#8c9298", 243, "-|other|unknown|unresolved|unsure" },
};

static bool has_word(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (size_t n; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (n == len && strncmp(words, name, n) == 0)
			return true;
	}
	return false;
}

static bool is_known(const char *name, unsigned *color)
{
	for (*color = 0; *color < PLOT_COLORS; ++*color)
		if (has_word(colors[*color].words, name))
			return true;
	*color = PLOT_OTHER;
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
	mem_free(order, done);
}

bool plot_colors_fit(const char *const *names, size_t n, bool pooled)
{
	bool taken[PLOT_COLORS] = { [PLOT_OTHER] = pooled };
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
