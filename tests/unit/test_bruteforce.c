/*
 * Inference against brute force: small random programs, all their interleavings on a machine with store
 * buffers. Inference must find a schedule exactly when one of them matches, and, asked again and again,
 * as many ways to choose the writers of all reads as brute force sees. What it proves of the fewest context switches must be
 * the fewest of all interleavings that match, with any number of workers.
 *
 *     RETHREAD_BRUTE=cases[,seed]    more of them, or others
 */
#include "brute_machine.h"
#include "infer_once.h"
#include "make_execution.h"
#include "model/check.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct totals {
	unsigned possible, impossible, maps, too_large, accepted, rejected;
	unsigned fewest, not_proven; /* context switches */
};

/* -------------------------------------------------- programs ----------------------------- */

static expr some_value(struct execution *x, unsigned size, expr *known, unsigned nknown)
{
	expr v = make_const(x, size, pick(4));
	if (nknown && pick(2)) {
		expr k = known[pick(nknown)];
		unsigned width = expr_node(x->exprs, k)->width;
		v = width < size * 8 ? expr_zext(x->exprs, k, size * 8)
				     : expr_extract(x->exprs, k, 0, size * 8);
		v = make_add(x, v, pick(3));
	}
	return v;
}

/* The last event becomes a piece of the access before it, if that is one of the same kind. */
static void join_pieces(struct execution *x)
{
	struct event *e = &x->events.at[x->events.n - 1], *before = e - 1;
	if (before->kind != e->kind || before->thread != e->thread || (e->kind != EVENT_READ && e->kind != EVENT_WRITE))
		return;
	e->sap = before->sap;
	if (e->kind == EVENT_READ)
		e->piece = before->piece + 1;
	x->threads.at[x->threads.n - 1].saps--;
}

static void make_access(struct execution *x, bool mixed, expr *known, unsigned *nknown)
{
	unsigned size = mixed && pick(2) ? 2 : 1;
	uint64_t at = BASE + pick(mixed ? 4 - size : 2);
	uint32_t kind = pick(12);
	if (kind < 6) {
		known[(*nknown)++] = make_read(x, at, size);
	} else if (kind < 11) {
		make_write(x, at, size, some_value(x, size, known, *nknown));
	} else {
		expr v = make_read(x, at, size), new = some_value(x, size, known, *nknown);
		struct event *e = &x->events.at[x->events.n - 1];
		e->kind = EVENT_UPDATE;
		if (pick(2)) /* compare and swap */
			e->written = expr_ite(x->exprs, expr_binary(x->exprs, EXPR_EQ, v, make_const(x, size, pick(2))), new, v);
		else
			e->written = make_add(x, v, 1 + pick(2));
		known[(*nknown)++] = v;
	}
	if (!pick(3))
		join_pieces(x);
}

/* wait: unlock, wait and lock again, one SAP. */
static void make_wait(struct execution *x, uint64_t lock)
{
	uint32_t e = make_event(x, EVENT_UNLOCK, lock);
	make_event(x, EVENT_WAIT, 0);
	make_event(x, EVENT_LOCK, lock);
	x->threads.at[x->threads.n - 1].saps -= 2;
	x->events.at[e + 1].sap = x->events.at[e + 2].sap = x->events.at[e].sap;
}

/* What a program is made of. */
struct kinds {
	bool mixed, locks, waits, readers, tries, semaphore, barrier;
	uint32_t tokens;
};

static void make_counted(struct execution *x, enum event_kind kind, uint32_t count)
{
	uint32_t e = make_event(x, kind, 0);
	x->events.at[e].count = count;
}

static void make_shared(struct execution *x, enum event_kind kind, int lock, bool shared)
{
	uint32_t e = make_event(x, kind, (uint64_t)lock);
	x->events.at[e].flags |= shared ? EVENT_SHARED : 0;
}

