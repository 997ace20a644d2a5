/*
 * The independent checker (src/model/check.h), rule by rule: of two or three threads, an order that it has to accept and one that it has to
 * refuse, with what it says of that. Inference trusts it with every answer; test_bruteforce.c compares it with a machine at random.
 */
#include "make_execution.h"
#include "model/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, MOST = 40, THREADS = 3 };

/*
 * "1", "2" and "3": the next event of that thread, its START and END among them. "!1": the oldest store of thread 1 that is still buffered
 * becomes visible; "?1": the newest.
 */
static size_t read_order(const struct execution *x, const char *text, struct step steps[MOST])
{
	uint32_t next[THREADS], buffered[THREADS][MOST], n[THREADS] = {0};
	size_t nsteps = 0;
	for (size_t t = 0; t < x->threads.n; t++)
		next[t] = x->threads.at[t].first;
	for (const char *c = text; *c; c++) {
		char how = *c == '!' || *c == '?' ? *c++ : 0;
		unsigned t = (unsigned)(*c - '1');
		if (!how) {
			if (x->events.at[next[t]].kind == EVENT_WRITE)
				buffered[t][n[t]++] = next[t];
			steps[nsteps++] = (struct step){next[t]++, false};
			continue;
		}
		uint32_t which = how == '!' ? 0 : n[t] - 1;
		steps[nsteps++] = (struct step){buffered[t][which], true};
		memmove(&buffered[t][which], &buffered[t][which + 1], (n[t] - which - 1) * sizeof **buffered);
		n[t]--;
	}
	return nsteps;
}

struct rule {
	void (*make)(struct execution *x);
	enum memory_model model;
	const char *good; /* NULL: there is none */
	const char *bad, *message;
};

static void check_rule(const struct rule *r)
{
	struct execution x;
	struct step steps[MOST];
	struct error err = {{0}};
	execution_init(&x);
	r->make(&x);
	size_t n = r->good ? read_order(&x, r->good, steps) : 0;
	if (r->good && !check_order(&x, r->model, steps, n, NULL, &err))
		fail_msg("%s: %s is refused: %s", r->message, r->good, err.text);
	n = read_order(&x, r->bad, steps);
	if (check_order(&x, r->model, steps, n, NULL, &err))
		fail_msg("%s: %s is accepted", r->message, r->bad);
	if (!strstr(err.text, r->message))
		fail_msg("%s: %s is refused for another reason: %s", r->message, r->bad, err.text);
	execution_release(&x);
}

#define CHECK(...)                                                                        \
	do {                                                                              \
		static const struct rule rules[] = {__VA_ARGS__};                         \
		(void)state;                                                              \
		for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)                 \
			check_rule(&rules[i]);                                            \
	} while (0)

/* ---- threads ---- */

static void make_created(struct execution *x)
{
	make_thread(x, "1");
	make_event(x, EVENT_CREATE, 1);
	make_event(x, EVENT_JOIN, 1);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_end(x, 0);
}

static void make_known(struct execution *x)
{
	make_thread(x, "1");
	uint32_t a = make_event(x, EVENT_CALL, 0);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_order(x, a, make_event(x, EVENT_CALL, 0));
	make_end(x, 0);
}

static void threads(void **state)
{
	CHECK({make_created, MEMORY_SC, "112211", "211211", "starts before it is created"},
	      {make_created, MEMORY_SC, "112211", "112121", "joins thread 1:1, which has not ended"},
	      {make_created, MEMORY_SC, NULL, "11221", "is missing from the order"},
	      {make_known, MEMORY_SC, "112122", "122112", "is known to precede it"}, );
}

/* ---- locks ---- */

static void make_section(struct execution *x, const char *name, uint16_t flags)
{
	make_thread(x, name);
	x->events.at[make_event(x, EVENT_LOCK, 0)].flags |= flags;
	x->events.at[make_event(x, EVENT_UNLOCK, 0)].flags |= flags;
	make_end(x, 0);
}

static void make_two_writers(struct execution *x)
{
	make_section(x, "1", 0);
	make_section(x, "1:1", 0);
}

static void make_reader_and_writer(struct execution *x)
{
	make_section(x, "1", EVENT_SHARED);
	make_section(x, "1:1", 0);
}

static void make_two_readers(struct execution *x)
{
	make_section(x, "1", EVENT_SHARED);
	make_section(x, "1:1", EVENT_SHARED);
}

