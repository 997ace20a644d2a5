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

/* `x` and `l` have to live longer; values: of all expressions. Where stores are delayed there are no notes among the steps. */
void told_init(struct told *t, const struct execution *x, const struct linear *l, const uint64_t *values);
void told_release(struct told *t);


static inline const struct event *told_event(const struct told *t, size_t step)
{
	return &t->x.events.at[t->l.steps.at[step].event];
}

static inline bool told_accesses(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE;
}

/* Something of a text that was executed, and lies behind what is its end in this order? Then it is no access. */
static inline bool told_is_behind_text(const struct event *e)
{
	return e->kind == EVENT_CALL && e->flags & EVENT_TEXT;
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
