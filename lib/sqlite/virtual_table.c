#include "sqlite/virtual_table.h"
#include "base/number.h"
#include "base/search.h"
#include "table/column_about.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct {
	sqlite3_vtab base;
	virtual_table *v;
} connected;

/* How a query finds its rows.  virtual_table_best_index sets idxNum to PLAN_... + PLANS * column.  For PLAN_TIMES,
 * idxStr has a letter for each value that virtual_table_filter gets. */
enum plan { PLAN_SCAN, PLAN_EQUAL, PLAN_ORDER, PLAN_ORDER_DOWN, PLAN_TIMES, PLANS };

typedef struct {
	sqlite3_vtab_cursor base;
	const uint32_t *rows;           /* by position: the row there; NULL: position i is row i */
	size_t at;                      /* the current position; with `down`, counted from `end` backwards */
	size_t end;                     /* the position after the last one to visit; PLAN_TIMES: in the current slice */
	bool down;                      /* visit the rows from the last position to the first */
	size_t next_slice, end_slice;   /* PLAN_TIMES: the slices still to be visited, [next,end); a slice holds the
					 * rows of one process (row_index.h) */
	row_index_span span;            /* PLAN_TIMES: the bounds on the times of the rows */
	const table_cell *cells;        /* cells of the current row */
} cursor;

static virtual_table *virtual_table_of_cursor(const cursor *c)
{
	return ((connected *)c->base.pVtab)->v;
}

/* ---- declaration */

static int virtual_table_connect(sqlite3 *sql, void *aux, int argc, const char *const *argv, sqlite3_vtab **to,
				 char **err)
{
	virtual_table *v = aux;
	sqlite3_str *s = sqlite3_str_new(sql);
	connected *c;
	char *text;
	int rc;

	(void)argc, (void)argv;
	for (size_t i = 0; i < v->columns->cols.n; i++) {
		const table_col *col = &v->columns->cols.v[i];
		sqlite3_str_appendf(s, "%s\"%w\" %s", i ? ", " : "CREATE TABLE x(", col->name,
				    col->type == 't' ? "TEXT" :
				    col->type == 'd' || col->type == 'n' ? "NUMERIC" : "INTEGER");
	}
	sqlite3_str_appendall(s, ")");
	text = sqlite3_str_finish(s);
	rc = text ? sqlite3_declare_vtab(sql, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	if (rc != SQLITE_OK) {
		*err = sqlite3_mprintf("%s", sqlite3_errmsg(sql));
		return rc;
	}
	c = mem_new(connected, 1);
	c->v = v;
	*to = &c->base;
	return SQLITE_OK;
}

static int virtual_table_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

/* ---- planning */

static bool virtual_table_has_ints(const table *t, int col)
{
	return col >= 0 && strchr("ip", t->cols.v[col].type);
}

/* The letter of a condition: a, b or s if it is a lower bound, an upper bound or the value of start_ns; c, d or e for
 * those of end_ns.  0: it is another condition. */
static char virtual_table_time_letter(const table *t, int col, unsigned char op)
{
	bool start = col >= 0 && strcmp(t->cols.v[col].name, "start_ns") == 0;
	bool end = col >= 0 && strcmp(t->cols.v[col].name, "end_ns") == 0;

	if (!start && !end)
		return 0;
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return start ? 's' : 'e';
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE: return start ? 'a' : 'c';
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE: return start ? 'b' : 'd';
	default: return 0;
	}
}

/* Plan to find rows by the conditions on times and on the process, and write their letters (p: the process) to idxStr.
 * False: there is no condition on a time, or the table has no times. */
static bool virtual_table_plan_times(const table *t, sqlite3_index_info *info)
{
	int pid = table_column(t, "pid"), given = 0, times = 0;
	char *letters;

	if (!virtual_table_has_ints(t, table_column(t, "start_ns")) ||
	    !virtual_table_has_ints(t, table_column(t, "end_ns")))
		return false;
	for (int i = 0; i < info->nConstraint; i++)
		times += info->aConstraint[i].usable &&
			virtual_table_time_letter(t, info->aConstraint[i].iColumn, info->aConstraint[i].op);
	if (!times)
		return false;
	letters = sqlite3_malloc(info->nConstraint + 1);
	if (!letters)
		mem_exhausted((size_t)info->nConstraint, 1);
	for (int i = 0; i < info->nConstraint; i++) {
		int col = info->aConstraint[i].iColumn;
		bool is_pid = col >= 0 && col == pid && virtual_table_has_ints(t, pid) &&
			info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ;
		char letter = is_pid ? 'p' : virtual_table_time_letter(t, col, info->aConstraint[i].op);
		if (!info->aConstraint[i].usable || !letter)
			continue;
		letters[given++] = letter;
		info->aConstraintUsage[i].argvIndex = given;
	}
	letters[given] = 0;
	info->idxNum = PLAN_TIMES;
	info->idxStr = letters;
	info->needToFreeIdxStr = 1;
	info->estimatedCost = given > 1 ? 1000 : 100000;
	info->estimatedRows = given > 1 ? 1000 : 100000;
	return true;
}

