/*
 * Signal handlers of the target in the recorder. A handler runs at a place that the log can name (caught.h), and
 * appends to the thread's streams as any function that is called there does.
 *
 * Where there was no such place, and at a fault, the interrupted code may know in a register where in the tray it goes on. After a
 * fault that a handler jumps away from nobody comes back to that code: the handler appends there, and what it appended stays when it
 * jumps, if the tray had room for it. Else its branches go where nobody reads.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/handlers.h"

#include "rt/caught.h"
#include "rt/failure.h"
#include "rt/inputs.h"
#include "rt/interpose.h"
#include "rt/path.h"

#include <setjmp.h>
#include <signal.h>

/* ------------------------------------------------------------------ a path of their own ----- */

/* What the interrupted code will go on with. */
struct interrupted {
	uint8_t *path;
	struct rt_values values;
};

static struct interrupted divert(struct rt_self *self, uint32_t place)
{
	struct interrupted i = {__rethread_path, __rethread_values};
	bool keeps = place == RT_SIGNAL_FAULT && !self->handlers && self->tray &&
		     rt_tray_here(__rethread_path) < self->tray + RT_TRAY;
	uint8_t *here = rt_path_divert(self, keeps);

	if (!self->handlers++)
		self->interrupted = here, self->interrupted_values = i.values;
	self->handler_keeps = keeps;
	if (!keeps && place == RT_SIGNAL_FAULT)
		rt_input_signal_lost(self, RT_SIGNAL_LOST);
	/* Values are appended in memory, so that those of a handler may come in between. */
	if (!keeps)
		rt_values_divert();
	return i;
}

static void come_back(struct rt_self *self, const struct interrupted *i, uint32_t place)
{
	bool had_branches = !self->handler_keeps || __rethread_path != self->interrupted;

	if (self->handler_keeps)
		rt_path_undo(self, self->interrupted);
	self->handlers--;
	__rethread_path = i->path;
	rt_path_go_on(self);
	if (place == RT_SIGNAL_FAULT && !had_branches)
		return;
	if (place != RT_SIGNAL_FAULT)
		__rethread_values = i->values;
	rt_input_signal_lost(self, place == RT_SIGNAL_FAULT ? RT_SIGNAL_LOST : RT_SIGNAL_ANYWHERE);
}

/* The handler jumps away. What it appended belongs to the path of the code that it jumps to. */
static void leave_handlers(void)
{
	struct rt_self *self = &rt_self;

	if (!self->handlers)
		return;
	self->handlers = 0;
	rt_failure_fault_over(true);
	if (self->handler_keeps)
		return;
	__rethread_path = self->interrupted;
	rt_path_go_on(self);
	__rethread_values = self->interrupted_values;
	rt_input_signal_lost(self, RT_SIGNAL_ANYWHERE);
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

	if ((!self->active && !self->paused) || rt_log.sealed)
		return RT_CAUGHT_PLAINLY;
	if (self->logging || (self->paused && !in_call))
		return RT_CAUGHT_BUSY;
	if (in_call)
		return RT_CAUGHT_NOW;
	rt_path_hurry(self);
	return RT_CAUGHT_LATER;
}

static void run(int signal, siginfo_t *info, void *context, uint32_t place)
{
	struct rt_self *self = &rt_self;
	bool was_paused = self->paused;

	if (was_paused)
		rt_self_resume(self);
	rt_input_signal(self, info, place);
	if (place == RT_SIGNAL_FAULT)
		rt_failure_faulted(info, context);
	if (place == RT_SIGNAL_FAULT || place == RT_SIGNAL_ANYWHERE) {
		struct interrupted i = divert(self, place);

		rt_caught_call(signal, info, context);
		if (place == RT_SIGNAL_FAULT)
			rt_failure_fault_over(false);
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
