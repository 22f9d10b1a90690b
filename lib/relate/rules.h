/*
 * rules - map names to labels, by the first rule that matches.
 *
 *     rules *r = rules_load("stages");           // built in, or a file; exits on mistakes
 *     rules_label(r, "layer07.stage2_f");        // "stage2_f", or NULL
 *
 * A file holds lines of REGEX<TAB>LABEL (POSIX extended; \1..\9 in the label
 * are groups; # begins a comment), or the JSON of other tools:
 * {"label": ["substring", ...]}, or {"engine": {"model": {"regex": "label"}}},
 * of which FILE:engine:model chooses one.
 */
#ifndef RULES_H
#define RULES_H

typedef struct rules rules;

rules *rules_load(const char *spec);
const char *rules_label(const rules *r, const char *name);

/* The files of share/rules, compiled in: name, text, name, text, ..., NULL. */
extern const char *const rules_builtin[];

#endif
