/* Pieces of one access or call come in any order (src/model/loose.h); accesses of the program keep theirs. */
#include "infer_once.h"
#include "make_execution.h"
#include "model/check.h"
#include "random.h"

enum { X = 0x1000, Y = 0x2000, FROM = 0x3000, TO = 0x4000 };

static const enum memory_model models[] = {MEMORY_SC, MEMORY_TSO, MEMORY_PSO};

/* The event that was made last is a piece of the SAP before it. */
static void same_sap(struct execution *x)
{
	x->threads.at[x->threads.n - 1].saps--;
	x->events.at[x->events.n - 1].sap--;
}

/* Who is asked: the search; the formula; parts first (parts.h), then all. */
enum way { SEARCH, FORMULA, ALL, WAYS };

static enum infer_result ask(const struct execution *x, enum memory_model model, bool loose, enum way way, struct infer_stats *stats)
{
	static const double seconds[] = {20, -1, 0};
	struct infer_options o = infer_defaults();
	o.model = model;
	o.loose = loose;
	o.walk_seconds = seconds[way];
	o.fewest_seconds = 0.2;
	o.workers = 1;
	return infer_once(x, &o, stats);
}

/* All must say this, and with `loose` it has to be known for certain. */
static void expect(const struct execution *x, enum memory_model model, bool loose, enum infer_result expected)
{
	for (enum way way = 0; way < WAYS; way++) {
		struct infer_stats stats;
		assert_int_equal(ask(x, model, loose, way, &stats), expected);
		if (loose)
			assert_false(stats.in_order);
	}
}

static void sees(struct execution *x, uint64_t address, uint64_t value)
{
	expr read = make_read(x, address, 4);
	make_condition(x, EXPR_EQ, read, make_const(x, 4, value), true, CONDITION_PATH);
}

/* A copy writes X and Y, in one SAP or in two; another thread sees Y changed, and then X as it was. */
static void make_descending_writes(struct execution *x, bool one_sap)
{
	execution_init(x);
	make_initial(x, X, 4, 0);
	make_initial(x, Y, 4, 0);
	make_thread(x, "1:1");
	make_write(x, X, 4, make_const(x, 4, 1));
	make_write(x, Y, 4, make_const(x, 4, 1));
	if (one_sap)
		same_sap(x);
	uint32_t end = make_end(x, 0);
	make_thread(x, "1");
	sees(x, Y, 1);
	sees(x, X, 0);
	make_order(x, end, make_event(x, EVENT_JOIN, 0));
	make_end(x, EVENT_FAILS);
}

static void writes_are_seen_in_descending_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct execution x;
		struct infer_stats stats;
		make_descending_writes(&x, true);
		expect(&x, models[i], true, INFER_FOUND);
		ask(&x, models[i], false, SEARCH, &stats);
		assert_true(stats.in_order);
		execution_release(&x);
	}
}

static void accesses_of_the_program_keep_their_order(void **state)
{
	(void)state;
	struct execution x;
	make_descending_writes(&x, false);
	expect(&x, MEMORY_SC, true, INFER_NONE);
	expect(&x, MEMORY_TSO, true, INFER_NONE);
	expect(&x, MEMORY_PSO, true, INFER_FOUND);
	execution_release(&x);
}

/* The same with the sides changed: the pieces are reads. */
static void reads_come_in_any_order(void **state)
{
	(void)state;
	for (int one_sap = 0; one_sap < 2; one_sap++) {
		struct execution x;
		execution_init(&x);
		make_initial(&x, X, 4, 0);
		make_initial(&x, Y, 4, 0);
		make_thread(&x, "1:1");
		make_write(&x, X, 4, make_const(&x, 4, 1));
		make_write(&x, Y, 4, make_const(&x, 4, 1));
		make_end(&x, 0);
		make_thread(&x, "1");
		sees(&x, Y, 1);
		sees(&x, X, 0);
		if (one_sap)
			same_sap(&x);
		make_end(&x, EVENT_FAILS);
		expect(&x, MEMORY_SC, true, one_sap ? INFER_FOUND : INFER_NONE);
		expect(&x, MEMORY_TSO, true, one_sap ? INFER_FOUND : INFER_NONE);
		expect(&x, MEMORY_SC, false, INFER_NONE);
		execution_release(&x);
	}
}

