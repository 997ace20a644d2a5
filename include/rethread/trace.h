/*
 * The contract between the recorder and everything that reads a trace: the log file. docs/FORMAT.md is
 * the prose version.
 *
 * A trace is a directory: one log per process, `log.PID`, written by the runtime, and `meta.json`,
 * written by `rethread record` when the run is over. A log is a file of RT_PAGE-sized pages: page 0 is
 * struct rt_log_header; after it come chunks, each a multiple of 64 bytes long and beginning with struct
 * rt_chunk. Each chunk belongs to one stream of one thread; a stream is the concatenation of its
 * chunks' payloads in order of `seq`. The writer reserves file space before it maps it, so a full disk
 * is an error code and never SIGBUS; everything is written through shared mappings, so what was stored
 * is in the file however the process dies.
 *
 * All integers are little endian. RT_TRACE_VERSION changes with anything a reader could misread.
 */
#ifndef RETHREAD_TRACE_H
#define RETHREAD_TRACE_H

#include <stdint.h>

#define RT_TRACE_VERSION 12
#define RT_PAGE 4096u
#define RT_LOG_MAGIC 0x00474f4c44525452ull /* "RTRDLOG\0" */
#define RT_CHUNK_MAGIC 0x4b435452u         /* "RTCK" */
#define RT_BUILD_ID_SIZE 20
#define RT_MESSAGE_SIZE 512
#define RT_FRAMES 64

enum rt_scheme {
	RT_SCHEME_OFF = 0,
	RT_SCHEME_BASE = 1,
	RT_SCHEME_PATH = 2,
	RT_SCHEME_PATH_SYNC = 3,
	RT_SCHEME_RW = 4,      /* recorded by the twin: versions and counts of readers */
	RT_SCHEME_RW_LEAP = 5, /* the same by runs of threads */
};

enum rt_failure_kind {
	RT_FAIL_NONE = 0,
	RT_FAIL_ASSERT = 1,    /* __assert_fail; message is "FILE:LINE: FUNCTION: EXPRESSION" */
	RT_FAIL_SIGNAL = 2,    /* fatal signal; address is si_addr where it has one */
	RT_FAIL_EXIT = 3,      /* non-zero exit status (judged by the tool) */
	RT_FAIL_DEADLOCK = 4,  /* message names the cycle */
	RT_FAIL_TIMEOUT = 5,   /* judged by the tool */
	RT_FAIL_PREDICATE = 6, /* --fail-if (judged by the tool) */
};

/* Written once, by the first thread that fails; `state` is 0 = none, 1 = being written, 2 = complete. */
#define RT_NO_ADDRESS UINT64_MAX
struct rt_failure {
	uint32_t state;
	uint32_t kind;    /* enum rt_failure_kind */
	int32_t signal;   /* RT_FAIL_SIGNAL, and SIGABRT for RT_FAIL_ASSERT */
	int32_t status;   /* RT_FAIL_EXIT */
	uint32_t thread;  /* number of the failing thread */
	uint32_t nframes;
	uint64_t address; /* faulting address; RT_NO_ADDRESS: none of 48 bits, the processor does not say which */
	uint64_t time;    /* rdtsc */
	/* Return addresses, innermost first, less the load address of the program; 0 outside of it. */
	uint64_t frames[RT_FRAMES];
	char message[RT_MESSAGE_SIZE]; /* NUL-terminated */
};

enum rt_log_flag {
	RT_LOG_FULL = 1,  /* disk full or I/O error: the log ends early */
	RT_LOG_CAP = 2,   /* the size cap was reached: the log ends early */
	RT_LOG_ENDED = 4, /* the process ended through exit: nothing is missing */
	RT_LOG_VALUES = 8, /* a thread had very many values: the later ones are not recorded */
	/*
	 * The process is the child of a fork. CHILD: its log begins as its parent's, and goes on from there: one process whose fork
	 * returned 0. MIDDLE: it begins after the fork (the parent had other threads, or a long log), and cannot be executed.
	 */
	RT_LOG_CHILD = 16,
	RT_LOG_MIDDLE = 32,
	RT_LOG_BARRED = 128, /* with RT_LOG_FULL: the program forbade the system calls that a log takes (seccomp) */
	RT_LOG_SHORT = 64, /* never in a file: the reader found fewer chunks than were written */
};

