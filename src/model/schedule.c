#include "model/schedule_internal.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_of_sap(const struct builder *b, uint32_t e, uint32_t other)
{
	uint8_t kind = event_at(b, other)->kind;
	return event_at(b, e)->sap == event_at(b, other)->sap && kind != EVENT_START && kind != EVENT_END;
}

/* Where the first event of the SAP is in the order: pieces of a call need not come in theirs. */
static size_t begin_of_sap(const struct builder *b, uint32_t e)
{
	const struct execution_thread *t = &b->x->threads.at[event_at(b, e)->thread];
	size_t begin = b->place[e];
	for (uint32_t k = e; k > t->first && is_of_sap(b, e, k - 1); k--)
		begin = b->place[k - 1] < begin ? b->place[k - 1] : begin;
	for (uint32_t k = e + 1; k < t->first + t->count && is_of_sap(b, e, k); k++)
		begin = b->place[k] < begin ? b->place[k] : begin;
	return begin;
}

/* Where the last is that is part of the order: of what comes behind the failure it does not matter when it happens. */
static size_t end_of_sap(const struct builder *b, uint32_t e)
{
	const struct execution_thread *t = &b->x->threads.at[event_at(b, e)->thread];
	size_t end = b->place[e];
	for (uint32_t k = e; k > t->first && is_of_sap(b, e, k - 1); k--)
		end = b->place[k - 1] != SIZE_MAX && b->place[k - 1] > end ? b->place[k - 1] : end;
	for (uint32_t k = e + 1; k < t->first + t->count && is_of_sap(b, e, k); k++)
		end = b->place[k] != SIZE_MAX && b->place[k] > end ? b->place[k] : end;
	return end;
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
	struct schedule_wait w = {.sap = execution_replayed_sap(b->x, event_at(b, e)->thread, event_at(b, e)->sap),
				  .other_sap = execution_replayed_sap(b->x, event_at(b, p)->thread, p_sap)};
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
void schedule_require(struct builder *b, uint32_t e, uint32_t p)
{
	uint32_t thread = event_at(b, e)->thread, other = event_at(b, p)->thread;
	uint64_t p_sap = event_at(b, p)->sap;
	if (thread == other || b->place[p] == SIZE_MAX)
		return;
	size_t gate = begin_of_sap(b, e), passed = end_of_sap(b, p);
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
		if (is_late(b, p) || !is_delay_implied(b->s, &line)) {
			*vec_push(&b->s->delays) = line;
			*vec_push(&b->held[event_at(b, e)->thread].at) = (struct held_store){e, p};
		}
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

/*
 * A store that comes when late ones before it are visible already must find them so: else it would queue behind them, unseen, while others take it
 * that they see it once its thread has come further.
 */
static void find_buffer_empty(struct builder *b, uint32_t e)
{
	struct held *h = &b->held[event_at(b, e)->thread];
	size_t kept = 0;
	for (size_t i = 0; i < h->at.n; i++)
		if (b->effect_place[h->at.at[i].store] < b->place[e])
			schedule_require(b, e, h->at.at[i].until);
		else
			h->at.at[kept++] = h->at.at[i];
	h->at.n = kept;
}

static void after_conflicts(struct builder *b, uint32_t e, uint32_t atom, bool writes, bool visible)
{
	struct reads *r = &b->reads[atom];
	uint32_t w = b->last_write[atom];
	void (*after)(struct builder *, uint32_t, uint32_t) =
		visible ? require_visible_after : schedule_require;
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

/* -------------------------------------------------- steps -------------------------------- */

/* Of a thread that fails as it ends: others were over by then. */
static bool fails_after_end(const struct builder *b, uint32_t e, uint32_t p)
{
	return event_at(b, e)->kind == EVENT_END && (event_at(b, e)->flags & EVENT_FAILS) && event_at(b, p)->kind == EVENT_END;
}

/* The orders that the execution knows; creating and joining need no wait. */
static void follow_known(struct builder *b, uint32_t e)
{
	for (uint32_t i = b->in_order_start[e]; i < b->in_order_start[e + 1]; i++) {
		uint32_t p = b->x->orders.at[b->in_order[i]].a;
		if (fails_after_end(b, e, p)) {
			schedule_require(b, e, p);
		} else if (event_at(b, e)->kind == EVENT_START || event_at(b, p)->kind == EVENT_END) {
			if (b->place[p] != SIZE_MAX)
				learn(b, event_at(b, e)->thread, p, event_at(b, p)->sap);
		} else if (event_at(b, e)->kind != EVENT_END) {
			schedule_require(b, e, p);
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
	schedule_use_object(b, e);
	if (is_buffered(b, e))
		find_buffer_empty(b, e);
	access_memory(b, e, false);
	b->row[e] = b->current[event_at(b, e)->thread];
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
	b->held = xcalloc(b->nthreads, sizeof *b->held);
	b->last_write = xmalloc(natoms * sizeof *b->last_write);
	memset(b->last_write, 0xff, natoms * sizeof *b->last_write);
	b->reads = xcalloc(natoms, sizeof *b->reads);
	for (uint32_t t = 0; t < b->nthreads; t++)
		keep_clock(b, t);
	schedule_find_objects(b);
	group_orders(b);
}

static void builder_release(struct builder *b)
{
	for (size_t i = 0; i < b->m->atoms.at.n; i++)
		vec_free(&b->reads[i].at);
	for (size_t i = 0; i < b->nused; i++)
		vec_free(&b->used[i].reads);
	for (uint32_t t = 0; t < b->nthreads; t++)
		vec_free(&b->held[t].at);
	vec_free(&b->rows);
	void *all[] = {b->clock,      b->row,   b->current,  b->place,          b->effect_place,
		       b->last_write, b->reads, b->in_order, b->in_order_start, b->used, b->awaited, b->held};
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
		schedule_stop_thread(&b, &m->x->threads.at[t]);
	schedule_force_results(&b);
	builder_release(&b);
}
