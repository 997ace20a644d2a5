/*
 * Executions made by hand, for tests of the model: thread after thread, event after event.
 *
 *     struct execution x; execution_init(&x);
 *     make_thread(&x, "1:1"); expr a = make_read(&x, X, 4); make_write(&x, X, 4, ...); make_end(&x, 0);
 */
#ifndef MAKE_EXECUTION_H
#define MAKE_EXECUTION_H

#include "model/execution.h"

#include <stdio.h>
#include <string.h>

static inline uint32_t make_event(struct execution *x, enum event_kind kind, uint64_t object)
{
	struct execution_thread *t = &x->threads.at[x->threads.n - 1];
	bool counts = kind != EVENT_START && kind != EVENT_END;
	t->saps += counts;
	*vec_push(&x->events) = (struct event){.thread = (uint32_t)x->threads.n - 1,
					       .kind = (uint8_t)kind, .sap = t->saps,
					       .object = object};
	t->count++;
	return (uint32_t)x->events.n - 1;
}

/* Returns the START event. */
static inline uint32_t make_thread(struct execution *x, const char *name)
{
	struct execution_thread *t = vec_push(&x->threads);
	*t = (struct execution_thread){.first = (uint32_t)x->events.n};
	snprintf(t->name, sizeof t->name, "%s", name);
	return make_event(x, EVENT_START, 0);
}

static inline uint32_t make_end(struct execution *x, uint16_t flags)
{
	uint32_t e = make_event(x, EVENT_END, 0);
	x->events.at[e].flags = flags;
	return e;
}

/* A read of a fresh symbol; the value. */
static inline expr make_read(struct execution *x, uint64_t address, unsigned size)
{
	uint32_t e = make_event(x, EVENT_READ, address);
	x->events.at[e].size = (uint8_t)size;
	return x->events.at[e].read = expr_sym(x->exprs, size * 8, x->nsymbols++);
}

static inline uint32_t make_write(struct execution *x, uint64_t address, unsigned size, expr value)
{
	uint32_t e = make_event(x, EVENT_WRITE, address);
	x->events.at[e].size = (uint8_t)size;
	x->events.at[e].written = value;
	return e;
}

static inline expr make_const(struct execution *x, unsigned size, uint64_t value)
{
	return expr_const(x->exprs, size * 8, value);
}

static inline expr make_add(struct execution *x, expr e, uint64_t value)
{
	return expr_binary(x->exprs, EXPR_ADD, e,
			   expr_const(x->exprs, expr_node(x->exprs, e)->width, value));
}

/* a op b holds (or does not) after the last event. */
static inline void make_condition(struct execution *x, enum expr_op op, expr a, expr b, bool holds,
				  enum condition_kind kind)
{
	expr c = expr_binary(x->exprs, op, a, b);
	*vec_push(&x->conditions) =
		(struct condition){.condition = holds ? c : expr_not(x->exprs, c),
				   .event = (uint32_t)x->events.n - 1, .kind = kind};
}

static inline void make_order(struct execution *x, uint32_t a, uint32_t b)
{
	*vec_push(&x->orders) = (struct known_order){a, b};
}

static inline void make_initial(struct execution *x, uint64_t address, unsigned size, uint64_t value)
{
	*vec_push(&x->initials) = (struct initial){.address = address, .size = size, .value = value};
}

#endif
