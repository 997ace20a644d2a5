/*
 * A random program: random SEED. A few threads do random loads, stores, copies, atomics, locked sections and calls on
 * shared memory, all at once; every value a thread sees goes into its hash. Prints the hashes. What the threads do
 * depends on the seed and on what they see, so a replay with the same hashes has seen the same values at every access.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 6, MOST_THREADS = 5 };

static volatile uint64_t cells[CELLS];
static volatile uint8_t bytes[16];
static _Atomic uint64_t atoms[2];
static struct block {
	uint64_t word[5];
} blocks[2];
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;
static uint64_t guarded; /* by mutex[0] */
static int finished;     /* by mutex[0] */

struct self {
	uint64_t random, hash;
	unsigned operations, threads;
};

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

static void see(struct self *s, uint64_t value)
{
	s->hash = (s->hash ^ value) * 0x100000001b3u;
}

static void try_lock(struct self *s, pthread_mutex_t *m)
{
	int result = pthread_mutex_trylock(m);
	see(s, (uint64_t)result);
	if (!result) {
		see(s, ++guarded);
		pthread_mutex_unlock(m);
	}
}

static void step(struct self *s)
{
	uint64_t r = next(&s->random), v = s->hash ^ r;
	switch (r >> 8 & 15) {
	case 0:
	case 1:
	case 2:
		see(s, cells[r % CELLS]);
		break;
	case 3:
	case 4:
		cells[r % CELLS] = v;
		break;
	case 5:
		cells[r % CELLS] += v;
		break;
	case 6:
		see(s, bytes[r % 16]);
		bytes[v % 16] = (uint8_t)r;
		break;
	case 7:
		see(s, atomic_fetch_add(&atoms[r & 1], v));
		break;
	case 8: {
		uint64_t expected = atomic_load_explicit(&atoms[r & 1], memory_order_relaxed);
		see(s, atomic_compare_exchange_strong(&atoms[r & 1], &expected, v));
		see(s, expected);
		break;
	}
	case 9:
		pthread_mutex_lock(&mutex[0]);
		see(s, guarded);
		guarded = v;
		pthread_mutex_unlock(&mutex[0]);
		break;
	case 10:
		pthread_mutex_lock(&mutex[1]);
		see(s, cells[0]);
		cells[1] = v;
		pthread_mutex_unlock(&mutex[1]);
		break;
	case 11:
		try_lock(s, &mutex[0]);
		break;
	case 12: {
		struct block copy;
		memcpy(&copy, &blocks[r >> 20 & 1], sizeof copy);
		see(s, copy.word[r >> 24 & 3]);
		copy.word[v & 3] = v;
		memcpy(&blocks[v >> 20 & 1], &copy, sizeof copy);
		break;
	}
	case 13:
		if (r >> 16 & 1) {
			pthread_rwlock_rdlock(&rwlock);
			see(s, cells[2]);
		} else {
			pthread_rwlock_wrlock(&rwlock);
			cells[2] = v;
		}
		pthread_rwlock_unlock(&rwlock);
		break;
	case 14:
		pthread_spin_lock(&spin);
		see(s, cells[3]);
		cells[3] = v;
		pthread_spin_unlock(&spin);
		break;
	default:
		sem_wait(&semaphore);
		cells[4] = v;
		see(s, cells[4]);
		sem_post(&semaphore);
	}
}

static void *work(void *p)
{
	struct self *s = p;
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < s->operations; i++)
		step(s);
	/* The last one wakes the others. */
	pthread_mutex_lock(&mutex[0]);
	if ((unsigned)++finished == s->threads)
		pthread_cond_broadcast(&changed);
	while ((unsigned)finished < s->threads)
		pthread_cond_wait(&changed, &mutex[0]);
	pthread_mutex_unlock(&mutex[0]);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, random = seed * 0x9e3779b97f4a7c15u + 1;
	unsigned threads = 2 + (unsigned)(next(&random) % (MOST_THREADS - 1));
	unsigned operations = 1 + (unsigned)(next(&random) % 60);
	struct self self[MOST_THREADS];
	pthread_t id[MOST_THREADS];
	pthread_spin_init(&spin, 0);
	sem_init(&semaphore, 0, 1);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		self[i] = (struct self){next(&random), i + 1, operations, threads};
		pthread_create(&id[i], NULL, work, &self[i]);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	for (unsigned i = 0; i < threads; i++)
		printf("%u %016llx\n", i, (unsigned long long)self[i].hash);
	return 0;
}
