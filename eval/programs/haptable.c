/*
 * HAProxy's trees (import/ebtree) under its progressive locks (import/plock.h), as in its tables of counters: who looks a key up may read
 * beside others; who does not find it goes from seeking to writing, for which all readers have to leave.
 */
#include "import/eb32tree.h"
#include "import/plock.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 8, THREADS = 3, REQUESTS = 40 };

struct client {
	struct eb32_node node;
	unsigned requests;
};

static struct eb_root table = EB_ROOT_UNIQUE;
static unsigned long lock;
static pthread_barrier_t start;

static struct client *find(unsigned key)
{
	struct eb32_node *n = eb32_lookup(&table, key);
	return n ? container_of(n, struct client, node) : NULL;
}

/* Counts a request; 0: the client is not known. */
static unsigned count(unsigned key)
{
	pl_take_r(&lock);
	struct client *c = find(key);
	unsigned n = c ? pl_xadd(&c->requests, 1u) + 1 : 0;
	if (c)
		assert(c->node.key == key);
	pl_drop_r(&lock);
	return n;
}

static void add(unsigned key)
{
	pl_take_s(&lock);
	if (!find(key)) {
		struct client *c = calloc(1, sizeof *c);
		c->node.key = key;
		c->requests = 1;
		pl_stow(&lock);
		eb32_insert(&table, &c->node);
		pl_drop_w(&lock);
		return;
	}
	pl_drop_s(&lock);
}

static void forget(unsigned key)
{
	pl_take_s(&lock);
	struct client *c = find(key);
	if (!c) {
		pl_drop_s(&lock);
		return;
	}
	pl_stow(&lock);
	eb32_delete(&c->node);
	c->node.key = -1u;
	free(c);
	pl_drop_w(&lock);
}

static void *serve(void *x)
{
	unsigned id = (unsigned)(size_t)x;
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < REQUESTS; i++) {
		unsigned key = (i * (2 * id + 1)) % KEYS;
		if (!count(key))
			add(key);
		else if (i % 3 == id)
			forget(key);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	unsigned n = 0;
	pthread_barrier_init(&start, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, serve, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (struct eb32_node *e = eb32_first(&table); e; e = eb32_next(e))
		n++;
	printf("%s\n", n <= KEYS ? "done" : "too many");
}
