/*
 * Waiting in a loop that polls: laps that are all the same. A thread that waits for others may go round millions of times;
 * nothing that it does in a lap is seen by others, and where it stands after one is where it stood before it. Such laps
 * need not be executed: two of them are, and when the log says that more of the same follow, the thread is taken to the end
 * of the last one at once.
 *
 * What the laps count may differ (counting.c).
 *
 * An atomic update that leaves all as it is, a lock that is tried in vain, is a read. Where it might have changed something for others in a lap that
 * is left out (a lock with more than two states), that no interleaving was found proves nothing.
 *
 * A lap is what happens from one execution of a read of shared memory, its anchor, to the next. What a thread keeps from one round to the next (the last
 * value that was whole) is a register with a symbol of the lap before, unless the anchor comes before it is read: where laps are the same but for registers, the reads of the
 * loop are tried in turn. Two laps are the same when they
 * read the same places at the same sites, took the same branches, found the same recorded values, stored the same
 * to memory that does not race, and left the same in all registers; what was read, where it races, is another symbol in each. They
 * write nothing that others could see, call nothing that has a state, and have no steps of synchronization. Then every further lap
 * with the same branches and values is like them.
 *
 * The events of the last lap executed move to the last one left out, so that the first and the last of a wait are in the
 * problem. Reads left out say nothing that these two do not: leaving them out allows orders that did not happen, but forbids none
 * that may have. In a schedule they come with the first lap (EVENT_LAPS): who has to come after its reads waits for them.
 */
#include "model/atoms.h"
#include "sym/engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_BITS = 64,   /* of a lap's path */
	EAGER = 8,        /* attempts at the same anchor that may fail, before there are fewer */
	WORTHWHILE = 3,   /* laps left out at once, at the least */
	AS_CHEAP = 256,   /* rounds of one read, which are no events (spin.c), cost about as much as one attempt */
	MOST_SAPS = 65535, /* of a lap */
	MOST_LOCALS = 16384, /* bytes of local variables, in which counters are looked for */
};
#define NO_EVENT SIZE_MAX /* the read does not race */

/* Updates that may have changed something in laps that were left out. */
static uint64_t doubtful;

static bool is_read(const struct lap_read *r, uint32_t site, const struct access *a)
{
	return r->site == site && r->address == a->address && r->size == a->size;
}

/* ---- registers ---- */

bool laps_same_expr(const struct laps *l, expr a, expr b)
{
	struct expr_pair symbols[LAP_READS];
	size_t n = 0;
	if (a == b)
		return true;
	for (uint32_t i = 0; i < l->now.n; i++)
		if (l->now.reads[i].symbol)
			symbols[n++] = (struct expr_pair){ l->before.reads[i].symbol, l->now.reads[i].symbol };
	return expr_same_but(engine.exprs, a, b, symbols, n);
}

static bool same_registers(const struct laps *l, const struct slot *now, size_t n)
{
	if (!l->snapped || l->registers.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (l->registers.at[i].v != now[i].v || !laps_same_expr(l, l->registers.at[i].e, now[i].e))
			return false;
	return true;
}

/* ---- laps ---- */

/* The read at hand is the first of a lap. Called for most reads, so what is not in use is left as it is. */
static void lap_begin(struct lap *lap, const struct ethread *t)
{
	lap->sap = t->saps;
	lap->path_bits = t->path_bits;
	lap->conditions = t->laps.conditions;
	lap->value = t->laps.value;
	lap->effects = t->effects + t->ops + t->next_input;
	lap->stored = ithread_stored(t->interp);
	lap->lines = t->lines.passed;
	lap->bits = 0;
	lap->n = lap->nstores = 0;
}

static void lap_copy(struct lap *to, const struct lap *from)
{
	memcpy(to, from, offsetof(struct lap, reads) + from->n * sizeof from->reads[0]);
}

static bool same_reads(const struct lap *a, const struct lap *b)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->reads[i].site != b->reads[i].site || a->reads[i].address != b->reads[i].address ||
		    a->reads[i].size != b->reads[i].size || !a->reads[i].symbol != !b->reads[i].symbol ||
		    a->reads[i].writes != b->reads[i].writes || a->reads[i].written.v != b->reads[i].written.v)
			return false;
	return a->n && a->n == b->n;
}

