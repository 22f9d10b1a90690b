#include "map/mapping.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

enum {
	LOOK_MS = 200,          /* longest wait for a child while pipelines are being ended, ms; while they run, it is
				 * five times as long */
	GRACE_MS = 2000         /* how long a pipeline may take to end after SIGTERM, ms */
};

typedef struct {
	pid_t pid;              /* the shell that runs the pipeline, and the group of its processes; 0: the slot is
				 * free */
	size_t trace;           /* the trace on which it runs, an index in results.v */
} slot;

typedef struct {
	map_ctx *m;
	slot *v;
	size_t n;               /* the number of slots */
	size_t running;         /* the number of slots that are not free */
	size_t next;            /* the next trace to start, an index in results.v */
	cpu_set_t cores;        /* the cores that this program may use; empty: they are unknown */
} slots;

/* Restrict this process, and so the child that it starts next, to one slot's part of the cores.  number: the slot's,
 * from 0.  If there are more slots than cores, each part is one core. */
static void here_use_part_of_cores(const slots *s, size_t number)
{
	cpu_set_t part;
	size_t all = (size_t)CPU_COUNT(&s->cores), from = number % all, to = from + 1, seen = 0;

	CPU_ZERO(&part);
	if (s->n < all) {
		from = number * all / s->n;
		to = (number + 1) * all / s->n;
	}
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &s->cores) && seen++ >= from && seen <= to)
			CPU_SET(i, &part);
	sched_setaffinity(0, sizeof part, &part);
}

/* Record a pipeline that could not be started as a failure with exit code 127, as a shell does. */
static void here_record_not_started(map_ctx *m, result *r, int reason)
{
	errno = reason;
	notes_problem(m->p->say, EXIT_FAILED, "cannot run %s for '%s':", m->command.shell, r->trace);
	m->done += results_finish(&m->all, r, 127, m->p->say);
}

/* Start the pipeline on a trace, in the slot with this number. */
static void here_start_one(slots *s, size_t number, size_t trace)
{
	map_ctx *m = s->m;
	result *r = &m->all.v[trace];
	child_io io = { .group = true, .mask = m->before };
	slot *to = &s->v[number];
	bool known = CPU_COUNT(&s->cores) > 0;
	int failed;

	if (!results_begin(&m->all, r, &io, m->p->say))
		return;                         /* without a result, the trace is listed as a failure at the end */
	if (known)
		here_use_part_of_cores(s, number);            /* a child inherits the cores of its parent */
	failed = pipeline_start(&m->command, r->trace, &io, &to->pid);
	if (known)
		sched_setaffinity(0, sizeof s->cores, &s->cores);
	close(io.out);
	close(io.err);
	if (failed) {
		to->pid = 0;
		here_record_not_started(m, r, failed);
	} else {
		to->trace = trace;
		s->running++;
	}
}

/* Start pipelines on the next traces that are not done, until no slot is free. */
static void here_start_more(slots *s)
{
	map_ctx *m = s->m;

	for (size_t i = 0; i < s->n && s->next < m->all.n; i++)
		while (!s->v[i].pid && s->next < m->all.n) {
			if (!m->all.v[s->next].done)
				here_start_one(s, i, s->next);
			s->next++;
		}
}

/* Free the slots of pipelines that have ended.  keep true: keep their results; false: they were asked to end, so remove
 * their files. */
static void here_collect_ended(slots *s, bool keep)
{
	for (size_t i = 0; i < s->n; i++) {
		slot *v = &s->v[i];
		int status;
		if (!v->pid || waitpid(v->pid, &status, WNOHANG) != v->pid)
			continue;
		if (!keep) {
			kill(-v->pid, SIGKILL);         /* ends processes that ignored SIGTERM */
			results_remove_partial(&s->m->all, &s->m->all.v[v->trace]);
		} else {
			s->m->done += results_finish(&s->m->all, &s->m->all.v[v->trace], child_exit_code(status),
						     s->m->p->say);
		}
		v->pid = 0;
		s->running--;
	}
}

static void here_signal_all(slots *s, int sig)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].pid)
			kill(-s->v[i].pid, sig);
}

/* End all running pipelines with SIGTERM.  Those that still run after GRACE_MS are ended with SIGKILL. */
static void here_stop_all(slots *s)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	here_signal_all(s, SIGTERM);
	for (int64_t ms = 0; s->running; ms += LOOK_MS) {
		if (ms >= GRACE_MS)
			here_signal_all(s, SIGKILL);
		sigtimedwait(&child, NULL, &(struct timespec){ 0, LOOK_MS * 1000000 });
		here_collect_ended(s, false);
	}
}

static size_t here_count_slots(const slots *s)
{
	size_t left = s->m->all.n - s->m->done, wanted = (size_t)s->m->p->at_once, cores = (size_t)CPU_COUNT(&s->cores);
	size_t most = wanted ? wanted : cores ? cores : (size_t)sysconf(_SC_NPROCESSORS_ONLN);

	return most < left ? most : left;
}

void here_run(map_ctx *m)
{
	slots s = { .m = m };
	bool go_on = true;

	if (sched_getaffinity(0, sizeof s.cores, &s.cores) != 0)
		CPU_ZERO(&s.cores);
	s.n = here_count_slots(&s);
	s.v = mem_new(slot, s.n);
	while (go_on && (here_start_more(&s), s.running)) {
		go_on = mapping_wait(m, LOOK_MS * 5);
		here_collect_ended(&s, true);
		go_on = go_on && mapping_write(m);
	}
	if (!go_on)
		here_stop_all(&s);
	free(s.v);
}
