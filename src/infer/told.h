/*
 * An order as it is told: the steps that were solved, and between them what else the threads did to memory that they share (`notes` of the
 * execution), where the order of locks puts it. For explanations only.
 */
#ifndef RETHREAD_TOLD_H
#define RETHREAD_TOLD_H

#include "model/linear.h"

struct told {
	struct execution x; /* events and conditions are its own, the rest is that of the execution it was made of */
	struct linear l;
};

/* Both arguments have to live longer. Where stores are delayed there are no notes among the steps. */
void told_init(struct told *t, const struct execution *x, const struct linear *l);
void told_release(struct told *t);

static inline const struct event *told_event(const struct told *t, size_t step)
{
	return &t->x.events.at[t->l.steps.at[step].event];
}

static inline bool told_accesses(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE;
}

/* Does it find something, or leave something? */
static inline bool told_reads(const struct event *e)
{
	return (e->kind == EVENT_READ || e->kind == EVENT_UPDATE) && e->read;
}

static inline bool told_writes(const struct event *e)
{
	return (e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE) && e->written;
}

#endif
