/*
 * Inference against brute force: small random programs, all their interleavings on a machine with store
 * buffers. Inference must find a schedule exactly when one of them matches, and, asked again and again,
 * as many ways to choose the writers of all reads as brute force sees. What it proves of the fewest context switches must be
 * the fewest of all interleavings that match, with any number of workers.
 *
 *     RETHREAD_BRUTE=cases[,seed]    more of them, or others
 */
#include "make_execution.h"
#include "model/check.h"
#include "random.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MEMORY = 4, THREADS = 3, LOCKS = 2, BASE = 0x1000, BUFFER = 8, EVENTS = 40 };

struct totals {
	unsigned possible, impossible, maps, too_large, accepted, rejected;
	unsigned fewest, not_proven; /* context switches */
};

/* -------------------------------------------------- the machine -------------------------- */

struct buffered {
	uint32_t event;
	uint64_t value;
};

struct state {
	uint32_t next[THREADS]; /* event number */
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

/* Can the thread take its next step, and if so take it. A SIGNAL wakes `wake` (a thread, or -1). */
static bool step(const struct machine *m, struct state *s, uint32_t thread, int wake)
{
	uint32_t event = s->next[thread];
	const struct event *e = &m->x->events.at[event];
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
	s->next[thread]++;
	return true;
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
		if (m->model == MEMORY_TSO ||
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
			struct state next = *s;
			if (step(m, &next, t, wakes[i]))
				explore(m, &next);
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
		for (uint32_t i = signals ? whom_to_wake(s, wakes) : 1; i-- > 0 && !found;) {
			struct state next = *s;
			found = cost <= left && step(m, &next, t, wakes[i]) && matches_within(m, &next, t, left - cost);
		}
	}
	for (int t = 0; over && t < THREADS; t++)
		over = !(s->hangs[t] && s->woken[t]);
	return found || (over && meets_conditions(m, s));
}

/* Of all interleavings that match; there is one. UINT32_MAX: too many states. */
static uint32_t fewest_switches_of_all(const struct execution *x, enum memory_model model)
{
	struct machine m = {.x = x, .model = model};
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
			step(m, s, t, wakes[0]);
		}
		for (uint32_t e = 0; e < m->x->events.n; e++)
			if (s->took_effect[e] && !before[e])
				order[(*n)++] = e;
	}
	return false;
}

/* -------------------------------------------------- programs ----------------------------- */

static expr some_value(struct execution *x, unsigned size, expr *known, unsigned nknown)
{
	expr v = make_const(x, size, pick(4));
	if (nknown && pick(2)) {
		expr k = known[pick(nknown)];
		unsigned width = expr_node(x->exprs, k)->width;
		v = width < size * 8 ? expr_zext(x->exprs, k, size * 8)
				     : expr_extract(x->exprs, k, 0, size * 8);
		v = make_add(x, v, pick(3));
	}
	return v;
}

static void make_access(struct execution *x, bool mixed, expr *known, unsigned *nknown)
{
	unsigned size = mixed && pick(2) ? 2 : 1;
	uint64_t at = BASE + pick(mixed ? 4 - size : 2);
	uint32_t kind = pick(12);
	if (kind < 6) {
		known[(*nknown)++] = make_read(x, at, size);
	} else if (kind < 11) {
		make_write(x, at, size, some_value(x, size, known, *nknown));
	} else {
		expr v = make_read(x, at, size);
		struct event *e = &x->events.at[x->events.n - 1];
		e->kind = EVENT_UPDATE;
		e->written = make_add(x, v, 1 + pick(2));
		known[(*nknown)++] = v;
	}
}

/* wait: unlock, wait and lock again, one SAP. */
static void make_wait(struct execution *x, uint64_t lock)
{
	uint32_t e = make_event(x, EVENT_UNLOCK, lock);
	make_event(x, EVENT_WAIT, 0);
	make_event(x, EVENT_LOCK, lock);
	x->threads.at[x->threads.n - 1].saps -= 2;
	x->events.at[e + 1].sap = x->events.at[e + 2].sap = x->events.at[e].sap;
}

/* What a program is made of. */
struct kinds {
	bool mixed, locks, waits, readers, tries, semaphore, barrier;
	uint32_t tokens;
};

static void make_counted(struct execution *x, enum event_kind kind, uint32_t count)
{
	uint32_t e = make_event(x, kind, 0);
	x->events.at[e].count = count;
}

