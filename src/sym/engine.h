/*
 * The inference engine inside the twin (engine.h of include/rethread): executes every thread along its
 * recorded path, one at a time, in an order that respects the recorded synchronization, and writes what
 * it found (model/execution.h).
 *
 *   engine.c   start, threads, faults; engine_calls.c: entry from native code; engine_finish.c: the result
 *   failing.c  whose end is the failure, and how far logs go
 *   baton.c    which thread runs
 *   sync.c     interposed functions: synchronization, known orders (sync.h names its other parts)
 *   vclock.c   vector clocks
 *   host.c     what the interpreter asks for: accesses, path, native calls
 *   native.c   what native code does to memory; inputs
 *   text.c     functions of the C library that read text
 *   signals.c  handlers of signals
 *   hear.c     order among inputs of different threads
 *   inside.c   order among calls of libraries that ask the system for something themselves
 *   time.c     which thread is behind
 *   await.c    waiting for what a read found
 *   race.c     which locations race
 *   outside.c  what lies between blocks
 *   unmapped.c memory that is given back to the system
 *   mirror.c   memory that the recorded run reused, and used after it was freed; turns.c: by whom first
 *   recall.c   recorded values of reads that decide addresses; recall_addresses.c, blocks.c: where memory lay in the recorded run
 *   spin.c     busy waiting
 *   laps.c     loops that poll; counting.c: and count how often
 *   guess.c    concrete values for what is not known
 *   names.c    what memory is called in the source
 *   events.c   events and conditions as they occur
 *   lines.c    the source lines threads pass, for `rethread dump'
 *
 * All of it includes this file, which has the engine's state and, at its end, the rest: guess.h, laps.h, reused.h.
 */
#ifndef RETHREAD_SYM_ENGINE_H
#define RETHREAD_SYM_ENGINE_H

#include "model/execution.h"
#include "sym/counters.h"
#include "sym/expr.h"
#include "sym/interp.h"
#include "sym/race.h"
#include "trace/trace.h"

#include <rethread/engine.h>
#include <rethread/schedule.h>

#include <setjmp.h>

struct object;

enum wait_kind {
	WAIT_NOTHING,
	WAIT_OBJECT,  /* the object is free, and the next step on it is number `order` (0: any) */
	WAIT_JOIN,    /* target has ended */
	WAIT_CANCEL,  /* somebody has cancelled it */
	WAIT_TIME,    /* all have done what they did before wait_time and might be heard of (hear.c) */
	WAIT_BLOCK,   /* a block of memory is allocated that lay at wait_order in the recorded run (recall.c) */
	WAIT_FREE,    /* the wait_size bytes at wait_order are freed, or others have come to wait_time (mirror.c) */
	WAIT_VALUE,   /* the wait_size bytes at wait_order are wait_value (wait_other: something else), or others have come to wait_time (await.c) */
	WAIT_ROUTINE, /* a once routine of a library's, whose pthread_once_t is at wait_order, runs in another thread */
	WAIT_LIBRARY, /* ... until nobody is in a call of a library that has asked the system in it, and can go on (inside.c) */
	WAIT_FOREVER, /* ended, or blocked at the end of its log */
	/* Where the order of synchronization is not recorded (unordered.c): */
	WAIT_READ,    /* no writer holds the object */
	WAIT_SIGNAL,  /* woken by a signal */
	WAIT_TOKEN,   /* the semaphore has one */
	WAIT_ROUND,   /* all have arrived at the barrier */
	WAIT_ONCE,    /* the routine has run */
};

/* Vector clock: entry u is how much of thread u's time is ordered before now. */
struct vclock {
	uint32_t *at;
	uint32_t n;
};
void vclock_join(struct vclock *into, const struct vclock *other);
void vclock_set(struct vclock *into, const struct vclock *other);
void vclock_tick(struct vclock *c, uint32_t thread);
uint32_t vclock_of(const struct vclock *c, uint32_t thread);

/* Event by thread and the number it got when it was added, until the threads' lists are sorted and joined. */
struct event_ref {
	uint32_t thread, index;
};
/* An input that other threads may have heard of (hear.c). */
/* A lock that the thread has (held.c). */
struct hold {
	uint32_t lock;
	bool shared;
	uint64_t from;
};

struct wake {
	uint64_t time, sap;
	uint32_t own; /* the thread's own time */
	uint32_t site;
	struct vclock clock;
	bool is_event;
	struct event_ref event;
};
/* A condition met on the path, before events have their final numbers. */
struct local_condition {
	struct condition condition;
	uint64_t sap; /* the thread's last SAP before it */
};

