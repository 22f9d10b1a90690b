#include "table/column_about.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum {
	RUN = COLUMN_OF_RUN, OUT = COLUMN_HANDED_OUT, COARSE = COLUMN_COARSE, WORDS = COLUMN_WORDS, FOLDS = COLUMN_FOLDS
};

#define PLACE(column, ...) { column, COLUMN_PLACE, __VA_ARGS__, NULL, NULL }
#define KEY(column, ...) { column, COLUMN_KEY, __VA_ARGS__, NULL, NULL }
#define TEXT(column) { column, COLUMN_TEXT, WORDS, NULL, NULL }

const column_about column_about_known[] = {
	PLACE("pid", RUN | COARSE), PLACE("rank", COARSE), PLACE("start_ns", RUN), PLACE("end_ns", RUN),
	PLACE("tid", COARSE), PLACE("index", 0), PLACE("launch_ns", 0), PLACE("cpu_start_ns", 0),
	PLACE("cpu_end_ns", 0), PLACE("depth", 0), PLACE("seq", 0), PLACE("ranks", 0), PLACE("last", 0),
	PLACE("peak_ns", 0), PLACE("synced", 0), PLACE("window", RUN | COARSE | WORDS),
	PLACE("trace", RUN | COARSE | WORDS),

	KEY("gpu", OUT | COARSE), KEY("ctx", OUT | COARSE), KEY("stream", OUT | COARSE), KEY("comm", OUT | WORDS),
	KEY("op", WORDS), { "bytes", COLUMN_KEY, 0, "bus_gbps", NULL }, KEY("part", 0), KEY("class", COARSE),
	KEY("category", WORDS), KEY("stage", WORDS), KEY("purpose", WORDS), KEY("cause", 0), KEY("kind", 0),
	KEY("src", 0), KEY("dst", 0), KEY("domain", WORDS), KEY("phase", WORDS), KEY("thread", WORDS | FOLDS),
	KEY("nvtx", WORDS | FOLDS), { "name", COLUMN_KEY, WORDS | FOLDS, NULL, "purpose" },
	KEY("path", WORDS | FOLDS),

	TEXT("advice"), TEXT("api"), TEXT("block"), TEXT("evidence"), TEXT("file"), TEXT("finding"), TEXT("full"),
	TEXT("gpus"), TEXT("grid"), TEXT("key"), TEXT("mesh"), TEXT("metric"), TEXT("module"), TEXT("next"),
	TEXT("prev"), TEXT("process"), TEXT("producer"), TEXT("run"),
	{ 0 }
};

const column_about *column_about_of(const char *name)
{
	const column_about *c = column_about_known;

	while (c->name && strcmp(c->name, name) != 0)
		c++;
	return c;
}

const char *column_unit(const char *name)
{
	static const struct { const char *suffix, *unit; } units[] = {
		{ "_ns", "ns" }, { "_bytes", "bytes" }, { "_pct", "%" }, { "_gbps", "GB/s" }
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (text_ends(name, units[i].suffix) || strcmp(name, units[i].suffix + 1) == 0)
			return units[i].unit;
	return NULL;
}

bool column_adds_up(const char *name)
{
	static const char *const apart[] = { "mean", "median", "p50", "p90", "p99", "min", "max", "pct", "gbps",
		"per_s", "tflops", "intensity", "value", "avg", NULL };

	for (size_t i = 0; apart[i]; i++)
		for (const char *at = strstr(name, apart[i]); at; at = strstr(at + 1, apart[i])) {
			size_t n = strlen(apart[i]);
			if ((at == name || at[-1] == '_') && (!at[n] || at[n] == '_'))
				return false;
		}
	return true;
}

static int telling_of_place(const column_about *c)
{
	if (!(c->is & COARSE))
		return column_unit(c->name) ? 0 : 1;
	return c->is & RUN && !(c->is & WORDS) ? 4 : 6;
}

int column_telling(const char *name, bool text)
{
	const column_about *c = column_about_of(name);

	if (c->role == COLUMN_PLACE)
		return telling_of_place(c);
	if (c->role == COLUMN_TEXT)
		return 3;
	if (c->role == COLUMN_KEY)
		return c->is & OUT && !(c->is & WORDS) ? 6 : 8;
	return text ? 8 : !column_adds_up(name) ? 2 : column_unit(name) ? 7 : 5;
}
