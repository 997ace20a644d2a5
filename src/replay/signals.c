/*
 * The target's signal handlers in the twin. Scheme rw records at which SAP of its thread one ran. In a replay and in infer mode nothing that the program does sends a real signal:
 * the kernel is not told of handlers, and they are called where the schedule, or the log, has them. Only faults are
 * real in a replay, and with them what is installed for them.
 */
#include "replay/conductor.h"
#include "replay/interpose.h"
#include "replay/recorder.h"
#include "rt/caught.h"
#include "rt/failure.h"

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

/* ---- scheme rw: handlers run at gates, in calls, and where no gate comes for long ---- */

static enum rt_caught_when when(bool in_call)
{
	const struct twin_thread *self = twin_self();
	if (!self || twin_mode == TWIN_FREE)
		return RT_CAUGHT_PLAINLY;
	if (twin_mode == TWIN_REPLAY)
		return RT_CAUGHT_NOW;
	if (self->where == TWIN_CALL && in_call && !conductor_on && recorder_can_suspend(self))
		return RT_CAUGHT_NOW;
	return self->where == TWIN_PROGRAM && !self->deep && !conductor_on ? RT_CAUGHT_LATER : RT_CAUGHT_BUSY;
}

/* The SAP that the thread has counted becomes the handler's; what it was is counted again. */
static void run_at_gate(struct twin_thread *self, siginfo_t *info, void *context)
{
	recorder_signal(self, info, RT_SIGNAL_GATE, 0);
	self->where = TWIN_PROGRAM;
	rt_caught_call(info->si_signo, info, context);
	self->where = TWIN_RUNTIME;
	__rethread_gate.count++;
	recorder_settle(self);
}

static void run_in_call(struct twin_thread *self, siginfo_t *info, void *context)
{
	struct recorder_step step = recorder_suspend(self);
	recorder_signal(self, info, RT_SIGNAL_CALL, 0);
	self->where = TWIN_PROGRAM;
	rt_caught_call(info->si_signo, info, context);
	self->where = TWIN_RUNTIME;
	__rethread_gate.count++;
	recorder_resume(self, &step);
	self->where = TWIN_CALL;
}

/* Between two SAPs. */
static void run_between(struct twin_thread *self, siginfo_t *info, void *context, uint64_t at)
{
	__rethread_gate.count++;
	recorder_signal(self, info, RT_SIGNAL_GATE, at);
	rt_caught_call(info->si_signo, info, context);
}

static void run(int signal, siginfo_t *info, void *context, uint32_t place)
{
	struct twin_thread *self = twin_self();
	int recorded;
	if (place == RT_SIGNAL_FAULT) {
		path_catch_up();
		rt_failure_faulted(info, context);
	}
	/* A fault comes again by itself in a replay; but it is among the recorded inputs. */
	if (twin_mode == TWIN_REPLAY)
		input_log_signal(self, &recorded);
	else if (place == RT_SIGNAL_FAULT)
		recorder_signal(self, info, place, 0);
	if (twin_mode == TWIN_REPLAY || place == RT_SIGNAL_FAULT) {
		rt_caught_call(signal, info, context);
		if (place == RT_SIGNAL_FAULT)
			rt_failure_fault_over(false);
	} else if (place == RT_SIGNAL_GATE)
		run_at_gate(self, info, context);
	else if (place == RT_SIGNAL_CALL)
		run_in_call(self, info, context);
	else
		run_between(self, info, context,
			    place == RT_SIGNAL_STEP ? RT_SIGNAL_AFTER_STEP : path_length() + 1);
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
	memset(&context, 0, sizeof context);
	if (info)
		memcpy(&own, info, sizeof own);
	return rt_caught_deliver(signal, &own, &context);
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