struct rt_log_header {
	uint64_t magic;
	uint32_t version;
	uint32_t abi;     /* RT_ABI of the runtime */
	uint32_t scheme;  /* enum rt_scheme */
	uint32_t flags;   /* enum rt_log_flag */
	uint32_t pid;
	uint32_t ppid;
	uint8_t module_hash[RT_BUILD_ID_SIZE]; /* rt_record_module.hash */
	uint8_t build_id[RT_BUILD_ID_SIZE];    /* zero when the program has none */
	uint64_t load_address;                 /* of the program: ASLR offset */
	uint64_t start_time;                   /* rdtsc */
	uint64_t start_ns;                     /* CLOCK_MONOTONIC at start_time */
	uint64_t end_time, end_ns;             /* the same at a normal or failing end, else 0 */
	uint32_t nthreads;                     /* started so far */
	uint32_t dropped;                      /* events lost, for the reasons in flags */
	uint64_t size;                         /* bytes reserved in the file so far */
	struct rt_failure failure;
	/*
	 * In units of rdtsc; 0: there are no time stamps. What stamps of two threads can be wrong by: skew between cores, the
	 * travel of a cache line, stores that linger in a buffer.
	 */
	uint64_t time_margin;
	/*
	 * How the tool can ask for the backtraces of all threads (struct rt_stack) before it ends the process: a signal with
	 * RT_ASK_VALUE queued to it; 0 while that cannot be. `stacks` is 1 when they are there.
	 */
	uint32_t ask_signal;
	uint32_t stacks;
	uint32_t exits; /* number + 1 of the thread that called exit, or returned from main; 0: none has */
	uint32_t reserved;
	uint64_t freed_mark; /* what the C library leaves in the second word of a block that it gets back; 0: not known */
};
#define RT_ASK_VALUE 0x72746872

enum rt_stream {
	RT_STREAM_THREAD = 1, /* one struct rt_thread per thread, in its first chunk */
	RT_STREAM_PATH = 2,   /* 64-bit words of branch bits and runs of them; a zero ends the stream */
	RT_STREAM_SYNC = 3,   /* struct rt_sync entries, packed (sync.h) */
	RT_STREAM_INPUT = 4,  /* struct rt_input records; one with size 0 ends the stream */
	RT_STREAM_TIME = 5,   /* struct rt_time entries; one with bits 0 ends the stream */
	RT_STREAM_ORDER = 6,  /* struct rt_order entries; one with first 0 ends the stream */
	RT_STREAM_VALUE = 7,  /* values, and how they repeat themselves: entries of 32-bit words */
	RT_STREAM_SHOWN = 8,  /* entries of outputs */
	RT_STREAM_STACK = 9,  /* one struct rt_stack, of a thread that was elsewhere when another one failed */
	RT_STREAM_TRAY = 10,  /* the thread's tray (instrument.h): branches that are not in the path yet, a byte each */
	RT_STREAM_SPARE = 11, /* a page that no thread got: says nothing */
	RT_STREAM_VALUE_TRAY = 12, /* values that are not in the stream yet: complements, trailing zeros mean nothing */
	RT_STREAM_LAST = RT_STREAM_VALUE_TRAY,
};

/* Where a thread was then; frames are as in struct rt_failure, the first of them the instruction itself. */
struct rt_stack {
	uint32_t nframes; /* 0: it did not answer in time */
	uint32_t reserved;
	uint64_t frames[RT_FRAMES];
};

/*
 * Words of a path: a 1, and below it RT_PATH_WORD bits of branches, the first of them lowest. A tray that is full is packed into
 * words; what is left of it then, less than a word, stays. rt_thread.path_state says how far that is done: the words that are complete,
 * and, + 1, how many of the tray's bytes are among them; 0 when it has no tray (yet). Words behind those were being written when
 * the thread died: the tray has their bits. What it has is read as words, of which the last may be shorter. While the last of what was packed is
 * taken away, behind what is left, the state says how much that is.
 */
