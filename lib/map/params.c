#include "map/params.h"
#include "base/number.h"

#include <string.h>

/* The names in a file, with line ends or NULs behind them.  False after a problem. */
static bool read_list(map_params *p, notes *say)
{
	bool input = !p->from || strcmp(p->from, "-") == 0;
	const char *name = input ? "standard input" : p->from;
	FILE *f = input ? stdin : fopen(p->from, "r");
	size_t n = 0;

	p->list = f ? text_read(f, &n) : NULL;
	if (f && !input)
		fclose(f);
	if (!p->list)
		return notes_problem(say, EXIT_FAILED, "cannot read the list of traces '%s':", name);
	for (char *at = p->list, *end = p->list + n; at < end;) {
		char *stop = memchr(at, p->nul ? 0 : '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		*stop = 0;
		if (stop - at != (ptrdiff_t)strlen(at))
			return notes_problem(say, EXIT_WRONG, "the list of traces '%s' has NULs in it; add -0", name);
		if (*at)
			vec_push(&p->traces, at);
		at = stop + 1;
	}
	return p->traces.n || notes_problem(say, EXIT_WRONG, "the list of traces '%s' is empty", name);
}

bool map_params_take(map_params *p, const text_list *operands, notes *say)
{
	if (!operands->n)
		return notes_problem(say, EXIT_WRONG, "usage: nsq-map [options] PIPELINE [TRACE...]; nsq-map --help "
				     "explains them");
	if (p->from && operands->n > 1)
		return notes_problem(say, EXIT_WRONG, "'--from' and traces such as '%s' cannot be combined; choose one",
				     operands->v[1]);
	p->pipeline = operands->v[0];
	for (size_t i = 1; i < operands->n; i++)
		vec_push(&p->traces, operands->v[i]);
	if (p->nul && p->traces.n)
		return notes_problem(say, EXIT_WRONG, "'-0' has no effect on traces of the command line; drop it");
	return p->traces.n || read_list(p, say);
}

bool map_params_read_chunk(const char *arg, void *params)
{
	return number_size(arg, &((map_params *)params)->chunk_bytes);
}

void map_params_free(map_params *p)
{
	vec_free(&p->traces);
	vec_free(&p->sbatch);
	free(p->list);
}
