/*
 * A machine with store buffers on which small executions (make_execution.h) are run in all ways: what inference is compared
 * with. It shares nothing with src/model but the description of events.
 *
 *     struct machine m = {.x = &x, .model = MEMORY_TSO}; struct state s;
 *     start(&m, &s); explore(&m, &s);    m.found: the ways to choose the writers of all reads
 */
#ifndef BRUTE_MACHINE_H
#define BRUTE_MACHINE_H

#include "base/base.h"
#include "model/execution.h"
#include "model/memory.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4, THREADS = 3, LOCKS = 2, BASE = 0x1000, BUFFER = 8, EVENTS = 40 };

struct buffered {
	uint32_t event;
	uint64_t value;
};

struct state {
	uint32_t next[THREADS]; /* event number; of loose pieces some behind it may be done, */
	bool done[EVENTS];      /* as are all before it */
	struct {
		struct buffered at[BUFFER];
		uint32_t n;
	} buffer[THREADS];
	uint8_t memory[MEMORY];
	uint8_t writer[MEMORY];        /* event + 1 */
	int owner[LOCKS];              /* thread, or -1 */
	uint32_t readers[LOCKS];
	uint32_t tokens;               /* of the one semaphore */
	uint32_t arrived, round[THREADS]; /* at the one barrier */
	bool waiting[THREADS], woken[THREADS], hangs[THREADS];
	bool took_effect[EVENTS];
	uint64_t symbols[EVENTS];
	uint8_t sees[EVENTS][2];       /* by event: writer of each byte read */
};

struct machine {
	const struct execution *x;
	enum memory_model model;
	/* distinct ways to choose writers that meet all conditions */
	vec(struct map {
		uint8_t sees[EVENTS][2];
	}) found;
	bool first_only;
	bool loose; /* pieces of one access, as far as they do not overlap, come in any order */
	/* states seen: open addressing, a hash of 64 bits each; a clash would hide a state, at odds of 2^-40 */
	uint64_t *seen;
	size_t nseen, slots;
	bool too_large;
};

enum { MOST_STATES = 60000 };

static bool is_buffered(const struct machine *m, const struct event *e)
{
	return m->model != MEMORY_SC && e->kind == EVENT_WRITE;
}

static bool leads(const struct machine *m, uint32_t event)
{
	for (size_t i = 0; i < m->x->orders.n; i++)
		if (m->x->orders.at[i].a == event)
			return true;
	return false;
}

static bool orders_allow(const struct machine *m, const struct state *s, uint32_t event)
{
	for (size_t i = 0; i < m->x->orders.n; i++)
		if (m->x->orders.at[i].b == event && !s->took_effect[m->x->orders.at[i].a])
			return false;
	return true;
}

static void load(const struct machine *m, struct state *s, uint32_t event)
{
	const struct event *e = &m->x->events.at[event];
	uint64_t value = 0;
	for (uint32_t k = 0; k < e->size; k++) {
		uint64_t at = e->object + k;
		uint8_t byte = s->memory[at - BASE], writer = s->writer[at - BASE];
		for (uint32_t i = 0; i < s->buffer[e->thread].n; i++) {
			const struct event *w = &m->x->events.at[s->buffer[e->thread].at[i].event];
			if (at >= w->object && at < w->object + w->size) {
				byte = (uint8_t)(s->buffer[e->thread].at[i].value >> (8 * (at - w->object)));
				writer = (uint8_t)(s->buffer[e->thread].at[i].event + 1);
			}
		}
		value |= (uint64_t)byte << (8 * k);
		s->sees[event][k] = writer;
	}
	s->symbols[expr_node(m->x->exprs, e->read)->value] = value;
}

static void store(const struct machine *m, struct state *s, uint32_t event, uint64_t value)
{
	const struct event *e = &m->x->events.at[event];
	for (uint32_t k = 0; k < e->size; k++) {
		s->memory[e->object - BASE + k] = (uint8_t)(value >> (8 * k));
		s->writer[e->object - BASE + k] = (uint8_t)(event + 1);
	}
	s->took_effect[event] = true;
}

/* Is what the event says about a lock, semaphore, barrier or condition variable true now? */
static bool sync_allows(const struct state *s, uint32_t thread, const struct event *e)
{
	bool shared = e->flags & EVENT_SHARED;
	switch (e->kind) {
	case EVENT_LOCK:
		return s->owner[e->object] < 0 && (shared || !s->readers[e->object]);
	case EVENT_BUSY:
		return s->owner[e->object] >= 0 || (!shared && s->readers[e->object]);
	case EVENT_WAIT:
		return s->woken[thread];
	case EVENT_TAKE:
		return s->tokens > 0;
	case EVENT_EMPTY:
		return s->tokens == 0;
	case EVENT_LEAVE:
		return s->arrived >= s->round[thread];
	default:
		return true;
	}
}