/* From one place on, and from a later one. Values that were not recorded any more are all the same: there are none. */
static bool same_values(const struct ethread *t, size_t first, size_t second, size_t n)
{
	const struct trace_values *v = &t->log->values;
	n = first >= v->n ? 0 : n < v->n - first ? n : v->n - first;
	return trace_values_repeat(v, second, second - first, n) == n;
}

/* Values apart. */
static bool same_stores(const struct lap *a, const struct lap *b)
{
	for (uint32_t i = 0; i < a->nstores && a->nstores == b->nstores; i++)
		if (a->stores[i].site != b->stores[i].site || a->stores[i].address != b->stores[i].address ||
		    a->stores[i].size != b->stores[i].size)
			return false;
	return a->nstores == b->nstores;
}

/* Were the last two laps the same, registers and what they stored apart? The second one ends now. */
static bool are_same(const struct ethread *t, const struct lap *end)
{
	const struct lap *a = &t->laps.before, *b = &t->laps.now;
	uint64_t nbits = end->path_bits - b->path_bits;
	return same_reads(a, b) && same_stores(a, b) && nbits && nbits <= MOST_BITS && nbits == b->path_bits - a->path_bits &&
	       a->bits == b->bits && end->sap - b->sap == b->sap - a->sap && end->sap - b->sap <= MOST_SAPS &&
	       a->effects == b->effects && b->effects == end->effects && end->value - b->value == b->value - a->value &&
	       same_values(t, a->value, b->value, end->value - b->value);
}

/* It writes another value only where it finds the one that it is looking for. */
static bool is_compare(expr written)
{
	return written && expr_node(engine.exprs, written)->op == EXPR_ITE;
}

void laps_doubt(expr written)
{
	doubtful += !is_compare(written);
}

/* ... and was what others can see of what they wrote the same? */
static bool wrote_same(const struct ethread *t)
{
	const struct lap *a = &t->laps.before, *b = &t->laps.now;
	for (uint32_t i = 0; i < a->n; i++)
		if (!laps_same_expr(&t->laps, a->reads[i].written.e, b->reads[i].written.e))
			return false;
	return true;
}

/* The way of the lap that ends now was decided by what was read there. */
static bool is_decided_by(const struct ethread *t, const struct lap_read *r)
{
	for (size_t i = t->laps.now.conditions; i < t->conditions.n; i++)
		if (expr_mentions(engine.exprs, t->conditions.at[i].condition.condition, r->symbol))
			return true;
	return false;
}

/*
 * An update that leaves all as it is, such as that of a lock that is tried again and again, is no more than a read. That it is one in all laps, what the
 * thread found there has to tell: a thread that only keeps a flag up finds it down at times.
 */
static bool is_like_read(const struct ethread *t, const struct lap_read *r, const struct lap_read *before)
{
	bool merged = r->event == before->event; /* spin.c has asked */
	return !r->writes || merged || is_compare(r->written.e) || is_decided_by(t, r);
}

static bool are_like_reads(const struct ethread *t)
{
	const struct lap *a = &t->laps.before, *b = &t->laps.now;
	for (uint32_t i = 0; i < b->n; i++)
		if (!is_like_read(t, &b->reads[i], &a->reads[i]))
			return false;
	return true;
}

/* ... and what they stored? */
static bool stored_same(const struct ethread *t, const struct lap *end)
{
	const struct lap *a = &t->laps.before, *b = &t->laps.now;
	for (uint32_t i = 0; i < a->nstores; i++)
		if (a->stores[i].value != b->stores[i].value)
			return false;
	return end->stored - b->stored == b->stored - a->stored;
}

/*
 * Did the thread record no values any more from some place among these on? It had too many, mostly because it goes round for ever. What
 * it read then is not known; but that it went on as before, its path tells.
 */
static bool is_cut_off(const struct ethread *t, size_t first, size_t n)
{
	return first + n > t->log->values.n && engine.trace->header.flags & RT_LOG_VALUES;
}

