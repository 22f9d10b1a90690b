#include "capture/manifest.h"
#include "base/whole_file.h"
#include "table/format.h"

static void key(FILE *f, const char *name, bool first)
{
	fprintf(f, "%s\"%s\": ", first ? "" : ",\n ", name);
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

static void texts(FILE *f, const text_list *list)
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

static void around(FILE *f, const manifest *m)
{
	const surroundings *s = m->around;

	key(f, "versions", false);
	fputc('{', f);
	member(f, 0, "nsys", m->nsys);
	member(f, 1, "ncu", m->ncu);
	member(f, 2, "driver", s->driver);
	member(f, 3, "cuda", s->cuda);
	fputc('}', f);
	key(f, "gpus", false);
	for (size_t i = 0; i < s->gpus.n; i++) {
		fputs(i ? ", {" : "[{", f);
		member(f, 0, "name", s->gpus.v[i].name);
		fputs(", \"clock_mhz\": ", f);
		number(f, s->gpus.v[i].clock_mhz, s->gpus.v[i].clock_mhz);
		fputs(", \"memory_mhz\": ", f);
		number(f, s->gpus.v[i].memory_mhz, s->gpus.v[i].memory_mhz);
		fputc('}', f);
	}
	fputs(s->gpus.n ? "]" : "[]", f);
	key(f, "git", false);
	if (s->revision) {
		fputc('{', f);
		member(f, 0, "revision", s->revision);
		fprintf(f, ", \"dirty\": %s}", s->dirty ? "true" : "false");
	} else {
		text(f, NULL);
	}
	key(f, "environment", false);
	fputc('{', f);
	for (size_t i = 0; i < s->environment.n; i++)
		member(f, i, s->environment.v[i].name, s->environment.v[i].value);
	fputc('}', f);
}

static void caught(FILE *f, const manifest *m)
{
	key(f, "flags", false);
	texts(f, m->flags);
	key(f, "traces", false);
	fputc('[', f);
	for (size_t i = 0; i < m->traces.n; i++) {
		fputs(i ? ", {" : "{", f);
		member(f, 0, "file", m->traces.v[i].file);
		fprintf(f, ", \"bytes\": %lld, \"exit_code\": %d}", (long long)m->traces.v[i].bytes,
			m->traces.v[i].exit_code);
	}
	fputc(']', f);
	key(f, "ncu", false);
	fputs(m->ncu_json ? m->ncu_json : "null", f);
}

static void write_all(FILE *f, const manifest *m)
{
	fputc('{', f);
	key(f, "nsq", true);
	text(f, NSQ_VERSION);
	key(f, "command", false);
	texts(f, m->command);
	key(f, "folder", false);
	text(f, m->around->folder);
	key(f, "started", false);
	moment(f, m->started);
	key(f, "ended", false);
	moment(f, m->ended);
	key(f, "exit_code", false);
	number(f, true, m->exit_code);
	key(f, "signal", false);
	number(f, m->signal, m->signal);
	around(f, m);
	caught(f, m);
	key(f, "baseline_s", false);
	seconds(f, m->baseline_s);
	key(f, "wall_s", false);
	seconds(f, m->wall_s);
	key(f, "steps", false);
	text(f, m->steps);
	key(f, "parameters", false);
	fputc('{', f);
	for (size_t i = 0; i < m->parameters.n; i++)
		member(f, i, m->parameters.v[i].name, m->parameters.v[i].value);
	fputc('}', f);
	key(f, "rank", false);
	number(f, m->rank >= 0, m->rank);
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