/* A guess: `e` was taken to be `v`, at this time of its thread. */
struct assumption {
	expr e;
	uint64_t v;
	uint32_t thread, time;
};

/* What a symbol stands for, and what it was taken to be. */
struct symbol_info {
	struct forced_value read; /* .value: the guess */
	struct ethread *thread;
	expr symbol;
	uint64_t address; /* that was read; 0: none */
};

/* The lines a thread passed, repetitions folded (lines.c). */
struct lines {
	vec(uint64_t) entries;
	uint64_t passed;   /* in all */
	uint64_t sure;     /* of them when the thread last used its log: the recorded one came as far */
	uint64_t progress; /* of the log at that time */
	bool forgotten;    /* the first are not among the entries */
};

/* What a thread did from one read of a busy wait to the next (spin.c). */
struct spin_round {
	expr symbol;                       /* that was read */
	uint32_t conditions, nconditions;  /* met: first, how many */
	uint32_t nbits;                    /* of the path; 0: too many, or there was no such round */
	uint64_t bits;
};

/* The last racy read of a thread: perhaps a busy wait. */
struct spin {
	uint32_t site, size;
	uint64_t address;
	size_t event;             /* its number among the thread's */
	struct slot value;        /* what was read */
	size_t conditions, nexprs; /* how many there were then */
	uint64_t path_bits;
	bool merged;              /* the event stands for more than one read */
	bool computes;            /* no busy waiting: a round makes new expressions */
	struct spin_round round;  /* the one before */
};

/* Laps of a loop that polls (laps.c). */
enum { LAP_READS = 64, LAP_STORES = 4 };
struct lap_store { /* to memory that does not race */
	uint32_t site, size;
	uint64_t address, value;
};
struct lap_read { /* or a write that races */
	uint32_t site, size;
	uint64_t address;
	size_t event; /* racy: its number among the thread's, and what it read */
	expr symbol;
	bool writes;
	struct slot written;
};
struct lap {
	/* Where the thread was at the first of its reads. */
	uint64_t sap, path_bits;
	size_t conditions, value;  /* of them */
	uint64_t effects, stored;
	uint64_t lines; /* passed by then (lines.c) */
	uint64_t bits;             /* of the path, to the lap's end */
	uint32_t n, nstores;
	struct lap_store stores[LAP_STORES];
	struct lap_read reads[LAP_READS]; /* last: what is not used of it is not copied */
};
/* What changes from lap to lap, perhaps by counting: a register, or a word of memory (counting.c). */
struct counted {
	size_t reg;
	uint64_t address; /* 0: a register */
	uint32_t size;
	bool site;        /* memory that is stored to at a site */
	uint64_t value;   /* when the lap at hand began */
	int64_t step;
};
struct counting {
	bool on;     /* the lap at hand is executed with symbols for what changes */
	bool failed; /* ... which tells nothing */
	struct counters counters;
	vec(struct counted) what;
	vec(expr) known; /* what decided branches that are not recorded */
};
struct laps {
	struct lap before, now;
	size_t conditions, value;     /* of the thread, when it came to the read at hand */
	size_t nevents;               /* of the thread, after the last of the reads */
	bool ends;                    /* the read at hand is the anchor of another lap */
	bool cut_off;                 /* of the laps ahead, the later ones have no values in the log: nothing is said of what they read */
	bool snapped;
	/* Snapped when the lap at hand began: */
	vec(struct slot) registers;
	vec(uint32_t) locals;
	const uint32_t *locals_at;
	struct counting counting;
	uint32_t misses;              /* laps that were the same, but for registers */
	uint32_t turns;               /* so many reads of the loop have been tried as anchors */
	bool turn;                    /* the one at hand is none: the next read is to be tried */
};

/* A place of which a thread was forced to read an older value than memory held then. */
struct lag {
	uint64_t address, in_memory, seen;
	uint64_t heard; /* what it had learnt from others by then */
};

/* notes.c: an access that is no event, or (EVENT_CALL) a block that was freed or allocated. */
struct note {
	uint64_t sap, address;
	uint64_t value; /* of the block: its size */
	expr e;
	uint32_t site;  /* in engine.sites */
	uint8_t kind;   /* enum event_kind */
	uint8_t size;   /* of the block: enum note_kind */
};
struct notes {
	vec(struct note) early; /* of blocks and signals, which are few: from before the oldest of all */
	vec(struct note) all;
	size_t oldest; /* where the next one goes when there are too many */
};

