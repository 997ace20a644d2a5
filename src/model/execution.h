/*
 * What the symbolic executor found, and what the constraint model is built from: the events of every
 * thread, the values they read and wrote as expressions, the conditions their paths impose, and the
 * orders that are known. One file (`execution`), arrays of the structs below; written by
 * the engine inside the twin (src/sym/), read here.
 *
 * Only events that matter for the order are here: synchronization, accesses to racy locations, and the
 * last event of each thread. Everything else a thread did is determined by these (design §5.2).
 */
#ifndef RETHREAD_EXECUTION_H
#define RETHREAD_EXECUTION_H

#include "base/base.h"
#include "sym/expr.h"

#include <string.h>

enum event_kind {
	EVENT_START = 1, /* first event of every thread */
	EVENT_END,       /* last event: returned, stopped where its log ends, or failed */
	EVENT_READ,
	EVENT_WRITE,
	EVENT_UPDATE,    /* atomic read-modify-write: reads `read`, then writes `written`, indivisible */
	EVENT_FENCE,     /* full fence: for TSO and PSO */
	EVENT_CREATE,    /* object: thread number created */
	EVENT_JOIN,      /* object: thread number joined */
	EVENT_LOCK,      /* object: lock number */
	EVENT_UNLOCK,
	EVENT_WAIT,      /* condition variable: woken; the mutex is an UNLOCK just before and a LOCK after it */
	EVENT_SIGNAL,    /* wakes at most one WAIT */
	EVENT_BROADCAST, /* wakes all WAITs */
	EVENT_CALL,      /* external call kept for order only (output, free, ...) */
	EVENT_ORDERED,   /* a step on an object whose whole order is in `orders` (semaphore, rwlock, ...) */
	/* Where the order of synchronization was not recorded: */
	EVENT_POST,      /* semaphore: one token more; `count` tokens at the start */
	EVENT_TAKE,      /* semaphore: one token less */
	EVENT_EMPTY,     /* semaphore: there was none to take */
	EVENT_BUSY,      /* a lock that was tried is held */
	EVENT_ARRIVE,    /* barrier for `count` threads */
	EVENT_LEAVE,     /* ... and all of the round that the thread arrived in have arrived */
	EVENT_HANG,      /* condition variable: waits since the UNLOCK before it and is never woken */
	EVENT_KIND_COUNT
};

enum event_flag {
	EVENT_FAILS = 1,    /* EVENT_END of the thread that fails */
	EVENT_OPTIONAL = 2, /* after the thread's last logged event: may not have happened */
	EVENT_SHARED = 4,   /* LOCK, UNLOCK, BUSY: as a reader; readers do not exclude one another */
	EVENT_LAPS = 8,     /* READ: stands for later ones as well (`laps`) */
	EVENT_SYSTEM = 16,  /* READ, UPDATE, and notes of accesses: in code of a system header, a count of references for instance */
	EVENT_NOTE = 32,    /* it comes from `notes` */
	EVENT_FREES = 64,   /* CALL, a note: frees the block that begins at `object`, of `before` bytes */
	EVENT_SIGNALS = 256, /* ... or signals the condition variable at `object` */
	EVENT_WAITS = 512,  /* ... or begins to wait for it */
	EVENT_WAITED = 1024, /* ... or comes back from a wait for it, which began at the SAP `before` */
	EVENT_POSTS = 2048, /* ... or posts the semaphore at `object` */
	EVENT_TAKES = 4096, /* ... or takes it */
	EVENT_ACCOUNT = 32768, /* ... of an atomic variable of the header's own: references that are counted, the state of a stop token */
	EVENT_STORES = 16384, /* UPDATE: of a store that is sequentially consistent: what it read is nobody's */
	EVENT_TEXT = 8192,  /* READ: of a text, behind its first piece; if the text ends before, nobody reads that */
	EVENT_ALLOCATES = 128, /* ... or allocates it where another one was before; `count` 1: it is not certain that that one had been freed by then */
};

