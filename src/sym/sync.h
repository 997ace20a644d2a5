/*
 * Inside the engine: interposed functions as steps.
 *
 *   sync.c          steps in the recorded order
 *   unordered.c     ... where the log has no order of synchronization
 *   sync_threads.c  threads are created, joined, cancelled, and end
 *   sync_objects.c  what steps are counted on
 *
 * A step is step_begin(), step_entry(), what it does, step_done().
 */
#ifndef RETHREAD_SYM_SYNC_H
#define RETHREAD_SYM_SYNC_H

#include "sym/engine.h"

/* Somebody who holds a lock whose order is not recorded. */
struct holding {
	struct ethread *thread;
	uint32_t depth;
	bool shared;
	struct event_ref event; /* its LOCK */
};

struct counts {
	uint32_t *at;
	size_t n, cap;
};

/* A thread's time at a barrier. */
struct visit {
	struct ethread *thread;
	uint32_t round;
	bool left;
	struct event_ref arrived, leaves;
	struct vclock clock; /* when it arrived */
};

/* A mutex, semaphore, ...: anything steps are counted on. */
struct object {
	uint64_t address;            /* in the recorded order: what the recorder knew it by (recall_place) */
	uint32_t number;             /* ours, from 1 */
	const void *place;           /* where it was first met, or NULL */
	/* In the recorded order: */
	struct ethread *holder;      /* of a mutex */
	uint64_t hold_sap;           /* where it got it */
	uint32_t hold_site;
	uint32_t depth;              /* of a recursive one */
	uint32_t recorded;           /* its number in the log, once an entry has told */
	uint64_t steps;              /* acquisitions or ordered steps so far, until then (object_steps) */
	struct vclock clock;         /* what the next one learns */
	struct ethread *last;        /* who took the last step, or released it last */
	uint64_t last_sap;           /* where that was */
	uint32_t last_site;
	bool last_is_event;          /* last_event stands for it already */
	struct event_ref last_event;
	struct ethread *runner;      /* of the routine of a pthread_once */
	bool has_run;
	struct event_ref ran;        /* has_run: the routine's end */
	uint32_t ran_at;             /* ... by the runner's clock */
	vec(struct event_ref) early; /* who came back before the runner said so */
	struct ethread *freed_by;    /* who gave its memory back, where, if it was not used since */
	uint64_t freed_sap;
	uint32_t freed_site;
	/* Without: */
	vec(struct event_ref) lasts;     /* of each thread that has used it, the last step */
	bool is_freed;                   /* its memory was, at: */
	struct event_ref freed;
	vec(struct holding) holders;     /* more than one: readers, or somebody went on in spite of the others */
	vec(struct ethread *) waiting;   /* on a condition variable, in the order they came */
	int64_t tokens;                  /* of a semaphore; less than 0: somebody went on without one */
	uint32_t count;                  /* tokens at the start; what a barrier is for */
	bool is_counted;                 /* count is known */
	bool is_open;                    /* a barrier that more threads use than it is for */
	vec(struct visit) visits;        /* to a barrier */
	struct counts rounds;            /* barrier: by thread, how often it came */
	struct counts arrived;           /* barrier: by round, how many came */
	bool once_done;
};

/* sync_objects.c: the object at that place, made when it is new. */
struct object *object_at(const void *place);
/* ... if anybody has used it, else NULL. */
struct object *object_known(const void *place);
/* Has anything been used? */
bool objects_any(void);
/* The i-th object, or NULL beyond the last. */
struct object *object_number(size_t i);
/* An entry of the log tells which of the recorded objects this is. Several of ours may be one there: what was used again was its memory. */
void object_is(struct object *o, uint32_t recorded);
/* How many acquisitions or ordered steps of it there were so far, in the recorded order. */
uint64_t *object_steps(struct object *o);
/* Something new is at this address from now on. */
void object_forget(const void *place);

/* sync.c: counts the SAP. A step on `place` that the recorded run never completed ends the thread here. */
struct ethread *step_begin(const void *place);
/* The same, where it may be this condition variable (or NULL) that it waits for, and not the mutex. */
struct ethread *step_begin_wait(const void *mutex, const void *condition);
/* The log's entry for the step at hand, or NULL. */
const struct rt_sync *step_entry(struct ethread *self);
/* Did the call fail in the recorded run, and do nothing? */
bool step_has_failed(const struct rt_sync *e);
/* The step is complete; what it returned. */
int step_done(struct ethread *self, const struct rt_sync *e);
/*
 * At the end: nobody has the lock that the thread waits for. Its memory had been given back, and what the C library left there looked like a lock that is
 * taken.
 */
void sync_waits_in_freed(struct ethread *t, struct event_ref freed);
/* The step on o at hand comes after the last one, by whichever thread; it is the last. */
void step_follows_last(struct ethread *self, struct object *o, enum event_kind earlier, enum event_kind kind,
		       const char *what);
void step_becomes_last(struct ethread *self, struct object *o, const char *what);

/* sync_threads.c: ends the thread, its cleanups first. */
_Noreturn void step_leave_thread(struct ethread *self, void *result);

/* unordered.c: the same steps where the log has no order of synchronization. */
int unordered_acquire(const void *place, const char *what);
void unordered_release(const void *place, const char *what);
int unordered_wait(const void *condition, const void *mutex, const char *what);
void unordered_signal(const void *condition, bool all, const char *what);
int unordered_step(const void *place, enum rt_step step, const char *what);
bool unordered_can_go(const struct ethread *t);
/* Does it wait for a lock of somebody who waits for a value (await.c)? It may have been first, and is to write that value. */
bool unordered_is_held_up(const struct ethread *t);
void unordered_freed(struct ethread *self, uint64_t start, uint64_t size);
/* At the end: how many orders are only likely, so that nothing is proven. */
size_t unordered_doubtful(void);
/* At the end: orders that are now known. Returns how many barriers turned out to be open, which a next run has to know. */
size_t unordered_finish(void);

#endif
