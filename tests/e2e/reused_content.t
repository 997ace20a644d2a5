# A field that is never set holds what the block before left there: that is inferred, and replayed.
cat >uninit.c <<'P'
/*
 * A request is made of memory that an answer had before, and its flag is never set: whether that matters depends on whether an
 * answer was there.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request { long id; long size; int urgent; int kind; };
struct answer { long id; long size; char text[8]; };
static struct request *volatile queue;
static struct answer *volatile last;
static volatile int busy;

static void *ask(void *unused)
{
	if (busy) { /* racy: an answer is made, and thrown away */
		struct answer *a = malloc(sizeof *a);
		for (int i = 0; i < 8; i++)
			((volatile char *)a->text)[i] = "later.."[i];
		last = a;
		free(a);
	}
	struct request *r = malloc(sizeof *r);
	r->id = 1;
	r->size = 2;
	r->kind = 3; /* bug: urgent is not set */
	queue = r;
	return unused;
}

static void *serve(void *unused)
{
	usleep(50);
	busy = 1;
	usleep(100);
	while (!queue)
		usleep(100);
	assert(!queue->urgent);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, serve, NULL);
	usleep(60);
	pthread_create(&t[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
ENGINE=solve proven uninit.c