static void make_shared(struct execution *x, enum event_kind kind, int lock, bool shared)
{
	uint32_t e = make_event(x, kind, (uint64_t)lock);
	x->events.at[e].flags |= shared ? EVENT_SHARED : 0;
}

/* Something that neither holds a lock nor waits for a signal. */
static void make_other(struct execution *x, const struct kinds *k)
{
	if (k->semaphore && pick(2))
		make_counted(x, pick(4) == 0 && k->tries ? EVENT_EMPTY : pick(2) ? EVENT_POST : EVENT_TAKE, k->tokens);
	if (k->barrier && !pick(3)) {
		make_counted(x, EVENT_ARRIVE, 2);
		make_counted(x, EVENT_LEAVE, 2);
	}
	if (k->tries && k->locks && !pick(4))
		make_shared(x, EVENT_BUSY, (int)pick(LOCKS), k->readers && pick(2));
}

static void make_body(struct execution *x, const struct kinds *k)
{
	expr known[EVENTS];
	unsigned nknown = 0, n = 1 + pick(x->threads.n > 2 ? 3 : 4);
	int held = -1;
	bool shared = false;
	for (unsigned i = 0; i < n; i++) {
		if (k->locks && held < 0 && pick(2)) {
			shared = k->readers && pick(2);
			make_shared(x, EVENT_LOCK, held = (int)pick(LOCKS), shared);
		} else if (k->waits && pick(3) == 0) {
			make_event(x, pick(2) ? EVENT_SIGNAL : EVENT_BROADCAST, 0);
		} else if (!pick(10)) {
			make_event(x, EVENT_FENCE, 0);
		}
		make_other(x, k);
		make_access(x, k->mixed, known, &nknown);
		if (k->waits && held >= 0 && !shared && !pick(4))
			make_wait(x, (uint64_t)held);
		if (held >= 0 && pick(2)) {
			make_shared(x, EVENT_UNLOCK, held, shared);
			held = -1;
		}
	}
	if (k->waits && held >= 0 && !shared && !pick(3)) {
		make_event(x, EVENT_UNLOCK, (uint64_t)held);
		make_event(x, EVENT_HANG, 0);
		held = -1;
	}
	if (held >= 0 && pick(4)) /* else: held to the end */
		make_shared(x, EVENT_UNLOCK, held, shared);
}

static void make_program(struct execution *x)
{
	uint32_t nthreads = 2 + (pick(3) == 0);
	struct kinds k = {.mixed = pick(3) == 0, .locks = pick(2), .tokens = pick(3)};
	k.waits = k.locks && pick(3) == 0;
	k.readers = k.locks && pick(3) == 0;
	k.semaphore = pick(4) == 0;
	k.barrier = pick(8) == 0;
	k.tries = pick(3) == 0;
	execution_init(x);
	for (unsigned i = 0; i < MEMORY; i++)
		make_initial(x, BASE + i, 1, 0);
	for (uint32_t t = 0; t < nthreads; t++) {
		char name[8];
		snprintf(name, sizeof name, "%u", t + 1);
		make_thread(x, name);
		make_body(x, &k);
		make_end(x, t == 0 && pick(2) ? EVENT_FAILS : 0);
	}
}

/* Conditions on what the run read: as it was, or a little off. */
static void add_conditions(struct execution *x, const struct state *s)
{
	for (uint32_t e = 0; e < x->events.n; e++) {
		const struct event *v = &x->events.at[e];
		if (!v->read || !pick(2))
			continue;
		unsigned width = v->size * 8u;
		uint64_t was = s->symbols[expr_node(x->exprs, v->read)->value];
		if (!pick(4))
			was = (was + 1 + pick(3)) & ((1u << width) - 1);
		make_condition(x, EXPR_EQ, v->read, expr_const(x->exprs, width, was), pick(4) != 0,
			       CONDITION_PATH);
	}
}

