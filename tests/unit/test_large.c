/*
 * The search of large problems (solve/walk.h): two threads stir cells, for so long that every wrong choice counts, and now and then a store is delayed
 * (solve/way.h).
 */
#include "infer_once.h"
#include "make_execution.h"
#include "random.h"
#include "solve/infer.h"
#include "solve/machine.h"
#include "solve/way.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CELLS = 16, THREADS = 2, TURNS = 1500, SWITCH = 16 };

/* A turn: cell += added, and what was found there when it was read back. */
struct turn {
	uint32_t cell, added, found;
};

/* What the threads did; `sum` is what a thread is about to write when it is in the middle of a turn. */
struct run {
	struct turn turns[THREADS][TURNS + 2];
	uint32_t n[THREADS], sum[THREADS];
	bool in_turn[THREADS];
	uint32_t cells[CELLS];
};

static struct turn *turn_of(struct run *r, int t)
{
	return &r->turns[t][r->n[t]];
}

static void begin_turn(struct run *r, int t, uint32_t cell)
{
	*turn_of(r, t) = (struct turn){cell, (uint32_t)next_random(), 0};
	r->sum[t] = r->cells[cell] + turn_of(r, t)->added;
}

static void end_turn(struct run *r, int t, uint32_t found)
{
	turn_of(r, t)->found = found;
	r->n[t]++;
}

/* Others come between a read and the write, and between turns, now and then. */
static void stir(struct run *r, uint32_t turns)
{
	int t = 0;
	uint32_t until = r->n[0] + turns;
	while (r->n[0] < until || r->n[1] < until) {
		t = pick(SWITCH) ? t : !t;
		if (r->n[t] == until)
			t = !t;
		r->in_turn[t] = !r->in_turn[t];
		if (r->in_turn[t]) {
			begin_turn(r, t, pick(CELLS));
		} else {
			r->cells[turn_of(r, t)->cell] = r->sum[t];
			end_turn(r, t, r->sum[t]);
		}
	}
}

/* Both threads write one cell and read the other's before they see the other's write: the first one's stores come late. */
static void delay_stores(struct run *r)
{
	uint32_t before = r->cells[1], late[2];
	for (uint32_t i = 0; i < 2; i++) {
		begin_turn(r, 0, i);
		late[i] = r->sum[0];
		end_turn(r, 0, late[i]);
	}
	assert_int_equal(r->cells[1], before);
	for (uint32_t i = 2; i-- > 0;) {
		begin_turn(r, 1, i);
		r->cells[i] = r->sum[1];
		end_turn(r, 1, r->cells[i]);
	}
	for (uint32_t i = 0; i < 2; i++)
		r->cells[i] = late[i];
}

static void make_run(struct execution *x, const struct run *r)
{
	execution_init(x);
	for (uint32_t i = 0; i < CELLS; i++)
		make_initial(x, 0x1000 + 64 * i, 4, 0);
	for (int t = 0; t < THREADS; t++) {
		make_thread(x, t ? "1:1" : "1");
		for (uint32_t i = 0; i < r->n[t]; i++) {
			const struct turn *turn = &r->turns[t][i];
			uint64_t cell = 0x1000 + 64 * turn->cell;
			make_write(x, cell, 4, make_add(x, make_read(x, cell, 4), turn->added));
			make_condition(x, EXPR_EQ, make_read(x, cell, 4), make_const(x, 4, turn->found), true, CONDITION_PATH);
		}
		make_end(x, t ? 0 : EVENT_FAILS);
	}
}

static enum infer_result search(const struct execution *x, enum memory_model model, struct infer_stats *stats)
{
	struct infer_options o = infer_defaults();
	o.model = model;
	o.seconds = 60;
	o.fewest_seconds = 0;
	o.workers = 1;
	o.large = true;
	o.brief = model == MEMORY_SC;
	return infer_once(x, &o, stats);
}

