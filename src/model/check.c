#include "model/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN SIZE_MAX

struct stored {
	uint32_t event;
	uint64_t address, value;
	uint32_t size;
	bool known;
};

/* A lock, semaphore or barrier. */
struct object_state {
	enum sync_class class;
	uint64_t object;
	uint32_t owner;   /* thread + 1; 0: nobody writes */
	uint32_t depth;
	uint32_t readers;
	uint64_t tokens;  /* of a semaphore */
	uint64_t arrived; /* at a barrier */
};

/* A byte of memory: known once written or initialised. Open addressing by address; used marks a slot. */
struct cell {
	uint64_t address;
	uint8_t value;
	bool used, known;
};

struct checker {
	const struct execution *x;
	enum memory_model model;
	const struct step *steps;
	size_t nsteps;
	struct error *err;
	size_t *executed, *visible;        /* by event: index of the step, UNSEEN before */
	uint32_t *next;                    /* by thread: its next event */
	vec(struct stored) *buffer;        /* by thread: stores issued and not visible */
	bool *leads;                       /* by event: a known order starts at it */
	bool *created, *needs_create;      /* by thread */
	bool *ended;
	struct object_state *objects;
	size_t nobjects;
	uint64_t *leaves;                  /* by thread: so many must have arrived when it leaves its barrier */
	struct cell *cells;
	size_t cell_mask;
	uint64_t *values;                  /* by expression node */
	bool *has_value;
	uint64_t *symbols;
	bool *has_symbol;
};

static bool violated(struct checker *c, uint32_t event, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool violated(struct checker *c, uint32_t event, const char *format, ...)
{
	char what[512];
	const struct event *e = &c->x->events.at[event];
	va_list ap;
	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	return fail(c->err, "thread %s, SAP %" PRIu64 " (event %u, %s): %s",
		    c->x->threads.at[e->thread].name, e->sap, event,
		    e->site < c->x->sites.n ? c->x->sites.at[e->site].where : "?", what);
}

static bool buffers_stores(const struct checker *c, const struct event *e)
{
	return c->model != MEMORY_SC && e->kind == EVENT_WRITE;
}

/* -------------------------------------------------- memory ------------------------------- */

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
static void load_initials(struct checker *c)
{
	for (size_t i = c->x->initials.n; i-- > 0;) {
		const struct initial *v = &c->x->initials.at[i];
		memory_store(c, v->address, v->size, v->value, true);
	}
}

/* -------------------------------------------------- values ------------------------------- */

/* The value of an expression; false when it depends on a symbol that was not read yet. */
static bool evaluate(struct checker *c, expr e, uint64_t *value)
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

static bool take_read(struct checker *c, uint32_t event)
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
	if (!evaluate(c, e->read, &expected))
		return violated(c, event, "reads a value that depends on a later read");
	if (expected != found)
		return violated(c, event, "reads %" PRIu64 " where %" PRIu64 " is expected", found,
				expected);
	return true;
}

static void do_write(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	uint64_t value;
	/* What depends on a read that gave no value, or comes later, is unknown: nothing that counts may read it. */
	bool known = evaluate(c, e->written, &value);
	if (buffers_stores(c, e))
		*vec_push(&c->buffer[e->thread]) =
			(struct stored){event, e->object, value, e->size, known};
	else
		memory_store(c, e->object, e->size, value, known);
}

static bool become_visible(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	if (!buffers_stores(c, e))
		return violated(c, event, "becomes visible, but is no buffered store");
	struct stored *at = c->buffer[e->thread].at;
	size_t n = c->buffer[e->thread].n, i = 0;
	for (; i < n && at[i].event != event; i++) {
		bool overlap = at[i].address < e->object + e->size &&
			       e->object < at[i].address + at[i].size;
		if (c->model == MEMORY_TSO || overlap)
			return violated(c, event, "becomes visible before an earlier store");
	}
	if (i == n)
		return violated(c, event, "becomes visible before it is issued");
	memory_store(c, at[i].address, at[i].size, at[i].value, at[i].known);
	memmove(at + i, at + i + 1, (n - i - 1) * sizeof *at);
	c->buffer[e->thread].n--;
	return true;
}

static bool must_drain(const struct checker *c, uint32_t event)
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

/* -------------------------------------------------- synchronization ---------------------- */

