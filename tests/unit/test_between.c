/* Who is said to have come in between (src/infer/between.h): who breaks into an update that belongs together, and nobody where all is in order. */
#include "infer/between.h"
#include "make_execution.h"
#include "search/trail.h"

#include <rethread/instrument.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, L = 1, ROUNDS = 5 };

/* Where the last event is, all in one function. */
static void at_line(struct execution *x, const char *line)
{
	struct site_info *s = NULL;
	for (size_t i = 0; i < x->sites.n && !s; i++)
		if (!strcmp(x->sites.at[i].where, line))
			s = &x->sites.at[i];
	if (!s) {
		s = vec_push(&x->sites);
		*s = (struct site_info){.function = "work"};
		snprintf(s->where, sizeof s->where, "%s", line);
	}
	x->events.at[x->events.n - 1].site = (uint32_t)(s - x->sites.at);
}

static expr reads_at(struct execution *x, const char *line)
{
	expr e = make_read(x, X, 4);
	at_line(x, line);
	return e;
}

static void takes_lock(struct execution *x)
{
	make_event(x, EVENT_LOCK, L);
	const struct event *e = &x->events.at[x->events.n - 1];
	*vec_push(&x->held) = (struct held_lock){e->thread, L, false, e->sap, UINT64_MAX};
}

/* X = X + 1 ROUNDS times; the lock is taken before line 1, before line 2, or not at all (0). */
static void make_counter(struct execution *x, const char *name, int lock_before)
{
	make_thread(x, name);
	for (int i = 0; i < ROUNDS; i++) {
		if (lock_before == 1)
			takes_lock(x);
		expr e = reads_at(x, "1");
		if (lock_before == 2)
			takes_lock(x);
		make_write(x, X, 4, make_add(x, e, 1));
		at_line(x, "2");
		if (lock_before) {
			make_event(x, EVENT_UNLOCK, L);
			x->held.at[x->held.n - 1].to = x->events.at[x->events.n - 1].sap;
		}
	}
	make_end(x, 0);
}

/* Thread 0 up to its event `until`, then all of thread 1, then the rest. */
static struct linear broken_at(const struct execution *x, uint32_t until)
{
	struct linear l = {0};
	const struct execution_thread *t = x->threads.at;
	for (uint32_t i = 0; i < until; i++)
		*vec_push(&l.steps) = (struct step){i, false};
	for (uint32_t i = 0; i < t[1].count; i++)
		*vec_push(&l.steps) = (struct step){t[1].first + i, false};
	for (uint32_t i = until; i < t[0].count; i++)
		*vec_push(&l.steps) = (struct step){i, false};
	l.needed = l.steps.n;
	return l;
}

static bool find(struct between *b, struct execution *x, struct linear *l)
{
	struct slice s;
	slice_init(&s, x, l);
	uint64_t *symbols = calloc(x->nsymbols + 1, sizeof *symbols);
	for (size_t i = 0; i < x->nsymbols; i++)
		symbols[i] = 100 + i; /* no two reads found the same */
	bool found = between_find(b, &s, x, l, symbols);
	free(symbols);
	slice_release(&s);
	return found;
}

static void init(struct execution *x)
{
	execution_init(x);
	if (!x->sites.n)
		*vec_push(&x->sites) = (struct site_info){.where = "?"};
}

/* Both read before they take the lock: who wrote in between is named, and the lock that was missing where it was read. */
static void update_begun_before_the_lock(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_counter(&x, "1", 2);
	make_counter(&x, "2", 1);
	/* start, four events a round; the third round has read, and not locked */
	struct linear l = broken_at(&x, 1 + 2 * 4 + 1);
	assert_true(find(&b, &x, &l));
	assert_int_equal(l.steps.at[b.first].event, 1 + 2 * 4);
	assert_int_equal(l.steps.at[b.second].event, 1 + 2 * 4 + 2);
	assert_int_equal(x.events.at[l.steps.at[b.other].event].thread, 1);
	assert_int_equal(x.events.at[l.steps.at[b.other].event].kind, EVENT_WRITE);
	assert_int_equal(b.undisturbed, 2 * ROUNDS - 1);
	assert_int_equal(b.unlocked, b.first);
	assert_int_equal(x.events.at[b.lock].object, L);
	vec_free(&l.steps);
	execution_release(&x);
}

