/* Schedules from total orders: the waits that are needed and no others; and as text. */
#include "make_execution.h"
#include "model/check.h"
#include "model/keep.h"
#include "model/schedule.h"

#include <rethread/schedule.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x1010, Z = 0x1020 };

/* The schedule of an order, the first `needed` steps of it up to the failure. */
static void schedule_of_steps(const struct execution *x, enum memory_model model, const struct step *steps, size_t n, size_t needed,
			      struct schedule *out)
{
	struct memory m;
	struct memory_options options = {.model = model};
	struct linear l = {.needed = needed};
	struct error err;
	assert_true(memory_init(&m, x, &options, &err));
	for (size_t i = 0; i < n; i++)
		*vec_push(&l.steps) = steps[i];
	schedule_init(out, &m, &l);
	linear_release(&l);
	memory_release(&m);
}

/* ... of an SC order of events. */
static void schedule_of(const struct execution *x, const uint32_t *events, size_t n, size_t needed,
			struct schedule *out)
{
	struct step steps[64];
	assert_true(n <= sizeof steps / sizeof *steps);
	for (size_t i = 0; i < n; i++)
		steps[i] = (struct step){events[i], false};
	schedule_of_steps(x, MEMORY_SC, steps, n, needed, out);
}

static void assert_wait(const struct schedule *s, size_t i, const char *thread, uint64_t sap,
			const char *other, uint64_t other_sap)
{
	assert_true(i < s->waits.n);
	assert_string_equal(s->waits.at[i].thread, thread);
	assert_int_equal(s->waits.at[i].sap, sap);
	assert_string_equal(s->waits.at[i].other, other);
	assert_int_equal(s->waits.at[i].other_sap, other_sap);
}

/* 1 writes x and y; 1:1 reads y, then x: one wait orders both. */
static void implied_waits_are_left_out(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1));       /* 1: SAP 1 */
	make_write(&x, Y, 4, make_const(&x, 4, 1));       /* 2: SAP 2 */
	make_end(&x, 0);                                  /* 3 */
	make_thread(&x, "1:1");                           /* 4 */
	make_read(&x, Y, 4);                              /* 5: SAP 1 */
	make_read(&x, X, 4);                              /* 6: SAP 2 */
	make_end(&x, EVENT_FAILS);                        /* 7 */
	schedule_of(&x, (uint32_t[]){0, 1, 2, 4, 5, 6, 7, 3}, 8, 7, &s);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 1, "1", 2);
	assert_int_equal(s.stops.n, 1); /* thread 1 has done its part and stays */
	assert_string_equal(s.stops.at[0].thread, "1");
	assert_int_equal(s.stops.at[0].sap, 3);
	assert_int_equal(s.fails.n, 1);
	assert_int_equal(s.fails.at[0].sap, 2);
	schedule_release(&s);

	/* The write of y comes after the failure: it is held back, and x needs a wait of its own. */
	schedule_of(&x, (uint32_t[]){0, 1, 4, 5, 6, 7, 2, 3}, 8, 6, &s);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 2, "1", 1);
	assert_int_equal(s.stops.at[0].sap, 2);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * Thread 1 polls x: of its laps, two SAPs each, only the first and the last are there. A write between them waits for all that were
 * left out, unless the first lap itself is not over when it comes.
 */
static void laps_that_were_left_out_come_with_the_first(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_read(&x, X, 4);                              /* 1: SAP 1 */
	make_read(&x, Y, 4);                              /* 2: SAP 2 */
	make_read(&x, X, 4);                              /* 3: SAP 3 */
	make_read(&x, Y, 4);                              /* 4: SAP 4 */
	make_end(&x, EVENT_FAILS);                        /* 5 */
	make_thread(&x, "1:1");                           /* 6 */
	make_write(&x, X, 4, make_const(&x, 4, 1));       /* 7: SAP 1 */
	make_end(&x, 0);                                  /* 8 */
	for (uint32_t e = 1; e <= 4; e++) {
		x.events.at[e].sap = e < 3 ? e : e + 996; /* the last lap is SAPs 999 and 1000 */
		x.events.at[e].flags |= e < 3 ? EVENT_LAPS : 0;
		x.events.at[e].laps = e < 3 ? 2u << 16 | 2 : 0;
	}
	x.events.at[5].sap = 1000;
	schedule_of(&x, (uint32_t[]){0, 6, 1, 2, 7, 3, 4, 5, 8}, 9, 8, &s);
	assert_wait(&s, 0, "1:1", 1, "1", 997);
	assert_wait(&s, 1, "1", 999, "1:1", 1);
	schedule_release(&s);

	schedule_of(&x, (uint32_t[]){0, 6, 1, 7, 2, 3, 4, 5, 8}, 9, 8, &s);
	assert_wait(&s, 0, "1:1", 1, "1", 1);
	schedule_release(&s);
	execution_release(&x);
}

