#include "model/loose.h"

#include <stdlib.h>

static void add_edge(struct memory *m, uint32_t a, uint32_t b)
{
	*vec_push(&m->edges) = (struct edge){a, b};
}

/* -------------------------------------------------- store buffers ------------------------ */

static bool access_is_shared(const struct memory *m, uint32_t event)
{
	for (uint32_t k = 0; k < m->atoms.count[event]; k++)
		if (m->atoms.at.at[m->atoms.first[event] + k].shared)
			return true;
	return false;
}

static void mark_cluster(const struct memory *m, bool *marked, uint32_t event)
{
	if (m->atoms.count[event])
		marked[m->atoms.at.at[m->atoms.first[event]].cluster] = true;
}

/* By cluster of atoms: does any access in it touch a shared atom, or have a known order to others? */
static bool *shared_clusters(const struct memory *m)
{
	bool *shared = xcalloc(m->atoms.at.n + 2, sizeof *shared);
	for (uint32_t e = 0; e < m->x->events.n; e++)
		if (access_is_shared(m, e))
			mark_cluster(m, shared, e);
	for (size_t i = 0; i < m->x->orders.n; i++) {
		mark_cluster(m, shared, m->x->orders.at[i].a);
		mark_cluster(m, shared, m->x->orders.at[i].b);
	}
	return shared;
}

/* Which writes get a node for becoming visible: under PSO, those nobody else sees need none. */
static void make_visible_nodes(struct memory *m)
{
	bool *shared = shared_clusters(m);
	m->nnodes = (uint32_t)m->x->events.n;
	for (uint32_t e = 0; e < m->x->events.n; e++) {
		m->visible[e] = e;
		if (m->model == MEMORY_SC || m->x->events.at[e].kind != EVENT_WRITE)
			continue;
		if (m->model == MEMORY_TSO || shared[m->atoms.at.at[m->atoms.first[e]].cluster])
			m->visible[e] = m->nnodes++;
	}
	free(shared);
}

/* Chains of one thread and start address each: what is in one of them always overlaps. By atom, of the thread that had it last. */
struct own_chains {
	uint32_t *chain, *thread; /* + 1 */
};

static struct own_chains own_chains_new(const struct memory *m)
{
	size_t n = m->atoms.at.n + 1;
	return (struct own_chains){xcalloc(n, sizeof(uint32_t)), xcalloc(n, sizeof(uint32_t))};
}

static uint32_t own_chain(struct memory *m, struct own_chains *c, uint32_t event)
{
	uint32_t atom = m->atoms.first[event], thread = m->x->events.at[event].thread;
	if (c->thread[atom] != thread + 1)
		c->chain[atom] = m->nchains++;
	c->thread[atom] = thread + 1;
	return c->chain[atom];
}

static void own_chains_free(struct own_chains *c)
{
	free(c->chain);
	free(c->thread);
}

/*
 * Chains. Program order: one per thread. Visible nodes: under TSO one chain per thread; under PSO one per thread
 * and start address. Both nodes of a loose piece are in chains of its thread and start address.
 */
static void assign_chains(struct memory *m)
{
	const struct execution *x = m->x;
	uint32_t nthreads = (uint32_t)x->threads.n;
	struct own_chains issued = own_chains_new(m), visible = own_chains_new(m);
	m->nchains = m->model == MEMORY_TSO ? 2 * nthreads : nthreads;
	for (uint32_t e = 0; e < x->events.n; e++) {
		uint32_t t = x->events.at[e].thread, v = m->visible[e];
		bool loose = m->loose && m->loose[e];
		m->chain[e] = loose ? own_chain(m, &issued, e) : t;
		m->event_of[e] = e;
		if (v == e)
			continue;
		m->event_of[v] = e;
		m->chain[v] = m->model == MEMORY_TSO && !loose ? nthreads + t : own_chain(m, &visible, e);
	}
	own_chains_free(&issued);
	own_chains_free(&visible);
}