/* Locked twice, so that one release does not free it. */
static void make_recursive(struct execution *x)
{
	make_thread(x, "1");
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_end(x, 0);
	make_section(x, "1:1", 0);
}

static void make_stray_unlock(struct execution *x)
{
	make_section(x, "1", 0);
	make_thread(x, "1:1");
	make_event(x, EVENT_UNLOCK, 0);
	make_end(x, 0);
}

static void make_stray_reader_unlock(struct execution *x)
{
	make_stray_unlock(x);
	x->events.at[x->events.n - 2].flags |= EVENT_SHARED;
}

static void make_try(struct execution *x, uint16_t holder, uint16_t trier)
{
	make_section(x, "1", holder);
	make_thread(x, "1:1");
	x->events.at[make_event(x, EVENT_BUSY, 0)].flags |= trier;
	make_end(x, 0);
}

static void make_try_writer(struct execution *x)
{
	make_try(x, 0, 0);
}

static void make_try_as_reader(struct execution *x)
{
	make_try(x, EVENT_SHARED, EVENT_SHARED);
}

static void make_try_against_reader(struct execution *x)
{
	make_try(x, EVENT_SHARED, 0);
}

/* Two locks, and a semaphore that has the number of one of them. */
static void make_namesakes(struct execution *x)
{
	make_thread(x, "1");
	make_event(x, EVENT_LOCK, 1);
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_event(x, EVENT_UNLOCK, 1);
	uint32_t take = make_event(x, EVENT_TAKE, 0);
	x->events.at[take].count = 1;
	make_end(x, 0);
	make_section(x, "1:1", 0);
	for (size_t e = take + 2; e < x->events.n; e++)
		x->events.at[e].object = 1;
}

static void locks(void **state)
{
	CHECK({make_two_writers, MEMORY_SC, "11112222", "11221122", "that thread 1 holds"},
	      {make_reader_and_writer, MEMORY_SC, "11112222", "11221122", "that readers hold"},
	      {make_reader_and_writer, MEMORY_SC, "22221111", "22112211", "that thread 1:1 holds"},
	      {make_two_readers, MEMORY_SC, "11221122", "1112222", "missing"},
	      {make_recursive, MEMORY_SC, "1111112222", "1111221122", "that thread 1 holds"},
	      {make_stray_unlock, MEMORY_SC, NULL, "1122211", "that it does not hold"},
	      {make_stray_reader_unlock, MEMORY_SC, NULL, "1122211", "that no reader holds"},
	      {make_try_writer, MEMORY_SC, "1122211", "1111222", "which is free"},
	      {make_try_against_reader, MEMORY_SC, "1122211", "2221111", "which is free"},
	      {make_namesakes, MEMORY_SC, "11111112222", "11221111122", "that thread 1 holds"},
	      {make_try_as_reader, MEMORY_SC, NULL, "1122211", "which is free"}, );
}

/* ---- other synchronization ---- */

static void make_counted(struct execution *x, enum event_kind kind, uint32_t count)
{
	uint32_t e = make_event(x, kind, 0);
	x->events.at[e].count = count;
}

static void make_semaphore(struct execution *x, enum event_kind kind, uint32_t tokens)
{
	make_thread(x, "1");
	make_counted(x, EVENT_POST, tokens);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_counted(x, kind, tokens);
	make_end(x, 0);
}

static void make_take(struct execution *x)
{
	make_semaphore(x, EVENT_TAKE, 0);
}

static void make_empty(struct execution *x)
{
	make_semaphore(x, EVENT_EMPTY, 0);
}

static void make_full(struct execution *x)
{
	make_semaphore(x, EVENT_EMPTY, 1);
}

/* One that is there, and one that has to come. */
static void make_second_take(struct execution *x)
{
	make_thread(x, "1");
	make_counted(x, EVENT_POST, 1);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_counted(x, EVENT_TAKE, 1);
	make_counted(x, EVENT_TAKE, 1);
	make_end(x, 0);
}

/* Two rounds of a barrier for two. */
static void make_barrier(struct execution *x)
{
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1:1" : "1");
		for (int round = 0; round < 2; round++) {
			make_counted(x, EVENT_ARRIVE, 2);
			make_counted(x, EVENT_LEAVE, 2);
		}
		make_end(x, 0);
	}
}

