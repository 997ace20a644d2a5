/* Memory that blocks share as in the recorded run: which blocks, at which places, and in which order (src/sym/mirror.c). */
#include "sym/mirror.c"
#include "sym/race.c"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct engine engine;

enum { BLOCK = 48, PLACE = 0x5000, BEYOND = 64, REUSED = 0x7700, HUGE_BLOCK = 0xaa00 };
#define HUGE (1ull << 39)
static char *folder; /* of the state */

/* ---- what the rest of the engine does ---- */

static uint32_t next_recorded;
static uint64_t library_freed; /* the start of a block that nobody saw being freed */
static struct ethread *frees_when_waited_for;
static unsigned waits;

uint32_t recall_next(const struct ethread *self)
{
	(void)self;
	return next_recorded;
}

void *ithread_data(const struct ithread *t)
{
	return (void *)(uintptr_t)t; /* the tests have none of their own */
}

/* The heap of the executor: blocks of BLOCK bytes at multiples of 0x100 lie at the same recorded address. */
bool block_recorded(uint64_t own, uint32_t *recorded)
{
	*recorded = (uint32_t)own;
	return own != 0x9900;
}

/* One of them lay where another had been: REUSED. */
size_t blocks_at(uint32_t recorded, uint64_t *own, size_t most)
{
	bool again = recorded / 0x100 * 0x100 == REUSED;
	own[0] = recorded;
	if (again && most > 1)
		own[1] = recorded + 0x100000;
	return again ? 2 : 1;
}

static bool heap_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed)
{
	*start = address & ~0xffull;
	*size = *start == HUGE_BLOCK ? HUGE : BLOCK;
	*freed = false;
	if (mirror_has(address)) {
		*start = address;
		*freed = address == library_freed;
	}
	return true;
}

void baton_wait(struct ethread *self)
{
	waits += !mirror_can_go(self);
	if (frees_when_waited_for)
		mirror_freed(frees_when_waited_for, self->wait_order, "free");
	frees_when_waited_for = NULL;
	self->wait = WAIT_NOTHING;
}

bool await_is_over(const struct ethread *t)
{
	(void)t;
	return false;
}

uint64_t time_next(const struct ethread *t)
{
	(void)t;
	return UINT64_MAX;
}

void vclock_join(struct vclock *into, const struct vclock *other)
{
	for (uint32_t i = 0; i < other->n; i++)
		if (into->at[i] < other->at[i])
			into->at[i] = other->at[i];
}

void vclock_set(struct vclock *into, const struct vclock *other)
{
	into->at = xrealloc(into->at, other->n * sizeof *into->at);
	memcpy(into->at, other->at, other->n * sizeof *into->at);
	into->n = other->n;
}

void vclock_tick(struct vclock *c, uint32_t thread)
{
	c->at[thread]++;
}

struct event *event_add(struct ethread *t, enum event_kind kind, uint64_t object, uint32_t site)
{
	*vec_push(&t->events) = (struct event){ .thread = t->number, .kind = (uint8_t)kind, .object = object, .site = site,
						.sap = t->saps };
	return &t->events.at[t->events.n - 1];
}

struct event_ref event_last(const struct ethread *t)
{
	return (struct event_ref){ t->number, (uint32_t)(t->events.n - 1) };
}

struct event_ref event_add_late(struct ethread *t, enum event_kind kind, uint64_t object, uint64_t sap, uint32_t site)
{
	event_add(t, kind, object, site)->sap = sap;
	return event_last(t);
}

void order_add(struct event_ref a, struct event_ref b)
{
	*vec_push(&engine.orders) = (struct order_ref){ a, b };
}

void condition_add(struct ethread *t, expr e, uint64_t value, enum condition_kind kind)
{
	(void)t, (void)e, (void)value, (void)kind;
}

void notes_block(struct ethread *t, uint32_t site, uint64_t start, uint64_t size, enum note_kind kind)
{
	(void)t, (void)site, (void)start, (void)size, (void)kind;
}

uint32_t place_describe(struct ethread *t, const char *what)
{
	(void)t, (void)what;
	return 1;
}

_Noreturn void engine_fatal(const char *format, ...)
{
	fail_msg("%s", format);
	abort();
}

/* ---- the tests ---- */

static struct ethread *thread_new(uint32_t number)
{
	struct ethread *t = xcalloc(1, sizeof *t);
	struct trace_thread *log = xcalloc(1, sizeof *log);
	log->info.number = number;
	t->number = number;
	t->log = log;
	t->clock = (struct vclock){ xcalloc(3, sizeof(uint32_t)), 3 };
	t->clock.at[number] = 1;
	return t;
}

static struct ethread *a, *b;

