#include "model/schedule.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/*
 * What every thread knows: clock[T][U] is the highest SAP of U that T has waited for, itself or through
 * others. An event remembers the row (kept clock) of its thread, which changes only when the thread learns
 * something; its own entry is the event's SAP.
 */
struct builder {
	struct schedule *s;
	const struct memory *m;
	const struct execution *x;
	const struct linear *l;
	uint32_t nthreads;
	uint64_t *clock;
	vec(uint64_t) rows;
	uint32_t *row;            /* by event */
	uint32_t *current;        /* by thread: row that holds now */
	size_t *place;            /* by event: its step, SIZE_MAX when the failure does not need it */
	size_t *effect_place;     /* by event: the step at which others see it; place but for late stores */
	uint64_t *awaited;        /* by event, for late stores: threads that wait for it, a bit each */
	uint32_t *last_write;     /* by atom */
	struct reads {
		vec(uint32_t) at;
	} *reads;                 /* by atom, since the last write */
	uint32_t *in_order, *in_order_start; /* known orders by their later event */
	struct used {
		enum sync_class class;
		uint64_t object;
		uint32_t unlock;          /* lock: the last by a writer; barrier: the last to leave */
		vec(uint32_t) reads;      /* lock: readers' releases since; condition variable: signals; semaphore: posts */
		size_t taken;             /* semaphore: so many of the posts are used up */
	} *used;                  /* synchronization whose order was inferred, sorted */
	size_t nused;
};

static const struct event *event_at(const struct builder *b, uint32_t e)
{
	return &b->x->events.at[e];
}

/* -------------------------------------------------- what threads know -------------------- */

static uint64_t *clock_of(struct builder *b, uint32_t thread)
{
	return b->clock + (size_t)thread * b->nthreads;
}

static void keep_clock(struct builder *b, uint32_t thread)
{
	b->current[thread] = (uint32_t)(b->rows.n / b->nthreads);
	for (uint32_t u = 0; u < b->nthreads; u++)
		*vec_push(&b->rows) = clock_of(b, thread)[u];
}

/* The thread comes to know all that is known at event p, p's own SAP included. */
static void learn(struct builder *b, uint32_t thread, uint32_t p, uint64_t p_sap)
{
	uint64_t *clock = clock_of(b, thread);
	const uint64_t *row = b->rows.at + (size_t)b->row[p] * b->nthreads;
	for (uint32_t u = 0; u < b->nthreads; u++)
		if (row[u] > clock[u])
			clock[u] = row[u];
	uint32_t from = event_at(b, p)->thread;
	if (p_sap > clock[from])
		clock[from] = p_sap;
	keep_clock(b, thread);
}

/* -------------------------------------------------- lines -------------------------------- */

static uint32_t first_of_sap(const struct builder *b, uint32_t e)
{
	uint32_t first = b->x->threads.at[event_at(b, e)->thread].first;
	while (e > first && event_at(b, e - 1)->sap == event_at(b, e)->sap &&
	       event_at(b, e - 1)->kind != EVENT_START)
		e--;
	return e;
}

/* The last that is part of the order: of what comes behind the failure it does not matter when it happens. */
static uint32_t last_of_sap(const struct builder *b, uint32_t e)
{
	const struct execution_thread *t = &b->x->threads.at[event_at(b, e)->thread];
	while (e + 1 < t->first + t->count && event_at(b, e + 1)->sap == event_at(b, e)->sap &&
	       event_at(b, e + 1)->kind != EVENT_END && b->place[e + 1] != SIZE_MAX)
		e++;
	return e;
}

static void describe(const struct builder *b, uint32_t e, char *text, size_t size)
{
	const struct site_info *s = &b->x->sites.at[event_at(b, e)->site];
	snprintf(text, size, "%.60s %.30s", s->where, s->what);
}

