/*
 * aget: the download accelerator saves its state while the download goes on.
 *
 * Each worker fetches its range of the file in chunks, advancing its own offset and then, under a
 * lock, the total that the progress bar shows. When the user stops the download, the signal
 * thread writes both into the log from which a later run resumes. It does so at once, without
 * waiting for the workers to notice the request.
 *
 * Bad interleaving: the signal thread copies the offsets; a worker finishes a chunk, advancing its
 * offset and the total; the signal thread copies the total. Or it copies both while a worker has
 * advanced the one and not yet the other. The saved total then belongs to other offsets.
 * Symptom: assertion when the resume data are checked.
 * Fix: the signal thread joins the workers before it saves.
 * Paper: CLAP, section 6 and table 1 (aget 0.4.1: 4 threads, 1951 accesses).
 *
 * fails: assert
 * threads: 4
 * args: 100
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 2, CHUNK = 2048 };

struct range {
	pthread_t thread;
	long start, end;      /* bytes of the file this worker is to fetch */
	volatile long offset; /* where its next chunk begins */
};

static struct range ranges[WORKERS];
static atomic_bool stop_requested;
static sem_t interrupt; /* posted when the user presses ^C */

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long total; /* bytes fetched by all workers; under total_lock */
static long stop_at;

/* The saved state: what a resumed download starts from. */
static struct {
	long offset[WORKERS];
	long total;
} resume_log;

/* One chunk from the "server"; returns its checksum. */
static unsigned fetch(long offset)
{
	unsigned checksum = 0, byte = (unsigned)offset;
	for (int i = 0; i < CHUNK; i++) {
		byte = byte * 1664525u + 1013904223u;
		checksum += byte >> 24;
	}
	return checksum;
}

static void *worker(void *arg)
{
	struct range *r = arg;
	unsigned long checksum = 0;
	while (r->offset < r->end && !stop_requested) {
		checksum += fetch(r->offset);
		r->offset += CHUNK;
		pthread_mutex_lock(&total_lock);
		total += CHUNK;
		if (total == stop_at)
			sem_post(&interrupt);
		pthread_mutex_unlock(&total_lock);
	}
	return (void *)checksum;
}

static void save_state(void)
{
	for (int i = 0; i < WORKERS; i++)
		resume_log.offset[i] = ranges[i].offset;
	pthread_mutex_lock(&total_lock);
	resume_log.total = total;
	pthread_mutex_unlock(&total_lock);
}

static void *signal_thread(void *unused)
{
	sem_wait(&interrupt);
	stop_requested = true;
#ifdef FIXED
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ranges[i].thread, NULL);
#endif
	save_state();
	return unused;
}

static void check_resume_log(void)
{
	long sum = 0;
	for (int i = 0; i < WORKERS; i++)
		sum += resume_log.offset[i] - ranges[i].start;
	assert(sum == resume_log.total && "the saved total and the saved offsets disagree");
}

int main(int argc, char **argv)
{
	long chunks = argc > 1 ? atol(argv[1]) : 100; /* per worker */
	stop_at = chunks * CHUNK;                     /* half of the file */
	sem_init(&interrupt, 0, 0);

	for (int i = 0; i < WORKERS; i++) {
		ranges[i].start = ranges[i].offset = i * chunks * CHUNK;
		ranges[i].end = ranges[i].start + chunks * CHUNK;
		pthread_create(&ranges[i].thread, NULL, worker, &ranges[i]);
	}
	pthread_t signals;
	pthread_create(&signals, NULL, signal_thread, NULL);
	pthread_join(signals, NULL);
#ifndef FIXED
	for (int i = 0; i < WORKERS; i++)
		pthread_join(ranges[i].thread, NULL);
#endif
	check_resume_log();
	return 0;
}
