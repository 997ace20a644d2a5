#include "infer/stale.h"

#include "infer/locks.h"
#include "infer/table.h"

#include <stdlib.h>
#include <string.h>

/* Steps that are looked at backwards for where a pointer was read; events of a thread that are near one another. */
enum { BACK = 200000, NEAR = 32 };

/* ---- pointers ---- */

/* What a step read or wrote. */
static expr value_of(const struct event *e)
{
	return e->kind == EVENT_READ ? e->read : e->kind == EVENT_WRITE ? e->written : EXPR_NONE;
}

/* Is that a pointer to the block, and kept elsewhere? */
static bool points_in(const struct event *e, const uint64_t *values, uint64_t start, uint64_t size)
{
	expr value = value_of(e);
	uint64_t v = value ? values[value] : 0;
	return v && e->size == 8 && (v - start < size || v == start) && !(e->object - start < size);
}

void stale_pointer(const struct told *t, const uint64_t *values, size_t use, uint64_t start, uint64_t size, size_t *got, size_t *gone)
{
	uint32_t thread = told_event(t, use)->thread;
	*got = *gone = SLICE_NONE;
	for (size_t i = use; i-- > 0 && use - i < BACK && *got == SLICE_NONE;)
		if (told_event(t, i)->thread == thread && points_in(told_event(t, i), values, start, size))
			*got = i;
	for (size_t i = *got; *got != SLICE_NONE && ++i < use && *gone == SLICE_NONE;) {
		const struct event *e = told_event(t, i), *kept = told_event(t, *got);
		if (e->thread != thread && told_writes(e) && e->object == kept->object && !event_is_by_free(&t->x, e) && values[e->written] != values[value_of(kept)])
			*gone = i;
	}
}

/* What the place is part of, for a pointer: its block; of a variable, what begins where the nearest pointer leads that the thread has read. False: not known. */
static bool find_target(const struct told *t, const uint64_t *values, size_t use, uint64_t *start, uint64_t *size)
{
	enum { LARGEST = 64 }; /* bytes from there to the place */
	const struct event *e = told_event(t, use);
	const struct place_name *p = execution_place(&t->x, e->object);
	*start = p && p->block_size ? p->block : 0;
	*size = p && p->block_size ? p->block_size : LARGEST;
	for (size_t i = use; p && !p->block_size && i-- > 0 && use - i < BACK;) {
		const struct event *r = told_event(t, i);
		uint64_t apart = r->thread == e->thread && r->kind == EVENT_READ && r->size == 8 && r->read ? e->object - values[r->read] : UINT64_MAX;
		if (apart < *size) {
			*start = values[r->read];
			*size = apart + 1;
		}
	}
	return *start;
}

/* The read sees what somebody wrote after he had put another pointer in the place of the one that led there. */
static bool is_replaced(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, size_t read)
{
	uint64_t start, size;
	size_t got, gone, saw = s->saw[read];
	if (saw == SLICE_NONE || !find_target(t, values, read, &start, &size))
		return false;
	stale_pointer(t, values, read, start, size, &got, &gone);
	if (gone == SLICE_NONE || saw < gone || told_event(t, saw)->thread != told_event(t, gone)->thread)
		return false;
	/* What the thread put there itself, and the other took away, was handed over. */
	if (told_writes(told_event(t, got)) && !values[told_event(t, gone)->written])
		return false;
	*out = (struct stale){got, gone, read, SLICE_NONE, SLICE_NONE, SLICE_NONE, UINT32_MAX, true, false, false};
	return true;
}

/* ---- two values ---- */

/* Does the failure's own condition ask for what the step reads, or is it known to rest on what was read last, in the same line? */
static bool decides(const struct slice *s, size_t step)
{
	for (size_t i = s->last_rests ? 0 : s->last_reads; i < s->asked.n; i++)
		if (s->asked.at[i] == step)
			return true;
	return false;
}

/* Are both written in one function, one shortly after the other, and does the failure's condition ask for both? */
static bool belong_together(const struct stale *f, const struct slice *s, const struct told *t)
{
	uint32_t one = t->l.steps.at[f->other].event, other = t->l.steps.at[f->also].event; /* a thread's events stand together */
	return decides(s, f->first) && decides(s, f->second) && (one < other ? other - one : one - other) <= NEAR &&
	       !strcmp(t->x.sites.at[told_event(t, f->other)->site].function, t->x.sites.at[told_event(t, f->also)->site].function);
}

