#include "capture/manifest.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "base/whole_file.h"

#include <string.h>
#include <sys/stat.h>

/* Write a number, or null if it is not known. */
static void manifest_write_number(json_writer *j, const char *name, bool known, int64_t n)
{
	if (known)
		json_int(j, name, n);
	else
		json_text(j, name, NULL);
}

static void manifest_write_seconds(json_writer *j, const char *name, double s)
{
	if (s > 0)
		fprintf(json_value(j, name), "%.6f", s);
	else
		json_text(j, name, NULL);
}

static void manifest_write_moment(json_writer *j, const char *name, time_t at)
{
	struct tm utc;
	char buf[32];

	gmtime_r(&at, &utc);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_text(j, name, buf);
}

void manifest_write_texts(json_writer *j, const char *name, const text_list *list)
{
	json_open(j, name, '[');
	for (size_t i = 0; i < list->n; i++)
		json_text(j, NULL, list->v[i]);
	json_close(j, ']');
}

static void manifest_write_object(json_writer *j, const char *name, const named_value *v, size_t n)
{
	json_begin_line(j);
	json_open(j, name, '{');
	for (size_t i = 0; i < n; i++)
		json_text(j, v[i].name, v[i].value);
	json_close(j, '}');
}

static void manifest_write_surroundings(json_writer *j, const manifest *m)
{
	const surroundings *s = m->around;
	const named_value versions[] = { { "nsys", m->nsys }, { "ncu", m->ncu }, { "driver", s->driver },
		{ "cuda", s->cuda } };

	manifest_write_object(j, "versions", versions, sizeof versions / sizeof *versions);
	json_begin_line(j);
	json_open(j, "gpus", '[');
	for (size_t i = 0; i < s->gpus.n; i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", s->gpus.v[i].name);
		manifest_write_number(j, "clock_mhz", s->gpus.v[i].clock_mhz, s->gpus.v[i].clock_mhz);
		manifest_write_number(j, "memory_mhz", s->gpus.v[i].memory_mhz, s->gpus.v[i].memory_mhz);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_begin_line(j);
	if (s->revision) {
		json_open(j, "git", '{');
		json_text(j, "revision", s->revision);
		json_bool(j, "dirty", s->dirty);
		json_close(j, '}');
	} else {
		json_text(j, "git", NULL);
	}
	manifest_write_object(j, "environment", s->environment.v, s->environment.n);
}

enum { MOST_DIGESTED = 64 << 20 };      /* bytes; a larger file, such as a checkpoint, gets no digest, because
					 * that would take long */

/* If a word of the command, or the text after its first =, is the name of a file, write the name, size and digest of
 * the file. */
static void manifest_write_input(json_writer *j, const char *word)
{
	const char *equals = strchr(word, '='), *file = folders_stat(word, NULL) == 0 || !equals ? word : equals + 1;
	char digest[SHA256_TEXT], *text = NULL;
	struct stat st;
	size_t n;

	if (folders_stat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	if (st.st_size <= MOST_DIGESTED)
		text = folders_text(file, &n);
	json_open(j, NULL, '{');
	json_text(j, "file", file);
	json_int(j, "bytes", st.st_size);
	json_text(j, "sha256", text ? sha256(text, n, digest) : NULL);
	json_close(j, '}');
	free(text);
}

static void manifest_write_inputs(json_writer *j, const text_list *command)
{
	json_begin_line(j);
	json_open(j, "inputs", '[');
	for (size_t i = 0; i < command->n; i++)
		manifest_write_input(j, command->v[i]);
	json_close(j, ']');
}

static void manifest_write_captured(json_writer *j, const manifest *m)
{
	json_begin_line(j);
	manifest_write_texts(j, "flags", m->flags);
	json_begin_line(j);
	json_open(j, "traces", '[');
	for (size_t i = 0; i < m->traces.n; i++) {
		json_open(j, NULL, '{');
		json_text(j, "file", m->traces.v[i].file);
		json_int(j, "bytes", m->traces.v[i].bytes);
		json_int(j, "exit_code", m->traces.v[i].exit_code);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_begin_line(j);
	fputs(m->ncu_json ? m->ncu_json : "null", json_value(j, "ncu"));
}

static void manifest_write_all(json_writer *j, const manifest *m)
{
	json_open(j, NULL, '{');
	json_text(j, "nsq", NSQ_VERSION);       /* the first member: captures.c recognizes our manifests by it */
	json_begin_line(j);
	manifest_write_texts(j, "command", m->command);
	json_begin_line(j);
	json_text(j, "folder", m->around->folder);
	manifest_write_moment(j, "started", m->started);
	manifest_write_moment(j, "ended", m->ended);
	json_int(j, "exit_code", m->exit_code);
	manifest_write_number(j, "signal", m->signal, m->signal);
	manifest_write_surroundings(j, m);
	manifest_write_inputs(j, m->command);
	manifest_write_captured(j, m);
	json_begin_line(j);
	manifest_write_seconds(j, "baseline_s", m->baseline_s);
	manifest_write_seconds(j, "wall_s", m->wall_s);
	json_text(j, "steps", m->steps);
	manifest_write_object(j, "parameters", m->parameters->v, m->parameters->n);
	manifest_write_number(j, "rank", m->rank >= 0, m->rank);
	json_close(j, '}');
	fputc('\n', j->to);
}

bool manifest_write(const manifest *m, const char *path, notes *say)
{
	whole_file w;

	if (!whole_begin(&w, path, true, say))
		return false;
	manifest_write_all(&(json_writer){ .to = w.to }, m);
	return whole_end(&w);
}
