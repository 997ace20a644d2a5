/* Events and conditions as the threads meet them, and their final form. */
#include "sym/engine.h"
#include "sym/ties.h"

#include <stdlib.h>
#include <string.h>

/* Events of a thread whose log says nothing more, until it is asked whether it has to go on: it may do so for ever. */
enum { MOST_OPTIONAL = 100000 };

struct event *event_add(struct ethread *t, enum event_kind kind, uint64_t object, uint32_t site)
{
	struct event *e = vec_push(&t->events);
	*e = (struct event){ .thread = t->number, .kind = (uint8_t)kind, .sap = t->saps,
			     .object = object, .site = site };
	e->after = t->time;
	e->run = ++engine.nevents;
	bool stays = kind == EVENT_READ || kind == EVENT_CALL;
	t->buffered = kind == EVENT_WRITE || (t->buffered && stays);
	if (kind != EVENT_FENCE && !stays)
		t->ndrained = 0;
	if (engine.free ? engine_step_is_beyond(t) : engine_log_used_up(t)) {
		e->flags |= EVENT_OPTIONAL;
		if (++t->optional % MOST_OPTIONAL == 0)
			ithread_ask(t->interp);
	}
	return e;
}

bool event_is_drained(struct ethread *t, uint32_t fence)
{
	for (uint32_t i = 0; i < t->ndrained; i++)
		if (t->drained[i] == fence)
			return true;
	if (t->ndrained < sizeof t->drained / sizeof *t->drained)
		t->drained[t->ndrained++] = fence;
	return false;
}

struct event_ref event_last(const struct ethread *t)
{
	return (struct event_ref){ t->number, (uint32_t)(t->events.n - 1) };
}

struct event_ref event_add_late(struct ethread *t, enum event_kind kind, uint64_t object, uint64_t sap,
				uint32_t site)
{
	*vec_push(&t->events) = (struct event){ .thread = t->number, .kind = (uint8_t)kind, .sap = sap,
						.object = object, .site = site };
	return event_last(t);
}

void order_add(struct event_ref a, struct event_ref b)
{
	*vec_push(&engine.orders) = (struct order_ref){ a, b };
}

void condition_add(struct ethread *t, expr e, uint64_t value, enum condition_kind kind)
{
	if (ties_on() || outside_decides(e))
		return;
	expr holds = expr_makes_float(expr_node(engine.exprs, e)->op) ? expr_float_is(engine.exprs, e, value)
								     : expr_equals(engine.exprs, e, value);
	uint64_t constant;
	if (expr_is_const(engine.exprs, holds, &constant) && constant)
		return;
	/* Busy waiting meets the same ones again and again. */
	for (size_t i = t->conditions.n, last = i > 4 ? i - 4 : 0; i-- > last;)
		if (t->conditions.at[i].condition.condition == holds && t->conditions.at[i].condition.kind == (uint32_t)kind)
			return;
	static uint32_t sequence;
	*vec_push(&t->conditions) = (struct local_condition){
		{ holds, 0, place_describe(t, "branch"), kind, ++sequence, 0 }, t->saps };
}

expr value_expr(const struct slot *s, unsigned size)
{
	if (!s->e)
		return expr_const(engine.exprs, size * 8, s->v);
	unsigned width = expr_node(engine.exprs, s->e)->width;
	return width < size * 8 ? expr_zext(engine.exprs, s->e, size * 8) : s->e;
}

static uint32_t site_add(const struct position *p, const char *what)
{
	struct site_info info = { 0 };
	const char *file = p->file ? p->file : "?";
	snprintf(info.where, sizeof info.where, "%.90s:%u", file, p->line);
	snprintf(info.what, sizeof info.what, "%.47s", what);
	snprintf(info.function, sizeof info.function, "%.95s", p->function ? p->function : "?");
	*vec_push(&engine.sites) = info;
	return (uint32_t)(engine.sites.n - 1);
}

static uint32_t place_of_site(uint32_t site, uint32_t place, const char *what)
{
	struct position p;
	interp_place(engine.interp, place, &p);
	uint32_t i = site_add(&p, what);
	engine.sites.at[i].number = site;
	engine.sites.at[i].is_float = interp_site_is_float(engine.interp, site);
	return i;
}

struct caller {
	uint32_t place, described; /* interp_place; engine.sites */
	uint32_t next;
};

/* A site in a header of the system is described by who called it: once for each caller, in a list that begins at site_index. */
static uint32_t called_site(struct ethread *t, uint32_t site, const char *what)
{
	static vec(struct caller) callers;
	uint32_t place = ithread_own_place(t->interp, site);
	if (!callers.n)
		*vec_push(&callers) = (struct caller){0}; /* 0 ends a list */
	for (uint32_t i = engine.site_index[site]; i; i = callers.at[i].next)
		if (callers.at[i].place == place)
			return callers.at[i].described;
	uint32_t described = place_of_site(site, place, what);
	*vec_push(&callers) = (struct caller){place, described, engine.site_index[site]};
	engine.site_index[site] = (uint32_t)(callers.n - 1);
	return described;
}

uint32_t site_describe(struct ethread *t, uint32_t site, const char *what)
{
	if (!site)
		return place_describe(t, what);
	if (!interp_site_is_own(engine.interp, site))
		return called_site(t, site, what);
	if (!engine.site_index[site])
		engine.site_index[site] = place_of_site(site, ithread_own_place(t->interp, site), what);
	return engine.site_index[site];
}

