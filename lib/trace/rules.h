/*
 * rules - maps names to labels: the first rule that matches a name gives its label.
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
 * of other tools: {"label": ["substring", ...]}, or {"engine": {"model": {"regex": "label"}}}.
 * FILE:engine:model selects one model of the last form.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"

typedef struct rules rules;

/* Load rules.  `spec` is the name of built-in rules, a file, or FILE:engine:model.  NULL after a problem. */
rules *rules_load(const char *spec, notes *say);
rules *rules_load_any_case(const char *spec, notes *say);      /* the same, but matches upper and lower case alike */
void rules_free(rules *r);     /* NULL is allowed */

/* The name or the file of the rules, in quotes, for messages. */
const char *rules_source(const rules *r);

/* The regular expression of the first rule that took too long to match some name; NULL: there is no such rule.  Such a
 * match counts as no match, except in the rules that hide secrets (secrets, private), where it counts as a match. */
const char *rules_gave_up(const rules *r);

/* The label of rule i (from 0), as written; NULL after the last rule.  Several rules may have the same label.  Built-in
 * rules always give NULL, because most of their labels are for programs other than the user's. */
const char *rules_own_label(const rules *r, size_t i);

/* The label of a name, added to the pool; STR_NONE if no rule matches or the name is NULL.  Several threads may use the
 * same rules, each with its own pool. */
uint32_t rules_label(const rules *r, const char *name, str_pool *to);

/* The label of work with this name.  Rules in JSON match copies and memsets by the names in nsys's reports.  The
 * built-in rules llm, and those that add to them, are overruled by `comm` (is the work communication?).  If it is true,
 * a label other than comm and nccl becomes comm; if it is false, comm and nccl become STR_NONE. */
uint32_t rules_label_work(const rules *r, const char *name, bool comm, str_pool *to);

/* The label of the first rule that matches a name, as written, without its groups filled in; NULL: no rule matches, or
 * the name is NULL. */
const char *rules_match(const rules *r, const char *name);

/* The files of share/rules, compiled in: name, text, name, text, ..., NULL. */
extern const char *const rules_builtin[];
