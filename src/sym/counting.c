/*
 * Loops that poll and count: how often they have, how long to wait next. Two laps are then the same but for some registers
 * and words of memory. The next lap is executed with symbols for these (counters.h); what it makes of them, and of the branches that
 * they decide, says how they go on in later laps, and for how many of these. So many can be left out (laps.c), and what changes be
 * given the value that it has after them.
 *
 * The lap that is looked at is known to go the way of the one before: the log has the same branches for it, those that are not recorded
 * are seen here (counting_known), and nothing but what has a symbol has changed.
 */
#include "sym/engine.h"

#include <string.h>

/* Things that change, at the most; laps that are left out, at the least; steps of counters. */
enum { MOST_COUNTED = 12, LEAST_LAPS = 3, MOST_MASKED = 6 };
#define MOST_STEP ((int64_t)1 << 48)

static uint64_t word_at(uint64_t address, uint32_t size)
{
	uint64_t v = 0;
	memcpy(&v, (const void *)(uintptr_t)address, size);
	return v;
}

/* ---- what changes ---- */

/* False: too much does, or by too much. */
static bool note_change(struct counting *c, struct counted what, uint64_t before)
{
	what.step = (int64_t)(what.value - before);
	*vec_push(&c->what) = what;
	return c->what.n <= MOST_COUNTED && what.step < MOST_STEP && what.step > -MOST_STEP && what.value <= INT64_MAX;
}

static bool find_registers(struct laps *l, const struct slot *now, size_t n)
{
	if (l->registers.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct slot before = l->registers.at[i];
		if (before.v == now[i].v && laps_same_expr(l, before.e, now[i].e))
			continue;
		if (before.e || now[i].e || !note_change(&l->counting, (struct counted){ .reg = i, .value = now[i].v }, before.v))
			return false;
	}
	return true;
}

static bool find_locals(const struct ethread *t, struct laps *l)
{
	size_t size;
	const uint32_t *now = ithread_locals(t->interp, &size);
	if (now != l->locals_at || size / sizeof *now != l->locals.n)
		return false;
	for (size_t i = 0; i < l->locals.n; i++)
		if (now[i] != l->locals.at[i] &&
		    !note_change(&l->counting, (struct counted){ .address = (uintptr_t)&now[i], .size = sizeof *now, .value = now[i] },
				 l->locals.at[i]))
			return false;
	return true;
}

/* What was stored at sites; local variables that are were found already. */
static bool find_stores(struct laps *l)
{
	for (uint32_t i = 0; i < l->now.nstores; i++) {
		const struct lap_store *s = &l->now.stores[i];
		bool found = false;
		for (size_t k = 0; k < l->counting.what.n; k++) {
			struct counted *w = &l->counting.what.at[k];
			if (w->address < s->address || w->address >= s->address + s->size)
				continue;
			found = w->site = true;
		}
		if (found || s->value == l->before.stores[i].value)
			continue;
		/* The last store counts, if there are several to one place. */
		if (word_at(s->address, s->size) != s->value ||
		    !note_change(&l->counting, (struct counted){ .address = s->address, .size = s->size, .site = true, .value = s->value },
				 l->before.stores[i].value))
			return false;
	}
	return true;
}

/* By how much another value of the word makes ithread_stored differ; whole: it is half of a word of 8 bytes that was stored. */
static uint64_t stored_differs(const struct counted *w, bool whole, uint64_t before)
{
	uint64_t rest = whole ? word_at(w->address + 4, 4) << 32 : 0;
	return ithread_store_grows(w->address, w->value | rest) - ithread_store_grows(w->address, before | rest);
}

/* Is what changes all that the lap stored otherwise than the one before? */
static bool explains_stores(const struct counting *c, uint64_t differs)
{
	size_t n = 0;
	const struct counted *words[MOST_COUNTED];
	for (size_t i = 0; i < c->what.n; i++)
		if (c->what.at[i].address && !c->what.at[i].site)
			words[n++] = &c->what.at[i];
	if (n > MOST_MASKED)
		return false;
	for (unsigned whole = 0; whole < 1u << n; whole++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += stored_differs(words[i], whole >> i & 1, words[i]->value - (uint64_t)words[i]->step);
		if (sum == differs)
			return true;
	}
	return false;
}

static uint64_t stored_otherwise(const struct ethread *t, const struct lap *end)
{
	const struct lap *a = &t->laps.before, *b = &t->laps.now;
	return (end->stored - b->stored) - (b->stored - a->stored);
}

