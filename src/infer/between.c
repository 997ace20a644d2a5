#include "infer/between.h"

#include "infer/locks.h"
#include "infer/table.h"
#include "infer/told.h"

#include <stdlib.h>
#include <string.h>

/* Candidates whose locks are looked at; how many other accesses to the place are asked whether they have the lock; SAPs of a thread that are near one another. */
enum { LOOKED_AT = 64, ASKED = 40, NEAR = 32 };

/* In longer orders nothing is looked for. */
#define LONGEST 2000000u

/*
 * What speaks for a candidate. What the programs of bugs/ and eval/ have in common: the thread's two accesses belong
 * together for the programmer (near, in one function), other times nobody came in between, a lock that others take
 * is missing, and the failure depends on it. Found by comparing which candidate came first with what the bug is.
 */
enum {
	WORTH_RACE = 6,     /* no lock in common */
	WORTH_LOCK = 3,     /* one of the three goes without the place's lock */
	WORTH_GIVEN_UP = 3, /* all have a lock, which the thread gave up between its two */
	WORTH_FAILS = 5,    /* ... and the failure depends on the second; other times mostly nobody came in between */
	WORTH_SAME = 4,     /* ... and the other did what the thread then does, which had only looked before */
	WORTH_MATTERS = 6,  /* one of the three is in the slice */
	WORTH_FUNCTION = 2, /* both accesses are in one function */
	WORTH_LOST = 4,     /* what the other wrote is overwritten by somebody who has not seen it */
	WORTH_OVERTAKEN = 4, /* what the thread had found out was not true any more */
	WORTH_COUNTED = -10, /* updates, each whole by itself, and looks at them: what counts references does nothing else */
	WORTH_RARE = 4,     /* at most; as much less for what happens all the time */
	WORTH_ENOUGH = 9,
	WORTH_NOTHING = -100,
	WORTH_ENOUGH_SECTIONS = 5, /* with WORTH_SAME: nothing else can tell that two sections belong together */
};

/* What is kept of an address: steps + 1 of the last write and read, and of the last by other threads than those. */
enum { WRITE, OTHER_WRITE, READ, OTHER_READ };
/* What is kept of a pair of lines. The last is an index into `found`, + 1. */
enum { UNDISTURBED, DISTURBED, BEST };

struct candidate {
	struct between b;
	uint64_t pair;
	int worth;
};

/* Events that created a thread and joined it; UINT32_MAX: none. */
struct life {
	uint32_t created, joined;
};

struct finder {
	const struct slice *s;
	const struct execution *x;
	const struct linear *l;
	struct table places; /* by address */
	struct table mine;   /* by address and thread: the last access, step + 1 */
	struct table pairs;  /* by two lines */
	uint64_t *symbols;   /* their values */
	uint64_t *values;    /* of all expressions; NULL: not known */
	struct locks_index locks;
	struct life *lives;     /* by thread */
	vec(struct candidate) found;
};

static const struct event *event_at(const struct finder *f, size_t step)
{
	return &f->x->events.at[f->l->steps.at[step].event];
}

/* Where it is in the source, as a number: the compiler unrolls loops, and sites of one line are the same to a reader. */
static uint64_t line_of(const struct finder *f, const struct event *e)
{
	uint64_t h = 1;
	for (const char *s = f->x->sites.at[e->site].where; *s; s++)
		h = table_mix(h ^ (unsigned char)*s);
	return h;
}

static bool reads(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_UPDATE;
}

static bool writes(const struct event *e)
{
	return e->kind == EVENT_WRITE || (e->kind == EVENT_UPDATE && e->written);
}

/* ---- what there is ---- */

/* The last of the two kinds of step (+ 1; 0: none) that is not the thread's. */
static size_t of_another(const struct finder *f, const size_t *place, int last, int other, uint32_t thread)
{
	return place[last] && event_at(f, place[last] - 1)->thread != thread ? place[last] : place[other];
}

static void note(const struct finder *f, size_t *place, int last, int other, size_t step)
{
	if (place[last] && event_at(f, place[last] - 1)->thread != event_at(f, step)->thread)
		place[other] = place[last];
	place[last] = step + 1;
}