static size_t distance(size_t a, size_t b)
{
	return a < b ? b - a : a - b;
}

/* The thread read the one, then somebody wrote both, and something else there, then the thread read the other as he left it. */
static bool is_torn(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, size_t one, size_t other)
{
	const struct event *a = told_event(t, one), *b = told_event(t, other);
	size_t saw = s->saw[other];
	if (one >= other || a->thread != b->thread || a->object == b->object || a->kind != EVENT_READ || b->kind != EVENT_READ ||
	    saw == SLICE_NONE || saw <= one || told_event(t, saw)->thread == a->thread)
		return false;
	size_t wrote = SLICE_NONE; /* the nearest to the other's write: he may have come several times */
	for (size_t i = one; ++i < other;) {
		const struct event *e = told_event(t, i);
		if (e->thread == told_event(t, saw)->thread && told_writes(e) && e->object == a->object && !event_is_by_free(&t->x, e) &&
		    values[e->written] != values[a->read] && (wrote == SLICE_NONE || distance(i, saw) < distance(wrote, saw)))
			wrote = i;
	}
	if (wrote == SLICE_NONE)
		return false;
	*out = (struct stale){one, wrote, other, saw, SLICE_NONE, SLICE_NONE, UINT32_MAX, false, false, false};
	out->certain = belong_together(out, s, t);
	return true;
}

/* ---- sums ---- */

/* Of what other threads overwrote after the failing one had read it, as many are kept in mind. */
enum { IN_MIND = 256 };

struct overwritten {
	size_t read, write; /* steps */
};

struct sums {
	const struct told *t;
	const uint64_t *values; /* of expressions */
	uint32_t thread;     /* that fails */
	uint64_t *lines;     /* by site: where it is in the source, as a number */
	struct table reads;  /* by address: the thread's last read, step + 1 */
	struct table writes; /* by address: the last write of others, step + 1 */
	struct table turns;  /* by line: where its reads began that are all of different places, step + 1 */
	vec(struct overwritten) overwritten;
	struct locks_index locks;
	struct stale best;
	uint64_t distance;   /* of the best, in SAPs; UINT64_MAX: there is none */
};

/* The only one that fails, or the first, whose exit status is the program's; UINT32_MAX: several do. */
static uint32_t failing_thread(const struct execution *x)
{
	uint32_t thread = UINT32_MAX, n = 0;
	for (uint32_t i = 0; i < x->threads.n; i++)
		for (uint32_t k = 0; k < x->threads.at[i].count; k++)
			if (x->events.at[x->threads.at[i].first + k].flags & EVENT_FAILS && x->events.at[x->threads.at[i].first + k].kind == EVENT_END)
				thread = i, n++;
	return n == 1 ? thread : n ? UINT32_MAX : 0;
}

static uint64_t line_of(const struct sums *s, const struct event *e)
{
	return s->lines[e->site];
}

/* Has the thread of two writes had a lock from the one to the other? */
static bool in_one_section(const struct sums *s, size_t one, size_t other)
{
	const struct event *a = told_event(s->t, one < other ? one : other), *b = told_event(s->t, one < other ? other : one);
	locks then = locks_at(&s->locks, a, false);
	bool kept = false;
	for (size_t i = 0; i < then.n && !kept; i++)
		kept = locks_kept(&s->locks, then.at[i], a, b);
	vec_free(&then);
	return kept;
}

/* The thread reads what `wrote` left there: has it read something in the same turn that was overwritten in the same section? */
static void compare_with_overwritten(struct sums *s, size_t read, size_t wrote, size_t turn)
{
	const struct event *e = told_event(s->t, read);
	for (size_t i = s->overwritten.n; i-- > 0 && i + IN_MIND >= s->overwritten.n;) {
		const struct overwritten *o = &s->overwritten.at[i];
		const struct event *a = told_event(s->t, o->read);
		if (o->read + 1 < turn || a->object == e->object || line_of(s, a) != line_of(s, e) || e->sap - a->sap >= s->distance ||
		    told_event(s->t, o->write)->thread != told_event(s->t, wrote)->thread || !in_one_section(s, o->write, wrote))
			continue;
		s->best = (struct stale){o->read, o->write, read, wrote, SLICE_NONE, SLICE_NONE, UINT32_MAX, false, false, false};
		s->distance = e->sap - a->sap;
	}
}

