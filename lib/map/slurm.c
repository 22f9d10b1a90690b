#include "map/mapping.h"
#include "base/parallel.h"
#include "base/shell.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

enum {
	PATIENCE_S = 20,        /* seconds to wait for an answer of scontrol, squeue or scancel */
	PATIENCE_SUBMIT_S = 300,        /* the same for sbatch; longer, because only its answer names the job that
					 * it submitted */
	LOOK_MS = 250,          /* time between two looks into the folder, at first */
	LOOK_MOST_MS = 5000,    /* the same, at most */
	ASK_S = 2,              /* time between two questions to squeue, at first */
	ASK_MOST_S = 30,        /* the same, at most */
	LATE_S = 5,             /* the longest time until a file that a node wrote is visible on this machine */
	ROUNDS = 2,             /* how often traces are submitted at most */
	ARRAY_SIZE = 1001       /* MaxArraySize, if scontrol does not tell it */
};

typedef struct {
	map_ctx *m;
	const char *job;        /* the number of the job; NULL: there is none */
	int round;              /* the number of submissions so far */
	int64_t look_ms;        /* time until the next look into the folder */
	int64_t ask_s;          /* time between two questions to squeue */
	int64_t last_asked;     /* slurm_read_clock when squeue was asked last */
	int64_t over_at;        /* slurm_read_clock when the array was first seen to be over; 0: it is not known to be
				 * over */
	bool silent;            /* squeue did not answer when it was asked last, and the user was told */
} slurm_ctx;

static int64_t slurm_read_clock(void)
{
	return par_clock_ns() / 1000000000;
}

/* The output of a program of Slurm; NULL: it cannot be run.  to: the arena of the output.  code: where its exit code
 * goes. */
#define ASK(to, code, ...) child_read_output((to), (const char *const[]){ __VA_ARGS__, NULL }, PATIENCE_S, (code))

/* ---- tasks */

static int64_t slurm_ask_task_limit(map_ctx *m)
{
	int code;
	const char *said = ASK(&m->texts, &code, "scontrol", "show", "config");
	const char *at = said ? strstr(said, "MaxArraySize") : NULL;
	int64_t most = at && (at = strchr(at, '=')) ? atoll(at + 1) : 0;

	return most > 1 ? most : ARRAY_SIZE;
}

/* The size of a trace in bytes, at least 1, so that --chunk 1 gives each trace a task of its own. */
static int64_t slurm_measure_trace(const char *trace)
{
	struct stat st;

	return stat(trace, &st) == 0 && st.st_size ? st.st_size : 1;
}

/* The number of tasks for the traces that are not done, if each task gets traces of at most `room` bytes together, or
 * one larger trace. */
static int64_t slurm_count_tasks(const map_ctx *m, int64_t room)
{
	int64_t n = 0, left = 0;

	for (size_t i = 0; i < m->all.n; i++) {
		int64_t size = slurm_measure_trace(m->all.v[i].trace);
		if (m->all.v[i].done)
			continue;
		n += left < size;
		left = left < size ? room - size : left - size;
	}
	return n;
}

/* The most bytes of a task with several traces: the chunk size, doubled until there are no more tasks than an array can
 * have. */
static int64_t slurm_choose_task_bytes(map_ctx *m)
{
	int64_t room = m->p->chunk_bytes, most = slurm_ask_task_limit(m);

	while (slurm_count_tasks(m, room) > most)
		room *= 2;
	return room;
}

static const char *slurm_list_path(slurm_ctx *w, size_t task)
{
	return arena_printf(&w->m->texts, "%s/traces.%d.%zu", w->m->all.folder, w->round, task);
}

/* Write a list of traces for each task, each trace ended by a NUL, and set the `log` of each trace.  Returns the number
 * of tasks; 0 after a problem. */
static size_t slurm_write_lists(slurm_ctx *w)
{
	map_ctx *m = w->m;
	int64_t room = slurm_choose_task_bytes(m), left = 0;
	size_t n = 0;
	FILE *f = NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < m->all.n; i++) {
		result *r = &m->all.v[i];
		int64_t size = r->done ? 0 : slurm_measure_trace(r->trace);
		if (r->done)
			continue;
		if (f && left < size) {
			ok = fclose(f) == 0;
			f = NULL;
		}
		if (!f) {
			f = results_create_file(slurm_list_path(w, n++));
			left = room;
		}
		left -= size;
		r->log = arena_printf(&m->texts, "%s/task.%d.%zu.log", m->all.folder, w->round, n - 1);
		ok = ok && f && fwrite(r->trace, strlen(r->trace) + 1, 1, f) == 1;
	}
	if (f)
		ok = fclose(f) == 0 && ok;
	if (!ok)
		notes_problem(m->p->say, EXIT_FAILED, "cannot write '%s':", slurm_list_path(w, n - 1));
	return ok ? n : 0;
}

