#include "solve/machine_internal.h"

#include <stdlib.h>

/* Reads that a thread's write is looked at for. */
enum { OWN_READS = 4 };

/* -------------------------------------------------- the state ---------------------------- */

static void set32(struct machine *m, uint32_t *at, uint32_t value)
{
	*vec_push(&m->undo32) = (struct undo32){at, *at};
	*at = value;
}

static void set64(struct machine *m, uint64_t *at, uint64_t value)
{
	*vec_push(&m->undo64) = (struct undo64){at, *at};
	*at = value;
}

static uint64_t stir(uint64_t v)
{
	v ^= v >> 32;
	v *= UINT64_C(0xd6e8feb86659fd93);
	v ^= v >> 32;
	v *= UINT64_C(0xd6e8feb86659fd93);
	return v ^ v >> 32;
}

/* Adds a fact to the state, or takes it out. */
static void toggle(struct machine *m, enum part part, uint32_t number, uint64_t value)
{
	uint64_t key = ((uint64_t)part << 56 ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	m->hash.a ^= stir(key ^ stir(value));
	m->hash.b ^= stir(key + UINT64_C(0x632be59bd9b4e019) + stir(value ^ UINT64_C(0xe7037ed1a0b428db)));
}

void machine_set32(struct machine *m, uint32_t *at, uint32_t value)
{
	set32(m, at, value);
}

void machine_toggle(struct machine *m, enum part part, uint32_t number, uint64_t value)
{
	toggle(m, part, number, value);
}

struct machine_hash machine_hash(const struct machine *m)
{
	return m->hash;
}

struct machine_mark machine_mark(const struct machine *m)
{
	return (struct machine_mark){m->undo32.n, m->undo64.n, m->hash, m->done};
}

void machine_undo(struct machine *m, struct machine_mark k)
{
	while (m->undo32.n > k.n32) {
		struct undo32 u = m->undo32.at[--m->undo32.n];
		*u.at = u.old;
	}
	while (m->undo64.n > k.n64) {
		struct undo64 u = m->undo64.at[--m->undo64.n];
		*u.at = u.old;
	}
	m->hash = k.hash;
	m->done = k.done;
}

/* -------------------------------------------------- values ------------------------------- */

/* One use less of an expression. */
static void use(struct machine *m, expr e)
{
	if (!m->cone[e])
		return;
	set32(m, &m->pending[e], m->pending[e] - 1);
	if (!m->pending[e] && !m->waiting[e])
		toggle(m, PART_VALUE, e, m->value[e]);
}

/*
 * One operand more of q is known, whichever; true when q can be evaluated now, and could not before. Of a choice only the
 * branch that is taken has to be known.
 */
static bool one_less_to_wait(struct machine *m, expr q, const struct expr_node *n)
{
	if (!m->waiting[q])
		return false;
	if (n->op != EXPR_ITE)
		set32(m, &m->waiting[q], m->waiting[q] - 1);
	else if (!m->waiting[n->a] && !m->waiting[m->value[n->a] ? n->b : n->c])
		set32(m, &m->waiting[q], 0);
	return !m->waiting[q];
}

/* The value of e has become known: so have those of expressions that waited for it alone. False: a condition fails. */
static bool know(struct machine *m, expr first)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	size_t at = m->known.n;
	*vec_push(&m->known) = first;
	for (; at < m->known.n; at++) {
		expr e = m->known.at[at];
		if (m->is_condition[e]) {
			if (!m->value[e])
				return false;
			set32(m, &m->conditions_left, m->conditions_left - 1);
		}
		if (m->pending[e])
			toggle(m, PART_VALUE, e, m->value[e]);
		const expr below[3] = {nodes[e].a, nodes[e].b, nodes[e].c};
		for (int i = 0; i < 3; i++)
			if (below[i])
				use(m, below[i]);
		for (uint32_t i = m->parent_start[e]; i < m->parent_start[e + 1]; i++) {
			expr q = m->parents[i];
			if (!one_less_to_wait(m, q, &nodes[q]))
				continue;
			m->value[q] = expr_apply(m->x->exprs, q, m->symbols, m->value);
			*vec_push(&m->known) = q;
		}
	}
	return true;
}