/* A write waits for the reads that are to see the old value, through a third thread when that is enough. */
static void waits_are_transitive(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_read(&x, X, 4);                              /* 1 */
	make_write(&x, Y, 1, make_const(&x, 1, 1));       /* 2: SAP 2 */
	make_end(&x, 0);                                  /* 3 */
	make_thread(&x, "1:1");                           /* 4 */
	make_read(&x, Y, 1);                              /* 5 */
	make_write(&x, X + 2, 2, make_const(&x, 2, 1));   /* 6: overlaps the read of thread 1 */
	make_end(&x, 0);                                  /* 7 */
	make_thread(&x, "1:2");                           /* 8 */
	make_read(&x, X + 3, 1);                          /* 9 */
	make_end(&x, 0);                                  /* 10 */
	schedule_of(&x, (uint32_t[]){0, 1, 2, 4, 5, 6, 8, 9, 3, 7, 10}, 11, 11, &s);
	assert_int_equal(s.waits.n, 2);
	assert_wait(&s, 0, "1:1", 1, "1", 2);
	assert_wait(&s, 1, "1:2", 1, "1:1", 2);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * TSO. Thread 1 writes x and reads it back from its store buffer; then its write becomes visible, then that of 1:1. In a
 * replay the write may be visible at once, so that of 1:1 has to wait for the read, not only for the write.
 */
static void a_read_of_the_own_buffer_holds_later_writes_back(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                       /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1)); /* 1: SAP 1 */
	make_read(&x, X, 4);                        /* 2: SAP 2 */
	make_end(&x, 0);                            /* 3 */
	make_thread(&x, "1:1");                     /* 4 */
	make_write(&x, X, 4, make_const(&x, 4, 2)); /* 5: SAP 1 */
	make_end(&x, 0);                            /* 6 */
	const struct step steps[] = {{0, false}, {1, false}, {2, false}, {1, true}, {4, false},
				     {5, false}, {5, true},  {3, false}, {6, false}};
	schedule_of_steps(&x, MEMORY_TSO, steps, 9, 9, &s);
	bool after_read = false;
	for (size_t i = 0; i < s.waits.n; i++)
		after_read |= !strcmp(s.waits.at[i].thread, "1:1") && s.waits.at[i].sap == 1 && s.waits.at[i].other_sap == 2;
	assert_true(after_read);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * TSO. A store of thread 1 becomes visible only after 1:1 has written the place and read it back: the line for the write does not stand
 * for the one for the later read, which does for the first read.
 */
static void a_delayed_store_waits_for_the_latest(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                       /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1)); /* 1: SAP 1 */
	make_end(&x, 0);                            /* 2 */
	make_thread(&x, "1:1");                     /* 3 */
	make_write(&x, X, 4, make_const(&x, 4, 2)); /* 4: SAP 1 */
	make_read(&x, X, 4);                        /* 5: SAP 2 */
	make_read(&x, X, 4);                        /* 6: SAP 3 */
	make_end(&x, 0);                            /* 7 */
	const struct step steps[] = {{0, false}, {1, false}, {3, false}, {4, false}, {4, true}, {5, false},
				     {6, false}, {1, true},  {2, false}, {7, false}};
	schedule_of_steps(&x, MEMORY_TSO, steps, 10, 10, &s);
	assert_int_equal(s.delays.n, 2);
	assert_int_equal(s.delays.at[0].other_sap, 1);
	assert_int_equal(s.delays.at[1].other_sap, 3);
	assert_string_equal(s.delays.at[1].thread, "1");
	assert_string_equal(s.delays.at[1].other, "1:1");
	schedule_release(&s);
	execution_release(&x);
}

/*
 * TSO. The store of x waits for the read by 1:2; the one of y comes when that has happened. 1:1 learns of the second by something later: so the second
 * must not queue behind the first.
 */
