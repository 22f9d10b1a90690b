#include "cli/values.h"
#include "base/folders.h"
#include "base/pattern.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/errors.h"
#include "cli/progress.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- limits on time */

static char query_message[200];
static struct itimerval left;   /* the time left to a paused query */

static void values_end_slow_query(int signal UNNEEDED)
{
	progress_wipe_in_handler();
	if (write(STDERR_FILENO, query_message, strlen(query_message)) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

void limit_query(const char *what, int64_t ns)
{
	int64_t us = ns / 1000;
	sigset_t alarm_only;

	if (ns && us < 1000)
		die(EXIT_WRONG, "'--timeout' of %lld ns leaves no time; write a unit, such as %llds", (long long)ns,
		    (long long)ns);
	snprintf(query_message, sizeof query_message, "%s: the %s has not ended after %g s; ask for less, or allow "
		 "more time with --timeout\n", errors_tool(), what, (double)ns / 1e9);
	left = (struct itimerval){ 0 };
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);    /* the alarm must arrive, whatever signals the parent of this
							 * program blocked */
	signal(SIGALRM, values_end_slow_query);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { us / 1000000, us % 1000000 } }, NULL);
}

void limit_pause(bool on)
{
	if (on)
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, &left);
	else
		setitimer(ITIMER_REAL, &left, NULL);
}

void limit_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

/* ---- arguments */

static arena texts;

/* Put a value made from the command line on a list, so that a leak checker finds it still referenced at the end. */
static void *values_keep_forever(void *made)
{
	static vec(void *) all;

	vec_push(&all, made);
	return made;
}

static void values_refuse_slow_pattern(const pattern *p)
{
	die(EXIT_WRONG, "the regular expression '%s' takes too long for one of the names; repeat less in it",
	    pattern_text(p));
}

static pattern *values_compile_pattern(const char *option, const char *text)
{
	char why[PATTERN_WHY];
	pattern *p = pattern_new(text, PATTERN_EXACT, why);

	if (!p)
		die(EXIT_WRONG, "'%s' needs a regular expression, and '%s' is not one: %s", option, text, why);
	pattern_on_giving_up(p, values_refuse_slow_pattern);
	return values_keep_forever(p);
}

/* Compile the argument of --comm.  A leading + is not part of the expression: it says that the names are added to the
 * usual ones. */
static const load_comm_pattern *values_compile_comm(const char *option, const char *text)
{
	load_comm_pattern *c = values_keep_forever(mem_new(load_comm_pattern, 1));

	c->text = text;
	c->adds = *text == '+';
	c->names = values_compile_pattern(option, text + c->adds);
	return c;
}

static vec(rules *) rules_used;

const rules *values_load_rules(const char *spec)
{
	notes say = { 0 };
	rules *r = rules_load(spec, &say);

	errors_exit_unless(r, &say);
	vec_push(&rules_used, r);
	return r;
}

void values_report_slow_rules(void)
{
	for (size_t i = 0; i < rules_used.n; i++)
		if (rules_gave_up(rules_used.v[i]))
			remark("%s: '%s' takes too long for a name, which it does not match; repeat less in it",
			       rules_source(rules_used.v[i]), rules_gave_up(rules_used.v[i]));
}

const ncu_csv *values_read_ncu(const char *path)
{
	notes say = { 0 };
	ncu_csv *csv = ncu_csv_read(path, &say);

	errors_exit_unless(csv, &say);
	return values_keep_forever(csv);
}

void values_refuse_other_ending(const char *path, const char *endings)
{
	static const char known[] = ".svg .html .htm .txt .md .csv .tsv .json .jsonl .gz .sqlite .nsys-rep .qdrep";
	const char *name = text_base(path);
	size_t end = strlen(name), dot;

	for (bool packed = true; packed; end = dot) {           /* the ending before .gz names the format */
		for (dot = end; dot > 0 && name[--dot] != '.';)
			;
		if (dot && text_is_listed_word(name + dot, end - dot, known) &&
		    !text_is_listed_word(name + dot, end - dot, endings))
			die(EXIT_WRONG, "the name '%s' promises another format than the one written; end it in %.*s",
			    path, (int)strcspn(endings, " "), endings);
		packed = dot && text_is_listed_word(name + dot, end - dot, ".gz");
	}
}

const char *values_in_folder(const char *path, const char *name)
{
	struct stat st;

	return folders_stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? arena_printf(&texts, "%s%s%s", path,
			text_ends(path, "/") ? "" : "/", name) : path;
}