/* Write the script that each task runs: this program, with the list of the task and one trace at a time for each core
 * that Slurm gave the task.  NULL after a problem. */
static const char *slurm_write_script(map_ctx *m)
{
	const char *path = arena_printf(&m->texts, "%s/task.sh", m->all.folder);
	char *program = realpath("/proc/self/exe", NULL);
	FILE *f = program ? results_create_file(path) : NULL;
	bool ok = f && fprintf(f, "#!/bin/sh\n# A task of nsq-map: the traces that its list names.\n"
		"cores=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\n"
		"exec srun --ntasks=1 --cpus-per-task=\"$cores\" --input=none \\\n"
		"\t%s map -q -j \"$cores\" --resume --keep %s --null --from %s/\"traces.$1.$SLURM_ARRAY_TASK_ID\" \\\n"
		"\t%s > /dev/null\n", shell_single(&m->texts, program), shell_single(&m->texts, m->all.folder),
		shell_single(&m->texts, m->all.folder), shell_single(&m->texts, m->p->pipeline)) > 0;

	ok = f && fclose(f) == 0 && ok;
	if (!ok)
		notes_problem(m->p->say, EXIT_FAILED, "cannot write '%s':", path);
	free(program);
	return ok ? path : NULL;
}

/* ---- the array */

static const char *slurm_skip_line(const char *line)
{
	const char *end = strchrnul(line, '\n');

	return *end ? end + 1 : end;
}

/* The number of the job in the output of sbatch: a line that is only this number, such as 17, or the number, a
 * semicolon and the name of a cluster.  NULL: there is no such line. */
static const char *slurm_find_job_number(arena *to, const char *said)
{
	for (const char *line = said; line && *line; line = slurm_skip_line(line)) {
		size_t n = strspn(line, "0123456789");
		if (n && strchr(";\n", line[n]))
			return arena_text(to, line, n);
	}
	return NULL;
}

/* The path with each % doubled, since Slurm replaces %a and the like in the name of a log. */
static const char *slurm_double_percents(arena *to, const char *path)
{
	const char *percent = strchr(path, '%');

	return !percent ? path : arena_printf(to, "%.*s%%%%%s", (int)(percent - path), path,
					      slurm_double_percents(to, percent + 1));
}

static void slurm_add_sbatch_words(arguments *a, slurm_ctx *w, size_t tasks, const char *script)
{
	const map_params *p = w->m->p;

	arguments_add_words(a, "sbatch", "--parsable", "--job-name=nsq-map");
	arguments_add(a, "--no-requeue");       /* this program submits the traces of lost tasks again */
	arguments_add(a, "--ntasks=1");
	arguments_addf(a, "--output=%s/task.%d.%%a.log", slurm_double_percents(&w->m->texts, w->m->all.folder),
		       w->round);
	arguments_add_number_option(a, "cpus-per-task", p->at_once);
	arguments_add_all(a, &p->sbatch);
	arguments_addf(a, "--array=0-%zu", tasks - 1);
	arguments_add(a, script);
	arguments_addf(a, "%d", w->round);
}

/* Write the number of the job to the file `job`, for later runs, and tell the user that the job was submitted. */
static void slurm_record_job(slurm_ctx *w, size_t tasks)
{
	map_ctx *m = w->m;
	FILE *f = results_create_file(arena_printf(&m->texts, "%s/job", m->all.folder));

	if (f) {
		fprintf(f, "%s\n", w->job);
		fclose(f);
	}
	notes_answer(m->p->say, "job %s of Slurm: %zu traces in %zu task%s, results in '%s'", w->job,
		     m->all.n - m->done, tasks, tasks == 1 ? "" : "s", m->all.folder);
}

static const char *slurm_join_lines(arena *to, const char *said)
{
	char *line = arena_copy(to, said);

	for (char *p = line; (p = strchr(p, '\n'));)
		*p = p[1] ? ' ' : 0;
	return line;
}

/* Submit a job for the traces that have no result.  False after a problem. */
static bool slurm_submit_job(slurm_ctx *w)
{
	map_ctx *m = w->m;
	notes *say = m->p->say;
	size_t tasks = slurm_write_lists(w);
	const char *script = tasks ? slurm_write_script(m) : NULL, *said;
	arguments a = { 0 };
	int code = 0;

	if (!script)
		return false;
	slurm_add_sbatch_words(&a, w, tasks, script);
	said = child_read_output(&m->texts, (const char *const *)arguments_argv(&a), PATIENCE_SUBMIT_S, &code);
	w->job = said && !code ? slurm_find_job_number(&m->texts, said) : NULL;
	w->round++;
	if (w->job)
		slurm_record_job(w, tasks);
	else if (!said)
		notes_problem(say, EXIT_FAILED, "cannot run sbatch; --slurm needs the programs of Slurm on PATH");
	else
		notes_problem(say, EXIT_FAILED, "sbatch did not take the job: %s", slurm_join_lines(&m->texts, said));
	arguments_free(&a);
	m->p->show(say);
	return w->job;
}