static bool any_live(const struct machine *m)
{
	for (size_t i = 0; i < m->known.n; i++)
		if (m->pending[m->known.at[i]])
			return true;
	return false;
}

/* -------------------------------------------------- memory ------------------------------- */

static bool is_run(const struct machine *m, uint32_t node)
{
	return m->place[node] < m->at[m->m->chain[node]];
}

bool machine_ran(const struct machine *m, uint32_t node)
{
	return is_run(m, node);
}

/* What the piece sees now: its thread's own write while that is buffered, else memory. *known: it is a value. */
static uint64_t look(struct machine *m, uint32_t number, uint32_t *writer, bool *known)
{
	const struct piece *p = &m->p->pieces.at[number];
	if (p->own != WRITER_INITIAL && !is_run(m, m->m->visible[p->own])) {
		*writer = p->own;
		*known &= !m->lost[p->own];
		return bits(m->stored[p->own], atom_low_bit(m->m, p->own, p->atom), p->width);
	}
	*writer = m->writer[p->atom];
	*known &= !m->unknown[p->atom];
	return m->memory[p->atom];
}

static bool take_read(struct machine *m, uint32_t event)
{
	expr read = m->x->events.at[event].read;
	uint64_t value = 0, fixed;
	if (m->piece_start[event] == m->piece_start[event + 1])
		return true;
	bool is_fixed = pinned_value(&m->p->pinned, read, &fixed), known = true;
	for (uint32_t i = m->piece_start[event]; i < m->piece_start[event + 1]; i++) {
		uint32_t number = m->pieces[i], writer;
		const struct piece *p = &m->p->pieces.at[number];
		uint64_t found = look(m, number, &writer, &known);
		if (is_fixed && (!known || found != bits(fixed, p->low, p->width)))
			return false;
		value |= found << p->low;
		m->seen[number] = writer;
		struct accesses *a = &m->accesses.at[m->read_accesses[number]];
		set32(m, &a->next, a->next + 1);
		set32(m, &m->unread[p->atom], m->unread[p->atom] - 1);
		if (!m->unread[p->atom])
			toggle(m, PART_MEMORY, p->atom, m->memory[p->atom]);
	}
	if (is_fixed)
		return true;
	expr e = m->symbol[expr_node(m->x->exprs, read)->value];
	if (!m->cone[e] || !known)
		return true; /* what depends on an unknown value stays unknown, conditions included */
	m->value[e] = value;
	set32(m, &m->waiting[e], 0);
	return know(m, e);
}

static void issue(struct machine *m, uint32_t event)
{
	m->lost[event] = m->counts[event] && m->waiting[m->x->events.at[event].written];
	m->stored[event] = m->counts[event] && !m->lost[event] ? m->value[m->x->events.at[event].written] : 0;
}

static void set_unknown(struct machine *m, uint32_t atom, bool unknown)
{
	set32(m, &m->unknown[atom], unknown);
	toggle(m, PART_UNKNOWN, atom, 1);
}

static void become_visible(struct machine *m, uint32_t event)
{
	if (m->part_start[event] == m->part_start[event + 1])
		return;
	for (uint32_t i = m->part_start[event]; i < m->part_start[event + 1]; i++) {
		const struct write_part *w = &m->parts.at[i];
		uint64_t value = bits(m->stored[event], w->low, w->width);
		struct accesses *a = &m->accesses.at[w->accesses];
		set32(m, &a->next, a->next + 1);
		set32(m, &m->writer[w->atom], event);
		if (m->unknown[w->atom] != m->lost[event])
			set_unknown(m, w->atom, m->lost[event]);
		if (m->memory[w->atom] == value)
			continue;
		if (m->unread[w->atom]) {
			toggle(m, PART_MEMORY, w->atom, m->memory[w->atom]);
			toggle(m, PART_MEMORY, w->atom, value);
		}
		set64(m, &m->memory[w->atom], value);
	}
	if (m->counts[event])
		use(m, m->x->events.at[event].written);
}