#define RT_PATH_WORD 63u
#define RT_PATH_STATE(words, packed) ((words) << 12 | ((packed) + 1))
#define RT_PATH_STATE_LEFT(words, left) ((words) << 12 | 0x800 | (left))
#define RT_PATH_STATE_IS_LEFT(state, left) (*(left) = (state) & 0x7ff, (state) & 0x800)
#define RT_PATH_STATE_WORDS(state) ((state) >> 12)
#define RT_PATH_STATE_PACKED(state) (((state) & 0xfff) - 1) /* UINT64_MAX: there is no tray */
static inline unsigned rt_path_bits(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word | 1);
}

/*
 * Paths are repetitive, so a word that could be foretold is only counted. Both sides keep the word that followed last
 * time in the same context, which is made of the last three words: rounds of a loop that take longer than a word come again
 * as well. Before a word w the guess is table[rt_path_place(context)], the context being 0 at first; afterwards
 * that entry is w, and the context rt_path_context(context, w). A slot of the stream is a word, or RT_PATH_RUN + n, n >= 1: n words
 * that were guessed right. No word has 62 bits, which would look like a run.
 */
#define RT_PATH_RUN 0x4000000000000000u
#define RT_PATH_IS_RUN(slot) ((slot) >> 62 == RT_PATH_RUN >> 62)
#define RT_PATH_TABLE_BITS 10
#define RT_PATH_TABLE (1u << RT_PATH_TABLE_BITS)
static inline uint32_t rt_path_place(uint64_t context)
{
	return (uint32_t)(context * 0x9e3779b97f4a7c15u >> (64 - RT_PATH_TABLE_BITS));
}
static inline uint64_t rt_path_context(uint64_t context, uint64_t word)
{
	return context << 22 ^ word * 0x9e3779b97f4a7c15u >> 42;
}

/*
 * Guessing costs more than it saves where paths do not repeat themselves. So a trial of so many words, of which less than a
 * quarter were foretold and came after RT_PATH_RUN_AFTER - 1 others that were, is followed by a rest: words that are neither
 * guessed nor learnt, twice as many as in the rest before it. Both sides count.
 */
#define RT_PATH_RUN_AFTER 3u
#define RT_PATH_TRIAL 256u
#define RT_PATH_REST 4096u /* at most */
struct rt_path_stage {
	uint32_t left;   /* words of this trial or rest */
	uint32_t row;    /* words of the trial guessed right in a row */
	uint32_t gained; /* how many of them were, after others */
	uint32_t rest;   /* words of the next rest */
	uint32_t resting;
};
static inline struct rt_path_stage rt_path_stage_first(void)
{
	return (struct rt_path_stage){.left = RT_PATH_TRIAL, .rest = RT_PATH_TRIAL};
}
/* What comes when none are left. */
static inline struct rt_path_stage rt_path_stage_next(struct rt_path_stage s)
{
	struct rt_path_stage trial = rt_path_stage_first();

	if (s.resting) {
		trial.rest = s.rest < RT_PATH_REST ? 2 * s.rest : s.rest;
		return trial;
	}
	if (s.gained >= RT_PATH_TRIAL / 4)
		return trial;
	return (struct rt_path_stage){.left = s.rest, .rest = s.rest, .resting = 1};
}

/*
 * Recorded values (instrument.h), as complements, are first written into a tray of their own, RT_VALUE_TRAY of them. When it is full they become entries of
 * the stream: a head, RT_VALUE_HEAD(new, back), then so many values that are new, then, if `back` is not 0, a count: so many values follow that are each
 * the same as the one `back` values before. A thread that polls reads the same few again and again, which takes one count. The last count grows as long as
 * that goes on, and the chunk is the same. Nothing of an entry but that tells where it ends: rt_thread.value_state is for the stream and its tray what
 * path_state is for the path, in values: what is in the stream behind so many of them was being written when the thread died.
 */
#define RT_VALUE_TRAY 512u
#define RT_VALUE_BACK 256u /* at most */
#define RT_VALUE_HEAD(new, back) ((uint32_t)(new) << 12 | (back))
#define RT_VALUE_NEW(head) ((head) >> 12)
#define RT_VALUE_BACK_OF(head) ((head)&0xfff)