/* Do many rows hold the same value of the column? */
static bool virtual_table_is_coarse(const char *name)
{
	return column_about_of(name)->is & COLUMN_COARSE;
}

static bool virtual_table_plan_equal(const table *t, sqlite3_index_info *info)
{
	int best = -1;

	for (int i = 0; i < info->nConstraint; i++) {
		int col = info->aConstraint[i].iColumn;
		if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || col < 0 ||
		    !strchr("ipt", t->cols.v[col].type))
			continue;
		if (t->cols.v[col].type == 't' && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
			continue;
		if (best < 0 || (virtual_table_is_coarse(t->cols.v[info->aConstraint[best].iColumn].name) &&
				 !virtual_table_is_coarse(t->cols.v[col].name)))
			best = i;
	}
	if (best < 0)
		return false;
	info->aConstraintUsage[best].argvIndex = 1;
	info->idxNum = PLAN_EQUAL + PLANS * info->aConstraint[best].iColumn;
	info->estimatedRows = virtual_table_is_coarse(t->cols.v[info->aConstraint[best].iColumn].name) ? 200000 : 100;
	info->estimatedCost = (double)info->estimatedRows;
	return true;
}

/* Plan the order by one column, so that SQLite need not sort. */
static bool virtual_table_plan_order(const table *t, bool utf16, sqlite3_index_info *info)
{
	int col = info->nOrderBy == 1 ? info->aOrderBy[0].iColumn : -1;

	if (col < 0 || !strchr(utf16 ? "i" : "it", t->cols.v[col].type))
		return false;
	info->idxNum = (info->aOrderBy[0].desc ? PLAN_ORDER_DOWN : PLAN_ORDER) + PLANS * col;
	info->orderByConsumed = 1;
	info->estimatedRows = 1000000;
	info->estimatedCost = 1000000;
	return true;
}

static int virtual_table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	virtual_table *v = ((connected *)base)->v;

	v->named = true;
	for (size_t i = 0; i < v->columns->cols.n; i++)
		v->used[i] |= info->colUsed >> (i < 63 ? i : 63) & 1;
	if (virtual_table_plan_times(v->columns, info) || virtual_table_plan_equal(v->columns, info) ||
	    virtual_table_plan_order(v->columns, v->utf16, info))
		return SQLITE_OK;
	info->idxNum = PLAN_SCAN;
	info->estimatedRows = 1000000;
	info->estimatedCost = 1000000;
	return SQLITE_OK;
}

/* ---- reading */

static int virtual_table_open_cursor(sqlite3_vtab *base UNNEEDED, sqlite3_vtab_cursor **to)
{
	cursor *c = mem_new(cursor, 1);

	*to = &c->base;
	return SQLITE_OK;
}