struct ethread {
	uint32_t number;  /* in order of creation in this run; index in the result */
	char name[64];
	uint32_t children;
	struct ithread *interp;
	const struct trace_thread *log; /* NULL: the recorded run never saw it start */
	struct path_reader path;
	uint64_t path_bits;      /* read so far */
	struct rounds {
		uint32_t most;       /* what the highest number stands for */
		uint64_t left, done; /* branches that stay in the loop, of this entry; those that did */
		bool within;         /* the thread may be in such a loop */
		bool more, free;     /* another entry follows; there is none */
		bool given;          /* the next bit is not the log's: `bit` */
		int64_t bit;
	} rounds;                /* of the loop that counts them */
	uint32_t unwritten;      /* silent ways since what its log had when a fault came */
	uint64_t recent_bits;    /* the last 64 of them, newest lowest */
	uint32_t alone;          /* calls of engine_goes_round that found it alone */
	struct spin spin;
	struct laps laps;
	vec(struct left_out) left_out; /* of a replay */
	uint64_t bits_left_out;        /* of the path, with these */
	uint64_t effects;        /* things done that others may see, or that have a state of their own */
	uint64_t saps;
	uint32_t optional;       /* events since its log was used up */
	bool left_going;         /* ... and it was stopped at some point, for it may never come to an end */
	uint64_t refuted_at;     /* its clock when a guess of its turned out wrong, or 0 */
	bool strayed;            /* it went another way than it was recorded to go: what it does since may never have happened */
	struct last_read {
		uint64_t address;
		uint32_t size, site;
	} last_reads[2];         /* of what is not known to race, the last one first; site 0: none (suspect.c) */
	uint64_t piece_sap;      /* the SAP whose racy reads were counted last */
	uint32_t pieces;         /* how many it has had so far */
	bool looks_outside, found_outside; /* it has read what may be anything (outside.c); in its last read */
	char looked[200];        /* ... where first, for explanations */
	bool in_text, beyond_text; /* it reads a text, behind the first piece; behind what is its end now (text.c) */
	bool unsure;             /* what it last read of what races is not known: a lap that was left out (ties.c) */
	uint64_t assumed_at;     /* instruction count at the last assumption */
	expr address;            /* of the access at hand, when it was assumed to be address_value, at instruction address_at */
	uint64_t address_at, address_value;
	uint64_t ops;      /* synchronization operations completed */
	size_t next_sync;  /* in log->sync */
	size_t next_input; /* in log->inputs */
	size_t next_value; /* in log->values */
	bool signals;      /* there are some among the inputs */
	bool recall;       /* the next access has its value in the log */
	bool recall_float; /* ... and is no integer, so no address either */
	uint64_t recall_address; /* of the access at hand */
	bool recall_wide;  /* ... in two words: a number of 64 bits */
	size_t next_shown; /* in log->shown */
	/* The allocation at hand (mirror.c): */
	bool allocates;
	bool makes_block; /* the call at hand allocates memory, whether its place matters or not */
	uint64_t place;    /* where the recorded run had the block, its lower half; 0: not known */
	uint64_t placed, placed_size; /* where it was put; 0: anywhere */
	char *before;      /* what was in that memory */
	struct native_memory *native_memory; /* of the native call it is in (native.c) */
	bool outside;      /* in a call of a function that no table has (inside.c) */
	uint64_t calls_outside; /* so many such calls it has begun */
	bool read_fault;   /* what it read last, of what the log has, led to the fault that ended the run (recall.c) */
	struct asked {
		uint64_t sap; /* 0: none */
		uint32_t site;
		uint64_t call; /* its number among all such calls */
	} asked;           /* the last input in that call */
	size_t askings_known;
	vec(uint64_t) asking_calls; /* by thread: the last such call that it is known to have come after, while that was under way */
	vec(struct wake) wakes; /* by time */
	struct vclock clock;
	vec(struct event) events;
	struct notes notes;
	vec(struct hold) holds; /* held.c */
	struct lag lags[64]; /* guess.c: by address */
	bool buffered;     /* has written since its last event that drains a store buffer */
	uint32_t drained[4], ndrained; /* sites of fences since then: those of a round of a loop that polls */
	vec(struct local_condition) conditions;
	/* time.c */
	uint64_t time;       /* the last stamp passed, 0 = none */
	size_t next_time;    /* in log->times */
	size_t stamped;      /* events that know the stamp after them */
	uint64_t words_seen; /* of the path, when it was last asked whether it goes round */
	size_t stamp_end;    /* events before the bit of the path behind which the next stamp was made, once that is read */
	bool held;           /* by the guide, before the SAP it has counted */
	/* baton.c */
	_Atomic uint32_t turn; /* futex */
	enum wait_kind wait, last_wait; /* last_wait: what it last waited for, for figures */
	struct object *wait_object;
	uint64_t wait_order, wait_size, wait_value;
	bool wait_other, wait_dead; /* wait_dead: for the owner's end */
	struct ethread *wait_thread;
	uint64_t wait_time;
	struct lines lines;
	/* life */
	/* unordered.c */
	bool woken;
	uint64_t due;        /* when it got on in the step it is in, where that blocked; 0: not known */
	uint64_t spoke;      /* the time of its last input that has one; its events are not stamped by it: memory was written before that */
	bool published;      /* the block that it waits for is there, and a lock was given up since */
	uint32_t round;      /* that it arrived for, at the barrier it is at */
	size_t visit;        /* ... the number of that visit */
	struct object *once; /* whose routine it runs */
	uint32_t joins; /* number + 1 of the thread whose end it waits for, or is about to; 0: none */
	const void *blocked_on; /* ended in a step on it that is part of the failure: `attempt` */
	const void *waits_for; /* a condition variable, since SAP waits_since; NULL: none */
	uint64_t waits_since;
	const void *blocked_condition; /* ... or waiting for a signal */
	struct event_ref attempt;
	const char *native; /* the native function the interpreter is calling, or NULL */
	bool calls_nothing; /* it is about to call a null pointer */
	bool ended;  /* its EVENT_END is recorded */
	bool over;   /* it does nothing any more, but perhaps the engine's last work */
	struct event_ref end;
	bool failed; /* ended at the recorded failure */
	pthread_t id;
	void *result;
	jmp_buf out;      /* to the end of its first function */
	bool cancelled;   /* somebody called pthread_cancel: */
	struct vclock cancel_clock;
	struct event_ref cancel_event;
};