static bool is_interposed(const char *name)
{
	static const char *const names[] = {
#define X(function) #function,
#include <rethread/interposed.def>
#undef X
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* What replay is to find at the event's SAP. */
static void name_site(const struct builder *b, uint32_t e, char site[40])
{
	const struct site_info *s = &b->x->sites.at[event_at(b, e)->site];
	if (s->number)
		snprintf(site, 40, "%u", s->number);
	else if (is_interposed(s->what))
		snprintf(site, 40, "%.39s", s->what);
}

static struct schedule_wait line_between(const struct builder *b, uint32_t e, uint32_t p, uint64_t p_sap)
{
	struct schedule_wait w = {.sap = event_at(b, e)->sap, .other_sap = p_sap};
	char here[96], there[96];
	memcpy(w.thread, b->x->threads.at[event_at(b, e)->thread].name, sizeof w.thread);
	memcpy(w.other, b->x->threads.at[event_at(b, p)->thread].name, sizeof w.other);
	describe(b, e, here, sizeof here);
	describe(b, p, there, sizeof there);
	snprintf(w.why, sizeof w.why, "%s | %s", here, there);
	name_site(b, e, w.site);
	if (p_sap == event_at(b, p)->sap)
		name_site(b, p, w.other_site);
	return w;
}

/* Do others see the store only some time after it was executed? */
static bool is_late(const struct builder *b, uint32_t e)
{
	return b->effect_place[e] != b->place[e];
}

/*
 * Does whoever knows `clock` know that p is done? That a thread has come to a later SAP says nothing about a late
 * store: such a wait is only left out when the thread has it already.
 */
static bool is_known(struct builder *b, uint32_t e, const uint64_t *clock, uint32_t p, uint64_t p_sap)
{
	uint32_t thread = event_at(b, e)->thread;
	if (!is_late(b, p))
		return clock[event_at(b, p)->thread] >= p_sap;
	uint64_t bit = thread < 64 ? 1ull << thread : 0;
	bool known = (b->awaited[p] & bit) != 0;
	b->awaited[p] |= bit;
	return known;
}

/*
 * Reads that the executor left out come with the first lap's (EVENT_LAPS), where the whole of that lap comes before e: up to which SAP
 * the thread then goes.
 */
static uint64_t end_of_laps(const struct builder *b, uint32_t p, size_t gate)
{
	const struct event *v = event_at(b, p);
	uint32_t reads = v->laps >> 16, end = p + 1;
	if (!(v->flags & EVENT_LAPS))
		return v->sap;
	while (end < p + reads && event_at(b, end)->flags & EVENT_LAPS)
		end++;
	const struct execution_thread *t = &b->x->threads.at[v->thread];
	const struct event *last = p + reads < t->first + t->count ? event_at(b, p + reads) : v;
	bool whole = last->object == v->object && last->site == v->site && b->place[end - 1] < gate;
	return whole && last->sap > v->sap ? last->sap - (v->laps & 0xffff) : v->sap;
}

/*
 * Event e must come after p. A gate stands before the first event of a SAP and opens when all of another SAP
 * is done: an order between halves of operations (pthread_cond_wait, memcpy) cannot always be said. When
 * p is the release of a mutex inside a longer operation, it is enough that the thread is about to begin
 * that operation: it holds the mutex until then.
 */
static void require(struct builder *b, uint32_t e, uint32_t p)
{
	uint32_t thread = event_at(b, e)->thread, other = event_at(b, p)->thread;
	uint64_t p_sap = event_at(b, p)->sap;
	if (thread == other || b->place[p] == SIZE_MAX)
		return;
	size_t gate = b->place[first_of_sap(b, e)], passed = b->place[last_of_sap(b, p)];
	if (b->effect_place[p] > gate) {
		b->s->unenforced++;
		return;
	}
	if (passed > gate) {
		if (event_at(b, p)->kind != EVENT_UNLOCK || p_sap < 2) {
			b->s->unenforced++;
			return;
		}
		p_sap--;
	} else {
		p_sap = end_of_laps(b, p, gate);
	}
	if (is_known(b, e, clock_of(b, thread), p, p_sap) || p_sap == 0)
		return;
	*vec_push(&b->s->waits) = line_between(b, e, p, p_sap);
	learn(b, thread, p, p_sap);
}

/* Does one of the store's lines so far name a later SAP of the same thread? */
static bool is_delay_implied(const struct schedule *s, const struct schedule_wait *line)
{
	for (size_t i = s->delays.n; i-- > 0;) {
		const struct schedule_wait *d = &s->delays.at[i];
		if (d->sap != line->sap || strcmp(d->thread, line->thread))
			return false;
		if (d->other_sap >= line->other_sap && !strcmp(d->other, line->other))
			return true;
	}
	return false;
}

/*
 * The store e becomes visible only after p. Where p is done before e is executed, e itself waits for it; else others see
 * e later than it is executed.
 */
static void require_visible_after(struct builder *b, uint32_t e, uint32_t p)
{
	uint64_t p_sap = event_at(b, p)->sap;
	if (event_at(b, e)->thread == event_at(b, p)->thread || b->place[p] == SIZE_MAX)
		return;
	if (b->effect_place[p] > b->place[e]) {
		struct schedule_wait line = line_between(b, e, p, p_sap);
		if (is_late(b, p) || !is_delay_implied(b->s, &line))
			*vec_push(&b->s->delays) = line;
	} else if (!is_known(b, e, b->rows.at + (size_t)b->row[e] * b->nthreads, p, p_sap)) {
		*vec_push(&b->s->waits) = line_between(b, e, p, p_sap);
		learn(b, event_at(b, e)->thread, p, p_sap);
	}
}

/* -------------------------------------------------- events in order ---------------------- */

static bool is_buffered(const struct builder *b, uint32_t e)
{
	return b->m->model != MEMORY_SC && event_at(b, e)->kind == EVENT_WRITE;
}

static void after_conflicts(struct builder *b, uint32_t e, uint32_t atom, bool writes, bool visible)
{
	struct reads *r = &b->reads[atom];
	uint32_t w = b->last_write[atom];
	void (*after)(struct builder *, uint32_t, uint32_t) =
		visible ? require_visible_after : require;
	if (w != NOBODY)
		after(b, e, w);
	/* The latest first: it implies the thread's earlier ones. */
	for (size_t i = writes ? r->at.n : 0; i-- > 0;)
		after(b, e, r->at.at[i]);
}

/*
 * From now on what comes after the write e comes after the reads before it as well. But for those of its own thread that
 * saw it in the store buffer: nothing holds e back until they are done, so the next write has to wait for them itself.
 */
static void forget_reads(const struct builder *b, struct reads *r, uint32_t e)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->at.n; i++)
		if (r->at.at[i] > e && event_at(b, r->at.at[i])->thread == event_at(b, e)->thread)
			r->at.at[kept++] = r->at.at[i];
	r->at.n = kept;
}

