#include "search/tree.h"

#include <string.h>

enum {
	MOST_FLIPS = 48, /* races of one attempt that are tried */
	MOST_IDLE = 12,  /* exchanges in a row that get no further */
};

struct flip {
	struct schedule_wait wait;
	uint64_t distance; /* from where the attempt went wrong */
};

struct node {
	struct recipe recipe;
	uint64_t matched;
	vec(struct flip) flips;
	size_t next;
};

struct tree {
	vec(struct node) stack; /* the best one last */
	vec(uint64_t) seen;     /* hashes of recipes that were made */
	uint64_t best;
	bool progress;          /* the last one added got further than all before */
};

struct tree *tree_new(void)
{
	return xcalloc(1, sizeof(struct tree));
}

void recipe_release(struct recipe *r)
{
	vec_free(&r->waits);
}

static void node_release(struct node *n)
{
	recipe_release(&n->recipe);
	vec_free(&n->flips);
}

void tree_free(struct tree *t)
{
	for (size_t i = 0; i < t->stack.n; i++)
		node_release(&t->stack.at[i]);
	vec_free(&t->stack);
	vec_free(&t->seen);
	free(t);
}

static void copy(struct recipe *to, const struct recipe *from)
{
	*to = *from;
	memset(&to->waits, 0, sizeof to->waits);
	for (size_t i = 0; i < from->waits.n; i++)
		*vec_push(&to->waits) = from->waits.at[i];
}

/* ---- which recipes were made already ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

static uint64_t hash_wait(const struct schedule_wait *w)
{
	uint64_t h = mix(w->sap, w->other_sap * 31);
	for (const char *p = w->thread; *p; p++)
		h = mix(h, (unsigned char)*p);
	for (const char *p = w->other; *p; p++)
		h = mix(h, (unsigned char)*p + 256u);
	return h;
}

/* The order among waits does not matter. */
static uint64_t hash(const struct recipe *r)
{
	uint64_t h = mix(mix(r->policy, r->seed), r->delays * 17 + r->changes), sum = 0;
	for (size_t i = 0; i < r->waits.n; i++)
		sum += hash_wait(&r->waits.at[i]);
	return mix(h, sum);
}

static bool is_new(struct tree *t, const struct recipe *r)
{
	uint64_t h = hash(r);
	for (size_t i = 0; i < t->seen.n; i++)
		if (t->seen.at[i] == h)
			return false;
	*vec_push(&t->seen) = h;
	return true;
}

/* ---- the races of an attempt ---- */

/*
 * Nearest first: accesses of the thread that went wrong, by how many of its own lie between; then all others, by how
 * long ago they were.
 */
static uint64_t distance(const struct rt_attempt *a, const struct rt_race *r)
{
	uint32_t off = a->off - 1;
	uint64_t far = 1ull << 40;
	if (!a->off)
		return a->steps - r->step;
	if (r->thread == off && r->sap <= a->off_sap)
		return a->off_sap - r->sap;
	if (r->other == off && r->other_sap <= a->off_sap)
		return a->off_sap - r->other_sap;
	return far + (a->off_step > r->step ? a->off_step - r->step : r->step - a->off_step);
}

static int by_distance(const void *p, const void *q)
{
	const struct flip *a = p, *b = q;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	int c = strcmp(a->wait.thread, b->wait.thread);
	if (c)
		return c;
	return a->wait.sap < b->wait.sap ? -1 : a->wait.sap > b->wait.sap;
}

/* Has the recipe put the two in this order, or tried to? */
static bool is_exchanged(const struct recipe *made, const struct rt_attempt *a, const struct rt_race *r)
{
	for (size_t i = 0; i < made->waits.n; i++) {
		const struct schedule_wait *w = &made->waits.at[i];
		bool reversed = w->sap == r->other_sap && w->other_sap == r->sap && !strcmp(w->thread, a->names[r->other]) &&
				!strcmp(w->other, a->names[r->thread]);
		bool again = w->sap == r->sap && w->other_sap == r->other_sap && !strcmp(w->thread, a->names[r->thread]) &&
			     !strcmp(w->other, a->names[r->other]);
		if (reversed || again)
			return true;
	}
	return false;
}

static void add_flip(struct node *n, const struct rt_attempt *a, const struct rt_race *r)
{
	if (r->thread >= RT_ATTEMPT_THREADS || r->other >= RT_ATTEMPT_THREADS || !r->sap || !r->other_sap)
		return;
	if (is_exchanged(&n->recipe, a, r))
		return;
	struct flip f = { .wait = { .sap = r->sap, .other_sap = r->other_sap }, .distance = distance(a, r) };
	snprintf(f.wait.thread, sizeof f.wait.thread, "%.60s", a->names[r->thread]);
	snprintf(f.wait.other, sizeof f.wait.other, "%.60s", a->names[r->other]);
	*vec_push(&n->flips) = f;
}

static void add_flips(struct node *n, const struct rt_attempt *a)
{
	uint64_t count = a->nraces < RT_RACES ? a->nraces : RT_RACES;
	if (a->off)
		for (uint32_t i = 0; i < a->nnear && i < RT_RACES; i++)
			add_flip(n, a, &a->near[i]);
	else
		for (uint64_t i = 0; i < count; i++)
			add_flip(n, a, &a->races[i]);
	if (n->flips.n)
		qsort(n->flips.at, n->flips.n, sizeof *n->flips.at, by_distance);
	if (n->flips.n > MOST_FLIPS)
		n->flips.n = MOST_FLIPS;
}

/* ---- the stack ---- */

void tree_add(struct tree *t, const struct recipe *r, const struct rt_attempt *a)
{
	/*
	 * What got no further than what it was made from leads nowhere, nor does an exchange that was not possible; one from
	 * nothing must be the best of its kind.
	 */
	t->progress = false;
	bool further = r->depth ? a->matched > r->matched || (a->matched == r->matched && !a->dropped)
				: !t->stack.n || a->matched >= t->best;
	if (!further || r->idle >= MOST_IDLE)
		return;
	struct node n = { .matched = a->matched };
	copy(&n.recipe, r);
	n.recipe.idle = a->matched > r->matched ? 0 : r->idle + 1;
	add_flips(&n, a);
	if (!n.flips.n) {
		node_release(&n);
		return;
	}
	t->progress = a->matched > t->best;
	if (t->progress)
		t->best = a->matched;
	*vec_push(&t->stack) = n;
	for (size_t i = t->stack.n - 1; i && t->stack.at[i - 1].matched > t->stack.at[i].matched; i--) {
		struct node swap = t->stack.at[i];
		t->stack.at[i] = t->stack.at[i - 1];
		t->stack.at[i - 1] = swap;
	}
}

bool tree_progresses(const struct tree *t)
{
	return t->progress;
}

bool tree_next(struct tree *t, struct recipe *out)
{
	while (t->stack.n) {
		struct node *n = &t->stack.at[t->stack.n - 1];
		if (n->next == n->flips.n) {
			node_release(n);
			t->stack.n--;
			continue;
		}
		copy(out, &n->recipe);
		*vec_push(&out->waits) = n->flips.at[n->next++].wait;
		out->depth++;
		out->matched = n->matched;
		if (is_new(t, out))
			return true;
		recipe_release(out);
	}
	return false;
}
