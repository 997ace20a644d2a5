/* The search (solve/walk.h): busy waiting, mutual exclusion by flags, and what it does not claim. */
#include "infer_once.h"
#include "make_execution.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FLAG = 0x1000, OTHER = 0x1040, COUNT = 0x1080, THIRD = 0x10c0, ROUNDS = 40, LAPS = 5 };

static enum infer_result search(struct execution *x, enum memory_model model, struct infer_stats *stats)
{
	struct infer_options o = infer_defaults();
	o.model = model;
	o.seconds = 20;
	o.walk_seconds = 20; /* the search alone */
	o.fewest_seconds = 0;
	return infer_once(x, &o, stats);
}

/* while (flag == i) ; for i = 0, 1, ...: each turn is seen a hundred times before it is over. */
static void busy_waiting_costs_nothing(void **state)
{
	(void)state;
	struct execution x;
	struct infer_stats stats;
	execution_init(&x);
	make_initial(&x, FLAG, 4, 0);
	make_thread(&x, "1");
	for (uint64_t i = 0; i < ROUNDS; i++)
		for (int k = 0; k <= 100; k++)
			make_condition(&x, EXPR_EQ, make_read(&x, FLAG, 4), make_const(&x, 4, i), k < 100,
				       CONDITION_PATH);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:1");
	for (uint64_t i = 1; i <= ROUNDS; i++)
		make_write(&x, FLAG, 4, make_const(&x, 4, i));
	make_end(&x, 0);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_FOUND);
	assert_true(stats.walked);
	assert_true(stats.states < 10 * ROUNDS);
	execution_release(&x);
}

/* mine = 1; if (theirs == 0) count++; mine = 0; by two threads, again and again: is an update lost? */
static void make_flags(struct execution *x)
{
	static const uint64_t mine[2] = {FLAG, OTHER};
	execution_init(x);
	for (int i = 0; i < 2; i++)
		make_initial(x, mine[i], 4, 0);
	make_initial(x, COUNT, 4, 0);
	uint32_t ends[2];
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1:2" : "1:1");
		for (int i = 0; i < ROUNDS; i++) {
			make_write(x, mine[t], 4, make_const(x, 4, 1));
			make_condition(x, EXPR_EQ, make_read(x, mine[!t], 4), make_const(x, 4, 0), true,
				       CONDITION_PATH);
			make_write(x, COUNT, 4, make_add(x, make_read(x, COUNT, 4), 1));
			make_write(x, mine[t], 4, make_const(x, 4, 0));
		}
		ends[t] = make_end(x, 0);
	}
	make_thread(x, "1");
	uint32_t join[2] = {make_event(x, EVENT_JOIN, 0), make_event(x, EVENT_JOIN, 1)};
	for (int t = 0; t < 2; t++)
		make_order(x, ends[t], join[t]);
	make_condition(x, EXPR_EQ, make_read(x, COUNT, 4), make_const(x, 4, 2 * ROUNDS), false, CONDITION_BUG);
	make_end(x, EVENT_FAILS);
}

static void flags_exclude_under_sc_only(void **state)
{
	(void)state;
	struct execution x;
	struct infer_stats stats;
	make_flags(&x);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_NONE);
	assert_true(stats.walked);
	assert_int_equal(search(&x, MEMORY_TSO, &stats), INFER_FOUND);
	assert_int_equal(search(&x, MEMORY_PSO, &stats), INFER_FOUND);
	execution_release(&x);
}

/* What memory holds at first is not known: that nothing is found is an error, not a proof. */
static void the_unknown_proves_nothing(void **state)
{
	(void)state;
	struct execution x;
	struct infer_stats stats;
	execution_init(&x);
	make_thread(&x, "1");
	make_condition(&x, EXPR_EQ, make_read(&x, FLAG, 4), make_const(&x, 4, 7), true, CONDITION_PATH);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:1");
	make_write(&x, FLAG, 4, make_const(&x, 4, 8));
	make_end(&x, 0);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_ERROR);
	execution_release(&x);
}

/* The event that was made last is a piece of the SAP before it. */
static void same_sap(struct execution *x)
{
	x->threads.at[x->threads.n - 1].saps--;
	x->events.at[x->events.n - 1].sap--;
}

/* One thread writes a pair in one SAP, again and again; another reads it in two, and finds halves that differ, and again. */
static void make_pairs(struct execution *x, bool less)
{
	execution_init(x);
	make_initial(x, FLAG, 4, 0);
	make_initial(x, OTHER, 4, 0);
	make_thread(x, "1:1");
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		make_write(x, FLAG, 4, make_const(x, 4, i));
		make_write(x, OTHER, 4, make_const(x, 4, i));
		same_sap(x);
	}
	uint32_t end = make_end(x, 0);
	make_thread(x, "1");
	for (int i = 0; i < ROUNDS / 2; i++) {
		expr first = make_read(x, FLAG, 4), second = make_read(x, OTHER, 4);
		make_condition(x, less ? EXPR_ULT : EXPR_EQ, less ? second : first, less ? first : second, less, CONDITION_PATH);
	}
	make_order(x, end, make_event(x, EVENT_JOIN, 0));
	make_end(x, EVENT_FAILS);
}