/*
 * Time (design §4, Time): at this time the path had this many bits. Later branches happened
 * after it, earlier ones before. Stamps of different threads say which came first when they are further
 * apart than rt_log_header.time_margin.
 */
struct rt_time {
	uint64_t bits; /* from 1, growing; 0 only in unwritten log */
	uint64_t time;  /* rdtsc */
};
/* The margin where nobody measured: two microseconds at 5 GHz. */
#define RT_TIME_MARGIN 10000u

struct rt_chunk {
	uint32_t magic;
	uint32_t size;   /* of the whole chunk, header included */
	uint32_t thread; /* thread number: 0 is the main thread, in order of creation in this run */
	uint32_t stream; /* enum rt_stream */
	uint64_t seq;    /* 0, 1, 2, ... within the stream of this thread; and RT_CHUNK_COPIED */
	uint64_t time;   /* rdtsc when the chunk was opened */
	uint32_t window; /* 1: a window */
	uint8_t reserved[28];
};

/*
 * A window is a chunk that its thread uses again and again, because fresh pages of a mapped file cost several times what
 * copying them with write() does. When it is full it is copied to a chunk of its own at the end of the file, which has
 * the same seq; then RT_CHUNK_COPIED is set in the window's seq, its payload is cleared, and seq becomes the next number. So
 * of two chunks with the same seq the window's counts (the copy may be incomplete), and one that is COPIED is no chunk.
 */
#define RT_CHUNK_COPIED 0x8000000000000000u

/*
 * A thread. Threads are named by ancestry (thesis §3.7.1): the main thread is "1"; the k-th thread that a
 * thread creates (from 1) is the creator's name, ":", k.
 */
struct rt_thread {
	uint32_t number;
	uint32_t parent;    /* number of the creator; its own number for the main thread */
	uint32_t child;     /* how many threads the creator had created, this one included */
	uint32_t tid;       /* kernel's id */
	uint32_t ended;     /* 1 once the start routine returned or pthread_exit ran */
	uint32_t waits_for; /* object number this thread is blocked on (mutex, read-write lock) or 0 */
	uint64_t sync_done; /* synchronization operations completed by this thread */
	uint64_t start_time, end_time;
	uint64_t path_state; /* see RT_PATH_WORD */
	uint64_t value_state; /* see RT_VALUE_TRAY */
	uint64_t often_over;  /* from this value on, less one, what is read often (instrument.h) is not recorded; 0: it is */
};

/*
 * Order of synchronization. An interposed call is one or two steps; each step is one operation, and the thread
 * numbers its operations from 1 as they complete (sync_done counts them). What a step logs depends on its kind:
 *
 *   acquire  Mutexes and spinlocks, after they were got. The object's `order` counts its acquisitions, by
 *            whomever, from 1; it is advanced while the object is held, so needs no synchronization of its own.
 *            Logged only when the previous acquisition was by another thread, or there was none: entry
 *            (op, object, order) says that operation `op` of this thread was the order-th acquisition. One that is
 *            not logged directly follows this thread's previous one of the same object.
 *   release  Just before the real release. Nothing is logged.
 *   ordered  Read-write locks (lock after, unlock before the real call), semaphores (wait after, post before),
 *            barriers. The object's order counts these steps, advanced atomically together with who took the last
 *            one; logged, as above, only when that was another thread.
 *   plain    Nothing is logged (signal, broadcast, detach).
 *   failed   The call returned an error (trylock that found the lock taken, a timeout): an entry with object 0,
 *            order 1 and the result. Nothing is ordered by it. Any other step whose result is not 0 (a timed wait
 *            that got its mutex back but timed out, a barrier's serial thread) logs its entry always, with the
 *            result.
 *
 *   call                                                steps
 *   mutex lock, trylock, timedlock, clocklock; spin;    acquire, or failed
 *   flockfile, ftrylockfile
 *   mutex unlock, spin unlock, funlockfile              release
 *   cond wait, timedwait, clockwait                     release of the mutex; acquire of the mutex
 *   cond signal, broadcast                              plain
 *   rwlock rdlock, wrlock, try, timed, clock; unlock    ordered, or failed
 *   sem wait, trywait, timedwait, clockwait; post       ordered, or failed
 *   barrier wait                                        ordered before the real call; ordered after it
 *   once                                                in the thread that runs the routine: an entry on the
 *                                                       control's object with result 1, before the routine
 *                                                       runs; in every caller: ordered after the real call, or
 *                                                       plain, if the routine had run before the call
 *   create, join                                        an entry with object RT_OBJECT_THREAD + number of the
 *                                                       thread, order 1 for create and 2 for join; or failed
 *   tryjoin, timedjoin                                  as join
 *   detach, exit, cancel                                plain
 *   testcancel, sleep, usleep, (clock_)nanosleep        plain, or failed
 *
 *   A thread that is cancelled in one of these calls ends the step with the result RT_CANCELLED: as failed, or, in a wait on a
 *   condition variable, as the acquisition of the mutex. Then its cleanup handlers run. In a function of inputs.def it is that
 *   record which says so (RT_INPUT_CANCELLED). Where else a thread was cancelled (asynchronously) is not in the log.
 *
 * Objects are numbered from 1 at their first logged step. In the log entries are packed (sync.h).
 *
 * Scheme path has none of this order. Its only entries are those of steps that returned something else than 0, whatever
 * their kind, and of steps that blocked or may wake somebody up, with object 0 and order 1. The latter say when: a wait on a condition variable
 * before its first step and after its second, a signal, a broadcast and a post before them, a mutex or a token that was waited for after it was
 * got, a barrier before and after.
 */