static void finds_its_way(void **state)
{
	(void)state;
	static struct run r;
	struct execution x;
	struct infer_stats stats;
	r = (struct run){0};
	stir(&r, TURNS);
	make_run(&x, &r);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_FOUND);
	print_message("%llu states for %zu events\n", (unsigned long long)stats.states, x.events.n);
	assert_true(stats.states < 4 * x.events.n);
	execution_release(&x);
}

static void delays_stores_where_it_is_stuck(void **state)
{
	(void)state;
	static struct run r;
	struct execution x;
	struct infer_stats stats;
	r = (struct run){0};
	stir(&r, TURNS / 2);
	delay_stores(&r);
	stir(&r, TURNS / 2);
	make_run(&x, &r);
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_BUDGET);
	assert_int_equal(search(&x, MEMORY_TSO, &stats), INFER_FOUND);
	print_message("%llu states for %zu events\n", (unsigned long long)stats.states, x.events.n);
	assert_true(stats.states < 10 * x.events.n);
	execution_release(&x);
}

/* A large problem of a few events, and a machine that is at its start. */
struct setup {
	struct execution x;
	struct memory m;
	struct problem p;
	struct machine *machine;
};

static void setup_start(struct setup *s)
{
	struct error err;
	bool contradiction;
	assert_true(memory_init(&s->m, &s->x, &(struct memory_options){.model = MEMORY_SC}, &err));
	assert_true(problem_init(&s->p, &s->m, &(struct problem_options){.large = true}, &err));
	s->machine = machine_new(&s->p, NULL, &contradiction, &err);
	assert_non_null(s->machine);
}

static void setup_release(struct setup *s)
{
	machine_free(s->machine);
	problem_release(&s->p);
	memory_release(&s->m);
	execution_release(&s->x);
}

/*
 * A thread reads a cell, adds to it, reads back what it wrote, and later reads what the other thread writes. When that comes between the read and the
 * write, the last read is lost, and that is known before the write.
 */
static void knows_that_a_write_is_doomed(void **state)
{
	(void)state;
	enum { CELL = 0x1000 };
	struct setup s;
	execution_init(&s.x);
	make_initial(&s.x, CELL, 4, 0);
	make_thread(&s.x, "1");
	uint32_t write = make_write(&s.x, CELL, 4, make_add(&s.x, make_read(&s.x, CELL, 4), 5));
	make_condition(&s.x, EXPR_EQ, make_read(&s.x, CELL, 4), make_const(&s.x, 4, 5), true, CONDITION_PATH);
	make_condition(&s.x, EXPR_EQ, make_read(&s.x, CELL, 4), make_const(&s.x, 4, 7), true, CONDITION_PATH);
	make_end(&s.x, EVENT_FAILS);
	make_thread(&s.x, "1:1");
	uint32_t other = make_write(&s.x, CELL, 4, make_const(&s.x, 4, 7));
	make_end(&s.x, 0);
	setup_start(&s);
	machine_trust(s.machine, true);
	for (uint32_t c = 0; c < machine_chains(s.machine); c++)
		while (machine_next(s.machine, c) != UINT32_MAX && machine_next(s.machine, c) != write && machine_next(s.machine, c) != other)
			machine_step(s.machine, machine_next(s.machine, c));
	assert_false(machine_is_doomed(s.machine, write));
	machine_step(s.machine, other);
	assert_true(machine_is_doomed(s.machine, write));
	setup_release(&s);
}

/*
 * One thread adds to a cell between two others' accesses: its read comes before the other's write, its write after it. The other thread then misses what
 * it wrote, and the two writes are swapped.
 */
