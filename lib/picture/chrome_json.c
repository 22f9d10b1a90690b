#include "picture/export_events.h"
#include "base/interval.h"

#include <string.h>

chrome_json chrome_begin(FILE *to)
{
	chrome_json c = { .j = { .to = to, .no_u = true } };

	json_open(&c.j, NULL, '{');
	json_text(&c.j, "displayTimeUnit", "ns");
	json_open(&c.j, "traceEvents", '[');
	return c;
}

void chrome_end(chrome_json *c, const char *clock)
{
	fputc('\n', c->j.to);
	json_close(&c->j, ']');
	if (clock) {
		json_open(&c->j, "metadata", '{');
		json_text(&c->j, "clock", clock);
		json_close(&c->j, '}');
	}
	json_close(&c->j, '}');
	fputc('\n', c->j.to);
}

void chrome_event(chrome_json *c, char phase, int64_t pid, int64_t tid, int64_t ts)
{
	c->events++;
	c->args = false;
	json_begin_line(&c->j);
	json_open(&c->j, NULL, '{');
	json_text(&c->j, "ph", (char[]){ phase, 0 });
	json_int(&c->j, "pid", pid);
	json_int(&c->j, "tid", tid);
	if (ts >= 0)
		chrome_time(c, "ts", ns_add(ts, c->ahead));
}

void chrome_close(chrome_json *c)
{
	if (c->args)
		json_close(&c->j, '}');
	json_close(&c->j, '}');
}

void chrome_args(chrome_json *c)
{
	json_open(&c->j, "args", '{');
	c->args = true;
}

static void chrome_json_put_decimal(chrome_json *c, const char *member, int64_t value, int64_t one, int digits)
{
	json_int(&c->j, member, value / one);
	fputc('.', c->j.to);
	json_digits(&c->j, (uint64_t)(value % one), digits);
}

void chrome_time(chrome_json *c, const char *member, int64_t ns)
{
	chrome_json_put_decimal(c, member, ns, 1000, 3);
}

void chrome_int(chrome_json *c, const char *member, int64_t value)
{
	json_int(&c->j, member, value);
}

void chrome_micro(chrome_json *c, const char *member, int64_t millionths)
{
	chrome_json_put_decimal(c, member, millionths, 1000000, 6);
}

void chrome_text(chrome_json *c, const char *member, const char *text)
{
	if (text)
		json_text(&c->j, member, text);
}

static void chrome_json_begin_naming(chrome_json *c, const char *what, int64_t pid, int64_t tid)
{
	chrome_event(c, 'M', pid, tid, -1);
	chrome_text(c, "name", what);
	chrome_args(c);
}

void chrome_put_name(chrome_json *c, const char *what, int64_t pid, int64_t tid, const char *name)
{
	chrome_json_begin_naming(c, what, pid, tid);
	chrome_text(c, "name", name);
	chrome_close(c);
}

void chrome_put_order(chrome_json *c, const char *what, int64_t pid, int64_t tid, int64_t index)
{
	chrome_json_begin_naming(c, what, pid, tid);
	chrome_int(c, "sort_index", index);
	chrome_close(c);
}
