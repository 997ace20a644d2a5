/*
 * unbound's cache of answers (util/storage/lruhash.c): threads look names up and keep what they have not found; the oldest
 * answers make room. Whoever finds an answer holds its lock while reading it.
 */
#include "config.h"

#include "util/fptr_wlist.h"
#include "util/storage/lruhash.h"
#include "util/storage/slabhash.h"

#undef NDEBUG /* which unbound's configuration defines */
#include <assert.h>
#include <stdio.h>

enum { NAMES = 3, KEPT = 1, THREADS = 3, QUERIES = 400 };

struct answer {
	struct lruhash_entry entry;
	unsigned name;
};

struct data {
	unsigned name, address;
};

static struct lruhash *cache;
static pthread_barrier_t start;

/* Which functions a table may call is a list over all of unbound; of it, these are all. */
int fptr_whitelist_hash_sizefunc(lruhash_sizefunc_type f) { return !!f; }
int fptr_whitelist_hash_compfunc(lruhash_compfunc_type f) { return !!f; }
int fptr_whitelist_hash_delkeyfunc(lruhash_delkeyfunc_type f) { return !!f; }
int fptr_whitelist_hash_deldatafunc(lruhash_deldatafunc_type f) { return !!f; }
int fptr_whitelist_hash_markdelfunc(lruhash_markdelfunc_type f) { (void)f; return 1; }

static size_t size(void *k, void *d)
{
	(void)k, (void)d;
	return 1;
}

static int differ(void *a, void *b)
{
	return ((struct answer *)a)->name != ((struct answer *)b)->name;
}

static void drop_answer(void *k, void *x)
{
	struct answer *a = k;
	(void)x;
	lock_rw_destroy(&a->entry.lock);
	a->name = -1u;
	free(a);
}

static void drop_data(void *d, void *x)
{
	(void)x;
	((struct data *)d)->name = -1u;
	free(d);
}

static void keep(unsigned name)
{
	struct answer *a = calloc(1, sizeof *a);
	struct data *d = calloc(1, sizeof *d);
	a->name = d->name = name;
	d->address = 100 + name;
	a->entry.hash = name;
	a->entry.key = a;
	a->entry.data = d;
	lock_rw_init(&a->entry.lock);
	lruhash_insert(cache, name, &a->entry, d, NULL);
}

static unsigned resolve(unsigned name)
{
	struct answer key = {.name = name};
	struct lruhash_entry *e = lruhash_lookup(cache, name, &key, 0);
	if (!e) {
		keep(name);
		return 100 + name;
	}
	struct data *d = e->data;
	assert(d->name == name);
	unsigned address = d->address;
	lock_rw_unlock(&e->lock);
	return address;
}

static void *client(void *x)
{
	unsigned id = (unsigned)(size_t)x;
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < QUERIES; i++) {
		unsigned name = (i * (id + 1) + id) % NAMES;
		assert(resolve(name) == 100 + name);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	pthread_barrier_init(&start, NULL, THREADS);
	cache = lruhash_create(2, KEPT, size, differ, drop_answer, drop_data, NULL);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, client, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%zu answers kept\n", cache->num);
	lruhash_delete(cache);
}
