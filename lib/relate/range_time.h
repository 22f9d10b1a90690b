/*
 * account - GPU time put down to the NVTX ranges around its launch.
 *
 *     account *a = account_open(n);
 *     account_window(a, &window);                // for each window
 *     ... a->kernels[r], a->self[r]: kernels and graphs whose innermost range is r ...
 *     ... a->incl[r]: those launched anywhere inside r ...
 *     ... a->none_ns: those in no range ...
 *     account_close(a);
 *
 * A window costs no more than the work in it, or a pass over all ranges where
 * that is less.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "relate/ranges_around.h"
#include "relate/window.h"

typedef struct {
	const nest *n;
	int64_t *kernels, *self, *incl;         /* by push/pop range */
	int64_t none_ns, none_kernels;          /* in no range */
	int64_t total_ns;                       /* all of it: self and none add up to this */
	bool nested;                            /* what is inside a range is inside those around it */
	bool sparse;                            /* only what is in touched was written */
	vec(uint32_t) touched;
} account;

account *account_open(const nest *n);
void account_close(account *a);

/* Account for the kernels and whole graphs of a window, on the lanes it asks about. */
void account_window(account *a, window *w);

/* Call f for each kernel or whole graph in the window, with its time there. */
void account_each(const nest *n, window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

/* A label for each range (anything numbered below nlabels; NONE for none): sum[l] is the time of what
 * was launched inside ranges of label l, each piece once however the ranges nest. */
void account_by_label(const account *a, window *w, const uint32_t *label, size_t nlabels, int64_t *sum);

#endif
