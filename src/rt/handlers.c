/*
 * Signal handlers of the target in the recorder. A handler runs at a place that the log can name (caught.h), and
 * appends to the thread's streams as any function that is called there does.
 *
 * Where there was no such place, and at a fault, the interrupted code may have its word of the path in a register: while
 * the handler runs, its branches go to a word of their own. After a fault that a handler jumps away from nobody
 * comes back to that code, and the branches are appended then, when they fit into the word; else they are not kept.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/handlers.h"

#include "rt/caught.h"
#include "rt/inputs.h"
#include "rt/interpose.h"

#include <setjmp.h>
#include <signal.h>

/* ------------------------------------------------------------------ a path of their own ----- */

/* What the interrupted code will go on with. */
struct interrupted {
	uint64_t *path;
	struct rt_values values;
};

static struct interrupted divert(struct rt_self *self, uint32_t place)
{
	struct interrupted i = {__rethread_path, __rethread_values};

	if (!self->handlers++)
		self->interrupted = i.path, self->interrupted_values = i.values;
	self->handler_word = RT_PATH_EMPTY;
	self->handler_keeps = place == RT_SIGNAL_FAULT && self->handlers == 1;
	__rethread_path = &self->handler_word;
	/* Values are appended in memory, so that those of a handler may come in between. */
	if (!self->handler_keeps)
		rt_values_divert();
	return i;
}

static void come_back(struct rt_self *self, const struct interrupted *i, uint32_t place)
{
	self->handlers--;
	__rethread_path = i->path;
	if (place == RT_SIGNAL_FAULT && self->handler_keeps && self->handler_word == RT_PATH_EMPTY)
		return; /* it had no branches */
	if (place != RT_SIGNAL_FAULT)
		__rethread_values = i->values;
	rt_input_signal_lost(self);
}

/* The handler jumps away. What it appended belongs to the path of the code that it jumps to. */
static void append_kept(uint64_t word)
{
	for (unsigned left = rt_path_bits(word); left;) {
		unsigned n = left < RT_PATH_ROOM ? left : RT_PATH_ROOM;

		left -= n;
		*__rethread_path = *__rethread_path << n | (word >> left & ((1u << n) - 1));
		if (rt_path_is_full(*__rethread_path))
			__rethread_path_room();
	}
}

static void leave_handlers(void)
{
	struct rt_self *self = &rt_self;
	uint64_t word = self->handler_word;

	if (!self->handlers)
		return;
	self->handlers = 0;
	__rethread_path = self->interrupted;
	if (self->handler_keeps) {
		append_kept(word);
	} else {
		__rethread_values = self->interrupted_values;
		rt_input_signal_lost(self);
	}
}

#define JUMP(name, type)                                                                           \
	void name(type buffer, int value)                                                          \
	{                                                                                          \
		leave_handlers();                                                                  \
		RT_REAL(name)(buffer, value);                                                      \
		__builtin_unreachable();                                                           \
	}

JUMP(longjmp, struct __jmp_buf_tag *)
JUMP(_longjmp, struct __jmp_buf_tag *)
JUMP(siglongjmp, struct __jmp_buf_tag *)
void __longjmp_chk(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));
JUMP(__longjmp_chk, struct __jmp_buf_tag *)

/* ------------------------------------------------------------------ when, and how ----------- */

static bool never(void)
{
	return false;
}

static bool pretends(int signal)
{
	(void)signal;
	return false;
}

static enum rt_caught_when when(bool in_call)
{
	const struct rt_self *self = &rt_self;

	if (!self->active && !self->paused)
		return RT_CAUGHT_PLAINLY;
	if (self->logging || (self->paused && !in_call))
		return RT_CAUGHT_BUSY;
	return in_call ? RT_CAUGHT_NOW : RT_CAUGHT_LATER;
}

static void run(int signal, siginfo_t *info, void *context, uint32_t place)
{
	struct rt_self *self = &rt_self;
	bool was_paused = self->paused;

	if (was_paused)
		rt_self_resume(self);
	rt_input_signal(self, info, place);
	if (place == RT_SIGNAL_FAULT || place == RT_SIGNAL_ANYWHERE) {
		struct interrupted i = divert(self, place);

		rt_caught_call(signal, info, context);
		come_back(self, &i, place);
	} else {
		rt_caught_call(signal, info, context);
	}
	if (was_paused)
		rt_self_pause(self);
}

void rt_handlers_start(void)
{
	static const struct rt_caught_hooks hooks = {never, pretends, when, run};

	rt_caught_start(&hooks);
}