static void a_store_finds_the_buffer_empty(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                        /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1));  /* 1: SAP 1 */
	make_write(&x, Y, 4, make_const(&x, 4, 1));  /* 2: SAP 2 */
	make_read(&x, Z, 4);                         /* 3: SAP 3 */
	make_end(&x, 0);                             /* 4 */
	make_thread(&x, "1:1");                      /* 5 */
	make_write(&x, Z, 4, make_const(&x, 4, 1));  /* 6: SAP 1 */
	make_read(&x, Y, 4);                         /* 7: SAP 2 */
	make_end(&x, 0);                             /* 8 */
	make_thread(&x, "1:2");                      /* 9 */
	make_read(&x, X, 4);                         /* 10: SAP 1 */
	make_end(&x, 0);                             /* 11 */
	const struct step steps[] = {{0, false}, {5, false}, {9, false}, {1, false}, {10, false}, {1, true}, {2, false}, {2, true},
				     {3, false}, {6, false}, {6, true}, {7, false}, {4, false}, {8, false}, {11, false}};
	schedule_of_steps(&x, MEMORY_TSO, steps, 15, 15, &s);
	assert_int_equal(s.delays.n, 1);
	assert_int_equal(s.waits.n, 2);
	assert_wait(&s, 0, "1", 2, "1:2", 1);
	assert_wait(&s, 1, "1:1", 1, "1", 3);
	schedule_release(&s);
	execution_release(&x);
}

/* The most stores of thread 0 that are held back at a time. */
static size_t most_held_back(const struct execution *x, const struct linear *l)
{
	size_t held = 0, most = 0;
	for (size_t i = 0; i < l->steps.n; i++) {
		const struct event *e = &x->events.at[l->steps.at[i].event];
		if (e->thread || e->kind != EVENT_WRITE)
			continue;
		held += l->steps.at[i].visible ? (size_t)-1 : 1;
		most = held > most ? held : most;
	}
	return most;
}

/* TSO. One store is late; with few switches two hundred that come behind it would be as well, more than any processor holds back. */
static void few_stores_are_held_back(void **state)
{
	(void)state;
	enum { STORES = 200 };
	struct execution x;
	struct memory m;
	struct problem p;
	struct linear l;
	struct chosen_edges edges = {0};
	struct error err;
	struct memory_options options = {.model = MEMORY_TSO};
	execution_init(&x);
	make_thread(&x, "1");
	make_write(&x, Z, 4, make_const(&x, 4, 1));
	make_write(&x, X, 4, make_const(&x, 4, 1));
	for (int i = 0; i < STORES; i++)
		make_write(&x, Y, 4, make_const(&x, 4, (uint64_t)i + 1));
	uint32_t end = make_end(&x, 0), start = make_thread(&x, "1:1");
	make_condition(&x, EXPR_EQ, make_read(&x, Z, 4), make_const(&x, 4, 1), true, CONDITION_PATH);
	make_condition(&x, EXPR_EQ, make_read(&x, X, 4), make_const(&x, 4, 0), true, CONDITION_PATH);
	make_condition(&x, EXPR_EQ, make_read(&x, Y, 4), make_const(&x, 4, STORES), true, CONDITION_PATH);
	uint32_t last = make_end(&x, 0);
	assert_true(memory_init(&m, &x, &options, &err));
	assert_true(problem_init(&p, &m, &(struct problem_options){0}, &err));
	uint32_t *place = calloc(m.nnodes, sizeof *place), n = 0;
	const uint32_t first[] = {0, 1, m.visible[1], 2, start, start + 1, start + 2, m.visible[2]};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		place[first[i]] = n++;
	for (uint32_t e = 3; e < end; e++) {
		place[e] = n++;
		place[m.visible[e]] = n++;
	}
	place[end] = n++;
	place[start + 3] = n++;
	place[last] = n++;
	assert_int_equal(n, m.nnodes);
	uint32_t *seen = keep_seen(&p, place);
	keep_orders(&p, place, seen, &edges);
	assert_true(linear_keep(&l, &m, edges.at, edges.n, &err));
	assert_int_equal(l.switches, 3);
	assert_in_range(most_held_back(&x, &l), 1, 64);
	free(seen);
	free(place);
	vec_free(&edges);
	linear_release(&l);
	problem_release(&p);
	memory_release(&m);
	execution_release(&x);
}

