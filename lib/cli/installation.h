/*
 * home - where this installation keeps its tools, recipes and documents.
 *
 *     home_find();                               // once, before the others
 *     home_names all = home_tools();             // setup window streams ...
 *     home_tool("setup");                        // the path of nsq-setup, NULL if there is none
 *     home_shared("SKILL.md", "share/SKILL.md"); // a document, installed or in the source tree
 */
#ifndef HOME_H
#define HOME_H

#include "base/memory.h"

#include <stdbool.h>

typedef vec(const char *) home_names;

void home_find(void);
void home_on_path(void);        /* its tools come first there */
bool home_is_file(const char *path, int mode);          /* mode: as of access(2) */

/* A tool beside this executable, or on PATH. */
const char *home_tool(const char *name);

/* The tools of the installation, those of the first directory that has any, in the order in which one
 * asks; others follow by name. */
home_names home_tools(void);

/* A file of the installation, or of the source tree that this was built in; NULL: there is none. */
const char *home_shared(const char *installed, const char *source);

/* The recipes: executable files, as their expected output and other files are not. */
const char *home_recipe_dir(void);
home_names home_recipes(void);

#endif
