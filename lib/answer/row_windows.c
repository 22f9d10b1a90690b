#include "answer/row_windows.h"
#include "base/text.h"
#include "table/format.h"

/* What a row means as a window is decided where tables are read, so the rows are written and read. */
bool row_windows(const table *rows, window_asks *to, notes *say)
{
	char *text = NULL;
	size_t n = 0;
	format_writer w = { .to = text_open(&text, &n), .format = FORMAT_TSV };
	FILE *in;
	bool ok;

	format_table(&w, rows);
	format_header(&w, rows);
	format_end(&w, rows);
	text_close(w.to);
	in = fmemopen(text, n, "r");
	if (!in)
		mem_exhausted(1, n);
	ok = window_table_read(in, "the table", to, say);
	fclose(in);
	free(text);
	return ok;
}
