/*
 * asked - questions whose answers may take longer than a key should, answered beside the loop.
 *
 *     asked_question q = asked_here(ui, ASKED_SLOWEST);
 *     asked_start(ui, &q);
 *     while (asked_waiting(ui))
 *         asked_look(ui);                        // what comes of it is done here, in the thread of the loop
 *
 * The first question reads the trace again, with what the tools need (lookup.h); until that is done keys work as
 * usual.  A question that is asked while another is being answered comes next, and replaces one that waits.
 */
#pragma once

#include "tui/lookup.h"
#include "tui/tui.h"

#include <pthread.h>
#include <stdatomic.h>

enum asked_kind { ASKED_NOTHING, ASKED_RANGE, ASKED_GAP, ASKED_STEPS, ASKED_SLOWEST };

typedef struct {
	enum asked_kind kind;
	size_t place;           /* of the session */
	lookup_of of;           /* the process and, for these two, the GPU: */
	ival time;              /* ASKED_RANGE, ASKED_GAP */
	int64_t step;           /* for whoever asks */
	void (*done)(tui *ui, bool ok); /* called when it is answered; false: the notes say why not */
} asked_question;

typedef struct {
	lookup look;
	size_t source;          /* that it is about; SIZE_MAX: none yet */
	arena texts;
	asked_question now, next;       /* being answered, and waiting; */
	asked_question answer;  /* that was answered, while done is called */
	pthread_t thread;
	bool running;
	atomic_bool answered;   /* set by the thread, at its end */
	bool ok;                /* what it leaves: */
	lookup_sums sums;       /* ASKED_RANGE */
	table gap;              /* ASKED_GAP */
	table steps;            /* ASKED_STEPS, ASKED_SLOWEST */
	notes say;
} asked_state;

/* The place that is looked at, as a question has it. */
asked_question asked_here(const tui *ui, enum asked_kind kind);

void asked_start(tui *ui, const asked_question *q);
bool asked_waiting(const tui *ui);
void asked_look(tui *ui);

/* What was read for the tools says more of the clocks than the picture needs: look at it, if it was read. */
void asked_see_clocks(tui *ui);

/* False: it is still at work, and what it uses must stay until the program ends. */
bool asked_free(asked_state *a);
