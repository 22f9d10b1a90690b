/*
 * user_folder - the folders of a user that programs keep their things in (the XDG Base Directory Specification).
 *
 *     arena texts = { 0 };
 *     const char *state = user_folder(&texts, "XDG_STATE_HOME", ".local/state");
 *     puts(state ? state : "there is none");     // /home/me/.local/state/nsq
 *     if (state)
 *         user_folder_make(&texts, arena_printf(&texts, "%s/bookmarks", state));
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* The folder nsq in the one that the variable names or, without it, in that one of the user's home.  NULL if neither is
 * an absolute path. */
const char *user_folder(arena *a, const char *variable, const char *usual);

/* Create the folders that lead to a file, as far as they are missing and can be. */
void user_folder_make(arena *a, const char *file);
