/*
 * The twin's runtime: what its parts know of each other.
 *
 * A twin runs in one of four modes, chosen once at start-up from RETHREAD_TWIN (schedule.h):
 *   free    nothing is controlled: gates count and interposed functions forward;
 *   replay  a schedule is enforced (scheduler.c);
 *   record  every SAP is logged, scheme rw (recorder.c); with a schedule, that is enforced too;
 *   infer   the program is interpreted by the engine (engine.h); gates are not used.
 * A twin that is to serve (serve.c) does not begin: its forks do, each in a mode of its own.
 * Like the recorder this code lives in somebody else's process: it allocates by mmap only, keeps errno,
 * and takes the C library's functions from rt_real (src/rt/real.h), never its own versions of them.
 */
#ifndef RETHREAD_TWIN_H
#define RETHREAD_TWIN_H

#include <rethread/engine.h>
#include <rethread/instrument.h>
#include <rethread/packed.h>
#include <rethread/schedule.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum twin_mode { TWIN_FREE, TWIN_REPLAY, TWIN_INFER, TWIN_RECORD };
extern enum twin_mode twin_mode;
extern const struct rt_engine *twin_engine; /* in infer mode */
/* Forks a run for each request that comes by the line; in the run it returns, with the request in `setting`. */
void serve(int line, char *setting, size_t size);
extern const char *twin_program; /* in mode record: path of the program that this is the twin of, or "" */

struct plan;
struct point;
struct store_buffer;
struct recorder;
struct actor;

/* Where a thread stands in its recorded inputs (input_log.c). */
struct input_cursor {
	bool started;
	const struct rt_input *at; /* the next one; NULL: none, or no more */
	uint32_t chunk;            /* index of the chunk it is in */
	/* Of a record in which others are packed: that record, and where in it the one after `at` is. */
	const struct rt_input *packed;
	const uint8_t *packed_at;
	struct rt_packed_state state;
	char *unpacked; /* `at` and the record before it take turns: RT_PACKED_ROOM bytes each; NULL: not yet */
	bool other;     /* whose turn it is */
};

/*
 * A thread of the target. `name`, `number` and `plan` are set by the creator before the thread runs; `gate` is set
 * and cleared by the thread itself. `passed` is the highest SAP it has announced; others read it.
 */
struct twin_thread {
	char name[64];
	uint32_t number;
	int tid;               /* kernel's id, once it runs */
	uint32_t children;     /* threads created so far; owner only */
	struct rt_gate *gate;  /* the thread's own gate while it lives */
	struct plan *plan;     /* NULL: not mentioned in the schedule */
	uint32_t next_point;   /* index in plan; owner only */
	_Atomic uint64_t passed;
	_Atomic uint32_t state; /* enum twin_state */
	const void *cond;      /* the condition variable it waits on, or NULL */
	const char *call;      /* in TWIN_IN_CALL: the function */
	struct input_cursor input; /* owner only */
	uint64_t waits_sap;    /* in TWIN_AT_WAIT: whom it waits for and for which SAP */
	struct plan *waits_for;
	struct recorder *recorder;   /* in mode record, or NULL */
	bool hangs;            /* it has come to where the failure is expected of it; owner only */
	bool announces;        /* somebody waits for the SAP at hand; owner only */
	bool releases;         /* the step at hand gives its object up; owner only */
	bool orders;           /* the step at hand has its object whatever it returns; owner only */
	uint8_t where;         /* enum twin_where, in mode record; owner only */
	bool deep;             /* inside a function whose calls of others are no steps; owner only */
	_Atomic uint32_t inside; /* in mode record: enum alone_state (alone.h) */
	uint64_t alone;        /* it is alone: its word in alone.c's `holder`; owner only */
	uint64_t rounds;       /* how often somebody was alone before the SAP at hand; owner only */
	uint32_t seen;         /* the epoch in which somebody who was alone saw that it had ended, or 0; guarded by being alone */
	struct actor *actor;         /* while the conductor is on (conductor.h), or NULL */
	struct store_buffer *buffer; /* NULL until it delays a store (buffers.c) */
};

