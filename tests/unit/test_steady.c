/*
 * The steady search of large problems (solve/walk.h): threads take buffers from a lock-free stack and give them back. A wrong choice shows only when the stack
 * would be another one, much later, and each step touches the same few words.
 */
#include "infer_once.h"
#include "make_execution.h"
#include "random.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 8, THREADS = 2, STEPS = 8000, SWITCH = 50, BETWEEN_STAMPS = 8000, HEAD = 0x1000, NEXT = 0x2000, OWNER = 0x4000 };

/*
 * A step of a thread: the word that it accesses, what it found there, and what it wrote. What decides an address is recorded: not what is only
 * linked to, and compared with later.
 */
struct taken {
	enum event_kind kind;
	uint64_t address;
	uint32_t found, written, run;
	bool recorded;
};

struct thread {
	struct taken steps[STEPS];
	uint32_t n, head, next, held[2], nheld;
	enum { LOAD_HEAD, LOAD_NEXT, TAKE, MARK, UNMARK, LOAD_TO_GIVE, LINK, GIVE } at;
	uint32_t marked;
};

static uint32_t words[1 + 2 * NODES]; /* the head and the links, all plus one: 0 ends the stack; the owners */

static uint32_t *word_of(uint64_t address)
{
	if (address >= OWNER)
		return &words[1 + NODES + (address - OWNER) / 64];
	return &words[address == HEAD ? 0 : 1 + (address - NEXT) / 64];
}

static uint32_t add_step(struct thread *t, enum event_kind kind, uint64_t address, uint32_t written, bool writes)
{
	uint32_t *word = word_of(address), found = *word;
	bool recorded = t->at == LOAD_HEAD || t->at == LOAD_NEXT || t->at == TAKE;
	t->steps[t->n++] = (struct taken){kind, address, found, writes ? written : found, 0, recorded};
	if (writes)
		*word = written;
	return found;
}

static uint64_t link_of(uint32_t node)
{
	return NEXT + 64 * (uint64_t)(node - 1);
}

static uint64_t owner_of(uint32_t node)
{
	return OWNER + 64 * (uint64_t)(node - 1);
}

/* Two buffers are taken, marked as taken and given back, and so on: pop, pop, push, push. */
static void go_on(struct thread *t)
{
	switch (t->at) {
	case LOAD_HEAD:
		t->head = add_step(t, EVENT_READ, HEAD, 0, false);
		t->at = t->head ? LOAD_NEXT : MARK;
		return;
	case LOAD_NEXT:
		t->next = add_step(t, EVENT_READ, link_of(t->head), 0, false);
		t->at = TAKE;
		return;
	case TAKE:
		t->at = LOAD_HEAD;
		if (add_step(t, EVENT_UPDATE, HEAD, t->next, words[0] == t->head) != t->head)
			return;
		t->held[t->nheld++] = t->head;
		t->at = t->nheld < 2 ? LOAD_HEAD : MARK;
		return;
	case MARK:
		if (t->marked < t->nheld)
			add_step(t, EVENT_UPDATE, owner_of(t->held[t->marked++]), 1, true);
		if (t->marked == t->nheld)
			t->at = t->nheld ? UNMARK : LOAD_HEAD;
		return;
	case UNMARK:
		add_step(t, EVENT_UPDATE, owner_of(t->held[t->nheld - 1]), 0, true);
		t->marked = 0;
		t->at = LOAD_TO_GIVE;
		return;
	case LOAD_TO_GIVE:
		t->head = add_step(t, EVENT_READ, HEAD, 0, false);
		t->at = t->nheld ? LINK : LOAD_HEAD;
		return;
	case LINK:
		add_step(t, EVENT_WRITE, link_of(t->held[t->nheld - 1]), t->head, true);
		t->at = GIVE;
		return;
	case GIVE:
		t->at = LOAD_TO_GIVE;
		if (add_step(t, EVENT_UPDATE, HEAD, t->held[t->nheld - 1], words[0] == t->head) != t->head)
			return;
		t->at = --t->nheld ? UNMARK : LOAD_HEAD;
		return;
	}
}

/* The executor runs each thread from one stamp to the next: that is what it knows of the order. */
static void run_threads(struct thread *threads)
{
	for (uint32_t i = 0; i < NODES; i++)
		words[i] = i + 1;
	for (uint32_t i = 0, t = 0; threads[0].n < STEPS || threads[1].n < STEPS; i++) {
		t = pick(SWITCH) ? t : !t;
		t = threads[t].n < STEPS ? t : !t;
		go_on(&threads[t]);
		threads[t].steps[threads[t].n - 1].run = i / BETWEEN_STAMPS * THREADS + t + 1;
	}
}

static void make_step(struct execution *x, const struct taken *s, expr *loaded)
{
	uint32_t e = make_event(x, s->kind, s->address);
	struct event *v = &x->events.at[e];
	v->size = 4;
	v->run = s->run;
	if (s->kind == EVENT_WRITE)
		v->written = *loaded;
	if (s->kind == EVENT_WRITE)
		return;
	v->read = expr_sym(x->exprs, 32, x->nsymbols++);
	if (s->kind == EVENT_UPDATE && s->recorded)
		v->written = make_const(x, 4, s->written);
	else if (s->kind == EVENT_UPDATE && s->address >= OWNER)
		v->written = make_const(x, 4, s->written);
	else if (s->kind == EVENT_UPDATE)
		v->written = s->written == s->found ? v->read : make_const(x, 4, s->written);
	if (s->recorded || s->address >= OWNER)
		make_condition(x, EXPR_EQ, v->read, make_const(x, 4, s->found), true, CONDITION_PATH);
	else if (s->kind == EVENT_UPDATE)
		make_condition(x, EXPR_EQ, v->read, *loaded, s->written != s->found, CONDITION_PATH);
	if (s->address < OWNER)
		*loaded = v->read;
}

static void make_run(struct execution *x, const struct thread *threads)
{
	execution_init(x);
	make_initial(x, HEAD, 4, 1);
	for (uint32_t i = 1; i <= NODES; i++) {
		make_initial(x, link_of(i), 4, i < NODES ? i + 1 : 0);
		make_initial(x, owner_of(i), 4, 0);
	}
	for (int t = 0; t < THREADS; t++) {
		expr loaded = make_const(x, 4, 0);
		make_thread(x, t ? "1:1" : "1");
		for (uint32_t i = 0; i < STEPS; i++)
			make_step(x, &threads[t].steps[i], &loaded);
		make_end(x, t ? 0 : EVENT_FAILS);
	}
}

static void finds_what_jumps_pass_over(void **state)
{
	(void)state;
	static struct thread threads[THREADS];
	struct execution x;
	struct infer_stats stats;
	struct infer_options o = infer_defaults();
	o.model = MEMORY_SC;
	o.seconds = 5;
	o.fewest_seconds = 0;
	o.workers = 2;
	o.large = true;
	run_threads(threads);
	make_run(&x, threads);
	assert_int_equal(infer_once(&x, &o, &stats), INFER_FOUND);
	print_message("%llu states for %zu events\n", (unsigned long long)stats.states, x.events.n);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_jumps_pass_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