/* -------------------------------------------------- steps -------------------------------- */

void machine_limit_buffers(struct machine *m, uint32_t most)
{
	m->most_buffered = most;
}

void machine_delay_any(struct machine *m)
{
	free(m->may_delay);
	m->may_delay = NULL;
}

void machine_delay_none(struct machine *m)
{
	machine_delay_any(m);
	m->may_delay = xcalloc(m->x->events.n + 1, sizeof *m->may_delay);
}

void machine_may_delay(struct machine *m, uint32_t event)
{
	m->may_delay[event] = true;
}

/* A store that becomes visible as it is issued. */
static bool is_at_once(const struct machine *m, uint32_t node)
{
	return m->may_delay && node < m->x->events.n && m->m->visible[node] != node && !m->may_delay[node];
}

uint32_t machine_second(const struct machine *m, uint32_t node)
{
	return is_at_once(m, node) ? m->m->visible[node] : NONE;
}

static bool has_room(const struct machine *m, uint32_t event)
{
	uint32_t visible = m->m->visible[event], buffered = m->buffered[m->x->events.at[event].thread];
	if (is_at_once(m, event))
		return !buffered && m->missing[visible] == 1; /* which is that it is issued */
	return visible == event || buffered < m->most_buffered;
}

uint32_t machine_chains(const struct machine *m)
{
	return m->nchains;
}

uint32_t machine_next(const struct machine *m, uint32_t chain)
{
	uint32_t i = m->start[chain] + m->at[chain];
	return i < m->start[chain + 1] ? m->sequence[i] : NONE;
}

bool machine_is_free(const struct machine *m)
{
	return m->is_free;
}

bool machine_is_done(const struct machine *m)
{
	return m->done == m->m->nnodes && !m->conditions_left && machine_sync_is_done(m);
}

bool machine_can(const struct machine *m, uint32_t chain)
{
	uint32_t node = machine_next(m, chain);
	if (node == NONE || m->missing[node])
		return false;
	if (node >= m->x->events.n)
		return true;
	return machine_sync_can(m, node) && has_room(m, node);
}

static bool run_node(struct machine *m, uint32_t node)
{
	uint32_t event = m->m->event_of[node];
	const struct event *e = &m->x->events.at[event];
	uint32_t *buffered = &m->buffered[e->thread];
	if (node != event) {
		set32(m, buffered, *buffered - 1);
		become_visible(m, event);
		return true;
	}
	if (m->m->visible[event] != event)
		set32(m, buffered, *buffered + 1);
	if (event_reads(e) && !take_read(m, event))
		return false;
	if (event_writes(e)) {
		issue(m, event);
		if (m->m->visible[event] == event)
			become_visible(m, event);
	}
	machine_sync_do(m, event);
	return true;
}

/* When every read counts: may it see values that differ? */
static bool lives_on(const struct machine *m, uint32_t node)
{
	if (!m->p->all_reads || node >= m->x->events.n)
		return false;
	for (uint32_t i = m->piece_start[node]; i < m->piece_start[node + 1]; i++)
		if (m->lives[m->pieces[i]])
			return true;
	return false;
}

enum stepped machine_step(struct machine *m, uint32_t node)
{
	uint32_t chain = m->m->chain[node];
	m->known.n = 0;
	toggle(m, PART_PLACE, chain, m->at[chain]);
	set32(m, &m->at[chain], m->at[chain] + 1);
	toggle(m, PART_PLACE, chain, m->at[chain]);
	m->done++;
	for (uint32_t i = m->out_start[node]; i < m->out_start[node + 1]; i++)
		set32(m, &m->missing[m->out[i]], m->missing[m->out[i]] - 1);
	if (!run_node(m, node))
		return STEP_WRONG;
	return any_live(m) || lives_on(m, node) ? STEP_LIVE : STEP_DEAD;
}