/* Places without a site number repeat: the last few are remembered. */
uint32_t place_describe(struct ethread *t, const char *what)
{
	static struct { const char *function; uint32_t line; const char *what; uint32_t index; } recent[64];
	struct position p;
	interp_place(engine.interp, ithread_own_place(t->interp, 0), &p);
	size_t i = (p.line * 7u + (size_t)((uintptr_t)what >> 4)) % 64;
	if (!recent[i].index || recent[i].function != p.function || recent[i].line != p.line ||
	    recent[i].what != what) {
		recent[i].index = site_add(&p, what);
		recent[i].function = p.function;
		recent[i].line = p.line;
		recent[i].what = what;
	}
	return recent[i].index;
}

/* ---- the final form: one array, thread by thread, in program order ---- */

/*
 * Late events stand behind others, but for reads (quiet.c, lulls.c; no order of the executor is known of them): what copies memory reads all before it
 * writes, perhaps over what it has read. END comes after everything of its SAP.
 */
static uint64_t rank(const struct event *e)
{
	bool late_read = e->kind == EVENT_READ && !e->run;
	return e->sap * 4 + (e->kind == EVENT_END ? 2 : !late_read);
}

struct placed {
	uint64_t rank;
	uint32_t added;
};

static int by_rank(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->added < y->added ? -1 : x->added > y->added;
}

/* final[i] becomes the place of the thread's i-th added event among its events in program order. */
static void sort_events(const struct ethread *t, uint32_t *final)
{
	uint32_t n = (uint32_t)t->events.n;
	struct placed *all = xmalloc((n + 1) * sizeof *all);
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct placed){ rank(&t->events.at[i]), i };
	qsort(all, n, sizeof *all, by_rank);
	for (uint32_t i = 0; i < n; i++)
		final[all[i].added] = i;
	free(all);
}

/* The last event of the thread at or before a SAP: events are in order. */
static uint32_t event_before(const struct execution *x, const struct execution_thread *t, uint64_t sap)
{
	uint32_t low = 0, high = t->count;
	while (low + 1 < high) {
		uint32_t mid = (low + high) / 2;
		if (x->events.at[t->first + mid].sap <= sap && x->events.at[t->first + mid].kind != EVENT_END)
			low = mid;
		else
			high = mid;
	}
	return t->first + low;
}

static void put_thread(struct execution *x, const struct ethread *t, uint32_t *final)
{
	struct execution_thread *out = vec_push(&x->threads);
	*out = (struct execution_thread){ .first = (uint32_t)x->events.n,
					  .count = (uint32_t)t->events.n, .saps = t->saps,
					  .log_number = t->log ? t->log->info.number : UINT32_MAX };
	memcpy(out->name, t->name, sizeof out->name);
	sort_events(t, final);
	for (size_t i = 0; i < t->events.n; i++)
		vec_push(&x->events);
	for (size_t i = 0; i < t->events.n; i++)
		x->events.at[out->first + final[i]] = t->events.at[i];
	for (size_t i = 0; i < t->left_out.n; i++)
		*vec_push(&x->left_out) = t->left_out.at[i];
	for (size_t i = 0; i < t->conditions.n; i++) {
		struct condition c = t->conditions.at[i].condition;
		c.event = event_before(x, out, t->conditions.at[i].sap);
		*vec_push(&x->conditions) = c;
	}
}

/* A SAP of the thread with a note, at or behind this one; UINT64_MAX: none. */
static uint64_t noted_from(const struct execution *x, uint32_t thread, uint64_t sap)
{
	size_t low = 0, high = x->notes.n; /* by thread, in program order */
	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct event *e = &x->notes.at[mid];
		if (e->thread < thread || (e->thread == thread && e->sap < sap))
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->notes.n && x->notes.at[low].thread == thread ? x->notes.at[low].sap : UINT64_MAX;
}

/* Those in which the thread has events or notes: some come to be events only after the lock is given up (quiet.c). */
static void put_held(struct execution *x)
{
	held_finish();
	for (size_t i = 0; i < engine.held.n; i++) {
		const struct held_lock *h = &engine.held.at[i];
		if (x->events.at[event_before(x, &x->threads.at[h->thread], h->to)].sap >= h->from || noted_from(x, h->thread, h->from) <= h->to)
			*vec_push(&x->held) = *h;
	}
}

bool events_write(const char *path, struct error *err)
{
	struct execution x;
	execution_init(&x);
	uint32_t **final = xcalloc(engine.threads.n, sizeof *final);
	for (size_t i = 0; i < engine.threads.n; i++) {
		final[i] = xmalloc((engine.threads.at[i]->events.n + 1) * sizeof **final);
		put_thread(&x, engine.threads.at[i], final[i]);
	}
	for (size_t i = 0; i < engine.orders.n; i++) {
		struct event_ref a = engine.orders.at[i].a, b = engine.orders.at[i].b;
		*vec_push(&x.orders) = (struct known_order){
			x.threads.at[a.thread].first + final[a.thread][a.index],
			x.threads.at[b.thread].first + final[b.thread][b.index],
		};
	}
	x.initials.at = engine.initials.at;
	x.initials.n = engine.initials.n;
	x.results.at = engine.results.at;
	x.results.n = engine.results.n;
	x.exprs = engine.exprs;
	notes_put(&x);
	put_held(&x);
	x.sites.at = engine.sites.at;
	x.sites.n = engine.sites.n;
	x.nsymbols = (uint32_t)engine.symbols.n;
	x.lock_order_known = engine.lock_order;
	names_add(&x);
	expr_forget_symbols(engine.exprs, COUNTER_SYMBOL);
	return execution_write(&x, path, err);
}