struct rt_sync {
	uint64_t op;     /* the thread's operation number, from 1 */
	uint64_t order;  /* from 1 */
	uint32_t object; /* object number, or RT_OBJECT_THREAD + thread number */
	uint32_t result; /* what the operation returned: an error number, 0 for success */
	uint64_t time;   /* rdtsc after the operation, in the log to within 16; 0: not known */
};
#define RT_OBJECT_THREAD 0x80000000u
#define RT_CANCELLED 0x7fffffff
#define RT_NEVER 0x7ffffffe /* in schedules only: the step does not return */

/*
 * Order of accesses: schemes rw and rw:leap, recorded by the twin, in whose SAPs (instrument.h) the entries are. An entry
 * is a run of SAPs of its thread, from `first` to `last`, on one location, with nobody else's access in between where
 * that matters. Locations are numbered from 1 and stand for one or more words of memory or objects.
 *
 *   WRITE   rw (after Ditto, thesis fig. 3.10): the writes that made versions `version` to `version` + count - 1 of the
 *           location. `value` is how many reads by others than its writer the version before had. The run also has
 *           the thread's own reads in it, up to the first read by another. Atomic updates and steps on
 *           objects are writes.
 *   READ    rw: `count` reads of version `version`; 0 is what was there before the first write.
 *   RUN     leap (after LEAP): the location's vector of threads has, at place `version` from 1, this thread with run length
 *           `count`, reads and writes alike.
 *   CALL    both: a call out of the module that began when `version` calls of the process had ended and was the
 *           `last`-th to end; 0: it did not end. location is 0.
 *   RESULT  both: the step that is SAP `first` returned `value`. location is 0.
 *   WAKE    both: an input that may be what others wait for (inputs.def, WAKES), the `version`-th of the process to begin.
 *   HEAR    both: an input that may have waited for one (HEARS): `version` of them had begun when it ended.
 *   ALONE   both: from SAP `first` to `last` no other thread did anything to memory; 0: it did not stay alone until the SAP was
 *           done. What others had done by then is in the SEEN that follow.
 *   SEEN    both: thread number `value` had done `version` SAPs, so that those come before the ALONE, and the SAP
 *           `count` later, and all behind it, come after it. The one in between when that is 2 was on its way, and is in no order.
 *   AFTER   both: SAP `first`, which was on its way then, came after SAP `version` of thread number `value`, which was ALONE.
 *
 *   SIGNAL  both: SAP `first` is that the thread runs its handler of signal `value`, whose SAPs follow; the SAP that it
 *           interrupted comes after those. `version` is what the schedule's line has behind the signal (schedule.h).
 *
 * Under these schemes rt_thread.sync_done is the number of SAPs completed, and waits_for the location of the object whose
 * step has begun and is not done, RT_OBJECT_THREAD while a thread is being created (which may run already), or RT_OBJECT_THREAD + 1 in a join.
 */