/* Laps whose reads are taken to find the same (lulls.c) go on no longer than that. */
static uint64_t laps_in_lull(struct ethread *t, const struct lap *end, uint64_t most)
{
	const struct lap *b = &t->laps.now;
	for (uint32_t i = 0; i < b->n; i++) {
		uint64_t to = b->reads[i].event == NO_EVENT ? lulls_until(t, b->reads[i].address) : UINT64_MAX;
		uint64_t n = to == UINT64_MAX ? most : to > t->saps ? (to - t->saps) / (end->sap - b->sap) : 0;
		most = n < most ? n : most;
	}
	return most;
}

/*
 * Is what the lap read last, and has not branched on yet, one read with those of the laps before (spin.c)? Their branches went one way,
 * and that of the last lap left out may go another: it has to be executed.
 */
static bool is_merged_ahead(const struct ethread *t)
{
	const struct lap *b = &t->laps.now;
	for (uint32_t i = 1; i < b->n; i++)
		if (t->spin.merged && b->reads[i].event == t->spin.event)
			return true;
	return false;
}

/* How many more of the same the log has, counted up to `most`. */
static uint64_t laps_ahead(struct ethread *t, const struct lap *end, uint64_t most)
{
	const struct lap *b = &t->laps.now;
	t->laps.cut_off = false;
	uint64_t nbits = end->path_bits - b->path_bits;
	size_t values = end->value - b->value;
	if (engine.guided < engine.guide.n) {
		const struct guide_run *r = &engine.guide.at[engine.guided];
		if (r->thread != t->log->info.number || r->sap < t->saps)
			return 0;
		uint64_t guided = (r->sap - t->saps) / (end->sap - b->sap);
		most = guided < most ? guided : most;
	}
	most = laps_in_lull(t, end, most);
	if (signals_bits_ahead(t) / nbits < most) /* the lap in which a handler runs is another one */
		most = signals_bits_ahead(t) / nbits;
	if (values && b->value < trace_often_end(t->log)) { /* laps behind that have fewer */
		uint64_t end_often = trace_often_end(t->log), left = end_often > end->value ? (end_often - end->value) / values : 0;
		most = left < most ? left : most;
	}
	if (values && b->value < t->log->values.n) {
		uint64_t all = most < UINT64_MAX / values ? most * values : UINT64_MAX;
		uint64_t n = trace_values_repeat(&t->log->values, end->value, values, all) / values;
		if (n < most) {
			t->laps.cut_off = n >= WORTHWHILE && is_cut_off(t, end->value + n * values, values);
			most = t->laps.cut_off ? most : n;
		}
	}
	uint64_t n = path_reader_repeats(&t->path, b->bits, (unsigned)nbits, most);
	/* The last one may be the one that failed, with other values. */
	bool differs = t->laps.cut_off || is_merged_ahead(t);
	return differs && n ? n - 1 : n;
}

/* Whoever has to come after the first lap's reads waits for those of the laps that are left out. */
static void mark_first(struct ethread *t, uint32_t i, uint64_t saps)
{
	size_t last = t->laps.now.reads[i].event, first = t->laps.before.reads[i].event;
	/* Two that spin.c has made one: the one before it. */
	if (first == last && first)
		first--;
	struct event *e = &t->events.at[first], *same = &t->events.at[last];
	if (first < last && e->kind == same->kind && event_reads(e) && e->object == same->object && e->site == same->site) {
		e->flags |= EVENT_LAPS;
		e->laps = (uint32_t)(last - first) << 16 | (uint32_t)saps;
	}
}

static void move_event(struct ethread *t, const struct lap_read *r, uint64_t by, uint64_t time)
{
	struct event *e = &t->events.at[r->event];
	e->sap += by;
	e->run = ++engine.nevents;
	e->after = time;
	e->before = 0;
	if (r->symbol)
		engine.symbols.at[expr_node(engine.exprs, r->symbol)->value].read.sap = e->sap;
	if (t->stamped > r->event)
		t->stamped = r->event;
}

