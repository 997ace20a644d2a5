/*
 * radiosity: two workers get the same id (SPLASH-2 Radiosity).
 *
 * The workers take their ids from a shared counter, with a macro that on this platform does not
 * lock. The id selects the place for a worker's statistics. The tasks themselves come out of a
 * properly locked queue, so the picture is right, but what is reported about it is not.
 *
 * Bad interleaving: worker A reads the counter and sets up the place of that id; worker B reads
 * the same number; both store the number plus one. Both write their statistics to the one place,
 * and main reads another place that nobody has written.
 * Symptom: the printed number of tasks done is not the number of tasks.
 * Fix: a lock in the macro.
 * Paper: PRES, table 3 (Radiosity, wrong output of execution statistics).
 *
 * fail-if: awk '{ exit $2 == $4 }'
 * threads: 5
 * args: 40
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, HISTOGRAM = 16, SETUP = 10000, RAYS = 500 };

struct statistics {
	int tasks;
	int visible[HISTOGRAM]; /* tasks by the number of visible rays, in sixteenths */
};

static struct {
	pthread_mutex_t id_lock;
	volatile int next_id;
	pthread_mutex_t queue_lock;
	int next_task;
	struct statistics statistics[WORKERS]; /* by id */
} global = {.id_lock = PTHREAD_MUTEX_INITIALIZER, .queue_lock = PTHREAD_MUTEX_INITIALIZER};

static int tasks = 40;

/* The platform's macros. */
#ifdef FIXED
#define LOCK_ID() pthread_mutex_lock(&global.id_lock)
#define UNLOCK_ID() pthread_mutex_unlock(&global.id_lock)
#else
#define LOCK_ID()
#define UNLOCK_ID()
#endif

/* What a worker does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static int get_id(void)
{
	LOCK_ID();
	int id = global.next_id;
	memset(&global.statistics[id], 0, sizeof global.statistics[id]);
	work(SETUP);
	global.next_id = id + 1;
	UNLOCK_ID();
	return id;
}

/* The next task's number, or -1 when there is none left. */
static int get_task(void)
{
	pthread_mutex_lock(&global.queue_lock);
	int task = global.next_task < tasks ? global.next_task++ : -1;
	pthread_mutex_unlock(&global.queue_lock);
	return task;
}

/* How many of RAYS rays from one patch reach the other. */
static int visible_rays(int task)
{
	unsigned ray = (unsigned)task;
	int visible = 0;
	for (int i = 0; i < RAYS; i++) {
		ray = ray * 1664525u + 1013904223u;
		visible += ray >> 31;
	}
	return visible;
}

static void *worker(void *unused)
{
	int id = get_id();
	struct statistics own = {0};
	for (int task; (task = get_task()) >= 0;) {
		own.tasks++;
		own.visible[visible_rays(task) * HISTOGRAM / (RAYS + 1)]++;
	}
	global.statistics[id] = own;
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		tasks = atoi(argv[1]);

	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	int done = 0;
	for (int id = 0; id < WORKERS; id++)
		done += global.statistics[id].tasks;
	printf("tasks %d done %d\n", tasks, done);
	return 0;
}
