#include "model/keep.h"

#include <stdlib.h>
#include <string.h>

/*
 * An access to an atom in the total order. Reads stand behind the write they see, also where they come before it because
 * it was in their thread's store buffer.
 */
struct access {
	uint32_t atom, place, node, event;
	bool write;
	uint32_t owner; /* reads: place of the write seen + 1; 0: the initial value */
};

static int by_place(const void *p, const void *q)
{
	const struct access *a = p, *b = q;
	if (a->atom != b->atom)
		return a->atom < b->atom ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_owner(const void *p, const void *q)
{
	const struct access *a = p, *b = q;
	if (a->atom != b->atom)
		return a->atom < b->atom ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

typedef vec(struct access) accesses;

static uint32_t thread_of(const struct problem *p, uint32_t event)
{
	return p->m->x->events.at[event].thread;
}

static bool *atoms_read(const struct problem *p)
{
	bool *read = xcalloc(p->m->atoms.at.n + 1, sizeof *read);
	for (size_t i = 0; i < p->pieces.n; i++)
		read[p->pieces.at[i].atom] = true;
	return read;
}

static void collect_writes(const struct problem *p, const uint32_t *place, accesses *out)
{
	const struct atoms *a = &p->m->atoms;
	bool *read = atoms_read(p);
	for (uint32_t k = 0; k < a->at.n; k++)
		for (uint32_t i = 0; read[k] && i < a->at.at[k].count; i++) {
			uint32_t e = a->accesses[a->at.at[k].first + i], v = p->m->visible[e];
			if (event_writes(&p->m->x->events.at[e]))
				*vec_push(out) = (struct access){k, place[v], v, e, true, 0};
		}
	free(read);
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, by_place);
}

static void collect_reads(const struct problem *p, const uint32_t *place, const uint32_t *seen, accesses *out)
{
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct piece *r = &p->pieces.at[i];
		*vec_push(out) = (struct access){
			r->atom, place[r->event], r->event, r->event, false,
			seen[i] == WRITER_INITIAL ? 0 : place[p->m->visible[seen[i]]] + 1};
	}
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, by_owner);
}

static void push(struct chosen_edges *out, uint32_t a, uint32_t b)
{
	if (a != b)
		*vec_push(out) = (struct chosen_edge){a, b, 0};
}

/* By thread: the last read of the group at hand, the last unread write since. */
struct last {
	uint32_t *node, *threads, n;
};

static void last_set(struct last *l, uint32_t thread, uint32_t node)
{
	if (l->node[thread] == UINT32_MAX)
		l->threads[l->n++] = thread;
	l->node[thread] = node;
}

static void last_clear(struct last *l)
{
	while (l->n)
		l->node[l->threads[--l->n]] = UINT32_MAX;
}

static struct last last_new(size_t nthreads)
{
	struct last l = {xmalloc((nthreads + 1) * sizeof *l.node), xmalloc((nthreads + 1) * sizeof *l.threads), 0};
	memset(l.node, 0xff, (nthreads + 1) * sizeof *l.node);
	return l;
}

static void after_all(const struct last *l, uint32_t node, struct chosen_edges *out)
{
	for (uint32_t i = 0; i < l->n; i++)
		push(out, l->node[l->threads[i]], node);
}

struct group {
	struct last readers; /* of the write that was read last */
	struct last writers; /* that came since */
	struct last followed; /* threads whose first write since is ordered after the readers */
	uint32_t base;       /* the write that was read last, or UINT32_MAX */
};

static void group_start(struct group *g, uint32_t base)
{
	last_clear(&g->readers);
	last_clear(&g->writers);
	last_clear(&g->followed);
	g->base = base;
}

/* Reads from `*next` on that see this write (owner) become the group's readers. */
static bool take_readers(const struct problem *p, struct group *g, const accesses *reads, size_t *next, uint32_t atom,
			 uint32_t owner, uint32_t write, struct chosen_edges *out)
{
	bool any = false;
	for (; *next < reads->n && reads->at[*next].atom == atom && reads->at[*next].owner == owner; ++*next) {
		const struct access *r = &reads->at[*next];
		uint32_t thread = thread_of(p, r->event);
		/* A thread sees its own write in any case; of others the first read is enough. */
		if (write != UINT32_MAX && g->readers.node[thread] == UINT32_MAX &&
		    thread_of(p, p->m->event_of[write]) != thread)
			push(out, write, r->node);
		last_set(&g->readers, thread, r->node);
		any = true;
	}
	return any;
}

static void pass_write(const struct problem *p, struct group *g, const struct access *w, bool is_read,
		       struct chosen_edges *out)
{
	uint32_t thread = thread_of(p, w->event);
	if (g->followed.node[thread] == UINT32_MAX) {
		after_all(&g->readers, w->node, out);
		if (g->base != UINT32_MAX)
			push(out, g->base, w->node);
		last_set(&g->followed, thread, w->node);
	}
	if (is_read)
		after_all(&g->writers, w->node, out);
	else
		last_set(&g->writers, thread, w->node);
}

/* -------------------------------------------------- synchronization ---------------------- */

