/*
 * The contract between inference (or a human) and replay: the schedule, a text file.
 *
 *     rethread-schedule 1
 *     module 5f0c...                      hash of the annotated module, hex
 *     model tso                           sc, tso or pso
 *     wait 1:2 417@33 1:1 90@12           # queue.c:33 load | queue.c:12 store
 *     delay 1:1 90@12 1:2 410@30          # queue.c:12 store | queue.c:30 load
 *     stop 1:2 420
 *     result 1:2 418 16                   # pthread_mutex_trylock
 *     signal 1:2 419 10 8123              # SIGUSR1
 *     place 1:2 430 f8001250              # malloc
 *     left 1:2 435 7f1234500b60           # free
 *     disorder 1:2 440 6                  # free
 *     fail 1:2 440
 *
 * A SAP is named by its thread and the thread's own count (instrument.h); threads by ancestry. `@` and the number of
 * the site, or the name of the interposed function, may follow: then a thread that comes to something else at this
 * point has left the schedule, and replay ends at once and says so. Without it nothing is compared.
 *
 * `wait T n U m`: thread T may execute its SAP n only after thread U has executed its SAP m.
 * `delay T n U m`: under tso and pso only; SAP n of T is a store. T executes it without waiting and sees it from then
 *   on, but others see it only after U has executed its SAP m (all such m, when there are several lines). Under tso a
 *   thread's stores become visible in their order, so that later stores of T queue behind it; under pso only
 *   those that overlap do. A store that is not visible yet does not count as executed in the lines that
 *   name it. Atomic updates, seq_cst stores, fences, steps of interposed functions and the thread's end wait until
 *   all stores of the thread are visible. Functions outside of the module look at memory, not into the buffer.
 * `stop T n`: thread T is held before its SAP n until the failure happens or every `fail`/`stop` of all threads
 *   is reached.
 * `result T n r`: the synchronization step that is SAP n of T returns r without being tried; RT_NEVER: it does not return. What
 *   the C library left in freed memory, where a lock had been, kept its thread waiting, and is not there in a replay.
 * `signal T n s w`: SAP n of T is that it runs its handler of signal s, and the handler's SAPs follow. It does so when it comes to
 *   its next SAP after n - 1; before it comes back from the step that is SAP n - 1 when w is `step`; or, when w is a number,
 *   once its path has so many bits, should that be before SAP n; `next`: neither. The log of recorded inputs has the
 *   siginfo_t (trace.h, RT_INPUT_SIGNAL).
 * `place T n a`: the block that SAP n of T allocates, a call, shares its memory with others that a `place` line puts on the same
 *   addresses: a, in hexadecimal, is the lower half of its address in the recorded run. Blocks that no such line
 *   names are the C library's.
 * `left T n w`: SAP n of T, a call, gives back a block that a `place` line puts somewhere, and leaves the word w, in hexadecimal, at its begin. Without
 *   such a line that is RT_FREED_LINK.
 * `disorder T n s`: SAP n of T, a call, ends by signal s if anything that the C library keeps beside its blocks was overwritten. It may not notice that
 *   itself, since blocks lie elsewhere in a replay (src/replay/disorder.c).
 * `fail T n`: the failure is expected at or after SAP n of T; a debugger is stopped there.
 * Order among the lines does not matter. # starts a comment; its halves, separated by " | ", are quoted when a thread
 * leaves the schedule. A thread that no line mentions is not controlled.
 * A schedule holds only the waits that program order and other waits do not imply.
 *
 * How a twin is told what to do: the environment variable RETHREAD_TWIN, `key=value` pairs separated by
 * commas (values hold no comma):
 *     mode=replay,schedule=FILE,report=FILE,timeout=SEC,log=FILE     (inputs are given back from the log)
 *     mode=replay,...,shake=SEED                                     (threads are late at random)
 *     mode=record,build=HEX                                          (scheme rw, into the dir of RETHREAD_OPTIONS)
 *     mode=record,build=HEX,program=FILE,shake=1                     (/proc/self/exe is FILE; threads give way at random)
 *     mode=record,build=HEX,schedule=FILE,log=FILE,report=FILE,timeout=SEC
 *              (the same under a schedule of model sc, and with the inputs of another run: each is optional)
 *     mode=record,...,sketch=FILE,attempt=FILE                       (an attempt of a search, see search.h)
 *     mode=infer,engine=FILE,trace=DIR,code=FILE,state=DIR
 *     mode=serve,line=FD                                             (forks a run for each setting that comes by the socket FD)
 *     (unset)  the twin runs free
 * `report` is written by the replay runtime: struct rt_report, mapped shared, so that it survives any end.
 */
#ifndef RETHREAD_SCHEDULE_H
#define RETHREAD_SCHEDULE_H

#include <rethread/trace.h>

#define RT_SCHEDULE_VERSION 1
#define RT_SIGNAL_AFTER_STEP UINT64_MAX
/* The twin's heap begins here (src/replay/heap.c), of which most is only reserved, up to RT_MIRROR. */
#define RT_HEAP 0x600000000000ull
/* Blocks that have a place (src/replay/placed.c) lie here: plus the lower half of their address in the recorded run. */
#define RT_MIRROR 0x610000000000ull
#define RT_MIRROR_SIZE (2ull << 32)
/* What is in the first RT_FREED_SIZE bytes of such a block once it is given back; every block has room for as many. */
#define RT_FREED_SIZE 16
#define RT_FREED_LINK(start) ((start) >> 12)
#define RT_FREED_MARK 0x6b65795f66726565ull /* where rt_log_header.freed_mark does not say it */
#define RT_FREED_MOST 1032 /* bytes: the mark of a larger block stays when it is given out again */
#define RT_TWIN_VARIABLE "RETHREAD_TWIN"

enum rt_replay_outcome {
	RT_REPLAY_RUNNING = 0,  /* no end was seen: the process was killed */
	RT_REPLAY_FAILED = 1,   /* the target failed: see failure */
	RT_REPLAY_ENDED = 2,    /* the target ended without failing */
	RT_REPLAY_DIVERGED = 3, /* left the schedule: see message */
	RT_REPLAY_STUCK = 4,    /* nobody can go on, or the timeout passed: see message */
	RT_REPLAY_ERROR = 5,    /* the schedule could not be read: see message */
};

#define RT_REPORT_MAGIC 0x50455254u
struct rt_report {
	uint32_t magic;
	uint32_t outcome;          /* enum rt_replay_outcome */
	uint32_t nthreads;
	uint32_t waits_done;       /* waits of the schedule that were satisfied */
	uint32_t waits_total;
	char thread[64];           /* ancestry of the failing or diverging thread */
	struct rt_failure failure;
	char message[RT_MESSAGE_SIZE];
};

#endif
