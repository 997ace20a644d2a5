/*
 * apache21287: Apache's memory cache releases an object twice (httpd bug 21287).
 *
 * A cached page is referenced by the cache and by the connection that serves it; the last to let
 * go releases it. The reference count is atomic; but it is decremented in one step and tested in
 * the next. Here a connection serves the pages from the most recently used on, while the cleaner
 * evicts them from the least recently used on; they meet somewhere in between.
 *
 * Bad interleaving: the count is 2; thread A decrements it to 1; thread B decrements it to 0; A
 * tests, finds 0 and releases the object; B tests, finds 0 and releases the object.
 * Symptom: abort, as from a heap that notices a double free. There is no data race.
 * Fix: test the value that the decrement itself gives back.
 * Paper: kept with the Apache bugs of PRES; of the kind of its Apache#1, but not in its table 3.
 *
 * fails: SIGABRT
 * threads: 3
 * args: 200
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_SIZE = 16, LOOK = 100, BOOKKEEPING = 50 };

struct object {
	atomic_int references;
	atomic_int released;
	char page[PAGE_SIZE];
};

static struct object *cache;
static int objects = 200;

static void object_release(struct object *obj)
{
	if (atomic_exchange(&obj->released, 1)) {
		fprintf(stderr, "cache object %td released twice\n", obj - cache);
		abort();
	}
	memset(obj->page, 0, PAGE_SIZE);
}

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void object_unref(struct object *obj)
{
#ifdef FIXED
	if (atomic_fetch_sub(&obj->references, 1) == 1)
		object_release(obj);
#else
	atomic_fetch_sub(&obj->references, 1);
	work(BOOKKEEPING);
	if (atomic_load(&obj->references) == 0)
		object_release(obj);
#endif
}

static unsigned checksum(const struct object *obj)
{
	unsigned sum = 0;
	for (int i = 0; i < PAGE_SIZE; i++)
		sum = sum * 31 + (unsigned char)obj->page[i];
	work(LOOK);
	return sum;
}

static void *serve(void *unused)
{
	(void)unused;
	unsigned long sum = 0;
	for (int i = 0; i < objects; i++) {
		sum += checksum(&cache[i]);
		object_unref(&cache[i]);
	}
	return (void *)sum;
}

static void *clean(void *unused)
{
	(void)unused;
	unsigned long sum = 0;
	for (int i = objects - 1; i >= 0; i--) {
		sum += checksum(&cache[i]);
		object_unref(&cache[i]);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		objects = atoi(argv[1]);
	cache = calloc((size_t)objects, sizeof *cache);
	for (int i = 0; i < objects; i++) {
		atomic_init(&cache[i].references, 2);
		memset(cache[i].page, 'a' + i % 26, PAGE_SIZE);
	}

	pthread_t connection, cleaner;
	pthread_create(&connection, NULL, serve, NULL);
	pthread_create(&cleaner, NULL, clean, NULL);
	pthread_join(connection, NULL);
	pthread_join(cleaner, NULL);
	free(cache);
	return 0;
}