struct order_ref {
	struct event_ref a, b;
};

struct engine {
	const struct rt_engine_config *config;
	struct trace *trace;
	struct interp *interp;
	struct expr_arena *exprs;
	struct races *races;
	vec(struct range) known; /* racy since an earlier run */
	vec(struct ethread *) threads;
	vec(struct order_ref) orders;
	vec(struct initial) initials;
	vec(struct held_lock) held;
	vec(struct forced_result) results;
	vec(struct site_info) sites;
	uint32_t *site_index; /* instrumentation site -> sites, or its callers (events.c); 0 = not yet */
	bool lock_order; /* the log has the order of locks, or that is the guide's */
	bool free;       /* the log has no paths (scheme rw): threads go the way that they compute, in the order of the guide, and its steps are SAPs */
	uint64_t freed_mark; /* left by the C library in what was given back, where it keeps that for the thread */
	vec(uint64_t) open_barriers; /* addresses of those that more threads use than they are for */
	vec(struct assumption) assumptions;
	vec(struct forced_value) forced; /* by thread, sap, piece */
	vec(struct symbol_info) symbols; /* by number */
	/* Combinations of values that lead off the recorded paths: runs of entries, each ended by one with sap 0. */
	vec(struct forced_value) nogoods;
	size_t nogoods_loaded; /* how many entries are from earlier runs */
	uint32_t nevents;      /* of all threads so far */
	uint64_t seed;         /* 0: threads run in the order of time; else in one of many (time.c) */
	vec(struct guide_run) guide; /* followed first */
	size_t guided;         /* runs of it that are over */
	uint64_t mismatches, faults, refuted;
	uint64_t unseen; /* bytes of racy memory that libraries changed in ways that no table has */
	char answering[80];      /* the first function of a library that no table has and that answered something while there were several threads */
	char first_mismatch[256], first_fault[256];
	/* Where the recorded fault was, from the program's debug information; empty when unknown. */
	char fail_file[128]; /* without its folder */
	uint32_t fail_line;
	uint64_t most_lines; /* entries of lines to keep for each thread; 0: none are wanted */
};
extern struct engine engine;

