/*
 * The conductor: one thread of the target at a time, for the search engine's attempts (include/rethread/search.h). It decides at
 * each SAP who runs next; the recorder (recorder.h) logs the order that comes of it. Only the thread that has the baton
 * changes anything here, except where a call out of the program blocks: then the baton is taken from it, and it asks for it
 * again at its next gate.
 *
 *     conductor.c   at each gate           sketch.c     what was recorded, and whether a thread still follows it
 *     baton.c       whose turn it is       attempt.c    the attempt's steps and its end
 *     conducted.c   steps in their order   conflicts.c  accesses that could have come in the other order
 *     blocking.c    steps that may block
 *
 * Steps of synchronization never block in the kernel here: a call is tried, and when it would block the thread has nothing to
 * do until somebody else does a step on the same object.
 */
#ifndef RETHREAD_CONDUCTOR_H
#define RETHREAD_CONDUCTOR_H

#include "replay/twin.h"

#include <pthread.h>
#include <rethread/search.h>

#define CONDUCTED_THREADS RT_ATTEMPT_THREADS /* beyond these, accesses are not compared */

extern bool conductor_on;
extern struct rt_attempt *attempt;

/* Where a thread stands in what was recorded of it. */
struct follower {
	const struct rt_sketch_thread *log; /* NULL: not in the sketch */
	uint64_t bits;                      /* of the path, without those of the word under construction */
	uint64_t ops;                       /* steps done */
	uint64_t next_sync, next_time;
	bool off;                           /* it has left the sketch */
};

enum actor_state {
	ACTOR_READY,
	ACTOR_ASLEEP,  /* until a point in the conductor's own time */
	ACTOR_BLOCKED, /* in a step on `object` */
	ACTOR_AWAITS,  /* a wait of the schedule */
	ACTOR_TURN,    /* its turn in the recorded order of steps on `object` */
	ACTOR_JOINS,
	ACTOR_SIGNAL,  /* of a condition variable */
	ACTOR_HELD,    /* the recorded run had it go no further */
	ACTOR_OUTSIDE, /* in a call that blocks; the baton was taken from it */
	ACTOR_ENDED,
};

/* What a step is to the order of synchronization (trace.h). */
enum step_kind { STEP_NONE, STEP_PLAIN, STEP_ACQUIRE, STEP_RELEASE, STEP_ORDERED };

struct actor {
	struct twin_thread *thread;
	enum actor_state state;
	bool woken, timed, timed_out;
	bool in_call;                /* out of the program */
	bool has_id, joined;
	const void *object;
	const struct rt_sync *entry; /* of the step at hand */
	const struct wait *wait;
	struct actor *target;        /* ACTOR_JOINS */
	uint64_t until;              /* ACTOR_ASLEEP; of a timed wait: when its time is up, UINT64_MAX where that is not known */
	const pthread_mutex_t *robust; /* it found this one taken, a robust one, which the end of its owner gives up */
	const void *limited;         /* the object whose wait ends by `limit` */
	uint64_t limit;
	uint64_t priority;
	uint64_t done;               /* SAPs */
	uint32_t idle;               /* reads since it last wrote something */
	struct {
		uint64_t place, value;
		uint32_t site, times;
	} looks[4];                  /* the last ones in the trail, since it did anything else */
	uint32_t nlooks;
	enum step_kind kind;         /* of the step at hand */
	const void *step_object;
	uint32_t site;               /* it is at */
	const char *what;            /* the step at hand */
	const void *caller;          /* ... and who called that (interpose.h) */
	uint64_t *alone;             /* what the access at hand touches was touched by this thread only: where its value is kept; or NULL */
	bool races;                  /* the access at hand is one of a race */
	bool shared;                 /* what the access at hand touches was touched by another thread, too */
	const void *place;           /* of that access */
	uint64_t size;
	uint32_t access;             /* enum rt_access */
	int result;
	pthread_t id;
	struct follower follower;
	_Atomic uint32_t turn;       /* futex */
	uint8_t *seen;               /* so far its tray was compared with the sketch; NULL before it runs */
	uint64_t clock[CONDUCTED_THREADS];
};

/* A mutex, semaphore, ... */
struct object {
	const void *address;
	uint64_t steps;    /* acquisitions or ordered steps; of those in the sketch by their number (conducted.c) */
	uint32_t number;   /* in the sketch, once known */
	uint32_t last;     /* who acquired it last + 1 */
	uint64_t last_sap;
	uint32_t arrived, round; /* barriers */
	uint64_t clock[CONDUCTED_THREADS];
};

/* conductor.c, baton.c, attempt.c. False: it cannot. */
bool conductor_start(const char *sketch, const char *attempt_path);
void conductor_thread(struct twin_thread *t, struct twin_thread *parent);
void conductor_begins(struct twin_thread *t); /* the thread itself: waits for its turn */
void conductor_ends(struct twin_thread *t);
/* The halves of a gate. True: the step returns *result and is not to be tried. */
bool conductor_before(struct twin_thread *self, uint32_t site, uint32_t kind, const char *what, const void *address,
		      uint64_t size, int *result);
