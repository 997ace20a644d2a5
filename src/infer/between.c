#include "infer/between_finder.h"

#include <stdlib.h>
#include <string.h>

/* Candidates whose locks are looked at. */
enum { LOOKED_AT = 64 };

/* Blocks begin at multiples of UNIT; bytes of a block that are known by it. */
enum { UNIT = 16, MOST_OF_BLOCK = 1 << 16 };

/* In longer orders nothing is looked for. */
#define LONGEST 2000000u

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

/* The other wrote what the thread had found: it may as well have come before that. */
static bool leaves_as_found(const struct finder *f, const struct event *a, const struct event *o)
{
	return f->values && a->kind == EVENT_READ && a->read && o->kind == EVENT_WRITE && o->written && a->object == o->object && a->size == o->size &&
	       f->values[a->read] == f->values[o->written];
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

/* Is that a place which the failure is found at? Of one element of several the slice may end before what went wrong there, and of all others nobody knows. */
static bool is_where_it_fails(const struct finder *f, const struct between *b)
{
	for (size_t i = 0; i < f->s->asked.n; i++)
		if (event_at(f, f->s->asked.at[i])->object == event_at(f, b->first)->object)
			return true;
	return false;
}

/* Of each pair of lines the best is kept, of equals the last; it speaks as much for the pair if another is told of it, where the failure is found at that one's place. */
static void add_candidate(struct finder *f, uint64_t pair, size_t *counts, int worth, struct between b)
{
	struct candidate c = {b, pair, worth + worth_alone(f, &b)};
	if (!counts[BEST]) {
		*vec_push(&f->found) = c;
		counts[BEST] = f->found.n;
		return;
	}
	struct candidate *best = &f->found.at[counts[BEST] - 1];
	int there = is_where_it_fails(f, &b) ? WORTH_THERE : 0, was = is_where_it_fails(f, &best->b) ? WORTH_THERE : 0;
	int most = c.worth > best->worth ? c.worth : best->worth;
	if (c.worth + there >= best->worth + was)
		best->b = b;
	best->worth = most;
}

static uint64_t pair_of(const struct finder *f, const struct event *a, const struct event *c)
{
	return table_mix(line_of(f, a) + a->kind) ^ (line_of(f, c) + c->kind);
}

/* What lies in that block from that step on has nothing to do with what lay there before. */
static void take_birth(struct finder *f, const struct event *e, size_t step)
{
	for (uint64_t at = e->object; at < e->object + e->before && at < e->object + MOST_OF_BLOCK; at += UNIT)
		*table_at(&f->born, at / UNIT + 1) = step;
}

/* Where stores are delayed, the order does not say when memory was given out again: of such memory nothing is told. */
static void take_untold_births(struct finder *f)
{
	for (size_t i = 0; i < f->l->needed; i++)
		if (event_at(f, i)->flags & EVENT_NOTE)
			return;
	for (size_t i = 0; i < f->x->notes.n; i++)
		if (f->x->notes.at[i].flags & EVENT_ALLOCATES)
			take_birth(f, &f->x->notes.at[i], SIZE_MAX);
}

/* Did somebody come in between who does harm? The step, + 1, or 0. */
static size_t harmful(const struct finder *f, const size_t *place, size_t first, size_t second)
{
	const struct event *a = event_at(f, first), *e = event_at(f, second);
	size_t other = disturber(f, place, first, second);
	if (!other || is_by_free(f, e) || is_account(a, e) || changes_nothing(f, event_at(f, other - 1)) || is_told(f, a, e) || is_child_between(f, first, other - 1, second) || is_shown_to_child(f, first, other - 1, second) ||
	    found_same(f, a, e) || leaves_the_same(f, a, event_at(f, other - 1), e) || leaves_as_found(f, a, event_at(f, other - 1)) ||
	    is_written_anew(f, first, other - 1, second, of_another(f, place, WRITE, OTHER_WRITE, e->thread)))
		return 0;
	return other;
}

static void take_pair(struct finder *f, size_t first, size_t other, size_t second, int worth)
{
	uint64_t pair = pair_of(f, event_at(f, first), event_at(f, second));
	size_t *counts = table_at(&f->pairs, pair | 1);
	counts[other ? DISTURBED : UNDISTURBED]++;
	if (other)
		add_candidate(f, pair | 1, counts, worth, (struct between){first, other - 1, second, .lock = UINT32_MAX, .unlocked = SLICE_NONE, .given_up = UINT32_MAX, .apart_by = {NO_LOCK, NO_LOCK}});
}

/*
 * The thread uses the place as its own: it has written it, reads that again and again (a parameter of a callback), and fails by what it finds in the end, which is what another wrote who does
 * the same in the same line.
 */
static size_t disowner(const struct finder *f, const size_t *place, const size_t *mine, size_t step)
{
	size_t other = mine[OWN_WRITE] && is_asked(f, step) ? harmful(f, place, mine[OWN_WRITE] - 1, step) : 0;
	const struct event *own = other ? event_at(f, mine[OWN_WRITE] - 1) : NULL, *o = other ? event_at(f, other - 1) : NULL;
	return other && own->kind == EVENT_WRITE && o->kind == EVENT_WRITE && line_of(f, own) == line_of(f, o) ? other : 0;
}

/* The thread has left something there, and reads it again soon after its last look; the other writes there in the same function, which does that for whoever calls it. */
static bool is_own(const struct finder *f, const size_t *mine, size_t other, size_t step)
{
	enum { SOON = 8 }; /* SAPs */
	if (!other || !mine[OWN_WRITE])
		return false;
	const struct site_info *sites = f->x->sites.at;
	const struct event *last = event_at(f, mine[OWN] - 1), *own = event_at(f, mine[OWN_WRITE] - 1), *o = event_at(f, other - 1), *c = event_at(f, step);
	return own->kind == EVENT_WRITE && o->kind == EVENT_WRITE && c->kind == EVENT_READ && c->sap - last->sap <= SOON && !strcmp(sites[own->site].function, sites[o->site].function);
}

static void take_access(struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	size_t *mine = table_at(&f->mine, e->object ^ (uint64_t)(e->thread + 1) << 48);
	size_t *place = table_at(&f->places, e->object);
	size_t born = *table_at(&f->born, e->object / UNIT + 1), other;
	if (mine[OWN] <= born)
		mine[OWN] = 0;
	if (mine[OWN_WRITE] <= born)
		mine[OWN_WRITE] = 0;
	const struct event *last = mine[OWN] ? event_at(f, mine[OWN] - 1) : NULL;
	/* What a call does in pieces is one access. */
	if (last && last->sap != e->sap && !is_next_time(f, last, e)) {
		other = harmful(f, place, mine[OWN] - 1, step);
		if (!polls(f, last, e))
			take_pair(f, mine[OWN] - 1, other, step, is_own(f, mine, other, step) ? WORTH_OWN : 0);
		else if ((other = disowner(f, place, mine, step)))
			take_pair(f, mine[OWN_WRITE] - 1, other, step, WORTH_DISOWNED);
	}
	mine[OWN] = step + 1;
	if (writes(e))
		mine[OWN_WRITE] = step + 1;
	if (writes(e))
		note(f, place, WRITE, OTHER_WRITE, step);
	if (reads(e))
		note(f, place, READ, OTHER_READ, step);
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
		c->worth += between_locks(f, c) + (c->b.overtaken ? WORTH_OVERTAKEN : 0) + (looked_before_counting(f, &c->b) ? WORTH_COUNTED : 0) -
			    (asked_too_late(f, &c->b) ? WORTH_COUNTED : 0);
	}
	sort_found(f);
}

