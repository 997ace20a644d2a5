/*
 * What a read has to find, now that all is known that a condition compares it with: a compare-and-swap that succeeded finds what was loaded before it,
 * the reader of a sequence lock finds the same number twice. A write that takes such a value away, when nobody writes it again, leads nowhere, and
 * that is known before the read is reached.
 */
#include "solve/machine_internal.h"

#include <stdlib.h>

/* Conditions further above a symbol, and more uses of one expression, are not looked at. */
enum { MOST_STEPS = 4, MOST_PARENTS = 8 };

/* What `unknown`, the only operand of e that is not known, has to be for e to be `value`; false: that does not say. */
static bool invert(const struct machine *m, expr e, uint64_t value, expr unknown, uint64_t *operand)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs), *n = &nodes[e];
	bool first = n->a == unknown;
	unsigned width = nodes[unknown].width;
	uint64_t other = n->b ? m->value[first ? n->b : n->a] : 0;
	switch (n->op) {
	case EXPR_EQ:
		*operand = other;
		return value;
	case EXPR_AND: /* of conditions: both, or not the other one */
		*operand = value;
		return n->width == 1 && (value || other);
	case EXPR_OR:
		*operand = value;
		return n->width == 1 && (!value || !other);
	case EXPR_XOR:
		*operand = value ^ other;
		return true;
	case EXPR_ADD:
		*operand = bits(value - other, 0, width);
		return true;
	case EXPR_SUB:
		*operand = bits(first ? value + other : other - value, 0, width);
		return true;
	case EXPR_ZEXT:
		*operand = value;
		return bits(value, 0, width) == value;
	default:
		return false;
	}
}

/* What e has to be for a condition that depends on nothing else that is unknown. */
static bool demanded(const struct machine *m, expr e, int steps, uint64_t *value)
{
	uint32_t from = m->parent_start[e], to = m->parent_start[e + 1];
	*value = 1;
	if (m->is_condition[e])
		return true;
	for (uint32_t i = from; steps && i < to && i < from + MOST_PARENTS; i++) {
		expr q = m->parents[i];
		uint64_t above;
		if (m->waiting[q] == 1 && expr_node(m->x->exprs, q)->op != EXPR_ITE && demanded(m, q, steps - 1, &above) &&
		    invert(m, q, above, e, value))
			return true;
	}
	return false;
}

bool machine_wants(const struct machine *m, uint32_t number, uint64_t *value)
{
	const struct piece *p = &m->p->pieces.at[number];
	const struct event *read = &m->x->events.at[p->event];
	const struct expr_node *n = expr_node(m->x->exprs, read->read);
	if (n->op != EXPR_SYM || p->low || p->width != 8 * read->size || !m->cone[read->read] || !m->waiting[read->read])
		return false;
	return demanded(m, read->read, MOST_STEPS, value);
}

/* -------------------------------------------------- what is to come ---------------------- */

/* The last write of a list that gives its atom this value. */
struct last_write {
	uint64_t value;
	uint32_t list, at; /* list + 1; index in access_nodes */
};

static struct last_write *find(const struct machine *m, uint32_t list, uint64_t value)
{
	uint64_t h = (value ^ (uint64_t)list << 40) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) & m->last_mask;
	while (m->last_writes[i].list && (m->last_writes[i].list != list + 1 || m->last_writes[i].value != value))
		i = (i + 1) & m->last_mask;
	return &m->last_writes[i];
}

static const struct write_part *part_of(const struct machine *m, uint32_t event, uint32_t atom)
{
	const struct write_part *w = &m->parts.at[m->part_start[event]];
	while (w->atom != atom)
		w++;
	return w;
}

void machine_wants_build(struct machine *m)
{
	uint32_t writes = 0, size = 2;
	for (size_t i = 0; i < m->accesses.n; i++)
		writes += m->accesses.at[i].write ? m->accesses.at[i].to - m->accesses.at[i].from : 0;
	while (size < 2 * writes)
		size *= 2;
	m->last_mask = size - 1;
	m->last_writes = xcalloc(size, sizeof *m->last_writes);
	m->last_open = xcalloc(m->accesses.n + 1, sizeof *m->last_open);
	for (uint32_t list = 0; list < m->accesses.n; list++) {
		const struct accesses *a = &m->accesses.at[list];
		for (uint32_t i = a->from; a->write && i < a->to; i++) {
			uint32_t event = m->m->event_of[m->access_nodes[i]];
			const struct write_part *w = part_of(m, event, a->atom);
			uint64_t value;
			if (!pinned_value(&m->p->pinned, m->x->events.at[event].written, &value)) {
				m->last_open[list] = i + 1;
				continue;
			}
			value = bits(value, w->low, w->width);
			*find(m, list, value) = (struct last_write){value, list + 1, i};
		}
	}
}

bool machine_comes(const struct machine *m, uint32_t atom, uint64_t value)
{
	for (uint32_t k = m->atom_start[atom]; k < m->atom_start[atom + 1]; k++) {
		uint32_t list = m->atom_accesses[k];
		const struct accesses *a = &m->accesses.at[list];
		if (!a->write || a->next == a->to)
			continue;
		const struct last_write *l = find(m, list, value);
		if (m->last_open[list] > a->next || (l->list && l->at >= a->next))
			return true;
	}
	return false;
}