/* -------------------------------------------------- what is to come ---------------------- */

bool machine_reads(const struct machine *m, uint32_t node)
{
	return node < m->x->events.n && m->piece_start[node] != m->piece_start[node + 1];
}

bool machine_writes(const struct machine *m, uint32_t node)
{
	uint32_t event = m->m->event_of[node];
	return (m->m->visible[event] == node || is_at_once(m, node)) && m->part_start[event] != m->part_start[event + 1];
}

void machine_add_atom(struct machine_atoms *atoms, uint32_t atom)
{
	atoms->bits[atom / 64 % MACHINE_ATOM_WORDS] |= UINT64_C(1) << atom % 64;
}

void machine_touches(const struct machine *m, uint32_t node, struct machine_atoms *atoms)
{
	uint32_t event = m->m->event_of[node];
	for (uint32_t i = m->piece_start[event]; node == event && i < m->piece_start[event + 1]; i++)
		machine_add_atom(atoms, m->p->pieces.at[m->pieces[i]].atom);
	for (uint32_t i = m->part_start[event]; i < m->part_start[event + 1]; i++)
		machine_add_atom(atoms, m->parts.at[i].atom);
	if (node == event)
		machine_sync_touches(m, event, atoms);
}

/* Will another thread access the atom, in a way that is not known to come after the node? */
static bool is_contended(const struct machine *m, uint32_t node, uint32_t atom, bool by_writes_only)
{
	uint32_t thread = m->x->events.at[m->m->event_of[node]].thread;
	for (uint32_t i = m->atom_start[atom]; i < m->atom_start[atom + 1]; i++) {
		const struct accesses *a = &m->accesses.at[m->atom_accesses[i]];
		if (a->thread == thread || a->next == a->to || (by_writes_only && !a->write))
			continue;
		if (!order_before(m->m->order, node, m->access_nodes[a->next]))
			return true;
	}
	return false;
}

bool machine_is_local(const struct machine *m, uint32_t node)
{
	uint32_t event = m->m->event_of[node];
	if (machine_reads(m, node))
		for (uint32_t i = m->piece_start[node]; i < m->piece_start[node + 1]; i++)
			if (is_contended(m, node, m->p->pieces.at[m->pieces[i]].atom, true))
				return false;
	if (machine_writes(m, node))
		for (uint32_t i = m->part_start[event]; i < m->part_start[event + 1]; i++)
			if (is_contended(m, m->m->visible[event], m->parts.at[i].atom, false))
				return false;
	return node >= m->x->events.n || machine_sync_is_local(m, node);
}

void machine_trust(struct machine *m, bool trusting)
{
	m->trusting = trusting && m->test;
	if (m->test)
		value_test_trust(m->test, trusting);
	for (uint32_t i = 0; m->test && i < m->run_start[m->p->pieces.n]; i++) {
		m->runs[i].last = NONE;
		m->runs[i].empty = m->runs[i].to;
	}
}

void machine_doubt(struct machine *m, uint32_t event)
{
	if (m->test && m->is_expected[event])
		value_test_expect_none(m->test, m->x->events.at[event].written);
	if (m->test)
		m->is_expected[event] = false;
}

/* Of a large problem: may the piece see what a write that is still to come writes? */
static bool may_allow(const struct machine *m, const struct piece *p, uint32_t writer)
{
	if (m->trusting && writer != WRITER_INITIAL && m->is_expected[writer])
		return value_test_allows_value(m->test, p, writer, m->expected[writer]);
	return value_test_allows(m->test, p, writer);
}

/* And what one writes that is known by now? */
static bool allows(const struct machine *m, const struct piece *p, uint32_t writer)
{
	expr written = writer == WRITER_INITIAL ? 0 : m->x->events.at[writer].written;
	if (written && m->cone[written] && !m->waiting[written])
		return value_test_allows_value(m->test, p, writer, m->value[written]);
	return may_allow(m, p, writer);
}