/* Something that neither holds a lock nor waits for a signal. */
static void make_other(struct execution *x, const struct kinds *k)
{
	if (k->semaphore && pick(2))
		make_counted(x, pick(4) == 0 && k->tries ? EVENT_EMPTY : pick(2) ? EVENT_POST : EVENT_TAKE, k->tokens);
	if (k->barrier && !pick(3)) {
		make_counted(x, EVENT_ARRIVE, 2);
		make_counted(x, EVENT_LEAVE, 2);
	}
	if (k->tries && k->locks && !pick(4))
		make_shared(x, EVENT_BUSY, (int)pick(LOCKS), k->readers && pick(2));
}

static void make_body(struct execution *x, const struct kinds *k)
{
	expr known[EVENTS];
	unsigned nknown = 0, n = 1 + pick(x->threads.n > 2 ? 3 : 4);
	int held = -1;
	bool shared = false;
	for (unsigned i = 0; i < n; i++) {
		if (k->locks && held < 0 && pick(2)) {
			shared = k->readers && pick(2);
			make_shared(x, EVENT_LOCK, held = (int)pick(LOCKS), shared);
		} else if (k->waits && pick(3) == 0) {
			make_event(x, pick(2) ? EVENT_SIGNAL : EVENT_BROADCAST, 0);
		} else if (!pick(10)) {
			make_event(x, EVENT_FENCE, 0);
		}
		make_other(x, k);
		make_access(x, k->mixed, known, &nknown);
		if (k->waits && held >= 0 && !shared && !pick(4))
			make_wait(x, (uint64_t)held);
		if (held >= 0 && pick(2)) {
			make_shared(x, EVENT_UNLOCK, held, shared);
			held = -1;
		}
	}
	if (k->waits && held >= 0 && !shared && !pick(3)) {
		make_event(x, EVENT_UNLOCK, (uint64_t)held);
		make_event(x, EVENT_HANG, 0);
		held = -1;
	}
	if (held >= 0 && pick(4)) /* else: held to the end */
		make_shared(x, EVENT_UNLOCK, held, shared);
}

static void make_program(struct execution *x)
{
	uint32_t nthreads = 2 + (pick(3) == 0);
	struct kinds k = {.mixed = pick(3) == 0, .locks = pick(2), .tokens = pick(3)};
	k.waits = k.locks && pick(3) == 0;
	k.readers = k.locks && pick(3) == 0;
	k.semaphore = pick(4) == 0;
	k.barrier = pick(8) == 0;
	k.tries = pick(3) == 0;
	execution_init(x);
	for (unsigned i = 0; i < MEMORY; i++)
		make_initial(x, BASE + i, 1, 0);
	for (uint32_t t = 0; t < nthreads; t++) {
		char name[8];
		snprintf(name, sizeof name, "%u", t + 1);
		make_thread(x, name);
		make_body(x, &k);
		make_end(x, t == 0 && pick(2) ? EVENT_FAILS : 0);
	}
}

/* A condition on two reads, which have the same size: their sum, difference or bits that differ, as they were or a little off. */
static void relate(struct execution *x, const struct state *s, expr a, expr b)
{
	static const enum expr_op ops[] = {EXPR_ADD, EXPR_SUB, EXPR_XOR};
	unsigned op = pick(4), width = expr_node(x->exprs, a)->width, off = pick(4) ? 0 : pick(3);
	uint64_t values[] = {s->symbols[expr_node(x->exprs, a)->value], s->symbols[expr_node(x->exprs, b)->value]}, d = (values[1] - values[0] + off) & ((1u << width) - 1);
	if (op == 3) { /* the second is so much more than the first */
		make_condition(x, EXPR_EQ, make_add(x, a, d), b, pick(4) != 0, CONDITION_PATH);
		return;
	}
	uint64_t was = op == 0 ? values[0] + values[1] : op == 1 ? values[0] - values[1] : values[0] ^ values[1];
	make_condition(x, EXPR_EQ, expr_binary(x->exprs, ops[op], a, b), expr_const(x->exprs, width, (was + off) & ((1u << width) - 1)), pick(4) != 0,
		       CONDITION_PATH);
}