static void creating_and_joining_need_no_wait(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                                         /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1));                   /* 1 */
	uint32_t create = make_event(&x, EVENT_CREATE, 1);            /* 2 */
	uint32_t join = make_event(&x, EVENT_JOIN, 1);                /* 3 */
	make_read(&x, X, 4);                                          /* 4 */
	make_end(&x, EVENT_FAILS);                                    /* 5 */
	uint32_t start = make_thread(&x, "1:1");                      /* 6 */
	make_read(&x, X, 4);                                          /* 7 */
	make_write(&x, X, 4, make_const(&x, 4, 2));                   /* 8 */
	uint32_t end = make_end(&x, 0);                               /* 9 */
	make_order(&x, create, start);
	make_order(&x, end, join);
	schedule_of(&x, (uint32_t[]){0, 1, 2, 6, 7, 8, 9, 3, 4, 5}, 10, 10, &s);
	assert_int_equal(s.waits.n, 0);
	assert_int_equal(s.stops.n, 0);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * pthread_cond_wait is two SAPs: the mutex is given up; the thread is woken and has the mutex back. Whoever takes the
 * mutex meanwhile waits for the first, the second for the signal and for the mutex.
 */
static void a_wait_is_two_steps(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                       /* 0 */
	make_event(&x, EVENT_LOCK, 1);              /* 1: SAP 1 */
	make_event(&x, EVENT_UNLOCK, 1);            /* 2: SAP 2 */
	make_event(&x, EVENT_WAIT, 0);              /* 3: SAP 3 */
	make_event(&x, EVENT_LOCK, 1);              /* 4 */
	make_event(&x, EVENT_UNLOCK, 1);            /* 5: SAP 4 */
	make_end(&x, 0);                            /* 6 */
	x.events.at[4].sap = 3;
	x.events.at[5].sap = x.events.at[6].sap = 4;
	make_thread(&x, "1:1");                     /* 7 */
	make_event(&x, EVENT_LOCK, 1);              /* 8 */
	make_event(&x, EVENT_SIGNAL, 0);            /* 9 */
	make_event(&x, EVENT_UNLOCK, 1);            /* 10 */
	make_end(&x, 0);                            /* 11 */
	schedule_of(&x, (uint32_t[]){0, 1, 2, 7, 8, 9, 10, 3, 4, 5, 6, 11}, 12, 12, &s);
	assert_int_equal(s.waits.n, 3);
	assert_wait(&s, 0, "1:1", 1, "1", 2);
	assert_wait(&s, 1, "1", 3, "1:1", 2);
	assert_wait(&s, 2, "1", 3, "1:1", 3);
	assert_int_equal(s.unenforced, 0);
	schedule_release(&s);

	/* The failure comes when it is woken and does not have the mutex: in the replay it stays where it waits. */
	schedule_of(&x, (uint32_t[]){0, 1, 2, 7, 8, 9, 3, 10, 4, 5, 6, 11}, 12, 8, &s);
	assert_string_equal(s.stops.at[0].thread, "1");
	assert_int_equal(s.stops.at[0].sap, 3);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * A SAP of two parts: thread 1 gives the mutex up, and does something that comes after what 1:1 does with the mutex. Waiting for the whole
 * SAP would be waiting for ever. That thread 1 is about to begin it is enough: until then it has the mutex.
 */
static void half_of_a_step_is_awaited_by_the_step_before(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                       /* 0 */
	make_event(&x, EVENT_LOCK, 1);              /* 1: SAP 1 */
	make_event(&x, EVENT_UNLOCK, 1);            /* 2: SAP 2 */
	make_event(&x, EVENT_CALL, 0);              /* 3 */
	make_end(&x, 0);                            /* 4 */
	x.events.at[3].sap = x.events.at[4].sap = 2;
	make_thread(&x, "1:1");                     /* 5 */
	make_event(&x, EVENT_LOCK, 1);              /* 6: SAP 1 */
	make_event(&x, EVENT_UNLOCK, 1);            /* 7: SAP 2 */
	make_end(&x, 0);                            /* 8 */
	schedule_of(&x, (uint32_t[]){0, 1, 2, 5, 6, 3, 4, 7, 8}, 9, 9, &s);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 1, "1", 1);
	assert_int_equal(s.unenforced, 0);
	schedule_release(&s);
	execution_release(&x);
}

