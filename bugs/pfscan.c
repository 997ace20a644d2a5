/*
 * pfscan: the parallel file scanner decides too early that there are no more files.
 *
 * Two workers share a queue of paths. A file is searched; a directory's entries are queued, so
 * consumers are producers as well, and an empty queue means the end only when no worker is busy.
 * The queue has a lock and the number of busy workers has a lock; taking a path and becoming busy
 * is not one step.
 *
 * Bad interleaving: worker A takes the last path, a directory, off the queue; worker B finds the
 * queue empty and nobody busy, and closes the queue; A counts itself busy and queues what is in
 * the directory.
 * Symptom: assertion, a path is queued after the queue was closed.
 * Fix: count the worker as busy before the queue's lock is released.
 * Paper: CLAP, section 6 and table 1 (pfscan: 3 threads, 13 shared variables, 2864 accesses).
 *
 * fails: assert
 * threads: 3
 * args: 40
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 2, QUEUE_MAX = 64, FILES_PER_DIRECTORY = 3, FILE_SIZE = 500 };

/* A path of the made-up tree: directory d holds some files and the directory d + 1. */
struct path {
	bool is_directory;
	int number;
};

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t
		changed; /* a path was added, a worker became idle, or the queue was closed */
	struct path paths[QUEUE_MAX];
	int first, count;
	bool closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static int busy; /* workers that have a path; under busy_lock */

static int depth = 40; /* directories */
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static long matches; /* under matches_lock */

static int busy_add(int change)
{
	pthread_mutex_lock(&busy_lock);
	int now = busy += change;
	pthread_mutex_unlock(&busy_lock);
	return now;
}

static void queue_put(struct path path)
{
	pthread_mutex_lock(&queue.lock);
	assert(!queue.closed && "a path is queued after the scan was declared complete");
	assert(queue.count < QUEUE_MAX);
	queue.paths[(queue.first + queue.count++) % QUEUE_MAX] = path;
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

/* The next path, and the caller is busy from then on; false at the end of the scan. */
static bool queue_get(struct path *path)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0 && !queue.closed) {
		if (busy_add(0) == 0) {
			queue.closed = true;
			pthread_cond_broadcast(&queue.changed);
		} else {
			pthread_cond_wait(&queue.changed, &queue.lock);
		}
	}
	bool found = queue.count > 0;
	if (found) {
		*path = queue.paths[queue.first];
		queue.first = (queue.first + 1) % QUEUE_MAX;
		queue.count--;
	}
#ifdef FIXED
	if (found)
		busy_add(1);
	pthread_mutex_unlock(&queue.lock);
#else
	pthread_mutex_unlock(&queue.lock);
	if (found)
		busy_add(1);
#endif
	return found;
}

/* The caller has dealt with its path. */
static void queue_done(void)
{
	pthread_mutex_lock(&queue.lock);
	busy_add(-1);
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

static void scan_directory(int number)
{
	for (int i = 0; i < FILES_PER_DIRECTORY; i++)
		queue_put((struct path){.is_directory = false,
					.number = number * FILES_PER_DIRECTORY + i});
	if (number + 1 < depth)
		queue_put((struct path){.is_directory = true, .number = number + 1});
}

/* How often the pattern, a byte, occurs in the made-up content of a file. */
static void scan_file(int number)
{
	unsigned content = (unsigned)number;
	int found = 0;
	for (int i = 0; i < FILE_SIZE; i++) {
		content = content * 1664525u + 1013904223u;
		found += content >> 24 == 'x';
	}
	pthread_mutex_lock(&matches_lock);
	matches += found;
	pthread_mutex_unlock(&matches_lock);
}

static void *worker(void *unused)
{
	struct path path;
	while (queue_get(&path)) {
		if (path.is_directory)
			scan_directory(path.number);
		else
			scan_file(path.number);
		queue_done();
	}
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		depth = atoi(argv[1]);

	queue_put((struct path){.is_directory = true, .number = 0});
	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	printf("%ld matches in %d files\n", matches, depth * FILES_PER_DIRECTORY);
	return 0;
}
