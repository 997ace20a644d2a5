#include "solve/way.h"

#include <stdlib.h>

/* How far around the last steps less is taken for granted, time after time. */
static const uint32_t reaches[] = {16, 64, 256, 1024};
enum { LEVELS = sizeof reaches / sizeof *reaches };

/* Dead ends at which it is stuck: where all is as expected, there are few. */
enum { STUCK = 100 };

/* How far back it is looked for writes that came the wrong way round. */
enum { SWAP_STEPS = 1 << 16 };

static void forget(struct way *y)
{
	y->nodes.n = y->same = y->lead = 0;
	y->stuck = y->level = 0;
	y->swap.at = SIZE_MAX;
	y->last = UINT32_MAX;
	free(y->held);
	y->held = NULL;
}

void way_begin(struct way *y, const struct problem *p, struct machine *m)
{
	forget(y);
	y->held = xcalloc(p->m->x->events.n + 1, sizeof *y->held);
	machine_delay_none(m);
}

void way_end(struct way *y, struct machine *m)
{
	forget(y);
	machine_delay_any(m);
}

void way_release(struct way *y)
{
	vec_free(&y->nodes);
	free(y->held);
}

void way_step(struct way *y, size_t n, uint32_t node)
{
	if (y->same == n && n < y->nodes.n && y->nodes.at[n] == node)
		y->same++;
}

void way_back(struct way *y, size_t n)
{
	if (y->same > n)
		y->same = n;
}

/* Where the node is, among the last steps; SIZE_MAX: not there. */
static size_t step_of(const struct way *y, uint32_t node)
{
	for (size_t i = y->nodes.n; i-- > 0 && y->nodes.n - i <= SWAP_STEPS;)
		if (y->nodes.at[i] == node)
			return i;
	return SIZE_MAX;
}

static uint32_t thread_of(const struct problem *p, uint32_t node)
{
	return p->m->x->events.at[p->m->event_of[node]].thread;
}

/* Two writes of the way: could the later one have come before the other, its thread having done nothing in between? */
static struct way_swap swap_of(const struct way *y, const struct problem *p, uint32_t earlier, uint32_t later)
{
	struct way_swap none = {.at = SIZE_MAX};
	size_t from = step_of(y, p->m->visible[earlier]), to = step_of(y, p->m->visible[later]);
	if (from == SIZE_MAX || to == SIZE_MAX || from > to || thread_of(p, earlier) == thread_of(p, later))
		return none;
	for (size_t i = from + 1; i < to; i++)
		if (thread_of(p, y->nodes.at[i]) == thread_of(p, later) && y->nodes.at[i] != later)
			return none;
	bool at_once = from && y->nodes.at[from - 1] == earlier;
	return (struct way_swap){later, earlier, from - at_once};
}

/* A read came too late for a write of the way: what overwrote that, by another thread, could have waited for it. */
static struct way_swap wait_of(const struct way *y, const struct problem *p, uint32_t wanted, uint32_t read)
{
	const struct event *events = p->m->x->events.at, *w = &events[wanted];
	size_t at = step_of(y, p->m->visible[wanted]);
	for (size_t i = at == SIZE_MAX ? y->nodes.n : at + 1; i < y->nodes.n; i++) {
		uint32_t node = y->nodes.at[i], event = p->m->event_of[node];
		const struct event *e = &events[event];
		if (p->m->visible[event] != node || !event_writes(e) || e->object + e->size <= w->object || w->object + w->size <= e->object)
			continue;
		bool at_once = event != node && y->nodes.at[i - 1] == event;
		return (struct way_swap){read, event, thread_of(p, event) == thread_of(p, read) ? SIZE_MAX : i - at_once};
	}
	return (struct way_swap){.at = SIZE_MAX};
}

/* What two writes, or a write and a read that missed what it wants, have to come the other way round. */
static struct way_swap find_swap(const struct way *y, const struct problem *p, const struct machine *m)
{
	struct way_swap wait = {.at = SIZE_MAX};
	for (uint32_t c = 0; c < machine_chains(m); c++) {
		uint32_t node = machine_next(m, c), wanted, instead;
		if (node == UINT32_MAX || !machine_reads(m, node) || !machine_lost(m, node, &wanted, &instead))
			continue;
		struct way_swap swap = swap_of(y, p, wanted, instead);
		if (swap.at != SIZE_MAX && !y->held[wanted])
			return swap;
		swap = wait_of(y, p, wanted, node);
		if (wait.at == SIZE_MAX && swap.at != SIZE_MAX && !y->held[swap.then])
			wait = swap;
	}
	return wait;
}

