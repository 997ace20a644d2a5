/*
 * What the known order alone says of context switches, before anything is solved: a way through it that changes between threads k times
 * takes k switches, and k + 1 threads that must do something before the failure take k as well.
 */
#ifndef RETHREAD_ALTERNATIONS_H
#define RETHREAD_ALTERNATIONS_H

#include "model/linear.h"

#define NOT_NEEDED UINT32_MAX

struct alternations {
	uint32_t *before; /* by node: the most changes of the thread on a way that ends there */
	uint32_t *after;  /* by node: the most on a way from there to the failure (to anything when nothing fails); NOT_NEEDED: there
			     is no such way */
	uint32_t least;   /* no order up to the failure has fewer switches */
};

/* certain: by the certain orders only (memory.nhard), else by all that are known. */
void alternations_init(struct alternations *a, const struct memory *m, bool certain);
void alternations_release(struct alternations *a);

#endif