/*
 * Two words are copied in one SAP. Another thread sees the second one's copy, then writes the original of the first, or of the second
 * itself; the copy of that has the new value.
 */
static void make_copy(struct execution *x, bool itself)
{
	execution_init(x);
	for (unsigned i = 0; i < 2; i++) {
		make_initial(x, FROM + 4 * i, 4, 1);
		make_initial(x, TO + 4 * i, 4, 0);
	}
	make_thread(x, "1:1");
	expr a = make_read(x, FROM, 4), b = make_read(x, FROM + 4, 4);
	same_sap(x);
	make_write(x, TO, 4, a);
	same_sap(x);
	make_write(x, TO + 4, 4, b);
	same_sap(x);
	uint32_t end = make_end(x, 0);
	make_thread(x, "1");
	sees(x, TO + 4, itself ? 7 : 1);
	make_write(x, itself ? FROM + 4 : FROM, 4, make_const(x, 4, 7));
	make_order(x, end, make_event(x, EVENT_JOIN, 0));
	sees(x, itself ? TO + 4 : TO, 7);
	make_end(x, EVENT_FAILS);
}

static void a_copy_is_written_after_it_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct execution x;
		make_copy(&x, false);
		expect(&x, models[i], true, INFER_FOUND);
		expect(&x, models[i], false, INFER_NONE);
		execution_release(&x);
		make_copy(&x, true); /* a value from nowhere */
		expect(&x, models[i], true, INFER_NONE);
		execution_release(&x);
	}
}

static void what_overlaps_keeps_its_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (uint64_t first = 1; first < 3; first++) {
			struct execution x;
			execution_init(&x);
			make_initial(&x, X, 8, 0);
			make_thread(&x, "1:1");
			make_write(&x, X, 8, make_const(&x, 8, 1));
			make_write(&x, X + 4, 4, make_const(&x, 4, 0));
			same_sap(&x);
			make_write(&x, X, 4, make_const(&x, 4, 2));
			same_sap(&x);
			make_end(&x, 0);
			make_thread(&x, "1");
			sees(&x, X, first);
			sees(&x, X, 3 - first);
			make_end(&x, EVENT_FAILS);
			expect(&x, models[i], true, first == 1 ? INFER_FOUND : INFER_NONE);
			execution_release(&x);
		}
}

/* What comes before the call and behind it is so for each of its pieces. */
static void calls_are_in_program_order(void **state)
{
	(void)state;
	for (int behind = 0; behind < 2; behind++)
		for (int loose = 0; loose < 2; loose++) {
			struct execution x;
			execution_init(&x);
			for (unsigned i = 0; i < 3; i++)
				make_initial(&x, X + 4 * i, 4, 0);
			make_thread(&x, "1:1");
			if (!behind)
				make_write(&x, X + 8, 4, make_const(&x, 4, 1));
			make_write(&x, X, 4, make_const(&x, 4, 1));
			make_write(&x, X + 4, 4, make_const(&x, 4, 1));
			same_sap(&x);
			if (behind)
				make_write(&x, X + 8, 4, make_const(&x, 4, 1));
			make_end(&x, 0);
			make_thread(&x, "1");
			sees(&x, behind ? X + 8 : X + 4, 1);
			sees(&x, behind ? X : X + 8, 0);
			make_end(&x, EVENT_FAILS);
			expect(&x, MEMORY_SC, loose, INFER_NONE);
			expect(&x, MEMORY_TSO, loose, INFER_NONE);
			execution_release(&x);
		}
}

