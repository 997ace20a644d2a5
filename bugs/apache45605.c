/*
 * apache45605: Apache's worker MPM counts one idle worker twice (httpd bug 45605, 2.2.9).
 *
 * Listeners hand connections to workers through a queue with room for one connection per worker.
 * It cannot overflow, because a listener reserves an idle worker before it accepts: it waits until
 * the number of idle workers is not zero and then decrements it. The counter itself is atomic and
 * the wait has a lock, but the test and the decrement are two steps.
 *
 * Bad interleaving: one worker is idle; listener A sees 1; listener B sees 1; A decrements to 0; B
 * decrements to -1, that is, to 4294967295 idle workers. From now on no listener waits, and they
 * fill the queue beyond its size.
 * Symptom: the assertion in queue_push that the queue is not full.
 * Fix: test and decrement under the lock under which the count becomes positive.
 * Paper: CLAP, section 6.1 and table 1 (apache-2.2.9: 28 threads, 4 clients).
 *
 * fails: assert
 * threads: 28
 * args: 23 200
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LISTENERS = 4, WORKERS_MAX = 64 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wait_for_idler;
	atomic_uint idlers; /* workers waiting for a connection and not reserved yet */
} info = {.lock = PTHREAD_MUTEX_INITIALIZER, .wait_for_idler = PTHREAD_COND_INITIALIZER};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	int connections[WORKERS_MAX];
	int first, count;
	bool terminated;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};

static int workers = 23;
static int requests = 200; /* per listener */

/* A worker is idle (again). */
static void info_set_idle(void)
{
#ifdef FIXED
	pthread_mutex_lock(&info.lock);
	info.idlers++;
	pthread_cond_signal(&info.wait_for_idler);
	pthread_mutex_unlock(&info.lock);
#else
	unsigned before = info.idlers++;
	if (before == 0) {
		pthread_mutex_lock(&info.lock);
		pthread_cond_broadcast(&info.wait_for_idler);
		pthread_mutex_unlock(&info.lock);
	}
#endif
}

/* A listener reserves an idle worker, and waits for one if need be. */
static void info_wait_for_idler(void)
{
#ifdef FIXED
	pthread_mutex_lock(&info.lock);
	while (info.idlers == 0)
		pthread_cond_wait(&info.wait_for_idler, &info.lock);
	info.idlers--;
	pthread_mutex_unlock(&info.lock);
#else
	if (info.idlers == 0) {
		pthread_mutex_lock(&info.lock);
		while (info.idlers == 0)
			pthread_cond_wait(&info.wait_for_idler, &info.lock);
		pthread_mutex_unlock(&info.lock);
	}
	info.idlers--;
#endif
}

static void queue_push(int connection)
{
	pthread_mutex_lock(&queue.lock);
	assert(queue.count < workers && "the queue is full although a worker was idle");
	queue.connections[(queue.first + queue.count++) % workers] = connection;
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

/* The next connection, or false when the server stops. */
static bool queue_pop(int *connection)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0 && !queue.terminated)
		pthread_cond_wait(&queue.not_empty, &queue.lock);
	bool found = queue.count > 0;
	if (found) {
		*connection = queue.connections[queue.first];
		queue.first = (queue.first + 1) % workers;
		queue.count--;
	}
	pthread_mutex_unlock(&queue.lock);
	return found;
}

static void process(int connection)
{
	for (volatile int i = 0; i < 500 + connection % 7 * 100; i++)
		;
}

static void *worker(void *unused)
{
	int connection;
	for (;;) {
		info_set_idle();
		if (!queue_pop(&connection))
			return unused;
		process(connection);
	}
}

static void *listener(void *unused)
{
	for (int i = 0; i < requests; i++) {
		info_wait_for_idler();
		queue_push(i);
	}
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		workers = atoi(argv[1]);
	if (argc > 2)
		requests = atoi(argv[2]);
	if (workers < 1 || workers > WORKERS_MAX)
		return 2;

	pthread_t listeners[LISTENERS], pool[WORKERS_MAX];
	for (int i = 0; i < workers; i++)
		pthread_create(&pool[i], NULL, worker, NULL);
	for (int i = 0; i < LISTENERS; i++)
		pthread_create(&listeners[i], NULL, listener, NULL);
	for (int i = 0; i < LISTENERS; i++)
		pthread_join(listeners[i], NULL);

	pthread_mutex_lock(&queue.lock);
	queue.terminated = true;
	pthread_cond_broadcast(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
	for (int i = 0; i < workers; i++)
		pthread_join(pool[i], NULL);
	return 0;
}