/* Some of what the run did becomes known: any two events, or the whole order of every lock. */
static void add_orders(struct execution *x, const uint32_t *order, uint32_t n)
{
	if (!pick(2))
		for (uint32_t i = pick(3); i > 0; i--) {
			uint32_t a = pick(n - 1), b = a + 1 + pick(n - a - 1);
			if (x->events.at[order[a]].thread != x->events.at[order[b]].thread)
				make_order(x, order[a], order[b]);
		}
	bool others = false; /* than mutexes */
	for (size_t i = 0; i < x->events.n; i++)
		others |= event_sync_class(&x->events.at[i]) > SYNC_LOCK || x->events.at[i].kind == EVENT_BUSY;
	if (others || pick(2))
		return;
	x->lock_order_known = true;
	for (uint32_t l = 0; l < LOCKS; l++) {
		uint32_t last = UINT32_MAX;
		for (uint32_t i = 0; i < n; i++) {
			const struct event *e = &x->events.at[order[i]];
			if (e->kind != EVENT_LOCK && e->kind != EVENT_UNLOCK)
				continue;
			if (e->object != l)
				continue;
			if (last != UINT32_MAX)
				make_order(x, last, order[i]);
			last = order[i];
		}
	}
}

/* -------------------------------------------------- the checker -------------------------- */

/* Does the machine go through these steps to the end, and do all conditions hold then? Without waits only. */
static bool machine_accepts(const struct machine *m, const struct step *steps, size_t n)
{
	struct state s;
	start(m, &s);
	for (size_t i = 0; i < n; i++) {
		uint32_t e = steps[i].event, t = m->x->events.at[e].thread, k = 0;
		if (!steps[i].visible) {
			if (s.next[t] != e || !step(m, &s, t, -1))
				return false;
			continue;
		}
		while (k < s.buffer[t].n && s.buffer[t].at[k].event != e)
			k++;
		if (k == s.buffer[t].n || !flush(m, &s, t, k))
			return false;
	}
	for (size_t i = 0; i < m->x->conditions.n; i++)
		if (!expr_eval(m->x->exprs, m->x->conditions.at[i].condition, s.symbols))
			return false;
	return true;
}

static bool has_waits(const struct execution *x)
{
	for (size_t i = 0; i < x->events.n; i++)
		if (event_sync_class(&x->events.at[i]) == SYNC_CONDITION)
			return true;
	return false;
}

/* An accepted order, disturbed: the checker and the machine must say the same of every change. */
static void disturb(const struct execution *x, enum memory_model model, const struct linear *l,
		    uint64_t case_seed, struct totals *totals)
{
	struct machine m = {.x = x, .model = model};
	struct step steps[2 * EVENTS];
	size_t n = l->steps.n;
	struct error err;
	for (int i = 0; i < 8 && !has_waits(x); i++) {
		memcpy(steps, l->steps.at, n * sizeof *steps);
		for (uint32_t k = pick(3); k + 1 > 0; k--) {
			size_t from = pick((uint32_t)n), to = pick((uint32_t)n);
			struct step moved = steps[from];
			memmove(steps + from, steps + from + 1, (n - from - 1) * sizeof *steps);
			memmove(steps + to + 1, steps + to, (n - to - 1) * sizeof *steps);
			steps[to] = moved;
		}
		bool expected = machine_accepts(&m, steps, n);
		if (check_order(x, model, steps, n, NULL, &err) != expected)
			fail_msg("seed %llu, %s: the checker is wrong (%s)", (unsigned long long)case_seed,
				 memory_model_name(model), expected ? err.text : "accepts");
		totals->accepted += expected;
		totals->rejected += !expected;
	}
	memcpy(steps, l->steps.at, n * sizeof *steps); /* one step missing, one step twice */
	assert_false(check_order(x, model, steps, n - 1, NULL, &err));
	steps[pick((uint32_t)n)] = steps[pick((uint32_t)n)];
	for (size_t i = 0; i < n; i++)
		if (steps[i].event != l->steps.at[i].event || steps[i].visible != l->steps.at[i].visible)
			assert_false(check_order(x, model, steps, n, NULL, &err));
}

/* -------------------------------------------------- comparing ---------------------------- */

/* What the first answer claims of its context switches. */
static void check_switches(const struct execution *x, enum memory_model model, const struct infer_stats *stats,
			   uint64_t case_seed, struct totals *totals)
{
	uint32_t fewest = fewest_switches_of_all(x, model);
	if (fewest == UINT32_MAX)
		return;
	if (stats->least > fewest || stats->switches < fewest || (stats->fewest && stats->switches != fewest))
		fail_msg("seed %llu, %s: %u switches, at least %u%s, but the fewest are %u", (unsigned long long)case_seed,
			 memory_model_name(model), stats->switches, stats->least, stats->fewest ? ", proven" : "", fewest);
	totals->fewest += stats->fewest;
	totals->not_proven += !stats->fewest;
}

