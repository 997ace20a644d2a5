/*
 * Signal handlers of the target. A handler interrupts its thread between any two instructions, also in the middle of
 * appending a branch, so while it runs its own branches go to a word of their own, which is not kept: the
 * path in the log is that of the interrupted code alone (include/rethread/instrument.h).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/handlers.h"

#include "rt/failure.h"
#include "rt/interpose.h"

#include <setjmp.h>
#include <signal.h>

typedef void (*handler_function)(int, siginfo_t *, void *);

static handler_function installed[NSIG]; /* the target's */

/* Whether it was installed with SA_SIGINFO or not, the processor's registers hold all three arguments. */
static void run_handler(int signal, siginfo_t *info, void *context)
{
	struct rt_self *self = &rt_self;
	uint64_t *interrupted = __rethread_path;
	struct rt_values values;

	if (!self->active) {
		installed[signal](signal, info, context);
		return;
	}
	if (!self->handlers++)
		self->interrupted = interrupted, self->interrupted_values = __rethread_values;
	self->handler_word = 1;
	__rethread_path = &self->handler_word;
	values = rt_values_divert();
	installed[signal](signal, info, context);
	self->handlers--;
	__rethread_values = values;
	__rethread_path = interrupted;
}

static void *current(int signal)
{
	return signal > 0 && signal < NSIG ? (void *)installed[signal] : NULL;
}

static void *replace(int signal, void *function)
{
	if (signal <= 0 || signal >= NSIG || function == (void *)SIG_DFL || function == (void *)SIG_IGN ||
	    function == (void *)SIG_ERR)
		return function;
	installed[signal] = (handler_function)function;
	return (void *)run_handler;
}

void rt_handlers_start(void)
{
	static const struct rt_handler_hooks hooks = {current, replace, (void *)run_handler};

	rt_failure_handlers(&hooks);
}

/* A handler that does not return but jumps: the path goes on where it was interrupted. */
static void leave_handlers(void)
{
	struct rt_self *self = &rt_self;

	if (!self->handlers)
		return;
	self->handlers = 0;
	__rethread_path = self->interrupted;
	__rethread_values = self->interrupted_values;
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
