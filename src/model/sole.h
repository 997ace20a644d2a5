/*
 * Reads that can see one write only, of a value that every interleaving has: what a thread alone writes, or what is in order anyway. What they
 * read is known (pinned.h), and what is computed from it.
 */
#ifndef RETHREAD_SOLE_H
#define RETHREAD_SOLE_H

#include "model/problem.h"

/* Adds to p->pinned, once the problem has its candidates and initial values. */
void sole_pin(struct problem *p);

#endif