void values_check_output(const char *path, const char *endings, enum whole_replace replace)
{
	notes say = { 0 };

	if (strcmp(path, "-") == 0)
		die(EXIT_WRONG, "'-o' takes a file, not '-': the table of what was written goes to standard output");
	errors_exit_unless(whole_may_write(path, replace, &say), &say);
	values_refuse_other_ending(path, endings);
}

void values_remark_unwritten(const char *path, const table *out)
{
	if (!path && table_rows(out) && errors_status() == EXIT_ANSWERED)
		remark("nothing is written without '-o'");
}

/* The words that an option takes, listed for a message. */
static const char *values_list_words(const opt *o)
{
	const char *text = "";

	for (int i = 0; o->words[i]; i++)
		text = arena_printf(&texts, "%s%s%s", text, i ? ", " : "", o->words[i]);
	return text;
}

static unsigned values_find_word(const opt *o, const char *s, size_t len)
{
	unsigned i = 0;

	while (o->words[i] && (strlen(o->words[i]) != len || strncmp(o->words[i], s, len) != 0))
		i++;
	if (!o->words[i])
		die(EXIT_WRONG, "'--%s' does not know '%.*s'; it takes %s", o->name, (int)len, s, values_list_words(o));
	return i;
}

static unsigned values_read_word_set(const opt *o, const char *list)
{
	unsigned bits = 0;

	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		bits |= 1u << values_find_word(o, p, n);
		p += n;
		if (!*p)
			return bits;
	}
}

static void values_set_number(const opt *o, const char *shown, const char *arg, int64_t *to)
{
	enum { SECOND = 1000000000 };
	int64_t unit;

	if (o->type == OPT_TIME) {
		if (!number_time(arg, strlen(arg), 1, &unit, to) || *to < 0)
			die(EXIT_WRONG, "'%s' takes a time such as 500, 50us or 1.5ms, not '%s'", shown, arg);
	} else if (o->type == OPT_SIZE || o->type == OPT_SECONDS) {
		if (o->type == OPT_SIZE ? !number_size(arg, to) : !number_time(arg, strlen(arg), SECOND, &unit, to) ||
		    *to <= 0 || *to % SECOND)
			die(EXIT_WRONG, "'%s' takes %s, not '%s'", shown, o->expects, arg);
		*to /= o->type == OPT_SIZE ? 1 : SECOND;
	} else if (!number_int(arg, to) || *to < (o->type == OPT_COUNT)) {
		die(EXIT_WRONG, "'%s' takes a whole number of at least %d, not '%s'", shown, o->type == OPT_COUNT, arg);
	}
}

void values_set(const opt *o, const char *shown, const char *arg, void *to, void *params)
{
	switch (o->type) {
	case OPT_MODE:
		break;
	case OPT_FLAG:
		*(bool *)to = true;
		break;
	case OPT_TEXT:
	case OPT_READS:
	case OPT_WRITES:
	case OPT_PROGRAM:
	case OPT_RULES_TEXT:
		*(const char **)to = arg;
		break;
	case OPT_TEXTS:
	case OPT_WINDOWS:
		vec_push((text_list *)to, arg);
		break;
	case OPT_COUNT:
	case OPT_ID:
	case OPT_TIME:
	case OPT_SECONDS:
	case OPT_SIZE:
		values_set_number(o, shown, arg, to);
		break;
	case OPT_PID:
		if (!number_pid(arg, (int64_t *)to, (int64_t *)to + 1))
			die(EXIT_WRONG, "'%s' takes a process id, PID or PID:N, not '%s'", shown, arg);
		break;
	case OPT_FORMAT:
		*(enum format *)to = format_named(arg);
		if (*(enum format *)to == FORMAT_AUTO)
			die(EXIT_WRONG, "no format '%s'; choose one of tsv, table, csv, jsonl, md", arg);
		break;
	case OPT_KEYS:
		*(unsigned *)to = values_read_word_set(o, arg);
		break;
	case OPT_CHOICE:
		*(unsigned *)to = values_find_word(o, arg, strlen(arg));
		break;
	case OPT_REGEX:
		*(const pattern **)to = values_compile_pattern(shown, arg);
		break;
	case OPT_COMM_NAMES:
		*(const load_comm_pattern **)to = values_compile_comm(shown, arg);
		break;
	case OPT_MODE_RULES:
	case OPT_RULES:
		*(const rules **)to = values_load_rules(arg);
		break;
	case OPT_MANIFEST:
	case OPT_OWN:
		if (!o->read(arg, params))
			die(EXIT_WRONG, "'%s' takes %s, not '%s'", shown, o->expects, arg);
	}
}
