/* Pairs of an address in the recorded run and the one in this run that stands for it. */
#include "replay/twin.h"

#include <stdatomic.h>

#define SLOTS 65536u /* open addressing; a full table only stops learning */

static struct {
	_Atomic uint64_t recorded, own;
} *table;
static _Atomic uint32_t used;
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* User-space addresses that are no small numbers. */
static bool may_be_address(uint64_t word)
{
	return word >= 0x10000 && word < 1ull << 47;
}

static uint32_t slot(uint64_t recorded)
{
	uint32_t i = (uint32_t)(recorded * 0x9e3779b97f4a7c15ull >> 48);
	while (atomic_load(&table[i].recorded) && atomic_load(&table[i].recorded) != recorded)
		i = (i + 1) % SLOTS;
	return i;
}

void words_pair(uint64_t recorded, uint64_t own)
{
	if (!may_be_address(recorded) || !may_be_address(own))
		return;
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
	if (!table)
		table = twin_pages(SLOTS * sizeof *table);
	if (table && atomic_load(&used) < SLOTS / 2) {
		uint32_t i = slot(recorded);
		if (!atomic_load(&table[i].recorded))
			atomic_fetch_add(&used, 1);
		atomic_store(&table[i].own, own);
		atomic_store(&table[i].recorded, recorded);
	}
	atomic_flag_clear(&busy);
}

uint64_t words_own(uint64_t recorded)
{
	if (!atomic_load(&used) || !may_be_address(recorded))
		return recorded;
	uint32_t i = slot(recorded);
	return atomic_load(&table[i].recorded) ? atomic_load(&table[i].own) : recorded;
}
