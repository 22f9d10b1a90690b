/*
 * installation - where this installation keeps its recipes and documents.
 *
 *     installation_find();                       // once, before the others
 *     installation_recipe_list all = installation_recipes();
 *     const char *page = installation_shared("SKILL.md");
 *     printf("%zu %s\n", all.n, page);
 *     vec_free(&all);
 */
#pragma once

#include "base/text.h"

/* Find the folder of this executable. */
void installation_find(void);

/* Put the tools of this installation first on PATH. */
void installation_put_on_path(void);

/* Is there a plain file at the path that may be accessed in this mode (access(2))? */
bool installation_is_file(const char *path, int mode);

/* The path of a file in share/, in the installation or in the source tree of this build; NULL: there is none. */
const char *installation_shared(const char *file);

typedef struct {
	const char *name, *path;
	bool own;                       /* is it the user's own? */
	bool hides;                     /* is it the user's own, and does it have the name of a recipe that comes with
					 * nsq? */
} installation_recipe;

typedef vec(installation_recipe) installation_recipe_list;

/* Is it a valid name of a recipe?  A name consists of letters, digits and -_.+ and does not begin with - or ., nor end
 * in .out. */
bool installation_is_recipe_name(const char *name);

/* The recipes, sorted by name: the executable files in the user's own folders and in the one that comes with nsq.  If
 * several have the same name, the first folder wins. */
installation_recipe_list installation_recipes(void);
/* The recipe with this name; NULL: there is none. */
installation_recipe *installation_recipe_named(const installation_recipe_list *all, const char *name);

/* The folder of recipes that comes with nsq; exits if it is missing. */
const char *installation_shipped_recipe_folder(void);

/* The user's own folders of recipes, which may not exist: those of NSQ_RECIPES, then nsq/recipes in XDG_DATA_HOME.
 * There are none if only some folders may be read (folders_limited). */
text_list installation_own_recipe_folders(void);

/* The folders of a user's own findings (answer/findings.h), separated by colons: nsq/findings in XDG_DATA_HOME, then
 * those of NSQ_FINDINGS.  NULL: none. */
const char *installation_own_finding_folders(void);
