/*
 * fmm: all boxes handed out is taken for all boxes done (SPLASH-2 FMM).
 *
 * The space is cut into boxes. In the first phase each box's particles are summed up into one
 * expansion; in the second phase each box's potential is computed from its neighbours' expansions.
 * Workers draw the next box from a shared counter; a worker that gets none goes on to the second
 * phase, since the platform's barrier between the phases is an empty macro.
 *
 * Bad interleaving: worker A draws a box and is held up; the other workers finish all other boxes
 * and go on to the second phase; one of them reads A's expansion before A has written it.
 * Symptom: the total potential is not the one that a direct sum gives.
 * Fix: a barrier that waits.
 * Paper: PRES, table 2 (FMM; a wrong output like that of its table 3's Barnes and LU).
 *
 * fail-if: awk '{ exit $2 == $4 }'
 * threads: 8
 * args: 32
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 7, BOXES_MAX = 1024, PARTICLES = 6000 };

/* The platform's macros. */
#ifdef FIXED
#define BARRIER(barrier) pthread_barrier_wait(&(barrier))
#else
#define BARRIER(barrier)
#endif

static struct {
	pthread_mutex_t lock;
	int next_box[2]; /* per phase */
	pthread_barrier_t between_phases;
	long expansion[BOXES_MAX];
	long potential[BOXES_MAX];
} global = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int boxes = 32;

/* The box to work on in this phase, or -1 when there is none left. */
static int draw_box(int phase)
{
	pthread_mutex_lock(&global.lock);
	int box = global.next_box[phase] < boxes ? global.next_box[phase]++ : -1;
	pthread_mutex_unlock(&global.lock);
	return box;
}

/* The sum over a box's particles, whose charges follow from the box's number. */
static long sum_particles(int box)
{
	unsigned charge = (unsigned)box;
	long sum = 0;
	for (int i = 0; i < PARTICLES; i++) {
		charge = charge * 1664525u + 1013904223u;
		sum += charge >> 24;
	}
	return sum;
}

static long compute_potential(int box)
{
	long potential = global.expansion[box];
	if (box > 0)
		potential += 2 * global.expansion[box - 1];
	if (box + 1 < boxes)
		potential += 2 * global.expansion[box + 1];
	return potential;
}

static void *worker(void *unused)
{
	int box;
	while ((box = draw_box(0)) >= 0)
		global.expansion[box] = sum_particles(box);
	BARRIER(global.between_phases);
	while ((box = draw_box(1)) >= 0)
		global.potential[box] = compute_potential(box);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		boxes = atoi(argv[1]);
	if (boxes < 1 || boxes > BOXES_MAX)
		return 2;
	pthread_barrier_init(&global.between_phases, NULL, WORKERS);

	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	long total = 0, direct = 0;
	for (int box = 0; box < boxes; box++) {
		total += global.potential[box];
		direct += compute_potential(box);
	}
	printf("potential %ld directly %ld\n", total, direct);
	return 0;
}