static void make_waiter(struct execution *x, enum event_kind wakes)
{
	make_thread(x, "1");
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_event(x, EVENT_WAIT, 7);
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_event(x, wakes, 7);
	make_end(x, 0);
}

static void make_signalled(struct execution *x)
{
	make_waiter(x, EVENT_SIGNAL);
}

static void make_broadcast(struct execution *x)
{
	make_waiter(x, EVENT_BROADCAST);
}

static void make_signalled_elsewhere(struct execution *x)
{
	make_waiter(x, EVENT_SIGNAL);
	x->events.at[x->events.n - 2].object = 8;
}

/* Two wait for what the third does. */
static void make_two_waiters(struct execution *x, enum event_kind wakes)
{
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1:1" : "1");
		make_event(x, EVENT_LOCK, 0);
		make_event(x, EVENT_UNLOCK, 0);
		make_event(x, EVENT_WAIT, 7);
		make_event(x, EVENT_LOCK, 0);
		make_event(x, EVENT_UNLOCK, 0);
		make_end(x, 0);
	}
	make_thread(x, "1:2");
	make_event(x, wakes, 7);
	make_end(x, 0);
}

static void make_two_signalled(struct execution *x)
{
	make_two_waiters(x, EVENT_SIGNAL);
}

static void make_two_broadcast(struct execution *x)
{
	make_two_waiters(x, EVENT_BROADCAST);
}

static void make_hang(struct execution *x)
{
	make_thread(x, "1");
	make_event(x, EVENT_LOCK, 0);
	make_event(x, EVENT_UNLOCK, 0);
	make_event(x, EVENT_HANG, 7);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_event(x, EVENT_SIGNAL, 7);
	make_end(x, 0);
}

static void other_synchronization(void **state)
{
	CHECK({make_take, MEMORY_SC, "112221", "222111", "which has none"},
	      {make_empty, MEMORY_SC, "222111", "111222", "finds no token"},
	      {make_full, MEMORY_SC, NULL, "222111", "finds no token"},
	      {make_barrier, MEMORY_SC, "112212121212", "111222121212", "before all have arrived"},
	      {make_barrier, MEMORY_SC, "112211221212", "112211122221", "before all have arrived"},
	      {make_signalled, MEMORY_SC, "1112211112", "1221111112", "nobody signalled"},
	      {make_broadcast, MEMORY_SC, "1112211112", "1111112212", "nobody signalled"},
	      {make_signalled_elsewhere, MEMORY_SC, NULL, "1112211112", "nobody signalled"},
	      {make_second_take, MEMORY_SC, "1122212", "2221112", "which has none"},
	      {make_two_signalled, MEMORY_SC, NULL, "11122233111122223", "nobody signalled"},
	      {make_two_broadcast, MEMORY_SC, "11122233111122223", "11133222111122223", "nobody signalled"},
	      {make_hang, MEMORY_SC, "22111112", "11122112", "is woken, but never wakes"}, );
}

/* ---- memory ---- */

/* Thread 1:1 reads what thread 1 wrote, or fails its condition. */
static void make_message(struct execution *x)
{
	make_initial(x, X, 1, 0);
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 5));
	make_end(x, 0);
	make_thread(x, "1:1");
	make_condition(x, EXPR_EQ, make_read(x, X, 1), make_const(x, 1, 5), true, CONDITION_PATH);
	make_end(x, 0);
}

/* Where initials overlap, the first counts: what the executor met first is the older. */
static void make_overlapping_initials(struct execution *x)
{
	make_initial(x, X, 1, 3);
	make_initial(x, X, 2, 0x0404);
	make_thread(x, "1");
	make_end(x, 0);
	make_thread(x, "1:1");
	make_condition(x, EXPR_EQ, make_read(x, X, 2), make_const(x, 2, 0x0403), true, CONDITION_PATH);
	make_event(x, EVENT_CALL, 0);
	make_end(x, 0);
}

static void make_unknown(struct execution *x)
{
	make_thread(x, "1");
	make_end(x, 0);
	make_thread(x, "1:1");
	make_condition(x, EXPR_EQ, make_read(x, X, 1), make_const(x, 1, 5), true, CONDITION_PATH);
	make_end(x, 0);
}

