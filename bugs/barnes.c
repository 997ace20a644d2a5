/*
 * barnes: main prints statistics that another worker has yet to write (SPLASH-2 Barnes).
 *
 * SPLASH-2 programs are written with macros that each platform defines for itself. The main thread
 * creates the other workers and then works as one of them; ids are handed out in order of arrival;
 * worker 0 fills in the statistics at the end. A platform whose WAIT_FOR_END does nothing goes
 * unnoticed as long as main is first to ask for an id.
 *
 * Bad interleaving: another worker gets id 0; after the last step main returns and prints the
 * statistics; worker 0 writes them.
 * Symptom: the number of interactions is printed as 0.
 * Fix: a WAIT_FOR_END that waits.
 * Paper: PRES, table 3 (Barnes, wrong output of execution statistics).
 *
 * fail-if: grep -q '^interactions 0$'
 * threads: 3
 * args: 32
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, STEPS = 3 };

/* The platform's macros. */
#define CREATE(thread, function) pthread_create(&(thread), NULL, function, NULL)
#ifdef FIXED
#define WAIT_FOR_END(thread) pthread_join(thread, NULL)
#else
#define WAIT_FOR_END(thread) ((void)(thread))
#endif
#define BARRIER(barrier) pthread_barrier_wait(&(barrier))
#define LOCK(lock) pthread_mutex_lock(&(lock))
#define UNLOCK(lock) pthread_mutex_unlock(&(lock))

struct body {
	double mass, position, velocity, force;
};

static struct {
	pthread_mutex_t id_lock;
	int next_id;
	pthread_barrier_t step;
	struct body *bodies;
	volatile long interactions; /* a statistic, from worker 0 */
} global = {.id_lock = PTHREAD_MUTEX_INITIALIZER};

static int bodies = 32;

static void compute_force(struct body *b)
{
	b->force = 0;
	for (int i = 0; i < bodies; i++) {
		const struct body *other = &global.bodies[i];
		double distance = other->position - b->position;
		if (other != b)
			b->force += b->mass * other->mass * distance / (distance * distance + 0.01);
	}
}

static void advance(struct body *b)
{
	b->velocity += b->force / b->mass * 0.001;
	b->position += b->velocity * 0.001;
}

static void *slave_start(void *unused)
{
	LOCK(global.id_lock);
	int id = global.next_id++;
	UNLOCK(global.id_lock);

	int first = id * bodies / WORKERS, last = (id + 1) * bodies / WORKERS;
	for (int step = 0; step < STEPS; step++) {
		for (int i = first; i < last; i++)
			compute_force(&global.bodies[i]);
		BARRIER(global.step);
		for (int i = first; i < last; i++)
			advance(&global.bodies[i]);
		BARRIER(global.step);
	}
	if (id == 0)
		global.interactions = (long)STEPS * bodies * (bodies - 1);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		bodies = atoi(argv[1]);
	global.bodies = calloc((size_t)bodies, sizeof *global.bodies);
	for (int i = 0; i < bodies; i++)
		global.bodies[i] = (struct body){.mass = 1 + i % 3, .position = i};
	pthread_barrier_init(&global.step, NULL, WORKERS);

	pthread_t workers[WORKERS - 1];
	for (int i = 0; i < WORKERS - 1; i++)
		CREATE(workers[i], slave_start);
	slave_start(NULL);
	for (int i = 0; i < WORKERS - 1; i++)
		WAIT_FOR_END(workers[i]);

	printf("interactions %ld\n", global.interactions);
	return 0;
}
