# Threads that both hold a lock, which does not keep them apart: stripes of a table that one of them rebuilds, a list that is
# changed under a lock for reading. What they read there decides addresses, so it has to be in the log.
cat >stripes.c <<'P2'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct node { unsigned key; struct node *next; };
#ifdef LINES /* each on a cache line of its own, found by a function */
static struct { pthread_mutex_t lock; char rest[24]; } stripe[4];
static pthread_mutex_t *lock_of(unsigned key)
{
	return &stripe[key % 4].lock;
}
#else
static pthread_mutex_t stripe[4];
#define lock_of(key) (&stripe[(key) % 4])
#endif
static struct node **buckets;
static unsigned mask = 3, count;

static void grow(void)
{
	unsigned larger = mask * 2 + 1;
	struct node **new = calloc(larger + 1, sizeof *new);
	for (unsigned i = 0; i <= mask; i++)
		for (struct node *n = buckets[i], *next; n; n = next) {
			next = n->next;
			n->next = new[n->key & larger];
			new[n->key & larger] = n;
		}
	sched_yield();
	buckets = new;
	mask = larger;
}
static void *fill(void *arg)
{
	for (unsigned k = (unsigned)(long)arg; k < 120; k += 2) {
		struct node *n = malloc(sizeof *n);
		n->key = k;
		pthread_mutex_t *lock = lock_of(k);
		pthread_mutex_lock(lock);
		n->next = buckets[k & mask];
		buckets[k & mask] = n;
		if (__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) > mask)
			grow(); /* bug: the other stripes are not locked */
		pthread_mutex_unlock(lock);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (unsigned i = 0; i < 4; i++)
		pthread_mutex_init(lock_of(i), NULL);
	buckets = calloc(4, sizeof *buckets);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, fill, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	unsigned found = 0;
	for (unsigned i = 0; i <= mask; i++)
		for (struct node *n = buckets[i]; n; n = n->next)
			found++;
	assert(found == 120);
}
P2
cat >recent.c <<'P2'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct entry { struct entry *prev, *next; int key; };
static struct entry head = {&head, &head, -1};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void put_first(struct entry *e)
{
	e->next = head.next;
	e->prev = &head;
	sched_yield();
	head.next->prev = e;
	head.next = e;
}
static void use(int key)
{
	pthread_rwlock_rdlock(&lock);
	int steps = 0;
	for (struct entry *e = head.next; e != &head && steps < 20; e = e->next, steps++)
		if (e->key == key) {
			e->prev->next = e->next;
			e->next->prev = e->prev;
			put_first(e); /* bug: others read */
			break;
		}
	pthread_rwlock_unlock(&lock);
}
static void *work(void *arg)
{
	for (int i = 0; i < 30; i++)
		use((i * 3 + (int)(long)arg) % 8);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 8; i++) {
		struct entry *e = malloc(sizeof *e);
		e->key = i;
		put_first(e);
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	int n = 0;
	for (struct entry *e = head.prev; e != &head && n < 9; e = e->prev)
		n++;
	assert(n == 8);
}
P2
{ echo '#define LINES'; cat stripes.c; } >lines.c
for opt in -O0 -O2; do
	for program in stripes lines recent; do
		rethread cc $opt -g -pthread -o $program $program.c
		rethread record --until-failure --runs 3000 --timeout 5 -- ./$program >out 2>&1 && fail "$program $opt: $(tail -1 out)"
		rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$program $opt: $(cat out)"
		rethread replay -n 5 >out 2>&1 || fail "$program $opt: $(cat out)"
		has out 'reproduced 5/5'
	done
done