static int virtual_table_close_cursor(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int virtual_table_place_of(const virtual_table *v, int col)
{
	return col < 0 || !v->place ? col : v->place[col];
}

/* Convert the value of a condition to a cell of a column of this type; false: the index cannot find rows by this
 * value. */
static bool virtual_table_convert_cell(char type, sqlite3_value *value, table_cell *to)
{
	int is = sqlite3_value_type(value);
	double real = is == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
	char buf[NUMBER_PID_SIZE];

	if (type == 't') {
		to->t = is == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
		return to->t && strlen(to->t) == (size_t)sqlite3_value_bytes(value);
	}
	if (is == SQLITE_INTEGER || (is == SQLITE_FLOAT && real == floor(real) && fabs(real) < 9e15))
		to->i = is == SQLITE_INTEGER ? sqlite3_value_int64(value) : (int64_t)real;
	else if (is == SQLITE_TEXT && type == 'p') {
		const char *text = (const char *)sqlite3_value_text(value);
		int64_t pid, sub;
		if (!number_pid(text, &pid, &sub) || sub < 0 || strcmp(number_pid_text(pid, sub, buf), text) != 0 ||
		    pid >= 1 << 24 || sub >= TABLE_SUBS - 1)
			return false;
		to->i = pid * TABLE_SUBS + sub + 1;
		return true;
	} else
		return false;
	if (type == 'p' && (to->i < 0 || to->i >= 1 << 24))
		return false;
	if (type == 'p')
		to->i *= TABLE_SUBS;
	return true;
}

/* The integers around a bound on a time, which may be a fraction.  False: the bound is no number, or too large for an
 * integer. */
static bool virtual_table_bound_of(sqlite3_value *value, int64_t *low, int64_t *high)
{
	double real = sqlite3_value_double(value);

	if (sqlite3_value_type(value) == SQLITE_INTEGER) {
		*low = *high = sqlite3_value_int64(value);
		return true;
	}
	if (sqlite3_value_type(value) != SQLITE_FLOAT || !(fabs(real) < 9e18))
		return false;
	*low = (int64_t)floor(real);
	*high = (int64_t)ceil(real);
	return true;
}

static void virtual_table_narrow_span(row_index_span *span, char letter, sqlite3_value *value)
{
	int64_t low, high;

	if (!virtual_table_bound_of(value, &low, &high))
		return;
	if ((letter == 'a' || letter == 's') && low > span->start_from)
		span->start_from = low;
	if ((letter == 'b' || letter == 's') && high < span->start_to)
		span->start_to = high;
	if ((letter == 'c' || letter == 'e') && low > span->end_from)
		span->end_from = low;
	if ((letter == 'd' || letter == 'e') && high < span->end_to)
		span->end_to = high;
}

/* The index of a process in row_index.slices, or the number of processes if this one has no rows. */
static size_t virtual_table_slice_of(const row_index *x, int64_t pid_cell)
{
	size_t s, n = x->slices.n - 1;

	search_first(s, 0, n, table_at(x->t, x->timed[x->slices.v[s]])[x->pid].i >= pid_cell);
	return s < n && table_at(x->t, x->timed[x->slices.v[s]])[x->pid].i == pid_cell ? s : n;
}

static void virtual_table_begin_times(cursor *c, virtual_table *v, const char *letters, sqlite3_value **values)
{
	const table *t = v->columns;
	int pid = table_column(t, "pid");
	table_cell cell;

	row_index_times(&v->index, virtual_table_has_ints(t, pid) ? virtual_table_place_of(v, pid) : -1,
			virtual_table_place_of(v, table_column(t, "start_ns")),
			virtual_table_place_of(v, table_column(t, "end_ns")));
	c->rows = v->index.timed;
	c->span = (row_index_span){ INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX };
	c->next_slice = 0;
	c->end_slice = v->index.slices.n - 1;
	for (int i = 0; letters[i]; i++)
		if (letters[i] != 'p')
			virtual_table_narrow_span(&c->span, letters[i], values[i]);
		else if (virtual_table_convert_cell(t->cols.v[pid].type, values[i], &cell)) {
			size_t s = virtual_table_slice_of(&v->index, cell.i);
			c->end_slice = s < c->end_slice ? s + 1 : c->end_slice;
			c->next_slice = s > c->next_slice ? s : c->next_slice;
		}
}

static size_t virtual_table_row_of(const cursor *c)
{
	size_t at = c->down ? c->end - 1 - c->at : c->at;

	return c->rows ? c->rows[at] : at;
}

/* Go to the row at position c->at.  If none is left in the slice, go to the first of the next slice that has any. */
static void virtual_table_move_to_match(cursor *c)
{
	virtual_table *v = virtual_table_of_cursor(c);

	while (c->at == c->end && c->next_slice < c->end_slice)
		row_index_find_during(&v->index, c->next_slice++, &c->span, &c->at, &c->end);
	if (c->at < c->end)
		c->cells = table_at(v->rows, virtual_table_row_of(c));
}

static int virtual_table_filter(sqlite3_vtab_cursor *base, int plan, const char *letters, int argc UNNEEDED,
				sqlite3_value **values)
{
	cursor *c = (cursor *)base;
	virtual_table *v = virtual_table_of_cursor(c);
	int col;
	table_cell cell;

	if (!v->rows && !v->load(v, v->ctx)) {
		v->failed = true;
		return SQLITE_ERROR;
	}
	v->index.t = v->rows;
	c->rows = NULL;
	c->down = plan % PLANS == PLAN_ORDER_DOWN;
	c->at = c->next_slice = c->end_slice = 0;
	c->end = table_rows(v->rows);
	col = virtual_table_place_of(v, plan / PLANS);
	if (plan == PLAN_TIMES) {
		c->end = 0;
		virtual_table_begin_times(c, v, letters, values);
	} else if (c->down || plan % PLANS == PLAN_ORDER) {
		c->rows = row_index_sort_by(&v->index, col);
	} else if (plan % PLANS == PLAN_EQUAL &&
		   virtual_table_convert_cell(v->rows->cols.v[col].type, values[0], &cell)) {
		row_index_find_equal(&v->index, col, cell, &c->at, &c->end);
		c->rows = row_index_sort_by(&v->index, col);
	}
	virtual_table_move_to_match(c);
	return SQLITE_OK;
}

static int virtual_table_next(sqlite3_vtab_cursor *base)
{
	cursor *c = (cursor *)base;

	c->at++;
	virtual_table_move_to_match(c);
	return SQLITE_OK;
}

static int virtual_table_eof(sqlite3_vtab_cursor *base)
{
	return ((cursor *)base)->at == ((cursor *)base)->end;
}

static int virtual_table_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	const cursor *c = (cursor *)base;

	*id = (sqlite3_int64)virtual_table_row_of(c);
	return SQLITE_OK;
}