static void sync_step(const struct machine *m, struct state *s, uint32_t thread, uint32_t event, int wake)
{
	const struct event *e = &m->x->events.at[event];
	bool shared = e->flags & EVENT_SHARED;
	if (e->kind == EVENT_LOCK && shared)
		s->readers[e->object]++;
	else if (e->kind == EVENT_LOCK)
		s->owner[e->object] = (int)thread;
	if (e->kind == EVENT_UNLOCK && shared)
		s->readers[e->object]--;
	else if (e->kind == EVENT_UNLOCK)
		s->owner[e->object] = -1;
	if (e->kind == EVENT_UNLOCK) {
		s->hangs[thread] = e[1].kind == EVENT_HANG;
		s->waiting[thread] = e[1].kind == EVENT_WAIT || s->hangs[thread];
		s->woken[thread] = false;
	}
	if (e->kind == EVENT_WAIT)
		s->waiting[thread] = s->woken[thread] = false;
	if (e->kind == EVENT_SIGNAL && wake >= 0)
		s->woken[wake] = true;
	for (int t = 0; e->kind == EVENT_BROADCAST && t < THREADS; t++)
		s->woken[t] |= s->waiting[t];
	s->tokens += e->kind == EVENT_POST;
	s->tokens -= e->kind == EVENT_TAKE;
	if (e->kind == EVENT_ARRIVE)
		s->round[thread] = (s->arrived++ / e->count + 1) * e->count;
}

/* May the two, of which b is behind a, come the other way round? */
static bool may_swap(const struct machine *m, uint32_t a, uint32_t b)
{
	const struct event *e = &m->x->events.at[a], *f = &m->x->events.at[b];
	bool pieces = e->thread == f->thread && e->sap == f->sap && e->size && f->size && e->kind != EVENT_UPDATE && f->kind != EVENT_UPDATE;
	return m->loose && pieces && (e->object + e->size <= f->object || f->object + f->size <= e->object);
}

/* May this event, which is not done, be the thread's next? */
static bool may_come(const struct machine *m, const struct state *s, uint32_t event)
{
	for (uint32_t e = s->next[m->x->events.at[event].thread]; e < event; e++)
		if (!s->done[e] && !may_swap(m, e, event))
			return false;
	return !s->done[event];
}

/* Can the thread take this step, and if so take it. A SIGNAL wakes `wake` (a thread, or -1). */
static bool step(const struct machine *m, struct state *s, uint32_t event, int wake)
{
	const struct event *e = &m->x->events.at[event];
	uint32_t thread = e->thread, end = m->x->threads.at[thread].first + m->x->threads.at[thread].count;
	if (!may_come(m, s, event))
		return false;
	bool drains = e->kind != EVENT_START && e->kind != EVENT_READ && e->kind != EVENT_WRITE &&
		      (e->kind != EVENT_END || leads(m, event));
	if ((drains && s->buffer[thread].n) ||
	    (!is_buffered(m, e) && !orders_allow(m, s, event)) || !sync_allows(s, thread, e) ||
	    (is_buffered(m, e) && s->buffer[thread].n == BUFFER))
		return false;
	uint64_t value = 0;
	if (e->kind == EVENT_READ || e->kind == EVENT_UPDATE)
		load(m, s, event);
	if (e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE)
		value = expr_eval(m->x->exprs, e->written, s->symbols);
	if (e->kind == EVENT_UPDATE || (e->kind == EVENT_WRITE && !is_buffered(m, e)))
		store(m, s, event, value);
	if (is_buffered(m, e))
		s->buffer[thread].at[s->buffer[thread].n++] = (struct buffered){event, value};
	sync_step(m, s, thread, event, wake);
	if (!is_buffered(m, e))
		s->took_effect[event] = true;
	s->done[event] = true;
	while (s->next[thread] < end && s->done[s->next[thread]])
		s->next[thread]++;
	return true;
}

/* The event behind those that may be the thread's next. */
static uint32_t next_end(const struct machine *m, const struct state *s, uint32_t thread)
{
	uint32_t next = s->next[thread], end = next + 1;
	while (m->loose && m->x->events.at[next].size && end < m->x->threads.at[thread].first + m->x->threads.at[thread].count &&
	       m->x->events.at[end].sap == m->x->events.at[next].sap)
		end++;
	return end;
}