static void find_lives(struct finder *f)
{
	f->lives = xmalloc((f->x->threads.n + 1) * sizeof *f->lives);
	memset(f->lives, 0xff, (f->x->threads.n + 1) * sizeof *f->lives);
	for (uint32_t i = 0; i < f->x->events.n; i++) {
		const struct event *e = &f->x->events.at[i];
		if (e->kind == EVENT_CREATE && e->object < f->x->threads.n)
			f->lives[e->object].created = i;
		if (e->kind == EVENT_JOIN && e->object < f->x->threads.n)
			f->lives[e->object].joined = i;
	}
}

/* In a trail it is not known who was created and joined when: what was written when nobody else had begun is how the place was at first. */
static bool is_initial(const struct finder *f, size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (event_at(f, i)->thread != event_at(f, first)->thread)
			return false;
	return writes(event_at(f, first));
}

/* Did the thread of the two create the other between them, and join it? Then it could not have come at another time. */
static bool is_child_between(const struct finder *f, size_t first, size_t other, size_t second)
{
	static const struct life unknown = {UINT32_MAX, UINT32_MAX}; /* a trail has no threads */
	uint32_t thread = event_at(f, other)->thread;
	if (!f->x->threads.n)
		return is_initial(f, first);
	const struct life *l = thread < f->x->threads.n ? &f->lives[thread] : &unknown;
	uint32_t from = f->l->steps.at[first].event, to = f->l->steps.at[second].event;
	/* A thread's events stand together. */
	return l->created != UINT32_MAX && l->joined != UINT32_MAX && from < l->created && l->created < l->joined && l->joined < to;
}

/* Was the other created between the thread's two accesses, the first of which writes? Then it was meant to find that: it is how the place was at first. */
static bool is_shown_to_child(const struct finder *f, size_t first, size_t other, size_t second)
{
	const struct event *a = event_at(f, first), *o = event_at(f, other);
	if (o->thread >= f->x->threads.n || !writes(a))
		return false;
	uint32_t created = f->lives[o->thread].created;
	return created != UINT32_MAX && f->l->steps.at[first].event < created && created < f->l->steps.at[second].event;
}

/* What a read found, if that is known without computing it. */
static bool found(const struct finder *f, const struct event *e, uint64_t *value)
{
	const struct expr_node *n = e->kind == EVENT_READ && e->read && f->symbols ? expr_node(f->x->exprs, e->read) : NULL;
	if (!n || (n->op != EXPR_SYM && n->op != EXPR_CONST))
		return false;
	*value = n->op == EXPR_SYM ? f->symbols[n->value] : n->value;
	return true;
}

/* Did both find the same? Then nobody can tell that something was written in between. */
static bool found_same(const struct finder *f, const struct event *a, const struct event *c)
{
	uint64_t one, other;
	return a->size == c->size && found(f, a, &one) && found(f, c, &other) && one == other;
}

/* What the library counts for itself (references, whether a future is ready) is as it is meant to be. */
static bool is_account(const struct event *a, const struct event *c)
{
	return (a->flags | c->flags) & EVENT_ACCOUNT;
}

/* Who frees something asks nothing of it. */
static bool is_by_free(const struct finder *f, const struct event *e)
{
	return e->kind == EVENT_WRITE && event_is_by_free(f->x, e);
}

/* An update that leaves what it found: 0 was added, or what was to be exchanged was not there. */
static bool changes_nothing(const struct finder *f, const struct event *e)
{
	return e->kind == EVENT_UPDATE && e->read && e->written && f->values && f->values[e->read] == f->values[e->written];
}

/* Who looks, and then does not exchange what is no longer there, knows that somebody came in between. */
static bool is_told(const struct finder *f, const struct event *a, const struct event *c)
{
	return !writes(a) && changes_nothing(f, c);
}

/* The other wrote what the thread had written there itself, and then finds. */
static bool leaves_the_same(const struct finder *f, const struct event *a, const struct event *o, const struct event *c)
{
	return f->values && a->kind == EVENT_WRITE && o->kind == EVENT_WRITE && c->kind == EVENT_READ && a->object == o->object && a->size == o->size &&
	       f->values[a->written] == f->values[o->written];
}

