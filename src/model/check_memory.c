/* Memory as the order has it, byte by byte, and what is read from it (check_internal.h). */
#include "model/check_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct cell *cell_at(struct checker *c, uint64_t address)
{
	size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & c->cell_mask;
	while (c->cells[i].used && c->cells[i].address != address)
		i = (i + 1) & c->cell_mask;
	c->cells[i].used = true;
	c->cells[i].address = address;
	return &c->cells[i];
}

static void memory_store(struct checker *c, uint64_t address, uint32_t size, uint64_t value, bool known)
{
	for (uint32_t k = 0; k < size; k++) {
		struct cell *m = cell_at(c, address + k);
		m->value = (uint8_t)(value >> (8 * k));
		m->known = known;
	}
}

/* One byte as the thread sees it: its own newest store that is still buffered, else memory. */
static bool load_byte(struct checker *c, uint32_t thread, uint64_t address, uint8_t *value)
{
	for (size_t i = c->buffer[thread].n; i-- > 0;) {
		const struct stored *s = &c->buffer[thread].at[i];
		if (address - s->address < s->size) {
			*value = (uint8_t)(s->value >> (8 * (address - s->address)));
			return s->known;
		}
	}
	const struct cell *m = cell_at(c, address);
	*value = m->value;
	return m->known;
}

/* Initial memory: where initials overlap, the first given counts. */
void check_load_initials(struct checker *c)
{
	for (size_t i = c->x->initials.n; i-- > 0;) {
		const struct initial *v = &c->x->initials.at[i];
		memory_store(c, v->address, v->size, v->value, true);
	}
}

bool check_evaluate(struct checker *c, expr e, uint64_t *value)
{
	const struct expr_node *nodes = expr_nodes(c->x->exprs);
	vec(expr) stack = {0};
	bool ok = true;
	*vec_push(&stack) = e;
	while (ok && stack.n) {
		expr at = stack.at[stack.n - 1];
		expr below[3] = {nodes[at].a, nodes[at].b, nodes[at].c};
		bool ready = true;
		/* Only the branch that is taken has to have a value. */
		if (nodes[at].op == EXPR_ITE)
			below[c->has_value[below[0]] && c->values[below[0]] ? 2 : 1] = EXPR_NONE;
		if (nodes[at].op == EXPR_ITE && !c->has_value[below[0]])
			below[2] = EXPR_NONE;
		for (int i = 0; i < 3; i++)
			if (below[i] && !c->has_value[below[i]]) {
				*vec_push(&stack) = below[i];
				ready = false;
			}
		if (!ready)
			continue;
		ok = nodes[at].op != EXPR_SYM || c->has_symbol[nodes[at].value];
		if (ok) {
			c->values[at] = expr_apply(c->x->exprs, at, c->symbols, c->values);
			c->has_value[at] = true;
			stack.n--;
		}
	}
	vec_free(&stack);
	*value = ok ? c->values[e] : 0;
	return ok;
}

bool check_read(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	uint64_t found = 0, expected;
	if (!e->read)
		return true;
	const struct expr_node *n = expr_node(c->x->exprs, e->read);
	for (uint32_t k = 0; k < e->size; k++) {
		uint8_t byte;
		if (!load_byte(c, e->thread, e->object + k, &byte)) {
			if (n->op == EXPR_SYM && !c->has_symbol[n->value])
				return true; /* then nothing that counts may depend on it */
			return violated(c, event, "reads %#" PRIx64 ", whose value nobody knows",
					e->object + k);
		}
		found |= (uint64_t)byte << (8 * k);
	}
	if (n->op == EXPR_SYM && !c->has_symbol[n->value]) {
		c->symbols[n->value] = found;
		c->has_symbol[n->value] = true;
		return true;
	}
	if (!check_evaluate(c, e->read, &expected))
		return violated(c, event, "reads a value that depends on a later read");
	if (expected != found)
		return violated(c, event, "reads %" PRIu64 " where %" PRIu64 " is expected", found,
				expected);
	return true;
}

void check_write(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	uint64_t value;
	/* What depends on a read that gave no value, or comes later, is unknown: nothing that counts may read it. */
	bool known = check_evaluate(c, e->written, &value);
	if (buffers_stores(c, e))
		*vec_push(&c->buffer[e->thread]) =
			(struct stored){event, e->object, value, e->size, known};
	else
		memory_store(c, e->object, e->size, value, known);
}

bool check_visible(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	if (!buffers_stores(c, e))
		return violated(c, event, "becomes visible, but is no buffered store");
	struct stored *at = c->buffer[e->thread].at;
	size_t n = c->buffer[e->thread].n, i = 0;
	for (; i < n && at[i].event != event; i++) {
		bool overlap = at[i].address < e->object + e->size &&
			       e->object < at[i].address + at[i].size;
		bool ordered = c->model == MEMORY_TSO && !events_are_pieces(&c->x->events.at[at[i].event], e);
		if (ordered || overlap)
			return violated(c, event, "becomes visible before an earlier store");
	}
	if (i == n)
		return violated(c, event, "becomes visible before it is issued");
	memory_store(c, at[i].address, at[i].size, at[i].value, at[i].known);
	memmove(at + i, at + i + 1, (n - i - 1) * sizeof *at);
	c->buffer[e->thread].n--;
	return true;
}

bool check_may_swap(const struct checker *c, uint32_t first, uint32_t second)
{
	const struct event *a = &c->x->events.at[first], *b = &c->x->events.at[second];
	bool overlap = a->object < b->object + b->size && b->object < a->object + a->size;
	return events_are_pieces(a, b) && !overlap;
}

bool check_drains(const struct checker *c, uint32_t event)
{
	switch (c->x->events.at[event].kind) {
	case EVENT_UPDATE:
	case EVENT_FENCE:
	case EVENT_CREATE:
	case EVENT_JOIN:
	case EVENT_LOCK:
	case EVENT_UNLOCK:
	case EVENT_WAIT:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_HANG:
	case EVENT_BUSY:
	case EVENT_POST:
	case EVENT_TAKE:
	case EVENT_EMPTY:
	case EVENT_ARRIVE:
	case EVENT_LEAVE:
	case EVENT_ORDERED:
		return true;
	case EVENT_END:
	case EVENT_CALL:
		return c->leads[event];
	default:
		return false;
	}
}
