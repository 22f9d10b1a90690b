#include "picture/plot_parts.h"
#include "base/printable.h"

#include <string.h>

picture_shape *picture_add(picture *to, picture_shape s)
{
	vec_push(&to->shapes, s);
	return &to->shapes.v[to->shapes.n - 1];
}

double picture_width(const picture *p, const char *text)
{
	return p->metrics->measure(text, strlen(text));
}

static size_t plot_picture_count_bytes(const char *s)
{
	size_t n = printable_utf8(s);

	return n ? n : 1;
}

const char *picture_cut(picture *to, const char *text, double room, double start)
{
	double left = room - picture_width(to, "…");
	size_t head = 0, tail = strlen(text);

	if (picture_width(to, text) <= room)
		return text;

	while (text[head] &&
	       to->metrics->measure(text, head + plot_picture_count_bytes(text + head)) <= left * start)
		head += plot_picture_count_bytes(text + head);
	left -= to->metrics->measure(text, head);
	while (tail > head) {
		size_t before = tail - 1;
		while (before > head && ((unsigned char)text[before] & 0xc0) == 0x80)
			before--;
		if (picture_width(to, text + before) > left)
			break;
		tail = before;
	}
	return arena_printf(&to->texts, "%.*s…%s", (int)head, text, text + tail);
}

void picture_text(picture *to, picture_place at, enum picture_role role, const char *text)
{
	double larger = role == PICTURE_TITLE ? to->metrics->larger : 1;
	const char *shown = picture_cut(to, text, at.room / larger, 0.6);

	if (*text && (shown == text || at.room >= 2 * picture_width(to, "…")))
		picture_add(to, (picture_shape){ .type = PICTURE_TEXT, .role = role, .x = at.x, .y = at.y,
			.w = picture_width(to, shown) * larger, .side = at.side, .text = shown,
			.whole = shown == text ? NULL : text });
}

void picture_free(picture *p)
{
	mem_free(p->shapes.v, p->points.v);
	arena_free(&p->texts);
}
