#include "trace/call_class.h"
#include "base/memory.h"

#include <string.h>

static const struct { const char *name, *words[6]; } classes[] = {
	[CALL_LAUNCH] = { "launch", { "Launch" } },
	[CALL_SYNC] = { "sync", { "Synchronize" } },
	[CALL_MEMORY] = { "memory", { "Mem", "Malloc", "Free", "HostAlloc", "HostRegister" } },
	[CALL_GRAPH] = { "graph", { "Graph", "Capture" } },
	[CALL_EVENT] = { "event", { "Event" } },
	[CALL_STREAM] = { "stream", { "Stream" } },
	[CALL_MODULE] = { "module", { "Module", "Library", "Kernel", "Func" } },
	[CALL_OTHER] = { "other", { "" } },
	[CALL_MPI] = { "mpi", { "" } },
};

enum call_class call_class(const char *name)
{
	for (int c = 0; c < CALL_OTHER; c++)
		for (int w = 0; classes[c].words[w]; w++)
			if (strstr(name, classes[c].words[w]))
				return (enum call_class)c;
	return CALL_OTHER;
}

bool call_launches_work(const char *name)
{
	return call_class(name) == CALL_LAUNCH && !strstr(name, "LaunchHostFunc");
}

const char *call_class_name(enum call_class c)
{
	return classes[c].name;
}

bool call_is_cuda_or_hip(const char *name)
{
	return strncmp(name, "cu", 2) == 0 || strncmp(name, "hip", 3) == 0;
}

size_t call_base_length(const char *name)
{
	size_t n = strlen(name), before;

	do {
		before = n;
		if (n > 5 && (memcmp(name + n - 5, "_ptsz", 5) == 0 || memcmp(name + n - 5, "_ptds", 5) == 0))
			n -= 5;
		size_t digits = n;
		while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
			digits--;
		if (digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
			n = digits - 2;
	} while (n < before);
	return n;
}

static void *call_class_build_base_names(trace *t, int64_t unused UNNEEDED)
{
	size_t n = t->names.n;
	uint32_t *base = mem_new(uint32_t, n);
	bool *called = mem_new(bool, n);

	for (const trace_call_kind *k = t->calls.kinds; k < t->calls.kinds + t->calls.nkinds; k++)
		if (k->name != STR_NONE)
			called[k->name] = true;
	for (size_t i = 0; i < n; i++)
		if (called[i])
			base[i] = str_id(&t->names, str_at(&t->names, i), call_base_length(str_at(&t->names, i)));
	free(called);
	return base;
}

const uint32_t *call_base_names(trace *t)
{
	return trace_keep(t, call_class_build_base_names, 0, free);
}

bool call_replays_graph(const char *name)
{
	return strstr(name, "GraphLaunch");
}
