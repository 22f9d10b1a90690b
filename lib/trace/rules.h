/*
 * rules - map names to labels: the first rule that matches wins.
 *
 *     str_pool names = { 0 };
 *     notes say = { 0 };
 *     rules *stages = rules_load("stages", &say);        // built in, or a file; NULL: say has the problem
 *     if (stages)
 *         puts(str_at(&names, rules_label(stages, "layer07.stage2_f", &names)));   // "stage2_f"
 *     rules_free(stages);
 *     str_free(&names);
 *     notes_free(&say);
 *
 * A file has lines of REGEX<TAB>LABEL (PCRE2; \1..\9 in the label are groups; # starts a comment), or the JSON
 * of other tools: {"label": ["substring", ...]}, or {"engine": {"model": {"regex": "label"}}}, of which
 * FILE:engine:model selects one model.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"

typedef struct rules rules;

/* NULL after a problem. */
rules *rules_load(const char *spec, notes *say);
rules *rules_load_any_case(const char *spec, notes *say);      /* upper and lower case are the same */
void rules_free(rules *r);     /* NULL is allowed */

/* What messages call them: the name or file that they were loaded from, quoted. */
const char *rules_source(const rules *r);

/* The expression of the first rule that took too long for a name and so did not match it; NULL: there is none. */
const char *rules_gave_up(const rules *r);

/* The labels of one's own rules, one after the other, as they are written and perhaps several times; NULL
 * after the last.  Of built-in ones, none: they know names that few programs have. */
const char *rules_own_label(const rules *r, size_t i);

/* The label of a name, added to the pool; STR_NONE if no rule matches or the name is NULL.  Several
 * threads may use the same rules, each with a pool of its own. */
uint32_t rules_label(const rules *r, const char *name, str_pool *to);

/* The same for the name of work: rules in JSON know copies and sets by the names that nsys's reports give them, and the
 * built-in categories (llm) take that for communication which every tool does. */
uint32_t rules_label_work(const rules *r, const char *name, bool comm, str_pool *to);

/* The label as the rule that matches has it, NULL if none does. */
const char *rules_match(const rules *r, const char *name);

/* The files of share/rules, compiled in: name, text, name, text, ..., NULL. */
extern const char *const rules_builtin[];
