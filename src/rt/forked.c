#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/forked.h"

#include "rt/log.h"
#include "rt/peers.h"
#include "rt/real.h"
#include "rt/self.h"

#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Copies cost time: there are none of a long log, or for a program that forks all the time. */
#define LONGEST (32u << 20)
#define ALL (256u << 20)

static int copy = -1;
static uint64_t copied;

/* Does the log tell all that the child will have behind it, and is the child's thread the main thread? */
static bool can_go_on(void)
{
	return rt_self.active && rt_self.number == 0 && rt_log.header->size <= LONGEST && copied <= ALL &&
	       rt_peers_are_over();
}

void rt_fork_begins(void)
{
	if (!rt_log.header || !can_go_on())
		return;
	copy = rt_log_copy();
	copied += rt_log.header->size;
}

void rt_fork_ended(void)
{
	if (copy >= 0)
		syscall(SYS_close, copy);
	copy = -1;
}

bool rt_forked_has_log(void)
{
	return rt_log.header && rt_log.header->flags & RT_LOG_CHILD;
}

bool rt_forked_goes_on(void)
{
	bool goes_on = copy >= 0 && rt_log_adopt(copy);

	rt_fork_ended();
	if (goes_on)
		rt_self.tid = rt_self.peer->tid = rt_self.thread->tid = (uint32_t)syscall(SYS_gettid);
	return goes_on;
}

/* ------------------------------------------------------------------ clone ------------------- */

struct cloned {
	int (*function)(void *);
	void *argument;
};

/* Its parent's memory is its own: a copy. */
static int begins(void *data)
{
	struct cloned *c = data;

	rt_fork_child();
	return c->function(c->argument);
}

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct cloned c = {function, argument};
	pid_t *parent, *child;
	void *tls;
	va_list list;
	int result;

	va_start(list, argument);
	parent = va_arg(list, pid_t *);
	tls = va_arg(list, void *);
	child = va_arg(list, pid_t *);
	va_end(list);
	rt_real_init();
	if (!rt_log.header || !function || flags & CLONE_VM)
		return rt_real.clone(function, stack, flags, argument, parent, tls, child);
	rt_fork_begins();
	result = rt_real.clone(begins, stack, flags, &c, parent, tls, child);
	rt_fork_ended();
	return result;
}
