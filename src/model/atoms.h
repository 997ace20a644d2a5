/*
 * Memory as the accesses of an execution divide it: atoms, the largest byte ranges that every access
 * covers wholly or not at all. An access is a run of consecutive atoms, at most one per byte.
 */
#ifndef RETHREAD_ATOMS_H
#define RETHREAD_ATOMS_H

#include "model/execution.h"

struct atom {
	uint64_t address;
	uint32_t size;          /* bytes */
	uint32_t cluster;       /* atoms that one access covers together are of one cluster */
	uint32_t first, count;  /* its accesses in atoms.accesses: event numbers, ascending */
	bool shared;            /* two threads access it, one of them writes */
};

/*
 * Invariants: atoms are sorted by address and disjoint; event e covers atoms first[e] .. first[e] +
 * count[e] - 1, whose sizes add up to its own; count is 0 for events that access nothing.
 */
struct atoms {
	vec(struct atom) at;
	uint32_t *first;
	uint8_t *count;
	uint32_t *accesses;
};

void atoms_init(struct atoms *a, const struct execution *x);
void atoms_release(struct atoms *a);

static inline bool event_reads(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_UPDATE;
}

/* An update that writes what it read is none: nobody can tell its value from the one before. */
static inline bool event_writes(const struct event *e)
{
	return e->kind == EVENT_WRITE || (e->kind == EVENT_UPDATE && e->written != e->read);
}

#endif
