/*
 * The contract between the search engine (src/search) and a twin that makes an attempt: what was recorded, as a sketch to
 * follow, and what is to be tried and came of it. Both are files that the twin maps.
 *
 * An attempt is a run of the twin in mode `record` with one thread running at a time (src/replay/conductor.c): every SAP is a
 * place where another may get its turn. Who runs is decided by the policy, the seed, and the waits of the schedule that goes
 * with the attempt; nothing else, so that the same attempt gives the same run. RETHREAD_TWIN is
 *     mode=record,build=HEX,log=FILE,schedule=FILE,sketch=FILE,attempt=FILE
 * (`rethread hunt` leaves log and schedule out, and has an empty sketch),
 * where log has the recorded inputs, and schedule nothing but `wait` lines. Waits that cannot be kept are dropped.
 */
#ifndef RETHREAD_SEARCH_H
#define RETHREAD_SEARCH_H

#include <rethread/trace.h>

#define RT_SKETCH_MAGIC 0x48435453u
#define RT_ATTEMPT_MAGIC 0x54504d45u

enum rt_sketch_flag {
	RT_SKETCH_PATH = 1,  /* there are paths */
	RT_SKETCH_SYNC = 2,  /* there is the order of synchronization */
	RT_SKETCH_TIME = 4,  /* there are time stamps */
	RT_SKETCH_WHOLE = 8, /* the log did not end early: nobody went further than it says */
	RT_SKETCH_HANGS = 16, /* the failure is that threads are blocked */
};

/* The file begins with this; `nthreads` of struct rt_sketch_thread follow. Places are offsets in the file. */
struct rt_sketch {
	uint32_t magic, flags;
	uint32_t nthreads;
	uint32_t failing; /* index of the failing thread, or UINT32_MAX */
};
struct rt_sketch_thread {
	char name[64]; /* ancestry */
	uint64_t start_time, end_time;
	uint64_t sync_done; /* steps completed; nobody went further */
	uint32_t ended;
	uint32_t reserved;
	uint64_t path, nbits;   /* branch bits, 64 to a word, the first one highest; another word follows */
	uint64_t sync, nsync;   /* struct rt_sync */
	uint64_t times, ntimes; /* struct rt_time */
};

enum rt_policy {
	RT_POLICY_TIME = 0,   /* in the order of the recorded time stamps */
	RT_POLICY_PCT = 1,    /* random priorities that change at random places (Burckhardt et al., ASPLOS 2010) */
	RT_POLICY_RANDOM = 2, /* whoever, again and again */
};

enum rt_attempt_outcome {
	RT_ATTEMPT_RUNNING = 0, /* killed, or still at it; also: the program failed or ended by itself */
	RT_ATTEMPT_OFF = 1,     /* left the sketch, and nothing came of it for long */
	RT_ATTEMPT_STUCK = 2,   /* nobody could go on: the sketch or the waits do not let them */
	RT_ATTEMPT_HUNG = 3,    /* the program's threads are all blocked: see the log's failure */
	RT_ATTEMPT_STEPS = 4,   /* ran for more steps than it may */
};

/* Two accesses in this order, of which nothing else says that they must be: the other order is another run. */
struct rt_race {
	uint32_t thread, other;    /* numbers in this run, in the order of creation */
	uint64_t sap, other_sap;   /* `thread` did its `sap` before `other` did its `other_sap` */
	uint32_t site, other_site; /* 0: a step of synchronization */
	uint64_t step;             /* when the second one was done */
};
#define RT_RACES 4096u
#define RT_ATTEMPT_THREADS 32u /* of more than these, nothing is said */
#define RT_RACY_SITES 65536u

/* For explaining: an access to memory, or a step on an object, that more than one thread uses. */
struct rt_trail {
	uint64_t number;  /* of all accesses and steps of the attempt, from 0 */
	uint32_t thread, site;
	uint64_t sap;
	uint64_t address; /* less the program's load address when it is in the program, else 0 */
	uint64_t place;   /* the address itself */
	uint64_t value;   /* afterwards, of up to 8 bytes */
	uint32_t size;
	uint32_t kind;    /* enum rt_access; RT_ACCESS_NONE: a step of synchronization, named by `what` */
	uint32_t races;   /* 1: it is one of a race (struct rt_race) */
	uint32_t blocked; /* 1: a step that never ends, where the attempt hangs; `value`: number + 1 of the thread whose end it waits for, or 0 */
	uint64_t caller;  /* of a step of synchronization: where it returns to, less the program's load address; 0: that is not in the program */
	char what[32];
};
#define RT_TRAIL 2048u
#define RT_EARLY 1024u

/* Likewise: a block of the heap was allocated, or freed. */
struct rt_block {
	uint64_t start, size; /* size 0: it was freed */
	uint64_t caller; /* of malloc or free, less the program's load address; 0: it was not called by the program */
	uint64_t trail;  /* `numbers` then */
	uint32_t thread, reserved;
};
#define RT_BLOCKS 4096u

/* Likewise: the thread did what it did up to this SAP. Who has come to a barrier and waits there has done that. */
struct rt_run {
	uint32_t thread, reserved; /* number in this run */
	uint64_t sap;
};
#define RT_RUNS 32768u

/* In the trace of a run that `rethread hunt` found: a struct rt_attempt. */
#define RT_ATTEMPT_FILE "attempt"

struct rt_attempt {
	uint32_t magic;
	/* What is to be tried. */
	uint32_t policy;
	uint64_t seed;
	uint32_t changes;      /* RT_POLICY_PCT: of priorities */
	uint32_t delays;       /* one in so many accesses at a racy site is delayed; 0: none */
	uint64_t length;       /* steps that such a run takes, about */
	uint64_t most;         /* steps that it may take */
	uint8_t racy[RT_RACY_SITES / 8]; /* sites seen in races, by number */
	/* What came of it. */
	uint32_t outcome;      /* enum rt_attempt_outcome */
	uint32_t nthreads;
	char names[RT_ATTEMPT_THREADS][64]; /* ancestry, by number */
	uint32_t dropped;      /* waits that could not be kept */
	uint64_t steps;
	uint64_t matched;      /* branches that went as recorded, of all threads, before the first that did not */
	uint32_t off;          /* the first thread that left the sketch + 1, or 0 */
	uint64_t off_sap, off_step;
	char why[200];
	/* The latest ones as a ring; `near` are those when the sketch was left, and later ones with accesses before that. */
	uint64_t nraces;
	struct rt_race races[RT_RACES];
	uint32_t nnear;
	struct rt_race near[RT_RACES];
	uint64_t ntrail; /* a ring as well */
	struct rt_trail trail[RT_TRAIL];
	uint64_t nolder; /* another ring: of what had to leave the first one, what races, and what threads did just before others ran for long */
	struct rt_trail older[RT_TRAIL];
	uint64_t numbers; /* accesses and steps so far, those included that are in no trail */
	uint64_t nearly;  /* another ring: what the only thread that had been at a place did there last before a second one came */
	struct rt_trail early[RT_EARLY];
	uint64_t nblocks; /* ... */
	struct rt_block blocks[RT_BLOCKS];
	uint64_t nruns; /* in their order, from the first; beyond RT_RUNS: nothing is known of who ran when */
	struct rt_run runs[RT_RUNS];
};

#endif
