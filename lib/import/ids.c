#include "import/ids.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The most processes (also the most GPUs) and threads that are told apart.  Further processes count as the last one;
 * once there are that many threads or GPUs, every event counts for the last one. */
enum { PROCESSES = 1 << 10, THREADS = 1 << 16 };

#define FIRST_MADE ((int64_t)1 << 23)   /* the lowest made-up number */

/* The text of a value, and its length: what is between its quotes or, without quotes, what is before the next comma,
 * bracket or blank.  The text of NULL is empty. */
static const char *ids_read_text(const char *value, size_t *n)
{
	if (value && *value == '"') {
		*n = strcspn(value + 1, "\"");
		return value + 1;
	}
	*n = value ? strcspn(value, ",]} \t\r\n") : 0;
	return value ? value : "";
}

/* The number at the end of a text, if it is the whole text or follows a blank, such as 439 in "[TP00] 439"; -1: there
 * is none, or it is not below FIRST_MADE. */
static int64_t ids_read_number(const char *text, size_t n)
{
	int64_t value = 0, scale = 1;
	size_t digits = 0;

	while (digits < n && digits < 7 && isdigit((unsigned char)text[n - 1 - digits])) {
		value += scale * (text[n - 1 - digits] - '0');
		scale *= 10;
		digits++;
	}
	return digits && (digits == n || text[n - 1 - digits] == ' ') && value < FIRST_MADE ? value : -1;
}

/* The pid for a new process: `own`, or a made-up number if `own` is -1 or an earlier process has it. */
static int64_t ids_choose_pid(ids *all, int64_t own)
{
	for (size_t i = 0; own >= 0 && i < all->pid.n; i++)
		own = all->pid.v[i] == own ? -1 : own;
	return own >= 0 ? own : FIRST_MADE + all->made++;
}

size_t ids_find_process(const ids *all, const char *pid)
{
	size_t n, i = 0;
	const char *text = ids_read_text(pid, &n);

	while (i < all->pid.n && (str_len(&all->processes, i) != n || memcmp(str_at(&all->processes, i), text, n) != 0))
		i++;
	return i;
}

size_t ids_add_process(ids *all, const char *pid)
{
	size_t n;
	const char *text = ids_read_text(pid, &n);
	size_t id = all->pid.n < PROCESSES ? str_id(&all->processes, text, n) : ids_find_process(all, pid);

	if (id == PROCESSES)
		return PROCESSES - 1;
	if (id == all->pid.n) {
		int64_t number = ids_choose_pid(all, ids_read_number(text, n));
		vec_push(&all->pid, number);
	}
	return id;
}

int64_t ids_add_thread(ids *all, size_t process, const char *tid)
{
	char key[128];
	size_t n, head = (size_t)sprintf(key, "%zu ", process);
	const char *text = ids_read_text(tid, &n);
	uint32_t id;

	n = n < sizeof key - head ? n : sizeof key - head;
	memcpy(key + head, text, n);
	id = all->threads.n < THREADS ? str_id(&all->threads, key, head + n) : THREADS - 1;
	if (id == all->tid.n) {
		int64_t own = ids_read_number(text, n);
		vec_push(&all->tid, own >= 0 ? own : FIRST_MADE + all->made++);
	}
	return ids_global(all, process) | all->tid.v[id];
}

void ids_record_call(ids *all, size_t process, int64_t correlation)
{
	uint32_t key = dict_key(&all->correlations, correlation);

	if (key == all->caller.n)
		vec_push(&all->caller, (uint32_t)process);
	else if (all->caller.v[key] != process)
		all->caller.v[key] = UINT32_MAX;
}

/* The index of the first process with the same label as the text: "[TP00] 439" and "[TP00] 0" have the same.  Programs
 * that merge traces write such labels.  SIZE_MAX: there is no such process. */
static size_t ids_find_labelled(const ids *all, const char *text, size_t n)
{
	const char *blank = memrchr(text, ' ', n);
	size_t label = blank ? (size_t)(blank - text) + 1 : 0;

	for (size_t i = 0; label && i < all->pid.n; i++)
		if (strncmp(str_at(&all->processes, i), text, label) == 0)
			return i;
	return SIZE_MAX;
}

size_t ids_process_of_work(ids *all, const char *pid, int64_t correlation, bool has_correlation)
{
	uint32_t device, key;
	size_t n, found;
	const char *text = ids_read_text(pid, &n);

	if (all->pid.n <= 1)
		return all->pid.n ? 0 : ids_add_process(all, "1");
	device = all->devices.n < PROCESSES ? str_id(&all->devices, text, n) : PROCESSES - 1;
	if (device == all->user.n)
		vec_push(&all->user, 0);
	found = ids_find_labelled(all, text, n);
	key = has_correlation && found == SIZE_MAX ? dict_find(&all->correlations, correlation) : DICT_NONE;
	if (key != DICT_NONE && all->caller.v[key] != UINT32_MAX)
		found = all->caller.v[key];
	if (found != SIZE_MAX)
		all->user.v[device] = (uint32_t)found;
	return all->user.v[device];
}

void ids_free(ids *all)
{
	str_free(&all->processes);
	str_free(&all->threads);
	str_free(&all->devices);
	dict_free(&all->correlations);
	mem_free(all->pid.v, all->tid.v, all->caller.v, all->user.v);
}
