#include "picture/report_parts.h"
#include "base/glossary.h"
#include "base/text.h"

#include <string.h>

typedef struct {
	report *r;
	FILE *section;          /* the current section: a heading and the text below it, or a line of HTML */
	char *text;             /* the memory of `section` */
	size_t n;               /* the length of `text` */
	bool filled;            /* the section has content, so it is kept */
	vec(char) out;          /* the sections that are kept */
} report_template_ctx;

static void report_template_begin_section(report_template_ctx *f)
{
	f->filled = false;
	f->section = text_open(&f->text, &f->n);
}

/* Add the section to `out` if it has content.  Of several empty lines in a row, only one is kept. */
static void report_template_end_section(report_template_ctx *f)
{
	text_close(f->section);
	for (size_t i = 0; f->filled && i < f->n; i++) {
		size_t n = f->out.n;
		if (f->text[i] == '\n' && (!n || (n > 1 && f->out.v[n - 1] == '\n' && f->out.v[n - 2] == '\n')))
			continue;
		vec_push(&f->out, f->text[i]);
	}
	free(f->text);
}

/* Write a line of the template to the section, with its words filled in.  Only what is written for a word counts as
 * content. */
static void report_template_fill_line(report_template_ctx *f, const char *line, size_t n)
{
	const char *stop = line + n, *open;
	long before;

	while ((open = strstr(line, "{{")) && open < stop) {
		size_t name = strcspn(open + 2, "}");
		fwrite(line, 1, (size_t)(open - line), f->section);
		before = ftell(f->section);
		report_write_word(f->r, open + 2, name, f->section);
		f->filled |= ftell(f->section) > before;
		line = open + 2 + name + 2;
	}
	fwrite(line, 1, (size_t)(stop - line), f->section);
	fputc('\n', f->section);
}

/* Replace a block by its table or, if it names no command, by nothing.  Returns the end of the block.  *part: the
 * index of the block's part; it becomes that of the next one. */
static const char *report_template_fill_block(report_template_ctx *f, const char *at, size_t *part)
{
	long before = ftell(f->section);

	if (strncmp(at, "```nsq-", 7) == 0) {
		report_write_table(f->r, &f->r->parts.v[(*part)++], f->section);
		f->filled |= ftell(f->section) > before;
	}
	return strchr(strstr(at, "\n```\n") + 1, '\n');
}

void report_md(report *r, FILE *to)
{
	report_template_ctx f = { .r = r };
	size_t part = 0, n;

	report_template_begin_section(&f);
	for (const char *at = text_find_builtin(report_builtin, "template"); *at; at++) {
		n = strcspn(at, "\n");
		if (*at == '#' || *at == '<') {
			report_template_end_section(&f);
			report_template_begin_section(&f);
		}
		if (strncmp(at, "```", 3) == 0) {
			at = report_template_fill_block(&f, at, &part);
			continue;
		}
		f.filled |= *at == '<';
		report_template_fill_line(&f, at, n);
		at += n;
		if (f.filled && at[-1] == '>') {
			fputc('\n', f.section);
			report_template_end_section(&f);
			report_template_begin_section(&f);
		}
	}
	report_template_end_section(&f);
	while (f.out.n > 1 && f.out.v[f.out.n - 2] == '\n')
		f.out.n--;
	fwrite(f.out.v, 1, f.out.n, to);
	vec_free(&f.out);
}

const char *report_meaning(const char *word)
{
	const glossary_word *w = glossary_find("owner", word);

	return w ? w->meaning : NULL;
}