/* engine.c */
struct ethread *engine_thread_new(struct ethread *parent);
struct ethread *engine_self(void);
void engine_self_set(struct ethread *t);
_Noreturn void engine_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A file that goes from run to run of the executor (free it). */
char *engine_state_file(const char *name);
void engine_thread_ends(struct ethread *t, bool failed); /* record its end */
/* ... at a call that does not return; counted: the call was counted as a SAP. */
void engine_ends_here(struct ethread *t, bool counted);
/* The thread used an address that is none: as it was recorded to, or since a guess was wrong. */
_Noreturn void engine_faults(struct ethread *t, bool recorded);
_Noreturn void engine_thread_over(struct ethread *t);    /* ... and never come back */
/* The calling thread's routine has returned: it is over when its thread-specific destructors have run. */
void engine_thread_returns(void);
/* The calling thread ends the process. */
void engine_leave_process(void);
/* The calling thread is in the engine (1) or in the program's native code (0); returns what it was. */
int engine_inside(int inside);

/* engine_calls.c: for the twin's runtime. */
const struct rt_engine *engine_calls(void);

/* engine_finish.c: write the result and end the process. */
_Noreturn void engine_finish(void);

/* failing.c: is the end of this thread part of the failure; at_end: where the program itself would end. */
bool engine_is_failing(const struct ethread *t, bool at_end);
/*
 * ... when it is over, as the C library gives back for good what it kept for the thread, and finds a block among that twice. At
 * the end of the run: threads that were over by then came before, since they may have given it back, too.
 */
bool engine_fails_as_it_ends(const struct ethread *t);
void engine_order_ends(void);
/* Is being blocked for ever this thread's part in the failure? */
bool engine_blocking_fails(const struct ethread *t);
/* Has it gone along all of its path, and done all steps of synchronization that it did? */
bool engine_path_used_up(const struct ethread *t);
/* ... and used all inputs? */
/* Is the step at hand one that the log does not have as done? */
bool engine_step_is_beyond(const struct ethread *t);
bool engine_log_used_up(const struct ethread *t);
/* Its log is at its end, and the thread is about to go on: did the recorded one fail before that? Then a guess is wrong. */
bool engine_goes_too_far(const struct ethread *t);
/*
 * The recorded run was ended for its time, and only this thread was still busy: has it been for long enough (words of its path)? Where it was in the end is
 * of no more interest than where it is now. Called once in a while.
 */
bool engine_goes_round(struct ethread *t);
/* Did it fail inside the call at hand, by a signal? */
bool engine_fails_in_call(const struct ethread *t);
/* Ending the process, did the thread go on in exit handlers? */
bool engine_exits(const struct ethread *t);
/* May the thread have been killed anywhere from here on? Not when it has yet to come to the failure. */
bool engine_may_be_over(const struct ethread *t);

/* baton.c: block until the wait that `self` has set can be over; run another meanwhile. */
void baton_wait(struct ethread *self);
/* Lets a thread that is behind in time run first. */
void baton_yield(struct ethread *self);
/* Lets some other thread run that has not come past the time `until`, if there is one. */
void baton_wander(struct ethread *self, uint64_t random, uint64_t until);
/* Lets this one run. */
void baton_give(struct ethread *self, struct ethread *next);
void baton_first(struct ethread *self);      /* a new thread waits for its first turn */
_Noreturn void baton_leave(struct ethread *self);

/* time.c: the thread has come past a stamp; past words of its path. */
void time_passes(struct ethread *t, uint64_t stamp);
void time_path_stamps(struct ethread *t);
/* Bits of the path were read: there may be stamps on the way. */
static inline void time_path(struct ethread *t)
{
	if (t->log && t->next_time < t->log->ntimes && t->log->times[t->next_time].bits <= path_reader_done(&t->path))
		time_path_stamps(t);
}

/*
 * Before each shared access: another thread's turn where the guide says so; after its end, with a seed, now and then, as
 * far as the stamps leave it open.
 */
void time_wander(struct ethread *t);
/* When the access at hand was over, at the latest. */
uint64_t time_over_by(const struct ethread *t);
/* Whom the guide wants to run now; NULL: nobody who can. */
struct ethread *time_guided(void);
void time_load(void);
/* Its next stamp: what it does until then happened before it. UINT64_MAX: there is none. */
uint64_t time_next(const struct ethread *t);

/*
 * await.c: the thread is about to read this value, if memory can be made to hold it: others run first who may write it, unless it has
 * been there, and gone, already.
 */