static unsigned count_by_solver(const struct execution *x, enum memory_model model, const char *solver,
				bool all_reads, unsigned limit, uint64_t case_seed, struct totals *totals)
{
	struct infer_options o = infer_defaults();
	struct infer_state *s = NULL;
	struct infer_stats stats;
	struct schedule schedule;
	struct error err = {{0}};
	unsigned n = 0;
	enum infer_result r = INFER_FOUND;
	o.model = model;
	o.solver = solver;
	o.all_reads = all_reads;
	o.fewest_seconds = all_reads ? 0 : 1;
	o.workers = (unsigned)(case_seed % 5); /* 0: as many as there are processors */
	static const double alone[] = {-1, 0, 0.5}; /* no search; with all others at once; alone at first */
	o.walk_seconds = alone[formula_can_express(x) ? case_seed % 3 : 1 + case_seed % 2];
	while (n < limit && (r = infer_schedule(x, &o, &s, &schedule, &stats, &err)) == INFER_FOUND) {
		if (n == 0 && !all_reads)
			check_switches(x, model, &stats, case_seed, totals);
		if (n++ == 0)
			disturb(x, model, infer_order(s), case_seed, totals);
		schedule_release(&schedule);
	}
	if (r == INFER_ERROR || r == INFER_BUDGET)
		fail_msg("seed %llu, %s: %s", (unsigned long long)case_seed, memory_model_name(model),
			 r == INFER_ERROR ? err.text : "no decision");
	infer_free(s);
	return n;
}

static void compare(const struct execution *x, enum memory_model model, uint64_t case_seed, bool count_all,
		    struct totals *totals)
{
	struct machine m = {.x = x, .model = model, .first_only = !count_all};
	struct state s;
	start(&m, &s);
	explore(&m, &s);
	free(m.seen);
	if (m.too_large) {
		totals->too_large++;
		vec_free(&m.found);
		return;
	}
	const char *solver = pick(3) ? "z3-lazy" : "z3-difference";
	unsigned found = count_by_solver(x, model, solver, false, 1, case_seed, totals);
	if (found != (m.found.n != 0))
		fail_msg("seed %llu, %s, %s: brute force finds %zu, inference %u",
			 (unsigned long long)case_seed, memory_model_name(model), solver, m.found.n,
			 found);
	if (count_all) {
		unsigned all = count_by_solver(x, model, solver, true, (unsigned)m.found.n + 1,
					       case_seed, totals);
		if (all != m.found.n)
			fail_msg("seed %llu, %s, %s: %zu ways by brute force, %u by inference",
				 (unsigned long long)case_seed, memory_model_name(model), solver,
				 m.found.n, all);
		totals->maps += all;
	}
	totals->possible += found;
	totals->impossible += !found;
	vec_free(&m.found);
}

static void run_case(uint64_t case_seed, struct totals *totals)
{
	struct execution x;
	struct state s;
	uint32_t order[EVENTS], n;
	seed = case_seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 10; i++)
		pick(2);
	make_program(&x);
	enum memory_model model = (enum memory_model)pick(3);
	struct machine m = {.x = &x, .model = model};
	if (x.events.n < EVENTS) {
		if (run_randomly(&m, &s, order, &n)) {
			add_conditions(&x, &s);
			add_orders(&x, order, n);
		}
		compare(&x, (enum memory_model)pick(3), case_seed, x.events.n < 16 && formula_can_express(&x), totals);
	}
	execution_release(&x);
}

static void inference_agrees_with_brute_force(void **state)
{
	(void)state;
	const char *wanted = getenv("RETHREAD_BRUTE");
	unsigned long cases = 3000, first = 1;
	if (wanted)
		sscanf(wanted, "%lu,%lu", &cases, &first);
	struct totals totals = {0};
	for (unsigned long i = 0; i < cases; i++)
		run_case(first + i, &totals);
	print_message("%u possible, %u impossible, %u ways to choose writers, %u too large\n",
		      totals.possible, totals.impossible, totals.maps, totals.too_large);
	print_message("checker: %u disturbed orders accepted, %u rejected\n", totals.accepted,
		      totals.rejected);
	print_message("context switches: proven the fewest %u times, %u times not\n", totals.fewest, totals.not_proven);
	assert_true(wanted || totals.fewest > 10 * totals.not_proven);
	assert_true(!wanted ? totals.possible > 100 && totals.impossible > 100 : true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(inference_agrees_with_brute_force)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
