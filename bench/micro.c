/*
 * The thesis' microbenchmark (symber-thesis, table 4.1): threads that branch and access shared variables.
 *
 *     micro THREADS BRANCHES ACCESSES VARIABLES PERCENT
 *
 * BRANCHES and ACCESSES are totals over all threads, PERCENT of the accesses are under the variable's mutex. Prints
 * the nanoseconds from the first thread's start to the last one's end, and those of processor time. A branch here depends on data that the thread
 * has read, in a pattern that the processor learns: so what a recorder adds is not hidden by mispredictions.
 * Beside each branch and access the thread does WORK (compiled in) steps of
 * arithmetic, about 2 ns each; in the thesis' Java programs a step took hundreds of nanoseconds.
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
#ifndef WORK
#define WORK 2
#endif

enum { ROUNDS = 1000, DATA = 1024, SAMPLES = 128 };

struct variable {
	_Alignas(64) volatile long value;
	pthread_mutex_t mutex;
	/* Full order: */
	_Alignas(64) pthread_spinlock_t lock;
	unsigned last; /* who had it */
	uint64_t order;
};
static struct variable *variables;
static long nvariables, mask;
static char sampled[SAMPLES]; /* which groups of accesses are under a mutex */
static pthread_barrier_t start;

struct worker {
	_Alignas(64) pthread_t thread;
	unsigned number;
	long branches, accesses; /* in each round */
	unsigned long result;
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

static inline unsigned long do_work(unsigned long x)
{
	for (long i = 0; i < WORK; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static inline void access_one(struct worker *w, struct variable *v)
{
	before(w, v);
	v->value = v->value + 1;
	after(v);
}

#define EIGHT_TIMES(what) what what what what what what what what

/* Accesses come in groups of eight to the same variable, a group under its mutex or not. */
static unsigned long access_many(struct worker *w, long n, unsigned *k, unsigned long sum)
{
	for (long i = 0; i < n; i += 8) {
		struct variable *v = &variables[*k & (unsigned long)mask];
		if (sampled[*k % SAMPLES]) {
			EIGHT_TIMES(pthread_mutex_lock(&v->mutex); access_one(w, v); pthread_mutex_unlock(&v->mutex);
				    sum = do_work(sum);)
		} else {
			EIGHT_TIMES(access_one(w, v); sum = do_work(sum);)
		}
		++*k;
	}
	return sum;
}

/* The empty assembly keeps the compiler from doing without a branch. */
#define BRANCH                                         \
	if (*data++ > 0) {                             \
		sum += (unsigned long)n;               \
		__asm__ volatile("" : "+r"(sum));      \
	} else {                                       \
		sum ^= (unsigned long)n;               \
		__asm__ volatile("" : "+r"(sum));      \
	}                                              \
	sum = do_work(sum);

static unsigned long branch_many(const int *numbers, long n, unsigned long sum)
{
	const int *data = numbers;
	for (; n > 0; n -= 8) {
		EIGHT_TIMES(BRANCH)
		if (data == numbers + DATA)
			data = numbers;
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
		w->result = access_many(w, w->accesses, &k, w->result);
	}
	free(numbers);
	return NULL;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	long n = atol(argv[1]), branches = atol(argv[2]), accesses = atol(argv[3]);
	nvariables = atol(argv[4]);
	mask = nvariables - 1; /* a power of two */
	for (long i = 0, percent = atol(argv[5]); i < SAMPLES; i++)
		sampled[i] = (i + 1) * percent / 100 > i * percent / 100;
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
	uint64_t begin = now(CLOCK_MONOTONIC), begin_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&start);
	size_t bytes = 0;
	for (long i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		bytes += workers[i].nlog * sizeof(uint64_t);
	}
	uint64_t end = now(CLOCK_MONOTONIC), end_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	printf("%llu %llu %zu\n", (unsigned long long)(end - begin), (unsigned long long)(end_cpu - begin_cpu), bytes);
	return 0;
}