/* Between the parts of a copy no line can put anybody: it is counted, and the rest of the order is kept. */
static void an_order_inside_of_a_step_is_counted(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                       /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1)); /* 1: SAP 1, as is the next */
	make_write(&x, Y, 4, make_const(&x, 4, 1)); /* 2 */
	make_end(&x, 0);                            /* 3 */
	x.events.at[2].sap = x.events.at[3].sap = 1;
	make_thread(&x, "1:1");                     /* 4 */
	make_read(&x, X, 4);                        /* 5: SAP 1 */
	make_read(&x, Y, 4);                        /* 6: SAP 2 */
	make_end(&x, 0);                            /* 7 */
	schedule_of(&x, (uint32_t[]){0, 1, 4, 5, 2, 6, 3, 7}, 8, 8, &s);
	assert_int_equal(s.unenforced, 1);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 2, "1", 1);
	schedule_release(&s);
	execution_release(&x);
}

/* Readers let each other in; a writer waits for all of them. The second token is the one that was posted. */
static void readers_and_tokens(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	for (uint32_t t = 0; t < 2; t++) {
		make_thread(&x, t ? "1:1" : "1");
		uint32_t lock = make_event(&x, EVENT_LOCK, 1), unlock = make_event(&x, EVENT_UNLOCK, 1);
		x.events.at[lock].flags = x.events.at[unlock].flags = EVENT_SHARED;
		x.events.at[make_event(&x, t ? EVENT_TAKE : EVENT_POST, 1)].count = 1;
		make_end(&x, 0);
	}
	make_thread(&x, "1:2");                     /* 10 */
	make_event(&x, EVENT_LOCK, 1);              /* 11 */
	x.events.at[make_event(&x, EVENT_TAKE, 1)].count = 1;
	make_end(&x, 0);
	schedule_of(&x, (uint32_t[]){0, 5, 1, 6, 2, 7, 8, 3, 10, 11, 12, 4, 9, 13}, 14, 14, &s);
	assert_int_equal(s.waits.n, 3);
	assert_wait(&s, 0, "1:2", 1, "1:1", 2);
	assert_wait(&s, 1, "1:2", 1, "1", 2);
	assert_wait(&s, 2, "1:2", 2, "1", 3);
	schedule_release(&s);
	execution_release(&x);
}

static char *temp_file(void)
{
	char *name = xstrdup("/tmp/test_schedule.XXXXXX");
	close(mkstemp(name));
	return name;
}

static void text_comes_back(void **state)
{
	(void)state;
	struct schedule s = {.model = MEMORY_TSO, .module = "5f0c"}, r;
	struct error err;
	char *file = temp_file();
	*vec_push(&s.waits) = 
		(struct schedule_wait){"1:2", "1:1", 417, 90, "queue.c:33 load | queue.c:12 store", "33", "sem_post", 0};
	*vec_push(&s.delays) = (struct schedule_wait){"1", "1:1", 3, 4, "", "", "", 0};
	*vec_push(&s.stops) = (struct schedule_point){"1:2", 420, 0, "", 0};
	*vec_push(&s.results) = (struct schedule_point){"1:2", 418, 16, "pthread_mutex_trylock", 0};
	*vec_push(&s.signals) = (struct schedule_point){"1:2", 415, 10, "", 8123};
	*vec_push(&s.signals) = (struct schedule_point){"1:2", 416, 14, "", RT_SIGNAL_AFTER_STEP};
	*vec_push(&s.signals) = (struct schedule_point){"1", 3, 64, "", 0};
	*vec_push(&s.places) = (struct schedule_point){"1:2", 430, 0, "", 0xf8001250};
	*vec_push(&s.lefts) = (struct schedule_point){"1:2", 432, 0, "", 0x7f1234500b60};
	*vec_push(&s.disorders) = (struct schedule_point){"1:2", 431, 6, "", 0};
	*vec_push(&s.fails) = (struct schedule_point){"1:1:14", 7, 0, "9", 0};
	assert_true(schedule_write(&s, file, &err));
	if (!schedule_read(&r, file, &err))
		fail_msg("%s", err.text);
	assert_string_equal(r.module, "5f0c");
	assert_int_equal(r.model, MEMORY_TSO);
	assert_wait(&r, 0, "1:2", 417, "1:1", 90);
	assert_string_equal(r.waits.at[0].why, s.waits.at[0].why);
	assert_string_equal(r.waits.at[0].site, "33");
	assert_string_equal(r.waits.at[0].other_site, "sem_post");
	assert_string_equal(r.results.at[0].site, "pthread_mutex_trylock");
	assert_string_equal(r.fails.at[0].site, "9");
	assert_int_equal(r.delays.at[0].other_sap, 4);
	assert_int_equal(r.stops.at[0].sap, 420);
	assert_int_equal(r.results.at[0].result, 16);
	assert_string_equal(r.fails.at[0].thread, "1:1:14");
	assert_int_equal(r.signals.n, 3);
	assert_int_equal(r.signals.at[0].result, 10);
	assert_int_equal(r.signals.at[0].when, 8123);
	assert_true(r.signals.at[1].when == RT_SIGNAL_AFTER_STEP);
	assert_int_equal(r.signals.at[2].when, 0);
	assert_int_equal(r.places.n, 1);
	assert_int_equal(r.places.at[0].sap, 430);
	assert_int_equal(r.places.at[0].when, 0xf8001250);
	assert_int_equal(r.lefts.n, 1);
	assert_int_equal(r.lefts.at[0].sap, 432);
	assert_true(r.lefts.at[0].when == 0x7f1234500b60);
	assert_int_equal(r.disorders.n, 1);
	assert_int_equal(r.disorders.at[0].sap, 431);
	assert_int_equal(r.disorders.at[0].result, 6);
	schedule_release(&r);
	schedule_release(&s);
	unlink(file);
	free(file);
}

