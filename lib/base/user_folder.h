/*
 * user_folder - the folders in which programs keep a user's files (the XDG Base Directory Specification).
 *
 *     arena texts = { 0 };
 *     const char *state = user_folder(&texts, "XDG_STATE_HOME", ".local/state");
 *     puts(state ? state : "there is none");     // /home/me/.local/state/nsq
 *     if (state)
 *         user_folder_make_parents(&texts, arena_printf(&texts, "%s/bookmarks", state));
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* $VARIABLE/nsq, if the environment variable is an absolute path; otherwise $HOME/USUAL/nsq.  NULL: HOME is no absolute
 * path either. */
const char *user_folder(arena *a, const char *variable, const char *usual);

/* Create the missing folders of a file's path, as far as possible. */
void user_folder_make_parents(arena *a, const char *file);