/* Whatever else is known by now: can the piece not have what this writer gives it? */
static bool is_unwanted(const struct machine *m, uint32_t number, uint32_t writer)
{
	const struct piece *p = &m->p->pieces.at[number];
	uint64_t wanted;
	if (!machine_wants(m, number, &wanted))
		return false;
	if (writer == m->writer[p->atom])
		return !m->unknown[p->atom] && m->memory[p->atom] != wanted;
	expr written = writer == WRITER_INITIAL ? 0 : m->x->events.at[writer].written;
	return written && m->cone[written] && !m->waiting[written] &&
	       bits(m->value[written], atom_low_bit(m->m, writer, p->atom), p->width) != wanted;
}

/* Can the piece see this writer with a value that its conditions allow? */
static bool is_possible(const struct machine *m, uint32_t number, uint32_t writer)
{
	if (is_unwanted(m, number, writer))
		return false;
	const uint32_t *candidate = m->test ? m->p->writers.at : m->p->candidates.at;
	const struct piece *p = &m->p->pieces.at[number];
	if (writer == WRITER_INITIAL)
		return p->initial && (m->test ? allows(m, p, writer) : !m->impossible[p->first]);
	for (uint32_t r = m->run_start[number]; r < m->run_start[number + 1]; r++) {
		uint32_t low = m->runs[r].from, high = m->runs[r].to;
		if (writer < candidate[low] || writer > candidate[high - 1])
			continue;
		while (low < high) {
			uint32_t mid = low + (high - low) / 2;
			if (candidate[mid] < writer)
				low = mid + 1;
			else
				high = mid;
		}
		if (candidate[low] == writer)
			return m->test ? allows(m, p, writer) : !m->impossible[low];
	}
	return false;
}

