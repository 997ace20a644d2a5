/* Steps that are about threads: creating them, waiting for their end, ending and cancelling them (sync.h). */
#include "sym/sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

_Noreturn void step_leave_thread(struct ethread *self, void *result)
{
	self->result = result;
	_Unwind_RaiseException(ithread_exit_exception(self->interp));
	engine_fatal("thread %s ends in native code that cannot be unwound", self->name);
}

struct start {
	void *(*routine)(void *);
	void *argument;
	struct ethread *thread;
};

static void *thread_main(void *p)
{
	engine_inside(1);
	struct start start = *(struct start *)p;
	free(p);
	struct ethread *self = start.thread;
	engine_self_set(self);
	baton_first(self);
	engine_inside(0);
	if (!setjmp(self->out))
		self->result = start.routine(start.argument);
	engine_thread_returns();
	return self->result;
}

/* Did the recorded run get as far as starting the thread that `self` creates next? */
static bool child_was_started(const struct ethread *self)
{
	char name[64];
	snprintf(name, sizeof name, "%.50s:%u", self->name, self->children + 1);
	const struct trace_thread *child = trace_thread_named(engine.trace, name);
	return child && child->info.tid;
}

static void create_child(struct ethread *self, pthread_t *id, const pthread_attr_t *attr,
			 void *(*routine)(void *), void *argument)
{
	struct ethread *child = engine_thread_new(self);
	event_add(self, EVENT_CREATE, child->number, place_describe(self, "pthread_create"));
	order_add(event_last(self), (struct event_ref){ child->number, 0 });
	vclock_set(&child->clock, &self->clock);
	vclock_tick(&child->clock, child->number);
	vclock_tick(&self->clock, self->number);
	struct start *start = xmalloc(sizeof *start);
	*start = (struct start){ routine, argument, child };
	int error = engine.config->real_create(&child->id, attr, thread_main, start);
	if (error)
		engine_fatal("cannot create thread %s: %s", child->name, strerror(error));
	*id = child->id;
}

int sync_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	struct ethread *self = engine_self();
	if (self && self->log && (engine.free ? self->saps : self->ops) >= self->log->info.sync_done && child_was_started(self)) {
		/* The run ended before the creator came back from the call. */
		self->saps++;
		create_child(self, id, attr, routine, argument);
		engine_thread_over(self);
	}
	self = step_begin(NULL);
	const struct rt_sync *e = step_entry(self);
	if (step_has_failed(e))
		return step_done(self, e);
	self->ops++;
	create_child(self, id, attr, routine, argument);
	return 0;
}

static struct ethread *thread_with_id(pthread_t id)
{
	for (size_t i = engine.threads.n; i--;)
		if (engine.threads.at[i]->number && pthread_equal(engine.threads.at[i]->id, id))
			return engine.threads.at[i];
	return NULL;
}

int sync_join(pthread_t id, void **result, const char *what)
{
	struct ethread *self = engine_self(), *target = thread_with_id(id);
	if (self)
		self->joins = target ? target->number + 1 : 0;
	self = step_begin(NULL);
	self->joins = 0;
	const struct rt_sync *e = step_entry(self);
	if (step_has_failed(e) || !target)
		return e ? step_done(self, e) : ESRCH;
	self->wait = WAIT_JOIN;
	self->wait_thread = target;
	baton_wait(self);
	event_add(self, EVENT_JOIN, target->number, place_describe(self, what));
	order_add(target->end, event_last(self));
	vclock_join(&self->clock, &target->clock);
	if (result)
		*result = target->result;
	return step_done(self, e);
}

_Noreturn void sync_exit(void *result)
{
	struct ethread *self = step_begin(NULL);
	self->ops++;
	step_leave_thread(self, result);
}

_Noreturn void host_exited(struct ithread *t)
{
	struct ethread *self = ithread_data(t);
	if (!self->number)
		engine_thread_over(self); /* the main thread; the process goes on */
	longjmp(self->out, 1);
}

void sync_cancel(pthread_t id)
{
	struct ethread *self = step_begin(NULL);
	struct ethread *target = thread_with_id(id);
	step_done(self, step_entry(self));
	if (!target || target->cancelled)
		return;
	event_add(self, EVENT_CALL, 0, place_describe(self, "pthread_cancel"));
	target->cancelled = true;
	target->cancel_event = event_last(self);
	vclock_set(&target->cancel_clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}
