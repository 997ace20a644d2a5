/*
 * For eval/real.sh: jobs of strongSwan's processor, which are cancelled when some of them were done. Prints how many were made, and that all were
 * destroyed.
 */
#include <library.h>
#include <processing/jobs/callback_job.h>
#include <threading/mutex.h>

#include <assert.h>
#include <stdio.h>

enum { JOBS = 60, THREADS = 4 };

struct note {
	int number;
	bool *cancelled;
};

static mutex_t *mutex;
static int destroyed;

static job_requeue_t work(void *data)
{
	struct note *note = data;
	note->number++;
	return JOB_REQUEUE_NONE;
}

static void forget(void *data)
{
	mutex->lock(mutex);
	destroyed++;
	mutex->unlock(mutex);
	free(data);
}

static bool stop(void *data)
{
	struct note *note = data;
	assert(note->number >= 0 && note->number <= JOBS);
	return TRUE;
}

int main(void)
{
	if (!library_init("", "jobs"))
		return 2;
	mutex = mutex_create(MUTEX_TYPE_DEFAULT);
	lib->processor->set_threads(lib->processor, THREADS);
	for (int i = 0; i < JOBS; i++) {
		struct note *note = malloc_thing(struct note);
		note->number = i;
		lib->processor->queue_job(lib->processor, (job_t *)callback_job_create(work, note, forget, stop));
	}
	lib->processor->cancel(lib->processor);
	printf("%d jobs, %d destroyed\n", JOBS, destroyed);
	int all = destroyed;
	mutex->destroy(mutex);
	library_deinit();
	return all == JOBS ? 0 : 1;
}
