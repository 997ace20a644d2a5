/*
 * Signals for which the target has installed a handler: when the handler runs. Shared by both runtimes; refers to
 * neither.
 *
 * A signal comes between any two instructions, and nothing could tell later between which. So the handler waits for
 * the thread's next place that the log can name, which is never far: its runtime asks at each (rt_caught_waiting) and runs
 * what waits (rt_caught_run). A thread in a system call is at such a place already. Synchronous signals, faults, are
 * about the instruction and run at once. When no place comes for RT_CAUGHT_PATIENCE, the handler runs where the
 * thread is, and the runtime is told so.
 *
 * Signals of one kind that wait are one, as they are for the kernel; real-time signals queue.
 */
#ifndef RETHREAD_RT_CAUGHT_H
#define RETHREAD_RT_CAUGHT_H

#include <rethread/trace.h>

#include <signal.h>
#include <stdbool.h>

#define RT_CAUGHT_PATIENCE 5000000 /* nanoseconds of its own time */

#pragma GCC visibility push(hidden)

enum rt_caught_when {
	RT_CAUGHT_PLAINLY, /* at once: the thread is none of the runtime's */
	RT_CAUGHT_NOW,     /* at once */
	RT_CAUGHT_LATER,
	RT_CAUGHT_BUSY,    /* later, in any case: the runtime is in the middle of something */
};

struct rt_caught_hooks {
	bool (*ignores)(void);        /* as in struct rt_handler_hooks */
	bool (*pretends)(int signal);
	/* in_call: the thread is in a system call that has not done anything. */
	enum rt_caught_when (*when)(bool in_call);
	/* Runs the handler, by rt_caught_call, at a place (enum rt_signal_place). */
	void (*run)(int signal, siginfo_t *info, void *context, uint32_t place);
};
/* For handlers that are installed from now on; after rt_failure_install, where that is called. */
void rt_caught_start(const struct rt_caught_hooks *hooks);

/* How many wait for the calling thread's next place; running them there. */
extern __thread uint32_t rt_caught_waiting __attribute__((tls_model("initial-exec")));
void rt_caught_run(uint32_t place);

/*
 * A thread that begins or ends is not the runtime's yet, or no more: no handler may run in it. From the creating of it on
 * until it is, and at its end, signals are blocked; nothing is done while there are no handlers. Gives back the mask.
 */
uint64_t rt_caught_block(void);
void rt_caught_unblock(uint64_t mask);

/* Calls the target's handler, for `run`; false where there is none. */
bool rt_caught_call(int signal, siginfo_t *info, void *context);
/* The same where nothing was caught. Here and in rt_caught_run errno is afterwards what the handler made of it. */
bool rt_caught_deliver(int signal, siginfo_t *info, void *context);

#pragma GCC visibility pop

#endif