bool counting_begins(struct ethread *t, const struct lap *end, const struct slot *registers, size_t n)
{
	struct laps *l = &t->laps;
	struct counting *c = &l->counting;
	c->what.n = c->known.n = 0;
	if (!find_registers(l, registers, n) || !find_locals(t, l) || !find_stores(l) || !c->what.n ||
	    !explains_stores(c, stored_otherwise(t, end)))
		return false;
	size_t nexprs = expr_count(engine.exprs);
	counters_begin(&c->counters, engine.exprs);
	for (size_t i = 0; i < n; i++)
		l->registers.at[i] = registers[i];
	for (size_t i = 0; i < c->what.n; i++) {
		const struct counted *w = &c->what.at[i];
		expr e = counters_add(&c->counters, w->address ? 8 * w->size : 64, (struct counter){ w->value, w->step });
		if (w->address)
			interp_set_memory_expr(engine.interp, w->address, w->size, e);
		else
			ithread_set_register(t->interp, w->reg, (struct slot){ w->value, e });
	}
	c->on = true;
	c->failed = false;
	t->spin.nexprs += expr_count(engine.exprs) - nexprs; /* the round did not make these */
	return true;
}

/* ---- the end of it ---- */

/* The expression grows by `step` in each lap, for *most laps. */
static bool grows(const struct counting *c, expr e, int64_t step, uint64_t *most)
{
	int64_t grows;
	return counters_in(&c->counters, e) ? counters_step(&c->counters, e, &grows, most) && grows == step : !step;
}

static const struct counted *counted_register(const struct counting *c, size_t reg)
{
	for (size_t i = 0; i < c->what.n; i++)
		if (!c->what.at[i].address && c->what.at[i].reg == reg)
			return &c->what.at[i];
	return NULL;
}

static bool registers_go_on(const struct ethread *t, const struct slot *now, size_t n, uint64_t *most)
{
	const struct laps *l = &t->laps;
	const struct counting *c = &l->counting;
	if (l->registers.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct counted *w = counted_register(c, i);
		int64_t step = w ? w->step : 0;
		if (now[i].v != l->registers.at[i].v + (uint64_t)step || !grows(c, now[i].e, step, most))
			return false;
		if (!counters_in(&c->counters, now[i].e) && !laps_same_expr(l, l->registers.at[i].e, now[i].e))
			return false;
	}
	return true;
}

struct going_on {
	const struct counting *c;
	uint64_t *most;
	bool ok;
};

static expr stays(void *data, expr e)
{
	struct going_on *g = data;
	g->ok = g->ok && grows(g->c, e, 0, g->most);
	return e;
}

static bool is_counted(const struct counting *c, uint64_t address)
{
	for (size_t i = 0; i < c->what.n; i++)
		if (c->what.at[i].address == address)
			return true;
	return false;
}

/* The other half of a counter of 8 bytes, of which one half changes. */
static bool half_stays(const struct counting *c, uint64_t address, uint64_t *most)
{
	expr e = is_counted(c, address) ? EXPR_NONE : interp_memory_expr(engine.interp, address, 4);
	if (!counters_in(&c->counters, e))
		return true;
	if (!expr_is_const(engine.exprs, counters_put(&c->counters, e, 0), NULL))
		return false;
	interp_clear_memory_expr(engine.interp, address, 4);
	return grows(c, e, 0, most);
}

/* Words of memory that count do, and all others stay what they are. */
static bool memory_goes_on(struct counting *c, uint64_t *most)
{
	struct going_on g = { c, most, true };
	for (size_t i = 0; i < c->what.n; i++) {
		const struct counted *w = &c->what.at[i];
		if (!w->address)
			continue;
		expr e = interp_memory_expr(engine.interp, w->address, w->size);
		if (word_at(w->address, w->size) != w->value + (uint64_t)w->step || !grows(c, e, w->step, most))
			return false;
		interp_clear_memory_expr(engine.interp, w->address, w->size);
		if (w->size == 4 && !half_stays(c, w->address ^ 4, most))
			return false;
	}
	interp_replace_memory_exprs(engine.interp, stays, &g);
	return g.ok;
}

/* What decided branches stays what it is. */
static bool branches_go_on(const struct ethread *t, uint64_t *most)
{
	const struct counting *c = &t->laps.counting;
	for (size_t i = 0; i < c->known.n; i++)
		if (!grows(c, c->known.at[i], 0, most))
			return false;
	for (size_t i = t->laps.now.conditions; i < t->conditions.n; i++)
		if (!grows(c, t->conditions.at[i].condition.condition, 0, most))
			return false;
	return true;
}

