/*
 * mozilla_array: an array and the flag that tells whether it is filled go out of step.
 *
 * The script engine's property cache is a table of pointers and a flag "the table is empty", which
 * saves looking at the table. The collector's thread flushes the cache, clearing the table and
 * then setting the flag; the interpreter fills entries and looks them up. Each variable alone is
 * used correctly.
 *
 * Bad interleaving: the flushing thread has cleared the table, not yet set the flag; the
 * interpreter finds the flag saying "not empty" and follows a null pointer out of the table.
 * Symptom: SIGSEGV in the interpreter.
 * Fix: a lock around table and flag.
 * Paper: PRES, table 3 (Mozilla#2, multi-variable).
 *
 * fails: SIGSEGV
 * threads: 2
 * args: 1500
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 32, INTERPRET = 50, COLLECT = 1000 };

struct property {
	int value;
};

static struct property properties[ENTRIES];

static struct {
	struct property *volatile table[ENTRIES]; /* all filled, or all null */
	volatile bool empty;
} cache = {.empty = true};

#ifdef FIXED
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static atomic_bool running = true;

static void cache_acquire(void)
{
#ifdef FIXED
	pthread_mutex_lock(&cache_lock);
#endif
}

static void cache_release(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&cache_lock);
#endif
}

static void cache_fill(void)
{
	for (int i = 0; i < ENTRIES; i++)
		cache.table[i] = &properties[i];
	cache.empty = false;
}

static void cache_flush(void)
{
	cache_acquire();
	for (int i = 0; i < ENTRIES; i++)
		cache.table[i] = NULL;
	cache.empty = true;
	cache_release();
}

/* The value of property i, through the cache. */
static int lookup(int i)
{
	cache_acquire();
	if (cache.empty)
		cache_fill();
	int value = cache.table[i]->value;
	cache_release();
	return value;
}

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void *collector(void *unused)
{
	while (running) {
		work(COLLECT);
		cache_flush();
	}
	return unused;
}

int main(int argc, char **argv)
{
	int lookups = argc > 1 ? atoi(argv[1]) : 1500;
	for (int i = 0; i < ENTRIES; i++)
		properties[i].value = i;

	pthread_t collecting;
	pthread_create(&collecting, NULL, collector, NULL);
	long sum = 0;
	for (int i = 0; i < lookups; i++) {
		work(INTERPRET);
		sum += lookup(i % ENTRIES);
	}
	running = false;
	pthread_join(collecting, NULL);
	printf("%ld\n", sum);
	return 0;
}
