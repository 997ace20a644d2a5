/*
 * manager: IBM ConTest's memory-block manager, whose free list is raced.
 *
 * Three workers get blocks from a free list, use them and give them back. Giving back is locked;
 * getting is not, since "it only takes the first block".
 *
 * Bad interleaving: worker A reads the head of the list, block 1, and its successor; worker B
 * does the same; both make the successor the new head and both use block 1.
 * Symptom: assertion, a block has changed its owner while in use.
 * Fix: lock the list for getting, too.
 * Paper: SIMBA, table 1 (Manager: 4 threads, 4 shared variables, about 1100 variables).
 *
 * fails: assert
 * threads: 4
 * args: 30
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WORKERS = 3, BLOCKS = 8, NOBODY = 0, USE = 300 };

static struct block {
	struct block *volatile next; /* in the free list */
	volatile int owner;          /* a worker's number, or NOBODY */
} blocks[BLOCKS];

static struct block *volatile free_list;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds = 30; /* per worker */

/* A block for the worker, or NULL when all are in use. */
static struct block *block_get(int worker)
{
#ifdef FIXED
	pthread_mutex_lock(&list_lock);
#endif
	struct block *b = free_list;
	if (b != NULL) {
		free_list = b->next;
		b->owner = worker;
	}
#ifdef FIXED
	pthread_mutex_unlock(&list_lock);
#endif
	return b;
}

static void block_give_back(struct block *b, int worker)
{
	assert(b->owner == worker && "the block was handed out twice");
	pthread_mutex_lock(&list_lock);
	b->owner = NOBODY;
	b->next = free_list;
	free_list = b;
	pthread_mutex_unlock(&list_lock);
}

/* Using a block; touches nothing shared. */
static void use(int worker)
{
	for (volatile int i = 0; i < USE + worker * 20; i++)
		;
}

static void *work(void *arg)
{
	int me = (int)(long)arg;
	for (int i = 0; i < rounds; i++) {
		struct block *b = block_get(me);
		use(me);
		if (b != NULL)
			block_give_back(b, me);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i].next = free_list;
		free_list = &blocks[i];
	}

	pthread_t workers[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	int free_blocks = 0;
	for (struct block *b = free_list; b != NULL && free_blocks <= BLOCKS; b = b->next)
		free_blocks++;
	assert(free_blocks == BLOCKS && "a block was lost");
	return 0;
}