bool way_ends(struct way *y, const struct problem *p, const struct machine *m, const uint32_t *path, size_t n)
{
	if (n <= y->nodes.n)
		return ++y->stuck > STUCK || (y->level && n < y->lead);
	y->nodes.n = y->same;
	for (size_t i = y->same; i < n; i++)
		*vec_push(&y->nodes) = path[i];
	y->same = n;
	y->stuck = y->level = 0;
	y->last = UINT32_MAX;
	y->swap = find_swap(y, p, m);
	return false;
}

size_t way_swap(struct way *y)
{
	size_t at = y->swap.at;
	if (at == SIZE_MAX)
		return at;
	y->last = y->swap.then;
	y->held[y->swap.then] = y->swap.first + 1;
	y->lead = at;
	y->stuck = 0;
	y->swap.at = SIZE_MAX;
	return at;
}

bool way_holds(const struct way *y, const struct problem *p, const struct machine *m, uint32_t node)
{
	uint32_t first = y->held ? y->held[p->m->event_of[node]] : 0;
	return first && !machine_ran(m, p->m->visible[first - 1]);
}

bool way_is_loose(const struct way *y, size_t n)
{
	return y->level && n >= y->lead;
}

bool way_leads(const struct way *y, size_t n, uint32_t node)
{
	return n < y->lead && y->same == n && y->nodes.at[n] == node;
}

/* Does the thread stand before an access, after this step of its own? Else what it waits for is not memory. */
static bool stands_before_access(const struct problem *p, uint32_t step)
{
	const struct execution *x = p->m->x;
	const struct execution_thread *t = &x->threads.at[x->events.at[step].thread];
	return step + 1 < t->first + t->count && p->m->atoms.count[step + 1];
}

/* Takes less for granted of the event: under SC there are no delays, so it has to be the value. */
static void loosen(const struct problem *p, struct machine *m, uint32_t node)
{
	if (node >= p->m->x->events.n || p->m->x->events.at[node].kind != EVENT_WRITE)
		return;
	if (p->m->model == MEMORY_SC)
		machine_doubt(m, node);
	else
		machine_may_delay(m, node);
}

/* The same for the thread's next steps, which are not on the way. */
static void loosen_next(const struct problem *p, struct machine *m, uint32_t step, uint32_t reach)
{
	const struct execution *x = p->m->x;
	const struct execution_thread *t = &x->threads.at[x->events.at[step].thread];
	for (uint32_t e = step + 1; e <= step + reach && e < t->first + t->count; e++)
		loosen(p, m, e);
}

/* Around the last steps of each thread that stands before an access; gives the first place that this is so. */
static size_t loosen_way(const struct way *y, const struct problem *p, struct machine *m, uint32_t reach)
{
	size_t first = y->nodes.n, nthreads = p->m->x->threads.n, active = nthreads;
	uint32_t *left = xcalloc(nthreads + 1, sizeof *left); /* by thread: steps to look at, + 1 */
	for (size_t i = y->nodes.n; active && i-- > 0;) {
		uint32_t step = y->nodes.at[i];
		if (step >= p->m->x->events.n)
			continue;
		uint32_t *mine = &left[p->m->x->events.at[step].thread];
		if (!*mine) {
			*mine = stands_before_access(p, step) ? reach + 1 : 1;
			active -= *mine == 1;
			loosen_next(p, m, step, reach);
		}
		if (*mine == 1)
			continue;
		active -= --*mine == 1;
		first = i > reach ? i - reach : 0;
		for (size_t k = first; k < i + reach && k < y->nodes.n; k++)
			loosen(p, m, y->nodes.at[k]);
	}
	free(left);
	return first;
}

size_t way_loosen(struct way *y, const struct problem *p, struct machine *m)
{
	if (y->level == LEVELS)
		return SIZE_MAX;
	if (y->last != UINT32_MAX) /* that was not it */
		y->held[y->last] = 0;
	y->last = UINT32_MAX;
	y->lead = loosen_way(y, p, m, reaches[y->level]);
	machine_trust(m, true); /* what was known to be impossible may no longer be */
	y->level++;
	y->stuck = 0;
	return y->lead;
}
