#include "model/check_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool violated(struct checker *c, uint32_t event, const char *format, ...)
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

static bool do_event(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	if (check_drains(c, event) && c->buffer[e->thread].n)
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
		return check_read(c, event);
	case EVENT_WRITE:
		check_write(c, event);
		return true;
	case EVENT_UPDATE:
		if (!check_read(c, event))
			return false;
		check_write(c, event);
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
		return c->x->lock_order_known || check_lock(c, event);
	case EVENT_UNLOCK:
		return c->x->lock_order_known || check_unlock(c, event);
	case EVENT_BUSY:
		return c->x->lock_order_known || check_busy(c, event);
	case EVENT_POST:
	case EVENT_TAKE:
	case EVENT_EMPTY:
		return c->x->lock_order_known || check_semaphore(c, event);
	case EVENT_ARRIVE:
	case EVENT_LEAVE:
		return c->x->lock_order_known || check_barrier(c, event);
	default:
		return true;
	}
}

/* -------------------------------------------------- the scan ----------------------------- */

/* Is it its thread's next event, or a piece of the same access or call as that, which overlaps none before it that is still to come? */
static bool check_comes_next(const struct checker *c, uint32_t event)
{
	uint32_t next = c->next[c->x->events.at[event].thread];
	for (uint32_t e = next; e < event; e++)
		if (c->executed[e] == UNSEEN && !check_may_swap(c, e, event))
			return false;
	return event >= next;
}

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
		return check_visible(c, event);
	if (!check_comes_next(c, event))
		return violated(c, event, "comes out of program order");
	while (c->next[e->thread] < c->x->events.n && c->executed[c->next[e->thread]] != UNSEEN)
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
	static const char *const kinds[] = {"path", "bug", "assumed", "address", "learned", "output", "recorded"};
	for (size_t i = 0; i < c->x->conditions.n; i++) {
		const struct condition *k = &c->x->conditions.at[i];
		char text[200];
		uint64_t value;
		bool known = check_evaluate(c, k->condition, &value);
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
	check_find_objects(c);
	check_load_initials(c);
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
