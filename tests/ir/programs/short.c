/* Addresses that are kept in 32 bits: of a program that lies low (-no-pie), and of memory that is asked for there. */
#include "ir.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 3 };
struct item {
	uint32_t next; /* an address */
	int value, odd, rounds;
};
struct handle {
	uint32_t eighths; /* an address, divided by 8 */
};

static struct item *low;
static long _Alignas(8) counts[4];
static int totals[2];
static uint32_t where_total, head;
static struct handle of_counts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void through_number(uint32_t where)
{
	int *p = (int *)(uintptr_t)where;
	*p += 1;
	p[1] = *p * 2;
}

static void through_eighths(struct handle h)
{
	long *p = (long *)((uintptr_t)h.eighths * 8);
	p[1] += 2;
	p[2]++;
}

static void through_list(void)
{
	for (uint32_t at = head; at;) {
		struct item *i = (struct item *)(uintptr_t)at;
		i->value += 3;
		if (i->value & 1)
			i->odd++;
		at = i->next;
	}
}

static void *work(void *number)
{
	uint32_t own = (uint32_t)(uintptr_t)number;
	struct item *i = (struct item *)(uintptr_t)own; /* what it was given is an address, too */
	pthread_mutex_lock(&lock);
	i->value += 5;
	i->rounds++;
	through_number(where_total);
	through_eighths(of_counts);
	through_list();
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		return 1;
	char text[16]; /* where no analysis follows it */
	snprintf(text, sizeof text, "%u", (uint32_t)(uintptr_t)totals);
	where_total = (uint32_t)strtoul(text, NULL, 10);
	of_counts.eighths = (uint32_t)((uintptr_t)counts / 8);
	for (int k = 0; k < 4; k++) {
		low[k].next = head;
		head = (uint32_t)(uintptr_t)&low[k];
	}
	pthread_t t[THREADS];
	for (int k = 0; k < THREADS; k++) {
		uint32_t given = head; /* one for all */
		pthread_create(&t[k], NULL, work, (void *)(uintptr_t)given);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
	printf("%d %ld %d %d\n", totals[0] + totals[1], counts[1], low[0].value, low[3].value);
	return 0;
}
