/*
 * bbuf: a shared bounded buffer whose waits are guarded by `if`.
 *
 * Two producers and two consumers share a ring of three slots, one mutex and two condition
 * variables. A woken thread takes for granted that what it waited for still holds.
 *
 * Bad interleaving: consumer A finds the buffer empty and waits; a producer puts an item and
 * signals; before A has the mutex again, consumer B comes by, finds the item and takes it; A
 * returns from its wait and takes an item from an empty buffer.
 * Symptom: assertion, an item is taken from an empty buffer (or put into a full one).
 * Fix: `while` instead of `if` around both waits.
 * Paper: CLAP, section 6 and table 1 (bbuf: 5 threads, 11 shared variables, 64 accesses).
 *
 * fails: assert
 * threads: 5
 * args: 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { CAPACITY = 3, PRODUCERS = 2, CONSUMERS = 2 };

static struct buffer {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int item[CAPACITY];
	int in, out; /* next slot to fill, next slot to empty */
	int count;
} buffer = {.lock = PTHREAD_MUTEX_INITIALIZER,
	    .not_full = PTHREAD_COND_INITIALIZER,
	    .not_empty = PTHREAD_COND_INITIALIZER};

static int items = 4; /* per producer, and per consumer */

static void buffer_put(struct buffer *b, int item)
{
	pthread_mutex_lock(&b->lock);
#ifdef FIXED
	while (b->count == CAPACITY)
#else
	if (b->count == CAPACITY)
#endif
		pthread_cond_wait(&b->not_full, &b->lock);
	assert(b->count < CAPACITY);
	b->item[b->in] = item;
	b->in = (b->in + 1) % CAPACITY;
	b->count++;
	pthread_cond_signal(&b->not_empty);
	pthread_mutex_unlock(&b->lock);
}

static int buffer_get(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
#ifdef FIXED
	while (b->count == 0)
#else
	if (b->count == 0)
#endif
		pthread_cond_wait(&b->not_empty, &b->lock);
	assert(b->count > 0);
	int item = b->item[b->out];
	b->out = (b->out + 1) % CAPACITY;
	b->count--;
	pthread_cond_signal(&b->not_full);
	pthread_mutex_unlock(&b->lock);
	return item;
}

/* Making or using an item; touches nothing shared. */
static void work(void)
{
	for (volatile int i = 0; i < 300; i++)
		;
}

static void *producer(void *unused)
{
	for (int i = 0; i < items; i++) {
		work();
		buffer_put(&buffer, i + 1);
	}
	return unused;
}

/* The sum of what this consumer got, as its result. */
static void *consumer(void *unused)
{
	(void)unused;
	long sum = 0;
	for (int i = 0; i < items; i++) {
		sum += buffer_get(&buffer);
		work();
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		items = atoi(argv[1]);

	pthread_t producers[PRODUCERS], consumers[CONSUMERS];
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&producers[i], NULL, producer, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&consumers[i], NULL, consumer, NULL);

	long received = 0;
	for (int i = 0; i < CONSUMERS; i++) {
		void *sum;
		pthread_join(consumers[i], &sum);
		received += (long)sum;
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i], NULL);
	assert(received == (long)PRODUCERS * items * (items + 1) / 2);
	return 0;
}
