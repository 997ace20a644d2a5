/*
 * From the program's native code into the engine and back (include/rethread/engine.h): functions that the executor is to run,
 * and interposed calls, each a step of sync.c or an input of native.c.
 */
#include "sym/engine.h"

#include <string.h>

static void enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	struct ethread *self = engine_self();
	if (!self)
		engine_fatal("%s is called on a thread that rethread did not see start",
			     interp_symbol_name(engine.interp, symbol));
	int was = engine_inside(1);
	unsigned nin, nout;
	interp_signature(engine.interp, symbol, &nin, &nout);
	struct slot arguments[nin + 1], results[nout + 1];
	for (unsigned i = 0; i < nin; i++)
		arguments[i] = (struct slot){ in[i], EXPR_NONE };
	if (!interp_call(self->interp, symbol, arguments, results))
		engine_thread_over(self);
	bool is_main = !strcmp(interp_symbol_name(engine.interp, symbol), "main") && !self->number;
	if (is_main && nout)
		shown_status(self, &results[0]);
	if (is_main && !engine_exits(self)) {
		/* Returning would end the process: the other threads go on to the end of their logs. */
		engine_thread_ends(self, true);
		engine_thread_over(self);
	}
	for (unsigned i = 0; i < nout; i++)
		out[i] = results[i].v;
	engine_inside(was);
}

/* Back to the program: the step is done. */
static void leave(int was)
{
	struct ethread *self = engine_self();
	if (self && self->signals)
		signals_at(self, RT_SIGNAL_STEP);
	engine_inside(was);
}

#define INSIDE(type, call)                \
	int was = engine_inside(1);       \
	type result = call;               \
	leave(was);               \
	return result

static int create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	INSIDE(int, sync_create(id, attr, routine, argument));
}

static int join(pthread_t id, void **value, const char *what)
{
	INSIDE(int, sync_join(id, value, what));
}

static int acquire(const void *object, const char *what)
{
	INSIDE(int, sync_acquire(object, what));
}

static int ordered(const void *object, enum rt_step step, const char *what)
{
	INSIDE(int, sync_ordered(object, step, what));
}

static int wait(const void *condition, const void *mutex, const char *what)
{
	INSIDE(int, sync_wait(condition, mutex, what));
}

static void signal_condition(const void *condition, bool all, const char *what)
{
	int was = engine_inside(1);
	sync_signal(condition, all, what);
	leave(was);
}

static enum rt_once once(const void *control)
{
	INSIDE(enum rt_once, sync_once(control));
}

static void release(const void *object, const char *what)
{
	int was = engine_inside(1);
	sync_release(object, what);
	leave(was);
}

static void plain(const char *what)
{
	int was = engine_inside(1);
	sync_plain(what);
	leave(was);
}

static void exit_thread(void *value)
{
	engine_inside(1);
	sync_exit(value);
}

static void jump(const void *buffer, int value)
{
	struct ethread *self = engine_self();
	if (!self || !interp_jumps_to(buffer))
		return;
	engine_inside(1);
	self->native = NULL;
	interp_jump(self->interp, buffer, value);
}

static void cancel(pthread_t id)
{
	int was = engine_inside(1);
	sync_cancel(id);
	leave(was);
}

static int point(const char *what)
{
	INSIDE(int, sync_point(what));
}

static uint64_t place(uint64_t size, uint64_t align)
{
	struct ethread *self = engine_self();
	int was = engine_inside(1);
	uint64_t at = self ? mirror_place(self, size, align) : 0;
	engine_inside(was);
	return at;
}

static const struct rt_input *input(uint32_t function, const char *what)
{
	INSIDE(const struct rt_input *, native_input(function, what));
}

static void input_done(void)
{
	leave(engine_inside(1));
}

static void reads(const void *from, uint64_t size)
{
	int was = engine_inside(1);
	native_reads(from, size);
	engine_inside(was);
}

static void writes(void *to, const void *bytes, uint64_t size)
{
	int was = engine_inside(1);
	native_writes(to, bytes, size);
	engine_inside(was);
}

static void shows(const void *from, const void *bytes, uint64_t size)
{
	struct ethread *self = engine_self();
	int was = engine_inside(1);
	if (self)
		shown_bytes(self, 0, (uint64_t)(uintptr_t)from, bytes, size);
	engine_inside(was);
}

const struct rt_engine *engine_calls(void)
{
	static const struct rt_engine calls = {
		.abi = RT_ABI,
		.enter = enter,
		.create = create,
		.join = join,
		.acquire = acquire,
		.release = release,
		.ordered = ordered,
		.plain = plain,
		.wait = wait,
		.signal = signal_condition,
		.once = once,
		.exit = exit_thread,
		.jump = jump,
		.leave = engine_leave_process,
		.input = input,
		.input_done = input_done,
		.reads = reads,
		.writes = writes,
		.shows = shows,
		.cancel = cancel,
		.point = point,
		.place = place,
	};
	return &calls;
}