/* A schedule counts what it cannot say: who looks at a copy that runs downwards is let in before it or after it. */
static void orders_inside_of_it_are_counted(void **state)
{
	(void)state;
	struct execution x;
	struct infer_options o = infer_defaults();
	struct infer_state *infer = NULL;
	struct schedule schedule;
	struct error err;
	make_descending_writes(&x, true);
	o.loose = true;
	assert_int_equal(infer_schedule(&x, &o, &infer, &schedule, NULL, &err), INFER_FOUND);
	assert_true(schedule.unenforced > 0);
	const struct linear *l = infer_order(infer);
	assert_true(check_order(&x, MEMORY_SC, l->steps.at, l->steps.n, NULL, &err));
	schedule_release(&schedule);
	infer_free(infer);
	execution_release(&x);
}

/* Far too many pieces for a chain each: they stay in order, and it is said. */
static void what_is_too_much_stays_in_order(void **state)
{
	(void)state;
	enum { PIECES = 5000 };
	struct execution x;
	struct infer_stats stats;
	execution_init(&x);
	make_thread(&x, "1:1");
	for (unsigned i = 0; i < PIECES; i++) {
		make_initial(&x, X + 4 * i, 4, 0);
		make_write(&x, X + 4 * i, 4, make_const(&x, 4, 1));
		if (i)
			same_sap(&x);
	}
	make_end(&x, 0);
	make_thread(&x, "1");
	for (unsigned i = PIECES; i-- > 0;)
		sees(&x, X + 4 * i, i == PIECES - 1);
	make_end(&x, EVENT_FAILS);
	assert_int_equal(ask(&x, MEMORY_SC, true, SEARCH, &stats), INFER_NONE);
	assert_true(stats.in_order);
	execution_release(&x);
}

/* -------------------------------------------------- all permutations --------------------- */

enum { THREADS = 3, SAPS = 2, PIECES = 3, PLACES = 3, VALUES = 3 };

/* A piece: reads or writes a place; what is written is a number, or what the piece before it reads. */
struct made {
	bool write, copies;
	uint32_t place, value;
};

struct plan {
	struct made pieces[THREADS][SAPS][PIECES];
	uint32_t count[THREADS][SAPS];
};

/* Runs the pieces in some order: reads get what they find. */
static void run_plan(struct plan *p)
{
	uint32_t memory[PLACES] = {0}, at[THREADS] = {0}, left = THREADS;
	bool done[THREADS][SAPS][PIECES] = {0};
	while (left) {
		uint32_t t = pick(THREADS), s = at[t], k, over = 0;
		if (s == SAPS)
			continue;
		k = pick(p->count[t][s]);
		struct made *m = &p->pieces[t][s][k];
		if (done[t][s][k] || (m->copies && !done[t][s][k - 1]))
			continue;
		done[t][s][k] = true;
		if (m->copies)
			m->value = m[-1].value;
		if (m->write)
			memory[m->place] = m->value;
		else
			m->value = memory[m->place];
		for (uint32_t i = 0; i < p->count[t][s]; i++)
			over += done[t][s][i];
		at[t] += over == p->count[t][s];
		left -= over == p->count[t][s] && at[t] == SAPS;
	}
}

/* Reads that some order explains; in every other case one of them is another. */
static void make_plan(struct plan *p)
{
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned s = 0; s < SAPS; s++) {
			uint32_t first = pick(PLACES), n = p->count[t][s] = 1 + pick(PIECES);
			bool write = pick(2);
			for (uint32_t i = 0; i < n; i++) { /* places that differ: what overlaps has a test of its own */
				struct made *m = &p->pieces[t][s][i];
				*m = (struct made){pick(4) ? write : !write, false, (first + i) % PLACES, 1 + pick(VALUES)};
				m->copies = i && m->write && !m[-1].write && pick(2);
			}
		}
	run_plan(p);
	unsigned t = pick(THREADS), s = pick(SAPS);
	struct made *m = &p->pieces[t][s][pick(p->count[t][s])];
	if (pick(2) && !m->write)
		m->value = pick(VALUES + 1);
}

