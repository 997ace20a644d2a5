/*
 * The target's signal handlers in the twin. In a replay and in infer mode nothing that the program does sends a real signal:
 * the kernel is not told of handlers, and they are called where the schedule, or the log, has them. Only faults are
 * real in a replay, and with them what is installed for them.
 */
#include "replay/interpose.h"
#include "replay/twin.h"
#include "rt/caught.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static bool none_of_the_targets(void)
{
	return twin_mode == TWIN_INFER && *heap_engine();
}

static bool is_about_an_instruction(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
	       signal == SIGSYS || signal == SIGABRT;
}

static bool pretends(int signal)
{
	return twin_mode == TWIN_INFER || (twin_mode == TWIN_REPLAY && !is_about_an_instruction(signal));
}

static enum rt_caught_when when(bool in_call)
{
	(void)in_call;
	return twin_mode == TWIN_REPLAY && twin_self() ? RT_CAUGHT_NOW : RT_CAUGHT_PLAINLY;
}

/* A fault comes again by itself; but it is among the recorded inputs. */
static void run(int signal, siginfo_t *info, void *context, uint32_t place)
{
	int recorded;
	(void)place;
	input_log_signal(twin_self(), &recorded);
	rt_caught_call(signal, info, context);
}

void signals_start(void)
{
	static const struct rt_caught_hooks hooks = { none_of_the_targets, pretends, when, run };
	rt_caught_start(&hooks);
}

bool signals_deliver(int signal, const void *info)
{
	siginfo_t own = { .si_signo = signal };
	ucontext_t context;
	int saved = errno;
	memset(&context, 0, sizeof context);
	if (info)
		memcpy(&own, info, sizeof own);
	bool is_there = rt_caught_call(signal, &own, &context);
	errno = saved;
	return is_there;
}

_Noreturn static void diverge(const struct twin_thread *self, const char *what, int signal)
{
	report_outcome(RT_REPLAY_DIVERGED, self, "thread %s is to run its handler of signal %d, %s", self->name, signal, what);
	gate_give_up();
}

void signals_replay(struct twin_thread *self, const struct point *at)
{
	int recorded = at->signal;
	const void *info = input_log_signal(self, &recorded);
	if (recorded != at->signal || (!info && input_log_is_open()))
		diverge(self, "and the log has something else next", at->signal);
	if (!signals_deliver(at->signal, info))
		diverge(self, "and has installed none", at->signal);
}
