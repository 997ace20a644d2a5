#include "model/saturate.h"

#include "model/sections.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NONE UINT32_MAX

/* Above this many chains only those of writers are looked at. */
enum { MANY_CHAINS = 64 };

/* Candidates of a piece of one thread, ascending: indexes from .. to - 1 are left. */
struct run {
	uint32_t from, to;
};

/* Writes of one thread to an atom: writes[from .. to) in program order. */
struct slice {
	uint32_t thread, from, to;
};

/*
 * floor[r * nchains + c]: so many nodes of chain c come before the read of chain r that the forward sweep is at;
 * limit: all nodes of chain c from this place on come after the read that the backward sweep is at. Both beyond what
 * m->order knows already. Reads are in their thread's chain, but for those that are loose (loose.h).
 */
struct saturation {
	struct memory *m;
	const struct problem *p;
	bool *impossible;
	uint32_t *by_event;            /* pieces in the order of their events */
	struct run *runs;
	uint32_t *run_start;           /* by piece */
	uint32_t *writes;
	struct slice *slices;
	uint32_t *slice_start;         /* by atom */
	uint32_t *floor, *limit;
	uint32_t *meet;                /* by chain */
	uint32_t **members;            /* by chain: its nodes */
	uint64_t added;
	struct saturate_figures figures;
	struct error *err;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint32_t thread_of(const struct saturation *s, uint32_t event)
{
	return s->m->x->events.at[event].thread;
}

static uint32_t node_of(const struct saturation *s, uint32_t candidate)
{
	return s->m->visible[s->p->candidates.at[candidate]];
}

static uint32_t place_of(const struct saturation *s, uint32_t node)
{
	return order_position(s->m->order, node);
}

/* -------------------------------------------------- building ----------------------------- */

static const struct problem *sorted_problem; /* qsort has no argument of its own */

static int by_event(const void *p, const void *q)
{
	uint32_t a = sorted_problem->pieces.at[*(const uint32_t *)p].event;
	uint32_t b = sorted_problem->pieces.at[*(const uint32_t *)q].event;
	return a < b ? -1 : a > b;
}

static void build_runs(struct saturation *s)
{
	const struct problem *p = s->p;
	vec(struct run) runs = {0};
	s->run_start = xcalloc(p->pieces.n + 2, sizeof *s->run_start);
	for (size_t n = 0; n < p->pieces.n; n++) {
		const struct piece *piece = &p->pieces.at[n];
		uint32_t before = NONE;
		for (uint32_t i = piece->first; i < piece->first + piece->count; i++) {
			uint32_t w = p->candidates.at[i];
			if (w == WRITER_INITIAL)
				continue;
			if (before == NONE || w < before || thread_of(s, w) != thread_of(s, before))
				*vec_push(&runs) = (struct run){i, i};
			runs.at[runs.n - 1].to = i + 1;
			before = w;
		}
		s->run_start[n + 1] = (uint32_t)runs.n;
	}
	s->runs = runs.at;
}

static void build_slices(struct saturation *s)
{
	const struct atoms *a = &s->m->atoms;
	vec(struct slice) slices = {0};
	vec(uint32_t) writes = {0};
	bool *wanted = xcalloc(a->at.n + 1, sizeof *wanted);
	for (size_t i = 0; i < s->p->pieces.n; i++)
		wanted[s->p->pieces.at[i].atom] = true;
	s->slice_start = xcalloc(a->at.n + 2, sizeof *s->slice_start);
	for (size_t k = 0; k < a->at.n; k++) {
		for (uint32_t i = 0; wanted[k] && i < a->at.at[k].count; i++) {
			uint32_t e = a->accesses[a->at.at[k].first + i];
			if (!event_writes(&s->m->x->events.at[e]))
				continue;
			if (slices.n == s->slice_start[k] || slices.at[slices.n - 1].thread != thread_of(s, e))
				*vec_push(&slices) = (struct slice){thread_of(s, e), (uint32_t)writes.n, 0};
			*vec_push(&writes) = e;
			slices.at[slices.n - 1].to = (uint32_t)writes.n;
		}
		s->slice_start[k + 1] = (uint32_t)slices.n;
	}
	free(wanted);
	s->slices = slices.at;
	s->writes = writes.at;
}

static void build_members(struct saturation *s)
{
	uint32_t *count = xcalloc(s->m->nchains + 1, sizeof *count);
	s->members = xcalloc(s->m->nchains + 1, sizeof *s->members);
	for (uint32_t n = 0; n < s->m->nnodes; n++)
		count[s->m->chain[n]]++;
	for (uint32_t c = 0; c < s->m->nchains; c++)
		s->members[c] = xmalloc((count[c] + 1) * sizeof **s->members);
	for (uint32_t n = 0; n < s->m->nnodes; n++)
		s->members[s->m->chain[n]][place_of(s, n)] = n;
	free(count);
}

static void saturation_init(struct saturation *s)
{
	size_t npieces = s->p->pieces.n, table = (size_t)s->m->nchains * s->m->nchains + 1;
	s->by_event = xmalloc((npieces + 1) * sizeof *s->by_event);
	for (uint32_t i = 0; i < npieces; i++)
		s->by_event[i] = i;
	sorted_problem = s->p;
	if (npieces)
		qsort(s->by_event, npieces, sizeof *s->by_event, by_event);
	build_runs(s);
	build_slices(s);
	build_members(s);
	s->floor = xmalloc(table * sizeof *s->floor);
	s->limit = xmalloc(table * sizeof *s->limit);
	s->meet = xmalloc((s->m->nchains + 1) * sizeof *s->meet);
}

static void saturation_release(struct saturation *s)
{
	for (uint32_t c = 0; c < s->m->nchains; c++)
		free(s->members[c]);
	void *all[] = {s->by_event, s->runs,  s->run_start, s->writes, s->slices, s->slice_start,
		       s->floor,    s->limit, s->meet,      s->members};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

/* -------------------------------------------------- candidates --------------------------- */

static void remove_candidate(struct saturation *s, uint32_t i)
{
	s->figures.removed += !s->impossible[i];
	s->impossible[i] = true;
}

static bool initial_is_possible(const struct saturation *s, const struct piece *piece)
{
	return s->p->candidates.at[piece->first] == WRITER_INITIAL && !s->impossible[piece->first];
}

/* Drops candidates that became impossible from both ends. */
static void trim(struct saturation *s, struct run *r)
{
	while (r->from < r->to && s->impossible[r->from])
		r->from++;
	while (r->from < r->to && s->impossible[r->to - 1])
		r->to--;
}

static bool has_candidates(struct saturation *s, uint32_t number)
{
	const struct piece *piece = &s->p->pieces.at[number];
	bool any = initial_is_possible(s, piece);
	for (uint32_t r = s->run_start[number]; r < s->run_start[number + 1]; r++) {
		trim(s, &s->runs[r]);
		any |= s->runs[r].from < s->runs[r].to;
	}
	if (any)
		return true;
	const struct event *e = &s->m->x->events.at[piece->event];
	return fail(s->err, "no write that SAP %llu of thread %s can see has a value that its path allows",
		    (unsigned long long)e->sap, s->m->x->threads.at[e->thread].name);
}

/* So many nodes of the chain come before the read, as far as the forward sweep knows. */
static uint32_t count_before(const struct saturation *s, uint32_t chain, uint32_t read)
{
	uint32_t known = order_count_before(s->m->order, chain, read);
	uint32_t more = s->floor[s->m->chain[read] * s->m->nchains + chain];
	return known > more ? known : more;
}

/* The last write of the slice that comes before the read, or NONE. */
static uint32_t last_write_before(const struct saturation *s, const struct slice *slice, uint32_t read)
{
	uint32_t low = slice->from, high = slice->to;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2, v = s->m->visible[s->writes[mid]];
		if (place_of(s, v) < count_before(s, s->m->chain[v], read))
			low = mid + 1;
		else
			high = mid;
	}
	return low == slice->from ? NONE : s->writes[low - 1];
}

/* Takes away candidates that this write, which comes before the read, overwrites. */
static void hide(struct saturation *s, uint32_t number, uint32_t write)
{
	const struct piece *piece = &s->p->pieces.at[number];
	uint32_t v = s->m->visible[write];
	if (initial_is_possible(s, piece))
		remove_candidate(s, piece->first);
	for (uint32_t r = s->run_start[number]; r < s->run_start[number + 1]; r++)
		while (s->runs[r].from < s->runs[r].to && order_before(s->m->order, node_of(s, s->runs[r].from), v))
			remove_candidate(s, s->runs[r].from++);
}

/* -------------------------------------------------- sweeps ------------------------------- */

static void add_order(struct saturation *s, uint32_t a, uint32_t b)
{
	*vec_push(&s->m->edges) = (struct edge){a, b};
	s->added++;
}

/* Can the read see it before it is visible? */
static bool is_forwarded(const struct saturation *s, const struct piece *piece, uint32_t candidate)
{
	return s->p->candidates.at[candidate] == piece->own && node_of(s, candidate) != piece->event && s->m->model != MEMORY_SC;
}

/* The read comes after what all its candidates come after. */
static void follow_candidates(struct saturation *s, uint32_t number)
{
	const struct piece *piece = &s->p->pieces.at[number];
	uint32_t read = piece->event, nchains = s->m->nchains;
	memset(s->meet, 0xff, nchains * sizeof *s->meet);
	for (uint32_t r = s->run_start[number]; r < s->run_start[number + 1]; r++) {
		if (s->runs[r].from == s->runs[r].to)
			continue;
		uint32_t first = node_of(s, s->runs[r].from);
		if (is_forwarded(s, piece, s->runs[r].from))
			return;
		for (uint32_t c = 0; c < nchains; c++) {
			uint32_t n = c == s->m->chain[first] ? place_of(s, first) + 1
							     : order_count_before(s->m->order, c, first);
			if (n < s->meet[c])
				s->meet[c] = n;
		}
	}
	for (uint32_t c = 0; c < nchains; c++) {
		if (c == s->m->chain[read] || s->meet[c] == NONE || s->meet[c] <= count_before(s, c, read))
			continue;
		add_order(s, s->members[c][s->meet[c] - 1], read);
		s->floor[s->m->chain[read] * nchains + c] = s->meet[c];
	}
}

static bool sweep_forward(struct saturation *s)
{
	memset(s->floor, 0, (size_t)s->m->nchains * s->m->nchains * sizeof *s->floor);
	for (size_t i = 0; i < s->p->pieces.n; i++) {
		uint32_t number = s->by_event[i];
		const struct piece *piece = &s->p->pieces.at[number];
		for (uint32_t k = s->slice_start[piece->atom]; k < s->slice_start[piece->atom + 1]; k++) {
			if (s->slices[k].thread == thread_of(s, piece->event))
				continue;
			uint32_t w = last_write_before(s, &s->slices[k], piece->event);
			if (w != NONE)
				hide(s, number, w);
		}
		if (!has_candidates(s, number))
			return false;
		if (!initial_is_possible(s, piece))
			follow_candidates(s, number);
	}
	return true;
}

/* First write of the slice that comes after `node` (which may be one of it), or its end. */
static uint32_t first_write_after(const struct saturation *s, const struct slice *slice, uint32_t node)
{
	uint32_t low = slice->from, high = slice->to;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (order_before(s->m->order, node, s->m->visible[s->writes[mid]]))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* The read comes before any write that comes after all its candidates. */
static void precede_overwriters(struct saturation *s, uint32_t number)
{
	const struct piece *piece = &s->p->pieces.at[number];
	uint32_t read = piece->event, thread = thread_of(s, read);
	for (uint32_t k = s->slice_start[piece->atom]; k < s->slice_start[piece->atom + 1]; k++) {
		const struct slice *slice = &s->slices[k];
		uint32_t first = slice->from;
		if (slice->thread == thread)
			continue;
		for (uint32_t r = s->run_start[number]; r < s->run_start[number + 1] && first < slice->to; r++) {
			if (s->runs[r].from == s->runs[r].to)
				continue;
			uint32_t after = first_write_after(s, slice, node_of(s, s->runs[r].to - 1));
			if (after > first)
				first = after;
		}
		if (first == slice->to)
			continue;
		uint32_t v = s->m->visible[s->writes[first]];
		uint32_t *limit = &s->limit[s->m->chain[read] * s->m->nchains + s->m->chain[v]];
		if (order_before(s->m->order, read, v) || place_of(s, v) >= *limit)
			continue;
		add_order(s, read, v);
		*limit = place_of(s, v);
	}
}

static bool sweep_backward(struct saturation *s)
{
	memset(s->limit, 0xff, (size_t)s->m->nchains * s->m->nchains * sizeof *s->limit);
	for (size_t i = s->p->pieces.n; i-- > 0;) {
		uint32_t number = s->by_event[i];
		const struct piece *piece = &s->p->pieces.at[number];
		uint32_t read = piece->event;
		const uint32_t *limit = &s->limit[s->m->chain[read] * s->m->nchains];
		for (uint32_t r = s->run_start[number]; r < s->run_start[number + 1]; r++)
			while (s->runs[r].from < s->runs[r].to) {
				uint32_t v = node_of(s, s->runs[r].to - 1);
				bool too_late = order_before(s->m->order, read, v) || place_of(s, v) >= limit[s->m->chain[v]];
				if (!too_late || is_forwarded(s, piece, s->runs[r].to - 1))
					break;
				remove_candidate(s, --s->runs[r].to);
			}
		if (!has_candidates(s, number))
			return false;
		precede_overwriters(s, number);
	}
	return true;
}

bool saturate(struct memory *m, const struct problem *p, bool *impossible, double seconds,
	      struct saturate_figures *figures, struct error *err)
{
	double deadline = now() + seconds;
	struct saturation s = {.m = m, .p = p, .impossible = impossible, .err = err};
	*figures = (struct saturate_figures){0};
	if (m->nchains > MANY_CHAINS)
		return true;
	saturation_init(&s);
	struct sections *sections = sections_new(m->x);
	bool ok = true;
	do {
		s.figures.rounds++;
		s.added = sections_order(sections, m, &ok, err);
		ok = ok && sweep_forward(&s) && sweep_backward(&s);
		if (ok && s.added)
			ok = memory_reorder(m, err);
		s.figures.orders += s.added;
	} while (ok && s.added && now() < deadline);
	*figures = s.figures;
	sections_free(sections);
	saturation_release(&s);
	return ok;
}
