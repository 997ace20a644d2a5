/*
 * apache_deadlock: circular wait for a lock and for a place in a queue.
 *
 * The event MPM's listener pushes new connections to the workers' queue, and at times goes
 * through the list of kept-alive connections, which has a lock, and pushes those that became
 * readable. A worker that has answered a request puts its connection on that list.
 *
 * Bad interleaving: the listener locks the list and pushes; the queue is full, so it waits for a
 * worker to take something off, still holding the lock; the worker, before it comes back to the
 * queue, wants to put its connection on the list and waits for the lock.
 * Symptom: deadlock, of which only one half is a lock.
 * Fix: collect the readable connections under the lock, and push them after it is released.
 * Paper: PRES, table 3 (Apache#2).
 *
 * fails: deadlock
 * threads: 3
 * args: 200
 */
#include <pthread.h>
#include <stdlib.h>

enum { QUEUE_SIZE = 8, KEPT_MAX = 8, ROUND = 4, STOP = -1 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int connections[QUEUE_SIZE];
	int first, count;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
	   .not_full = PTHREAD_COND_INITIALIZER,
	   .not_empty = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static int kept[KEPT_MAX]; /* connections kept alive; under kept_lock */
static int kept_count;

static int requests = 200;

static void queue_push(int connection)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == QUEUE_SIZE)
		pthread_cond_wait(&queue.not_full, &queue.lock);
	queue.connections[(queue.first + queue.count++) % QUEUE_SIZE] = connection;
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

static int queue_pop(void)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0)
		pthread_cond_wait(&queue.not_empty, &queue.lock);
	int connection = queue.connections[queue.first];
	queue.first = (queue.first + 1) % QUEUE_SIZE;
	queue.count--;
	pthread_cond_signal(&queue.not_full);
	pthread_mutex_unlock(&queue.lock);
	return connection;
}

/* Keeps the connection alive if there is room for it, else forgets it. */
static void keep_alive(int connection)
{
	pthread_mutex_lock(&kept_lock);
	if (kept_count < KEPT_MAX)
		kept[kept_count++] = connection;
	pthread_mutex_unlock(&kept_lock);
}

/* Pushes the kept connections that have become readable, which by now is all of them. */
static void push_readable(void)
{
#ifdef FIXED
	int readable[KEPT_MAX], count = 0;
	pthread_mutex_lock(&kept_lock);
	while (kept_count > 0)
		readable[count++] = kept[--kept_count];
	pthread_mutex_unlock(&kept_lock);
	for (int i = 0; i < count; i++)
		queue_push(readable[i]);
#else
	pthread_mutex_lock(&kept_lock);
	while (kept_count > 0)
		queue_push(kept[--kept_count]);
	pthread_mutex_unlock(&kept_lock);
#endif
}

static void answer(int connection)
{
	for (volatile int i = 0; i < 1000 + connection % 8 * 100; i++)
		;
}

static void *worker(void *unused)
{
	int connection;
	while ((connection = queue_pop()) != STOP) {
		answer(connection);
		if (connection % 3 == 0)
			keep_alive(connection + 1); /* one more request will come on it */
	}
	return unused;
}

static void accept_connection(int connection)
{
	for (volatile int i = 0; i < 300 + connection % 5 * 100; i++)
		;
}

static void *listener(void *unused)
{
	for (int i = 0; i < requests; i++) {
		accept_connection(i);
		queue_push(i);
		if (i % ROUND == ROUND - 1)
			push_readable();
	}
	queue_push(STOP);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		requests = atoi(argv[1]);

	pthread_t listening, working;
	pthread_create(&working, NULL, worker, NULL);
	pthread_create(&listening, NULL, listener, NULL);
	pthread_join(listening, NULL);
	pthread_join(working, NULL);
	return 0;
}