static void wrong_lines_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "empty"},
		{"rethread-schedule 2\n", "version"},
		{"rethread-schedule 1\nwait 1 2 1 3\n", "line 2"},
		{"rethread-schedule 1\n\n# x\nwait 1 2 1:1\n", "line 4"},
		{"rethread-schedule 1\nwait 1 0 1:1 1\n", "line 2: accesses are counted from 1"},
		{"rethread-schedule 1\nstop 1:x 3\n", "line 2: \"1:x\" is no thread"},
		{"rethread-schedule 1\nsignal 1 3 0 next\n", "line 2: \"0\" is not the number of a signal"},
		{"rethread-schedule 1\nplace 1 3 100000000\n", "line 2: \"100000000\" is no place"},
		{"rethread-schedule 1\nleft 1 3 0\n", "line 2: \"0\" is no word"},
		{"rethread-schedule 1\ndisorder 1 3 0\n", "line 2: \"0\" is not the number of a signal"},
		{"rethread-schedule 1\nsignal 1 3 10 x\n", "line 2: \"x\" is none of next"},
		{"rethread-schedule 1\nstop 1:0 3\n", "line 2"},
		{"rethread-schedule 1\nstop 1 -3\n", "line 2"},
		{"rethread-schedule 1\nstop 1 3@\n", "line 2"},
		{"rethread-schedule 1\nstop 1 99999999999999999999999\n", "line 2"},
		{"rethread-schedule 1\nmodel arm\n", "line 2"},
		{"rethread-schedule 1\nhello\n", "hello"},
	};
	char *file = temp_file();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct schedule s;
		struct error err = {{0}};
		assert_true(write_file(file, cases[i].text, strlen(cases[i].text), &err));
		assert_false(schedule_read(&s, file, &err));
		assert_non_null(strstr(err.text, cases[i].why));
	}
	unlink(file);
	free(file);
}

/* What no run could keep to is told apart from what is only strict. */
static void contradictions_are_found(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why; /* NULL: there is none */
	} cases[] = {
		{"wait 1 2 1:1 3\nwait 1:1 4 1 2\n", NULL},
		{"wait 1 2 1:1 3\nwait 1:1 3 1 2\n", "line 2: access 2 of thread 1 after access 3 of thread 1:1"},
		{"wait 1 2 1:1 3\nwait 1:1 1 1:2 9\nwait 1:2 8 1 5\n", "line 4"},
		{"wait 1 2 1:1 3\nwait 1:1 1 1:2 7\nwait 1:2 8 1 5\n", NULL},
		{"wait 1:3 1 1 9\nwait 1 2 1:1 3\nwait 1:1 3 1 2\n", "line 4"},
		{"delay 1 2 1:1 3\n", "line 2 delays"},
		{"model tso\ndelay 1 2 1:1 3\n", NULL},
	};
	char *file = temp_file();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct schedule s;
		struct error err = {{0}};
		char *text = xasprintf("rethread-schedule 1\n%s", cases[i].text);
		assert_true(write_file(file, text, strlen(text), &err));
		assert_true(schedule_read(&s, file, &err));
		assert_int_equal(schedule_check(&s, &err), !cases[i].why);
		if (cases[i].why && !strstr(err.text, cases[i].why))
			fail_msg("%s", err.text);
		schedule_release(&s);
		free(text);
	}
	unlink(file);
	free(file);
}

