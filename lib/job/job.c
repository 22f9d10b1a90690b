#include "job/job.h"
#include "base/text.h"
#include "trace/gpu_cards.h"
#include "trace/session.h"

#include <string.h>

job *job_new(void)
{
	job *j = mem_new(job, 1);

	j->users = 1;
	pthread_mutex_init(&j->changing, NULL);
	return j;
}

job *job_share(job *j)
{
	if (!j)
		return job_new();
	j->users++;
	return j;
}

void job_free(job *j)
{
	if (--j->users)
		return;
	for (size_t i = 0; i < j->members.n; i++)
		vec_free(&j->members.v[i].items);
	mem_free(j->traces.v, j->procs.v, j->comms.v, j->members.v, j->ops.v, j->messages.v, j->kernels.v, j->streams.v,
		 j->parties.v, j->partners.v, j->creations.v, j->op_comms.v);
	str_free(&j->names);
	arena_free(&j->texts);
	notes_free(&j->said);
	notes_free(&j->clocks);
	pthread_mutex_destroy(&j->changing);
	free(j);
}

typedef struct {                /* a trace while it is added to a job */
	job *j;
	const trace *t;
	const nccl_ops *ops;
	uint32_t first_proc;
	uint32_t *card;         /* for each lane (trace_lane, trace.h): its GPU, a string of the job, or STR_NONE */
	size_t names;           /* number of strings of the trace at the start; other threads may add more meanwhile */
	uint32_t *name;         /* for each string of the trace: STR_NONE if the job does not need it; otherwise the
				 * string of the job with the same text (before job_add_names fills it in, 0) */
	bool *needs_all;        /* for each string of the trace: does an operation of this name need all processes? */
	size_t op, kernel, message, stream;     /* where this trace's operations, kernels, messages and streams begin in
						 * those of the job */
} job_ctx;

static void job_mark_name(const job_ctx *a, uint32_t name)
{
	if (name != STR_NONE)
		a->name[name] = 0;
}

static void job_mark_names(const job_ctx *a)
{
	for (size_t k = 0; k < a->ops->n; k++) {
		job_mark_name(a, a->ops->v[k].name);
		job_mark_name(a, a->ops->v[k].place);
	}
	for (size_t k = 0; k < a->ops->kernels.n; k++)
		job_mark_name(a, work_name(&a->t->work, a->ops->kernels.v[k].work));
}

static void job_add_names(const job_ctx *a)
{
	for (uint32_t i = 0; i < a->names; i++)
		if (a->name[i] != STR_NONE) {
			const char *text = str_at(&a->t->names, i);
			a->name[i] = str_id(&a->j->names, text, str_len(&a->t->names, i));
			a->needs_all[i] = text_is_listed_word(text, strlen(text),
							      "allreduce allgather reducescatter alltoall");
		}
}

static uint32_t job_name_of(const job_ctx *a, uint32_t name)
{
	return name == STR_NONE ? STR_NONE : a->name[name];
}

static void job_add_procs(job *j, const trace *t, uint32_t at)
{
	for (size_t i = 0; i < t->nprocs; i++) {
		const trace_proc *p = &t->procs[i];
		const char *pid = arena_copy(&j->texts, p->shown);
		const char *shown = p->rank >= 0 ? arena_printf(&j->texts, "%lld", (long long)p->rank) : pid;
		vec_push(&j->procs, (job_proc){ at, p->pid, p->sub, p->rank, pid, shown,
			 arena_copy(&j->texts, p->mesh) });
	}
}

/* An array with an element for each process: how many processes have its name (job_proc.shown). */
static size_t *job_count_names(const job *j)
{
	size_t *count = mem_new(size_t, j->procs.n);
	uint32_t *id = mem_new(uint32_t, j->procs.n);
	vec(size_t) met = { 0 };
	str_pool names = { 0 };

	for (size_t i = 0; i < j->procs.n; i++) {
		id[i] = str_id(&names, j->procs.v[i].shown, strlen(j->procs.v[i].shown));
		if (id[i] == met.n)
			vec_push(&met, 0);
		met.v[id[i]]++;
	}
	for (size_t i = 0; i < j->procs.n; i++)
		count[i] = met.v[id[i]];
	mem_free(id, met.v);
	str_free(&names);
	return count;
}

