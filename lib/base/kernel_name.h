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

/* The name of the function in a demangled name: without return type, namespaces, template arguments and parameters, and
 * without the RANGE/ that Nsight Compute may put before it.  *len gets its length.  A name that has none of these stays
 * as it is. */
const char *kernel_name_function(const char *name, size_t *len);

/* The short name of a kernel: the name of its function.  A vague name in CUTLASS or xmma, such as Kernel2, is replaced
 * by the template argument that says what the kernel does, such as cutlass_80_simt_sgemm_64x64_8x5_nt_align1, if the
 * kernel has one. */
const char *kernel_name_short(const char *name, size_t *len);

/* Is the name of a function vague: Kernel, Kernel2, kernel or device_kernel? */
bool kernel_name_is_vague(const char *word, size_t len);
