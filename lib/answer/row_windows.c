#include "answer/row_windows.h"
#include "table/format.h"

/* What a row means as a window is decided where tables are read, so the rows are written and read. */
bool row_windows(const table *rows, window_asks *to, notes *say)
{
	char *text = NULL;
	size_t n = 0;
	format_writer w = { .to = open_memstream(&text, &n), .format = FORMAT_TSV };
	FILE *in;
	bool ok;

	if (!w.to)
		mem_exhausted(1, BUFSIZ);
	format_table(&w, rows);
	format_header(&w, rows);
	format_end(&w, rows);
	fclose(w.to);
	in = fmemopen(text, n, "r");
	if (!in)
		mem_exhausted(1, n);
	ok = window_table_read(in, "the table", to, say);
	fclose(in);
	free(text);
	return ok;
}
