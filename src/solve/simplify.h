/*
 * Fewer context switches by moving runs (after Tinertia and SimTrace): two runs of one thread become one where the steps in
 * between can as well come before or after both. Every order that is tried is judged by the checker, so reads may
 * see other writes than before as long as all conditions hold. An approximation: the number is small, not
 * proven to be the least (fewest.h does that where it is cheap).
 *
 * A step of replay is a whole SAP, and some have many events: memcpy, functions of a library. Where another thread's steps stand
 * between them, replay cannot do as the order says, so such SAPs are brought together first, where the checker
 * agrees, whatever that costs in switches.
 */
#ifndef RETHREAD_SIMPLIFY_H
#define RETHREAD_SIMPLIFY_H

#include "model/linear.h"

struct simplify_request {
	const struct execution *x;
	enum memory_model model;
	double seconds;
	/* May this order be given? NULL: every order that the checker accepts. */
	bool (*accepts)(void *data, const struct linear *l);
	void *data;
};

/* How often another thread's steps stand between accesses of one SAP, up to the failure. */
uint32_t simplify_splits(const struct execution *x, const struct linear *order);

/*
 * A wait on a condition variable is woken, and then has its mutex again: two events of one step, which a schedule cannot part. The first is moved
 * to the second, later. True: the order is another one, which the checker accepts.
 */
bool simplify_waits(const struct execution *x, enum memory_model model, struct linear *order);

/* Moves runs within the steps up to the failure; *order must pass the checker before, and does so afterwards. */
void simplify(const struct simplify_request *r, struct linear *order);

#endif