enum rt_order_kind {
	RT_ORDER_READ = 1,
	RT_ORDER_WRITE = 2,
	RT_ORDER_RUN = 3,
	RT_ORDER_CALL = 4,
	RT_ORDER_RESULT = 5,
	RT_ORDER_WAKE = 6,
	RT_ORDER_HEAR = 7,
	RT_ORDER_ALONE = 8,
	RT_ORDER_SEEN = 9,
	RT_ORDER_AFTER = 10,
	RT_ORDER_SIGNAL = 11,
};
struct rt_order {
	uint64_t first, last;
	uint64_t version;
	uint32_t location;
	uint32_t count;
	uint32_t kind; /* enum rt_order_kind */
	uint32_t value;
	uint64_t reserved;
};

/*
 * Inputs: what a call of a function in inputs.def brought into the program. After the struct come the pieces of memory
 * that the call wrote, in the order of the table: a 64-bit length, then that many bytes, padded to a multiple of 8.
 * A record lies within one chunk; where the next one has no room, a record of function 0 fills the chunk.
 * `size` is stored last. Short records are packed into those of function RT_INPUT_PACKED (packed.h).
 */
struct rt_input {
	uint32_t size;     /* of the whole record, a multiple of 8 */
	uint16_t function; /* line of inputs.def, from 1 */
	uint16_t error;    /* errno after the call, or RT_INPUT_CANCELLED */
	uint64_t result;   /* zero-extended bits of what it returned; a pointer is only NULL or not */
};
#define RT_INPUT_PACKED 0xfffeu
/* The thread was cancelled in the call: there is no result, and no pieces of memory follow. */
#define RT_INPUT_CANCELLED 0xffffu

/*
 * Signals are inputs too: a record of this function, whose result is the signal's number, says that the thread ran its handler
 * then. Its pieces are a time stamp (as of a function that HEARS), struct rt_signal and the siginfo_t. What the handler did
 * follows in the thread's streams, as if it had been called there; but see RT_SIGNAL_ANYWHERE and RT_SIGNAL_LOST.
 */
#define RT_INPUT_SIGNAL 0xffffu
enum rt_signal_place {
	RT_SIGNAL_STEP = 1,  /* when step `steps` of synchronization, or the input before it in the log, was done */
	RT_SIGNAL_CALL = 2,  /* in a call out of the module, of an interposed function above all: before that has done anything */
	RT_SIGNAL_PATH = 3,  /* at the branch whose bits follow */
	RT_SIGNAL_FAULT = 4, /* at the instruction that failed */
	RT_SIGNAL_END = 5,   /* when the thread, or the process, was about to end */
	RT_SIGNAL_GATE = 6,  /* scheme rw: see RT_ORDER_SIGNAL */
	/* Between any two instructions, because no such place came; what its branches and values were is not in the log. */
	RT_SIGNAL_ANYWHERE = 7,
	/* At the instruction that failed; its handler returned there, or went on for long: what its branches and values were is not in the log. */
	RT_SIGNAL_LOST = 8,
};
struct rt_signal {
	uint32_t place;         /* enum rt_signal_place */
	uint32_t reserved;
	uint64_t steps, bits;   /* steps done (rt_thread.sync_done), bits of the path that were appended */
};

/*
 * Outputs: what of a call that shows something (externals.def) inference cannot compute, recorded before the call. Entries are
 * of bytes, and never cross a chunk; one begins with the length of the rest, 16 bits, which is stored last: 0 ends the
 * chunk's entries. Then the number of the call's site and `what`, both as LEB128 (seven bits a byte, lowest first), and:
 *   what < RT_SHOWN_TEXT   a mask of parameters: their values, LEB128 each
 *   else                   up to RT_SHOWN_MAX bytes that parameter what - RT_SHOWN_TEXT led to
 */
#define RT_SHOWN_PARAMETERS 16u
#define RT_SHOWN_TEXT (1u << RT_SHOWN_PARAMETERS)
#define RT_SHOWN_MAX 256u

#endif
