#include "model/atoms.h"

#include <stdlib.h>
#include <string.h>

static bool accesses_memory(const struct event *e)
{
	return event_reads(e) || event_writes(e);
}

static int by_value(const void *p, const void *q)
{
	uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
	return a < b ? -1 : a > b;
}

static size_t sort_unique(uint64_t *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof *v, by_value);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

/* Index of the first boundary not below `address`. */
static uint32_t boundary_index(const uint64_t *bounds, size_t n, uint64_t address)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (bounds[mid] < address)
			low = mid + 1;
		else
			high = mid;
	}
	return (uint32_t)low;
}

/* Sorted, distinct starts and ends of accesses. The distinct ranges are few even when accesses are many. */
static uint64_t *boundaries(const struct execution *x, size_t *count)
{
	vec(uint64_t) bounds = {0};
	size_t settled = 0; /* sorted and distinct so far, redone when the array has doubled */
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[i];
		if (!accesses_memory(e))
			continue;
		*vec_push(&bounds) = e->object;
		*vec_push(&bounds) = e->object + e->size;
		if (bounds.n > 2 * settled + 4096)
			settled = bounds.n = sort_unique(bounds.at, bounds.n);
	}
	*count = sort_unique(bounds.at, bounds.n);
	return bounds.at;
}

/* Ranges between boundaries that no access covers are no atoms: covered[i] tells. */
static void make_atoms(struct atoms *a, const struct execution *x, const uint64_t *bounds,
		       size_t nbounds)
{
	uint32_t *number = xcalloc(nbounds + 1, sizeof *number);
	bool *joined = xcalloc(nbounds + 1, sizeof *joined); /* to the one before */
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[i];
		if (!accesses_memory(e))
			continue;
		uint32_t from = boundary_index(bounds, nbounds, e->object);
		a->first[i] = from;
		for (uint32_t k = from; bounds[k] < e->object + e->size; k++) {
			number[k] = 1;
			joined[k] = joined[k] || k > from;
			a->count[i]++;
		}
	}
	uint32_t cluster = 0;
	for (uint32_t k = 0; k + 1 < nbounds; k++) {
		if (!number[k])
			continue;
		cluster += !joined[k];
		number[k] = (uint32_t)a->at.n;
		*vec_push(&a->at) = (struct atom){.address = bounds[k], .cluster = cluster,
						  .size = (uint32_t)(bounds[k + 1] - bounds[k])};
	}
	for (size_t i = 0; i < x->events.n; i++)
		if (a->count[i])
			a->first[i] = number[a->first[i]];
	free(number);
	free(joined);
}

static void list_accesses(struct atoms *a, const struct execution *x)
{
	uint32_t total = 0;
	for (size_t i = 0; i < x->events.n; i++)
		for (uint32_t k = 0; k < a->count[i]; k++)
			a->at.at[a->first[i] + k].count++;
	for (size_t k = 0; k < a->at.n; k++) {
		a->at.at[k].first = total;
		total += a->at.at[k].count;
		a->at.at[k].count = 0;
	}
	a->accesses = xmalloc(total * sizeof *a->accesses);
	for (size_t i = 0; i < x->events.n; i++)
		for (uint32_t k = 0; k < a->count[i]; k++) {
			struct atom *m = &a->at.at[a->first[i] + k];
			a->accesses[m->first + m->count++] = (uint32_t)i;
		}
}

static void find_shared(struct atoms *a, const struct execution *x)
{
	for (size_t k = 0; k < a->at.n; k++) {
		struct atom *m = &a->at.at[k];
		const uint32_t *list = a->accesses + m->first;
		bool written = false;
		for (uint32_t i = 0; i < m->count; i++)
			written |= event_writes(&x->events.at[list[i]]);
		m->shared = written && x->events.at[list[0]].thread !=
					       x->events.at[list[m->count - 1]].thread;
	}
}

void atoms_init(struct atoms *a, const struct execution *x)
{
	*a = (struct atoms){0};
	a->first = xcalloc(x->events.n, sizeof *a->first);
	a->count = xcalloc(x->events.n, sizeof *a->count);
	size_t nbounds;
	uint64_t *bounds = boundaries(x, &nbounds);
	make_atoms(a, x, bounds, nbounds);
	free(bounds);
	list_accesses(a, x);
	find_shared(a, x);
}

void atoms_release(struct atoms *a)
{
	vec_free(&a->at);
	free(a->first);
	free(a->count);
	free(a->accesses);
}
