/* The time stamp of logs: a counter that all cores agree on to within a cache line's travel (design
 * §4). */
#ifndef RETHREAD_RT_CLOCK_H
#define RETHREAD_RT_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t rt_clock(void)
{
#if defined(__x86_64__)
	/* Without the fence the counter can be read 2 us early by speculation. */
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
#error "rethread: no clock for this processor"
#endif
}

static inline uint64_t rt_clock_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t); /* the function itself is recorded */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
