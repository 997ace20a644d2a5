#include "solve/dead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* So many tables, each with a lock of its own: searches seldom wait for one another. */
enum { SHARDS = 64, FIRST_SLOTS = 256 };

/* Open addressing; a slot of two zeros is empty. */
struct shard {
	pthread_mutex_t lock;
	struct machine_hash *at;
	size_t mask, n;
};

struct dead {
	size_t most; /* of one shard */
	struct shard shards[SHARDS];
};

static struct shard *shard_of(struct dead *d, struct machine_hash h)
{
	return &d->shards[h.b % SHARDS];
}

static size_t slot_of(const struct shard *s, struct machine_hash h)
{
	size_t i = h.a & s->mask;
	while ((s->at[i].a || s->at[i].b) && (s->at[i].a != h.a || s->at[i].b != h.b))
		i = (i + 1) & s->mask;
	return i;
}

static bool is_taken(const struct shard *s, size_t i)
{
	return s->at[i].a || s->at[i].b;
}

static void grow(struct shard *s)
{
	struct shard old = *s;
	s->mask = 2 * s->mask + 1;
	s->at = xcalloc(s->mask + 1, sizeof *s->at);
	for (size_t i = 0; i <= old.mask; i++)
		if (is_taken(&old, i))
			s->at[slot_of(s, old.at[i])] = old.at[i];
	free(old.at);
}

struct dead *dead_new(size_t most)
{
	struct dead *d = xcalloc(1, sizeof *d);
	d->most = most / SHARDS + 1;
	for (size_t i = 0; i < SHARDS; i++) {
		pthread_mutex_init(&d->shards[i].lock, NULL);
		d->shards[i].mask = FIRST_SLOTS - 1;
		d->shards[i].at = xcalloc(FIRST_SLOTS, sizeof *d->shards[i].at);
	}
	return d;
}

void dead_free(struct dead *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		pthread_mutex_destroy(&d->shards[i].lock);
		free(d->shards[i].at);
	}
	free(d);
}

bool dead_has(struct dead *d, struct machine_hash h)
{
	struct shard *s = shard_of(d, h);
	pthread_mutex_lock(&s->lock);
	bool has = is_taken(s, slot_of(s, h));
	pthread_mutex_unlock(&s->lock);
	return has;
}

void dead_add(struct dead *d, struct machine_hash h)
{
	struct shard *s = shard_of(d, h);
	pthread_mutex_lock(&s->lock);
	if (s->n < d->most) {
		if (s->n * 2 > s->mask)
			grow(s);
		size_t i = slot_of(s, h);
		s->n += !is_taken(s, i);
		s->at[i] = h;
	}
	pthread_mutex_unlock(&s->lock);
}

void dead_clear(struct dead *d)
{
	for (size_t i = 0; i < SHARDS; i++) {
		struct shard *s = &d->shards[i];
		pthread_mutex_lock(&s->lock);
		memset(s->at, 0, (s->mask + 1) * sizeof *s->at);
		s->n = 0;
		pthread_mutex_unlock(&s->lock);
	}
}
