/* Squares that htslib's pool of threads computes: one thread hands out the numbers, another takes the results, in their order. */
#include "htslib/hts_log.h"
#include "htslib/thread_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 300, WORKERS = 3 };
static hts_tpool *pool;
static hts_tpool_process *queue;

/* The pool is all that is linked of htslib. */
void hts_log(enum htsLogLevel severity, const char *context, const char *format, ...)
{
	(void)severity, (void)context, (void)format;
}

static void *square(void *arg)
{
	long *n = arg;
	*n *= *n;
	return n;
}

static void *hand_out(void *arg)
{
	for (long i = 0; i < JOBS; i++) {
		long *n = malloc(sizeof *n);
		*n = i;
		if (hts_tpool_dispatch(pool, queue, square, n))
			abort();
	}
	return arg;
}

int main(void)
{
	pthread_t from;
	long sum = 0;

	pool = hts_tpool_init(WORKERS);
	queue = hts_tpool_process_init(pool, 8, 0);
	pthread_create(&from, NULL, hand_out, NULL);
	for (long i = 0; i < JOBS; i++) {
		hts_tpool_result *r = hts_tpool_next_result_wait(queue);
		long *n = r ? hts_tpool_result_data(r) : NULL;
		if (!n || *n != i * i) {
			fprintf(stderr, "result %ld is wrong\n", i);
			return 1;
		}
		sum += *n;
		hts_tpool_delete_result(r, 1);
	}
	pthread_join(from, NULL);
	hts_tpool_process_destroy(queue);
	hts_tpool_destroy(pool);
	printf("%ld\n", sum);
	return 0;
}
