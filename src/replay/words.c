/*
 * Addresses of the recorded run and those of this run that stand for them. Memory that was given out again is another block each
 * time, so an address has several, and which of them a thread was sent is told by when: the last one that somebody had begun to send before it heard.
 */
#include "replay/twin.h"
#include "rt/image.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 65536u /* open addressing; a full table only stops learning */
#define PAGES (1u << 20)

struct meaning {
	struct meaning *before;
	uint64_t own, since; /* since when it was sent */
};
static struct {
	uint64_t recorded;
	struct meaning *last; /* the latest first */
} *table;
static uint32_t used;
static struct meaning *fresh, *fresh_end;
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* User-space addresses that are no small numbers. */
static bool may_be_address(uint64_t word)
{
	return word >= 0x10000 && word < 1ull << 47;
}

/* Two numbers side by side, or six letters, look like an address, too, but lead nowhere. The system reads a mask there before it finds `how' wrong. */
bool words_leads_somewhere(uint64_t word)
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
	while (table[i].recorded && table[i].recorded != recorded)
		i = (i + 1) % SLOTS;
	return i;
}

static struct meaning *meaning_new(void)
{
	if (fresh == fresh_end) {
		fresh = twin_pages(PAGES);
		fresh_end = fresh ? fresh + PAGES / sizeof *fresh : NULL;
	}
	return fresh ? fresh++ : NULL;
}

/* Where the meaning at a time is linked from: NULL is there if there is none. */
static struct meaning **meaning_at(uint32_t slot, uint64_t time)
{
	struct meaning **at = &table[slot].last;
	while (*at && (*at)->since > time)
		at = &(*at)->before;
	return at;
}

static void learn(uint64_t recorded, uint64_t own, uint64_t time)
{
	uint32_t i = slot(recorded);
	struct meaning **at = meaning_at(i, time), *m;
	if (*at && ((*at)->own == own || (is_variable(recorded, (*at)->own) && !is_variable(recorded, own))))
		return;
	if ((!table[i].recorded && used == SLOTS / 2) || !(m = meaning_new()))
		return;
	*m = (struct meaning){ *at, own, time };
	*at = m;
	used += !table[i].recorded;
	table[i].recorded = recorded;
}

void words_pair(uint64_t recorded, uint64_t own, uint64_t time)
{
	if (!may_be_address(recorded) || !may_be_address(own) || (recorded != own && !words_leads_somewhere(own)))
		return;
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
	if (!table)
		table = twin_pages(SLOTS * sizeof *table);
	if (table)
		learn(recorded, own, time);
	atomic_flag_clear(&busy);
}

uint64_t words_own(uint64_t recorded, uint64_t time)
{
	if (!may_be_address(recorded))
		return recorded;
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
	const struct meaning *m = table ? *meaning_at(slot(recorded), time) : NULL;
	uint64_t own = m ? m->own : recorded;
	atomic_flag_clear(&busy);
	return own;
}
