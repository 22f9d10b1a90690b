/*
 * mcp_json - messages of JSON taken apart, by SQLite.
 *
 *     mcp_json *j = mcp_json_new();
 *     arena texts = { 0 };
 *     mcp_members m = mcp_json_members(j, "{\"id\":7,\"method\":\"ping\"}", "$", &texts);
 *     puts(mcp_json_text(&m, "method"));         // ping
 *     vec_free(&m);
 *     arena_free(&texts);
 *     mcp_json_free(j);
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>

typedef struct mcp_json mcp_json;

typedef struct {
	const char *key, *type;         /* the type in SQLite's words: text integer real true false null array object */
	const char *text;               /* of a text what it says, of others how it is written */
} mcp_member;

typedef vec(mcp_member) mcp_members;

mcp_json *mcp_json_new(void);
void mcp_json_free(mcp_json *j);

/* Why it is no message: no JSON, no UTF-8, or it holds a NUL; NULL: it is one. */
const char *mcp_json_wrong(const char *json, mcp_json *j);

/* What the object or array at the path has; nothing if there is none.  vec_free it. */
mcp_members mcp_json_members(mcp_json *j, const char *json, const char *path, arena *texts);

/* The first member with the key; NULL: there is none.  The second is the text of one that is a text. */
const mcp_member *mcp_json_find(const mcp_members *m, const char *key);
const char *mcp_json_text(const mcp_members *m, const char *key);
