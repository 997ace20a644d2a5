# A work-stealing deque in which a fence was forgotten: what goes wrong needs store buffers (TSO). Its indices are recorded numbers of 64 bits,
# and a compare-and-swap that fails drains the buffer in one step with its read.
cat >deque.c <<'P'
/* A work-stealing pool with Chase-Lev deques in which the fence of take() was forgotten: one item taken twice (TSO). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 64
#define ITEMS 3000
struct deque { atomic_long top, bottom; atomic_int item[SIZE]; };
static struct deque d;
static atomic_int taken[ITEMS + 1];
static atomic_int finished;

static int push(int x)
{
	long b = atomic_load_explicit(&d.bottom, memory_order_relaxed), t = atomic_load_explicit(&d.top, memory_order_acquire);
	if (b - t >= SIZE)
		return 0;
	atomic_store_explicit(&d.item[b % SIZE], x, memory_order_relaxed);
	atomic_store_explicit(&d.bottom, b + 1, memory_order_release);
	return 1;
}

static int take(void)
{
	long b = atomic_load_explicit(&d.bottom, memory_order_relaxed) - 1, t;
	int x = 0;
	atomic_store_explicit(&d.bottom, b, memory_order_relaxed);
	/* atomic_thread_fence(memory_order_seq_cst) was here */
	t = atomic_load_explicit(&d.top, memory_order_relaxed);
	if (t <= b) {
		x = atomic_load_explicit(&d.item[b % SIZE], memory_order_relaxed);
		if (t == b) {
			if (!atomic_compare_exchange_strong(&d.top, &t, t + 1))
				x = 0;
			atomic_store_explicit(&d.bottom, b + 1, memory_order_relaxed);
		}
	} else {
		atomic_store_explicit(&d.bottom, b + 1, memory_order_relaxed);
	}
	return x;
}

static int steal(void)
{
	long t = atomic_load_explicit(&d.top, memory_order_acquire), b;
	int x = 0;
	atomic_thread_fence(memory_order_seq_cst);
	b = atomic_load_explicit(&d.bottom, memory_order_acquire);
	if (t < b) {
		x = atomic_load_explicit(&d.item[t % SIZE], memory_order_relaxed);
		if (!atomic_compare_exchange_strong(&d.top, &t, t + 1))
			x = 0;
	}
	return x;
}

static void work(int x)
{
	int before = atomic_fetch_add(&taken[x], 1);
	assert(before == 0);
}

static void *thief(void *unused)
{
	int n = 0;
	(void)unused;
	while (!atomic_load(&finished)) {
		int x = steal();
		if (x) {
			work(x);
			n++;
		}
	}
	return (void *)(long)n;
}

int main(void)
{
	pthread_t t;
	int i = 1, x;
	pthread_create(&t, NULL, thief, NULL);
	while (i <= ITEMS) {
		for (int k = 0; k < 3 && i <= ITEMS; k++)
			if (push(i))
				i++;
		for (int k = 0; k < 3; k++)
			if ((x = take()))
				work(x);
	}
	while ((x = take()))
		work(x);
	atomic_store(&finished, 1);
	pthread_join(t, NULL);
	return 0;
}
P
ENGINE=solve proven deque.c
