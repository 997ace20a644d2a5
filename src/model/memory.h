/*
 * The memory-order part of the formula: which steps an execution has under a memory model, and which orders
 * among them are known.
 *
 * A node is a step. Event e is node e: a read takes its value there, a synchronization operation happens
 * there, a write is issued there. Under TSO and PSO a plain write becomes visible to others later, in a
 * node of its own, visible[e]; under SC, and for atomic updates, visible[e] is e. What orders hold:
 *   - program order between the nodes 0 .. nevents - 1 of a thread (also TSO and PSO: loads stay in order);
 *   - a write is issued before it is visible; TSO: a thread's writes become visible in program order; PSO: only
 *     those that overlap do;
 *   - fences, atomic updates and synchronization come after all earlier writes of their thread are visible
 *     (so does the end of a thread, when something is known to come after it);
 *   - the orders of the execution, between the points where the events take effect;
 *   - with `loose`, pieces of one access or call (execution.h) are in no order among themselves, but for those that overlap and writes of
 *     what others of them read; what comes before and behind the call is so for each of them (loose.c);
 *   - what time stamps say, when they are to be believed.
 * CLAP §3.2, with x86's store forwarding: see formula.c for what a read may see.
 */
#ifndef RETHREAD_MEMORY_H
#define RETHREAD_MEMORY_H

#include "model/atoms.h"
#include "model/order.h"

enum memory_model { MEMORY_SC, MEMORY_TSO, MEMORY_PSO };

/* "sc", "tso", "pso"; false for another name. */
bool memory_model_parse(const char *name, enum memory_model *m);
const char *memory_model_name(enum memory_model m);

struct memory {
	const struct execution *x;
	enum memory_model model;
	struct atoms atoms;
	uint32_t nnodes;
	uint32_t *visible;       /* by event */
	uint32_t *event_of;      /* by node */
	uint32_t *chain;         /* by node; below nthreads: program order */
	uint32_t nchains;
	vec(struct edge) edges;  /* between chains */
	size_t nhard;            /* the first of them: not from time stamps, and not derived (saturate.h) */
	struct order *order;
	bool *loose;             /* by event: a piece in a chain of its own; NULL: there is none */
	bool in_order;           /* pieces of one access or call, of memory that is shared, are taken to come in their order: then that nothing
				    explains the execution is not proven */
};

struct memory_options {
	enum memory_model model;
	bool use_time;        /* believe time stamps */
	uint64_t time_margin; /* two stamps order events only when further apart than this */
	bool loose;           /* pieces of one access or call are in no order, as far as that is cheap */
};

/* False when the known orders contradict one another under this model: nothing can explain the execution. */
bool memory_init(struct memory *m, const struct execution *x, const struct memory_options *options,
		 struct error *err);
/* After edges were added: brings the order up to date; false when they contradict one another. */
bool memory_reorder(struct memory *m, struct error *err);
void memory_release(struct memory *m);

#endif
