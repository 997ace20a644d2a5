/*
 * lu: a home-made barrier lets the first worker through too early (SPLASH-2 LU).
 *
 * The platform's barrier does not need to be told the number of workers: a worker registers when
 * it starts, leaves when it ends, and a barrier opens when all registered workers have arrived.
 * The workers fill their rows of the matrix and then eliminate one row per step, with a barrier
 * after each step, because the next step uses a row that another worker may own.
 *
 * Bad interleaving: worker 0 registers, fills its rows and arrives at the first barrier; it is the
 * only one registered, so the barrier opens; it uses rows that worker 1, which only now registers,
 * has not filled yet.
 * Symptom: the product of the factors is not the matrix.
 * Fix: main registers all workers before it creates them.
 * Paper: PRES, table 3 (LU, wrong output because of a platform's macros).
 *
 * fail-if: ! grep -q '^wrong entries: 0$'
 * threads: 3
 * args: 12
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 2, N_MAX = 64 };

/* The platform's barrier. Opens when `arrived` reaches `registered`. */
static struct barrier {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	int registered, arrived;
	int round; /* how often it has opened */
} barrier = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static void barrier_open_if_complete(struct barrier *b)
{
	if (b->arrived < b->registered)
		return;
	b->arrived = 0;
	b->round++;
	pthread_cond_broadcast(&b->opened);
}

static void barrier_register(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->registered++;
	pthread_mutex_unlock(&b->lock);
}

static void barrier_leave(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->registered--;
	barrier_open_if_complete(b);
	pthread_mutex_unlock(&b->lock);
}

static void barrier_wait(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	int round = b->round;
	b->arrived++;
	barrier_open_if_complete(b);
	while (b->round == round)
		pthread_cond_wait(&b->opened, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static int n = 12;
static double a[N_MAX][N_MAX]; /* the matrix, then its factors; row i belongs to i % WORKERS */

/* An entry of the matrix to factorise: dominant diagonal, the rest computed at some length. */
static double entry(int i, int j)
{
	unsigned hash = (unsigned)(i * n + j);
	for (int k = 0; k < 2500; k++)
		hash = hash * 1664525u + 1013904223u;
	return i == j ? 2.0 * n : (double)(hash >> 24) / 256;
}

static void eliminate(int row, int pivot)
{
	a[row][pivot] /= a[pivot][pivot];
	for (int j = pivot + 1; j < n; j++)
		a[row][j] -= a[row][pivot] * a[pivot][j];
}

static void *worker(void *arg)
{
	int me = (int)(long)arg;
#ifndef FIXED
	barrier_register(&barrier);
#endif
	for (int i = me; i < n; i += WORKERS)
		for (int j = 0; j < n; j++)
			a[i][j] = entry(i, j);
	barrier_wait(&barrier);
	for (int pivot = 0; pivot < n - 1; pivot++) {
		for (int i = pivot + 1; i < n; i++)
			if (i % WORKERS == me)
				eliminate(i, pivot);
		barrier_wait(&barrier);
	}
	barrier_leave(&barrier);
	return NULL;
}

static int count_wrong_entries(void)
{
	int wrong = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double product = i <= j ? a[i][j] : 0;
			for (int k = 0; k < i && k <= j; k++)
				product += a[i][k] * a[k][j];
			wrong += !(fabs(product - entry(i, j)) < 1e-6);
		}
	return wrong;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		n = atoi(argv[1]);
	if (n < 1 || n > N_MAX)
		return 2;
#ifdef FIXED
	for (int i = 0; i < WORKERS; i++)
		barrier_register(&barrier);
#endif

	pthread_t workers[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	printf("wrong entries: %d\n", count_wrong_entries());
	return 0;
}
