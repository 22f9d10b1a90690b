/*
 * global_id - the bits of the global ids of processes and threads: globalPid, globalTid.
 *
 *     int64_t id = 0x00010002b5000123;           // of a thread
 *     int64_t process = global_process(id);
 *     printf("%lld %lld %lld\n", (long long)global_pid_of(process),      // 693
 *            (long long)global_tid(id), (long long)global_sub(process)); // 291 1
 *
 * The low 24 bits of a global id are the thread id, and the next 24 bits the pid.  The 16 bits above them (the ids of
 * the hardware and the virtual machine) distinguish processes with the same pid.  A "process" here, and wherever a
 * comment says "as in global_id.h", is a global id without the bits of the thread: the id shifted right by 24 bits.
 */
#pragma once

#include <stdint.h>

static inline int64_t global_process(int64_t id)
{
	return id >> 24;
}

static inline int64_t global_pid_of(int64_t process)
{
	return process & 0xffffff;
}

static inline int64_t global_pid(int64_t id)
{
	return global_pid_of(global_process(id));
}

static inline int64_t global_tid(int64_t id)
{
	return id & 0xffffff;
}

/* The 16 bits above the pid. */
static inline int64_t global_sub(int64_t process)
{
	return process >> 24 & 0xffff;
}

/* The lowest global id of a process: the inverse of global_process. */
static inline int64_t global_first(int64_t process)
{
	return (int64_t)((uint64_t)process << 24);
}

/* Compare processes as qsort does: by pid, then by the bits above it. */
static inline int global_order(int64_t a, int64_t b)
{
	int64_t x = global_pid_of(a), y = global_pid_of(b);

	return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}
