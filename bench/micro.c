/*
 * The thesis' microbenchmark (symber-thesis, table 4.1): threads that branch and access shared variables.
 *
 *     micro THREADS BRANCHES ACCESSES VARIABLES PERCENT
 *
 * BRANCHES and ACCESSES are totals over all threads, PERCENT of the accesses are under the variable's mutex. Prints
 * the nanoseconds from the first thread's start to the last one's end. A branch here depends on data that the thread
 * has read, in a pattern that the processor learns: so what a recorder adds is not hidden by mispredictions.
 *
 * With -DFULL_ORDER=1 the program records the order of all accesses per variable itself, as a full-order recorder
 * has to (LEAP, Ditto): a lock around every access, and an entry in a thread's log when another thread had the
 * variable before. Prints the bytes of its logs as well.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef FULL_ORDER
#define FULL_ORDER 0
#endif

enum { ROUNDS = 1000, DATA = 1024 };

struct variable {
	_Alignas(64) volatile long value;
	pthread_mutex_t mutex;
	/* Full order: */
	_Alignas(64) pthread_spinlock_t lock;
	unsigned last; /* who had it */
	uint64_t order;
};
static struct variable *variables;
static long nvariables, percent;
static pthread_barrier_t start;

struct worker {
	_Alignas(64) pthread_t thread;
	unsigned number;
	long branches, accesses; /* in each round */
	long result;
	uint64_t *log;
	size_t nlog;
};

/* ---------------------------------------------------------------- full order ------------------ */

enum { LOG_ENTRIES = 16 << 20 };

static void note(struct worker *w, struct variable *v)
{
	v->order++;
	if (v->last == w->number)
		return;
	v->last = w->number;
	w->log[w->nlog++ % LOG_ENTRIES] = (uint64_t)(v - variables) << 48 | v->order;
}

static inline void before(struct worker *w, struct variable *v)
{
	if (!FULL_ORDER)
		return;
	pthread_spin_lock(&v->lock);
	note(w, v);
}

static inline void after(struct variable *v)
{
	if (FULL_ORDER)
		pthread_spin_unlock(&v->lock);
}

/* ---------------------------------------------------------------- work ------------------------ */

static inline void access_one(struct worker *w, struct variable *v)
{
	before(w, v);
	v->value = v->value + 1;
	after(v);
}

static void access_many(struct worker *w, long n, unsigned *k)
{
	for (long i = 0; i < n; i++) {
		struct variable *v = &variables[*k % (unsigned long)nvariables];
		if (*k % 100 < (unsigned long)percent) {
			pthread_mutex_lock(&v->mutex);
			access_one(w, v);
			pthread_mutex_unlock(&v->mutex);
		} else {
			access_one(w, v);
		}
		++*k;
	}
}

/* The empty assembly keeps the compiler from doing without a branch. */
static long branch_many(const int *data, long n, long sum)
{
	for (long i = 0; i < n; i++) {
		if (data[i % DATA] > 0) {
			sum += i;
			__asm__ volatile("" : "+r"(sum));
		} else {
			sum ^= i;
			__asm__ volatile("" : "+r"(sum));
		}
	}
	return sum;
}

static void *work(void *data)
{
	struct worker *w = data;
	int *numbers = malloc(DATA * sizeof *numbers);
	uint32_t random = w->number * 2654435761u + 1;
	unsigned k = w->number;
	if (!numbers)
		abort();
	for (int i = 0; i < DATA; i++) {
		random = random * 1664525 + 1013904223;
		numbers[i] = (int)(random >> 8) % 8 - 2;
	}
	if (FULL_ORDER)
		w->log = calloc(LOG_ENTRIES, sizeof *w->log);
	pthread_barrier_wait(&start);
	for (int r = 0; r < ROUNDS; r++) {
		w->result = branch_many(numbers, w->branches, w->result);
		access_many(w, w->accesses, &k);
	}
	free(numbers);
	return NULL;
}

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	long n = atol(argv[1]), branches = atol(argv[2]), accesses = atol(argv[3]);
	nvariables = atol(argv[4]);
	percent = atol(argv[5]);
	variables = aligned_alloc(64, (size_t)nvariables * sizeof *variables);
	struct worker *workers = aligned_alloc(64, (size_t)n * sizeof *workers);
	pthread_barrier_init(&start, NULL, (unsigned)n + 1);
	for (long i = 0; i < nvariables; i++) {
		variables[i] = (struct variable){.last = ~0u};
		pthread_mutex_init(&variables[i].mutex, NULL);
		pthread_spin_init(&variables[i].lock, 0);
	}
	for (long i = 0; i < n; i++) {
		workers[i] = (struct worker){.number = (unsigned)i,
					     .branches = branches / n / ROUNDS,
					     .accesses = accesses / n / ROUNDS};
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	uint64_t begin = now();
	pthread_barrier_wait(&start);
	size_t bytes = 0;
	for (long i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		bytes += workers[i].nlog * sizeof(uint64_t);
	}
	printf("%llu %zu\n", (unsigned long long)(now() - begin), bytes);
	return 0;
}
