/* Memory that becomes shared in every way we could think of, among memory that does not. */
#include "ir.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };
struct node {
	struct node *next;
	long value;
	int *detail;
};
struct work {
	struct node *list;
	int *stack_of_main;
	char *text;
	void (*callback)(struct work *, int);
	uintptr_t hidden;
	char bytes[sizeof(void *)];
	long private_sum;
};

static struct node *global_list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int plain_global, table[16];
static __thread int own_counter;
static int *published_tls;
static int never_written[4] = {1, 2, 3, 4};
static pthread_key_t key;

static struct node *make_node(long v, struct node *next)
{
	struct node *n = malloc(sizeof *n);
	n->value = v;
	n->next = next;
	n->detail = malloc(sizeof *n->detail);
	*n->detail = (int)v;
	return n;
}

static void callback(struct work *w, int k)
{
	w->text[k]++;
	table[k]++;
}

static void through_integer(uintptr_t where)
{
	int *p = (int *)(where ^ 0x5a5a);
	*p += 1;
}

static void through_bytes(const char *bytes)
{
	int *p;
	char *to = (char *)&p;
	for (size_t i = 0; i < sizeof p; i++)
		to[i] = bytes[i];
	*p += 2;
}

static long private_work(int n)
{
	long local[8] = {0};
	long *heap = malloc(sizeof(long) * 8);
	for (int i = 0; i < 8; i++) {
		heap[i] = i * n;
		local[i] = heap[7 - i > i ? i : 7 - i] + never_written[i & 3];
		own_counter++;
	}
	long sum = 0;
	for (int i = 0; i < 8; i++)
		sum += local[i];
	return sum;
}

static void *worker(void *arg)
{
	struct work *w = arg;
	w->private_sum = private_work(3);
	for (struct node *n = w->list; n; n = n->next)
		*n->detail += (int)n->value;
	*w->stack_of_main += 1;
	w->callback(w, 2);
	through_integer(w->hidden);
	through_bytes(w->bytes);
	pthread_mutex_lock(&lock);
	plain_global++;
	global_list = make_node(plain_global, global_list);
	if (!published_tls)
		published_tls = &own_counter;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&lock);
	*published_tls += 1;
	for (struct node *n = global_list; n; n = n->next)
		n->value++;
	pthread_mutex_unlock(&lock);
	int *from_key = pthread_getspecific(key);
	(void)from_key;
	pthread_barrier_wait(&barrier);
	int *result = malloc(sizeof *result);
	*result = 5;
	return result;
}

int main(void)
{
	pthread_t threads[THREADS];
	int on_stack = 0, hidden = 0, in_bytes = 0;
	int *address = &in_bytes;
	struct work *w = calloc(1, sizeof *w);
	w->list = make_node(1, make_node(2, NULL));
	w->stack_of_main = &on_stack;
	w->text = strdup("abcdef");
	w->callback = callback;
	w->hidden = (uintptr_t)&hidden ^ 0x5a5a;
	memcpy(w->bytes, &address, sizeof address);
	pthread_key_create(&key, NULL);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, w);
	int sum = 0;
	for (int i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(threads[i], &result);
		sum += *(int *)result;
	}
	printf("%d %d %d %d %d\n", sum, plain_global, table[2] > 0, on_stack > 0,
	       hidden + in_bytes > 0);
	return 0;
}
