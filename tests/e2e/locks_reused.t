# Locks in memory that is given back and used again for others keep the recorded order also where the log has no addresses: there were too many values.
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
enum { LOOKS = 1000000, ROUNDS = 2000, NAMES = 8 };
struct account {
	pthread_mutex_t lock;
	long sum;
};
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct account *table[NAMES];
static struct node { int value; } nodes[2] = { { 1 }, { 2 } }, *volatile current = nodes;
static volatile long seen;
static volatile int never = -1;
static void *work(void *arg)
{
	unsigned seed = *(unsigned *)arg;
	long sum = 0;
	for (int i = 0; i < LOOKS; i++) {
		sum += current->value;
		if (i == never)
			current = &nodes[1];
	}
	seen = sum;
	for (int i = 0; i < ROUNDS; i++) {
		unsigned name = (seed = seed * 1103515245 + 12345) >> 16 & (NAMES - 1);
		pthread_mutex_lock(&table_lock);
		struct account *a = table[name];
		if (a && (seed >> 20 & 1)) {
			table[name] = NULL;
			pthread_mutex_lock(&a->lock);
			pthread_mutex_unlock(&a->lock);
			pthread_mutex_destroy(&a->lock);
			free(a);
			a = NULL;
		} else if (!a) {
			a = table[name] = malloc(sizeof *a);
			pthread_mutex_init(&a->lock, NULL);
			a->sum = 0;
		}
		if (a)
			pthread_mutex_lock(&a->lock);
		pthread_mutex_unlock(&table_lock);
		if (a) {
			a->sum++;
			pthread_mutex_unlock(&a->lock);
		}
	}
	return NULL;
}
int main(void)
{
	static unsigned seeds[3] = { 1, 22, 333 };
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, &seeds[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 3;
}
P
rethread cc -O2 -g -pthread -o p p.c
rethread record -q ./p && fail "it did not fail" || true
rethread info | grep -q '^values .*too many' || echo "NOTE: the values were not too many here"
timeout 60 rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "solve: $(cat out)"
timeout 60 rethread reproduce --engine search --budget 40 -v >out 2>&1 || fail "search: $(cat out)"
! grep -q 'never comes\|another lock' out || fail "search: $(cat out)"
