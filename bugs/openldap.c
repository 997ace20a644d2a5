/*
 * openldap: two connections lock each other's lock.
 *
 * Every connection has a lock. An operation that concerns two connections, here the cancelling of
 * what a peer has asked for, locks its own connection and then the peer's.
 *
 * Bad interleaving: the first connection's thread locks the first connection; the second one's
 * thread locks the second; each waits for the other.
 * Symptom: deadlock.
 * Fix: lock the connection with the smaller number first.
 * Paper: PRES, table 3 (OpenLDAP, contention on two locks).
 *
 * fails: deadlock
 * threads: 2
 * args: 200
 */
#include <pthread.h>
#include <stdlib.h>

enum { CONNECTIONS = 2, OPERATION = 2000, FIND_PEER = 200, CANCEL_EVERY = 4 };

static struct connection {
	pthread_mutex_t lock;
	int pending; /* operations begun and not yet cancelled; under lock */
} connections[CONNECTIONS] = {{.lock = PTHREAD_MUTEX_INITIALIZER},
			      {.lock = PTHREAD_MUTEX_INITIALIZER}};

static int operations = 200; /* per connection */

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void connection_lock_both(struct connection *own, struct connection *peer)
{
#ifdef FIXED
	struct connection *first = own < peer ? own : peer;
	struct connection *second = own < peer ? peer : own;
#else
	struct connection *first = own, *second = peer;
#endif
	pthread_mutex_lock(&first->lock);
	work(FIND_PEER);
	pthread_mutex_lock(&second->lock);
}

static void operation(struct connection *own)
{
	pthread_mutex_lock(&own->lock);
	own->pending++;
	pthread_mutex_unlock(&own->lock);
	work(OPERATION);
}

static void cancel(struct connection *own, struct connection *peer)
{
	connection_lock_both(own, peer);
	own->pending--;
	peer->pending = 0;
	pthread_mutex_unlock(&peer->lock);
	pthread_mutex_unlock(&own->lock);
}

static void *serve(void *arg)
{
	struct connection *own = arg;
	struct connection *peer = &connections[own == &connections[0]];
	for (int i = 0; i < operations; i++) {
		operation(own);
		if (i % CANCEL_EVERY == CANCEL_EVERY - 1)
			cancel(own, peer);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		operations = atoi(argv[1]);

	pthread_t other;
	pthread_create(&other, NULL, serve, &connections[1]);
	serve(&connections[0]);
	pthread_join(other, NULL);
	return 0;
}