static void add_relations(struct execution *x, const struct state *s)
{
	for (uint32_t e = 0, before = 0; e < x->events.n; e++) {
		const struct event *v = &x->events.at[e], *w = &x->events.at[before];
		if (!v->read)
			continue;
		if (w->read && w->thread == v->thread && w->size == v->size && pick(2))
			pick(2) ? relate(x, s, w->read, v->read) : relate(x, s, v->read, w->read);
		if (!w->read || w->thread != v->thread || pick(2))
			before = e;
	}
}

/* Conditions on what the run read: as it was, or a little off. */
static void add_conditions(struct execution *x, const struct state *s)
{
	if (seed % 3 == 0) {
		add_relations(x, s);
		return;
	}
	for (uint32_t e = 0; e < x->events.n; e++) {
		const struct event *v = &x->events.at[e];
		if (!v->read || !pick(2))
			continue;
		unsigned width = v->size * 8u;
		uint64_t was = s->symbols[expr_node(x->exprs, v->read)->value];
		if (!pick(4))
			was = (was + 1 + pick(3)) & ((1u << width) - 1);
		make_condition(x, EXPR_EQ, v->read, expr_const(x->exprs, width, was), pick(4) != 0,
			       CONDITION_PATH);
	}
}

/* What is known to come before or after an access or a call does so to all of its pieces. */
static bool is_piece(const struct execution *x, uint32_t e)
{
	const struct event *v = &x->events.at[e];
	return v->sap && ((e > 0 && v[-1].sap == v->sap && v[-1].thread == v->thread) ||
			  (e + 1 < x->events.n && v[1].sap == v->sap && v[1].thread == v->thread && v[1].kind != EVENT_END));
}

/* Some of what the run did becomes known: any two events, or the whole order of every lock. */
static void add_orders(struct execution *x, const uint32_t *order, uint32_t n)
{
	if (!pick(2))
		for (uint32_t i = pick(3); i > 0; i--) {
			uint32_t a = pick(n - 1), b = a + 1 + pick(n - a - 1);
			if (x->events.at[order[a]].thread != x->events.at[order[b]].thread && !is_piece(x, order[a]) && !is_piece(x, order[b]))
				make_order(x, order[a], order[b]);
		}
	bool others = false; /* than mutexes */
	for (size_t i = 0; i < x->events.n; i++)
		others |= event_sync_class(&x->events.at[i]) > SYNC_LOCK || x->events.at[i].kind == EVENT_BUSY;
	if (others || pick(2))
		return;
	x->lock_order_known = true;
	for (uint32_t l = 0; l < LOCKS; l++) {
		uint32_t last = UINT32_MAX;
		for (uint32_t i = 0; i < n; i++) {
			const struct event *e = &x->events.at[order[i]];
			if (e->kind != EVENT_LOCK && e->kind != EVENT_UNLOCK)
				continue;
			if (e->object != l)
				continue;
			if (last != UINT32_MAX)
				make_order(x, last, order[i]);
			last = order[i];
		}
	}
}

/* -------------------------------------------------- the checker -------------------------- */

/* Does the machine go through these steps to the end, and do all conditions hold then? Without waits only. */
static bool machine_accepts(const struct machine *m, const struct step *steps, size_t n)
{
	struct state s;
	start(m, &s);
	for (size_t i = 0; i < n; i++) {
		uint32_t e = steps[i].event, t = m->x->events.at[e].thread, k = 0;
		if (!steps[i].visible) {
			if (!step(m, &s, e, -1))
				return false;
			continue;
		}
		while (k < s.buffer[t].n && s.buffer[t].at[k].event != e)
			k++;
		if (k == s.buffer[t].n || !flush(m, &s, t, k))
			return false;
	}
	for (size_t i = 0; i < m->x->conditions.n; i++)
		if (!expr_eval(m->x->exprs, m->x->conditions.at[i].condition, s.symbols))
			return false;
	return true;
}

static bool has_waits(const struct execution *x)
{
	for (size_t i = 0; i < x->events.n; i++)
		if (event_sync_class(&x->events.at[i]) == SYNC_CONDITION)
			return true;
	return false;
}

