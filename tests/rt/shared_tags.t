# The order of semaphores and read-write locks goes on where their memory is overwritten, swapped, copied, or used for another kind, and when
# threads end or use more of them than they have holdings for: what the log says is what the program noted.
program p <<'P'
#include "recorded.h"
#include <semaphore.h>
enum { LOCKS = 400, FEW = 8, PHASES = 24, MOST = 100000 };
enum kind { MUTEX, SPIN, SEMAPHORE, RWLOCK, KINDS };
static union { /* as in memory that is freed and used for something else */
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
	sem_t semaphore;
	pthread_rwlock_t rwlock;
} locks[LOCKS];
static enum kind kinds[LOCKS];
static int *who[LOCKS], n[LOCKS];

static void note(int i, int me)
{
	if (n[i] == MOST)
		abort();
	who[i][n[i]++] = me;
}

static void use(int i, int me)
{
	int result = kinds[i] == MUTEX     ? pthread_mutex_lock(&locks[i].mutex)
		     : kinds[i] == SPIN    ? pthread_spin_lock(&locks[i].spin)
		     : kinds[i] == RWLOCK  ? pthread_rwlock_wrlock(&locks[i].rwlock)
		     : sem_trywait(&locks[i].semaphore) ? sem_wait(&locks[i].semaphore) : 0;
	if (result)
		abort();
	note(i, me);
	if (kinds[i] >= SEMAPHORE) /* giving it up is a step as well */
		note(i, me);
	result = kinds[i] == MUTEX    ? pthread_mutex_unlock(&locks[i].mutex)
		 : kinds[i] == SPIN   ? pthread_spin_unlock(&locks[i].spin)
		 : kinds[i] == RWLOCK ? pthread_rwlock_unlock(&locks[i].rwlock)
				      : sem_post(&locks[i].semaphore);
	if (result)
		abort();
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

static void make(int i, enum kind kind)
{
	kinds[i] = kind;
	if (kind == MUTEX)
		pthread_mutex_init(&locks[i].mutex, NULL);
	else if (kind == SPIN)
		pthread_spin_init(&locks[i].spin, 0);
	else if (kind == SEMAPHORE)
		sem_init(&locks[i].semaphore, 0, 1);
	else
		pthread_rwlock_init(&locks[i].rwlock, NULL);
}

static void disturb(int phase)
{
	for (int i = 0; i < LOCKS; i++) {
		int other = (i + 1) % LOCKS;
		__typeof__(locks[i]) copy = locks[i];
		enum kind kind = kinds[i];
		switch ((i + phase) % 6) {
		case 0: /* changes places with its neighbour */
			locks[i] = locks[other], kinds[i] = kinds[other];
			locks[other] = copy, kinds[other] = kind;
			break;
		case 1: /* a copy of its neighbour */
			locks[i] = locks[other], kinds[i] = kinds[other];
			break;
		case 2: /* the same kind, made anew */
			make(i, kinds[i]);
			break;
		case 3:
			make(i, (enum kind)((i / 7 + phase) % KINDS));
			break;
		case 4: /* another kind in between, whose memory does not reach as far */
			make(i, SPIN), use(i, 0);
			make(i, kind);
			break;
		}
	}
}

int main(void)
{
	int threads = 0;
	for (int i = 0; i < LOCKS; i++)
		who[i] = calloc(MOST, sizeof *who[i]), make(i, (enum kind)(i % KINDS)), use(i, 0);
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
		for (int i = 0; i < LOCKS; i += 3)
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

# Several have it at once: no step is counted twice, and none is left out, also when the tag is lost in between.
program q <<'P'
#include "recorded.h"
#include <semaphore.h>
enum { THREADS = 8, ROUNDS = 4000 };
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static void *thread(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&l);
		sem_wait(&s);
		sem_post(&s);
		pthread_rwlock_unlock(&l);
		if (i % 16 == 0)
			sched_yield();
	}
	return arg;
}
int main(void)
{
	for (int phase = 0; phase < 3; phase++) {
		pthread_t t[THREADS];
		sem_init(&s, 0, 3);
		if (phase)
			l = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
		/* The first steps of all, so that they are objects 1 and 2. */
		pthread_rwlock_rdlock(&l);
		sem_wait(&s);
		sem_post(&s);
		pthread_rwlock_unlock(&l);
		for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, thread, NULL);
		for (long i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
	}
	pthread_rwlock_rdlock(&l);
	sem_wait(&s);
	return 0;
}
P
record 0 ./q
dump
has dump '^flags 4 .* dropped 0$' "^sync 1 .* object 1 order $((3 * (8 * 4000 + 1) * 2 + 1)) result 0" \
	"^sync 1 .* object 2 order $((3 * (8 * 4000 + 1) * 2 + 1)) result 0"
same "$(awk '$1 == "sync" && $6 ~ /^[12]$/ { if (seen[$6, $8]++) print }' dump)" ""
same "$(awk '$1 == "sync" && $6 ~ /^[12]$/ { who += !($2 in by); by[$2]; n++ } END { print who, (n > 1000) }' dump)" "25 1"
