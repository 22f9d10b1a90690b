#include "base/user_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *user_folder(arena *a, const char *variable, const char *usual)
{
	const char *xdg = getenv(variable), *home = getenv("HOME");

	return xdg && *xdg == '/' ? arena_printf(a, "%s/nsq", xdg) :
		home && *home == '/' ? arena_printf(a, "%s/%s/nsq", home, usual) : NULL;
}

void user_folder_make_parents(arena *a, const char *file)
{
	for (const char *p = strchr(file + 1, '/'); p; p = strchr(p + 1, '/'))
		mkdir(arena_text(a, file, (size_t)(p - file)), 0700);
}
