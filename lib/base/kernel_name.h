/*
 * kernel_name - the short name of a kernel.
 *
 *     size_t n;
 *     const char *name = kernel_name_short("mlp/void at::native::reduce_kernel<512, 1>(T3)", &n);
 *     printf("%.*s\n", (int)n, name);            // reduce_kernel
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The part of a demangled name that is left without the RANGE/ that Nsight Compute may put before it, return type,
 * namespaces, template arguments and parameters; *len is its length.  A short name stays as it is. */
const char *kernel_name_function(const char *name, size_t *len);

/* The same, or, where the function of a library has a vague name, the part of its template arguments that tells what
 * it does: cutlass_80_simt_sgemm_64x64_8x5_nt_align1 instead of Kernel2. */
const char *kernel_name_short(const char *name, size_t *len);

/* Does the name of a function tell nothing: Kernel, Kernel2, kernel, device_kernel? */
bool kernel_name_vague(const char *word, size_t len);