/* Laps that a replay does not go round are not counted in it: neither where a thread waits, nor where it is waited for, nor where it ends. */
static void laps_left_out(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_event(&x, EVENT_CALL, 0);                    /* 1: SAP 1 */
	make_end(&x, 0);                                  /* 2 */
	make_thread(&x, "1:1");                           /* 3 */
	make_event(&x, EVENT_CALL, 0);                    /* 4: SAP 1003, after 1000 of laps */
	make_end(&x, EVENT_FAILS);                        /* 5 */
	x.events.at[4].sap = x.events.at[5].sap = 1003;
	*vec_push(&x.orders) = (struct known_order){1, 4};
	*vec_push(&x.left_out) = (struct left_out){.thread = 1, .sap = 1001, .fewer = 1000};
	*vec_push(&x.sites) = (struct site_info){.where = "?", .what = "?", .function = "?"};
	assert_int_equal(execution_replayed_sap(&x, 1, 1000), 1000);
	assert_int_equal(execution_replayed_sap(&x, 1, 1001), 1);
	assert_int_equal(execution_replayed_sap(&x, 0, 5000), 5000);
	schedule_of(&x, (uint32_t[]){0, 1, 3, 4, 5, 2}, 6, 5, &s);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 3, "1", 1);
	assert_int_equal(s.fails.n, 1);
	assert_int_equal(s.fails.at[0].sap, 3);
	schedule_release(&s);
	execution_release(&x);
}

/* Of threads that hang, those that poll are held behind their last look until all have come to their ends. */
static void threads_that_hang(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_event(&x, EVENT_CALL, 0);                    /* 1: SAP 1 */
	make_end(&x, EVENT_FAILS);                        /* 2 */
	make_thread(&x, "1:1");                           /* 3 */
	make_read(&x, 0x1000, 4);                         /* 4: SAP 1 */
	make_end(&x, EVENT_FAILS);                        /* 5 */
	schedule_of(&x, (uint32_t[]){0, 1, 3, 4, 5, 2}, 6, 6, &s);
	assert_int_equal(s.fails.n, 2);
	assert_int_equal(s.stops.n, 1);
	assert_string_equal(s.stops.at[0].thread, "1:1");
	assert_int_equal(s.stops.at[0].sap, s.fails.at[1].sap + 1);
	schedule_release(&s);
	execution_release(&x);
}

/* A block is freed before the next one on its memory is allocated: checked, waited for, and its place is told as far as threads come. */
static void blocks_that_share_memory(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_event(&x, EVENT_CALL, 0);                    /* 1: SAP 1, free */
	make_end(&x, 0);                                  /* 2 */
	make_thread(&x, "1:1");                           /* 3 */
	make_event(&x, EVENT_CALL, 0);                    /* 4: SAP 1, malloc */
	make_end(&x, EVENT_FAILS);                        /* 5 */
	*vec_push(&x.orders) = (struct known_order){1, 4};
	*vec_push(&x.results) = (struct forced_result){.thread = 1, .sap = 1, .kind = FORCED_PLACE, .when = 0x1230};
	*vec_push(&x.results) = (struct forced_result){.thread = 0, .sap = 9, .kind = FORCED_PLACE, .when = 0x1230};
	*vec_push(&x.sites) = (struct site_info){.where = "?", .what = "?", .function = "?"};
	struct step good[] = {{0, false}, {1, false}, {3, false}, {4, false}, {5, false}, {2, false}};
	struct step bad[] = {{0, false}, {3, false}, {4, false}, {1, false}, {5, false}, {2, false}};
	assert_true(check_order(&x, MEMORY_SC, good, 6, NULL, NULL));
	assert_false(check_order(&x, MEMORY_SC, bad, 6, NULL, NULL));
	schedule_of(&x, (uint32_t[]){0, 1, 3, 4, 5, 2}, 6, 5, &s);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 1, "1", 1);
	assert_int_equal(s.places.n, 1);
	assert_string_equal(s.places.at[0].thread, "1:1");
	assert_int_equal(s.places.at[0].when, 0x1230);
	schedule_release(&s);
	execution_release(&x);
}

