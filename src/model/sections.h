/*
 * Orders that follow from locks whose order is open: two sections of a lock do not overlap, so when something inside the
 * one is known to come before something inside the other, all of it does.
 */
#ifndef RETHREAD_SECTIONS_H
#define RETHREAD_SECTIONS_H

#include "model/memory.h"

struct sections; /* opaque: all sections of open locks, by lock and thread */

struct sections *sections_new(const struct execution *x);
void sections_free(struct sections *s);

/*
 * Appends to m->edges what follows from m->order and is not in it; how many. false in *ok, and a sentence, when sections
 * must overlap.
 */
uint64_t sections_order(const struct sections *s, struct memory *m, bool *ok, struct error *err);

#endif