/*
 * Who asks whether anybody still refers to an object, and then wants a reference of its own, finds none when the last one was given up in between. Of what the library counts for
 * itself that is the one pair that is the program's, in two lines: it fails by what it found at the one or at the other. asked: one of the two.
 */
static bool find_expired_at(const struct finder *f, size_t asked, struct between *b)
{
	const struct event *a = event_at(f, asked);
	size_t first = SLICE_NONE, other = SLICE_NONE;
	for (size_t step = 0; step < f->l->needed; step++) {
		const struct event *e = event_at(f, step);
		if (e->object != a->object || e->size != a->size || !(reads(e) || writes(e)))
			continue;
		bool none = f->values[reads(e) ? e->read : e->written] == 0;
		if (e->thread != a->thread) {
			other = writes(e) && !f->values[e->written] ? step : SLICE_NONE;
		} else if (!none) {
			first = writes(e) ? SLICE_NONE : first == SLICE_NONE ? step : first; /* it has a reference now */
			other = SLICE_NONE;
		} else if (first != SLICE_NONE && other != SLICE_NONE && reads(e) && line_of(f, e) != line_of(f, event_at(f, first)) && (first == asked || step == asked)) {
			*b = (struct between){first, other, step, .lock = UINT32_MAX, .unlocked = SLICE_NONE, .given_up = UINT32_MAX, .apart_by = {NO_LOCK, NO_LOCK}};
			return true;
		}
	}
	return false;
}

static bool find_expired(const struct finder *f, struct between *b)
{
	for (size_t i = 0; i < f->s->asked.n && f->values; i++) {
		size_t asked = f->s->asked.at[i];
		if (asked < f->l->needed && event_at(f, asked)->flags & EVENT_ACCOUNT && reads(event_at(f, asked)) && find_expired_at(f, asked, b))
			return true;
	}
	return false;
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
	take_untold_births(&f);
	for (size_t i = 0; i < l->needed; i++)
		if (event_at(&f, i)->flags & EVENT_ALLOCATES)
			take_birth(&f, event_at(&f, i), i + 1);
		else if (reads(event_at(&f, i)) || writes(event_at(&f, i)))
			take_access(&f, i);
	locks_init(&f.locks, x);
	rank(&f);
	const struct candidate *best = f.found.at;
	bool expired = find_expired(&f, b);
	bool found = !expired && f.found.n && (best->worth >= WORTH_ENOUGH || (best->worth >= WORTH_ENOUGH_SECTIONS && best->b.given_up != UINT32_MAX &&
								   between_acts_alike(&f, &best->b)));
	if (found) {
		*b = f.found.at[0].b;
		find_overtaker(&f, b);
	}
	table_release(&f.places);
	table_release(&f.mine);
	table_release(&f.pairs);
	table_release(&f.born);
	locks_release(&f.locks);
	free(f.lives);
	free(f.values);
	vec_free(&f.found);
	return found || expired;
}