/* X++ in one line, with a lock of the thread's own. */
static void make_own_locked(struct execution *x, const char *name, uint32_t lock)
{
	make_thread(x, name);
	make_event(x, EVENT_LOCK, lock);
	const struct event *e = &x->events.at[x->events.n - 1];
	*vec_push(&x->held) = (struct held_lock){e->thread, lock, false, e->sap, UINT64_MAX};
	expr found = reads_at(x, "1");
	make_write(x, X, 4, make_add(x, found, 1));
	at_line(x, "1");
	make_event(x, EVENT_UNLOCK, lock);
	make_end(x, 0);
}

/* Each has a lock, and neither guards the place. */
static void different_locks(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_own_locked(&x, "1", 1);
	make_own_locked(&x, "2", 2);
	struct linear l = broken_at(&x, 3);
	assert_true(find(&b, &x, &l));
	assert_int_equal(b.lock, UINT32_MAX);
	assert_int_equal(b.apart_by[0], 1);
	assert_int_equal(b.apart_by[1], 2);
	vec_free(&l.steps);
	execution_release(&x);
}

/* The thread writes and reads; in between another one writes something else there, or the same. */
static void what_leaves_the_same(void **state)
{
	(void)state;
	for (uint64_t written = 7; written < 9; written++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_write(&x, X, 4, make_const(&x, 4, 7));
		at_line(&x, "1");
		reads_at(&x, "2");
		make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		make_write(&x, X, 4, make_const(&x, 4, written));
		at_line(&x, "3");
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), written != 7);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* The thread reads, and then writes; in between another one writes what the first has found, which it might have done before, or something else. */
static void what_leaves_as_found(void **state)
{
	(void)state;
	for (uint64_t written = 100; written < 102; written++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		reads_at(&x, "1");
		make_write(&x, X, 4, make_const(&x, 4, 3));
		at_line(&x, "2");
		make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		make_write(&x, X, 4, make_const(&x, 4, written));
		at_line(&x, "3");
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), written != 100);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* Between what the thread does there, the memory is allocated anew: that is another object, also where the order does not say when. Other memory is not. */
static void memory_given_out_again(void **state)
{
	(void)state;
	enum { HERE, UNTOLD, ELSEWHERE };
	for (int birth = HERE; birth <= ELSEWHERE; birth++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		reads_at(&x, "1");
		make_write(&x, X, 4, make_const(&x, 4, 3));
		at_line(&x, "2");
		make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		struct event *born = birth == UNTOLD ? vec_push(&x.notes) : &x.events.at[make_event(&x, EVENT_CALL, 0)];
		*born = (struct event){.thread = 1, .kind = EVENT_CALL, .object = birth == ELSEWHERE ? X + 16 : X - 16, .before = 24, .flags = EVENT_NOTE | EVENT_ALLOCATES};
		make_write(&x, X, 4, make_const(&x, 4, 5));
		at_line(&x, "3");
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), birth == ELSEWHERE);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* The thread reads what it has written again and again, and fails by what another has put there in the same line; in another line that is what it waits for. */
static void kept_as_its_own(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		uint32_t wrote = make_write(&x, X, 4, make_const(&x, 4, 7));
		at_line(&x, "1");
		for (int i = 0; i < 200; i++)
			reads_at(&x, "2");
		uint32_t before = (uint32_t)x.events.n;
		expr e = reads_at(&x, "2");
		uint32_t end = make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		make_write(&x, X, 4, make_const(&x, 4, 8));
		at_line(&x, own ? "1" : "3");
		make_end(&x, 0);
		*vec_push(&x.conditions) = (struct condition){.condition = expr_equals(x.exprs, e, 8), .event = end, .kind = CONDITION_BUG};
		struct linear l = broken_at(&x, before);
		assert_int_equal(find(&b, &x, &l), own);
		if (own)
			assert_int_equal(l.steps.at[b.first].event, wrote);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* One function leaves something where another one finds it soon afterwards; in between another thread leaves something there in the same function, for itself, or in another, perhaps for that. */
static void left_for_oneself(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_write(&x, X, 4, make_const(&x, 4, 7));
		at_line(&x, "1");
		reads_at(&x, "2");
		strcpy(x.sites.at[x.events.at[x.events.n - 1].site].function, "finds");
		make_end(&x, 0);
		make_thread(&x, "2");
		make_write(&x, X, 4, make_const(&x, 4, 8));
		at_line(&x, "3");
		strcpy(x.sites.at[x.events.at[x.events.n - 1].site].function, own ? "work" : "tells");
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), own);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* The one who breaks in is the one without the lock. */
static void intruder_without_the_lock(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_counter(&x, "1", 1);
	make_thread(&x, "2");
	make_write(&x, X, 4, make_const(&x, 4, 0));
	at_line(&x, "3");
	make_end(&x, 0);
	struct linear l = broken_at(&x, 1 + 2 * 4 + 2);
	assert_true(find(&b, &x, &l));
	assert_int_equal(b.unlocked, b.other);
	assert_int_equal(x.events.at[b.lock].object, L);
	vec_free(&l.steps);
	execution_release(&x);
}