/* What replay cannot part is parted only where nothing else explains the execution. */
static void pieces_stay_together(void **state)
{
	(void)state;
	for (int less = 0; less < 2; less++) {
		struct execution x;
		struct infer_stats stats;
		struct infer_options o = infer_defaults();
		struct infer_state *infer = NULL;
		struct schedule schedule;
		struct error err;
		make_pairs(&x, less); /* the second is less: only when the pair is parted */
		o.walk_seconds = 20;
		o.fewest_seconds = 0;
		assert_int_equal(infer_schedule(&x, &o, &infer, &schedule, &stats, &err), INFER_FOUND);
		assert_int_equal(schedule.unenforced != 0, less);
		schedule_release(&schedule);
		infer_free(infer);
		execution_release(&x);
	}
}

static void make_number_up(struct execution *x)
{
	expr v = make_read(x, FLAG, 4);
	struct event *e = &x->events.at[x->events.n - 1];
	e->kind = EVENT_UPDATE;
	e->written = make_add(x, v, 1);
}

/*
 * A sequence lock: while its number stays the same, the counts fit together; but in the last round of one reader they do not. Time stamps tell roughly how far
 * the others were.
 */
static void make_sequence_lock(struct execution *x)
{
	static const uint64_t all[] = {FLAG, COUNT, OTHER, THIRD};
	uint32_t written[ROUNDS + 1];
	execution_init(x);
	for (int i = 0; i < 4; i++)
		make_initial(x, all[i], 4, 0);
	make_thread(x, "1:1");
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		make_number_up(x);
		for (uint64_t k = 1; k < 4; k++)
			written[i] = make_write(x, all[k], 4, make_const(x, 4, k * i));
		make_number_up(x);
	}
	make_end(x, 0);
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1" : "1:2");
		for (int i = 1; i <= LAPS * ROUNDS; i++) {
			bool last = t && i == LAPS * ROUNDS, again = i % LAPS == 3 && !last;
			expr found[4];
			for (int k = 0; k < 4; k++)
				found[k] = make_read(x, all[k], 4);
			if (i % (8 * LAPS) == 0) {
				make_order(x, written[i / LAPS - 2], (uint32_t)x->events.n - 1);
				if (i / LAPS + 2 <= ROUNDS)
					make_order(x, (uint32_t)x->events.n - 1, written[i / LAPS + 2]);
			}
			make_condition(x, EXPR_EQ, found[0], make_read(x, FLAG, 4), !again, CONDITION_PATH);
			if (!again)
				make_condition(x, EXPR_EQ, expr_binary(x->exprs, EXPR_ADD, found[1], found[2]), found[3], !last,
					       last ? CONDITION_BUG : CONDITION_PATH);
		}
		make_end(x, t ? EVENT_FAILS : 0);
	}
}

/* What a read has to find is known as soon as all is known that it is compared with. */
static void values_that_are_wanted_stay(void **state)
{
	(void)state;
	struct execution x;
	struct infer_stats stats;
	make_sequence_lock(&x);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_FOUND);
	assert_true(stats.walked);
	execution_release(&x);
}

static void make_time(struct execution *x, uint32_t e, uint64_t after, uint64_t before)
{
	x->events.at[e].after = after;
	x->events.at[e].before = before;
}

/* A read that is known to have found 1, which by the time stamps only the first write can have been: the order keeps it behind that, and before the second. */
static void what_time_decides_is_kept(void **state)
{
	(void)state;
	struct execution x;
	struct infer_options o = infer_defaults();
	o.use_time = true;
	o.time_margin = 10;
	o.seconds = 20;
	execution_init(&x);
	make_initial(&x, FLAG, 4, 0);
	make_thread(&x, "1");
	make_time(&x, make_write(&x, FLAG, 4, make_const(&x, 4, 1)), 1000, 2000);
	make_time(&x, make_write(&x, FLAG, 4, make_const(&x, 4, 2)), 5000, 6000);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:1");
	uint32_t read = make_event(&x, EVENT_READ, FLAG);
	x.events.at[read].size = 4;
	x.events.at[read].read = make_const(&x, 4, 1);
	make_time(&x, read, 3000, 4000);
	make_end(&x, 0);
	assert_int_equal(infer_once(&x, &o, NULL), INFER_FOUND);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_waiting_costs_nothing),
		cmocka_unit_test(flags_exclude_under_sc_only),
		cmocka_unit_test(the_unknown_proves_nothing),
		cmocka_unit_test(pieces_stay_together),
		cmocka_unit_test(values_that_are_wanted_stay),
		cmocka_unit_test(what_time_decides_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