/* `time`: when the lap began that they move to. */
static void move_lap(struct ethread *t, uint64_t saps, uint64_t by, uint64_t time)
{
	const struct lap *last = &t->laps.now;
	for (uint32_t i = 0; i < last->n; i++) {
		if (last->reads[i].event == NO_EVENT) {
			quiet_moved(t, last->reads[i].address, by);
			lulls_moved(t, last->reads[i].address, by);
			continue;
		}
		mark_first(t, i, saps);
		move_event(t, &last->reads[i], by, time);
	}
	for (size_t i = last->conditions; i < t->conditions.n; i++)
		t->conditions.at[i].sap += by;
}

/*
 * Laps that leave all as it is need not be done in a replay either. It goes on from the first of the last two that were executed with the second,
 * whose events are those of the last lap; who waits for a read of the last but one, waits for the first's.
 */
static void leave_out_of_replay(struct ethread *t, const struct lap *end, uint64_t n)
{
	uint64_t saps = end->sap - t->laps.now.sap;
	uint64_t before = t->left_out.n ? t->left_out.at[t->left_out.n - 1].fewer : 0;
	*vec_push(&t->left_out) = (struct left_out){ .thread = t->number, .sap = t->laps.now.sap + (n - 1) * saps,
						      .fewer = before + n * saps };
	t->bits_left_out += n * (end->path_bits - t->laps.now.path_bits);
}

static void leave_out(struct ethread *t, const struct lap *end, uint64_t n)
{
	struct lap *last = &t->laps.now;
	uint64_t nbits = end->path_bits - last->path_bits, saps = end->sap - last->sap;
	size_t values = end->value - last->value;
	path_reader_skip(&t->path, (n - 1) * nbits);
	time_path(t);
	uint64_t time = t->time; /* stamps that come in the last lap may come after its reads */
	path_reader_skip(&t->path, nbits);
	rounds_skipped(t);
	t->path_bits += n * nbits;
	t->spin.path_bits += n * nbits;
	for (uint64_t filled = 0, i = 0; i < n && filled < 64; i++, filled += nbits)
		t->recent_bits = (nbits < 64 ? t->recent_bits << nbits : 0) | last->bits;
	t->saps += n * saps;
	t->next_value += n * values;
	t->laps.value = t->next_value;
	time_path(t);
	if (!t->laps.cut_off)
		move_lap(t, saps, n * saps, time);
	last->sap += n * saps;
	last->path_bits += n * nbits;
	last->value += n * values;
	last->lines = t->lines.passed;
	for (uint32_t i = 0; i < last->n; i++)
		if (last->reads[i].writes)
			laps_doubt(last->reads[i].written.e);
}

uint64_t laps_doubtful(void)
{
	return doubtful;
}

static void snap(struct laps *l, struct ethread *t, const struct slot *registers, size_t n)
{
	size_t size;
	l->snapped = true;
	l->registers.n = l->locals.n = 0;
	for (size_t i = 0; i < n; i++)
		*vec_push(&l->registers) = registers[i];
	l->locals_at = ithread_locals(t->interp, &size);
	for (size_t i = 0; i < size / sizeof *l->locals_at && size <= MOST_LOCALS; i++)
		*vec_push(&l->locals) = l->locals_at[i];
}

/* A lap ends that was executed with symbols for what it counts. */
static void consider_counted(struct ethread *t, const struct lap *end)
{
	struct laps *l = &t->laps;
	bool is_round = l->now.n == 1;
	uint64_t n = are_same(t, end) && wrote_same(t) && are_like_reads(t) ? counting_ends(t, end, laps_ahead) : 0;
	counting_stops(t);
	l->snapped = false;
	l->misses = n > (is_round ? AS_CHEAP : 0) ? 0 : l->misses + 1;
	if (n)
		leave_out(t, end, n);
}