/* The step (+ 1) of another thread that came in between; 0: none, or it does no harm. */
static size_t disturber(const struct finder *f, const size_t *place, size_t first, size_t second)
{
	const struct event *a = event_at(f, first), *c = event_at(f, second);
	size_t write = of_another(f, place, WRITE, OTHER_WRITE, c->thread),
	       read = of_another(f, place, READ, OTHER_READ, c->thread);
	if (write > first + 1 && (reads(c) || reads(a)))
		return write;
	return read > first + 1 && writes(a) && writes(c) ? read : 0;
}

static unsigned bits(uint64_t n)
{
	unsigned k = 0;
	while (n >>= 1)
		k++;
	return k;
}

/* A line that reads the same again and again: most often a loop that waits. So is one that looks anew after it has counted (a semaphore). */
static bool polls(const struct finder *f, const struct event *a, const struct event *c)
{
	return (!writes(a) || a->kind == EVENT_UPDATE) && !writes(c) && line_of(f, a) == line_of(f, c);
}

/* A statement that reads and then writes has come round again (`sum += n;`): what it wrote last time and reads now need not be the same. Sites are numbered in the order of the code. */
static bool is_next_time(const struct finder *f, const struct event *a, const struct event *c)
{
	const struct site_info *sites = f->x->sites.at;
	return writes(a) && !reads(a) && reads(c) && !writes(c) && sites[c->site].number && sites[c->site].number < sites[a->site].number && line_of(f, a) == line_of(f, c);
}

/* A line that writes has come round again: who only reads in between finds what it wrote last time, which was whole. wrote: the last write of another thread, + 1. */
static bool is_written_anew(const struct finder *f, size_t first, size_t other, size_t second, size_t wrote)
{
	const struct event *a = event_at(f, first), *c = event_at(f, second);
	return writes(a) && !reads(a) && writes(c) && !reads(c) && !writes(event_at(f, other)) && wrote <= first && line_of(f, a) == line_of(f, c);
}

/* Did the failing thread read the place last, or what it wrote there itself, of what its failure depends on? The slice ends somewhere: a count may have gone wrong long before. */
static bool is_read_last(const struct finder *f, uint64_t address)
{
	for (size_t i = 0; i < f->s->asked.n; i++) {
		size_t read = f->s->asked.at[i], saw = f->s->saw ? f->s->saw[read] : SLICE_NONE;
		bool own = saw != SLICE_NONE && event_at(f, saw)->thread == event_at(f, read)->thread;
		if ((i < f->s->last_reads || own) && event_at(f, read)->object == address)
			return true;
	}
	return false;
}

/* Who looks in between, or afterwards, at what others count, or set marks in, does no more harm. */
static bool is_counted(const struct event *a, const struct event *o, const struct event *c)
{
	return a->kind == EVENT_UPDATE && o->kind != EVENT_WRITE && c->kind != EVENT_WRITE && (o->kind == EVENT_UPDATE || c->kind == EVENT_UPDATE);
}

/* Without what has to be known of all others, and of locks. */
static int worth_alone(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first), *o = event_at(f, b->other), *c = event_at(f, b->second);
	const struct site_info *sites = f->x->sites.at;
	const bool *matters = f->s->matters;
	int worth = -(int)bits(c->sap - a->sap + 1);
	worth += matters[b->first] || matters[b->other] || matters[b->second] || is_read_last(f, a->object) ? WORTH_MATTERS : 0;
	worth += !strcmp(sites[a->site].function, sites[c->site].function) ? WORTH_FUNCTION : 0;
	worth += reads(a) && !reads(c) && writes(o) ? WORTH_LOST : 0;
	worth += is_counted(a, o, c) ? WORTH_COUNTED : 0;
	return worth;
}

/* Of each pair of lines the best is kept, of equals the last. */
static void add_candidate(struct finder *f, uint64_t pair, size_t *counts, struct between b)
{
	struct candidate c = {b, pair, worth_alone(f, &b)};
	if (!counts[BEST]) {
		*vec_push(&f->found) = c;
		counts[BEST] = f->found.n;
	} else if (c.worth >= f->found.at[counts[BEST] - 1].worth) {
		f->found.at[counts[BEST] - 1] = c;
	}
}

