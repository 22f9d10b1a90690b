/*
 * ncu_csv - what Nsight Compute measured: the raw or the details page of a report as CSV.
 *
 *     ncu_csv *csv = ncu_csv_read("train-raw.csv", say);         // NULL: say has the reason
 *     for (size_t i = 0; csv && i < csv->n; i++)
 *         printf("%s %lld FLOPs\n", str_at(&csv->names, csv->v[i].name), (long long)csv->v[i].value.flops);
 *     ncu_csv_free(csv);
 *
 * The raw page has a header, a row with the unit of each column, and a row per launch; the details page a row per
 * value, with its unit, and rounds.  Values may be scaled (Mbyte) or not (byte), with commas between thousands.  A file
 * is read once from front to back, and of its many values only those that are used are kept.  share/conventions/mfu.md
 * says what counts as a FLOP.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"
#include "base/strings.h"

#include <stdint.h>

enum { NCU_TYPES = 16 };        /* at most this many types of operands */

enum ncu_more {                 /* what else is kept of a launch */
	NCU_OCCUPANCY, NCU_OCCUPANCY_MAX, NCU_SM, NCU_DRAM,     /* in percent */
	NCU_REGISTERS,                  /* of a thread */
	NCU_STALLS,                     /* the first of the reasons for which warps do not issue, */
	NCU_MORE = NCU_STALLS + 24      /* of which there are at most this many */
};

typedef struct {
	int64_t flops;          /* negative: not measured */
	int64_t bytes;          /* moved to and from the GPU's memory; negative: not measured */
	int64_t by_type[NCU_TYPES];     /* the FLOPs of each type */
	float more[NCU_MORE];   /* NaN: not measured */
} ncu_value;

typedef struct {
	uint32_t process;       /* string: as the file has it, or STR_NONE */
	uint32_t name;          /* string: short name */
	uint32_t grid, block;   /* strings: 128x1x1 */
	uint32_t range;         /* string: the innermost push/pop range, or STR_NONE */
	ncu_value value;
} ncu_launch;

typedef struct {
	ncu_launch *v;          /* in order of launch */
	size_t n, room;
	vec(const char *) types;        /* bf16, fp32, ...: strings of names */
	vec(const char *) stalls;       /* long_scoreboard, ...: the same */
	str_pool names;
} ncu_csv;

/* NULL after a problem. */
ncu_csv *ncu_csv_read(const char *path, notes *say);
void ncu_csv_free(ncu_csv *csv);        /* NULL is allowed */