/* Of a call in pieces, those behind the failure do not keep others from waiting for it. */
static void pieces_behind_the_failure(void **state)
{
	(void)state;
	struct execution x;
	struct schedule s;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1));       /* 1: SAP 1 */
	make_write(&x, Y, 4, make_const(&x, 4, 1));       /* 2: the same call */
	x.events.at[2].sap = 1;
	make_end(&x, 0);                                  /* 3 */
	make_thread(&x, "1:1");                           /* 4 */
	make_read(&x, X, 4);                              /* 5: SAP 1 */
	make_read(&x, Y, 4);                              /* 6: SAP 2, after the failure */
	make_end(&x, EVENT_FAILS);                        /* 7 */
	schedule_of(&x, (uint32_t[]){0, 1, 4, 5, 7, 2, 3}, 7, 5, &s);
	assert_int_equal(s.unenforced, 0);
	assert_int_equal(s.waits.n, 1);
	assert_wait(&s, 0, "1:1", 1, "1", 1);
	assert_int_equal(s.stops.at[0].sap, 2);
	schedule_release(&s);
	execution_release(&x);
}

/*
 * A call of thread 1 writes x and y at once (free: a link and a mark). Thread 1:1 reads y before that and x after it, and fails by x alone: the write of y, which
 * the failure does not depend on, is part of the order all the same, and waits for the read.
 */
static void a_call_that_is_needed_is_needed_as_a_whole(void **state)
{
	(void)state;
	struct execution x;
	struct memory m;
	struct memory_options options = {.model = MEMORY_SC};
	struct linear l;
	struct schedule s;
	struct error err;
	execution_init(&x);
	make_thread(&x, "1");                             /* 0 */
	make_write(&x, X, 4, make_const(&x, 4, 1));       /* 1: SAP 1 */
	make_write(&x, Y, 4, make_const(&x, 4, 1));       /* 2: SAP 1, too */
	x.events.at[2].sap = 1;
	make_end(&x, 0);                                  /* 3 */
	make_thread(&x, "1:1");                           /* 4 */
	make_read(&x, Y, 4);                              /* 5: SAP 1 */
	make_read(&x, X, 4);                              /* 6: SAP 2 */
	make_end(&x, EVENT_FAILS);                        /* 7 */
	const struct chosen_edge chosen[] = {{5, 2, 0}, {1, 6, 0}};
	assert_true(memory_init(&m, &x, &options, &err));
	assert_true(linear_init(&l, &m, chosen, 2, NULL, &err));
	bool is_part = false;
	for (size_t i = 0; i < l.needed; i++)
		is_part |= l.steps.at[i].event == 2;
	assert_true(is_part);
	linear_release(&l);
	/* As it is simplified. */
	schedule_of(&x, (uint32_t[]){4, 5, 0, 1, 2, 6, 7, 3}, 8, 7, &s);
	assert_int_equal(s.waits.n, 2);
	assert_wait(&s, 0, "1", 1, "1:1", 1);
	assert_wait(&s, 1, "1:1", 2, "1", 1);
	schedule_release(&s);
	memory_release(&m);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_is_needed_is_needed_as_a_whole),
		cmocka_unit_test(implied_waits_are_left_out),
		cmocka_unit_test(waits_are_transitive),
		cmocka_unit_test(laps_that_were_left_out_come_with_the_first),
		cmocka_unit_test(a_read_of_the_own_buffer_holds_later_writes_back),
		cmocka_unit_test(a_delayed_store_waits_for_the_latest),
		cmocka_unit_test(a_store_finds_the_buffer_empty),
		cmocka_unit_test(few_stores_are_held_back),
		cmocka_unit_test(creating_and_joining_need_no_wait),
		cmocka_unit_test(a_wait_is_two_steps),
		cmocka_unit_test(half_of_a_step_is_awaited_by_the_step_before),
		cmocka_unit_test(an_order_inside_of_a_step_is_counted),
		cmocka_unit_test(readers_and_tokens),
		cmocka_unit_test(text_comes_back),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(laps_left_out),
		cmocka_unit_test(threads_that_hang),
		cmocka_unit_test(blocks_that_share_memory),
		cmocka_unit_test(pieces_behind_the_failure),
		cmocka_unit_test(contradictions_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