static void virtual_table_give_pid(sqlite3_context *to, int64_t v)
{
	char buf[NUMBER_PID_SIZE];

	if (v % TABLE_SUBS)
		sqlite3_result_text(to, number_pid_text(v / TABLE_SUBS, v % TABLE_SUBS - 1, buf), -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_int64(to, v / TABLE_SUBS);
}

static void virtual_table_give_number(sqlite3_context *to, const char *text, bool real)
{
	int64_t i;

	if (!real && number_int(text, &i))
		sqlite3_result_int64(to, i);
	else
		sqlite3_result_double(to, strtod(text, NULL));
}

/* Give SQLite a cell.  If no result is set, SQLite reads NULL. */
static int virtual_table_give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int col)
{
	const cursor *c = (cursor *)base;
	const virtual_table *v = virtual_table_of_cursor(c);
	int place = virtual_table_place_of(v, col);
	table_cell cell;

	if (place < 0)
		return SQLITE_OK;
	cell = c->cells[place];
	switch (v->rows->cols.v[place].type) {
	case 't':
		if (cell.t)
			sqlite3_result_text(to, cell.t, -1, SQLITE_STATIC);
		break;
	case 'n':
		if (cell.t)
			virtual_table_give_number(to, cell.t, v->reals);
		break;
	case 'd':
		sqlite3_result_double(to, cell.d);      /* NaN becomes NULL */
		break;
	case 'p':
		if (cell.i != TABLE_MISSING)
			virtual_table_give_pid(to, cell.i);
		break;
	default:
		if (cell.i != TABLE_MISSING)
			sqlite3_result_int64(to, cell.i);
	}
	return SQLITE_OK;
}

bool virtual_table_add(sqlite3 *sql, virtual_table *v)
{
	static const sqlite3_module module = { .iVersion = 1,
					       .xCreate = virtual_table_connect,
					       .xConnect = virtual_table_connect,
					       .xBestIndex = virtual_table_best_index,
					       .xDisconnect = virtual_table_disconnect,
					       .xDestroy = virtual_table_disconnect,
					       .xOpen = virtual_table_open_cursor,
					       .xClose = virtual_table_close_cursor,
					       .xFilter = virtual_table_filter,
					       .xNext = virtual_table_next,
					       .xEof = virtual_table_eof,
					       .xColumn = virtual_table_give_column,
					       .xRowid = virtual_table_row_id };
	char *create = sqlite3_mprintf("CREATE VIRTUAL TABLE main.\"%w\" USING \"nsq_%w\"", v->name, v->name);
	char *name = sqlite3_mprintf("nsq_%s", v->name);
	int rc = create && name ? sqlite3_create_module(sql, name, &module, v) : SQLITE_NOMEM;

	v->used = mem_new(bool, v->columns->cols.n);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(sql, create, NULL, NULL, NULL);
	sqlite3_free(create);
	sqlite3_free(name);
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	return rc == SQLITE_OK;
}

void virtual_table_free(virtual_table *v)
{
	mem_free(v->used, v->place);
	row_index_free(&v->index);
}