/* An accepted order, disturbed: the checker and the machine must say the same of every change. */
static void disturb(const struct execution *x, enum memory_model model, const struct linear *l,
		    uint64_t case_seed, struct totals *totals)
{
	struct machine m = {.x = x, .model = model, .loose = true};
	struct step steps[2 * EVENTS];
	size_t n = l->steps.n;
	struct error err;
	for (int i = 0; i < 8 && !has_waits(x); i++) {
		memcpy(steps, l->steps.at, n * sizeof *steps);
		for (uint32_t k = pick(3); k + 1 > 0; k--) {
			size_t from = pick((uint32_t)n), to = pick((uint32_t)n);
			struct step moved = steps[from];
			memmove(steps + from, steps + from + 1, (n - from - 1) * sizeof *steps);
			memmove(steps + to + 1, steps + to, (n - to - 1) * sizeof *steps);
			steps[to] = moved;
		}
		bool expected = machine_accepts(&m, steps, n);
		if (check_order(x, model, steps, n, NULL, &err) != expected)
			fail_msg("seed %llu, %s: the checker is wrong (%s)", (unsigned long long)case_seed,
				 memory_model_name(model), expected ? err.text : "accepts");
		totals->accepted += expected;
		totals->rejected += !expected;
	}
	memcpy(steps, l->steps.at, n * sizeof *steps); /* one step missing, one step twice */
	assert_false(check_order(x, model, steps, n - 1, NULL, &err));
	steps[pick((uint32_t)n)] = steps[pick((uint32_t)n)];
	for (size_t i = 0; i < n; i++)
		if (steps[i].event != l->steps.at[i].event || steps[i].visible != l->steps.at[i].visible)
			assert_false(check_order(x, model, steps, n, NULL, &err));
}

/* -------------------------------------------------- comparing ---------------------------- */

/* What the first answer claims of its context switches. */
static void check_switches(const struct execution *x, enum memory_model model, const struct infer_stats *stats,
			   uint64_t case_seed, struct totals *totals)
{
	uint32_t fewest = fewest_switches_of_all(x, model);
	if (fewest == UINT32_MAX)
		return;
	if (stats->least > fewest || stats->switches < fewest || (stats->fewest && stats->switches != fewest))
		fail_msg("seed %llu, %s: %u switches, at least %u%s, but the fewest are %u", (unsigned long long)case_seed,
			 memory_model_name(model), stats->switches, stats->least, stats->fewest ? ", proven" : "", fewest);
	totals->fewest += stats->fewest;
	totals->not_proven += !stats->fewest;
}

/* In every other case pieces of one access come in any order. */
static bool is_loose(uint64_t case_seed)
{
	return case_seed / 3 % 2;
}

static unsigned count_by_solver(const struct execution *x, enum memory_model model, const char *solver,
				bool all_reads, unsigned limit, uint64_t case_seed, struct totals *totals)
{
	struct infer_options o = infer_defaults();
	struct infer_state *s = NULL;
	struct infer_stats stats;
	struct schedule schedule;
	struct error err = {{0}};
	unsigned n = 0;
	enum infer_result r = INFER_FOUND;
	o.model = model;
	o.solver = solver;
	o.all_reads = all_reads;
	o.loose = is_loose(case_seed);
	o.fewest_seconds = all_reads ? 0 : 1;
	o.workers = (unsigned)(case_seed % 5); /* 0: as many as there are processors */
	static const double alone[] = {-1, 0, 0.5}; /* no search; with all others at once; alone at first */
	o.walk_seconds = alone[formula_can_express(x) ? case_seed % 3 : 1 + case_seed % 2];
	while (n < limit && (r = infer_schedule(x, &o, &s, &schedule, &stats, &err)) == INFER_FOUND) {
		if (n == 0 && !all_reads)
			check_switches(x, model, &stats, case_seed, totals);
		if (n++ == 0)
			disturb(x, model, infer_order(s), case_seed, totals);
		schedule_release(&schedule);
	}
	if (r == INFER_ERROR || r == INFER_BUDGET)
		fail_msg("seed %llu, %s: %s", (unsigned long long)case_seed, memory_model_name(model),
			 r == INFER_ERROR ? err.text : "no decision");
	infer_free(s);
	return n;
}

