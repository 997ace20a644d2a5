/*
 * piper: IBM ConTest's pipe whose reader waits without a condition.
 *
 * Ten writers and ten readers share a pipe of a few slots. A reader that finds the pipe empty
 * waits for a signal and takes the signal for the item: nothing makes it look again.
 *
 * Bad interleaving: reader A waits; a writer puts an item and signals; reader B, which never had
 * to wait, locks the pipe before A does and takes the item; A returns from its wait and takes an
 * item that is not there.
 * Symptom: the assertion that there is an item to take.
 * Fix: `while` instead of `if` around the reader's wait.
 * Paper: SIMBA, table 1 (Piper: 21 threads, 4 shared variables); Symber, table III ("missing
 * condition for wait") and thesis, table 4.4 (264 accesses).
 *
 * fails: assert
 * threads: 21
 * args: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WRITERS = 10, READERS = 10, SLOTS = 6 };

static struct pipe {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int item[SLOTS];
	int first, count;
} pipe = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .not_full = PTHREAD_COND_INITIALIZER,
	  .not_empty = PTHREAD_COND_INITIALIZER};

static int items = 2; /* per writer, and per reader */

static void pipe_write(struct pipe *p, int item)
{
	pthread_mutex_lock(&p->lock);
	while (p->count == SLOTS)
		pthread_cond_wait(&p->not_full, &p->lock);
	p->item[(p->first + p->count) % SLOTS] = item;
	p->count++;
	pthread_cond_signal(&p->not_empty);
	pthread_mutex_unlock(&p->lock);
}

static int pipe_read(struct pipe *p)
{
	pthread_mutex_lock(&p->lock);
#ifdef FIXED
	while (p->count == 0)
		pthread_cond_wait(&p->not_empty, &p->lock);
#else
	if (p->count == 0)
		pthread_cond_wait(&p->not_empty, &p->lock);
#endif
	assert(p->count > 0 && "an item is taken from an empty pipe");
	int item = p->item[p->first];
	p->first = (p->first + 1) % SLOTS;
	p->count--;
	pthread_cond_signal(&p->not_full);
	pthread_mutex_unlock(&p->lock);
	return item;
}

static void *writer(void *unused)
{
	for (int i = 0; i < items; i++)
		pipe_write(&pipe, i);
	return unused;
}

/* The sum of what this reader got, as its result. */
static void *reader(void *unused)
{
	(void)unused;
	long sum = 0;
	for (int i = 0; i < items; i++)
		sum += pipe_read(&pipe);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		items = atoi(argv[1]);

	pthread_t writers[WRITERS], readers[READERS];
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&writers[i], NULL, writer, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, reader, NULL);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	return 0;
}
