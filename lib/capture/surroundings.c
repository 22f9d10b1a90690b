#include "capture/manifest.h"
#include "base/child.h"
#include "capture/secrets.h"

#include <string.h>

extern char **environ;

/* A copy of the text without a line break at its end; NULL if the text is NULL. */
static const char *surroundings_trim(arena *to, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	return text ? arena_text(to, text, n - (n && text[n - 1] == '\n')) : NULL;
}

#define OUTPUT_OF(to, ...) surroundings_trim((to), CHILD_OUTPUT_IF_OK((to), __VA_ARGS__))

/* Read a field of a line of nvidia-smi, and move *at to the next field.  A comma or the end of the line ends it. */
static const char *surroundings_read_field(const char **at, arena *to)
{
	size_t n = strcspn(*at, ",\n");
	const char *found = arena_text(to, *at, n);

	*at += n;
	*at += *at[0] == ',';
	*at += strspn(*at, " ");
	return found;
}

static void surroundings_read_gpus(surroundings *s)
{
	const char *at = OUTPUT_OF(&s->texts, "nvidia-smi", "--format=csv,noheader,nounits",
				"--query-gpu=driver_version,clocks.max.sm,clocks.max.memory,name"), *cuda;

	while (at && *at) {
		const char *driver = surroundings_read_field(&at, &s->texts),
			   *clock = surroundings_read_field(&at, &s->texts);
		const char *memory = surroundings_read_field(&at, &s->texts),
			   *name = arena_text(&s->texts, at, strcspn(at, "\n"));
		s->driver = driver;
		vec_push(&s->gpus, (surroundings_gpu){ name, atoll(clock), atoll(memory) });
		at += strlen(name);
		at += *at == '\n';
	}
	cuda = s->driver ? OUTPUT_OF(&s->texts, "nvidia-smi", "--version") : NULL;
	if (s->driver && !cuda)                 /* older drivers print the version only with -q, which takes longer */
		cuda = OUTPUT_OF(&s->texts, "nvidia-smi", "-q");
	cuda = cuda ? strstr(cuda, "CUDA Version") : NULL;
	cuda = cuda ? strchr(cuda, ':') : NULL;
	if (cuda) {
		cuda += 1 + strspn(cuda + 1, " ");
		s->cuda = *cuda ? arena_text(&s->texts, cuda, strcspn(cuda, " \n")) : NULL;
	}
}

static void surroundings_read_commit(surroundings *s)
{
	const char *changes;

	s->revision = OUTPUT_OF(&s->texts, "git", "rev-parse", "--verify", "--quiet", "HEAD");
	changes = s->revision ? OUTPUT_OF(&s->texts, "git", "status", "--porcelain", "--untracked-files=no") : NULL;
	s->dirty = changes && *changes;
}

static int surroundings_compare_names(const void *a, const void *b)
{
	return strcmp(((const named_value *)a)->name, ((const named_value *)b)->name);
}

static bool surroundings_read_environment(surroundings *s, notes *say)
{
	rules *kept = rules_load("environment", say), *known = secrets_load(say);

	for (char **e = environ; kept && known && *e; e++)
		if (rules_match(kept, *e) && !secrets_in(known, *e)) {
			size_t n = strcspn(*e, "=");
			vec_push(&s->environment, (named_value){ arena_text(&s->texts, *e, n),
				arena_copy(&s->texts, *e + n + 1) });
		}
	if (s->environment.n)
		qsort(s->environment.v, s->environment.n, sizeof *s->environment.v, surroundings_compare_names);
	rules_free(kept);
	rules_free(known);
	return kept && known;
}

bool surroundings_read(surroundings *to, notes *say)
{
	char *here = getcwd(NULL, 0);

	to->folder = here ? arena_copy(&to->texts, here) : "";
	free(here);
	surroundings_read_gpus(to);
	surroundings_read_commit(to);
	return surroundings_read_environment(to, say);
}

void surroundings_free(surroundings *s)
{
	mem_free(s->gpus.v, s->environment.v);
	arena_free(&s->texts);
}
