/*
 * ncu_csv - what Nsight Compute measured: the raw or the details page of a report as CSV.
 *
 *     ncu_csv *csv = ncu_csv_read("train-raw.csv", say);         // NULL: say has the reason
 *     for (size_t i = 0; csv && i < csv->n; i++)
 *         printf("%s %lld FLOPs\n", str_at(&csv->names, csv->v[i].name), (long long)csv->v[i].value.flops);
 *     ncu_csv_free(csv);
 *
 * The raw page has a header, a row with the unit of each column, and a row for each launch.  The details page has a
 * row for each value, with its unit, and rounds its values.  Values may be scaled (Mbyte) or not (byte), with commas
 * between thousands.  A file is read once from front to back, and only the values that nsq uses are kept.
 * share/conventions/mfu.md says what counts as a FLOP.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"
#include "base/strings.h"

#include <stdint.h>

enum { NCU_TYPES = 16 };        /* room for this many types of operands */

enum ncu_more {                 /* indices into ncu_value.more */
	NCU_OCCUPANCY, NCU_OCCUPANCY_MAX, NCU_SM, NCU_DRAM,     /* in percent */
	NCU_REGISTERS,                  /* registers of a thread */
	NCU_STALLS,                     /* the first reason why warps do not issue: NCU_STALLS + i is for
					 * ncu_csv.stalls.v[i] */
	NCU_MORE = NCU_STALLS + 24      /* there is room for 24 reasons */
};

typedef struct {
	int64_t flops;          /* negative: not measured */
	int64_t bytes;          /* moved to and from the GPU's memory; negative: not measured */
	int64_t by_type[NCU_TYPES];     /* by index into ncu_csv.types: FLOPs with operands of this type */
	float more[NCU_MORE];   /* by enum ncu_more; NaN: not measured */
} ncu_value;

typedef struct {
	uint32_t process;       /* the process as the file names it, or STR_NONE; this and the next four members are
				 * strings of ncu_csv.names */
	uint32_t name;          /* short name of the kernel */
	uint32_t grid, block;   /* such as 128x1x1 */
	uint32_t range;         /* the innermost push/pop range, or STR_NONE */
	ncu_value value;
} ncu_launch;

typedef struct {
	ncu_launch *v;          /* in order of launch */
	size_t n, room;
	vec(const char *) types;        /* types of operands, such as bf16 and fp32; the texts are in `names` */
	vec(const char *) stalls;       /* reasons for stalls, such as long_scoreboard; the texts are in `names` */
	str_pool names;
} ncu_csv;

/* Read a file.  NULL after a problem. */
ncu_csv *ncu_csv_read(const char *path, notes *say);
void ncu_csv_free(ncu_csv *csv);        /* NULL is allowed */