static uint64_t pair_of(const struct finder *f, const struct event *a, const struct event *c)
{
	return table_mix(line_of(f, a) + a->kind) ^ (line_of(f, c) + c->kind);
}

static void take_access(struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	size_t *last = table_at(&f->mine, e->object ^ (uint64_t)(e->thread + 1) << 48);
	size_t *place = table_at(&f->places, e->object);
	/* What a call does in pieces is one access. */
	if (*last && event_at(f, *last - 1)->sap != e->sap && !polls(f, event_at(f, *last - 1), e) && !is_next_time(f, event_at(f, *last - 1), e)) {
		size_t first = *last - 1, other = disturber(f, place, first, step);
		if (other && (is_by_free(f, e) || is_account(event_at(f, first), e) || told_is_renewed(f->x, f->l, first, step) || changes_nothing(f, event_at(f, other - 1)) || is_told(f, event_at(f, first), e) || is_child_between(f, first, other - 1, step) || is_shown_to_child(f, first, other - 1, step) || found_same(f, event_at(f, first), e) || leaves_the_same(f, event_at(f, first), event_at(f, other - 1), e) ||
			      is_written_anew(f, first, other - 1, step, of_another(f, place, WRITE, OTHER_WRITE, e->thread))))
			other = 0;
		uint64_t pair = pair_of(f, event_at(f, first), e);
		size_t *counts = table_at(&f->pairs, pair | 1);
		counts[other ? DISTURBED : UNDISTURBED]++;
		if (other)
			add_candidate(f, pair | 1, counts, (struct between){first, other - 1, step, .lock = UINT32_MAX, .unlocked = SLICE_NONE, .given_up = UINT32_MAX, .apart_by = {NO_LOCK, NO_LOCK}});
	}
	*last = step + 1;
	if (writes(e))
		note(f, place, WRITE, OTHER_WRITE, step);
	if (reads(e))
		note(f, place, READ, OTHER_READ, step);
}

/* ---- locks ---- */

/* Do most accesses to the place before, in other lines than the one without it, have the lock? One that is held by chance is no reason. */
static bool guards(const struct finder *f, uint32_t lock, const struct between *b)
{
	unsigned asked = 0, with = 0;
	uint64_t bare = line_of(f, event_at(f, b->unlocked));
	for (size_t i = b->second + 1; i-- > 0 && asked < ASKED;) {
		const struct event *e = event_at(f, i);
		if (e->object != event_at(f, b->other)->object || !(reads(e) || writes(e)) || line_of(f, e) == bare)
			continue;
		locks held = locks_at(&f->locks, e, false);
		with += locks_have(&held, lock);
		asked++;
		vec_free(&held);
	}
	return asked && 4 * with >= 3 * asked;
}

/* The locks of an access: those that it has for itself, and with those that it shares with other readers. */
struct guard {
	const struct event *e;
	locks own, all;
};

static struct guard guard_of(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	return (struct guard){e, locks_at(&f->locks, e, false), locks_at(&f->locks, e, true)};
}

static void guard_release(struct guard *g)
{
	vec_free(&g->own);
	vec_free(&g->all);
}

/* What is only noted is in order. */
static bool races(const struct guard *a, const struct guard *b)
{
	return !(a->e->flags & b->e->flags & EVENT_NOTE) && locks_common(&a->own, &b->all) == NO_LOCK && locks_common(&a->all, &b->own) == NO_LOCK;
}

/* All three have a lock, but the thread not all the time between its two; as readers or not. */
static bool look_at_sections(const struct finder *f, struct between *b, const struct guard g[3])
{
	for (size_t i = 0; i < g[1].all.n && b->given_up == UINT32_MAX; i++) {
		uint32_t lock = g[1].all.at[i];
		if (locks_have(&g[0].all, lock) && locks_have(&g[2].all, lock) && !locks_kept(&f->locks, lock, g[0].e, g[2].e))
			b->given_up = locks_event(f->x, lock);
	}
	return b->given_up != UINT32_MAX;
}