static void swaps_writes_that_came_the_wrong_way_round(void **state)
{
	(void)state;
	enum { CELL = 0x1000 };
	struct setup s;
	struct way way = {0};
	execution_init(&s.x);
	make_initial(&s.x, CELL, 4, 0);
	uint32_t start = make_thread(&s.x, "1");
	uint32_t read = start + 1, add = make_write(&s.x, CELL, 4, make_add(&s.x, make_read(&s.x, CELL, 4), 5));
	make_condition(&s.x, EXPR_EQ, make_read(&s.x, CELL, 4), make_const(&s.x, 4, 5), true, CONDITION_PATH);
	make_end(&s.x, EVENT_FAILS);
	uint32_t other = make_thread(&s.x, "1:1"), write = make_write(&s.x, CELL, 4, make_const(&s.x, 4, 7));
	make_condition(&s.x, EXPR_EQ, make_read(&s.x, CELL, 4), make_const(&s.x, 4, 7), true, CONDITION_PATH);
	make_end(&s.x, 0);
	setup_start(&s);
	const uint32_t path[] = {start, other, read, write, add, add + 1};
	size_t n = sizeof path / sizeof *path;
	way_begin(&way, &s.p, s.machine);
	struct machine_mark before = machine_mark(s.machine);
	for (size_t i = 0; i < n; i++) {
		assert_int_not_equal(machine_step(s.machine, path[i]), STEP_WRONG);
		way_step(&way, i, path[i]);
	}
	assert_false(way_ends(&way, &s.p, s.machine, path, n));
	assert_int_equal(way_swap(&way), 3);
	assert_int_equal(way_swap(&way), SIZE_MAX);
	machine_undo(s.machine, before);
	assert_true(way_holds(&way, &s.p, s.machine, write));
	assert_false(way_holds(&way, &s.p, s.machine, add));
	const uint32_t right[] = {start, other, read, add};
	for (size_t i = 0; i < 4; i++)
		machine_step(s.machine, right[i]);
	assert_false(way_holds(&way, &s.p, s.machine, write));
	way_release(&way);
	setup_release(&s);
}

/*
 * Two threads add to a cell, and what each of them read is recorded; what a thread reads next is not what it wrote where the other came in between.
 * All values are known, so that there is nothing to be taken for granted and no way leads back.
 */
static void knows_what_recorded_values_make(void **state)
{
	(void)state;
	enum { CELL = 0x1000 };
	static uint32_t found[THREADS][TURNS];
	uint32_t n[THREADS] = {0}, sum = 0;
	struct execution x;
	struct infer_stats stats;
	for (int t = 0; n[0] < TURNS || n[1] < TURNS; t = pick(SWITCH) ? t : !t) {
		t = n[t] < TURNS ? t : !t;
		found[t][n[t]++] = sum;
		sum += 1 + (uint32_t)t;
	}
	execution_init(&x);
	make_initial(&x, CELL, 4, 0);
	for (int t = 0; t < THREADS; t++) {
		make_thread(&x, t ? "1:1" : "1");
		for (uint32_t i = 0; i < TURNS; i++) {
			expr read = make_read(&x, CELL, 4);
			make_condition(&x, EXPR_EQ, read, make_const(&x, 4, found[t][i]), true, CONDITION_PATH);
			make_write(&x, CELL, 4, make_add(&x, read, 1 + (uint64_t)t));
		}
		make_end(&x, t ? 0 : EVENT_FAILS);
	}
	assert_int_equal(search(&x, MEMORY_SC, &stats), INFER_FOUND);
	print_message("%llu states for %zu events\n", (unsigned long long)stats.states, x.events.n);
	assert_true(stats.states <= x.events.n);
	execution_release(&x);
}

/* Where the order of locks is open, who was first is a choice that dead ends may be about, as of memory. */
static void a_lock_is_touched_by_all_that_take_it(void **state)
{
	(void)state;
	struct setup s;
	uint32_t lock[THREADS];
	execution_init(&s.x);
	for (int t = 0; t < THREADS; t++) {
		make_thread(&s.x, t ? "1:1" : "1");
		lock[t] = make_event(&s.x, EVENT_LOCK, 1);
		make_event(&s.x, EVENT_UNLOCK, 1);
		make_event(&s.x, EVENT_LOCK, 2);
		make_event(&s.x, EVENT_UNLOCK, 2);
		make_end(&s.x, t ? 0 : EVENT_FAILS);
	}
	setup_start(&s);
	struct machine_atoms one = {{0}}, same = {{0}}, other = {{0}};
	machine_touches(s.machine, lock[0], &one);
	machine_touches(s.machine, lock[1], &same);
	machine_touches(s.machine, lock[1] + 2, &other);
	assert_true(one.bits[0]);
	assert_int_equal(one.bits[0], same.bits[0]);
	assert_false(one.bits[0] & other.bits[0]);
	setup_release(&s);
}