/* What a signal interrupts: code of the program, the runtime or an access that it guards, a call out of the module. */
enum twin_where { TWIN_PROGRAM, TWIN_RUNTIME, TWIN_CALL };

enum twin_state { TWIN_RUNS, TWIN_AT_WAIT, TWIN_AT_STOP, TWIN_IN_CALL, TWIN_ENDED };

/* threads.c: the table of threads. */
struct twin_thread *twin_self(void); /* NULL on a thread that the runtime did not see start */
struct twin_thread *twin_own(void);  /* the same, also once it is over */
uint32_t twin_self_number(void);     /* of that; UINT32_MAX: none */
struct twin_thread *twin_thread_add(struct twin_thread *parent);
void twin_thread_begin(struct twin_thread *t);
void twin_thread_end(struct twin_thread *t);
uint32_t twin_thread_count(void);
struct twin_thread *twin_thread_at(uint32_t number);
struct twin_thread *twin_thread_named(const char *name);
/* Does the kernel have it wait for something? */
bool twin_thread_asleep(const struct twin_thread *t);

/* schedule.c: a thread's part of the schedule. */
struct wait {
	struct plan *thread;
	uint64_t sap;
};
struct point {
	uint64_t sap;
	uint32_t first_wait, waits;   /* in schedule's array: before it is executed */
	uint32_t first_delay, delays; /* before the store is visible to others */
	bool stop;
	bool announce;                /* somebody waits for this SAP */
	bool forced;                  /* the step returns `result` without being tried */
	bool fails;                   /* the failure is expected here */
	int result;
	int signal;                   /* whose handler is what is executed here, or 0 */
	uint64_t when;                /* RT_SIGNAL_AFTER_STEP, bits of the path, or 0: at the next SAP */
	int disorder;                 /* the signal by which the C library ends the run in this call, its heap being overwritten; or 0 */
	uint32_t place;               /* where the block is that is allocated here; 0: anywhere */
	uint64_t left;                /* the word that is left in the block that is given back here; 0: as always */
	const char *site;             /* number or name of what is expected here, or NULL */
	const char *comment;          /* source line of it, or NULL */
};
struct plan {
	char name[64];
	struct point *points; /* by sap */
	uint32_t npoints, cap;
	struct twin_thread *thread; /* once it exists */
};
/* Reads the file; false with a message. */
bool schedule_load(const char *path, char *message, size_t size);
struct plan *schedule_plan(const char *name);
struct plan *schedule_plan_at(uint32_t index); /* NULL beyond the last */
const struct wait *schedule_wait(uint32_t index);
/* Does it say which threads are the ones that barriers single out? */
bool schedule_names_serial(void);
bool schedule_has_disorder(void); /* disorder.c */
/* The point of a plan for this SAP, or NULL. */
struct point *schedule_point(const struct plan *p, uint64_t sap);
enum twin_memory { TWIN_SC, TWIN_TSO, TWIN_PSO };
enum twin_memory schedule_memory(void);
uint32_t schedule_failure_points(void); /* where the failure is expected: how many such lines there are */

/* scheduler.c */
/*
 * The two halves of a gate for a step of an interposed function, on a synchronization object (NULL: on none). True: the
 * schedule says what it returns, and it is not to be tried. The function is the one that calls, or `what`.
 */
