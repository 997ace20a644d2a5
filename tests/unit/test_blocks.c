/* Where memory lay in the recorded run (src/sym/blocks.c), against a plain list of what was put where. */
#include "sym/blocks.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROUNDS = 20000, HEAP = 0x10000000, STACK = 0x70000000, SPAN = 1 << 14, MOST = 8 };

struct engine engine;

static struct model {
	uint64_t own, size;
	uint32_t recorded;
	bool live;
} model[ROUNDS];
static size_t nmodel;

static uint64_t seed = 1;

static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % n;
}

static struct model *find(uint64_t own)
{
	for (size_t i = nmodel; i--;)
		if (model[i].live && own - model[i].own < model[i].size)
			return &model[i];
	return NULL;
}

static bool heap_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed)
{
	const struct model *m = address < STACK ? find(address) : NULL;
	*start = m ? m->own : 0;
	*size = m ? m->size : 0;
	*freed = false;
	return m;
}

static void add(uint64_t own, uint32_t recorded, uint64_t size)
{
	for (size_t i = 0; i < nmodel; i++)
		if (model[i].own < own + size && own < model[i].own + model[i].size)
			model[i].live = false;
	model[nmodel++] = (struct model){ own, size, recorded, true };
}

/* Of what is gone, the answer does not matter. */
static void check_own(uint64_t own)
{
	uint32_t recorded = 0;
	const struct model *m = find(own);
	if (!m)
		return;
	assert_true(block_recorded(own, &recorded));
	assert_int_equal(recorded, m->recorded + (uint32_t)(own - m->own));
}

/* Every answer was put there once, or is the end of what was, no two are the same, and the newest that lies there now is among them. */
static void check_recorded(const struct model *m)
{
	uint32_t offset = pick((unsigned)m->size), recorded = m->recorded + offset;
	uint64_t own[MOST];
	size_t n = blocks_at(recorded, own, MOST);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		bool put = false;
		for (size_t k = 0; k < nmodel; k++)
			put |= own[i] - model[k].own <= model[k].size &&
			       recorded == model[k].recorded + (uint32_t)(own[i] - model[k].own);
		assert_true(put);
		assert_false(is_among(own, i, own[i]));
	}
	assert_true(n == MOST || is_among(own, n, m->own + offset));
}

static void follows_reuse(void **state)
{
	(void)state;
	static struct rt_engine_config config = { .heap_block = heap_block };
	uint64_t heap = HEAP;
	engine.config = &config;
	for (unsigned round = 0; round < 1500; round++) {
		uint32_t recorded = 0x5000000 + 16 * pick(SPAN / 16);
		uint64_t size = 1 + pick(round % 50 ? 200 : 3 * SPAN);
		if (pick(2)) {
			add(heap, recorded, size);
			block_on_heap(recorded, heap, size);
			heap += size + 16;
		} else {
			uint64_t own = STACK + 16 * pick(SPAN / 16);
			add(own, recorded, size);
			block_at_place(recorded, own, size);
		}
		check_recorded(&model[nmodel - 1]);
		for (unsigned i = 0; i < 20; i++)
			check_own(pick(2) ? STACK + pick(SPAN) : HEAP + pick((unsigned)(heap - HEAP) + 1));
	}
}

/* Two functions that are called in turn have their variables at the same places each time: two blocks, not millions. */
static void keeps_no_duplicates(void **state)
{
	(void)state;
	size_t before = known.blocks.n;
	for (unsigned i = 0; i < 100000; i++)
		block_at_place(0x9000000 + i % 2 * 32, 0x7f0000000000 + i % 2 * 16, 64);
	assert_int_equal(known.blocks.n, before + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(follows_reuse), cmocka_unit_test(keeps_no_duplicates) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
