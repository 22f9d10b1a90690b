/*
 * ids - the processes and threads of events, as global ids of nsys.
 *
 *     ids all = { 0 };
 *     size_t p = ids_process(&all, "439, ");                     // what follows the value does not matter
 *     printf("%lld\n", (long long)ids_pid(&all, p));             // 439
 *     int64_t thread = ids_thread(&all, p, "\"stream 7\"");
 *     ids_process_of_work(&all, "0", 0, true);                               // the process of work: also p
 *     ids_free(&all);
 *
 * The pid or tid is the number at the end of the event's value.  If the value ends in none, or in one from 8388608 up,
 * or if another process has the pid, a number from 8388608 up is made up, which no process of Linux has.
 */
#pragma once

#include "base/dict.h"
#include "base/memory.h"
#include "base/strings.h"

#include <stdbool.h>

#define IDS_HOST ((int64_t)1 << 48)     /* the bits above the pid */

typedef struct {
	str_pool processes, threads;    /* as the events name them */
	vec(int64_t) pid, tid;          /* by index in these pools */
	int64_t made;                   /* how many processes and threads have a made-up number */
	dict correlations;              /* the correlations of calls, if there are several processes */
	vec(uint32_t) caller;           /* by key of correlations: the process of the call; UINT32_MAX: several
					 * processes have such a call */
	str_pool devices;               /* the GPUs, as the events name them */
	vec(uint32_t) user;             /* by key of devices: the process of the last work there, for work whose process
					 * is not known */
} ids;

/* The process with this pid, which is added if it is new.  pid: the value in the event; NULL: it has none. */
size_t ids_process(ids *all, const char *pid);

/* The process with this pid; all->pid.n: there is none. */
size_t ids_known(const ids *all, const char *pid);

/* The global id of a thread. */
int64_t ids_thread(ids *all, size_t process, const char *tid);

/* Record that a process made the call with this correlation. */
void ids_record_call(ids *all, size_t process, int64_t correlation);

/* The process of GPU work: the one that its label names, as in "[TP00] 0"; otherwise that of its call, by the
 * correlation; otherwise that of the last work on this GPU.  pid: the value in the event, which for work is the number
 * of the GPU. */
size_t ids_process_of_work(ids *all, const char *pid, int64_t correlation, bool has_correlation);

static inline int64_t ids_pid(const ids *all, size_t process)
{
	return all->pid.v[process];
}

/* The global id of a process. */
static inline int64_t ids_global(const ids *all, size_t process)
{
	return IDS_HOST | all->pid.v[process] << 24;
}

void ids_free(ids *all);