#define gate_enter(result) gate_enter_as(__func__, NULL, result)
bool gate_enter_as(const char *what, const void *object, int *result);
void gate_leave(void);
/* The calling thread goes into a call that may block and is no part of a step; gate_leave ends it. */
void gate_blocks(void);
/* A gate with nothing in between. */
#define gate_step() gate_step_as(__func__, NULL)
void gate_step_as(const char *what, const void *object);
/* What the step that goes on returned. */
void gate_returns(int result);
/* Is the calling thread still under the schedule: does the schedule decide when it goes on? */
bool gate_is_scheduled(void);
/* A thread, or the process, ends before a stop of the schedule: it is held there. */
void gate_no_further(void);
/* The calling thread is over: whatever it still delays is visible, whoever waits for it looks again. */
void gate_end(void);
/* Wait until the other thread has executed the SAP, in the way of a wait of the schedule. */
void gate_await(struct twin_thread *self, const struct wait *w);
bool gate_has_passed(const struct wait *w);
_Noreturn void gate_give_up(void);
/*
 * Does nothing: where a debugger stops when the failing thread is about to execute what the schedule has as its last
 * SAP, or when everybody is blocked.
 */
void __rethread_before_failure(void);

/* The bell is rung whenever anything that a thread may wait for has happened. */
uint32_t bell_look(void);
void bell_wait(uint32_t seen);
void bell_ring(void);

/* watchdog.c: sees when nobody can go on, and says why. */
void watchdog_start(unsigned timeout_seconds);
/*
 * The recorded run did not end: when every thread has come to where the schedule has the failure, and is there or beyond it two seconds
 * later, that is the failure. One of these places is reached.
 */
void watchdog_expects_no_end(void);
void watchdog_failure_point(void);
bool watchdog_all_there(void); /* everybody has come to where the failure is expected */
bool watchdog_released(void); /* stops no longer hold */

/*
 * buffers.c: stores that the schedule delays. `sap` is the calling thread's. The places that are returned hold for this
 * access.
 */
bool buffers_used(const struct twin_thread *self); /* does the thread have stores that others do not see yet? */
void *buffers_store(struct twin_thread *self, const struct point *at, void *address, uint64_t size);
void *buffers_load(struct twin_thread *self, void *address, uint64_t size);
void *buffers_source(struct twin_thread *self, void *address, uint64_t size); /* as load, beside a store */
/* The store of the calling thread that was given a place has been executed. */
void buffers_stored(struct twin_thread *self);
/* Make visible whatever may be. */
void buffers_advance(void);
/* Wait until all stores of the calling thread are visible. */
void buffers_drain(struct twin_thread *self);
/* Is the store that is SAP `sap` of `t` executed, but not visible? */
bool buffers_hold(const struct twin_thread *t, uint64_t sap);

/* conds.c: what waits, wakes and signals the schedule has played; may a waiter go on? */
void cond_waits(const void *cond);
void cond_woken(const void *cond);
void cond_signals(const void *cond, bool all);
bool cond_can_wake(const void *cond);