void await_value(struct ethread *self, uint64_t address, unsigned size, uint64_t value);
/* ... is about to read anything else than this. */
void await_other(struct ethread *self, uint64_t address, unsigned size, uint64_t value);
bool await_can_go(const struct ethread *t);
/* Has everybody who can go on come to the time that t waits for? */
bool await_is_over(const struct ethread *t);
/* A racy place was written; who waits for that goes on. */
void await_wrote(struct ethread *self, uint64_t address, unsigned size, uint64_t value);

/* held.c: the thread has got a lock, or gives it up, at its last SAP. */
void held_take(struct ethread *self, const struct object *o, bool shared);
void held_drop(struct ethread *self, const struct object *o);
/* Those that are still held. */
void held_finish(void);

/* sync.c, sync_threads.c: the steps of interposed calls (include/rethread/engine.h). */
int sync_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int sync_join(pthread_t, void **, const char *what);
int sync_acquire(const void *object, const char *what);
void sync_release(const void *object, const char *what);
/* The block is freed: after what was done so far to synchronization objects in it. */
void sync_freed(struct ethread *self, uint64_t start, uint64_t size);
/* A lock is initialised, perhaps while somebody has it, as the child of a fork does: nobody has it any more. In the recorded order. */
void sync_renewed(struct ethread *self, const void *place, const char *what);
int sync_wait(const void *condition, const void *mutex, const char *what);
void sync_signal(const void *condition, bool all, const char *what);
int sync_ordered(const void *object, enum rt_step step, const char *what);
void sync_plain(const char *what);
enum rt_once sync_once(const void *control);
_Noreturn void sync_exit(void *result);
void sync_cancel(pthread_t id);
_Noreturn void sync_cancelled(struct ethread *self); /* in the input at hand */
int sync_point(const char *what);
/* The recorded run never came back from the call at hand. */
_Noreturn void sync_blocked(struct ethread *self);
bool sync_can_go(const struct ethread *t);
/* Has another thread, which has not ended, inputs that it is yet to make? */
bool sync_others_ask(const struct ethread *t);
/* At the end: who is blocked comes after who holds. Returns how much it learnt that only another run can make use of. */
size_t sync_finish(void);
/* A synchronization object is initialised. */
void object_forget(const void *place);

/* host.c: an access by the thread at hand, which has counted its SAP. Site 0: where the thread is. */
void engine_load(struct ethread *self, uint32_t site, struct access *a);
/* The same, by something that is no load of the program's; `what` names it in events and notes. */
void engine_load_as(struct ethread *self, uint32_t site, struct access *a, const char *what);
void engine_store(struct ethread *self, uint32_t site, const struct access *a);
/* Counts as a write where races are looked for, but leaves memory as it is. */
void engine_touch(struct ethread *self, uint64_t address, unsigned size);

/* native.c: around a native call of x; read: mask of parameters whose memory was read already. The end may come without a beginning, which is then no end. */
struct external;
void native_begins(struct ethread *self, const struct native_call *c, const struct external *x, uint32_t read);
void native_ends(struct ethread *self, const struct native_call *c);
/*
 * What the C library leaves in the first words of a block that it got back, more or less. Small blocks have room for them, too. False:
 * it leaves nothing there. marked: the second word, too.
 */
bool native_left_by_free(uint64_t start, bool marked, uint64_t at, unsigned size, uint64_t *left);
/* The thread reads these bytes in native code; decides: what it reads has consequences. */
void native_uses(struct ethread *self, uint32_t site, uint64_t from, uint64_t size, bool decides);
/* format.c: ... as the printf format in that parameter says; read: as above. In format_reads_list a va_list follows the format. */
void format_reads(struct ethread *self, const struct native_call *c, unsigned format, uint32_t read, bool decides);
void format_reads_list(struct ethread *self, const struct native_call *c, unsigned format, bool decides);
/* Inputs (include/rethread/engine.h). */
const struct rt_input *native_input(uint32_t function, const char *what);
/* The thread calls another function than it did: some guess led it off its path. */
_Noreturn void native_off_path(struct ethread *self, const char *what, const char *recorded);
void native_reads(const void *from, uint64_t size);
void native_writes(void *to, const void *bytes, uint64_t size);

/*
 * shown.c: a call that shows something is about to be made, with these parameters: they are what the recorded call's
 * were, as conditions. Returns a mask of parameters whose memory is then dealt with.
 */