/* A lap ends: is it one of many? */
static void consider(struct ethread *t, const struct lap *end)
{
	struct laps *l = &t->laps;
	if (!are_same(t, end) || !wrote_same(t) || !are_like_reads(t)) {
		l->snapped = false;
		return;
	}
	bool often = l->misses < EAGER || !(l->misses & (l->misses - 1));
	if (!l->snapped && !often) {
		l->misses++;
		return;
	}
	size_t nregisters;
	const struct slot *registers = ithread_registers(t->interp, &nregisters);
	if (stored_same(t, end) && same_registers(l, registers, nregisters)) {
		uint64_t n = laps_ahead(t, end, UINT64_MAX);
		l->misses = 0;
		if (n >= WORTHWHILE && (!engine.most_lines || lines_repeat(t, end->lines - l->now.lines, n))) {
			leave_out_of_replay(t, end, n);
			leave_out(t, end, n);
		}
		return;
	}
	if (l->snapped && !engine.most_lines && laps_ahead(t, end, WORTHWHILE + 2) == WORTHWHILE + 2 &&
	    counting_begins(t, end, registers, nregisters))
		return;
	l->misses++;
	if (often)
		snap(l, t, registers, nregisters);
	else
		l->snapped = false;
}

void laps_read(struct ethread *t, uint32_t site, const struct access *a)
{
	struct laps *l = &t->laps;
	l->conditions = t->conditions.n;
	l->value = t->next_value;
	l->ends = l->now.n && is_read(&l->now.reads[0], site, a) && t->events.n == l->nevents;
	if (!l->ends || !t->log || engine.seed)
		return;
	struct lap end;
	lap_begin(&end, t);
	uint64_t nbits = end.path_bits - l->now.path_bits;
	l->now.bits = nbits && nbits <= MOST_BITS ? t->recent_bits & (UINT64_MAX >> (64 - nbits)) : 0;
	if (l->counting.on)
		consider_counted(t, &end);
	else
		consider(t, &end);
	l->turn = l->misses >= EAGER && !l->counting.on && l->now.n > 1 && l->turns < l->now.n;
}

/* Is the event at hand the only one since the last of the lap's? */
static bool is_alone(const struct ethread *t, bool racy)
{
	return t->events.n == t->laps.nevents || (racy && t->events.n == t->laps.nevents + 1);
}

/* The next read begins the first of other laps. */
static void turn(struct ethread *t)
{
	struct laps *l = &t->laps;
	l->now.n = l->before.n = 0;
	l->ends = l->turn = l->snapped = false;
	l->misses = 0;
	l->turns++;
	l->nevents = t->events.n;
}

static void note(struct ethread *t, const struct lap_read *r)
{
	struct laps *l = &t->laps;
	if (l->ends && l->turn) {
		turn(t);
		return;
	}
	if (l->ends || !is_alone(t, r->event != NO_EVENT) || !l->now.n || l->now.n == LAP_READS) {
		if (l->ends) {
			lap_copy(&l->before, &l->now);
		} else {
			counting_stops(t);
			l->turns = l->now.n ? 0 : l->turns;
			l->before.n = 0, l->snapped = false, l->misses = 0;
		}
		lap_begin(&l->now, t);
	}
	l->ends = false;
	l->nevents = t->events.n;
	l->now.reads[l->now.n++] = *r;
}

static struct lap_read read_of(const struct ethread *t, uint32_t site, const struct access *a, bool racy)
{
	struct lap_read r = { .site = site, .size = (uint32_t)a->size, .address = a->address, .event = NO_EVENT };
	if (racy) {
		r.event = t->events.n - 1;
		r.symbol = t->events.at[r.event].read;
	}
	return r;
}

void laps_note(struct ethread *t, uint32_t site, const struct access *a, bool racy)
{
	struct lap_read r = read_of(t, site, a, racy);
	note(t, &r);
}

void laps_updated(struct ethread *t, uint32_t site, const struct access *a, uint64_t old)
{
	struct lap_read r = read_of(t, site, a, true);
	r.writes = true;
	r.written = a->value;
	t->effects += a->value.v != old || counting_clean(t, a->value.e) != a->value.e;
	note(t, &r);
}

void laps_store(struct ethread *t, uint32_t site, const struct access *a)
{
	struct lap *l = &t->laps.now;
	if (l->n && l->nstores < LAP_STORES)
		l->stores[l->nstores++] = (struct lap_store){ site, a->size, a->address, a->value.v };
	else
		t->effects++;
}