struct sync_step {
	uint64_t object;
	enum sync_class class;
	uint32_t place, event;
};

static int by_object(const void *p, const void *q)
{
	const struct sync_step *a = p, *b = q;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Where the order of locks, wake-ups and the like is open, it stays as it is. */
static void keep_synchronization(const struct problem *p, const uint32_t *place, struct chosen_edges *out)
{
	const struct execution *x = p->m->x;
	vec(struct sync_step) all = {0};
	for (uint32_t e = 0; !x->lock_order_known && e < x->events.n; e++) {
		const struct event *v = &x->events.at[e];
		enum sync_class class = event_sync_class(v);
		if (class == SYNC_NONE)
			continue;
		*vec_push(&all) = (struct sync_step){v->object, class, place[e], e};
		bool waits = v->kind == EVENT_WAIT || v->kind == EVENT_HANG;
		uint32_t start = waits ? execution_wait_start(x, e) : UINT32_MAX;
		if (start != UINT32_MAX)
			*vec_push(&all) = (struct sync_step){v->object, class, place[start], start};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	for (size_t i = 1; i < all.n; i++)
		if (all.at[i].object == all.at[i - 1].object && all.at[i].class == all.at[i - 1].class)
			push(out, all.at[i - 1].event, all.at[i].event);
	vec_free(&all);
}

/* -------------------------------------------------- store buffers ------------------------ */

/* So many stores of a thread a processor holds back: with fewer switches they are not to become more than they were. */
enum { BUFFERED = 64 };

struct stores {
	uint32_t last[BUFFERED]; /* a ring */
	size_t n;
};

static void keep_buffers(const struct problem *p, const uint32_t *place, struct chosen_edges *out)
{
	const struct execution *x = p->m->x;
	struct stores *stores = p->m->model == MEMORY_SC ? NULL : xcalloc(x->threads.n + 1, sizeof *stores);
	for (uint32_t e = 0; stores && e < x->events.n; e++) {
		if (p->m->visible[e] == e || x->events.at[e].kind != EVENT_WRITE)
			continue;
		struct stores *mine = &stores[x->events.at[e].thread];
		uint32_t *slot = &mine->last[mine->n++ % BUFFERED];
		if (mine->n > BUFFERED && place[p->m->visible[*slot]] < place[e])
			push(out, p->m->visible[*slot], e);
		*slot = e;
	}
	free(stores);
}

/* -------------------------------------------------- all of it ---------------------------- */

void keep_orders(const struct problem *p, const uint32_t *place, const uint32_t *seen, struct chosen_edges *out)
{
	accesses writes = {0}, reads = {0};
	size_t nthreads = p->m->x->threads.n, next = 0;
	struct group g = {last_new(nthreads), last_new(nthreads), last_new(nthreads), UINT32_MAX};
	uint32_t atom = UINT32_MAX;
	keep_synchronization(p, place, out);
	keep_buffers(p, place, out);
	collect_writes(p, place, &writes);
	collect_reads(p, place, seen, &reads);
	for (size_t i = 0; i < writes.n; i++) {
		const struct access *w = &writes.at[i];
		if (w->atom != atom) {
			atom = w->atom;
			group_start(&g, UINT32_MAX);
			while (next < reads.n && reads.at[next].atom < atom)
				next++;
			take_readers(p, &g, &reads, &next, atom, 0, UINT32_MAX, out);
		}
		bool is_read = next < reads.n && reads.at[next].atom == atom && reads.at[next].owner == w->place + 1;
		pass_write(p, &g, w, is_read, out);
		if (is_read) {
			group_start(&g, w->node);
			take_readers(p, &g, &reads, &next, atom, w->place + 1, w->node, out);
		}
	}
	struct last *all[] = {&g.readers, &g.writers, &g.followed};
	for (int i = 0; i < 3; i++) {
		free(all[i]->node);
		free(all[i]->threads);
	}
	vec_free(&writes);
	vec_free(&reads);
}

uint32_t *keep_seen(const struct problem *p, const uint32_t *place)
{
	accesses writes = {0};
	uint32_t *seen = xmalloc((p->pieces.n + 1) * sizeof *seen);
	uint32_t *start = xcalloc(p->m->atoms.at.n + 2, sizeof *start);
	collect_writes(p, place, &writes);
	for (size_t i = 0; i < writes.n; i++)
		start[writes.at[i].atom + 1]++;
	for (size_t k = 0; k < p->m->atoms.at.n; k++)
		start[k + 1] += start[k];
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct piece *r = &p->pieces.at[i];
		uint32_t low = start[r->atom], high = start[r->atom + 1], first = low;
		while (low < high) { /* writes visible before the read */
			uint32_t mid = low + (high - low) / 2;
			if (writes.at[mid].place < place[r->event])
				low = mid + 1;
			else
				high = mid;
		}
		bool buffered = r->own != WRITER_INITIAL && place[p->m->visible[r->own]] > place[r->event];
		seen[i] = buffered ? r->own : low == first ? WRITER_INITIAL : writes.at[low - 1].event;
	}
	free(start);
	vec_free(&writes);
	return seen;
}