/* Two reads that found the same; `first`: what that was, by the log. Thread 1:1 writes something else. */
static void make_reads(struct execution *x, expr first)
{
	make_initial(x, X, 1, 5);
	make_thread(x, "1");
	expr v = make_read(x, X, 1);
	make_read(x, X, 1);
	if (first)
		x->events.at[x->events.n - 2].read = v = first;
	x->events.at[x->events.n - 1].read = v;
	make_end(x, 0);
	make_thread(x, "1:1");
	make_write(x, X, 1, make_const(x, 1, 6));
	make_end(x, 0);
}

static void make_same_reads(struct execution *x)
{
	make_reads(x, EXPR_NONE);
}

static void make_known_reads(struct execution *x)
{
	make_reads(x, make_const(x, 1, 5));
}

/* What is read beside a store that is still buffered is memory's. */
static void make_neighbour(struct execution *x)
{
	make_initial(x, X, 2, 0x0500);
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 1));
	make_condition(x, EXPR_EQ, make_read(x, X + 1, 1), make_const(x, 1, 5), true, CONDITION_PATH);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_end(x, 0);
}

/* A value that nobody knows is no matter where the other one is chosen; `known`: which of the two is known. */
static void make_choice(struct execution *x, bool known)
{
	make_initial(x, X, 1, known);
	make_thread(x, "1");
	expr chosen = make_read(x, X, 1), unknown = make_read(x, Y, 1), seven = make_const(x, 1, 7);
	expr is_one = expr_equals(x->exprs, chosen, 1);
	make_condition(x, EXPR_EQ, expr_ite(x->exprs, is_one, known ? seven : unknown, known ? unknown : seven), seven, true,
		       CONDITION_PATH);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_write(x, X, 1, make_const(x, 1, !known));
	make_end(x, 0);
}

static void make_chosen_first(struct execution *x)
{
	make_choice(x, true);
}

static void make_chosen_second(struct execution *x)
{
	make_choice(x, false);
}

/* Two stores, of two bytes and of one; thread 1:1 does nothing. */
static void make_stores(struct execution *x, uint64_t second)
{
	make_thread(x, "1");
	make_write(x, X, 2, make_const(x, 2, 1));
	make_write(x, second, 1, make_const(x, 1, 2));
	make_end(x, 0);
	make_thread(x, "1:1");
	make_end(x, 0);
}

static void make_far_stores(struct execution *x)
{
	make_stores(x, Y);
}

static void make_store_behind(struct execution *x)
{
	make_stores(x, X + 2);
}

static void make_store_before(struct execution *x)
{
	make_stores(x, X - 1);
}

static void make_overlapping_stores(struct execution *x)
{
	make_stores(x, X + 1);
}

static void make_fence(struct execution *x)
{
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 1));
	make_event(x, EVENT_FENCE, 0);
	make_end(x, 0);
	make_thread(x, "1:1");
	make_end(x, 0);
}

/* A call that others are known to come after has its thread's stores visible; `led`: there is such a one. */
static void make_call(struct execution *x, bool led)
{
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 1));
	uint32_t call = make_event(x, EVENT_CALL, 0);
	make_end(x, 0);
	make_thread(x, "1:1");
	uint32_t later = make_event(x, EVENT_CALL, 0);
	make_end(x, 0);
	if (led)
		make_order(x, call, later);
}

static void make_led_call(struct execution *x)
{
	make_call(x, true);
}

static void make_free_call(struct execution *x)
{
	make_call(x, false);
}

static void make_known_update(struct execution *x)
{
	make_known_reads(x);
	x->events.at[1].kind = EVENT_UPDATE;
	x->events.at[1].written = make_const(x, 1, 5);
}

/* An update is one step: it reads what is there, and nothing comes in between. */
static void make_updates(struct execution *x)
{
	make_initial(x, X, 1, 0);
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1:1" : "1");
		expr v = make_read(x, X, 1);
		struct event *e = &x->events.at[x->events.n - 1];
		e->kind = EVENT_UPDATE;
		e->written = make_add(x, v, 1);
		if (t)
			make_condition(x, EXPR_EQ, v, make_const(x, 1, 1), true, CONDITION_PATH);
		make_end(x, 0);
	}
}

