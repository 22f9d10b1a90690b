/*
 * schema - prints what schema.h says: of one table or of all (-), of a trace or of none (-).
 *
 *     schema NVTX_EVENTS run.sqlite
 *     schema each run.sqlite                     // every table of the trace, one after the other
 */
#include "answer/answers.h"
#include "answer/schema.h"
#include "table/format.h"

#include <string.h>

static int print(const schema *s, const char *name, notes *say)
{
	bool each = strcmp(name, "each") == 0, ok = true;
	table answer = { 0 };
	format_writer w = { .to = stdout, .format = FORMAT_TSV };

	for (int i = 0; each && i < s->trace->ntables; i++)
		ok &= schema_answer(s, s->trace->tables[i].name, &answer, say);
	if (each ? ok : schema_answer(s, strcmp(name, "-") ? name : NULL, &answer, say)) {
		format_table(&w, &answer);
		format_end(&w, &answer);
	}
	table_free(&answer);
	return notes_code(say);
}

int main(int argc, char **argv)
{
	table kernels = { 0 }, gaps = { 0 };
	notes say = { 0 };
	bool traced = argc > 2 && strcmp(argv[2], "-") != 0;
	db *d = traced ? db_open(argv[2], &say) : NULL;
	int code = 1;

	kernels_answer.columns(&(kernels_params){ .mode = KERNELS_EACH }, &kernels);
	gaps_answer.columns(&(gaps_params){ .mode = GAPS_EACH }, &gaps);
	schema s = {
		.own = (schema_own[]){ { "kernels", &kernels }, { "gaps", &gaps } }, .nown = 2, .trace = d, .all = true
	};
	if (argc > 2 && traced == (d != NULL))
		code = print(&s, argv[1], &say);
	for (size_t i = 0; i < say.n; i++)
		fprintf(stderr, "%s\n", say.v[i].text);
	table_free(&kernels);
	table_free(&gaps);
	notes_free(&say);
	if (d)
		db_close(d);
	return code;
}