uint32_t shown_call(struct ethread *self, struct native_call *c, enum condition_kind kind);
/* The thread reads these bytes, and finds what the recorded one found. */
void shown_bytes(struct ethread *self, uint32_t site, uint64_t from, const char *text, uint64_t size);
/* The process ends with this status. */
void shown_status(struct ethread *self, const struct slot *status);

/* signals.c: the thread is at a place of this kind; handlers of signals that it ran there run. */
void signals_at(struct ethread *self, enum rt_signal_place place);
/* The same in a host function that interpreted code calls, outside of any native call. */
void signals_at_instruction(struct ethread *self, enum rt_signal_place place);
/* The instruction at hand failed. True: so it did in the recorded run, and its handler has come back. *ends: the run ended by it. */
bool signals_fault(struct ethread *self, int signal, bool *ends);
/* The path behind silent ways that were not written when a fault came, and were when its handler had come back (host.c). */
void path_settle(struct ethread *self);
/* The path goes on elsewhere, with the same rounds behind it: what comes next may be another number (rounds.c). */
void rounds_skipped(struct ethread *self);
/* Does the log say that a fault of the thread comes next, before any bit of its path? */
bool signals_fault_comes(const struct ethread *self);
/* How many bits of the path the log has before the thread's next handler runs; UINT64_MAX: a step or an input comes first, or none runs. */
uint64_t signals_bits_ahead(const struct ethread *self);

/* unseen.c: a library is about to be called; the program has written racy memory, or reads it and finds that. */
void unseen_call(void);
void unseen_note(uint64_t address, unsigned size, uint64_t value);
void unseen_read(uint64_t address, unsigned size, uint64_t value);

/* hear.c: the input at hand, in the order that time gives it. */
void hear_input(struct ethread *self, const struct rt_input *input, const char *what);
bool hear_can_go(const struct ethread *self);

/*
 * inside.c: a call of a function that no table has begins, and ends; an input was made, perhaps inside of such a call; in such a call the thread came back
 * from something that another one may have done for it.
 */
void inside_came_back(struct ethread *self);
void inside_begins(struct ethread *self);
void inside_ends(struct ethread *self);
void inside_asked(struct ethread *self, const char *what);
/* Before such a call: waits for those that are in one and have asked, and for others, if an earlier run has found that they ask in its place. */
void inside_waits(struct ethread *self);
/* The call asks for an input that its thread's log does not have: ends the run if another's has. */
void inside_asks_in_vain(struct ethread *self, const char *what);
/* Has somebody to be waited for by who waits for that (WAIT_LIBRARY)? */
bool inside_is_asking(const struct ethread *t);
void inside_load(void);
size_t inside_finish(void); /* as sync_finish */

/* outside.c: does the address lie where blocks are, but in none? */
bool outside_is(uint64_t address);
/* What is read there may be anything; memory happens to hold `found`. */
struct slot outside_read(struct ethread *t, uint64_t address, uint64_t found, unsigned size);
/* The value is such a one. */
void outside_mark(expr e);
/* Is the value made of such a one? Then no condition can be. */
bool outside_decides(expr e);
/* Something was written there, or to a block that was given back. */
void outside_harmed(struct ethread *t, uint64_t address);
/* Is using the value as an address, or handing it to a library, how the recorded run ended? */
bool outside_fails_by(struct ethread *t, expr e, bool address);
/* Did the recorded run end in the call at hand, in a library, when something had been harmed? */
bool outside_fails_in(struct ethread *t);
/* The thread is over, and the recorded one failed then: the C library found something else than it had left in a block that it kept for the thread. */
void outside_fails_as_it_ends(struct ethread *t);
size_t outside_doubtful(void); /* at the end: how often any of that happened */
/* ... and, for explanations, who wrote there first, or what the failing thread read there; "": nobody, nothing. */
const char *outside_text(void);

/* gone.c: the thread accesses that memory; the first access of another thread's local variable that may have been no more, or "". */
void gone_access(struct ethread *t, uint64_t address, bool write);
const char *gone_text(void);

/*
 * lulls.c: is the racy read at hand in the middle of many that found the same, as an earlier run had it? Then it is no event, and
 * finds that.
 */
