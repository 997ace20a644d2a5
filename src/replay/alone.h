/*
 * Being alone, in mode record: a SAP that touches memory of which nobody can say which (a function of a library), or very
 * much of it, is done while no other thread accesses anything. alone.c says how it works.
 */
#ifndef RETHREAD_ALONE_H
#define RETHREAD_ALONE_H

#include "replay/twin.h"

/* What a thread is doing with memory, as others see it. */
enum alone_state {
	ALONE_OUT,  /* nothing: it is between two SAPs */
	ALONE_HARD, /* it accesses memory, or asks whether it may: nobody is alone before it has done so */
	ALONE_SOFT, /* in a SAP that accesses no memory until it says so (alone_touches), and may take long */
};

/* The calling thread begins a SAP: waits while another is alone. Then it is HARD, or SOFT. */
void alone_pass(struct twin_thread *self, enum alone_state as);
/* In a SAP: from now on it is HARD. */
void alone_touches(struct twin_thread *self);
/*
 * In a SAP that is SOFT: be alone until it is done. False: somebody else's access takes too long for that, and nothing is
 * known of the order.
 */
bool alone_begin(struct twin_thread *self);
/* The SAP is done, and counted as such. */
void alone_done(struct twin_thread *self);

#endif