/* Has the thread come to the line of its first access again since it gave up the lock that it had there? Then the second belongs to that. */
static bool looks_again(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first);
	uint64_t line = line_of(f, a);
	locks then = locks_at(&f->locks, a, true);
	bool again = false;
	for (size_t i = b->first + 1; i < b->second && !again; i++) {
		const struct event *e = event_at(f, i);
		if (e->thread != a->thread || !(reads(e) || writes(e)) || line_of(f, e) != line)
			continue;
		for (size_t k = 0; k < then.n; k++)
			again |= !locks_kept(&f->locks, then.at[k], a, e);
	}
	vec_free(&then);
	return again;
}

static long line_number(const struct finder *f, const struct event *e)
{
	const char *colon = strrchr(f->x->sites.at[e->site].where, ':');
	return colon ? atol(colon + 1) : 0;
}

/* Both are in one function, and the second stands before the first: it has been called again, or gone round, and what it did last time is over. */
static bool is_of_next_round(const struct finder *f, const struct event *a, const struct event *c)
{
	return !strcmp(f->x->sites.at[a->site].function, f->x->sites.at[c->site].function) && line_number(f, c) < line_number(f, a);
}

/* Did the thread look in one line, and then do in another what the other thread had done there? */
static bool acts_alike(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first), *o = event_at(f, b->other), *c = event_at(f, b->second);
	return !is_of_next_round(f, a, c) && !writes(a) && writes(o) && line_of(f, o) == line_of(f, c) && line_of(f, a) != line_of(f, c) && !looks_again(f, b);
}

/* Somebody writes, and all have the lock as readers only. */
static void look_at_readers(const struct finder *f, struct between *b, const struct guard g[3])
{
	uint32_t lock = locks_common(&g[1].all, &g[0].all);
	if (lock == NO_LOCK || !locks_have(&g[2].all, lock))
		return;
	b->lock = locks_event(f->x, lock);
	b->as_reader = true;
	b->unlocked = writes(g[1].e) ? b->other : b->second;
}

/* Which lock one of the three goes without. first, second: that of the thread's two races. */
static void look_at_missing(const struct finder *f, struct between *b, const struct guard g[3], bool first, bool second)
{
	uint32_t lock = NO_LOCK;
	if (g[1].own.n && (first || second)) {
		lock = g[1].own.at[0];
		b->unlocked = first ? b->first : b->second;
	} else if (!g[1].own.n) {
		lock = locks_common(&g[2].own, &g[0].own);
		b->unlocked = b->other;
	}
	const struct guard *bare = b->unlocked == b->first ? &g[0] : b->unlocked == b->other ? &g[1] : &g[2];
	if (lock != NO_LOCK && guards(f, lock, b)) {
		b->lock = locks_event(f->x, lock);
		b->as_reader = locks_have(&bare->all, lock);
	}
	if (b->lock == UINT32_MAX && (first || second)) {
		const locks *mine = first ? &g[0].own : &g[2].own;
		b->apart = mine->n && g[1].own.n;
		b->apart_by[0] = b->apart ? mine->at[0] : NO_LOCK;
		b->apart_by[1] = b->apart ? g[1].own.at[0] : NO_LOCK;
	}
	b->bare = !g[0].all.n && !g[1].all.n && !g[2].all.n;
}

/* Does the thread write without having looked again, so that what the other wrote is gone? Sections that look first can come in any order. */
static bool is_lost(const struct guard *a, const struct guard *o, const struct guard *c)
{
	return !writes(a->e) && writes(o->e) && writes(c->e) && !reads(c->e);
}

/* Has the thread waited for a signal between the two? Then it has to look again, which is told of elsewhere. */
static bool has_waited(const struct finder *f, const struct between *b)
{
	bool waited = false;
	for (size_t i = b->first + 1; i < b->second && !waited; i++)
		waited = event_at(f, i)->thread == event_at(f, b->first)->thread && event_at(f, i)->flags & EVENT_WAITED;
	return waited;
}

/* Did the thread look in one line, and shortly afterwards fail by what it found in another, where it mostly finds the same? */
static bool is_late_look(struct finder *f, const struct candidate *c)
{
	const struct between *b = &c->b;
	const struct event *first = event_at(f, b->first), *second = event_at(f, b->second);
	const size_t *counts = table_at(&f->pairs, c->pair);
	bool asked = false;
	for (size_t i = 0; i < f->s->asked.n && !asked; i++)
		asked = f->s->asked.at[i] == b->second;
	return asked && !writes(first) && !writes(second) && writes(event_at(f, b->other)) && counts[UNDISTURBED] >= 4 * (counts[DISTURBED] - 1) &&
	       second->sap - first->sap <= NEAR && line_of(f, first) != line_of(f, second) && !is_of_next_round(f, first, second) && !looks_again(f, b) && !has_waited(f, b);
}

