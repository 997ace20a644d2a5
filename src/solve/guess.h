/*
 * The order in which things probably happened: by time stamps where there are any, else some order that
 * respects what is known. Where the search and the solver look first; it need not be right.
 */
#ifndef RETHREAD_GUESS_H
#define RETHREAD_GUESS_H

#include "model/linear.h"

/* The place of every node in that order, malloc'ed. NULL when what is known contradicts itself. */
uint32_t *guess_places(const struct memory *m, struct error *err);

/* The same for the order in which the executor ran the threads: what it took the racy reads to read comes from there. */
uint32_t *guess_places_as_run(const struct memory *m, struct error *err);

/* Has any event a time stamp? */
bool guess_has_time(const struct execution *x);

#endif