static void sum_read(struct sums *s, size_t step)
{
	const struct event *e = told_event(s->t, step);
	size_t before = *table_at(&s->reads, e->object), *turn = table_at(&s->turns, line_of(s, e));
	bool same_line = before && line_of(s, told_event(s->t, before - 1)) == line_of(s, e);
	if (!*turn || (same_line && before >= *turn))
		*turn = step + 1;
	size_t begun = *turn, wrote = *table_at(&s->writes, e->object);
	if (wrote)
		compare_with_overwritten(s, step, wrote - 1, begun);
	*table_at(&s->reads, e->object) = step + 1;
}

static void sum_write(struct sums *s, size_t step)
{
	const struct event *e = told_event(s->t, step);
	size_t read = *table_at(&s->reads, e->object);
	*table_at(&s->writes, e->object) = step + 1;
	if (read && !event_is_by_free(&s->t->x, e) && s->values[e->written] != s->values[told_event(s->t, read - 1)->read])
		*vec_push(&s->overwritten) = (struct overwritten){read - 1, step};
}

static uint64_t *number_lines(const struct execution *x)
{
	uint64_t *lines = xmalloc((x->sites.n + 1) * sizeof *lines);
	for (size_t i = 0; i < x->sites.n; i++) {
		lines[i] = 1;
		for (const char *c = x->sites.at[i].where; *c; c++)
			lines[i] = table_mix(lines[i] ^ (unsigned char)*c);
		lines[i] |= 1; /* no key is 0 */
	}
	return lines;
}

/* ---- all of it ---- */

void stale_find_lock(struct stale *f, const struct told *t)
{
	struct locks_index index;
	const struct event *a = told_event(t, f->first), *c = told_event(t, f->second);
	locks_init(&index, &t->x);
	locks then = locks_at(&index, a, true);
	for (size_t i = 0; i < then.n && f->given_up == UINT32_MAX; i++)
		if (!locks_kept(&index, then.at[i], a, c))
			f->given_up = locks_event(&t->x, then.at[i]);
	vec_free(&then);
	locks_release(&index);
}

bool stale_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	bool found = false;
	struct stale torn;
	/* Of two values, a pair comes first that the failure's condition asks for, and what else the thread read in that line tells nothing: it may be of another time, too. */
	for (size_t i = 0; i < s->asked.n && !(found && out->certain); i++) {
		size_t read = s->asked.at[i];
		bool replaced = !found && read < t->l.needed && is_replaced(out, s, t, values, read);
		found |= replaced;
		for (size_t k = 0; k < s->asked.n && !(found && out->certain); k++)
			if (!slice_is_beside(s, i) && !slice_is_beside(s, k) && s->asked.at[k] < t->l.needed && read < t->l.needed && is_torn(&torn, s, t, values, read, s->asked.at[k]) && (!found || torn.certain)) {
				*out = torn;
				found = true;
			}
	}
	if (found)
		stale_find_lock(out, t);
	return found;
}

bool stale_find_sum(struct stale *out, const struct told *t, const uint64_t *values)
{
	struct sums s = {.t = t, .values = values, .thread = failing_thread(&t->x), .distance = UINT64_MAX};
	if (s.thread == UINT32_MAX || !t->x.lock_order_known)
		return false;
	s.lines = number_lines(&t->x);
	locks_init(&s.locks, &t->x);
	for (size_t i = 0; i < t->l.needed; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread == s.thread && e->kind == EVENT_READ)
			sum_read(&s, i);
		else if (e->thread != s.thread && told_writes(e))
			sum_write(&s, i);
	}
	bool found = s.distance != UINT64_MAX;
	if (found) {
		*out = s.best;
		stale_find_lock(out, t);
	}
	locks_release(&s.locks);
	table_release(&s.reads);
	table_release(&s.writes);
	table_release(&s.turns);
	vec_free(&s.overwritten);
	free(s.lines);
	return found;
}