void job_name_procs(job *j)
{
	for (int whole_path = 0; whole_path < 2; whole_path++) {
		size_t *count = job_count_names(j);
		for (size_t i = 0; i < j->procs.n; i++) {
			job_proc *p = &j->procs.v[i];
			const char *path = j->traces.v[p->trace].path;
			if (p->rank < 0 && count[i] > 1)
				p->shown = arena_printf(&j->texts, "%s@%s", p->pid_shown,
							whole_path ? path : text_base(path));
		}
		free(count);
	}
}

static void job_add_op(const job_ctx *a, size_t i)
{
	const nccl_op *from = &a->ops->v[i];
	uint32_t at = (uint32_t)(a->op + i), message = (uint32_t)(a->message + from->first_message);

	for (size_t k = 0; k < from->nmessages; k++) {
		const nccl_message *m = &a->ops->messages.v[from->first_message + k];
		a->j->messages.v[message + k] = (job_message){ at, NONE, m->send, m->peer, m->bytes };
	}
	a->j->ops.v[at] = (job_op){ .proc = a->first_proc + from->proc,
				    .comm = NONE,
				    .mixed = from->comms == NCCL_MIXED,
				    .name = job_name_of(a, from->name),
				    .place = job_name_of(a, from->place),
				    .bytes = from->bytes,
				    .start = INT64_MAX,
				    .end = INT64_MIN,
				    .messages_only = from->messages_only,
				    .needs_all = from->name != STR_NONE && a->needs_all[from->name],
				    .first_message = message,
				    .nmessages = (uint32_t)from->nmessages,
				    .seq = TRACE_UNKNOWN,
				    .party = NONE,
				    .card = STR_NONE };
}

/* Adds the communicators that operations name. */
static void job_add_comms(const job_ctx *a)
{
	job *j = a->j;

	for (size_t i = 0; a->ops->comms.n && i < a->ops->n; i++) {
		const nccl_op *from = &a->ops->v[i];
		for (size_t k = 0; k < from->ncomms && from->comms != NCCL_UNKNOWN; k++) {
			vec_reserve(&j->op_comms, j->op_comms.n + 1);
			j->op_comms.v[j->op_comms.n].op = (uint32_t)(a->op + i);
			j->op_comms.v[j->op_comms.n++].comm = a->ops->comms.v[from->first_comm + k];
		}
	}
}

static void job_add_kernel(const job_ctx *a, size_t i)
{
	const nccl_kernel *from = &a->ops->kernels.v[i];
	const trace *t = a->t;
	const trace_work *w = &t->work;
	uint32_t call = w->launch[from->work], op = (uint32_t)(a->op + from->op);
	job_kernel k = { .op = op, .leads = from->leads,
		.start = w->start[from->work], .end = w->end[from->work],
		.stream = (uint32_t)a->stream + w->stream[from->work],
		.launch = call == NONE ? TRACE_UNKNOWN : t->calls.start[call],
		.name = job_name_of(a, work_name(w, from->work)), .last = NONE };
	job_op *o = &a->j->ops.v[op];

	if (k.leads)
		o->card = a->card[from->lane];
	o->start = ns_min(o->start, k.start);
	o->end = ns_max(o->end, k.end);
	a->j->kernels.v[a->kernel + i] = k;
}

