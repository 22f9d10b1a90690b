#include "capture/manifest.h"
#include "base/whole_file.h"
#include "table/format.h"

/* The next member; its value follows. */
static FILE *key(FILE *f, const char *name)
{
	fprintf(f, ",\n \"%s\": ", name);
	return f;
}

static void text(FILE *f, const char *s)
{
	if (s)
		format_json(f, s);
	else
		fputs("null", f);
}

static void number(FILE *f, bool known, int64_t n)
{
	if (known)
		fprintf(f, "%lld", (long long)n);
	else
		fputs("null", f);
}

static void seconds(FILE *f, double s)
{
	if (s > 0)
		fprintf(f, "%.6f", s);
	else
		fputs("null", f);
}

static void moment(FILE *f, time_t at)
{
	struct tm utc;
	char buf[32];

	gmtime_r(&at, &utc);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &utc);
	text(f, buf);
}

void manifest_texts(FILE *f, const text_list *list)
{
	fputc('[', f);
	for (size_t i = 0; i < list->n; i++) {
		fputs(i ? ", " : "", f);
		text(f, list->v[i]);
	}
	fputc(']', f);
}

static void member(FILE *f, size_t i, const char *name, const char *value)
{
	fputs(i ? ", " : "", f);
	text(f, name);
	fputs(": ", f);
	text(f, value);
}

static void object(FILE *f, const named_value *v, size_t n)
{
	fputc('{', f);
	for (size_t i = 0; i < n; i++)
		member(f, i, v[i].name, v[i].value);
	fputc('}', f);
}

static void around(FILE *f, const manifest *m)
{
	const surroundings *s = m->around;
	const named_value versions[] = { { "nsys", m->nsys }, { "ncu", m->ncu }, { "driver", s->driver },
		{ "cuda", s->cuda } };

	object(key(f, "versions"), versions, sizeof versions / sizeof *versions);
	fputc('[', key(f, "gpus"));
	for (size_t i = 0; i < s->gpus.n; i++) {
		fputs(i ? ", {" : "{", f);
		member(f, 0, "name", s->gpus.v[i].name);
		fputs(", \"clock_mhz\": ", f);
		number(f, s->gpus.v[i].clock_mhz, s->gpus.v[i].clock_mhz);
		fputs(", \"memory_mhz\": ", f);
		number(f, s->gpus.v[i].memory_mhz, s->gpus.v[i].memory_mhz);
		fputc('}', f);
	}
	fputc(']', f);
	fputs(s->revision ? "{" : "null", key(f, "git"));
	if (s->revision) {
		member(f, 0, "revision", s->revision);
		fprintf(f, ", \"dirty\": %s}", s->dirty ? "true" : "false");
	}
	object(key(f, "environment"), s->environment.v, s->environment.n);
}

static void caught(FILE *f, const manifest *m)
{
	manifest_texts(key(f, "flags"), m->flags);
	fputc('[', key(f, "traces"));
	for (size_t i = 0; i < m->traces.n; i++) {
		fputs(i ? ", {" : "{", f);
		member(f, 0, "file", m->traces.v[i].file);
		fprintf(f, ", \"bytes\": %lld, \"exit_code\": %d}", (long long)m->traces.v[i].bytes,
			m->traces.v[i].exit_code);
	}
	fputc(']', f);
	fputs(m->ncu_json ? m->ncu_json : "null", key(f, "ncu"));
}

static void write_all(FILE *f, const manifest *m)
{
	fputs("{\"nsq\": ", f);
	text(f, NSQ_VERSION);
	manifest_texts(key(f, "command"), m->command);
	text(key(f, "folder"), m->around->folder);
	moment(key(f, "started"), m->started);
	moment(key(f, "ended"), m->ended);
	number(key(f, "exit_code"), true, m->exit_code);
	number(key(f, "signal"), m->signal, m->signal);
	around(f, m);
	caught(f, m);
	seconds(key(f, "baseline_s"), m->baseline_s);
	seconds(key(f, "wall_s"), m->wall_s);
	text(key(f, "steps"), m->steps);
	object(key(f, "parameters"), m->parameters->v, m->parameters->n);
	number(key(f, "rank"), m->rank >= 0, m->rank);
	fputs("}\n", f);
}

bool manifest_write(const manifest *m, const char *path, notes *say)
{
	whole_file w;

	if (!whole_begin(&w, path, true, say))
		return false;
	write_all(w.to, m);
	return whole_end(&w);
}
