#include "table/column_about.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
	RUN = COLUMN_OF_RUN, OUT = COLUMN_HANDED_OUT, COARSE = COLUMN_COARSE, WORDS = COLUMN_WORDS,
	FOLDS = COLUMN_FOLDS, NAMES = COLUMN_NAMES, CLASSIFIES = COLUMN_CLASSIFIES, MINOR = COLUMN_MINOR
};

#define PLACE(column, is, ...) { column, COLUMN_PLACE, is, NULL, NULL, __VA_ARGS__ }
#define KEY(column, is, ...) { column, COLUMN_KEY, is, NULL, NULL, __VA_ARGS__ }
#define TEXT(column, is, ...) { column, COLUMN_TEXT, WORDS | (is), NULL, NULL, __VA_ARGS__ }
#define MEASURE(column, ...) { column, COLUMN_MEASURE, 0, NULL, NULL, __VA_ARGS__ }

const column_about column_about_known[] = {
	PLACE("pid", RUN | COARSE, 0, "pid"), PLACE("rank", COARSE, 0, "rank"), PLACE("start_ns", RUN, 0, NULL),
	PLACE("end_ns", RUN | MINOR, 0, NULL), PLACE("tid", COARSE, 47, "thread"), PLACE("index", 0, 0, NULL),
	PLACE("launch_ns", MINOR, 0, NULL), PLACE("cpu_start_ns", MINOR, 0, NULL), PLACE("cpu_end_ns", MINOR, 0, NULL),
	PLACE("depth", 0, 0, "depth"), PLACE("seq", 0, 0, NULL), PLACE("ranks", 0, 0, NULL),
	PLACE("last", 0, 0, NULL), PLACE("peak_ns", MINOR, 0, NULL), PLACE("synced", 0, 0, NULL),
	PLACE("window", RUN | COARSE | WORDS, 46, NULL), PLACE("trace", RUN | COARSE | WORDS, 0, NULL),

	KEY("gpu", OUT | COARSE, 50, "GPU"), KEY("ctx", OUT | COARSE | MINOR, 49, "context"),
	KEY("stream", OUT | COARSE, 48, "stream"), KEY("comm", OUT | WORDS | MINOR, 51, "communicator"),
	KEY("op", WORDS | CLASSIFIES, 74, "operation"), { "bytes", COLUMN_KEY, 0, "bus_gbps", NULL, 60, NULL },
	KEY("part", NAMES | CLASSIFIES, 68, NULL),
	KEY("class", COARSE | CLASSIFIES, 64, NULL), KEY("category", WORDS | CLASSIFIES, 78, NULL),
	KEY("stage", WORDS | CLASSIFIES, 77, NULL), KEY("purpose", WORDS | CLASSIFIES, 63, NULL),
	KEY("cause", CLASSIFIES, 79, NULL),
	KEY("kind", CLASSIFIES, 73, NULL), KEY("src", 0, 59, "source"), KEY("dst", 0, 58, "target"),
	KEY("metric", WORDS | NAMES, 96, NULL), KEY("domain", WORDS, 57, NULL),
	KEY("phase", WORDS | CLASSIFIES, 76, NULL), KEY("call", WORDS | CLASSIFIES, 69, NULL),
	KEY("owner", WORDS | CLASSIFIES, 72, NULL), KEY("where", WORDS, 61, "place"),
	KEY("producer", WORDS | NAMES, 91, NULL),
	KEY("thread", WORDS | FOLDS | NAMES, 94, NULL), KEY("nvtx", WORDS | FOLDS | NAMES, 92, "range"),
	KEY("source", WORDS | NAMES, 95, NULL),
	{ "name", COLUMN_KEY, WORDS | FOLDS | NAMES, NULL, "purpose", 97, NULL },
	KEY("path", WORDS | FOLDS | NAMES, 98, "path of ranges"),

	TEXT("advice", 0, 0, NULL), TEXT("api", 0, 0, NULL), TEXT("block", 0, 0, NULL), TEXT("evidence", 0, 0, NULL),
	TEXT("file", 0, 0, NULL), TEXT("finding", NAMES, 80, NULL), TEXT("full", 0, 0, NULL),
	TEXT("gpus", 0, 0, NULL),
	TEXT("grid", 0, 0, NULL), TEXT("key", 0, 0, NULL), TEXT("mesh", 0, 0, NULL),
	TEXT("module", 0, 56, NULL), TEXT("next", 0, 0, NULL), TEXT("prev", 0, 0, NULL),
	TEXT("process", NAMES, 93, NULL), TEXT("run", 0, 0, NULL),
	TEXT("bound", CLASSIFIES, 71, NULL), TEXT("change", CLASSIFIES, 70, NULL),
	TEXT("severity", CLASSIFIES, 62, NULL), TEXT("waiter", 0, 0, NULL),

	MEASURE("mfu_pct", 40, "MFU"), MEASURE("recover_ns", 39, "time to win back"),
	MEASURE("delta", 38, "difference"), MEASURE("delta_ns", 38, "difference"),
	MEASURE("comm_cost_ns", 38, "time that communication costs"),
	MEASURE("period_ns", 37, "period"), MEASURE("period_p50_ns", 36, "median period"),
	MEASURE("dur_ns", 35, "duration"), MEASURE("idle_ns", 34, "idle time"),
	MEASURE("absent_ns", 33, "time without compute"), MEASURE("caused_ns", 32, "waiting caused"),
	MEASURE("exposed_ns", 31, "exposed communication"), MEASURE("gpu_ns", 30, "GPU time"),
	MEASURE("dur_p50_ns", 29, "median duration"), MEASURE("total_ns", 28, "total time"),
	MEASURE("elapsed_ns", 27, "elapsed time"), MEASURE("busy_ns", 26, "busy time"),
	MEASURE("run_ns", 25, "running time"), MEASURE("cuda_ns", 24, "time in CUDA calls"),
	MEASURE("os_ns", 23, "time in OS calls"), MEASURE("peak_bytes", 22, "peak memory"),
	MEASURE("queue_p50_ns", 21, "median time in the queue"), MEASURE("value", 20, NULL), MEASURE("mean", 19, NULL),
	{ "wait_ns", COLUMN_MEASURE, 0, NULL, "waiter", 0, NULL },      /* rows with a waiter may share one wait */
	MEASURE("self_pct", 18, "share of samples"), MEASURE("kernels", 17, NULL),
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

/* Is a column a plain share or rate, and not a statistic of shares or rates, such as a mean or a percentile? */
static bool column_about_is_rate(const char *name)
{
	const char *unit = column_unit(name), *cut = strrchr(name, '_');
	char stem[64];

	if (!unit || (strcmp(unit, "%") != 0 && strcmp(unit, "GB/s") != 0))
		return false;
	snprintf(stem, sizeof stem, "%.*s", cut ? (int)(cut - name) : 0, name);
	return column_adds_up(stem);
}

int column_get_priority(const char *name, bool text)
{
	const column_about *c = column_about_of(name);

	if (c->is & MINOR)
		return 0;
	if (c->role == COLUMN_PLACE)
		return !(c->is & COARSE) ? c->is & RUN ? 3 : 1 : c->is & RUN && !(c->is & WORDS) ? 7 : 8;
	if (c->role == COLUMN_TEXT)
		return c->tells ? 8 : 3;
	if (c->role == COLUMN_KEY || text)
		return 8;
	return column_about_is_rate(name) ? 6 : !column_adds_up(name) ? 2 : column_unit(name) ? 7 : 5;
}