/* Is a task of the job waiting or running?  Also true if Slurm does not answer. */
static bool slurm_is_in_queue(slurm_ctx *w)
{
	arena texts = { 0 };            /* freed at once, because squeue may be asked very often */
	int code;
	const char *said = ASK(&texts, &code, "squeue", "--noheader", "--format=%F", arena_printf(&texts, "--user=%ld",
			       (long)getuid()));
	bool known = said && code == 0, there = !known;

	if (!known && !w->silent)
		notes_answer(w->m->p->say, "squeue does not answer; waiting for results");
	w->silent = !known;
	for (const char *line = said; known && *line; line = slurm_skip_line(line)) {
		size_t n = strspn(line, "0123456789");
		there |= n == strlen(w->job) && strncmp(line, w->job, n) == 0;
	}
	arena_free(&texts);
	return there;
}

/* ---- waiting */

/* With --resume, take over the job of an earlier run of this program if the job is not over.  False: there is no such
 * job, or --resume was not given. */
static bool slurm_adopt_job(slurm_ctx *w)
{
	map_ctx *m = w->m;
	const char *file = arena_printf(&m->texts, "%s/job", m->all.folder);
	char *text = m->p->resume ? text_file(file, &(size_t){ 0 }) : NULL;

	w->job = slurm_find_job_number(&m->texts, text);
	free(text);
	if (w->job && slurm_is_in_queue(w))
		notes_answer(m->p->say, "job %s of Slurm is not over; waiting for it", w->job);
	else
		w->job = NULL;
	m->p->show(m->p->say);
	return w->job;
}

/* Ask squeue whether the array is over, if it is time for that.  Traces that have no result LATE_S seconds after the
 * end of the array are submitted again.  False: the array of the last submission is over, or the new submission
 * failed. */
static bool slurm_check_array(slurm_ctx *w)
{
	map_ctx *m = w->m;
	int64_t now = slurm_read_clock();

	if (!w->over_at && now - w->last_asked >= w->ask_s) {
		w->last_asked = now;
		w->ask_s = w->ask_s * 3 / 2 < ASK_MOST_S ? w->ask_s * 3 / 2 : ASK_MOST_S;
		w->over_at = slurm_is_in_queue(w) ? 0 : now;
		m->p->show(m->p->say);
	}
	if (!w->over_at || now - w->over_at < LATE_S)
		return true;
	if (w->round == ROUNDS)
		return false;
	if (w->round)
		notes_answer(m->p->say, "%zu traces have no result though job %s is over; they are submitted once more",
			     m->all.n - m->done, w->job);
	w->over_at = 0;
	w->ask_s = ASK_S;
	return slurm_submit_job(w);
}

static void slurm_cancel_job(slurm_ctx *w)
{
	int code;

	if (ASK(&w->m->texts, &code, "scancel", w->job) && code == 0)
		notes_answer(w->m->p->say, "job %s of Slurm is cancelled", w->job);
	else
		notes_problem(w->m->p->say, EXIT_FAILED, "job %s of Slurm could not be cancelled; try scancel %s",
			      w->job, w->job);
}

/* Tell the user if the folder is on a disk of this machine, which nodes may not see.  It is no error, since this
 * machine may share the disk. */
static void slurm_warn_of_local_folder(const map_ctx *m)
{
	static const long local[] = { TMPFS_MAGIC, RAMFS_MAGIC, EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
		OVERLAYFS_SUPER_MAGIC };
	struct statfs st = { 0 };

	statfs(m->all.folder, &st);
	for (size_t i = 0; i < sizeof local / sizeof *local; i++)
		if (st.f_type == local[i])
			notes_answer(m->p->say, "'%s' is on a disk of this machine; the nodes must see it under this "
				     "name, as they must the traces (--keep DIR names another)", m->all.folder);
}

void slurm_run(map_ctx *m)
{
	slurm_ctx w = { .m = m, .look_ms = LOOK_MS, .ask_s = ASK_S, .last_asked = slurm_read_clock() };
	bool running = true;

	slurm_warn_of_local_folder(m);
	running = slurm_adopt_job(&w) || slurm_submit_job(&w);
	m->refused = !running;
	for (; running && m->done < m->all.n; running = running && slurm_check_array(&w)) {
		running = mapping_wait(m, w.look_ms);
		if (results_scan(&m->all, &m->done)) {
			w.look_ms = LOOK_MS;
			running = running && mapping_write(m);
		} else {
			w.look_ms = 2 * w.look_ms < LOOK_MOST_MS ? 2 * w.look_ms : LOOK_MOST_MS;
		}
	}
	if (w.job && (m->stopped || m->out.reason))
		slurm_cancel_job(&w);
}
