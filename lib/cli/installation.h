/*
 * installation - where this installation keeps its tools, recipes and documents.
 *
 *     installation_find();                       // once, before the others
 *     installation_names all = installation_tools();     // setup window streams and so on
 *     const char *path = installation_tool("setup");     // of nsq-setup, NULL if there is none
 *     const char *page = installation_shared("SKILL.md", "share/SKILL.md");
 *     printf("%zu %s %s\n", all.n, path, page);
 *     vec_free(&all);
 */
#ifndef INSTALLATION_H
#define INSTALLATION_H

#include "base/memory.h"

#include <stdbool.h>

typedef vec(const char *) installation_names;

void installation_find(void);
void installation_on_path(void);        /* put its tools first on PATH */
bool installation_is_file(const char *path, int mode);          /* mode as in access(2) */

/* A tool beside this executable, or on PATH. */
const char *installation_tool(const char *name);

/* The tools in the first directory that has any, in the order in which people ask; others follow by name. */
installation_names installation_tools(void);

/* A file of the installation, or of the source tree that this was built in; NULL: there is none. */
const char *installation_shared(const char *installed, const char *source);

/* The recipes: the executable files, since their expected output and other files are not executable. */
const char *installation_recipe_dir(void);
installation_names installation_recipes(void);

/* The folders of a user's own findings, separated by colons: NSQ_FINDINGS, and nsq/findings in XDG_DATA_HOME.
 * NULL: none. */
const char *installation_findings(void);

#endif