/* Whom a signal can wake: `wakes` gets threads; -1 for nobody, when nobody waits. */
static uint32_t whom_to_wake(const struct state *s, int wakes[THREADS])
{
	uint32_t n = 0;
	for (int t = 0; t < THREADS; t++)
		if (s->waiting[t] && !s->woken[t])
			wakes[n++] = t;
	if (!n)
		wakes[n++] = -1;
	return n;
}

/* May the i-th buffered store of the thread become visible? */
static bool flush(const struct machine *m, struct state *s, uint32_t thread, uint32_t i)
{
	struct buffered *at = s->buffer[thread].at;
	const struct event *e = &m->x->events.at[at[i].event];
	for (uint32_t k = 0; k < i; k++) {
		const struct event *o = &m->x->events.at[at[k].event];
		if ((m->model == MEMORY_TSO && !may_swap(m, at[k].event, at[i].event) && !may_swap(m, at[i].event, at[k].event)) ||
		    (o->object < e->object + e->size && e->object < o->object + o->size))
			return false;
	}
	if (!orders_allow(m, s, at[i].event))
		return false;
	store(m, s, at[i].event, at[i].value);
	memmove(at + i, at + i + 1, (s->buffer[thread].n - i - 1) * sizeof *at);
	s->buffer[thread].n--;
	return true;
}

static void start(const struct machine *m, struct state *s)
{
	uint32_t tokens = 0;
	_Static_assert(sizeof *s % 8 == 0, "hashed by words");
	for (size_t i = 0; i < m->x->events.n; i++)
		if (event_sync_class(&m->x->events.at[i]) == SYNC_SEMAPHORE)
			tokens = m->x->events.at[i].count;
	memset(s, 0, sizeof *s); /* padding too: states are compared as bytes */
	s->tokens = tokens;
	for (int l = 0; l < LOCKS; l++)
		s->owner[l] = -1;
	for (size_t t = 0; t < m->x->threads.n; t++)
		s->next[t] = m->x->threads.at[t].first;
	for (size_t i = 0; i < m->x->initials.n; i++)
		s->memory[m->x->initials.at[i].address - BASE] = (uint8_t)m->x->initials.at[i].value;
}

static bool thread_is_over(const struct machine *m, const struct state *s, uint32_t t)
{
	return s->next[t] == m->x->threads.at[t].first + m->x->threads.at[t].count;
}

static bool meets_conditions(const struct machine *m, const struct state *s)
{
	for (size_t i = 0; i < m->x->conditions.n; i++)
		if (!expr_eval(m->x->exprs, m->x->conditions.at[i].condition, s->symbols))
			return false;
	return true;
}

static void leaf(struct machine *m, const struct state *s)
{
	for (int t = 0; t < THREADS; t++)
		if (s->hangs[t] && s->woken[t])
			return;
	if (!meets_conditions(m, s))
		return;
	for (size_t i = 0; i < m->found.n; i++)
		if (!memcmp(m->found.at[i].sees, s->sees, sizeof s->sees))
			return;
	memcpy(vec_push(&m->found)->sees, s->sees, sizeof s->sees);
}