/* What two sections that should be one are worth. */
static int worth_of_sections(struct finder *f, struct candidate *c, const struct guard g[3])
{
	if (acts_alike(f, &c->b))
		return WORTH_GIVEN_UP + WORTH_SAME;
	c->b.late = is_late_look(f, c);
	if (c->b.late)
		return WORTH_GIVEN_UP + WORTH_FAILS;
	return is_lost(&g[0], &g[1], &g[2]) ? WORTH_GIVEN_UP : WORTH_NOTHING;
}

/* What locks have to do with it, and what that is worth. */
static int look_at_locks(struct finder *f, struct candidate *candidate)
{
	struct between *b = &candidate->b;
	struct guard g[3] = {guard_of(f, b->first), guard_of(f, b->other), guard_of(f, b->second)};
	bool first = races(&g[0], &g[1]), second = races(&g[1], &g[2]);
	int worth;
	if (!first && !second && look_at_sections(f, b, g)) {
		worth = worth_of_sections(f, candidate, g);
	} else {
		look_at_missing(f, b, g, first, second);
		if (b->lock == UINT32_MAX && (first || second))
			look_at_readers(f, b, g);
		worth = (first || second ? WORTH_RACE : 0) + (b->lock != UINT32_MAX || b->apart ? WORTH_LOCK : 0);
	}
	for (int i = 0; i < 3; i++)
		guard_release(&g[i]);
	return worth;
}

/* ---- what was no longer true ---- */

/* Would the thread have gone another way between the two, had it read what the other wrote? */
static enum other_way is_overtaken(const struct finder *f, const struct between *b)
{
	const struct execution *x = f->x;
	const struct event *a = event_at(f, b->first), *o = event_at(f, b->other);
	uint32_t first = f->l->steps.at[b->first].event, second = f->l->steps.at[b->second].event;
	if (!reads(a) || !a->read || !writes(o) || a->size != o->size || expr_node(x->exprs, a->read)->op != EXPR_SYM)
		return SAME_WAY;
	/* Addresses that were recorded are conditions, too, which say nothing about the way. */
	if (f->symbols[expr_node(x->exprs, a->read)->value] >> 32 && a->size == 8)
		return SAME_WAY;
	return goes_another_way(x, first, second, expr_eval(x->exprs, o->written, f->symbols), f->symbols);
}

/*
 * Several may have come in between. What the last one wrote is as good as it gets when it makes no difference; else it is the first since which the thread would
 * have gone another way that tells: another may have made up for some of it.
 */
static void find_overtaker(const struct finder *f, struct between *b)
{
	const struct event *a = event_at(f, b->first);
	struct between earlier = *b;
	if (b->overtaken != OTHER_WAY || (!b->bare && b->given_up == UINT32_MAX))
		return;
	for (size_t step = b->other; step-- > b->first + 1;) {
		const struct event *o = event_at(f, step);
		if (!writes(o) || o->object != a->object || o->size != a->size)
			continue;
		earlier.other = step;
		if (o->thread == a->thread || is_overtaken(f, &earlier) != OTHER_WAY)
			return;
		b->other = step;
	}
}

/* The thread looked, and counted where others count; what they did in between would not have made a difference. */
static bool looked_before_counting(const struct finder *f, const struct between *b)
{
	return !b->overtaken && event_at(f, b->first)->kind == EVENT_READ && event_at(f, b->other)->kind == EVENT_UPDATE &&
	       event_at(f, b->second)->kind == EVENT_UPDATE;
}

