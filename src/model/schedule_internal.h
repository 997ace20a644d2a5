/*
 * Inside the making of a schedule (schedule.h).
 *
 *     schedule.c        what every thread knows, waits for accesses and known orders
 *     schedule_sync.c   waits for synchronization whose order was inferred
 *     schedule_stops.c  where threads stop or fail, and what calls are made to return
 */
#ifndef RETHREAD_MODEL_SCHEDULE_INTERNAL_H
#define RETHREAD_MODEL_SCHEDULE_INTERNAL_H

#include "model/schedule.h"

#define NOBODY UINT32_MAX

/* A late store, and an event that it becomes visible after. */
struct held_store {
	uint32_t store, until;
};

/*
 * What every thread knows: clock[T][U] is the highest SAP of U that T has waited for, itself or through
 * others. An event remembers the row (kept clock) of its thread, which changes only when the thread learns
 * something; its own entry is the event's SAP.
 */
struct builder {
	struct schedule *s;
	const struct memory *m;
	const struct execution *x;
	const struct linear *l;
	uint32_t nthreads;
	uint64_t *clock;
	vec(uint64_t) rows;
	uint32_t *row;            /* by event */
	uint32_t *current;        /* by thread: row that holds now */
	size_t *place;            /* by event: its step, SIZE_MAX when the failure does not need it */
	size_t *effect_place;     /* by event: the step at which others see it; place but for late stores */
	uint64_t *awaited;        /* by event, for late stores: threads that wait for it, a bit each */
	struct held {
		vec(struct held_store) at;
	} *held;                  /* by thread */
	uint32_t *last_write;     /* by atom */
	struct reads {
		vec(uint32_t) at;
	} *reads;                 /* by atom, since the last write */
	uint32_t *in_order, *in_order_start; /* known orders by their later event */
	struct used {
		enum sync_class class;
		uint64_t object;
		uint32_t unlock;          /* lock: the last by a writer; barrier: the last to leave */
		vec(uint32_t) reads;      /* lock: readers' releases since; condition variable: signals; semaphore: posts */
		size_t taken;             /* semaphore: so many of the posts are used up */
	} *used;                  /* synchronization whose order was inferred, sorted */
	size_t nused;
};

static inline const struct event *event_at(const struct builder *b, uint32_t e)
{
	return &b->x->events.at[e];
}

/* schedule.c: event e must come after p; a wait says so where nothing else does. */
void schedule_require(struct builder *b, uint32_t e, uint32_t p);

/* schedule_sync.c: the objects that the execution's events are about, for `used`. */
void schedule_find_objects(struct builder *b);
/* The event is next: waits for those before it on the same object. */
void schedule_use_object(struct builder *b, uint32_t e);

/* schedule_stops.c: where the thread stops, or fails. */
void schedule_stop_thread(struct builder *b, const struct execution_thread *t);
/* After all threads were stopped: results, signals and places of blocks, as far as they come. */
void schedule_force_results(struct builder *b);

#endif
