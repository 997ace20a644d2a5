# The order of a lock goes on where its memory is overwritten, swapped, copied, or used for a lock of another kind, and when threads end or use
# more locks than they have holdings for: what the log says is what the program noted.

program p <<'P'
#include "recorded.h"
#include <string.h>
enum { LOCKS = 400, FEW = 8, APART = 390, PHASES = 24, MOST = 100000 };
union lock { /* as in memory that is freed and used for something else */
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
} locks[LOCKS];
static int is_spin[LOCKS], *who[LOCKS], n[LOCKS];

static void use(int i, int me)
{
	/* Some are main's while they are spinlocks, and the others' while they are not. */
	if (i >= APART && is_spin[i] != !me)
		return;
	int result = is_spin[i] ? pthread_spin_lock(&locks[i].spin) : pthread_mutex_lock(&locks[i].mutex);
	if (result || n[i] == MOST)
		abort();
	who[i][n[i]++] = me;
	is_spin[i] ? pthread_spin_unlock(&locks[i].spin) : pthread_mutex_unlock(&locks[i].mutex);
}

struct work {
	int me, phase;
};

static void *thread(void *data)
{
	struct work *w = data;
	unsigned random = (unsigned)w->me * 7919 + (unsigned)w->phase;
	for (int k = 0; k < 300; k++) {
		random = random * 1664525 + 1013904223;
		/* Mostly the same few; sometimes so many that all holdings are needed for others. */
		use((int)(random >> 8) % (w->phase % 4 ? FEW : LOCKS), w->me);
		if (random >> 28 == 0)
			sched_yield();
	}
	return NULL;
}

static void make(union lock *l, int kind)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, kind);
	pthread_mutex_init(&l->mutex, &a);
}

static void disturb(int phase)
{
	for (int i = 0; i < LOCKS; i++) {
		is_spin[i] = 0;
		union lock copy = locks[i], *other = &locks[(i + 1) % LOCKS];
		switch ((i + phase) % 8) {
		case 0: /* made anew by overwriting it */
			memset(&locks[i], 0, sizeof locks[i]);
			break;
		case 1: /* changes places with its neighbour */
			locks[i] = *other;
			*other = copy;
			break;
		case 2: /* a copy of its neighbour */
			locks[i] = *other;
			break;
		case 3:
			make(&locks[i], PTHREAD_MUTEX_RECURSIVE);
			break;
		case 4:
			pthread_spin_init(&locks[i].spin, 0);
			is_spin[i] = 1;
			break;
		case 5:
			make(&locks[i], PTHREAD_MUTEX_ERRORCHECK);
			break;
		}
		/* What was a spinlock, or a copy of one, is none any more. */
		if (!is_spin[i] && (i + phase) % 8 != 3 && (i + phase) % 8 != 5)
			locks[i].mutex.__data.__lock = locks[i].mutex.__data.__kind = 0;
	}
}

int main(void)
{
	int threads = 0;
	for (int i = 0; i < LOCKS; i++)
		who[i] = calloc(MOST, sizeof *who[i]), pthread_spin_init(&locks[i].spin, 0), is_spin[i] = 1, use(i, 0);
	disturb(PHASES);
	for (int phase = 0; phase < PHASES; phase++) {
		int count = phase % 3 ? 3 : 12;
		pthread_t t[12];
		struct work w[12];
		for (int i = 0; i < count; i++) {
			w[i] = (struct work){++threads, phase};
			pthread_create(&t[i], NULL, thread, &w[i]);
		}
		for (int i = 0; i < count; i++)
			pthread_join(t[i], NULL);
		for (int i = 0; i < LOCKS; i += i < APART ? 3 : 1)
			use(i, 0);
		disturb(phase);
	}
	for (int i = 0; i < LOCKS; i++)
		for (int k = 0; k < n[i]; k++)
			printf("%d %d %s%.0d\n", i + 1, k + 1, who[i][k] ? "1:" : "1", who[i][k]);
	return 0;
}
P
record 0 ./p >noted
dump
has dump '^flags 4 .* dropped 0$'
compare 400 5000

# The same while the threads that had it live on, more than an object has room for; and a mutex that is put back to what it was.
program q <<'P'
#include "recorded.h"
#include <string.h>
enum { THREADS = 8, PHASES = 100 };
static pthread_mutex_t m;
static pthread_barrier_t barrier;
static int who[THREADS * PHASES * 4], n;
static void use(long me)
{
	pthread_mutex_lock(&m);
	who[n++] = (int)me;
	pthread_mutex_unlock(&m);
}
static void *thread(void *data)
{
	long me = (long)data;
	for (int phase = 0; phase < PHASES; phase++) {
		if (phase % 5 != me % 5)
			use(me);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			use(me);
			pthread_mutex_t was = m;
			use(me);
			if (phase % 2)
				m = was;
			else
				memset(&m, 0, sizeof m);
			use(me);
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[THREADS];
	use(0);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < n; i++)
		printf("1 %d %s%.0d\n", i + 1, who[i] ? "1:" : "1", who[i]);
	return 0;
}
P
record 0 ./q >noted
dump
has dump '^flags 4 .* dropped 0$'
compare 1 200