void conductor_source(struct twin_thread *self, const void *address, uint64_t size);
void conductor_after(struct twin_thread *self);
void conductor_result(struct twin_thread *self, int result); /* of the step at hand */
struct actor *actor_at(uint32_t number);
struct actor *actor_self(void);
/* The calling thread is in this state: others run until it can go on. */
void conductor_give_way(struct actor *self, enum actor_state state);
struct object *object_of(const void *address);
void conductor_touch(const void *object); /* whoever is blocked on it may try again */
uint64_t conductor_random(void);
/* The first thread that leaves the sketch is noted, with the races known so far. */
void conductor_leaves(struct actor *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The call that comes may end one that another thread is blocked in: whoever was not expected back is again. */
void conductor_wakes(void);

/* Others go first for so long in the conductor's own time. */
void conductor_sleep(struct actor *self, uint64_t ns);
/* The calling thread, so long; false, and nothing done, when nobody conducts it. */
bool conductor_sleeps(uint64_t ns);

/* Somebody else may have to run before the one that does. */
void conductor_reconsiders(void);

/* conducted.c: a step of synchronization, up to its call and after it. */
enum step_kind conducted_kind(const char *what);
/* True: it is known to have returned *result, and to have done nothing. */
bool conducted_begin(struct actor *a, const char *what, const void *address, int *result);
void conducted_end(struct actor *a);
/* Has it come to the turn of the step that the thread waits at? */
bool conducted_is_due(const struct actor *a);
/* For whoever explains it: what was done (enum rt_access, or NONE: a step), and what is there now. */
void conductor_trail(struct actor *a, uint32_t access);
/* It has done the SAP that it is at. */
void conductor_ran(const struct actor *a);
/* The step that the thread is in never ends. */
void conductor_blocked(struct actor *a);
/* The same of a block of the heap, for which `caller` called; size 0: it is freed. Does nothing outside of an attempt. */
void conductor_allocated(const void *p, size_t size, const void *caller);

/* blocking.c: for the interposed functions. */
/* The step at hand would block: false when its time is up. */
bool conductor_block(const void *object, bool timed);
/* By when the timed wait that comes next at the object is over. Who waits without, does so until nobody else can run. */
void conductor_limit(const void *object, clockid_t clock, const struct timespec *until);
/* A call that is tried until it is not `busy`; a time limit ends it with ETIMEDOUT. */
#define CONDUCTED(object, busy, timed, call, try)                                       \
	({                                                                              \
		int tried_ = 0;                                                         \
		if (!conductor_on)                                                      \
			tried_ = (call);                                                \
		else                                                                    \
			while ((tried_ = (try)) == (busy))                              \
				if (!conductor_block(object, timed)) {                  \
					tried_ = ETIMEDOUT;                             \
					break;                                          \
				}                                                       \
		tried_;                                                                 \
	})
int conductor_trylock(pthread_mutex_t *mutex);
/* The thread ends, and gives up the robust mutexes that it has: who is blocked on one may try again. */
void conductor_gives_up(const struct twin_thread *t);
/*
 * A futex: waiting blocks the actor, waking ends that. False: nothing was done, the real call is to be made: for operations that are not
 * conducted, and where no actor was to be woken.
 */
bool conductor_futex(const void *at, int what, uint32_t value, bool timed, uint32_t mask, long *result);
/* The same for what std::future waits by: *result is whether the time was not up. */
bool conductor_future_wait(const void *at, uint32_t value, bool timed, bool *result);
bool conductor_future_notify(const void *at);
void conductor_hold(void); /* the calling thread waits for ever */
void conductor_created(struct twin_thread *t, pthread_t id, bool failed);
void conductor_join(pthread_t id);
void conductor_path(void); /* the calling thread's tray is full */
int conductor_wait(const void *cond, bool timed); /* after the mutex was given up */
void conductor_signal(const void *cond, bool all);
int conductor_barrier(pthread_barrier_t *barrier);
void conductor_once(const pthread_once_t *control);

/* sketch.c */
bool sketch_open(const char *path);
bool sketch_has(enum rt_sketch_flag flag);
void sketch_follow(struct follower *f, const char *name);
bool sketch_knows(const char *name); /* a thread that was started */
bool sketch_fails(const struct follower *f); /* is it the failing thread? */
enum sketch_place { SKETCH_ON, SKETCH_OFF, SKETCH_BEYOND };
enum sketch_place sketch_path(const struct follower *f, const uint8_t *bits, unsigned n); /* what it appends next */
uint64_t sketch_matched(void); /* branches of all threads, as far as they have followed it */
const struct rt_sync *sketch_step(struct follower *f);                  /* of the next step, or NULL */
uint64_t sketch_time(struct follower *f);                               /* of the next stamp; UINT64_MAX: no more */

/* conflicts.c */
bool conflicts_start(void);
void conflicts_access(struct actor *a, uint32_t site, const void *address, uint64_t size, bool writes);
void conflicts_acquire(struct actor *a, struct object *o);
void conflicts_release(struct actor *a, struct object *o);
void clock_join(uint64_t *into, const uint64_t *other);

#endif