/* The event of each piece, in the order that `order` has of each SAP; false: one would be written before it is read. */
static bool make_planned(struct execution *x, const struct plan *p, const uint8_t order[THREADS][SAPS][PIECES])
{
	bool possible = true;
	execution_init(x);
	for (unsigned i = 0; i < PLACES; i++)
		make_initial(x, X + 4 * i, 4, 0);
	for (unsigned t = 0; t < THREADS; t++) {
		make_thread(x, (const char *[]){"1", "1:1", "1:2"}[t]);
		for (unsigned s = 0; s < SAPS; s++) {
			expr read[PIECES] = {0};
			for (uint32_t i = 0; i < p->count[t][s]; i++) {
				uint32_t k = order[t][s][i];
				const struct made *m = &p->pieces[t][s][k];
				uint64_t address = X + 4 * m->place;
				possible = possible && (!m->copies || read[k - 1]);
				if (!m->write) {
					read[k] = make_read(x, address, 4);
					make_condition(x, EXPR_EQ, read[k], make_const(x, 4, m->value), true, CONDITION_PATH);
				} else {
					make_write(x, address, 4, m->copies && read[k - 1] ? read[k - 1] : make_const(x, 4, m->value));
				}
				if (i)
					same_sap(x);
			}
		}
		make_end(x, 0);
	}
	return possible;
}

static bool next_permutation(uint8_t *at, uint32_t n)
{
	uint32_t i = n - 1, k = n - 1;
	while (i && at[i - 1] >= at[i])
		i--;
	for (uint32_t a = i, b = n - 1; a < b; a++, b--) {
		uint8_t was = at[a];
		at[a] = at[b];
		at[b] = was;
	}
	if (!i)
		return false;
	for (k = i; at[k] < at[i - 1]; k++)
		;
	uint8_t was = at[i - 1];
	at[i - 1] = at[k];
	at[k] = was;
	return true;
}

static bool next_order(const struct plan *p, uint8_t order[THREADS][SAPS][PIECES])
{
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned s = 0; s < SAPS; s++)
			if (next_permutation(order[t][s], p->count[t][s]))
				return true;
	return false;
}

/* With loose pieces there is an answer exactly where there is one with some permutation of each call's pieces. */
static void loose_is_any_permutation(void **state)
{
	(void)state;
	enum { CASES = 300 };
	unsigned found = 0, only_loose = 0;
	for (unsigned i = 0; i < CASES; i++) {
		struct plan p;
		enum memory_model model = models[i % 3];
		make_plan(&p);
		uint8_t order[THREADS][SAPS][PIECES];
		for (unsigned k = 0; k < THREADS * SAPS * PIECES; k++)
			(&order[0][0][0])[k] = (uint8_t)(k % PIECES);
		struct execution x;
		struct infer_stats strict, loose[WAYS];
		enum infer_result result[WAYS];
		make_planned(&x, &p, order);
		x.lock_order_known = true;
		enum infer_result first = ask(&x, model, false, SEARCH, &strict), any = first;
		for (enum way way = 0; way < WAYS; way++)
			result[way] = ask(&x, model, true, way, &loose[way]);
		execution_release(&x);
		while (any != INFER_FOUND && next_order(&p, order)) {
			if (make_planned(&x, &p, order))
				any = ask(&x, model, false, SEARCH, NULL);
			execution_release(&x);
		}
		for (enum way way = 0; way < WAYS; way++) {
			if (result[way] != any)
				print_error("case %u under %s: permutations %d, way %d %d\n", i, memory_model_name(model), any, way, result[way]);
			assert_int_equal(result[way], any);
			assert_true(first != INFER_FOUND || strict.least <= loose[way].switches); /* which is proven for all orders */
		}
		found += any == INFER_FOUND;
		only_loose += any != first;
	}
	assert_in_range(found, CASES / 10, CASES - CASES / 20);
	assert_true(only_loose > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_are_seen_in_descending_order),
		cmocka_unit_test(accesses_of_the_program_keep_their_order),
		cmocka_unit_test(reads_come_in_any_order),
		cmocka_unit_test(a_copy_is_written_after_it_is_read),
		cmocka_unit_test(what_overlaps_keeps_its_order),
		cmocka_unit_test(calls_are_in_program_order),
		cmocka_unit_test(orders_inside_of_it_are_counted),
		cmocka_unit_test(what_is_too_much_stays_in_order),
		cmocka_unit_test(loose_is_any_permutation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