static void job_add_ops(job *j, const trace *t, const nccl_ops *ops, uint32_t first_proc, const char *const *cards)
{
	size_t names = t->names.n;
	job_ctx a = { j, t, ops, first_proc, mem_new(uint32_t, t->nlanes), names, mem_none(uint32_t, names),
		mem_new(bool, names), j->ops.n, j->kernels.n, j->messages.n, j->streams.n };

	for (size_t i = 0; i < t->nlanes; i++)
		a.card[i] = cards[i] ? str_id(&j->names, cards[i], strlen(cards[i])) : STR_NONE;
	for (size_t i = 0; i < t->nstreams; i++)
		vec_push(&j->streams, t->streams[i]);
	vec_reserve(&j->ops, j->ops.n + ops->n);
	vec_reserve(&j->kernels, j->kernels.n + ops->kernels.n);
	vec_reserve(&j->messages, j->messages.n + ops->messages.n);
	job_mark_names(&a);
	job_add_names(&a);
	for (size_t i = 0; i < ops->n; i++)
		job_add_op(&a, i);
	for (size_t i = 0; i < ops->kernels.n; i++)
		job_add_kernel(&a, i);
	job_add_comms(&a);
	j->ops.n += ops->n;
	j->kernels.n += ops->kernels.n;
	j->messages.n += ops->messages.n;
	for (size_t i = 0; i < ops->creations.n; i++) {
		nccl_creation c = ops->creations.v[i];
		c.proc += first_proc;
		vec_push(&j->creations, c);
	}
	mem_free(a.card, a.name, a.needs_all);
}

size_t job_find(const job *j, const trace *t)
{
	for (size_t i = 0; i < j->traces.n; i++)
		if (strcmp(j->traces.v[i].path, t->path) == 0)
			return i;
	return SIZE_MAX;
}

static size_t job_add_trace(job *j, trace *t, const nccl_ops *ops)
{
	session s = { 0 };
	uint32_t first_proc = (uint32_t)j->procs.n;
	const char **card = session_read(t, &s) ? gpu_cards_list_names(t, s.host, &j->texts) : NULL;

	if (!card)
		return SIZE_MAX;
	vec_push(&j->traces, (job_trace){ .path = arena_copy(&j->texts, t->path), .has_utc = s.has_utc,
		 .utc = s.utc, .host = arena_copy(&j->texts, s.host), .first = j->kernels.n,
		 .first_proc = first_proc });
	job_add_procs(j, t, (uint32_t)j->traces.n - 1);
	job_add_ops(j, t, ops, first_proc, card);
	free(card);
	return j->traces.n - 1;
}

size_t job_add(job *j, trace *t, notes *say)
{
	const nccl_ops *ops = nccl_ops_of(t);
	size_t at;

	nccl_ops_remark_on_payloads(t, say);
	pthread_mutex_lock(&j->changing);
	at = job_find(j, t);
	if (at == SIZE_MAX && !j->matched)
		at = job_add_trace(j, t, ops);
	pthread_mutex_unlock(&j->changing);
	return at;
}

uint32_t *job_list_kernels(const job *j, size_t at, trace *t)
{
	const nccl_ops *ops = nccl_ops_of(t);
	uint32_t *kernel = mem_none(uint32_t, t->work.n);

	for (size_t i = 0; i < ops->kernels.n; i++)
		kernel[ops->kernels.v[i].work] = (uint32_t)(j->traces.v[at].first + i);
	return kernel;
}

int64_t job_ranks(const job *j, uint32_t comm)
{
	const job_comm *c = &j->comms.v[comm];

	return c->size == TRACE_UNKNOWN ? (int64_t)c->n : c->size;
}

int64_t job_on_clock(const job *j, uint32_t op, int64_t moment)
{
	return ns_add(moment, j->traces.v[j->procs.v[j->ops.v[op].proc].trace].shift);
}

int64_t job_arrival(const job *j, uint32_t op)
{
	return job_on_clock(j, op, j->ops.v[op].start);
}

job_item job_item_of(const job *j, uint32_t op)
{
	const job_op *o = &j->ops.v[op];

	return (job_item){ op, o->name, o->bytes, o->start, o->end, o->needs_all, o->mixed };
}