struct event {
	uint32_t thread;   /* index in execution.threads */
	uint8_t kind;      /* enum event_kind */
	uint8_t size;      /* bytes accessed by READ, WRITE, UPDATE: 1..8 */
	uint16_t flags;
	uint64_t sap;      /* SAP number in its thread (instrument.h); START: 0; END: that of the last SAP */
	uint64_t object;   /* address for accesses; lock, condition or thread number for the others */
	expr read;         /* READ, UPDATE: value read (a symbol, or a constant when determined) */
	expr written;      /* WRITE, UPDATE */
	uint32_t site;     /* index in execution.sites, 0 for none */
	union {
		uint32_t piece; /* READ, UPDATE: which read of its SAP this is, from 0 */
		uint32_t count; /* of a semaphore or barrier; CALL in which a thread is blocked: number + 1 of the thread whose end it waits for */
	};
	uint64_t after, before; /* time stamps: happened after the one and before the other; 0 = unknown */
	uint32_t run;      /* the order in which the executor ran the events of all threads, from 1; 0 = unknown */
	/*
	 * EVENT_LAPS: the thread read the same again every (laps & 0xffff) SAPs up to the event laps >> 16 later, which is the last
	 * time; what was left out in between found what this one found.
	 */
	uint32_t laps;
};

enum condition_kind {
	CONDITION_PATH = 0,    /* a branch went this way */
	CONDITION_BUG = 1,     /* the failure */
	CONDITION_ASSUMED = 2, /* a guess the executor had to make: with one of these, UNSAT proves nothing */
	CONDITION_ADDRESS = 3, /* likewise, of an address; later conditions that rest on it say so themselves */
	CONDITION_OUTPUT = 5,  /* something shown is what the recorded run showed */
	CONDITION_RECORDED = 6, /* something read is what the log says, whatever the thread did with it */
	CONDITION_LEARNED = 4, /* a combination of guesses that leads off the recorded path is not what happened */
};

/* A condition on values that must hold: expression of width 1 equals 1. */
struct condition {
	expr condition;
	uint32_t event;    /* last event of the thread before the branch: index in execution.events */
	uint32_t site;
	uint32_t kind;     /* enum condition_kind */
	uint32_t sequence; /* conditions of all threads in the order in which the executor met them */
	uint32_t reserved;
};

/* Event a is known to come before event b (besides program order): create/start, end/join, lock order. */
struct known_order {
	uint32_t a, b; /* indexes in execution.events */
};

/*
 * A thread had a lock from the one SAP to the other, and there are events of it in between. For explanations: where the
 * order of locks is known, LOCK and UNLOCK are only there where a lock changes hands.
 */
struct held_lock {
	uint32_t thread; /* index in execution.threads */
	uint32_t lock : 31; /* as `object` of its events */
	uint32_t shared : 1; /* as a reader */
	uint64_t from, to;
};

/* What memory holds before the first write: for each byte range read. */
struct initial {
	uint64_t address;
	uint32_t size;
	uint32_t reserved;
	uint64_t value;
};

/*
 * A synchronization step that returned something else than 0: replay gives it back. Or a signal's handler runs. Or a call
 * allocates a block whose place matters. Or it ends by a signal, since the C library's heap was overwritten. Or it gives a block back, in which a word is left.
 */
enum forced_kind { FORCED_RESULT, FORCED_SIGNAL, FORCED_PLACE, FORCED_DISORDER, FORCED_LEFT };
struct forced_result {
	uint32_t thread;
	int32_t result; /* or the signal */
	uint64_t sap;
	uint64_t kind; /* enum forced_kind */
	uint64_t when; /* of a signal, the place, or the word: struct schedule_point */
};

/*
 * Laps of a loop that polls and left all as it was: a replay does not go round as often (src/sym/laps.c). From its SAP `sap` on the thread is `fewer`
 * SAPs less far there than it was in the recorded run, what came before included.
 */
struct left_out {
	uint32_t thread, reserved;
	uint64_t sap, fewer;
};

/*
 * What a racy read shall be taken to have read in the executor's next run: the model of a solver. Threads by their
 * number in the log.
 */
struct forced_value {
	uint32_t thread, piece;
	uint64_t sap;
	uint64_t value;
};

/*
 * Part of an order that the executor's next run shall follow: this thread (by its number in the log) runs until it has
 * executed this SAP.
 */
struct guide_run {
	uint32_t thread, reserved;
	uint64_t sap;
};

/*
 * What an accessed address is called in the source, as far as known: "queue+8", "heap block 0x40+16". Of heap memory, the block that it is in, too: who
 * allocated it where.
 */
struct place_name {
	uint64_t address;
	uint64_t block, block_size;   /* where the block begins; size 0: it is in none */
	uint32_t allocated_at;        /* in `sites`; 0: not known */
	uint32_t allocated_by;        /* in `threads` */
	char name[128];
};

struct site_info {
	char where[112]; /* "file.c:33" */
	char what[48];   /* "load", "store", "pthread_mutex_lock", function name */
	char function[96];
	uint32_t number; /* of the site (instrument.h); 0 for a step of an interposed function and what is no SAP */
	uint32_t is_float; /* 1: what it accesses is a floating point number */
};