static bool drains(const struct execution *x, uint32_t event, const bool *leads)
{
	switch (x->events.at[event].kind) {
	case EVENT_START:
	case EVENT_READ:
	case EVENT_WRITE:
		return false;
	case EVENT_END:
	case EVENT_CALL:
		return leads[event];
	default:
		return true;
	}
}

/*
 * Issue before visible; overlapping writes of PSO in order; drains after what is buffered. `pending` are
 * writes not drained yet, without those that are followed by one of the same chain and at least the same size.
 */
static void add_buffer_edges_of_thread(struct memory *m, const struct execution_thread *t,
				       const bool *leads)
{
	vec(uint32_t) pending = {0};
	for (uint32_t e = t->first; e < t->first + t->count; e++) {
		if (drains(m->x, e, leads)) {
			for (size_t i = 0; i < pending.n; i++)
				add_edge(m, m->visible[pending.at[i]], e);
			pending.n = 0;
		}
		if (m->visible[e] == e)
			continue;
		add_edge(m, e, m->visible[e]);
		size_t kept = 0;
		for (size_t i = 0; i < pending.n; i++) {
			uint32_t p = pending.at[i];
			bool same_chain = m->chain[m->visible[p]] == m->chain[m->visible[e]];
			const struct event *a = &m->x->events.at[p], *b = &m->x->events.at[e];
			if (!same_chain && a->object < b->object + b->size &&
			    b->object < a->object + a->size)
				add_edge(m, m->visible[p], m->visible[e]);
			if (!same_chain || a->size > b->size)
				pending.at[kept++] = p;
		}
		pending.n = kept;
		*vec_push(&pending) = e;
	}
	vec_free(&pending);
}

static void add_buffer_edges(struct memory *m)
{
	if (m->model == MEMORY_SC)
		return;
	bool *leads = xcalloc(m->x->events.n, sizeof *leads);
	for (size_t i = 0; i < m->x->orders.n; i++)
		leads[m->x->orders.at[i].a] = true;
	for (size_t t = 0; t < m->x->threads.n; t++)
		add_buffer_edges_of_thread(m, &m->x->threads.at[t], leads);
	free(leads);
}

/* -------------------------------------------------- known orders ------------------------- */

static void add_known_orders(struct memory *m)
{
	for (size_t i = 0; i < m->x->orders.n; i++) {
		uint32_t a = m->visible[m->x->orders.at[i].a];
		uint32_t b = m->visible[m->x->orders.at[i].b];
		if (m->chain[a] != m->chain[b] || a > b) /* a loop is left for order_new to report */
			add_edge(m, a, b);
	}
}

/*
 * Time stamps. `not_before` of a thread's event is the latest `after` up to it; `not_after` the earliest
 * `before` from it on. For every thread, walk its events and, for each other thread, the last event that
 * is certainly over; an edge is added only where that event is a new one.
 */
static void thread_times(const struct memory *m, const struct execution_thread *t, uint64_t *not_before,
			 uint64_t *not_after)
{
	const struct execution *x = m->x;
	uint64_t latest = 0, earliest = UINT64_MAX;
	for (uint32_t e = t->first; e < t->first + t->count; e++) {
		if (x->events.at[e].after > latest)
			latest = x->events.at[e].after;
		not_before[e] = latest;
	}
	for (uint32_t e = t->first + t->count; e-- > t->first;) {
		if (x->events.at[e].before && x->events.at[e].before < earliest)
			earliest = x->events.at[e].before;
		not_after[e] = earliest;
	}
	for (uint32_t e = t->first, end; e < t->first + t->count; e = end) { /* of a call, not of its pieces */
		end = loose_end(m, e);
		for (uint32_t k = e; k < end; k++) {
			not_before[k] = not_before[e];
			not_after[k] = not_after[end - 1];
		}
	}
}

/* What comes before `over`, as far as it was not over at `was`, comes before e. */
static void add_time_edges_to(struct memory *m, uint32_t was, uint32_t over, uint32_t e)
{
	/* The margin covers store buffers: what was written is visible as well. */
	for (uint32_t k = over - 1; k + 1 > was; k--)
		if (m->visible[k] != k) {
			add_edge(m, m->visible[k], e);
			if (m->model == MEMORY_TSO && k == loose_first(m, k))
				break;
		}
	for (uint32_t k = loose_first(m, over - 1); k < over; k++)
		add_edge(m, k, e);
}

