/*
 * ids - gives the processes and threads of events global ids, as nsys has them.
 *
 *     ids all = { 0 };
 *     size_t p = ids_add_process(&all, "439, ");                     // what follows the value does not matter
 *     printf("%lld\n", (long long)ids_pid(&all, p));             // 439
 *     int64_t thread = ids_add_thread(&all, p, "\"stream 7\"");
 *     ids_process_of_work(&all, "0", 0, true);                               // the process of work: also p
 *     ids_free(&all);
 *
 * A pid or tid is the number at the end of the event's member `pid` or `tid`, as 439 in "[TP00] 439".  A process or
 * thread gets a made-up number if there is no number at the end, if that number is 8388608 or larger, or if an earlier
 * process has the same pid.  Made-up numbers begin at 8388608, because Linux gives no process such a number.
 */
#pragma once

#include "base/dict.h"
#include "base/memory.h"
#include "base/strings.h"

#include <stdbool.h>

#define IDS_HOST ((int64_t)1 << 48)     /* the bits of a global id above the pid, which stand for the host; they are
					 * the same for all processes */

typedef struct {
	str_pool processes;             /* the different values of `pid`, one for each process */
	str_pool threads;               /* different pairs of an index in `processes` and a value of `tid` */
	vec(int64_t) pid;               /* the pid of each process of `processes` */
	vec(int64_t) tid;               /* the tid of each thread of `threads` */
	int64_t made;                   /* how many processes and threads have a made-up number */
	dict correlations;              /* the correlations of the calls that were passed to ids_record_call */
	vec(uint32_t) caller;           /* for each of `correlations`: the process that made the call with it;
					 * UINT32_MAX: several processes made such calls */
	str_pool devices;               /* the values of `pid` in events of GPU work, where they name a GPU */
	vec(uint32_t) user;             /* for each GPU of `devices`: the process to which the last work on it belongs;
					 * 0 if no process was found for its work yet */
} ids;

/* The index of the process with this pid.  A new process is added.  pid: the text of the file from the value
 * of the event's member "pid" on (scan_value.field); NULL: the event has no such member. */
size_t ids_add_process(ids *all, const char *pid);

/* The index of the process with this pid; all->pid.n: there is none. */
size_t ids_find_process(const ids *all, const char *pid);

/* The global id of a thread.  A new thread is added.  tid: like `pid`. */
int64_t ids_add_thread(ids *all, size_t process, const char *tid);

/* Record that a process made the call with this correlation. */
void ids_record_call(ids *all, size_t process, int64_t correlation);

/* The index of the process of a piece of GPU work.  The first of these rules that applies decides: there is only one
 * process; a process has the same label before its pid, as [TP00] in "[TP00] 0"; only one process made calls with this
 * correlation; the previous work on this GPU belongs to the process.  pid: the event's member, which names the GPU. */
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
