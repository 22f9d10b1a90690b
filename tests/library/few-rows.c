/* A table that keeps three rows and one that keeps all, of the same rows; those that are beyond the three are not made. */
#include "table/table.h"

#include <stdio.h>

#define COLUMNS(X) X(NS, "ns", 'i', "ns", "a time") X(NUMBER, "number", 'i', NULL, "of the row")
enum { TABLE_IDS(COLUMNS) };
static const table_col columns[] = { TABLE_COLS(COLUMNS) };

static void row(table *t, int64_t i, int64_t ns)
{
	table_row(t);
	table_int(t, NS, ns);
	table_int(t, NUMBER, i);
}

static void compare(bool down)
{
	table few = { .most = 3 }, all = { 0 };
	size_t made = 0, same = 0;

	table_columns(&few, columns, NS, NUMBER);
	table_columns(&all, columns, NS, NUMBER);
	table_sort(&few, NS, down);
	table_sort(&all, NS, down);
	for (int64_t i = 0; i < 20000; i++) {
		int64_t ns = i * 7919 % 10007;
		row(&all, i, ns);
		if (!table_would_drop(&few, NS, ns) && ++made)
			row(&few, i, ns);
	}
	table_group(&few);
	table_group(&all);
	for (size_t i = 0; i < 3; i++)
		same += table_value(&few, i, NUMBER)->i == table_value(&all, i, NUMBER)->i;
	printf("%zu of %zu are the same, %s were made\n", same, table_rows(&few), made < 10000 ? "few" : "all");
	table_free(&few);
	table_free(&all);
}

int main(void)
{
	compare(true);
	compare(false);
}
