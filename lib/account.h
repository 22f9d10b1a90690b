/*
 * account - GPU time put down to the NVTX ranges around its launch.
 *
 *     account a = account_build(t, n, &window, proc);   // one entry for each push/pop range
 *     ... a.kernels[r], a.self[r]: kernels and graphs whose innermost range is r ...
 *     ... a.incl[r]: those launched anywhere inside r ...
 *     ... a.none_ns, a.none_kernels: those in no range ...
 *     account_free(&a);
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "nest.h"
#include "window.h"

typedef struct {
	int64_t *kernels, *self, *incl;         /* by push/pop range */
	int64_t none_kernels, none_ns;          /* in no range */
	int64_t total_ns;                       /* all of it: self and none add up to this */
} account;

/* Account for the kernels and whole graphs of a window, on the lanes it asks about. */
account account_build(const nest *n, window *w);
void account_free(account *a);

/* Call f for each kernel or whole graph in the window, with its time there. */
void account_each(const nest *n, window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

/* A label for each range (anything numbered; NONE for none): sum[l] is the time of what was
 * launched inside ranges of label l, each piece once however the ranges nest. */
void account_by_label(const nest *n, window *w, const account *a, const uint32_t *label, int64_t *sum);

#endif