/* First of the run that was not run yet: writes of one thread become visible in order. */
static uint32_t first_to_come(const struct machine *m, const struct candidates *run)
{
	uint32_t low = run->from, high = run->to;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (is_run(m, m->m->visible[m->p->writers.at[mid]]))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The same question for a run of a large problem; the answer is remembered in the run. */
static bool has_possible_to_come(const struct machine *m, uint32_t number, struct candidates *run)
{
	if (run->last != NONE && !is_run(m, run->last))
		return true;
	uint32_t first = first_to_come(m, run);
	for (uint32_t i = first; i < run->empty; i++)
		if (may_allow(m, &m->p->pieces.at[number], m->p->writers.at[i])) {
			run->last = m->m->visible[m->p->writers.at[i]];
			return true;
		}
	if (first < run->empty)
		run->empty = first;
	return false;
}

/* Is a possible writer of this piece still to come? */
static bool is_awaited(const struct machine *m, uint32_t number)
{
	uint64_t wanted;
	if (machine_wants(m, number, &wanted) && !machine_comes(m, m->p->pieces.at[number].atom, wanted))
		return false;
	for (uint32_t r = m->run_start[number]; r < m->run_start[number + 1]; r++)
		if (m->test ? has_possible_to_come(m, number, &m->runs[r])
			    : m->runs[r].last != NONE && !is_run(m, m->runs[r].last))
			return true;
	return false;
}

static bool piece_has_hope(const struct machine *m, uint32_t number, uint32_t writer)
{
	const struct piece *p = &m->p->pieces.at[number];
	if (p->own != WRITER_INITIAL && !is_run(m, m->m->visible[p->own]) && is_possible(m, number, p->own))
		return true;
	return is_possible(m, number, writer) || is_awaited(m, number);
}

bool machine_has_hope(const struct machine *m, uint32_t read)
{
	bool awaited = false;
	for (uint32_t i = m->piece_start[read]; i < m->piece_start[read + 1]; i++) {
		uint32_t number = m->pieces[i];
		if (!piece_has_hope(m, number, m->writer[m->p->pieces.at[number].atom]))
			return false;
		awaited |= is_awaited(m, number);
	}
	return awaited;
}

bool machine_is_wanted(const struct machine *m, uint32_t read)
{
	for (uint32_t i = m->piece_start[read]; m->trusting && i < m->piece_start[read + 1]; i++) {
		uint32_t number = m->pieces[i], own = m->p->pieces.at[number].own;
		bool buffered = own != WRITER_INITIAL && !is_run(m, m->m->visible[own]);
		if (!is_possible(m, number, buffered ? own : m->writer[m->p->pieces.at[number].atom]))
			return false;
	}
	return true;
}

bool machine_lost(const struct machine *m, uint32_t read, uint32_t *wanted, uint32_t *instead)
{
	for (uint32_t i = m->piece_start[read]; m->test && i < m->piece_start[read + 1]; i++) {
		uint32_t number = m->pieces[i];
		*instead = m->writer[m->p->pieces.at[number].atom];
		if (*instead == WRITER_INITIAL || is_possible(m, number, *instead))
			continue;
		for (uint32_t r = m->run_start[number]; r < m->run_start[number + 1]; r++)
			for (uint32_t k = first_to_come(m, &m->runs[r]); k-- > m->runs[r].from;) {
				*wanted = m->p->writers.at[k];
				if (allows(m, &m->p->pieces.at[number], *wanted) && !is_unwanted(m, number, *wanted))
					return true;
			}
	}
	return false;
}

/* The piece of the event that is of this atom. */
static uint32_t piece_of(const struct machine *m, uint32_t event, uint32_t atom)
{
	for (uint32_t i = m->piece_start[event]; i < m->piece_start[event + 1]; i++)
		if (m->p->pieces.at[m->pieces[i]].atom == atom)
			return m->pieces[i];
	return NONE;
}

/* After its own write, before it writes there again: has the thread the values to come that it wants to read from others? */
static bool own_reads_have_hope(const struct machine *m, const struct accesses *a, uint32_t event)
{
	for (uint32_t i = a->next; i < a->to && i < a->next + OWN_READS; i++) {
		uint32_t read = piece_of(m, m->access_nodes[i], a->atom);
		if (m->p->pieces.at[read].own != event)
			break;
		if (!piece_has_hope(m, read, event))
			return false;
	}
	return true;
}

bool machine_is_doomed(const struct machine *m, uint32_t node)
{
	uint32_t event = m->m->event_of[node], thread = m->x->events.at[event].thread;
	for (uint32_t i = m->part_start[event]; m->test && i < m->part_start[event + 1]; i++) {
		uint32_t atom = m->parts.at[i].atom;
		for (uint32_t k = m->atom_start[atom]; k < m->atom_start[atom + 1]; k++) {
			const struct accesses *a = &m->accesses.at[m->atom_accesses[k]];
			if (a->thread == thread && !a->write && !own_reads_have_hope(m, a, event))
				return true;
		}
	}
	return false;
}

int32_t machine_merit(const struct machine *m, uint32_t node)
{
	uint32_t event = m->m->event_of[node], thread = m->x->events.at[event].thread;
	int32_t merit = 0;
	for (uint32_t i = m->part_start[event]; i < m->part_start[event + 1]; i++) {
		uint32_t atom = m->parts.at[i].atom;
		for (uint32_t k = m->atom_start[atom]; k < m->atom_start[atom + 1]; k++) {
			const struct accesses *a = &m->accesses.at[m->atom_accesses[k]];
			if (a->write || a->next == a->to || a->thread == thread)
				continue;
			uint32_t read = piece_of(m, m->access_nodes[a->next], atom);
			if (!piece_has_hope(m, read, event))
				return INT32_MIN;
			bool now = is_possible(m, read, m->writer[atom]), then = is_possible(m, read, event);
			merit += (int32_t)then - (int32_t)now;
		}
	}
	return merit;
}

const uint32_t *machine_seen(const struct machine *m)
{
	return m->seen;
}
