/* Threads whose pools share one allocator: each writes its number all over what it gets and reads it again. Exits 1 when somebody else wrote there. */
#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>

#include <stdio.h>

enum { THREADS = 3, ROUNDS = 40, BLOCKS = 4 };

static apr_pool_t *root;
static int wrong[THREADS];
static int numbers[THREADS];

static void fill(apr_pool_t *pool, int me)
{
	int *blocks[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = apr_palloc(pool, 3000);
		blocks[i][0] = blocks[i][700] = me;
	}
	for (int i = 0; i < BLOCKS; i++)
		wrong[me] += blocks[i][0] != me || blocks[i][700] != me;
}

static void *APR_THREAD_FUNC works(apr_thread_t *thread, void *number)
{
	int me = *(int *)number;
	for (int i = 0; i < ROUNDS; i++) {
		apr_pool_t *pool;
		if (apr_pool_create(&pool, root))
			break;
		fill(pool, me);
		apr_pool_destroy(pool);
	}
	apr_thread_exit(thread, APR_SUCCESS);
	return NULL;
}

int main(void)
{
	apr_thread_t *threads[THREADS];
	apr_allocator_t *allocator;
	apr_thread_mutex_t *mutex;
	apr_status_t ended;
	int sum = 0;
	apr_initialize();
	apr_allocator_create(&allocator);
	apr_pool_create_ex(&root, NULL, NULL, allocator);
	apr_allocator_owner_set(allocator, root);
	apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, root);
	apr_allocator_mutex_set(allocator, mutex);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		apr_thread_create(&threads[i], NULL, works, &numbers[i], root);
	}
	for (int i = 0; i < THREADS; i++) {
		apr_thread_join(&ended, threads[i]);
		sum += wrong[i];
	}
	printf("%s\n", sum ? "a block was in two hands" : "every block was in one");
	return sum > 0;
}
