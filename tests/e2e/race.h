/* What the programs of inputs_*.t have in common: a total that threads add to without a lock. */
#ifndef RACE_H
#define RACE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long total;
static long want;

static void add(long n)
{
	for (long i = 0; i < n; i++) {
		long t = total;
		if (i % 5 == 2)
			sched_yield();
		total = t + 1;
	}
}

static inline void *adds(void *n)
{
	add((long)n);
	return NULL;
}

/* Two threads add at the same time. */
static inline void both(long a, long b)
{
	pthread_t t, u;
	want += a + b;
	pthread_create(&t, NULL, adds, (void *)a);
	pthread_create(&u, NULL, adds, (void *)b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}

static inline int judge(void)
{
	printf("%ld of %ld\n", total, want);
	fflush(stdout);
	assert(total == want);
	return 0;
}
#endif
