#include "picture/plot_colors.h"
#include "base/glossary.h"
#include "base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Colors for names that the glossary does not have.  Each is the color of a word of the glossary's column `owner`.
 * `words` are other words that have this color unless it is taken.  The glossary's colors were found by a search that
 * began with the colors of Okabe and Ito.  Any two colors of a column are at least 8 apart (CIELAB), with normal sight
 * and with red-green blindness.  Each has a contrast of at least 2.5 to its background, which is white or nearly
 * black. */
static const struct { const char *owner, *words; } colors[PLOT_HUES + 2] = {
	{ "matmul", "busy|device|forward|gemm|h2d|kernel|stage1_f" },
	{ "launch", "attn|backward|blocked|call|d2h|stage4_f|wait" },
	{ "copy", "copy only|d2d|decode|faster|hidden|pinned|pp_p2p|stage3_f" },
	{ "sync", "mark|moe|um_d2h" },
	{ "pointwise", "dispatch_f|elementwise|h2h|range|stage1_b|transfer" },
	{ "comm", "comm only|ep_a2a|exposed|p2p|slower|stage2_f" },
	{ "graph", "both|cp_ring|managed|new|prefill|stage5_f|um_h2d" },
	{ "host", "gone|moe_gemm|stage2_w" },
	{ "copy.um", "array|combine_f|less|memset|norm|set|stage3_b" },
	{ "optimizer", "os|static|um_d2d" },
	{ "load", "sample|stage4_w" },
	{ "alloc", "combine|embedding" },
	{ "matmul.plain", "conv|dispatch_b|stage1_w" },
	{ "attention", "quant" },
	{ "comm.wait", "more|nccl|stage2_b" },
	{ "copy.pageable", "combine_b|softmax|stage3_w" },
	{ "reduction", "stage5_b|triton" },
	{ "compute", "compute only|reduce" },
	{ "turnaround", "mixed|rope|stage4_b" },
	{ "attention.plain", "kv_cache|stage5_w" },
	[PLOT_IDLE] = { "edge", "idle|non-gpu|same|wall" },
	[PLOT_OTHER] = { "unknown", "-|unsure" },
};

enum { NCOLORS = PLOT_HUES + 2 }; /* the number of entries of `colors`; the color with this number is that of the
				   * first line of the glossary, the next one that of the second, and so on */

static bool plot_colors_has_word(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (size_t n; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (n == len && strncmp(words, name, n) == 0)
			return true;
	}
	return false;
}

/* The word of the glossary that a number stands for; its color is the color with this number. */
static const glossary_word *plot_colors_find_word(unsigned color)
{
	return color < NCOLORS ? glossary_find("owner", colors[color].owner) : &glossary_builtin[color - NCOLORS];
}

/* Does the glossary have the name?  If it does, *color is the number of its color, the smallest if several numbers
 * have the same color. */
static bool plot_colors_is_in_glossary(const char *name, unsigned *color)
{
	const glossary_word *w = glossary_find(NULL, name);

	for (*color = 0; w && *color < NCOLORS; ++*color)
		if (strcmp(plot_colors_find_word(*color)->light, w->light) == 0)
			return true;
	for (; w && strcmp(plot_colors_find_word(*color)->light, w->light) != 0;)
		++*color;
	return w;
}

/* Does the name have a color in the glossary, or a preferred one?  If it does, *color is the number of this color. */
static bool plot_colors_is_known(const char *name, unsigned *color)
{
	if (plot_colors_is_in_glossary(name, color))
		return true;
	for (*color = 0; *color < NCOLORS; ++*color)
		if (plot_colors_has_word(colors[*color].words, name))
			return true;
	*color = PLOT_OTHER;
	return strncmp(name, "other (", 7) == 0 || strncmp(name, "(no ", 4) == 0;       /* pooled or missing values */
}

static unsigned plot_colors_hash_letters(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ h >> 15) % PLOT_HUES;
}

