/*
 * Capturing a failure where it happens: fatal signals, assertions, and what a runtime itself finds.
 *
 * Shared by the recorder (src/rt) and the twin's runtime (src/replay); refers to neither. The
 * failure goes to one struct rt_failure in memory that outlives the process (a shared file
 * mapping); the first failing thread of the process writes it, everybody else leaves it alone.
 * Afterwards the failure takes its course: the process dies by the same signal, with the same
 * siginfo, at the same instruction.
 *
 * Handlers are installed for SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGTRAP SIGSYS, and for what a system call sends
 * its own caller (SIGPIPE SIGXFSZ), where the disposition is the default. A handler that the target installs itself wins; when it puts the
 * default back, ours comes back (sigaction and signal are defined here for that, and never show our
 * handler to the target).
 *
 * Needs rt_real_init first. Everything but rt_failure_install is async-signal-safe.
 */
#ifndef RETHREAD_RT_FAILURE_H
#define RETHREAD_RT_FAILURE_H

#include <rethread/trace.h>

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/*
 * Start capturing into *where. current_thread gives the number of the calling thread, and
 * on_failure runs after *where is complete; both in the failing thread, once, and the unwinder runs
 * between them. Called again, after fork, it only changes these; `where` may then be NULL, and
 * failures just take their course.
 */
void rt_failure_install(struct rt_failure *where, uint32_t (*current_thread)(void),
			void (*on_failure)(void));

/*
 * A runtime that wants to know of the target's handlers. For each signal it keeps what the target has installed; where that is
 * a function, `replacement` is what the kernel is given, which takes three parameters.
 */
struct rt_handler_hooks {
	bool (*ignores)(void);         /* the call is none of the target's */
	bool (*pretends)(int signal);  /* the kernel is told nothing */
	struct sigaction *(*installed)(int signal);
	void (*(*replacement)(int signal))(int, siginfo_t *, void *);
};
void rt_failure_handlers(const struct rt_handler_hooks *hooks);

/* Give the calling thread an alternate stack, so that its stack overflow can be captured; take it
 * back. */
void rt_failure_thread(void);
void rt_failure_thread_end(void);

/*
 * In a signal handler: what it interrupted, as frames of struct rt_failure, RT_FRAMES at most, into memory that is zero. A stack
 * that is damaged ends it.
 */
void rt_failure_backtrace(uint32_t *nframes, uint64_t *frames, const void *context);
/* The same outside of a handler, from a return address in the stack on. */
void rt_failure_backtrace_from(uint32_t *nframes, uint64_t *frames, const void *from);

/*
 * From now on *signal is by which signal the process can be asked something (trace.h, ask_signal), 0 while the target has an
 * action for it; `asked` runs in whichever thread the signal comes to, in its handler.
 */
void rt_failure_ask(uint32_t *signal, void (*asked)(const void *context));

/*
 * The target's handler of a fault is about to run in this thread. Most write a report, put the default back, and return or send the
 * process the same signal: what then comes, to whichever thread, is that fault, and is blamed on the thread that it happened in.
 */
void rt_failure_faulted(const siginfo_t *info, const void *context);
/* That handler is done: it has returned, and the instruction may fail again, or has jumped away. */
void rt_failure_fault_over(bool jumped);

/*
 * A failure that the runtime found. The backtrace starts at return address `from`, or here when
 * that is NULL. False when another failure was first.
 */
bool rt_failure_report(uint32_t kind, int signal, const char *message, const void *from);

#pragma GCC visibility pop

#endif
