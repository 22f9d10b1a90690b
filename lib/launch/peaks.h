/*
 * peaks - what a GPU can do, from share/peaks.tsv.
 *
 *     double tflops = peaks_tflops("NVIDIA H200", "bf16");       // 989.5; NaN: not known
 *     double gbps = peaks_memory_gbps("NVIDIA H200");            // 4800
 *     printf("%g FLOPs per byte\n", tflops * 1000 / gbps);
 */
#pragma once

/* The dense TFLOP/s of a GPU for a type of operand; NaN: the table does not have them. */
double peaks_tflops(const char *gpu, const char *type);

/* The memory bandwidth of a GPU in GB/s; NaN: the table does not have it. */
double peaks_memory_gbps(const char *gpu);

/* share/peaks.tsv, compiled in: its name, its text, NULL. */
extern const char *const peaks_builtin[];
