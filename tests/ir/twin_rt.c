/*
 * A twin runtime for the tests of the pass. It asks at every gate, so it sees every site as it is
 * executed, and checks the count. Slots of infer mode go to ir_enter, which a test may define. At
 * the end it writes to $IR_OUT how many gates were asked at, how many second halves came ("waits N
 * passed N unfinished N"), and how often each site ran ("site N TIMES").
 */
#include <rethread/instrument.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

__thread struct rt_gate __rethread_gate;
int __rethread_infer;
static __thread uint64_t seen; /* gates this thread was asked at */
static __thread int between;   /* between the halves of a gate */

enum { SITES = 1 << 20 };
static uint32_t times[SITES];
static uint64_t passed_total, waits_total, unfinished;

/* The twin appends to the path, too; here nobody looks at it. */
static uint8_t nowhere[2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY)));
__thread uint8_t *__rethread_path = nowhere, *__rethread_path_end = nowhere + RT_TRAY;

void __rethread_path_full(void)
{
	__rethread_path = nowhere;
}

void __rethread_path_room(void)
{
	__rethread_path_full();
}

static void fail(const char *what)
{
	fprintf(stderr, "ir: %s\n", what);
	_Exit(99);
}

void *__rethread_gate_source(void *address, uint64_t size)
{
	(void)size;
	return address;
}

void *__rethread_gate_wait(uint32_t site, uint32_t kind, void *address, uint64_t size)
{
	if (kind >> RT_ACCESS_LIBRARY) {
		bool unknown = kind >> RT_ACCESS_LIBRARY == RT_LIBRARY_UNKNOWN;
		if ((kind & ((1u << RT_ACCESS_LIBRARY) - 1)) != RT_ACCESS_NONE || unknown == !!address ||
		    size > (unknown ? 0 : RT_LIBRARY_PARAMETERS))
			fail("not a call of a library");
	} else if (kind > RT_ACCESS_FENCE || (!address && size)) {
		fail("not a kind of access");
	}
	struct rt_gate *g = &__rethread_gate;
	if (site == 0 || site > __rethread_twin_module.nsites || site >= SITES)
		fail("site out of range");
	if (g->count != ++seen)
		fail("a gate was passed without asking");
	if (between)
		__atomic_add_fetch(&unfinished, 1, __ATOMIC_RELAXED);
	between = 1;
	g->next = g->count + 1;
	g->signal = 1;
	__atomic_add_fetch(&times[site], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&waits_total, 1, __ATOMIC_RELAXED);
	return address;
}

void __rethread_gate_passed(void)
{
	between = 0;
	__rethread_gate.signal = 0;
	__atomic_add_fetch(&passed_total, 1, __ATOMIC_RELAXED);
}

__attribute__((weak)) void ir_enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	(void)symbol, (void)in, (void)out;
	fail("entered without infer mode");
}

void __rethread_enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	ir_enter(symbol, in, out);
}

__attribute__((destructor)) static void finish(void)
{
	const char *file = getenv("IR_OUT");
	if (!file)
		return;
	FILE *f = fopen(file, "w");
	const struct rt_twin_module *m = &__rethread_twin_module;
	fprintf(f, "module abi %u symbols %u sites %u hash ", m->abi, m->nsymbols, m->nsites);
	for (int i = 0; i < RT_HASH_SIZE; i++)
		fprintf(f, "%02x", m->hash[i]);
	fprintf(f, "\nwaits %lu passed %lu unfinished %lu\n", (unsigned long)waits_total,
		(unsigned long)passed_total, (unsigned long)unfinished);
	for (uint32_t i = 1; i <= m->nsites && i < SITES; i++)
		if (times[i])
			fprintf(f, "site %u %u\n", i, times[i]);
	fclose(f);
}
