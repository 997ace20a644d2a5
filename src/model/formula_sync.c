/*
 * The synchronization part of the formula where the order of synchronization was not recorded (CLAP §3.2): sections of a
 * lock do not overlap; a wait is matched with the signal that woke it; a semaphore's TAKE with the POST whose token it
 * took. Matchings are one to one, so that no counting is needed.
 */
#include "model/formula_internal.h"

#include <stdlib.h>

struct sync_op {
	enum sync_class class;
	uint64_t object;
	uint32_t event;
};

static int by_object(const void *p, const void *q)
{
	const struct sync_op *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static const struct event *event_at(const struct formula *f, uint32_t e)
{
	return &f->p->m->x->events.at[e];
}

/* The order is needed when the guard holds; LITERAL_TRUE: whenever the model has it. */
static void keep_order(struct formula *f, literal guard, literal order)
{
	if (order != LITERAL_TRUE && order != LITERAL_FALSE)
		*vec_push(&f->guarded) = (struct guarded){guard, order};
}

/* A variable that implies both; false when one of them is. */
static literal both(struct formula *f, literal a, literal b)
{
	if (a == LITERAL_FALSE || b == LITERAL_FALSE)
		return LITERAL_FALSE;
	if (a == LITERAL_TRUE && b == LITERAL_TRUE)
		return LITERAL_TRUE;
	literal v = formula_new_variable(f, VARIABLE_HELP, 0, 0);
	CLAUSE(f, -v, a);
	CLAUSE(f, -v, b);
	return v;
}

/* The same for two orders, which are then needed. */
static literal both_orders(struct formula *f, literal a, literal b)
{
	literal v = both(f, a, b);
	if (v != LITERAL_FALSE) {
		keep_order(f, v, a);
		keep_order(f, v, b);
	}
	return v;
}

/* Pairs for a few, a chain of helping variables ("one so far") for many. */
static void at_most_one(struct formula *f, const literal *all, size_t n)
{
	enum { FEW = 6 };
	literal any = LITERAL_FALSE;
	for (size_t i = 0; i < n && n <= FEW; i++)
		for (size_t k = i + 1; k < n; k++)
			CLAUSE(f, -all[i], -all[k]);
	for (size_t i = 0; i < n && n > FEW; i++) {
		if (all[i] == LITERAL_FALSE)
			continue;
		CLAUSE(f, -all[i], -any);
		literal next = formula_new_variable(f, VARIABLE_HELP, 0, 0);
		CLAUSE(f, -all[i], next);
		CLAUSE(f, -any, next);
		any = next;
	}
}

/* -------------------------------------------------- locks -------------------------------- */

static void order_sections(struct formula *f, const struct section *s, const struct section *t)
{
	if (event_at(f, s->lock)->thread == event_at(f, t->lock)->thread || (s->shared && t->shared))
		return;
	literal st = s->unlock == UINT32_MAX ? LITERAL_FALSE : formula_before(f, s->unlock, t->lock);
	literal ts = t->unlock == UINT32_MAX ? LITERAL_FALSE : formula_before(f, t->unlock, s->lock);
	if (st == LITERAL_TRUE || ts == LITERAL_TRUE)
		return;
	CLAUSE(f, st, ts);
	CLAUSE(f, -st, -ts);
	keep_order(f, LITERAL_TRUE, st);
	keep_order(f, LITERAL_TRUE, ts);
}

/* A lock that was found held: somebody is inside a section, as a writer where a reader tried. */
static void add_busy(struct formula *f, uint32_t busy, const struct section *sections, size_t n)
{
	bool reads = event_at(f, busy)->flags & EVENT_SHARED;
	vec(literal) held = {0};
	for (size_t i = 0; i < n; i++) {
		const struct section *s = &sections[i];
		if (s->shared && reads)
			continue;
		literal after = s->unlock == UINT32_MAX ? LITERAL_TRUE : formula_before(f, busy, s->unlock);
		*vec_push(&held) = both_orders(f, formula_before(f, s->lock, busy), after);
	}
	formula_add_clause(f, held.at, held.n);
	vec_free(&held);
}

/* Nested locking by one thread (a recursive mutex) makes one section. */
static void add_lock(struct formula *f, const struct sync_op *ops, size_t n)
{
	vec(struct section) sections = {0};
	uint32_t depth = 0;
	for (size_t i = 0; i < n; i++) {
		const struct event *e = event_at(f, ops[i].event);
		if (i == 0 || e->thread != event_at(f, ops[i - 1].event)->thread)
			depth = 0;
		if (e->kind == EVENT_LOCK && depth++ == 0)
			*vec_push(&sections) = (struct section){
				ops[i].event, UINT32_MAX, (e->flags & EVENT_SHARED) != 0};
		else if (e->kind == EVENT_UNLOCK && depth && --depth == 0)
			sections.at[sections.n - 1].unlock = ops[i].event;
	}
	for (size_t i = 0; i < sections.n; i++)
		for (size_t j = i + 1; j < sections.n; j++)
			order_sections(f, &sections.at[i], &sections.at[j]);
	for (size_t i = 0; i < n; i++)
		if (event_at(f, ops[i].event)->kind == EVENT_BUSY)
			add_busy(f, ops[i].event, sections.at, sections.n);
	vec_free(&sections);
}

/* -------------------------------------------------- matchings ---------------------------- */

/* Users (waits, takes) by sources (signals, posts, tokens of the start): who got what from whom. */
struct matching {
	vec(uint32_t) users, sources; /* events; a source of UINT32_MAX is a token of the start */
	literal *pairs;               /* [user * sources.n + source] */
};

static literal *pair_of(const struct matching *m, size_t user, size_t source)
{
	return &m->pairs[user * m->sources.n + source];
}

/*
 * Every user has a source, and a source that serves one only has no other. exact: a user has no second source either,
 * for where it counts which sources are left over.
 */
static void add_matching(struct formula *f, struct matching *m, bool exact,
			 literal (*pair)(struct formula *, uint32_t, uint32_t))
{
	literal *column = xmalloc((m->users.n + 1) * sizeof *column);
	m->pairs = xmalloc((m->users.n * m->sources.n + 1) * sizeof *m->pairs);
	for (size_t i = 0; i < m->users.n; i++) {
		for (size_t k = 0; k < m->sources.n; k++)
			*pair_of(m, i, k) = pair(f, m->users.at[i], m->sources.at[k]);
		formula_add_clause(f, pair_of(m, i, 0), m->sources.n);
		if (exact)
			at_most_one(f, pair_of(m, i, 0), m->sources.n);
	}
	for (size_t k = 0; k < m->sources.n; k++) {
		uint32_t s = m->sources.at[k];
		for (size_t i = 0; i < m->users.n; i++)
			column[i] = *pair_of(m, i, k);
		if (s == UINT32_MAX || event_at(f, s)->kind != EVENT_BROADCAST)
			at_most_one(f, column, m->users.n);
	}
	free(column);
}

static void matching_release(struct matching *m)
{
	vec_free(&m->users);
	vec_free(&m->sources);
	free(m->pairs);
}

/* -------------------------------------------------- condition variables ------------------ */

/* Does the wait start before this? */
static literal started(struct formula *f, uint32_t wait, uint32_t event)
{
	uint32_t start = execution_wait_start(f->p->m->x, wait);
	return start == UINT32_MAX ? LITERAL_TRUE : formula_before(f, start, event);
}

/* A signal wakes the wait of another thread when it comes while that waits. */
static literal wakes(struct formula *f, uint32_t wait, uint32_t signal)
{
	if (event_at(f, signal)->thread == event_at(f, wait)->thread)
		return LITERAL_FALSE;
	literal after = started(f, wait, signal), before = formula_before(f, signal, wait);
	if (before == LITERAL_FALSE || after == LITERAL_FALSE)
		return LITERAL_FALSE;
	literal match = formula_new_variable(f, VARIABLE_MATCH, wait, signal);
	CLAUSE(f, -match, before);
	CLAUSE(f, -match, after);
	keep_order(f, match, before);
	keep_order(f, match, after);
	return match;
}

/*
 * With a thread that is never woken it counts that a signal wakes somebody whenever anybody waits: signal k wakes a
 * wait, or every wait that lasts then has been woken before.
 */
static void add_must_wake(struct formula *f, const struct matching *m, size_t k)
{
	uint32_t signal = m->sources.at[k];
	vec(literal) clause = {0};
	for (size_t i = 0; i < m->users.n; i++) {
		uint32_t wait = m->users.at[i];
		if (event_at(f, wait)->thread == event_at(f, signal)->thread)
			continue;
		clause.n = 0;
		for (size_t u = 0; u < m->users.n; u++)
			*vec_push(&clause) = *pair_of(m, u, k);
		literal before = formula_before(f, wait, signal), after = -started(f, wait, signal);
		keep_order(f, LITERAL_TRUE, before);
		keep_order(f, LITERAL_TRUE, after);
		*vec_push(&clause) = before;
		*vec_push(&clause) = after;
		for (size_t s = 0; s < m->sources.n; s++) {
			uint32_t other = m->sources.at[s];
			literal earlier = s == k ? LITERAL_FALSE : formula_before(f, other, signal);
			literal woken = event_at(f, other)->kind == EVENT_BROADCAST ? started(f, wait, other)
										   : *pair_of(m, i, s);
			literal v = both(f, earlier, woken);
			if (v != LITERAL_FALSE)
				keep_order(f, v, earlier);
			if (v != LITERAL_FALSE && event_at(f, other)->kind == EVENT_BROADCAST)
				keep_order(f, v, woken);
			*vec_push(&clause) = v;
		}
		formula_add_clause(f, clause.at, clause.n);
	}
	vec_free(&clause);
}

/* Nobody is woken by a signal whom a broadcast woke before. */
static void add_broadcasts_first(struct formula *f, const struct matching *m, size_t k)
{
	uint32_t signal = m->sources.at[k];
	for (size_t s = 0; s < m->sources.n; s++) {
		uint32_t broadcast = m->sources.at[s];
		for (size_t i = 0; event_at(f, broadcast)->kind == EVENT_BROADCAST && i < m->users.n; i++) {
			literal before = -started(f, m->users.at[i], broadcast);
			literal after = formula_before(f, signal, broadcast);
			if (event_at(f, broadcast)->thread == event_at(f, m->users.at[i])->thread)
				continue;
			CLAUSE(f, -*pair_of(m, i, k), before, after);
			keep_order(f, LITERAL_TRUE, before);
			keep_order(f, LITERAL_TRUE, after);
		}
	}
}

/* Never woken: broadcasts come before the wait; so do signals, or they wake others. */
static void add_hang(struct formula *f, const struct matching *m, uint32_t hang)
{
	for (size_t k = 0; k < m->sources.n; k++) {
		uint32_t source = m->sources.at[k];
		literal before = -started(f, hang, source);
		vec(literal) clause = {0};
		if (event_at(f, source)->thread == event_at(f, hang)->thread)
			continue;
		*vec_push(&clause) = before;
		keep_order(f, LITERAL_TRUE, before);
		for (size_t i = 0; event_at(f, source)->kind == EVENT_SIGNAL && i < m->users.n; i++)
			*vec_push(&clause) = *pair_of(m, i, k);
		formula_add_clause(f, clause.at, clause.n);
		vec_free(&clause);
	}
}

static void add_condition_variable(struct formula *f, const struct sync_op *ops, size_t n)
{
	struct matching m = {0};
	vec(uint32_t) hangs = {0};
	for (size_t i = 0; i < n; i++)
		switch (event_at(f, ops[i].event)->kind) {
		case EVENT_WAIT:
			*vec_push(&m.users) = ops[i].event;
			break;
		case EVENT_HANG:
			*vec_push(&hangs) = ops[i].event;
			break;
		default:
			*vec_push(&m.sources) = ops[i].event;
		}
	add_matching(f, &m, hangs.n != 0, wakes);
	for (size_t i = 0; i < hangs.n; i++)
		add_hang(f, &m, hangs.at[i]);
	for (size_t k = 0; hangs.n && k < m.sources.n; k++)
		if (event_at(f, m.sources.at[k])->kind == EVENT_SIGNAL) {
			add_must_wake(f, &m, k);
			add_broadcasts_first(f, &m, k);
		}
	vec_free(&hangs);
	matching_release(&m);
}

/* -------------------------------------------------- semaphores --------------------------- */

static literal gives(struct formula *f, uint32_t take, uint32_t post)
{
	literal before = post == UINT32_MAX ? LITERAL_TRUE : formula_before(f, post, take);
	if (before == LITERAL_FALSE)
		return LITERAL_FALSE;
	literal match = formula_new_variable(f, post == UINT32_MAX ? VARIABLE_HELP : VARIABLE_MATCH, take, post);
	CLAUSE(f, -match, before);
	keep_order(f, match, before);
	return match;
}

/* No token is left: each that was there has been taken before. */
static void add_empty(struct formula *f, const struct matching *m, uint32_t empty)
{
	for (size_t k = 0; k < m->sources.n; k++) {
		uint32_t post = m->sources.at[k];
		literal later = post == UINT32_MAX ? LITERAL_FALSE : formula_before(f, empty, post);
		vec(literal) clause = {0};
		*vec_push(&clause) = later;
		keep_order(f, LITERAL_TRUE, later);
		for (size_t i = 0; i < m->users.n; i++) {
			literal before = formula_before(f, m->users.at[i], empty);
			literal taken = both(f, before, *pair_of(m, i, k));
			if (taken != LITERAL_FALSE)
				keep_order(f, taken, before);
			*vec_push(&clause) = taken;
		}
		formula_add_clause(f, clause.at, clause.n);
		vec_free(&clause);
	}
}

static void add_semaphore(struct formula *f, const struct sync_op *ops, size_t n)
{
	struct matching m = {0};
	uint32_t tokens = event_at(f, ops[0].event)->count;
	bool empties = false;
	for (size_t i = 0; i < n; i++) {
		const struct event *e = event_at(f, ops[i].event);
		if (e->kind == EVENT_TAKE)
			*vec_push(&m.users) = ops[i].event;
		else if (e->kind == EVENT_POST)
			*vec_push(&m.sources) = ops[i].event;
		empties |= e->kind == EVENT_EMPTY;
	}
	if (tokens > m.users.n) /* more than are ever taken: one over the number says as much */
		tokens = (uint32_t)m.users.n + 1;
	while (tokens--)
		*vec_push(&m.sources) = UINT32_MAX;
	if (m.users.n || empties)
		add_matching(f, &m, empties, gives);
	for (size_t i = 0; i < n; i++)
		if (event_at(f, ops[i].event)->kind == EVENT_EMPTY)
			add_empty(f, &m, ops[i].event);
	matching_release(&m);
}

/* -------------------------------------------------- all of it ---------------------------- */

void formula_add_synchronization(struct formula *f)
{
	static void (*const add[])(struct formula *, const struct sync_op *, size_t) = {
		[SYNC_LOCK] = add_lock,
		[SYNC_CONDITION] = add_condition_variable,
		[SYNC_SEMAPHORE] = add_semaphore,
	};
	const struct execution *x = f->p->m->x;
	vec(struct sync_op) ops = {0};
	for (uint32_t e = 0; !x->lock_order_known && e < x->events.n; e++) {
		enum sync_class class = event_sync_class(&x->events.at[e]);
		if (class != SYNC_NONE && class != SYNC_BARRIER)
			*vec_push(&ops) = (struct sync_op){class, x->events.at[e].object, e};
	}
	if (ops.n)
		qsort(ops.at, ops.n, sizeof *ops.at, by_object);
	for (size_t i = 0, end; i < ops.n; i = end) {
		for (end = i; end < ops.n && ops.at[end].object == ops.at[i].object && ops.at[end].class == ops.at[i].class; end++)
			;
		add[ops.at[i].class](f, ops.at + i, end - i);
	}
	vec_free(&ops);
}

bool formula_can_express(const struct execution *x)
{
	for (size_t e = 0; !x->lock_order_known && e < x->events.n; e++)
		if (event_sync_class(&x->events.at[e]) == SYNC_BARRIER)
			return false;
	return true;
}