/*
 * One thread writes 1, the other is taken to read 1 and later 0. The search of large problems does not try everything: that it finds nothing says that other
 * guesses are more promising, never that there is nothing.
 */
static void says_that_nothing_is_proven(void **state)
{
	(void)state;
	enum { CELL = 0x1000 };
	struct execution x;
	struct infer_options o = infer_defaults();
	struct infer_stats stats;
	execution_init(&x);
	make_initial(&x, CELL, 4, 0);
	make_thread(&x, "1");
	make_write(&x, CELL, 4, make_const(&x, 4, 1));
	make_end(&x, 0);
	make_thread(&x, "1:1");
	make_condition(&x, EXPR_EQ, make_read(&x, CELL, 4), make_const(&x, 4, 1), true, CONDITION_ASSUMED);
	make_condition(&x, EXPR_EQ, make_read(&x, CELL, 4), make_const(&x, 4, 0), true, CONDITION_PATH);
	make_end(&x, EVENT_FAILS);
	o.large = true;
	assert_int_equal(infer_once(&x, &o, &stats), INFER_NONE);
	assert_true(stats.exhausted);
	x.conditions.at[0].kind = CONDITION_PATH;
	o.seconds = 0.1;
	assert_int_equal(infer_once(&x, &o, &stats), INFER_BUDGET);
	o.doubted = true; /* what the executor took for granted need not be a condition */
	assert_int_equal(infer_once(&x, &o, &stats), INFER_NONE);
	assert_true(stats.exhausted);
	o.large = false;
	assert_int_equal(infer_once(&x, &o, &stats), INFER_NONE);
	assert_false(stats.exhausted);
	execution_release(&x);
}

/*
 * One thread counts to 1500, the other finds each number once, and at last `last`. Any of two million pairs may belong together, but what the path says
 * leaves one for each read: that is no large problem, so that there being nothing is proven.
 */
static void is_not_large_when_paths_tell(void **state)
{
	(void)state;
	enum { CELL = 0x1000, NUMBERS = 1500 };
	for (int last = NUMBERS - 1; last <= NUMBERS; last++) {
		struct execution x;
		struct infer_options o = infer_defaults();
		struct infer_stats stats;
		execution_init(&x);
		make_initial(&x, CELL, 4, 0);
		make_thread(&x, "1");
		for (uint64_t i = 1; i <= NUMBERS; i++)
			make_write(&x, CELL, 4, make_const(&x, 4, i));
		make_end(&x, 0);
		make_thread(&x, "1:1");
		for (uint64_t i = 1; i <= NUMBERS; i++)
			make_condition(&x, EXPR_EQ, make_read(&x, CELL, 4), make_const(&x, 4, i), true, CONDITION_PATH);
		make_condition(&x, EXPR_EQ, make_read(&x, CELL, 4), make_const(&x, 4, (uint64_t)last), true, CONDITION_PATH);
		make_end(&x, EVENT_FAILS);
		o.fewest_seconds = 0;
		assert_int_equal(infer_once(&x, &o, &stats), last == NUMBERS ? INFER_FOUND : INFER_NONE);
		assert_false(stats.exhausted);
		execution_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_way),
		cmocka_unit_test(delays_stores_where_it_is_stuck),
		cmocka_unit_test(knows_that_a_write_is_doomed),
		cmocka_unit_test(swaps_writes_that_came_the_wrong_way_round),
		cmocka_unit_test(knows_what_recorded_values_make),
		cmocka_unit_test(a_lock_is_touched_by_all_that_take_it),
		cmocka_unit_test(says_that_nothing_is_proven),
		cmocka_unit_test(is_not_large_when_paths_tell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