/* A run that knows of so many places where memory is shared: those that `finish` left behind. */
static int begin(void **state)
{
	(void)state;
	static struct rt_engine_config config;
	static bool mapped;
	if (!mapped) {
		/* Where the memory is that blocks share: what mirror_place looks at. */
		mapped = mmap((void *)(RT_MIRROR + PLACE - 0x1000), 0x4000, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
		assert_true(mapped);
		folder = xstrdup("/tmp/test_mirror.XXXXXX");
		assert_non_null(mkdtemp(folder));
	}
	config = (struct rt_engine_config){ .heap_block = heap_block, .state = folder };
	memset(&engine, 0, sizeof engine);
	memset(&mirror, 0, sizeof mirror);
	engine.config = &config;
	engine.races = races_new(NULL, 0);
	library_freed = 0;
	waits = 0;
	frees_when_waited_for = NULL;
	a = thread_new(0);
	b = thread_new(1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	char *path = state_file();
	unlink(path);
	free(path);
	return 0;
}

static void share_place(void)
{
	mirror_share(PLACE);
	assert_int_equal(mirror_finish(), 1);
	memset(&mirror, 0, sizeof mirror);
	mirror_load();
}

static uint64_t allocate(struct ethread *t, uint32_t recorded, uint64_t size)
{
	t->saps++;
	next_recorded = recorded;
	host_allocates((struct ithread *)t);
	return mirror_place(t, size, 16);
}

static void free_block(struct ethread *t, uint64_t start)
{
	t->saps++;
	mirror_freed(t, start, "free");
}

/* Nothing is shared in a run that has not seen a block used after it was freed; the next one knows, and it proves nothing. */
static void test_next_run(void **state)
{
	(void)state;
	assert_int_equal(allocate(a, PLACE, BLOCK), 0);
	assert_int_equal(mirror_doubtful(), 0);
	mirror_share(PLACE + 8);
	mirror_share(PLACE + 16); /* the same block */
	assert_int_equal(allocate(a, PLACE, BLOCK), 0);
	assert_int_equal(mirror_finish(), 1);
	memset(&mirror, 0, sizeof mirror);
	mirror_load();
	assert_int_equal(allocate(a, PLACE, BLOCK), RT_MIRROR + PLACE);
	assert_true(mirror_doubtful() > 0);
	assert_int_equal(mirror_finish(), 0);
}

/* A block whose recorded address is not known cannot be shared, but nothing is proven either. */
static void test_unknown(void **state)
{
	(void)state;
	mirror_share(0x9900);
	assert_int_equal(mirror_finish(), 0);
	assert_int_equal(mirror_doubtful(), 1);
}

/* A size that was guessed wrong: nothing is done for each of so many bytes. */
static void test_huge(void **state)
{
	(void)state;
	mirror_share(HUGE_BLOCK);
	assert_int_equal(mirror_finish(), 0);
	assert_int_equal(mirror_doubtful(), 1);
	share_place();
	assert_int_equal(allocate(a, PLACE, HUGE), 0);
}

/* Only what lies on the memory that was used after it was freed, and all of that. */
static void test_overlap(void **state)
{
	(void)state;
	share_place();
	assert_int_equal(allocate(a, PLACE + BEYOND, BLOCK), 0);
	assert_int_equal(allocate(a, PLACE - BEYOND, BEYOND), 0);
	assert_int_equal(allocate(a, PLACE - BEYOND, BEYOND + 1), RT_MIRROR + PLACE - BEYOND);
	free_block(a, RT_MIRROR + PLACE - BEYOND);
	assert_int_equal(allocate(a, PLACE + 32, 200), RT_MIRROR + PLACE + 32);
	assert_int_equal(allocate(a, 0, BLOCK), 0); /* not in the log */
}

/* The later block comes after the earlier one's end: an order between threads, and the clocks know it. */
static void test_order(void **state)
{
	(void)state;
	share_place();
	uint64_t block = allocate(a, PLACE, BLOCK);
	free_block(a, block);
	uint32_t freed_at = a->clock.at[0] - 1;
	assert_int_equal(allocate(a, PLACE, BLOCK), block);
	free_block(a, block);
	assert_int_equal(engine.orders.n, 0); /* a thread's own order needs no saying */
	assert_int_equal(allocate(b, PLACE, BLOCK), block);
	assert_int_equal(engine.orders.n, 1);
	assert_int_equal(engine.orders.at[0].a.thread, 0);
	assert_int_equal(engine.orders.at[0].b.thread, 1);
	assert_int_equal(a->events.at[engine.orders.at[0].a.index].sap, 4);
	assert_int_equal(b->events.at[engine.orders.at[0].b.index].sap, 1);
	assert_true(b->clock.at[0] > freed_at && b->clock.at[0] < a->clock.at[0]);
	/* Replay is told of each place. */
	assert_int_equal(engine.results.n, 3);
	assert_int_equal(engine.results.at[2].kind, FORCED_PLACE);
	assert_int_equal(engine.results.at[2].thread, 1);
	assert_int_equal(engine.results.at[2].sap, 1);
	assert_int_equal(engine.results.at[2].when, PLACE);
}

/* A block that covers two earlier ones comes after both, once each. */
static void test_two(void **state)
{
	(void)state;
	share_place();
	uint64_t one = allocate(a, PLACE - 32, 48), two = allocate(a, PLACE + 16, 48);
	free_block(a, two);
	free_block(a, one);
	assert_int_equal(allocate(b, PLACE - 32, 96), one);
	assert_int_equal(engine.orders.n, 2);
}

/* Who comes too early waits for the block to be freed; when that never happens it gets other memory. */
static void test_wait(void **state)
{
	(void)state;
	share_place();
	uint64_t block = allocate(a, PLACE, BLOCK);
	frees_when_waited_for = a;
	assert_int_equal(allocate(b, PLACE, BLOCK), block);
	assert_int_equal(waits, 1);
	size_t doubts = mirror_doubtful();
	assert_int_equal(allocate(a, PLACE, BLOCK), 0);
	assert_int_equal(waits, 2);
	assert_true(mirror_doubtful() > doubts);
	library_freed = block;
	assert_int_equal(allocate(a, PLACE, BLOCK), block);
	assert_int_equal(waits, 2);
}

/* What a call left in the block: nothing, but for the allocator's mark, or all of it. */
static void test_filled(void **state)
{
	(void)state;
	struct range filled;
	char *bytes;
	share_place();
	uint64_t block = allocate(a, PLACE, BLOCK);
	memset((void *)block, 7, BLOCK);
	mirror_called(a, "malloc", &filled, &bytes);
	assert_int_equal(filled.address, block + 8);
	assert_int_equal(filled.size, 8);
	free_block(a, block);
	allocate(a, PLACE, BLOCK);
	memset((void *)block, 0, BLOCK);
	mirror_called(a, "calloc", &filled, &bytes);
	assert_int_equal(filled.address, block);
	assert_int_equal(filled.size, BLOCK);
	for (int i = 0; i < BLOCK; i++) {
		assert_int_equal(bytes[i], 0);
		assert_int_equal(((char *)block)[i], 7); /* until the thread writes it */
	}
}

/* What is read and was never written may be what the block before left, if there was one and nothing was put there. */
static void test_unwritten(void **state)
{
	(void)state;
	mirror_unwritten(PLACE + 8);
	mirror_unwritten(REUSED + 8);
	mirror_filled(PLACE);
	mirror_filled(REUSED);
	assert_int_equal(mirror_finish(), 0);
	mirror.filled.n = 1;
	assert_int_equal(mirror_finish(), 1);
	assert_int_equal(mirror.shared.at[0].address, REUSED);
}

/* Memory that was given back is known to have been, byte by byte, until it is part of a block again. */
static void test_given_back(void **state)
{
	(void)state;
	struct races *r = engine.races;
	size_t fresh;
	races_access(r, (struct racer){ 0, false, 3, a->clock.at }, PLACE, 16, true, &fresh);
	assert_false(races_hit_freed(r));
	races_give_back(r, PLACE, 12);
	races_access(r, (struct racer){ 0, false, 3, a->clock.at }, PLACE + 8, 4, false, &fresh);
	assert_true(races_raced(r) == false);
	races_access(r, (struct racer){ 1, false, 3, b->clock.at }, PLACE, 8, false, &fresh);
	assert_true(races_hit_freed(r));
	assert_true(races_raced(r));
	races_take_again(r, PLACE, 16);
	assert_false(races_unwritten(r));
	races_access(r, (struct racer){ 0, false, 3, a->clock.at }, PLACE + 8, 16, false, &fresh);
	assert_true(races_unwritten(r));
	races_access(r, (struct racer){ 0, false, 3, a->clock.at }, PLACE, 16, false, &fresh);
	assert_false(races_hit_freed(r));
}

/* A race with what a thread did after it had left its path may be none; one with what it did before is one. */
static void test_strayed(void **state)
{
	(void)state;
	struct races *r = engine.races;
	struct racer lost = { 0, true, 3, a->clock.at }, sane = { 1, false, 3, b->clock.at };
	struct racer before = lost;
	before.strayed = false;
	size_t fresh, n;
	races_access(r, lost, PLACE, 8, true, &fresh);
	races_access(r, sane, PLACE, 8, false, &fresh);
	assert_true(races_raced(r));
	races_found(r, &n);
	assert_int_equal(n, 0);
	races_doubtful(r, &n);
	assert_int_equal(n, 1);
	races_access(r, before, PLACE + 8, 8, true, &fresh);
	races_access(r, lost, PLACE + 8, 8, true, &fresh);
	races_access(r, sane, PLACE + 8, 8, false, &fresh);
	assert_int_equal(races_found(r, &n)->address, PLACE + 8);
	assert_int_equal(n, 1);
	races_access(r, before, PLACE, 8, true, &fresh);
	races_found(r, &n);
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_next_run, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown, begin, end),
		cmocka_unit_test_setup_teardown(test_huge, begin, end),
		cmocka_unit_test_setup_teardown(test_overlap, begin, end),
		cmocka_unit_test_setup_teardown(test_order, begin, end),
		cmocka_unit_test_setup_teardown(test_two, begin, end),
		cmocka_unit_test_setup_teardown(test_wait, begin, end),
		cmocka_unit_test_setup_teardown(test_filled, begin, end),
		cmocka_unit_test_setup_teardown(test_unwritten, begin, end),
		cmocka_unit_test_setup_teardown(test_given_back, begin, end),
		cmocka_unit_test_setup_teardown(test_strayed, begin, end),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (folder)
		rmdir(folder);
	return failed;
}