/* X = X + 1 in one line, and a look at it in another, both in one section. */
static void make_looker(struct execution *x, const char *name, const char *adds, const char *looks)
{
	make_thread(x, name);
	for (int i = 0; i < ROUNDS; i++) {
		takes_lock(x);
		expr e = reads_at(x, adds);
		make_write(x, X, 4, make_add(x, e, 1));
		at_line(x, adds);
		reads_at(x, looks);
		make_event(x, EVENT_UNLOCK, L);
		x->held.at[x->held.n - 1].to = x->events.at[x->events.n - 1].sap;
	}
	make_end(x, 0);
}

/* What a function looks at last, and what it does first when it is called again, do not belong together; what stands the other way round in it may. */
static void called_again(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct execution x;
		struct between b;
		init(&x);
		for (int t = 0; t < 2; t++)
			make_looker(&x, t ? "2" : "1", again ? "a.c:1" : "a.c:2", again ? "a.c:2" : "a.c:1");
		struct linear l = broken_at(&x, 1 + 2 * 5);
		assert_int_equal(find(&b, &x, &l), !again);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* One after the other, each in its critical section: nothing to say. */
static void sections_in_order(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_counter(&x, "1", 1);
	make_counter(&x, "2", 1);
	struct linear l = broken_at(&x, 1 + 2 * 4);
	assert_false(find(&b, &x, &l));
	vec_free(&l.steps);
	execution_release(&x);
}

/* A thread writes, creates another that writes, and reads: what it wrote is how the place was at first, whether it joins the other or not. Who had been created before came in between. */
static void child_between(void **state)
{
	(void)state;
	enum { BEFORE, CREATES, JOINS };
	for (int how = BEFORE; how <= JOINS; how++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_event(&x, how == BEFORE ? EVENT_CREATE : EVENT_FENCE, 1);
		make_write(&x, X, 4, make_const(&x, 4, 0));
		at_line(&x, "1");
		make_event(&x, how == BEFORE ? EVENT_FENCE : EVENT_CREATE, 1);
		make_event(&x, how == JOINS ? EVENT_JOIN : EVENT_FENCE, 1);
		expr e = reads_at(&x, "2");
		uint32_t end = make_end(&x, EVENT_FAILS);
		make_thread(&x, "1:1");
		make_write(&x, X, 4, make_const(&x, 4, 5));
		at_line(&x, "3");
		make_end(&x, 0);
		*vec_push(&x.conditions) = (struct condition){.condition = expr_equals(x.exprs, e, 5), .event = end, .kind = CONDITION_BUG};
		struct linear l = broken_at(&x, 4);
		assert_int_equal(find(&b, &x, &l), how == BEFORE);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* A thread sets a mark, creates another that looks at it (the failure depends on that), and sets it again: it was meant to be seen. Who was there before was not. */
static void mark_for_a_child(void **state)
{
	(void)state;
	for (int child = 0; child < 2; child++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_event(&x, child ? EVENT_FENCE : EVENT_CREATE, 1);
		make_write(&x, X, 4, make_const(&x, 4, 0));
		at_line(&x, "1");
		make_event(&x, child ? EVENT_CREATE : EVENT_FENCE, 1);
		make_write(&x, X, 4, make_const(&x, 4, 1));
		at_line(&x, "2");
		make_end(&x, 0);
		make_thread(&x, "1:1");
		expr e = reads_at(&x, "3");
		uint32_t end = make_end(&x, EVENT_FAILS);
		*vec_push(&x.conditions) = (struct condition){.condition = expr_equals(x.exprs, e, 100), .event = end, .kind = CONDITION_BUG};
		struct linear l = broken_at(&x, 4);
		assert_int_equal(find(&b, &x, &l), !child);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* What comes second frees the memory or exchanges nothing, or what comes in between adds nothing: none of that tells anything. */
static void frees_and_adds_nothing(void **state)
{
	(void)state;
	for (int harmless = 0; harmless < 4; harmless++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_condition(&x, EXPR_EQ, reads_at(&x, "1"), make_const(&x, 4, 7), false, CONDITION_PATH);
		if (harmless == 3) {
			expr found = reads_at(&x, "2");
			x.events.at[x.events.n - 1].kind = EVENT_UPDATE;
			x.events.at[x.events.n - 1].written = found;
		} else {
			make_write(&x, X, 4, make_const(&x, 4, 3));
			at_line(&x, "2");
		}
		if (harmless == 1)
			strcpy(x.sites.at[x.events.at[x.events.n - 1].site].what, "free");
		make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		expr e = reads_at(&x, "3");
		struct event *update = &x.events.at[x.events.n - 1];
		update->kind = EVENT_UPDATE;
		update->written = harmless == 3 ? make_const(&x, 4, 7) : make_add(&x, e, harmless == 2 ? 0 : 1);
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), !harmless);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* `X = X + n` comes round again, and another has written X since: no harm. Where the line reads what it has just written there is. */
static void statement_again(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		uint32_t write = make_write(&x, X, 4, make_const(&x, 4, 1));
		at_line(&x, "1");
		make_condition(&x, EXPR_EQ, make_read(&x, X, 4), make_const(&x, 4, 7), false, CONDITION_PATH);
		uint32_t read = (uint32_t)x.events.n - 1, site = x.events.at[write].site;
		x.sites.at[site].number = 2;
		struct site_info other = x.sites.at[site];
		other.number = again ? 1 : 3;
		*vec_push(&x.sites) = other;
		x.events.at[read].site = (uint32_t)x.sites.n - 1;
		make_end(&x, EVENT_FAILS);
		make_thread(&x, "2");
		make_write(&x, X, 4, make_const(&x, 4, 5));
		at_line(&x, "3");
		make_end(&x, 0);
		struct linear l = broken_at(&x, 2);
		assert_int_equal(find(&b, &x, &l), !again);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* A counter is tested and then taken from; in between, somebody else takes the last one. Other values would have changed nothing. */
static void test_that_is_overtaken(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_thread(&x, "1");
	make_condition(&x, EXPR_EQ, reads_at(&x, "1"), make_const(&x, 4, 7), false, CONDITION_PATH);
	uint32_t test = (uint32_t)x.events.n - 1;
	reads_at(&x, "2");
	make_end(&x, 0);
	make_thread(&x, "2");
	make_write(&x, X, 4, make_const(&x, 4, 7));
	at_line(&x, "3");
	make_end(&x, 0);
	struct linear l = broken_at(&x, test + 1);
	assert_true(find(&b, &x, &l));
	assert_int_equal(b.overtaken, OTHER_WAY);
	x.events.at[test + 4].written = make_const(&x, 4, 8);
	assert_true(!find(&b, &x, &l) || !b.overtaken);
	/* What it read was in the log, which tells nothing of its way. */
	x.events.at[test + 4].written = make_const(&x, 4, 7);
	x.conditions.at[0].kind = CONDITION_RECORDED;
	assert_true(!find(&b, &x, &l) || b.overtaken != OTHER_WAY);
	vec_free(&l.steps);
	execution_release(&x);
}

/* X = X + 1 at once; what it found. */
static expr updates_at(struct execution *x, const char *line)
{
	expr e = reads_at(x, line);
	x->events.at[x->events.n - 1].kind = EVENT_UPDATE;
	x->events.at[x->events.n - 1].written = make_add(x, e, 1);
	return e;
}

/* References are counted, and one who drops his asks whether it was the last: who else counts in between does no harm. Who writes does. */
static void counted(void **state)
{
	(void)state;
	for (int counts = 0; counts < 2; counts++) {
		struct execution x;
		struct between b;
		init(&x);
		make_thread(&x, "1");
		make_condition(&x, EXPR_EQ, updates_at(&x, "1"), make_const(&x, 4, 7), false, CONDITION_PATH);
		uint32_t first = (uint32_t)x.events.n - 1;
		updates_at(&x, "2");
		make_end(&x, 0);
		make_thread(&x, "2");
		if (counts) {
			updates_at(&x, "3");
			x.events.at[x.events.n - 1].written = make_const(&x, 4, 7);
		} else {
			make_write(&x, X, 4, make_const(&x, 4, 7));
			at_line(&x, "3");
		}
		make_end(&x, 0);
		struct linear l = broken_at(&x, first + 1);
		assert_int_equal(find(&b, &x, &l), !counts);
		vec_free(&l.steps);
		execution_release(&x);
	}
}

/* A loop that waits for a value reads it again and again: whoever writes it is welcome. */
static void polling(void **state)
{
	(void)state;
	struct execution x;
	struct between b;
	init(&x);
	make_thread(&x, "1");
	for (int i = 0; i < 8; i++)
		reads_at(&x, "1");
	make_condition(&x, EXPR_EQ, reads_at(&x, "1"), make_const(&x, 4, 7), true, CONDITION_PATH);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "2");
	make_write(&x, X, 4, make_const(&x, 4, 7));
	at_line(&x, "2");
	make_end(&x, 0);
	struct linear l = broken_at(&x, 9);
	assert_false(find(&b, &x, &l));
	vec_free(&l.steps);
	execution_release(&x);
}

/* A line writes again and again, and another thread, which fails, reads in between: what it finds is whole. With two lines it may be half of something. */
static bool is_between_writes(const char *second)
{
	struct execution x;
	struct between b;
	execution_init(&x);
	make_thread(&x, "1");
	make_write(&x, X, 4, make_const(&x, 4, 1));
	at_line(&x, "1");
	make_write(&x, X, 4, make_const(&x, 4, 2));
	at_line(&x, second);
	make_end(&x, 0);
	make_thread(&x, "2");
	expr e = reads_at(&x, "3");
	make_condition(&x, EXPR_EQ, e, make_const(&x, 4, 1), true, CONDITION_BUG);
	make_end(&x, EVENT_FAILS);
	struct linear l = {.needed = 6};
	for (size_t i = 0; i < 6; i++)
		*vec_push(&l.steps) = (struct step){(const uint32_t[]){0, 1, 4, 5, 2, 6}[i], false};
	bool found = find(&b, &x, &l);
	vec_free(&l.steps);
	execution_release(&x);
	return found;
}

static void written_anew(void **state)
{
	(void)state;
	assert_true(is_between_writes("2"));
	assert_false(is_between_writes("1"));
}

/*
 * In a trail: thread 0 reads a place and writes it, five times, and the last time thread 1 writes there in between. given_out: by then the memory had been given out again, to thread 1, and
 * then to thread 0.
 */
static bool is_between_in_trail(bool given_out)
{
	enum { N = 2 * ROUNDS + 1, PLACE = 0x1000 };
	static struct rt_attempt attempt; /* it is large */
	static const struct site_line lines[] = {{"work", "a.c", 1}, {"work", "a.c", 2}};
	struct rt_trail all[N];
	const struct rt_trail *steps[N];
	bool matters[N] = {false};
	for (uint32_t i = 0; i < N; i++) {
		bool other = i == N - 2, writes = other || i % 2 || i == N - 1;
		all[i] = (struct rt_trail){.number = i, .thread = other, .site = writes ? 2 : 1, .sap = i + 1, .place = PLACE, .value = i, .size = 8, .kind = writes ? RT_ACCESS_STORE : RT_ACCESS_LOAD};
		steps[i] = &all[i];
	}
	attempt.nblocks = given_out ? 3 : 1;
	attempt.blocks[0] = (struct rt_block){.start = PLACE, .size = 16};
	attempt.blocks[1] = (struct rt_block){.start = PLACE, .size = 16, .trail = N - 2, .thread = 1};
	attempt.blocks[2] = (struct rt_block){.start = PLACE, .size = 16, .trail = N - 1};
	struct between b;
	return trail_between(&(struct trail){steps, N, 0, matters, lines, 2, &attempt}, &b);
}

static void given_out_in_trail(void **state)
{
	(void)state;
	assert_true(is_between_in_trail(false));
	assert_false(is_between_in_trail(true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(update_begun_before_the_lock),
		cmocka_unit_test(intruder_without_the_lock),
		cmocka_unit_test(sections_in_order),
		cmocka_unit_test(called_again),
		cmocka_unit_test(mark_for_a_child),
		cmocka_unit_test(statement_again),
		cmocka_unit_test(frees_and_adds_nothing),
		cmocka_unit_test(child_between),
		cmocka_unit_test(test_that_is_overtaken),
		cmocka_unit_test(different_locks),
		cmocka_unit_test(what_leaves_the_same),
		cmocka_unit_test(what_leaves_as_found),
		cmocka_unit_test(memory_given_out_again),
		cmocka_unit_test(kept_as_its_own),
		cmocka_unit_test(left_for_oneself),
		cmocka_unit_test(counted),
		cmocka_unit_test(polling),
		cmocka_unit_test(written_anew),
		cmocka_unit_test(given_out_in_trail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
