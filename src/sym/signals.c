/*
 * Signals: a thread runs the handlers that the recorded one ran, where it ran them (struct rt_signal). To the replay each
 * is a SAP of its own, before the handler's; the schedule says which.
 */
#include "sym/engine.h"

#include <rethread/schedule.h>
#include <unwind.h>

static bool is_here(const struct ethread *self, const struct rt_signal *s, enum rt_signal_place place)
{
	if (s->place != place || s->steps != self->ops)
		return false;
	if (place != RT_SIGNAL_PATH && place != RT_SIGNAL_CALL && place != RT_SIGNAL_FAULT && place != RT_SIGNAL_LOST)
		return true;
	return path_reader_done(&self->path) == s->bits;
}

static uint64_t when_of(const struct ethread *self, const struct rt_signal *s)
{
	return s->place == RT_SIGNAL_STEP ? RT_SIGNAL_AFTER_STEP : s->place == RT_SIGNAL_PATH ? s->bits - self->bits_left_out : 0;
}

/*
 * The handler may end the thread, or throw. Then native code that the interpreter called is left as any is; else the
 * exception is the interpreted instruction's.
 */
static bool deliver(struct ethread *self, int signal, const void *info, bool in_native)
{
	bool is_there;
	void *exception = interp_guarded(engine.config->deliver, signal, info, &is_there);
	if (exception && !in_native)
		ithread_raise(self->interp, exception);
	if (exception)
		_Unwind_RaiseException(exception);
	return is_there;
}

static void run_handler(struct ethread *self, int signal, const struct rt_signal *s, const void *info, bool in_native)
{
	bool counts = s->place != RT_SIGNAL_FAULT; /* a replay runs into a fault, and into its handler, by itself */
	char what[32];
	signal_name(signal, what, sizeof what);
	self->saps += counts;
	hear_input(self, self->log->inputs[self->next_input], what);
	self->next_input++;
	if (counts) {
		event_add(self, EVENT_CALL, 0, place_describe(self, what));
		*vec_push(&engine.results) = (struct forced_result){
			.thread = self->number, .result = signal, .sap = self->saps, .kind = FORCED_SIGNAL,
			.when = when_of(self, s),
		};
	}
	const char *native = self->native;
	int inside = engine_inside(0);
	uint32_t unwritten = self->unwritten;
	self->unwritten = 0; /* they never will be if it jumps away */
	if (!deliver(self, signal, info, in_native))
		engine_fatal("thread %s ran a handler of %s in the recorded run, and has installed none", self->name, what);
	engine_inside(inside);
	self->native = native;
	self->unwritten = unwritten;
}

static void run_all(struct ethread *self, enum rt_signal_place place, bool in_native)
{
	const void *info;
	while (self->log && self->next_input < self->log->ninputs) {
		const struct rt_input *r = self->log->inputs[self->next_input];
		const struct rt_signal *s = trace_input_signal(r, &info);
		if (s && s->place == RT_SIGNAL_ANYWHERE)
			engine_fatal("a signal (%d) met thread %s where no recorded place came for a while, so that the path of its "
				     "handler is not in the log",
				     (int)r->result, self->name);
		if (!s || !is_here(self, s, place))
			return;
		run_handler(self, (int)r->result, s, info, in_native);
	}
}

void signals_at(struct ethread *self, enum rt_signal_place place)
{
	run_all(self, place, true);
}

void signals_at_instruction(struct ethread *self, enum rt_signal_place place)
{
	run_all(self, place, false);
}

/*
 * The handler's path is not in the log. Where it ends the run, or returns and the same instruction does, as handlers do that report a
 * failure, the thread ends at the fault: what the handler did is left out. A replay runs into it by itself.
 */
static void end_at_fault(struct ethread *self, int signal)
{
	if (!path_reader_at_end(&self->path) || !engine_is_failing(self, true))
		engine_fatal("thread %s went on after a fault (signal %d), and the path of its handler is not in the log", self->name,
			     signal);
	struct trace_thread *log = &engine.trace->threads[self->log->info.number];
	log->ninputs = self->next_input;
	log->info.sync_done = self->ops;
}

bool signals_fault_comes(const struct ethread *self)
{
	const void *info;
	if (!self->log || self->next_input >= self->log->ninputs)
		return false;
	const struct rt_signal *s = trace_input_signal(self->log->inputs[self->next_input], &info);
	return s && (is_here(self, s, RT_SIGNAL_FAULT) || is_here(self, s, RT_SIGNAL_LOST));
}

uint64_t signals_bits_ahead(const struct ethread *self)
{
	const void *info;
	if (!self->signals || self->next_input >= self->log->ninputs)
		return UINT64_MAX;
	const struct rt_signal *s = trace_input_signal(self->log->inputs[self->next_input], &info);
	uint64_t done = path_reader_done(&self->path);
	if (!s || s->steps != self->ops || s->place == RT_SIGNAL_STEP)
		return UINT64_MAX;
	return s->bits > done ? s->bits - done : 0;
}

bool signals_fault(struct ethread *self, int signal, bool *ends)
{
	const void *info;
	const struct rt_input *r =
		self->log && self->next_input < self->log->ninputs ? self->log->inputs[self->next_input] : NULL;
	const struct rt_signal *s = r ? trace_input_signal(r, &info) : NULL;
	if (s && (int)r->result == signal && is_here(self, s, RT_SIGNAL_LOST)) {
		end_at_fault(self, signal);
		*ends = true;
		return false;
	}
	if (!s || (int)r->result != signal || !is_here(self, s, RT_SIGNAL_FAULT))
		return false;
	run_handler(self, signal, s, info, true);
	return true;
}