static void add_time_edges_between(struct memory *m, const struct execution_thread *from,
				   const struct execution_thread *to, const uint64_t *not_before,
				   const uint64_t *not_after, uint64_t margin)
{
	uint32_t over = from->first; /* first event of `from` that may not be over */
	for (uint32_t e = to->first, end; e < to->first + to->count; e = end) {
		uint32_t was = over;
		end = loose_end(m, e);
		while (over < from->first + from->count && not_after[over] < UINT64_MAX - margin &&
		       not_after[over] + margin < not_before[e])
			over++;
		for (uint32_t k = e; over != was && k < end; k++)
			add_time_edges_to(m, was, over, k);
	}
}

static void add_time_edges(struct memory *m, uint64_t margin)
{
	const struct execution *x = m->x;
	uint64_t *not_before = xmalloc(x->events.n * sizeof *not_before);
	uint64_t *not_after = xmalloc(x->events.n * sizeof *not_after);
	for (size_t t = 0; t < x->threads.n; t++)
		thread_times(m, &x->threads.at[t], not_before, not_after);
	for (size_t t = 0; t < x->threads.n; t++)
		for (size_t u = 0; u < x->threads.n; u++)
			if (t != u)
				add_time_edges_between(m, &x->threads.at[t], &x->threads.at[u],
						       not_before, not_after, margin);
	free(not_before);
	free(not_after);
}

/* -------------------------------------------------- all of it ---------------------------- */

/* Clocks are asked for accesses and their visible nodes, and for whatever may be ordered by the solver. */
static bool *needed_nodes(const struct memory *m)
{
	bool *needed = xcalloc(m->nnodes, sizeof *needed);
	for (uint32_t n = 0; n < m->nnodes; n++) {
		const struct event *e = &m->x->events.at[m->event_of[n]];
		bool access = m->atoms.count[m->event_of[n]] != 0;
		bool sync = event_sync_class(e) != SYNC_NONE;
		needed[n] = access || (sync && !m->x->lock_order_known);
	}
	return needed;
}

bool memory_reorder(struct memory *m, struct error *err)
{
	const struct execution *x = m->x;
	bool *needed = needed_nodes(m);
	uint32_t stuck = 0;
	struct error why;
	order_free(m->order);
	m->order = order_new(m->nnodes, m->chain, m->nchains, m->edges.at, m->edges.n, needed, &stuck, &why);
	free(needed);
	if (m->order)
		return true;
	const struct event *e = &x->events.at[m->event_of[stuck]];
	return fail(err, "%s: nothing can come before SAP %llu of thread %s", why.text, (unsigned long long)e->sap,
		    x->threads.at[e->thread].name);
}

bool memory_init(struct memory *m, const struct execution *x, const struct memory_options *options,
		 struct error *err)
{
	size_t n = x->events.n;
	*m = (struct memory){.x = x, .model = options->model};
	atoms_init(&m->atoms, x);
	m->visible = xmalloc(n * sizeof *m->visible);
	make_visible_nodes(m);
	loose_find(m, options->loose);
	m->event_of = xmalloc(m->nnodes * sizeof *m->event_of);
	m->chain = xmalloc(m->nnodes * sizeof *m->chain);
	assign_chains(m);
	add_buffer_edges(m);
	loose_add_edges(m);
	add_known_orders(m);
	m->nhard = m->edges.n;
	if (options->use_time)
		add_time_edges(m, options->time_margin);
	if (memory_reorder(m, err))
		return true;
	memory_release(m);
	return false;
}

void memory_release(struct memory *m)
{
	atoms_release(&m->atoms);
	free(m->visible);
	free(m->loose);
	free(m->event_of);
	free(m->chain);
	vec_free(&m->edges);
	order_free(m->order);
	*m = (struct memory){0};
}
