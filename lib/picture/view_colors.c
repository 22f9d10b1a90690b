#include "picture/view_colors.h"
#include "picture/plot_colors.h"
#include "base/memory.h"
#include "relate/idle_causes.h"
#include "trace/call_class.h"

static void put_color(unsigned color, FILE *to)
{
	fprintf(to, "\"%s\",\"%s\"]", plot_color_hex(color), plot_color_dark(color));
}

/* A word that has the color of its name, whatever is beside it. */
static void put_word(const char *word, bool first, FILE *to)
{
	fprintf(to, "%s[\"%s\",", first ? "" : ",", word);
	put_color(view_colors_range(word), to);
}

static void put_categories(const char *const *names, const uint32_t *numbers, size_t n, FILE *to)
{
	unsigned *color = mem_new(unsigned, n);

	plot_colors(names, n, color);
	fputs("\"category\":[", to);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%s[%u,", i ? "," : "", numbers[i]);
		put_color(color[i], to);
	}
	free(color);
}

void view_colors_write(const char *const *categories, const uint32_t *numbers, size_t n, FILE *to)
{
	static const char *const words[] = { "mark", "os", "counter", "other" };

	fputs("{", to);
	put_categories(categories, numbers, n, to);
	fputs("],\n\"idle\":[", to);
	for (int c = 0; c < IDLE_CAUSES; c++)
		put_word(idle_cause_name((enum idle_cause)c), c == 0, to);
	fputs("],\n\"call\":[", to);
	for (int c = 0; c <= CALL_OTHER; c++)
		put_word(call_class_name((enum call_class)c), c == 0, to);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		fprintf(to, "],\n\"%s\":[", words[i]);
		put_word(words[i], true, to);
	}
	fputs("],\n\"range\":[", to);
	for (unsigned c = 0; c < PLOT_COLORS; c++) {
		fprintf(to, "%s[%u,", c ? "," : "", c);
		put_color(c, to);
	}
	fputs("]}", to);
}

unsigned view_colors_range(const char *name)
{
	unsigned color;

	plot_colors(&name, 1, &color);
	return color;
}
