# Two threads had the same memory, one after the other, and nothing in the log says which was first. The executor takes the one
# that was created first, which is the wrong one here, and learns it from a lock that the other one got before.
cat >turns.c <<'P'
/* A task is freed by a thread that ends; a thread that was created before it, and is late, gets the task's memory. Somebody calls the task. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct task { long when, number; void (*call)(struct task *); };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct task *queued, *volatile late;
static long called;
static void count(struct task *t)
{
	called += t->number;
}
static void *comes_late(void *p)
{
	usleep(100000);
	struct task *t = calloc(1, sizeof *t);
	pthread_mutex_lock(&lock);
	late = t;
	pthread_mutex_unlock(&lock);
	return p;
}
static void *queues(void *p)
{
	struct task *t = calloc(1, sizeof *t);
	t->number = 1;
	t->call = count;
	pthread_mutex_lock(&lock);
	queued = t;
	pthread_mutex_unlock(&lock);
	usleep(20000);
	free(t); /* bug: it may be about to be called */
	return p;
}
static void *calls(void *p)
{
	struct task *t = NULL;
	while (!t) {
		pthread_mutex_lock(&lock);
		t = queued;
		pthread_mutex_unlock(&lock);
	}
	usleep(200000);
	t->call(t);
	return p;
}
int main(void)
{
	void *(*const all[])(void *) = { comes_late, queues, calls };
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return called != 1 + late->number;
}
P
# Stamps would give it away.
rethread cc -O2 -g -pthread turns.c -o turns
rethread record --until-failure --runs 50 -- ./turns >recorded 2>err || true
has err '^rethread: trace: '
rethread reproduce --engine solve --no-time --budget 30 >out 2>&1 || fail "not reproduced: $(cat err out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
