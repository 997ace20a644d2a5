/* Pairs of an address in the recorded run and the one in this run that stands for it. */
#include "replay/twin.h"
#include "rt/image.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Two numbers side by side, or six letters, look like an address, too, but lead nowhere. The system reads a mask there before it finds `how' wrong. */
static bool leads_somewhere(uint64_t word)
{
	const long how = -1, mask_size = 8;
	int error = errno;
	bool leads = syscall(SYS_rt_sigprocmask, how, word & -8ull, NULL, mask_size) >= 0 || errno != EFAULT;
	errno = error;
	return leads;
}

static uint64_t recorded_load; /* where the program lay in the recorded run */

void words_start(uint64_t load)
{
	recorded_load = load;
}

/*
 * Variables stay what they are. What a program passes without having set it (an event's data, where only the call is tried out) is what other
 * calls left on the stack: there the address of a variable that was passed before, here anything.
 */
static bool is_variable(uint64_t recorded, uint64_t own)
{
	return rt_image_relative(own) && rt_image_relative(recorded - recorded_load + rt_image_load_address());
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
	if (!may_be_address(recorded) || !may_be_address(own) || (recorded != own && !leads_somewhere(own)))
		return;
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
	if (!table)
		table = twin_pages(SLOTS * sizeof *table);
	if (table && atomic_load(&used) < SLOTS / 2) {
		uint32_t i = slot(recorded);
		bool known = atomic_load(&table[i].recorded);
		atomic_fetch_add(&used, !known);
		if (!known || !is_variable(recorded, atomic_load(&table[i].own)) || is_variable(recorded, own))
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