bool lulls_read(struct ethread *t, uint32_t site, struct access *a);
/* A racy read is a symbol, and is taken to find a->value. */
void lulls_note(const struct ethread *t, const struct access *a);
/* A branch of the thread went against what its last reads of the place were taken to find. */
void lulls_contradicted(const struct ethread *t, uint64_t address);
void lulls_written(const struct ethread *t, uint64_t address, uint64_t size);
/* SAP up to which the thread's reads of the place find the same; UINT64_MAX: nothing is known of it. */
uint64_t lulls_until(const struct ethread *t, uint64_t address);
/* Laps were left out: its last read of the place came so many SAPs later. */
void lulls_moved(const struct ethread *t, uint64_t address, uint64_t saps);
void lulls_load(void);
uint64_t lulls_doubtful(void);
/* At the end: is another run, with what this one learnt, worth while? */
bool lulls_finish(void);

/*
 * text.c: does what a call of strlen, strcmp, strcpy or their kin does, with symbols for what races. False: it is none, and
 * native code is to do it.
 */
bool text_call(struct ethread *self, struct native_call *c);
/* Is it one of them that changes nothing? */
bool text_only_reads(const char *name);
size_t text_doubtful(void); /* at the end: how many texts were taken to be no longer than was looked */

/*
 * unmapped.c: an access, at a site; does not return where the recorded run ended by it. The call of munmap at hand: true, the executor has
 * done it. Something is about to be mapped where the recorded run had it. At the end: orders are added.
 */
void unmapped_load(void);
void unmapped_access(struct ethread *self, uint32_t site, uint64_t address, unsigned size);
bool unmapped_call(struct ethread *self, const struct native_call *c);
void unmapped_mapped(struct ethread *self, uint64_t recorded);
void unmapped_finish(void);

/* events.c */
/* A slot as an expression of 8 * size bits. */
expr value_expr(const struct slot *s, unsigned size);
struct event *event_add(struct ethread *t, enum event_kind kind, uint64_t object, uint32_t site);
/* Was this fence passed already, and has the thread written nothing since? It is no event then: a thread that polls comes there again and again. */
bool event_is_drained(struct ethread *t, uint32_t fence);
struct event_ref event_last(const struct ethread *t);
/* An event that happened at an earlier SAP of the thread and turns out to matter now. */
struct event_ref event_add_late(struct ethread *t, enum event_kind kind, uint64_t object, uint64_t sap,
				uint32_t site);
void order_add(struct event_ref a, struct event_ref b);
void condition_add(struct ethread *t, expr e, uint64_t value, enum condition_kind kind);
/* Index of a site's description; 0 for none. `what` names the operation. */
uint32_t site_describe(struct ethread *t, uint32_t site, const char *what);
/* Describes the place where the thread is (interposed calls have no site). */
uint32_t place_describe(struct ethread *t, const char *what);
/*
 * numbers.c, at the end: where a number was made of an address, or would be if a racy read found another value; "": nowhere, as
 * far as the code was translated to tell.
 */
const char *numbers_made(void);
const char *numbers_possible(void);
/* lines.c: are they wanted (the file `lines' of the state says how many); at the end, paths.json. */
void lines_load(void);
/* The last lines are passed n times more; false: they are not known to be a repetition. */
bool lines_repeat(struct ethread *t, uint64_t lines, uint64_t n);
void lines_write(void);
/*
 * notes.c, for explanations: an access that is no event; a block is freed, or one is allocated where another was, at a place as in
 * engine.sites. At the end, those that tell something.
 */
void notes_access(struct ethread *t, uint32_t site, const struct access *a, bool write, const char *what);
enum note_kind {
	NOTE_FREED,
	NOTE_ALLOCATED,
	NOTE_DOUBTFUL,  /* allocated, and who had the memory before is not known */
	NOTE_SIGNALLED, /* a condition variable */
	NOTE_WAITS,     /* for one */
	NOTE_WAITED,    /* ... and that is over; `size` is the SAP since when */
	NOTE_POSTED,    /* a semaphore */
	NOTE_TOOK,      /* one */
};
void notes_block(struct ethread *t, uint32_t site, uint64_t start, uint64_t size, enum note_kind kind);
void notes_put(struct execution *x);
/* names.c: what the accessed addresses are called. */
void names_add(struct execution *x);
/* A local variable lies there from now on. */
void names_local(uint64_t start, uint64_t size, const char *name);
/* A call that allocates has returned. */
void names_allocated(struct ethread *self, const struct native_call *c);
bool events_write(const char *path, struct error *err);

#include "sym/guess.h"
#include "sym/laps.h"
#include "sym/reused.h"

#endif