static int by_object(const void *p, const void *q)
{
	const struct object_state *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void find_objects(struct checker *c)
{
	vec(struct object_state) all = {0};
	for (size_t i = 0; i < c->x->events.n; i++) {
		const struct event *e = &c->x->events.at[i];
		if (event_sync_class(e) != SYNC_NONE)
			*vec_push(&all) = (struct object_state){.class = event_sync_class(e), .object = e->object,
								.tokens = e->count};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	for (size_t i = 0; i < all.n; i++)
		if (!c->nobjects || by_object(&all.at[c->nobjects - 1], &all.at[i]))
			all.at[c->nobjects++] = all.at[i];
	c->objects = all.at;
}

static struct object_state *object_of(struct checker *c, const struct event *e)
{
	struct object_state key = {.class = event_sync_class(e), .object = e->object};
	return bsearch(&key, c->objects, c->nobjects, sizeof key, by_object);
}

static bool do_lock(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *l = object_of(c, e);
	if (e->flags & EVENT_SHARED) {
		if (l->owner)
			return violated(c, event, "takes lock %" PRIu64 " that thread %s holds",
					e->object, c->x->threads.at[l->owner - 1].name);
		l->readers++;
		return true;
	}
	if (l->readers)
		return violated(c, event, "takes lock %" PRIu64 " that readers hold", e->object);
	if (l->owner && l->owner != e->thread + 1)
		return violated(c, event, "takes lock %" PRIu64 " that thread %s holds", e->object,
				c->x->threads.at[l->owner - 1].name);
	l->owner = e->thread + 1;
	l->depth++;
	return true;
}

static bool do_unlock(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *l = object_of(c, e);
	if (e->flags & EVENT_SHARED) {
		if (!l->readers)
			return violated(c, event, "releases lock %" PRIu64 " that no reader holds",
					e->object);
		l->readers--;
		return true;
	}
	if (l->owner != e->thread + 1)
		return violated(c, event, "releases lock %" PRIu64 " that it does not hold", e->object);
	if (--l->depth == 0)
		l->owner = 0;
	return true;
}

static bool do_semaphore(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *s = object_of(c, e);
	if (e->kind == EVENT_EMPTY)
		return !s->tokens || violated(c, event, "finds no token at semaphore %" PRIu64 ", which has %" PRIu64,
					      e->object, s->tokens);
	if (e->kind == EVENT_TAKE && !s->tokens)
		return violated(c, event, "takes a token from semaphore %" PRIu64 ", which has none", e->object);
	s->tokens += e->kind == EVENT_POST ? 1 : UINT64_MAX;
	return true;
}

static bool do_barrier(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *b = object_of(c, e);
	if (e->kind == EVENT_LEAVE)
		return b->arrived >= c->leaves[e->thread] ||
		       violated(c, event, "leaves barrier %" PRIu64 " before all have arrived", e->object);
	c->leaves[e->thread] = (b->arrived / e->count + 1) * e->count;
	b->arrived++;
	return true;
}

static bool do_busy(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	const struct object_state *l = object_of(c, e);
	return l->owner || (!(e->flags & EVENT_SHARED) && l->readers) ||
	       violated(c, event, "finds lock %" PRIu64 " held, which is free", e->object);
}

static bool do_event(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	if (must_drain(c, event) && c->buffer[e->thread].n)
		return violated(c, event, "happens while stores of its thread are not visible yet");
	switch (e->kind) {
	case EVENT_START:
		if (c->needs_create[e->thread] && !c->created[e->thread])
			return violated(c, event, "starts before it is created");
		return true;
	case EVENT_END:
		c->ended[e->thread] = true;
		return true;
	case EVENT_READ:
		return take_read(c, event);
	case EVENT_WRITE:
		do_write(c, event);
		return true;
	case EVENT_UPDATE:
		if (!take_read(c, event))
			return false;
		do_write(c, event);
		return true;
	case EVENT_CREATE:
		if (e->object < c->x->threads.n)
			c->created[e->object] = true;
		return true;
	case EVENT_JOIN:
		if (e->object < c->x->threads.n && !c->ended[e->object])
			return violated(c, event, "joins thread %s, which has not ended",
					c->x->threads.at[e->object].name);
		return true;
	case EVENT_LOCK:
		return c->x->lock_order_known || do_lock(c, event);
	case EVENT_UNLOCK:
		return c->x->lock_order_known || do_unlock(c, event);
	case EVENT_BUSY:
		return c->x->lock_order_known || do_busy(c, event);
	case EVENT_POST:
	case EVENT_TAKE:
	case EVENT_EMPTY:
		return c->x->lock_order_known || do_semaphore(c, event);
	case EVENT_ARRIVE:
	case EVENT_LEAVE:
		return c->x->lock_order_known || do_barrier(c, event);
	default:
		return true;
	}
}

/* -------------------------------------------------- waits -------------------------------- */

struct waiting {
	size_t from, to; /* steps */
	uint32_t event;
	bool woken;
};

/* When the wait began: where its thread released the mutex just before; the start otherwise. */
static size_t wait_began(const struct checker *c, uint32_t wait)
{
	const struct event *e = &c->x->events.at[wait];
	if (wait > c->x->threads.at[e->thread].first && c->x->events.at[wait - 1].kind == EVENT_UNLOCK)
		return c->executed[wait - 1];
	return 0;
}

static void collect_waits(struct checker *c, struct waiting **at, size_t *n)
{
	vec(struct waiting) waits = {0};
	for (size_t s = 0; s < c->nsteps; s++)
		if (c->x->events.at[c->steps[s].event].kind == EVENT_WAIT)
			*vec_push(&waits) = (struct waiting){wait_began(c, c->steps[s].event), s,
							     c->steps[s].event, false};
	for (uint32_t e = 0; e < c->x->events.n; e++) /* these never end */
		if (c->x->events.at[e].kind == EVENT_HANG)
			*vec_push(&waits) = (struct waiting){wait_began(c, e), SIZE_MAX, e, false};
	*at = waits.at;
	*n = waits.n;
}

/*
 * Every wait needs a broadcast while it lasts, or a signal of its own. Signals in the order they come, each
 * to the wait that lasts shortest: if any assignment exists, this finds one. Nobody wakes whoever hangs.
 */
static bool check_waits(struct checker *c)
{
	struct waiting *waits;
	size_t n;
	bool ok = true;
	collect_waits(c, &waits, &n);
	for (size_t s = 0; s < c->nsteps && n; s++) {
		const struct event *e = &c->x->events.at[c->steps[s].event];
		if (e->kind != EVENT_SIGNAL && e->kind != EVENT_BROADCAST)
			continue;
		for (size_t i = 0; i < n; i++) { /* ascending by `to` */
			struct waiting *w = &waits[i];
			const struct event *we = &c->x->events.at[w->event];
			if (w->woken || we->object != e->object || we->thread == e->thread ||
			    s < w->from || s > w->to)
				continue;
			w->woken = true;
			if (e->kind == EVENT_SIGNAL)
				break;
		}
	}
	for (size_t i = 0; ok && i < n; i++)
		if (waits[i].woken != (waits[i].to != SIZE_MAX))
			ok = violated(c, waits[i].event, waits[i].woken ? "is woken, but never wakes"
									: "wakes, but nobody signalled");
	free(waits);
	return ok;
}

/* -------------------------------------------------- the scan ----------------------------- */

static bool run_step(struct checker *c, size_t s)
{
	uint32_t event = c->steps[s].event;
	if (event >= c->x->events.n)
		return fail(c->err, "step %zu names event %u of %zu", s, event, c->x->events.n);
	const struct event *e = &c->x->events.at[event];
	size_t *when = c->steps[s].visible ? &c->visible[event] : &c->executed[event];
	if (*when != UNSEEN)
		return violated(c, event, "comes twice");
	*when = s;
	if (c->steps[s].visible)
		return become_visible(c, event);
	if (event != c->next[e->thread])
		return violated(c, event, "comes out of program order");
	c->next[e->thread]++;
	return do_event(c, event);
}

static bool check_complete(struct checker *c)
{
	for (uint32_t e = 0; e < c->x->events.n; e++) {
		if (c->executed[e] == UNSEEN)
			return violated(c, e, "is missing from the order");
		if (buffers_stores(c, &c->x->events.at[e]) && c->visible[e] == UNSEEN)
			return violated(c, e, "never becomes visible");
	}
	return true;
}

static bool check_known_orders(struct checker *c)
{
	for (size_t i = 0; i < c->x->orders.n; i++) {
		uint32_t a = c->x->orders.at[i].a, b = c->x->orders.at[i].b;
		size_t at = buffers_stores(c, &c->x->events.at[a]) ? c->visible[a] : c->executed[a];
		size_t bt = buffers_stores(c, &c->x->events.at[b]) ? c->visible[b] : c->executed[b];
		if (a != b && at > bt)
			return violated(c, b, "comes before event %u, which is known to precede it", a);
	}
	return true;
}

static bool check_conditions(struct checker *c)
{
	static const char *const kinds[] = {"path", "bug", "assumed", "address", "learned", "output"};
	for (size_t i = 0; i < c->x->conditions.n; i++) {
		const struct condition *k = &c->x->conditions.at[i];
		char text[200];
		uint64_t value;
		bool known = evaluate(c, k->condition, &value);
		if (known && value)
			continue;
		expr_print(c->x->exprs, k->condition, text, sizeof text);
		if (!known)
			return violated(c, k->event, "%s depends on a value that nobody reads", text);
		return violated(c, k->event, "the %s condition %s does not hold", kinds[k->kind], text);
	}
	return true;
}

static void checker_init(struct checker *c)
{
	const struct execution *x = c->x;
	size_t n = x->events.n, threads = x->threads.n, exprs = expr_count(x->exprs) + 1, bytes = 0;
	c->executed = xmalloc(n * sizeof *c->executed);
	c->visible = xmalloc(n * sizeof *c->visible);
	memset(c->executed, 0xff, n * sizeof *c->executed);
	memset(c->visible, 0xff, n * sizeof *c->visible);
	c->next = xmalloc(threads * sizeof *c->next);
	for (size_t t = 0; t < threads; t++)
		c->next[t] = x->threads.at[t].first;
	c->buffer = xcalloc(threads, sizeof *c->buffer);
	c->leads = xcalloc(n, sizeof *c->leads);
	for (size_t i = 0; i < x->orders.n; i++)
		c->leads[x->orders.at[i].a] = true;
	c->created = xcalloc(threads, sizeof *c->created);
	c->needs_create = xcalloc(threads, sizeof *c->needs_create);
	c->ended = xcalloc(threads, sizeof *c->ended);
	for (size_t i = 0; i < n; i++) {
		if (x->events.at[i].kind == EVENT_CREATE && x->events.at[i].object < threads)
			c->needs_create[x->events.at[i].object] = true;
		bytes += x->events.at[i].size;
	}
	for (size_t i = 0; i < x->initials.n; i++)
		bytes += x->initials.at[i].size;
	for (c->cell_mask = 1023; c->cell_mask < 2 * bytes; c->cell_mask = 2 * c->cell_mask + 1)
		;
	c->cells = xcalloc(c->cell_mask + 1, sizeof *c->cells);
	c->values = xmalloc(exprs * sizeof *c->values);
	c->has_value = xcalloc(exprs, sizeof *c->has_value);
	c->has_symbol = xcalloc(x->nsymbols, sizeof *c->has_symbol);
	c->leaves = xcalloc(threads, sizeof *c->leaves);
	find_objects(c);
	load_initials(c);
}

static void checker_release(struct checker *c)
{
	for (size_t t = 0; t < c->x->threads.n; t++)
		vec_free(&c->buffer[t]);
	void *all[] = {c->executed, c->visible,      c->next,  c->buffer, c->leads,  c->created,
		       c->ended,    c->needs_create, c->objects, c->leaves, c->cells,  c->values, c->has_value,
		       c->has_symbol};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

bool check_order(const struct execution *x, enum memory_model model, const struct step *steps, size_t n,
		 uint64_t *symbols, struct error *err)
{
	uint64_t *own = symbols ? NULL : xcalloc(x->nsymbols, sizeof *own);
	struct checker c = {.x = x, .model = model, .steps = steps, .nsteps = n, .err = err,
			    .symbols = symbols ? symbols : own};
	memset(c.symbols, 0, x->nsymbols * sizeof *c.symbols);
	checker_init(&c);
	bool ok = true;
	for (size_t s = 0; ok && s < n; s++)
		ok = run_step(&c, s);
	ok = ok && check_complete(&c) && check_known_orders(&c) &&
	     (x->lock_order_known || check_waits(&c)) && check_conditions(&c);
	checker_release(&c);
	free(own);
	return ok;
}