static int plot_colors_compare_names(const void *a, const void *b)
{
	return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

/* Words of the glossary always have their color.  The colors that are left are given first to other words with a
 * preferred color, then to names whose letters choose a color that is free, then to all other names. */
void plot_colors(const char *const *names, size_t n, unsigned *chosen)
{
	const char *const **order = mem_new(const char *const *, n + 1);
	bool taken[PLOT_COLORS] = { false }, *done = mem_new(bool, n + 1);

	for (size_t i = 0; i < n; i++) {
		order[i] = &names[i];
		if (plot_colors_is_in_glossary(names[i], &chosen[i]))
			taken[chosen[i]] = true;
	}
	qsort(order, n, sizeof *order, plot_colors_compare_names);
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < n; i++) {
			unsigned color;
			bool fixed = plot_colors_is_known(*order[i], &color);
			color = fixed ? color : plot_colors_hash_letters(*order[i]);
			if (done[i] || (pass == 0 && !fixed) || (pass < 2 && taken[color]) ||
			    glossary_find(NULL, *order[i]))
				continue;
			for (unsigned tries = 0; taken[color] && tries < PLOT_HUES; tries++)
				color = (color + 1) % PLOT_HUES;
			taken[color] = done[i] = true;
			chosen[order[i] - names] = color;
		}
	mem_free(order, done);
}

/* Words of the glossary are counted first, because they have their colors whatever the other names are. */
bool plot_colors_fit(const char *const *names, size_t n, bool pooled)
{
	bool taken[PLOT_COLORS] = { false };
	size_t hues = 0;
	unsigned color;

	for (size_t i = 0; i < n; i++)
		if (plot_colors_is_in_glossary(names[i], &color)) {
			hues += color < PLOT_HUES && !taken[color];
			taken[color] = true;
		}
	hues += pooled && taken[PLOT_OTHER];
	taken[PLOT_OTHER] |= pooled;
	for (size_t i = 0; i < n; i++)
		if (!glossary_find(NULL, names[i])) {
			bool fixed = plot_colors_is_known(names[i], &color);
			hues += !fixed || color < PLOT_HUES || taken[color];
			taken[color] |= fixed;
		}
	return hues <= PLOT_HUES;
}

const char *plot_color_light(unsigned color)
{
	return plot_colors_find_word(color)->light;
}

const char *plot_color_dark(unsigned color)
{
	return plot_colors_find_word(color)->dark;
}

unsigned plot_colors_count(void)
{
	unsigned n = NCOLORS;

	while (glossary_builtin[n - NCOLORS].word)
		n++;
	return n;
}

bool plot_color_is_light(unsigned color)
{
	unsigned long rgb = strtoul(plot_color_light(color) + 1, NULL, 16);

	return 3 * (rgb >> 16) + 6 * (rgb >> 8 & 0xff) + (rgb & 0xff) > 10 * 130;
}

/* How much two colors differ in one of red, green and blue.  The eye sees green best, so green has the greatest
 * weight. */
static long plot_colors_measure_difference(long a, long b, long weight)
{
	return weight * (a - b) * (a - b);
}

/* The terminal color nearest to the color on a dark background, among 6 x 6 x 6 colors and 24 greys. */
unsigned plot_color_256(unsigned color)
{
	static const long steps[] = { 0, 95, 135, 175, 215, 255 };
	long rgb = strtol(plot_color_dark(color) + 1, NULL, 16), least = LONG_MAX;
	unsigned best = 0;

	for (unsigned i = 16; i < 256; i++) {
		long grey = 8 + 10 * ((long)i - 232), k = (long)i - 16, far;
		bool is_grey = i >= 232;
		far = plot_colors_measure_difference(is_grey ? grey : steps[k / 36], rgb >> 16, 2) +
			plot_colors_measure_difference(is_grey ? grey : steps[k / 6 % 6], rgb >> 8 & 0xff, 4) +
			plot_colors_measure_difference(is_grey ? grey : steps[k % 6], rgb & 0xff, 3);
		if (far < least) {
			least = far;
			best = i;
		}
	}
	return best;
}
