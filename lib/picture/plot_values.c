#include "picture/plot_values.h"

#include <string.h>

/* What a number says most of the time, best first. */
static const char *const telling_values[] = { "mfu_pct", "recover_ns", "delta", "period_ns", "period_p50_ns", "dur_ns", "idle_ns",
	"exposed_ns", "caused_ns", "gpu_ns", "dur_p50_ns", "total_ns", "elapsed_ns", "busy_ns", "run_ns", "cuda_ns", "os_ns", "peak_bytes",
	"queue_p50_ns", "value", "mean", "self_pct", "kernels", NULL };

/* Columns that add up to a whole, and those in whose presence they do not. */
static const struct { const char *names[6]; const char *unless[3]; } wholes[] = {
	{ { "compute_only_ns", "both_ns", "comm_only_ns", "copy_only_ns", "idle_ns" }, { NULL } },
	{ { "starved_ns", "blocked_ns", "stalled_ns", "unresolved_ns" }, { "dur_ns" } },
	{ { "hidden_ns", "exposed_ns" }, { "dur_ns" } },
	{ { "transfer_ns", "wait_ns" }, { "dur_ns" } },
	{ { "busy_ns", "idle_ns" }, { "cause", "nvtx" } },
};

bool plot_listed(const char *const *list, const char *name)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list;
}

bool plot_is_place(const char *name)
{
	return column_about_of(name)->role == COLUMN_PLACE || column_about_of(name)->is & COLUMN_HANDED_OUT;
}

bool plot_take_whole(const plot_look *c, plot_names *values)
{
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		bool all = true;
		for (size_t k = 0; wholes[i].names[k]; k++)
			all &= plot_is_number(c, wholes[i].names[k]);
		for (size_t k = 0; k < 3 && wholes[i].unless[k]; k++)
			all &= !plot_has(c, wholes[i].unless[k]);
		for (size_t k = 0; all && wholes[i].names[k]; k++)
			vec_push(values, wholes[i].names[k]);
		if (all)
			return true;
	}
	return false;
}

static const char *any_number(const plot_look *c, bool with_unit, bool places)
{
	const table *t = &c->in->tables[0].table.rows;

	for (size_t i = 0; i < t->cols.n; i++) {
		const char *name = t->cols.v[i].name;
		if (plot_is_number(c, name) && (!with_unit || t->cols.v[i].unit) && (places || !plot_is_place(name)) && !plot_used(c, name))
			return name;
	}
	return NULL;
}

const char *plot_best_number(const plot_look *c, bool adds)
{
	const char *found = NULL;

	for (size_t i = 0; telling_values[i] && !found; i++)
		if (plot_is_number(c, telling_values[i]) && !plot_used(c, telling_values[i]))
			found = telling_values[i];
	if (found && strcmp(found, "total_ns") == 0 && adds && plot_is_number(c, "elapsed_ns"))
		found = "elapsed_ns";           /* which adds up where kernels overlap */
	found = found ? found : any_number(c, true, false);
	found = found ? found : any_number(c, false, false);
	return found ? found : any_number(c, false, true);
}

bool plot_take_values(const plot_look *c, bool adds, plot_names *values)
{
	const char *found;

	for (const char *p = c->p->y; p; ) {
		size_t n = strcspn(p, ",");
		const char *name = arena_text(c->texts, p, n);
		if (!plot_check_number(c, "y", name))
			return false;
		vec_push(values, name);
		p = p[n] ? p + n + 1 : NULL;
	}
	if (values->n > 1 && c->p->color)
		return notes_problem(c->say, EXIT_WRONG, "--color has no effect with several columns in --y: each has its own color; drop it");
	if (values->n)
		return true;
	found = plot_best_number(c, adds);
	if (!found)
		return notes_problem(c->say, EXIT_WRONG, "%s has no column of numbers to draw", c->in->tables[0].table.name);
	vec_push(values, found);
	return true;
}
