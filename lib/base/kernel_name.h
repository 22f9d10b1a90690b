/*
 * kernel_name - the short name of a kernel.
 *
 *     size_t n;
 *     const char *name = kernel_name_short("mlp/void at::native::reduce_kernel<512, 1>(T3)", &n);
 *     printf("%.*s\n", (int)n, name);            // reduce_kernel
 */
#pragma once

#include <stddef.h>

/* The part of a demangled name that is left without the RANGE/ that Nsight Compute may put before it, return type,
 * namespaces, template arguments and parameters; *len is its length.  A short name stays as it is. */
const char *kernel_name_short(const char *name, size_t *len);