struct execution_thread {
	char name[64];            /* ancestry */
	uint32_t log_number;      /* in the log; UINT32_MAX when it is not there */
	uint32_t reserved;
	uint32_t first, count;    /* its events, contiguous and in program order */
	uint64_t saps;            /* SAPs executed in all, also those that are no events */
};

struct execution {
	vec(struct execution_thread) threads;
	vec(struct event) events;
	vec(struct condition) conditions;
	vec(struct known_order) orders;
	vec(struct held_lock) held;
	/*
	 * For explanations: READ and WRITE of memory that threads share and do not race for, and blocks that were freed or allocated, by thread, in
	 * program order. They come after the thread's events of the same SAP and before its next one.
	 */
	vec(struct event) notes;
	bool notes_lost;              /* there were more */
	vec(struct initial) initials;
	vec(struct forced_result) results;
	vec(struct left_out) left_out; /* by thread and SAP */
	vec(struct place_name) names; /* by address */
	vec(struct site_info) sites;  /* [0] is "?" */
	struct expr_arena *exprs;
	uint32_t nsymbols;
	bool lock_order_known;        /* path+sync: orders cover all LOCK events of one object */
};

/* What the events on one object are about; objects of different classes may have the same number. */
enum sync_class { SYNC_NONE, SYNC_LOCK, SYNC_CONDITION, SYNC_SEMAPHORE, SYNC_BARRIER };

static inline enum sync_class event_sync_class(const struct event *e)
{
	switch (e->kind) {
	case EVENT_LOCK:
	case EVENT_UNLOCK:
	case EVENT_BUSY:
		return SYNC_LOCK;
	case EVENT_WAIT:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_HANG:
		return SYNC_CONDITION;
	case EVENT_POST:
	case EVENT_TAKE:
	case EVENT_EMPTY:
		return SYNC_SEMAPHORE;
	case EVENT_ARRIVE:
	case EVENT_LEAVE:
		return SYNC_BARRIER;
	default:
		return SYNC_NONE;
	}
}

/* The event at which a WAIT or HANG starts: the release of the mutex just before it; UINT32_MAX: not known. */
static inline uint32_t execution_wait_start(const struct execution *x, uint32_t wait)
{
	if (wait == x->threads.at[x->events.at[wait].thread].first || x->events.at[wait - 1].kind != EVENT_UNLOCK)
		return UINT32_MAX;
	return wait - 1;
}

/*
 * Are both events, of which b comes behind a, pieces of one access or call (a vector, a long copy, a call of the C library)? In which order those touch memory
 * is the processor's and the library's affair. A copy of few words in the program has a gate for each of them: these are accesses of their own.
 */
static inline bool events_are_pieces(const struct event *a, const struct event *b)
{
	return a->sap && a->sap == b->sap && a->thread == b->thread && a->site == b->site &&
	       (a->kind == EVENT_READ || a->kind == EVENT_WRITE) && (b->kind == EVENT_READ || b->kind == EVENT_WRITE);
}

static inline bool events_overlap(const struct event *a, const struct event *b)
{
	return a->object < b->object + b->size && b->object < a->object + a->size;
}

/* Is it what free or realloc does to the block that goes? */
static inline bool event_is_by_free(const struct execution *x, const struct event *e)
{
	const char *what = x->sites.at[e->site].what;
	return !strcmp(what, "free") || !strcmp(what, "realloc");
}

/* The event behind the last of the pieces, one after another, that this is the first of. */
static inline uint32_t execution_pieces_end(const struct execution *x, uint32_t first)
{
	uint32_t end = first + 1;
	while (end < x->events.n && events_are_pieces(&x->events.at[first], &x->events.at[end]))
		end++;
	return end;
}

/* Is there an access or a call of more than one piece? */
bool execution_has_pieces(const struct execution *x);

/* The number that a SAP of the thread has in a replay. */
uint64_t execution_replayed_sap(const struct execution *x, uint32_t thread, uint64_t sap);

/* What is known of the address; NULL when it has no name. */
const struct place_name *execution_place(const struct execution *x, uint64_t address);

void execution_init(struct execution *x);
void execution_release(struct execution *x);
bool execution_write(const struct execution *x, const char *path, struct error *err);
/* Checks every index and invariant of the file: a damaged one gives an error, never a crash. */
bool execution_read(struct execution *x, const char *path, struct error *err);

#endif