/* To where `laps` more laps take it. */
static void go_on(struct ethread *t, uint64_t laps)
{
	struct counting *c = &t->laps.counting;
	for (size_t i = 0; i < c->what.n; i++) {
		const struct counted *w = &c->what.at[i];
		uint64_t v = w->value + (uint64_t)w->step * (laps + 1);
		if (w->address)
			memcpy((void *)(uintptr_t)w->address, &v, w->size);
		else
			ithread_set_register(t->interp, w->reg, (struct slot){ v, EXPR_NONE });
	}
}

/* Values of the end of the lap stand for those of its beginning, for explains_stores. */
static bool stores_go_on(struct ethread *t, const struct lap *end)
{
	struct counting *c = &t->laps.counting;
	for (size_t i = 0; i < c->what.n; i++)
		c->what.at[i].value += (uint64_t)c->what.at[i].step;
	bool ok = explains_stores(c, stored_otherwise(t, end));
	for (size_t i = 0; i < c->what.n; i++)
		c->what.at[i].value -= (uint64_t)c->what.at[i].step;
	return ok;
}

uint64_t counting_ends(struct ethread *t, const struct lap *end,
		       uint64_t (*ahead)(struct ethread *, const struct lap *, uint64_t most))
{
	struct counting *c = &t->laps.counting;
	uint64_t most = UINT64_MAX;
	size_t n;
	if (c->failed || !stores_go_on(t, end) || !branches_go_on(t, &most))
		return 0;
	const struct slot *registers = ithread_registers(t->interp, &n);
	if (!registers_go_on(t, registers, n, &most) || !memory_goes_on(c, &most) || most < LEAST_LAPS)
		return 0;
	most = ahead(t, end, most);
	if (most < LEAST_LAPS)
		return 0;
	counting_stops(t);
	go_on(t, most);
	return most;
}

/* ---- without symbols again ---- */

static expr cleaned(struct counting *c, expr e)
{
	expr clean = counters_put(&c->counters, e, 0);
	return expr_is_const(engine.exprs, clean, NULL) ? EXPR_NONE : clean;
}

static expr put(void *data, expr e)
{
	struct counting *c = data;
	return counters_put(&c->counters, e, 0);
}

static void clean_registers(struct ethread *t)
{
	struct counting *c = &t->laps.counting;
	size_t n;
	const struct slot *registers = ithread_registers(t->interp, &n);
	for (size_t i = 0; i < n; i++)
		if (counters_in(&c->counters, registers[i].e))
			ithread_set_register(t->interp, i, (struct slot){ registers[i].v, cleaned(c, registers[i].e) });
}

/* Those that rest on nothing else are gone. One that does not hold: the log went another way than the counters say. */
static bool clean_conditions(struct ethread *t)
{
	struct counting *c = &t->laps.counting;
	size_t n = t->laps.now.conditions < t->conditions.n ? t->laps.now.conditions : t->conditions.n;
	bool hold = true;
	for (size_t i = n; i < t->conditions.n; i++) {
		struct local_condition k = t->conditions.at[i];
		uint64_t value;
		k.condition.condition = counters_put(&c->counters, k.condition.condition, 0);
		if (!expr_is_const(engine.exprs, k.condition.condition, &value))
			t->conditions.at[n++] = k;
		else if (!value)
			hold = false;
	}
	t->conditions.n = n;
	return hold;
}

void counting_stops(struct ethread *t)
{
	struct counting *c = &t->laps.counting;
	if (!c->on)
		return;
	c->on = false;
	clean_registers(t);
	interp_replace_memory_exprs(engine.interp, put, c);
	bool hold = clean_conditions(t);
	/* To spin.c this lap was one like others. */
	t->spin.nexprs = expr_count(engine.exprs);
	if (t->spin.conditions > t->conditions.n)
		t->spin.conditions = t->conditions.n;
	if (!hold)
		host_mismatch(t->interp);
}

expr counting_clean(struct ethread *t, expr e)
{
	struct counting *c = &t->laps.counting;
	if (!c->on || !counters_in(&c->counters, e))
		return e;
	expr clean = cleaned(c, e);
	/* Not every expression of this lap is of counters. */
	c->failed |= clean != e;
	return clean;
}

bool counting_known(struct ethread *t, expr e, uint64_t v)
{
	struct counting *c = &t->laps.counting;
	uint64_t before;
	if (!c->on || !counters_in(&c->counters, e) || !expr_is_const(engine.exprs, counters_put(&c->counters, e, 0), NULL))
		return false;
	if (expr_is_const(engine.exprs, counters_put(&c->counters, e, -1), &before) && before == v)
		*vec_push(&c->known) = e;
	else
		counting_stops(t); /* this lap takes another way than the one before */
	return true;
}