/* report.c */
extern struct rt_report *twin_report; /* a scratch one when none was asked for */
void report_open(const char *path);
void report_outcome(enum rt_replay_outcome outcome, const struct twin_thread *t, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* input_log.c: recorded inputs, in replay mode and for a recording that takes them from another log. */
void input_log_open(const char *path);
bool input_log_is_open(void);
/* The calling thread's next recorded input is that it ran a handler: its siginfo_t, or NULL; *signal is which. */
const void *input_log_signal(struct twin_thread *t, int *signal);
/* If its next recorded input is that it was cancelled in it, go past that. */
void input_log_cancelled(struct twin_thread *t);
/* The signal by which the system ended the recorded run in the call behind the calling thread's last recorded input, or 0. */
int input_log_killed(struct twin_thread *t);
/* ... or by a fault of the code outside of the program that it had called: fgets of no stream. */
bool input_log_faulted(struct twin_thread *t);
/* The calling thread's next recorded input, or NULL: *lost tells whether the log may have had more. */
const struct rt_input *input_log_next(struct twin_thread *t, bool *lost);

/*
 * words.c: addresses that the program sends to itself through the kernel (a pipe, epoll). They are others than in the
 * recorded run, whose inputs are given back.
 */
void words_start(uint64_t load);
bool words_leads_somewhere(uint64_t word); /* is it the address of memory that can be read? */
void words_pair(uint64_t recorded, uint64_t own, uint64_t time); /* when it was sent */
uint64_t words_own(uint64_t recorded, uint64_t time); /* when it was heard; the same when it is no such address */

/* signals.c: the target's handlers. Those of a replay run where the schedule says, and no real signal does. */
void signals_start(void);
bool signals_deliver(int signal, const void *info); /* calls the target's handler; false: it has none */
/* The point of the schedule that the calling thread has come to is that it runs a handler: it does. */
void signals_replay(struct twin_thread *self, const struct point *at);
/* path.c: the calling thread has a tray; how many bits its path has. */
void path_begin(void);
uint64_t path_length(void);
/* It was interrupted between two instructions, and will not go on there. */
void path_catch_up(void);
/* shake.c: threads of this replay are late at random, if the seed is not 0; the thread is at a step, and may be. */
void shake_start(uint32_t with);
void shake_here(const struct twin_thread *self);

/* scheduler.c: the calling thread's path has so many bits, at a branch; does the schedule have handlers that run at such places? */
void gate_path(uint64_t bits);
bool gate_awaits_path(void);

/* heap.c: in infer mode memory is never reused, so that an address names one object, but where placed.c does. */
void heap_start(void);
/* The calling thread's next allocation gets the place that it had in the recorded run; or not, after all. */
void heap_place_next(uint64_t recorded);
void heap_place_none(void);
int *heap_engine(void);
bool heap_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed);
bool heap_marks(uint64_t size);

/*
 * disorder.c: writes beside blocks. All blocks are known from now on; a call of the calling thread is to end by that signal, or is over (0); the C library's
 * block is allocated, or given back; an allocation function is called, which may be the one.
 */
void disorder_watch(void);
void disorder_expect(int signal);
void disorder_allocated(void *block);
void disorder_freed(void *block);
void disorder_look(void);
/* Ends the run, since something was found to be overwritten. */
_Noreturn void disorder_ends(int signal);

/*
 * placed.c: blocks at places of the recorded run, which its address tells, as far as its lower half does. NULL when there is no
 * memory; whatever is at the place is covered.
 */
void *placed_take(uint32_t recorded, size_t size);
bool placed_is(const void *p); /* may be an address of such a block */
bool placed_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed); /* the newest there */
uint64_t placed_size(const void *p);
uint32_t placed_own_number(void);        /* of the calling thread, from 1 on */
uint32_t placed_owner(const void *p);    /* the number of the thread whose arena the block is from */
/* marked: as the C library marks it. again: it is not marked, and the one that the C library got back last. */
void placed_free(void *p, bool marked, bool again);
/* The word that the C library left in the recorded run in what the calling thread gives back next, as far as it matters; 0: nobody knows. */
void placed_leave(uint64_t word);
/*
 * The calling thread is over, and the C library gives back for good what it keeps for it. Should it come to that: it fails when a block is
 * among that which it got back from another thread that is over. Which it notices depends on blocks that are not followed here.
 */
void placed_over(int fails);
/* Was any block written to since it was given back, where the C library keeps its own there? */
bool placed_overwritten(void);
extern uint64_t placed_mark; /* left in what was given back */

/* A thread of the runtime's own. Signals sent to the process are the program's, so it blocks them all. */
void twin_helper(void *(*routine)(void *));
/* The program creates a thread. The C library, which knows of helpers, does not see that it is the first. */
void twin_has_threads(void);
/* Zeroed memory; NULL when there is none. */
void *twin_pages(size_t size);
void twin_pages_free(void *p, size_t size);
/* Reserved pages (PROT_NONE) can be used from now on. */
bool twin_open_pages(void *p, size_t size);
/* How much the process may have of it (ulimit -v). */
uint64_t twin_address_space(void);

#endif
