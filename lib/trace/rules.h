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
 * of other tools: {"label": ["substring", ...]}, or {"engine": {"model": {"regex": "label"}}}.
 * FILE:engine:model selects one model of the last form.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"

typedef struct rules rules;

/* Load built-in rules by their name, or a file.  NULL after a problem. */
rules *rules_load(const char *spec, notes *say);
rules *rules_load_any_case(const char *spec, notes *say);      /* the same, but matches upper and lower case alike */
void rules_free(rules *r);     /* NULL is allowed */

/* The name or file that the rules were loaded from, quoted, for messages. */
const char *rules_source(const rules *r);

/* The expression of the first rule that took too long for some name, and therefore did not match it (rules that hide
 * secrets do match then); NULL if none did. */
const char *rules_gave_up(const rules *r);

/* The labels of a user's own rules, by index: as written, with repetitions; NULL after the last.  Built-in rules give
 * none, because most of their labels are for programs other than the user's. */
const char *rules_own_label(const rules *r, size_t i);

/* The label of a name, added to the pool; STR_NONE if no rule matches or the name is NULL.  Several threads may use the
 * same rules, each with its own pool. */
uint32_t rules_label(const rules *r, const char *name, str_pool *to);

/* The label of work by its name.  Rules in JSON match copies and sets by the names that nsys's reports give them.  For
 * the built-in categories (llm), `comm` decides what communication is, as it does for every tool. */
uint32_t rules_label_work(const rules *r, const char *name, bool comm, str_pool *to);

/* The label as written in the matching rule, with its groups not filled in; NULL: no rule matches. */
const char *rules_match(const rules *r, const char *name);

/* The files of share/rules, compiled in: name, text, name, text, ..., NULL. */
extern const char *const rules_builtin[];