static uint64_t hash_words(const void *p, size_t size)
{
	uint64_t h = 14695981039346656037u, word;
	for (size_t i = 0; i + 8 <= size; i += 8) {
		memcpy(&word, (const char *)p + i, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h | 1;
}

static size_t slot_of(const struct machine *m, uint64_t h)
{
	size_t i = h % m->slots;
	while (m->seen[i] && m->seen[i] != h)
		i = (i + 1) % m->slots;
	return i;
}

static void grow_seen(struct machine *m)
{
	uint64_t *old = m->seen;
	size_t n = m->slots;
	m->slots = n ? 4 * n : 1024;
	m->seen = xcalloc(m->slots, sizeof *m->seen);
	for (size_t i = 0; i < n; i++)
		if (old[i])
			m->seen[slot_of(m, old[i])] = old[i];
	free(old);
}

/* Was the state with this hash met before? Remembers it. */
static bool is_known(struct machine *m, uint64_t h)
{
	if (2 * m->nseen >= m->slots)
		grow_seen(m);
	size_t i = slot_of(m, h);
	if (m->seen[i])
		return true;
	m->seen[i] = h;
	m->too_large = ++m->nseen >= MOST_STATES;
	return false;
}

static void explore(struct machine *m, const struct state *s)
{
	bool over = true;
	if (m->too_large || (m->first_only && m->found.n) || is_known(m, hash_words(s, sizeof *s)))
		return;
	for (uint32_t t = 0; t < m->x->threads.n; t++) {
		for (uint32_t i = 0; i < s->buffer[t].n; i++) {
			struct state next = *s;
			over = false;
			if (flush(m, &next, t, i))
				explore(m, &next);
		}
		if (thread_is_over(m, s, t))
			continue;
		over = false;
		int wakes[THREADS] = {-1};
		bool signals = m->x->events.at[s->next[t]].kind == EVENT_SIGNAL;
		for (uint32_t i = signals ? whom_to_wake(s, wakes) : 1; i-- > 0;) {
			for (uint32_t e = s->next[t]; e < next_end(m, s, t); e++) {
				struct state next = *s;
				if (step(m, &next, e, wakes[i]))
					explore(m, &next);
			}
		}
	}
	if (over)
		leaf(m, s);
}

/* -------------------------------------------------- context switches --------------------- */

static bool has_failed(const struct machine *m, const struct state *s)
{
	for (uint32_t t = 0; t < m->x->threads.n; t++)
		if (thread_is_over(m, s, t) && m->x->events.at[s->next[t] - 1].flags & EVENT_FAILS)
			return true;
	return false;
}

/* Can all be run from here, and match, with at most `left` more changes of the running thread up to the failure? */
static bool matches_within(struct machine *m, const struct state *s, uint32_t running, uint32_t left)
{
	struct key {
		struct state s;
		uint64_t running, left;
	} *key = xcalloc(1, sizeof *key);
	memcpy(&key->s, s, sizeof *s);
	key->running = running;
	key->left = left;
	bool over = true, found = false, known = is_known(m, hash_words(key, sizeof *key)), failed = has_failed(m, s);
	free(key);
	if (m->too_large || known)
		return false;
	for (uint32_t t = 0; t < m->x->threads.n && !found; t++) {
		uint32_t cost = !failed && running != UINT32_MAX && running != t;
		for (uint32_t i = 0; i < s->buffer[t].n && !found; i++) {
			struct state next = *s;
			over = false;
			found = cost <= left && flush(m, &next, t, i) && matches_within(m, &next, t, left - cost);
		}
		if (thread_is_over(m, s, t))
			continue;
		over = false;
		int wakes[THREADS] = {-1};
		bool signals = m->x->events.at[s->next[t]].kind == EVENT_SIGNAL;
		for (uint32_t i = signals ? whom_to_wake(s, wakes) : 1; i-- > 0 && !found;)
			for (uint32_t e = s->next[t]; e < next_end(m, s, t) && !found; e++) {
				struct state next = *s;
				found = cost <= left && step(m, &next, e, wakes[i]) && matches_within(m, &next, t, left - cost);
			}
	}
	for (int t = 0; over && t < THREADS; t++)
		over = !(s->hangs[t] && s->woken[t]);
	return found || (over && meets_conditions(m, s));
}

/* Of all interleavings that match, also with loose pieces; there is one. UINT32_MAX: too many states. */
static uint32_t fewest_switches_of_all(const struct execution *x, enum memory_model model)
{
	struct machine m = {.x = x, .model = model, .loose = true};
	struct state s;
	uint32_t k = 0;
	start(&m, &s);
	while (!matches_within(&m, &s, UINT32_MAX, k) && !m.too_large)
		k++;
	free(m.seen);
	return m.too_large ? UINT32_MAX : k;
}

/* One random run to its end: values, and the order events took effect in. False: it got stuck. */
static bool run_randomly(struct machine *m, struct state *s, uint32_t *order, uint32_t *n)
{
	start(m, s);
	*n = 0;
	for (int tries = 0; tries < 2000; tries++) {
		uint32_t t = pick((uint32_t)m->x->threads.n);
		bool before[EVENTS];
		memcpy(before, s->took_effect, sizeof before);
		bool over = true;
		for (uint32_t u = 0; u < m->x->threads.n; u++)
			over = over && thread_is_over(m, s, u) && !s->buffer[u].n;
		if (over)
			return true;
		if (s->buffer[t].n && pick(2))
			flush(m, s, t, pick(s->buffer[t].n));
		else if (!thread_is_over(m, s, t)) {
			int wakes[THREADS];
			whom_to_wake(s, wakes);
			uint32_t e = s->next[t];
			step(m, s, e + pick(next_end(m, s, t) - e), wakes[0]);
		}
		for (uint32_t e = 0; e < m->x->events.n; e++)
			if (s->took_effect[e] && !before[e])
				order[(*n)++] = e;
	}
	return false;
}

#endif
