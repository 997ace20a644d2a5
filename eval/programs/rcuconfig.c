/*
 * For eval/real.sh: readers use a configuration under RCU (liburcu) while it is replaced. Prints how often it was replaced.
 */
#include <urcu.h>
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { READERS = 2, ROUNDS = 300, REPLACED = 30 };

struct config {
	struct config *self;
	int low, high;
};

static struct config *current;

static struct config *make(int n)
{
	struct config *c = malloc(sizeof *c);
	*c = (struct config){ c, n, n + 10 };
	return c;
}

static void *reader(void *unused)
{
	rcu_register_thread();
	for (int i = 0; i < ROUNDS; i++) {
		rcu_read_lock();
		struct config *c = rcu_dereference(current);
		int low = c->low;
		if (i % 16 == 0)
			sched_yield();
		assert(c->self == c && c->high == low + 10);
		rcu_read_unlock();
	}
	rcu_unregister_thread();
	return unused;
}

int main(void)
{
	pthread_t threads[READERS];
	rcu_register_thread();
	current = make(0);
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, reader, NULL);
	for (int i = 1; i <= REPLACED; i++) {
		struct config *old = current;
		rcu_assign_pointer(current, make(i));
		synchronize_rcu();
		free(old);
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	rcu_unregister_thread();
	free(current);
	printf("%d replaced\n", REPLACED);
	return 0;
}