static void memory(void **state)
{
	CHECK({make_message, MEMORY_SC, "111222", "222111", "does not hold"},
	      {make_message, MEMORY_TSO, "11!11222", "11222!11", "does not hold"},
	      {make_message, MEMORY_TSO, "11!11222", "111222", "never becomes visible"},
	      {make_overlapping_initials, MEMORY_SC, "112222", "11222", "missing"},
	      {make_unknown, MEMORY_SC, NULL, "11222", "depends on a value that nobody reads"},
	      {make_far_stores, MEMORY_TSO, "111!1!1122", "111?1!1122", "before an earlier store"},
	      {make_far_stores, MEMORY_PSO, "111?1!1122", "111!1122", "never becomes visible"},
	      {make_overlapping_stores, MEMORY_PSO, "111!1!1122", "111?1!1122", "before an earlier store"},
	      {make_fence, MEMORY_TSO, "11!11122", "111!1122", "not visible yet"},
	      {make_fence, MEMORY_PSO, "11!11122", "111!1122", "not visible yet"},
	      {make_store_behind, MEMORY_PSO, "111?1!1122", "111!1122", "never becomes visible"},
	      {make_store_before, MEMORY_PSO, "111?1!1122", "111!1122", "never becomes visible"},
	      {make_same_reads, MEMORY_SC, "1111222", "1122112", "reads 6 where 5 is expected"},
	      {make_known_reads, MEMORY_SC, "1111222", "2211112", "reads 6 where 5 is expected"},
	      {make_neighbour, MEMORY_TSO, "111!1122", "111122", "never becomes visible"},
	      {make_chosen_first, MEMORY_SC, "1111222", "2211112", "depends on a value that nobody reads"},
	      {make_chosen_second, MEMORY_SC, "1111222", "2211112", "depends on a value that nobody reads"},
	      {make_led_call, MEMORY_TSO, "11!111222", "111!11222", "not visible yet"},
	      {make_free_call, MEMORY_TSO, "111!11222", "1111222", "never becomes visible"},
	      {make_known_update, MEMORY_SC, "1111222", "2211112", "reads 6 where 5 is expected"},
	      {make_updates, MEMORY_SC, "112212", "221112", "does not hold"}, );
}

static void refuses(void (*make)(struct execution *), enum memory_model model, const struct step *steps, size_t n,
		    const char *message)
{
	struct execution x;
	struct error err = {{0}};
	execution_init(&x);
	make(&x);
	assert_false(check_order(&x, model, steps, n, NULL, &err));
	if (!strstr(err.text, message))
		fail_msg("%s: %s", message, err.text);
	execution_release(&x);
}

#define REFUSES(make, model, message, ...)                                                                        \
	refuses(make, model, (const struct step[]){__VA_ARGS__}, sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step), \
		message)

/* What is no order of the events at all. */
static void no_orders(void **state)
{
	(void)state;
	REFUSES(make_fence, MEMORY_TSO, "before it is issued", {0, false}, {1, true}, {1, false}, {2, false}, {3, false}, {4, false},
		{5, false});
	REFUSES(make_far_stores, MEMORY_SC, "out of program order", {0, false}, {2, false}, {1, false}, {3, false}, {4, false},
		{5, false});
	REFUSES(make_far_stores, MEMORY_SC, "comes twice", {0, false}, {1, false}, {1, false}, {2, false}, {3, false}, {4, false},
		{5, false});
	REFUSES(make_far_stores, MEMORY_SC, "names event 6 of 6", {0, false}, {6, false});
}

/* Every place keeps what was written there, whatever else there is. */
static void many_places(void **state)
{
	enum { PLACES = 300 };
	static struct step steps[2 * PLACES + 2];
	struct execution x;
	struct error err = {{0}};
	(void)state;
	execution_init(&x);
	make_thread(&x, "1");
	for (uint64_t i = 0; i < PLACES; i++)
		make_write(&x, X + 24 * i, 1, make_const(&x, 1, i & 0xff));
	for (uint64_t i = 0; i < PLACES; i++)
		make_condition(&x, EXPR_EQ, make_read(&x, X + 24 * i, 1), make_const(&x, 1, i & 0xff), true, CONDITION_PATH);
	make_end(&x, 0);
	for (uint32_t i = 0; i < x.events.n; i++)
		steps[i] = (struct step){i, false};
	if (!check_order(&x, MEMORY_SC, steps, x.events.n, NULL, &err))
		fail_msg("%s", err.text);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(locks),
		cmocka_unit_test(other_synchronization),
		cmocka_unit_test(memory),
		cmocka_unit_test(no_orders),
		cmocka_unit_test(many_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
