/*
 * transmission: a handle is used before it is assigned.
 *
 * Opening a session starts the event thread and then goes on with setting up the session, among
 * other things creating the bandwidth object that divides the upload limit among peers. The event
 * thread's timer uses that object. Usually the set-up is long finished by then.
 *
 * Bad interleaving: main creates the event thread; the event thread's first timer fires and reads
 * session->bandwidth; main assigns session->bandwidth.
 * Symptom: the assertion that the handle is a bandwidth object.
 * Fix: create the bandwidth object before the thread that uses it.
 * Paper: PRES, table 3 (Transmission, a shared variable is read before it is assigned).
 *
 * fails: assert
 * threads: 2
 * args: 5
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAGIC = 43143, TIMER = 1000, SETTINGS = 40000 };

struct bandwidth {
	int magic;
	pthread_mutex_t lock;
	long bytes_left; /* of this period's upload limit; under lock */
};

struct session {
	pthread_t event_thread;
	int periods; /* the event thread ends after so many timers */
	long speed_limit;
	struct bandwidth *volatile bandwidth;
};

static struct bandwidth *bandwidth_new(long limit)
{
	struct bandwidth *b = malloc(sizeof *b);
	b->magic = MAGIC;
	pthread_mutex_init(&b->lock, NULL);
	b->bytes_left = limit;
	return b;
}

static bool is_bandwidth(const struct bandwidth *b)
{
	return b != NULL && b->magic == MAGIC;
}

static void bandwidth_allocate(struct bandwidth *b, long limit)
{
	assert(is_bandwidth(b));
	pthread_mutex_lock(&b->lock);
	b->bytes_left = limit;
	pthread_mutex_unlock(&b->lock);
}

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void *event_loop(void *arg)
{
	struct session *session = arg;
	for (int i = 0; i < session->periods; i++) {
		work(TIMER);
		bandwidth_allocate(session->bandwidth, session->speed_limit);
	}
	return NULL;
}

static void session_init(struct session *session)
{
#ifdef FIXED
	session->bandwidth = bandwidth_new(session->speed_limit);
#endif
	pthread_create(&session->event_thread, NULL, event_loop, session);
	work(SETTINGS);
#ifndef FIXED
	session->bandwidth = bandwidth_new(session->speed_limit);
#endif
}

static void session_close(struct session *session)
{
	pthread_join(session->event_thread, NULL);
	pthread_mutex_destroy(&session->bandwidth->lock);
	free(session->bandwidth);
}

int main(int argc, char **argv)
{
	struct session session = {.periods = argc > 1 ? atoi(argv[1]) : 5, .speed_limit = 100000};
	session_init(&session);
	session_close(&session);
	return 0;
}
