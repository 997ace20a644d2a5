/* Numbers that look random and are the same in every run, for tests of many small cases. */
#ifndef RETHREAD_TEST_RANDOM_H
#define RETHREAD_TEST_RANDOM_H

#include <stdint.h>

static uint64_t seed = 1; /* not 0 */

static inline uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Below n. */
static inline uint32_t pick(uint32_t n)
{
	return (uint32_t)((next_random() >> 20) % n);
}

#endif