static void access_memory(struct builder *b, uint32_t e, bool visible)
{
	const struct atoms *a = &b->m->atoms;
	bool reads = event_reads(event_at(b, e)), writes = event_writes(event_at(b, e));
	bool takes_effect = writes && (visible || !is_buffered(b, e));
	for (uint32_t k = 0; k < a->count[e]; k++) {
		uint32_t atom = a->first[e] + k;
		if (!a->at.at[atom].shared)
			continue;
		if (takes_effect || reads)
			after_conflicts(b, e, atom, takes_effect, visible);
		if (takes_effect) {
			b->last_write[atom] = e;
			forget_reads(b, &b->reads[atom], e);
		}
		if (reads)
			*vec_push(&b->reads[atom].at) = e;
	}
}

/* -------------------------------------------------- inferred synchronization ------------- */

static int by_object(const void *p, const void *q)
{
	const struct used *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void after_all(struct builder *b, uint32_t e, const uint32_t *events, size_t n)
{
	for (size_t i = n; i-- > 0;)
		require(b, e, events[i]);
}

/* A lock is taken after its last release by a writer; by a writer, after those of readers since. */
static void use_lock(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	bool shared = v->flags & EVENT_SHARED;
	if (v->kind == EVENT_UNLOCK && shared) {
		*vec_push(&u->reads) = e;
	} else if (v->kind == EVENT_UNLOCK) {
		u->unlock = e;
	} else if (v->kind == EVENT_LOCK) {
		if (u->unlock != NOBODY)
			require(b, e, u->unlock);
		if (!shared) {
			after_all(b, e, u->reads.at, u->reads.n);
			u->reads.n = 0;
		}
	}
}

/* A wait is over after the last signal that came while it lasted: some of those woke it. */
static void use_condition(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	if (v->kind == EVENT_SIGNAL || v->kind == EVENT_BROADCAST) {
		*vec_push(&u->reads) = e;
		return;
	}
	uint32_t start = execution_wait_start(b->x, e);
	for (size_t i = v->kind == EVENT_WAIT ? u->reads.n : 0; i-- > 0;) {
		if (start == NOBODY || b->place[u->reads.at[i]] < b->place[start])
			break;
		if (event_at(b, u->reads.at[i])->thread != v->thread) {
			require(b, e, u->reads.at[i]);
			break;
		}
	}
}

/* The k-th token that is taken is the k-th there was. */
static void use_semaphore(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	if (v->kind == EVENT_POST)
		*vec_push(&u->reads) = e;
	if (v->kind != EVENT_TAKE || u->taken++ < v->count || u->taken > v->count + u->reads.n)
		return;
	require(b, e, u->reads.at[u->taken - v->count - 1]);
}

/* Who arrives after somebody has left, arrives for the next round: all of the one before are really inside then. */
static void use_barrier(struct builder *b, uint32_t e, struct used *u)
{
	if (event_at(b, e)->kind == EVENT_LEAVE)
		u->unlock = e;
	else if (u->unlock != NOBODY)
		require(b, e, u->unlock);
}

/* A wait that is never ended starts after the signals that came before: one that comes later would end it. */
static void start_hanging(struct builder *b, uint32_t e)
{
	const struct event *v = event_at(b, e), *next = e + 1 < b->x->events.n ? event_at(b, e + 1) : NULL;
	if (!next || v->kind != EVENT_UNLOCK || next->kind != EVENT_HANG || next->thread != v->thread)
		return;
	struct used key = {.class = SYNC_CONDITION, .object = next->object};
	const struct used *u = bsearch(&key, b->used, b->nused, sizeof key, by_object);
	if (u)
		after_all(b, e, u->reads.at, u->reads.n);
}

static void use_object(struct builder *b, uint32_t e)
{
	static void (*const use[])(struct builder *, uint32_t, struct used *) = {
		[SYNC_LOCK] = use_lock,
		[SYNC_CONDITION] = use_condition,
		[SYNC_SEMAPHORE] = use_semaphore,
		[SYNC_BARRIER] = use_barrier,
	};
	struct used key = {.class = event_sync_class(event_at(b, e)), .object = event_at(b, e)->object};
	if (key.class != SYNC_NONE && !b->x->lock_order_known)
		use[key.class](b, e, bsearch(&key, b->used, b->nused, sizeof key, by_object));
	start_hanging(b, e);
}

static void find_objects(struct builder *b)
{
	vec(struct used) all = {0};
	for (size_t i = 0; !b->x->lock_order_known && i < b->x->events.n; i++) {
		const struct event *e = &b->x->events.at[i];
		if (event_sync_class(e) != SYNC_NONE)
			*vec_push(&all) = (struct used){.class = event_sync_class(e), .object = e->object,
							.unlock = NOBODY};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	for (size_t i = 0; i < all.n; i++)
		if (!b->nused || by_object(&all.at[b->nused - 1], &all.at[i]))
			all.at[b->nused++] = all.at[i];
	b->used = all.at;
}

/* -------------------------------------------------- steps -------------------------------- */

/* The orders that the execution knows; creating and joining need no wait. */
static void follow_known(struct builder *b, uint32_t e)
{
	for (uint32_t i = b->in_order_start[e]; i < b->in_order_start[e + 1]; i++) {
		uint32_t p = b->x->orders.at[b->in_order[i]].a;
		if (event_at(b, e)->kind == EVENT_START || event_at(b, p)->kind == EVENT_END) {
			if (b->place[p] != SIZE_MAX)
				learn(b, event_at(b, e)->thread, p, event_at(b, p)->sap);
		} else if (event_at(b, e)->kind != EVENT_END) {
			require(b, e, p);
		}
	}
}

static void run_step(struct builder *b, const struct step *step)
{
	uint32_t e = step->event;
	if (step->visible) {
		access_memory(b, e, true);
		return;
	}
	follow_known(b, e);
	use_object(b, e);
	access_memory(b, e, false);
	b->row[e] = b->current[event_at(b, e)->thread];
}

/* -------------------------------------------------- stops -------------------------------- */

static struct schedule_point point(const struct execution_thread *t, uint64_t sap)
{
	struct schedule_point p = {.sap = sap};
	memcpy(p.thread, t->name, sizeof p.thread);
	return p;
}

/* Is somebody known to come after the end of this thread: does it return in this run? */
static bool is_awaited(const struct builder *b, uint32_t end)
{
	for (size_t i = 0; i < b->x->orders.n; i++)
		if (b->x->orders.at[i].a == end)
			return true;
	return false;
}

static void stop_thread(struct builder *b, const struct execution_thread *t)
{
	uint32_t e = t->first, end = t->first + t->count;
	if (!t->count)
		return;
	while (e < end && (b->place[e] != SIZE_MAX || event_at(b, e)->kind == EVENT_START))
		e++;
	if (e == end) {
		if (event_at(b, end - 1)->flags & EVENT_FAILS)
			*vec_push(&b->s->fails) = point(t, event_at(b, end - 1)->sap);
		else if (!is_awaited(b, end - 1))
			*vec_push(&b->s->stops) = point(t, event_at(b, end - 1)->sap + 1);
		return;
	}
	uint64_t sap = event_at(b, e)->sap;
	bool inside = e > t->first && event_at(b, e - 1)->sap == sap && sap;
	/* Woken, but without the mutex: it need not be woken, and must not take what others are yet to take. */
	bool waits = inside && event_at(b, e)->kind == EVENT_LOCK && event_at(b, e - 1)->kind == EVENT_WAIT;
	bool entered = event_at(b, e)->kind == EVENT_END || (inside && !waits);
	*vec_push(&b->s->stops) = point(t, entered ? sap + 1 : sap ? sap : 1);
}

/* The SAP before which each thread is stopped. */
static uint64_t *stopped_at(const struct builder *b)
{
	uint64_t *at = xmalloc(b->nthreads * sizeof *at);
	for (uint32_t t = 0; t < b->nthreads; t++) {
		at[t] = UINT64_MAX;
		for (size_t i = 0; i < b->s->stops.n; i++)
			if (!strcmp(b->s->stops.at[i].thread, b->x->threads.at[t].name))
				at[t] = b->s->stops.at[i].sap;
	}
	return at;
}

static void force_results(struct builder *b)
{
	uint64_t *stopped = stopped_at(b);
	for (size_t i = 0; i < b->x->results.n; i++) {
		const struct forced_result *r = &b->x->results.at[i];
		struct schedule_point p = point(&b->x->threads.at[r->thread], r->sap);
		p.result = r->result;
		p.when = r->when;
		if (r->kind == FORCED_SIGNAL)
			*vec_push(&b->s->signals) = p;
		else if (r->kind == FORCED_RESULT)
			*vec_push(&b->s->results) = p;
		else if (r->sap < stopped[r->thread]) /* there may be very many */
			*vec_push(&b->s->places) = p;
	}
	free(stopped);
}

/* -------------------------------------------------- building ----------------------------- */

static void group_orders(struct builder *b)
{
	size_t n = b->x->orders.n;
	b->in_order_start = xcalloc(b->x->events.n + 2, sizeof *b->in_order_start);
	b->in_order = xmalloc(n * sizeof *b->in_order);
	for (size_t i = 0; i < n; i++)
		b->in_order_start[b->x->orders.at[i].b + 2]++;
	for (size_t k = 2; k < b->x->events.n + 2; k++)
		b->in_order_start[k] += b->in_order_start[k - 1];
	for (size_t i = 0; i < n; i++)
		b->in_order[b->in_order_start[b->x->orders.at[i].b + 1]++] = (uint32_t)i;
}

/* A store is late unless others see it in the step after the one that executes it, or never need to. */
static void find_late(struct builder *b)
{
	size_t n = b->x->events.n;
	b->awaited = xcalloc(n, sizeof *b->awaited);
	b->effect_place = xmalloc(n * sizeof *b->effect_place);
	memcpy(b->effect_place, b->place, n * sizeof *b->effect_place);
	for (uint32_t e = 0; e < n; e++)
		if (is_buffered(b, e) && b->place[e] != SIZE_MAX)
			b->effect_place[e] = SIZE_MAX;
	for (size_t i = 0; i < b->l->needed; i++) {
		uint32_t e = b->l->steps.at[i].event;
		if (b->l->steps.at[i].visible && b->place[e] != SIZE_MAX)
			b->effect_place[e] = i == b->place[e] + 1 ? b->place[e] : i;
	}
}

/* Stores that are still not visible when the failure happens: nobody that reads their place before may see them. */
static void end_late(struct builder *b)
{
	for (uint32_t e = 0; e < b->x->events.n; e++)
		if (is_buffered(b, e) && b->place[e] != SIZE_MAX && b->effect_place[e] == SIZE_MAX)
			access_memory(b, e, true);
}

static void builder_init(struct builder *b)
{
	size_t n = b->x->events.n, natoms = b->m->atoms.at.n;
	b->nthreads = (uint32_t)b->x->threads.n;
	b->clock = xcalloc((size_t)b->nthreads * b->nthreads, sizeof *b->clock);
	b->row = xcalloc(n, sizeof *b->row);
	b->current = xcalloc(b->nthreads, sizeof *b->current);
	b->place = xmalloc(n * sizeof *b->place);
	memset(b->place, 0xff, n * sizeof *b->place);
	for (size_t i = 0; i < b->l->needed; i++)
		if (!b->l->steps.at[i].visible)
			b->place[b->l->steps.at[i].event] = i;
	find_late(b);
	b->last_write = xmalloc(natoms * sizeof *b->last_write);
	memset(b->last_write, 0xff, natoms * sizeof *b->last_write);
	b->reads = xcalloc(natoms, sizeof *b->reads);
	for (uint32_t t = 0; t < b->nthreads; t++)
		keep_clock(b, t);
	find_objects(b);
	group_orders(b);
}

static void builder_release(struct builder *b)
{
	for (size_t i = 0; i < b->m->atoms.at.n; i++)
		vec_free(&b->reads[i].at);
	for (size_t i = 0; i < b->nused; i++)
		vec_free(&b->used[i].reads);
	vec_free(&b->rows);
	void *all[] = {b->clock,      b->row,   b->current,  b->place,          b->effect_place,
		       b->last_write, b->reads, b->in_order, b->in_order_start, b->used, b->awaited};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

void schedule_init(struct schedule *s, const struct memory *m, const struct linear *l)
{
	*s = (struct schedule){.model = m->model};
	struct builder b = {.s = s, .m = m, .x = m->x, .l = l};
	builder_init(&b);
	for (size_t i = 0; i < l->needed; i++)
		run_step(&b, &l->steps.at[i]);
	end_late(&b);
	for (size_t t = 0; t < m->x->threads.n; t++)
		stop_thread(&b, &m->x->threads.at[t]);
	force_results(&b);
	builder_release(&b);
}