/* Does a thread look at the place in the line of the second again and again? Then it waits for what others count. */
static bool is_polled(const struct finder *f, const struct between *b)
{
	const struct event *c = event_at(f, b->second);
	uint64_t line = line_of(f, c);
	bool *before = xcalloc(f->x->threads.n + 1, sizeof *before), found = false; /* by thread: did it look there last? */
	for (size_t i = 0; i < f->l->needed && !found; i++) {
		const struct event *e = event_at(f, i);
		if (e->object != c->object || !(reads(e) || writes(e)) || e->thread >= f->x->threads.n)
			continue;
		bool looks = !writes(e) && line_of(f, e) == line;
		found = looks && before[e->thread];
		before[e->thread] = looks;
	}
	free(before);
	return found;
}

/* The thread counted, and then asked what the count was instead of what it had made of it: that decided where it went, the failure depends on it, and the other had counted, too. */
static bool asked_too_late(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first), *o = event_at(f, b->other), *c = event_at(f, b->second);
	if (!is_counted(a, o, c) || !f->values || c->kind != EVENT_READ || o->kind != EVENT_UPDATE || !writes(a) || a->size != c->size || !f->s->matters[b->second])
		return false;
	uint32_t second = f->l->steps.at[b->second].event;
	return goes_another_way(f->x, second, UINT32_MAX, f->values[a->written], f->symbols) == OTHER_WAY && !is_polled(f, b);
}

/* ---- which is the best ---- */

static int by_worth(const void *p, const void *q)
{
	const struct candidate *a = p, *b = q;
	if (a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	return a->b.second > b->b.second ? -1 : a->b.second < b->b.second;
}

static void compare_with_others(struct finder *f, struct candidate *c)
{
	const size_t *counts = table_at(&f->pairs, c->pair);
	int rare = (int)bits(counts[UNDISTURBED] + 1) - (int)bits(counts[DISTURBED]);
	c->b.undisturbed = counts[UNDISTURBED];
	c->worth += rare > WORTH_RARE ? WORTH_RARE : rare < -WORTH_RARE ? -WORTH_RARE : rare;
}

static void sort_found(struct finder *f)
{
	if (f->found.n)
		qsort(f->found.at, f->found.n, sizeof *f->found.at, by_worth);
}

static void rank(struct finder *f)
{
	for (size_t i = 0; i < f->found.n; i++)
		compare_with_others(f, &f->found.at[i]);
	sort_found(f);
	if (f->found.n > LOOKED_AT)
		f->found.n = LOOKED_AT;
	for (size_t i = 0; i < f->found.n; i++) {
		struct candidate *c = &f->found.at[i];
		c->b.overtaken = is_overtaken(f, &c->b);
		c->worth += look_at_locks(f, c) + (c->b.overtaken ? WORTH_OVERTAKEN : 0) + (looked_before_counting(f, &c->b) ? WORTH_COUNTED : 0) -
			    (asked_too_late(f, &c->b) ? WORTH_COUNTED : 0);
	}
	sort_found(f);
}

static bool has_delayed_stores(const struct linear *l)
{
	for (size_t i = 0; i < l->needed; i++)
		if (l->steps.at[i].visible)
			return true;
	return false;
}

bool between_find(struct between *b, const struct slice *s, const struct execution *x, const struct linear *l,
		  uint64_t *symbols)
{
	struct finder f = {.s = s, .x = x, .l = l, .symbols = symbols};
	if (l->needed > LONGEST || has_delayed_stores(l))
		return false;
	find_lives(&f);
	if (symbols) {
		f.values = xcalloc(expr_count(x->exprs) + 1, sizeof *f.values);
		expr_eval_all(x->exprs, symbols, f.values);
	}
	for (size_t i = 0; i < l->needed; i++)
		if (reads(event_at(&f, i)) || writes(event_at(&f, i)))
			take_access(&f, i);
	locks_init(&f.locks, x);
	rank(&f);
	const struct candidate *best = f.found.at;
	bool found = f.found.n && (best->worth >= WORTH_ENOUGH || (best->worth >= WORTH_ENOUGH_SECTIONS && best->b.given_up != UINT32_MAX &&
								   acts_alike(&f, &best->b)));
	if (found) {
		*b = f.found.at[0].b;
		find_overtaker(&f, b);
	}
	table_release(&f.places);
	table_release(&f.mine);
	table_release(&f.pairs);
	locks_release(&f.locks);
	free(f.lives);
	free(f.values);
	vec_free(&f.found);
	return found;
}