/* The search for large problems prunes more than it may, and has to find out. */
static bool is_found_as_large(const struct execution *x, enum memory_model model, bool loose)
{
	struct infer_options o = infer_defaults();
	o.loose = loose;
	o.model = model;
	o.large = true;
	o.fewest_seconds = 0;
	return infer_once(x, &o, NULL) == INFER_FOUND;
}

static void compare(const struct execution *x, enum memory_model model, uint64_t case_seed, bool count_all,
		    struct totals *totals)
{
	struct machine m = {.x = x, .model = model, .first_only = !count_all, .loose = is_loose(case_seed)};
	struct state s;
	start(&m, &s);
	explore(&m, &s);
	free(m.seen);
	if (m.too_large) {
		totals->too_large++;
		vec_free(&m.found);
		return;
	}
	const char *solver = pick(3) ? "z3-lazy" : "z3-difference";
	unsigned found = count_by_solver(x, model, solver, false, 1, case_seed, totals);
	if (found != (m.found.n != 0))
		fail_msg("seed %llu, %s, %s: brute force finds %zu, inference %u",
			 (unsigned long long)case_seed, memory_model_name(model), solver, m.found.n,
			 found);
	if (found && !is_found_as_large(x, model, is_loose(case_seed)))
		fail_msg("seed %llu, %s: not found as a large problem", (unsigned long long)case_seed, memory_model_name(model));
	if (count_all) {
		unsigned all = count_by_solver(x, model, solver, true, (unsigned)m.found.n + 1,
					       case_seed, totals);
		if (all != m.found.n)
			fail_msg("seed %llu, %s, %s: %zu ways by brute force, %u by inference",
				 (unsigned long long)case_seed, memory_model_name(model), solver,
				 m.found.n, all);
		totals->maps += all;
	}
	totals->possible += found;
	totals->impossible += !found;
	vec_free(&m.found);
}

static void run_case(uint64_t case_seed, struct totals *totals)
{
	struct execution x;
	struct state s;
	uint32_t order[EVENTS], n;
	seed = case_seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 10; i++)
		pick(2);
	make_program(&x);
	enum memory_model model = (enum memory_model)pick(3);
	struct machine m = {.x = &x, .model = model, .loose = is_loose(case_seed)};
	if (x.events.n < EVENTS) {
		if (run_randomly(&m, &s, order, &n)) {
			add_conditions(&x, &s);
			add_orders(&x, order, n);
		}
		compare(&x, (enum memory_model)pick(3), case_seed, x.events.n < 16 && formula_can_express(&x), totals);
	}
	execution_release(&x);
}

static void inference_agrees_with_brute_force(void **state)
{
	(void)state;
	const char *wanted = getenv("RETHREAD_BRUTE");
	unsigned long cases = 3000, first = 1;
	if (wanted)
		sscanf(wanted, "%lu,%lu", &cases, &first);
	struct totals totals = {0};
	for (unsigned long i = 0; i < cases; i++)
		run_case(first + i, &totals);
	if (!wanted) {
		run_case(51473, &totals); /* two short stores after a long one that they overlap */
		run_case(60931, &totals); /* a store is read back before it is visible, and that is known to be so */
	}
	print_message("%u possible, %u impossible, %u ways to choose writers, %u too large\n",
		      totals.possible, totals.impossible, totals.maps, totals.too_large);
	print_message("checker: %u disturbed orders accepted, %u rejected\n", totals.accepted,
		      totals.rejected);
	print_message("context switches: proven the fewest %u times, %u times not\n", totals.fewest, totals.not_proven);
	assert_true(wanted || totals.fewest > 10 * totals.not_proven);
	assert_true(!wanted ? totals.possible > 100 && totals.impossible > 100 : true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(inference_agrees_with_brute_force)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
