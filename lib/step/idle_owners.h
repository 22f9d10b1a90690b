/*
 * idle_owners - who owns the time in which a process has nothing running on a GPU.
 *
 *     owners_params p = { 0 };
 *     idle_owners *o = idle_owners_build(t, &p);
 *     idle_owners_free(o);                       // idle_owners_cut divides a gap
 */
#pragma once

#include "launch/idle_causes.h"
#include "step/owners.h"

typedef struct idle_owners idle_owners;

/* p must live as long as the result. */
idle_owners *idle_owners_build(trace *t, const owners_params *p);
void idle_owners_free(idle_owners *o);

/* Call f for each piece of a gap, in order.  common->at: the time for which pieces are wanted.  Each piece gets the
 * values of common->work (the work that ends the gap) and common->gap (the gap's length).  A piece after the launch of
 * that work also gets common->where (the folded name of the range in which the work was launched). */
void idle_owners_cut(const idle_owners *o, idle_gap *gap, const owner_piece *common, owners_take *f, void *ctx);

/* The folded name of the range in which the work that ends the gap was launched; STR_NONE: there is no such work,
 * launch or range, or owners_alone is set. */
uint32_t idle_owners_find_range(const idle_owners *o, idle_gap *gap);

typedef struct {                /* who owns a gap */
	enum owner owner;       /* the owner with the most time in the whole gap; OWNER_EDGE if no work precedes the
				 * gap, or none follows */
	uint32_t api;           /* the CUDA call that takes most of that owner's time: its name without version, or
				 * STR_NONE */
	bool synced;            /* did the gap begin while the CPU waited for the GPU? (idle_synced) */
	int64_t part[OWNERS];   /* by owner: time in the window, ns */
} idle_judged;

/* Decide which owner a whole gap belongs to, and add up the pieces of each owner that are in the window. */
idle_judged idle_owners_judge(const idle_owners *o, idle_gap *gap, const ival_set *window);
