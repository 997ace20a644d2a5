/* Threads of GLib take numbers from an asynchronous queue, and give their sums back through another. For eval/real.sh. */
#include <glib.h>
#include <stdio.h>
enum { TAKERS = 3, NUMBERS = 60 };
static GAsyncQueue *numbers, *sums;
static gpointer takes(gpointer p)
{
	long sum = 0, n;
	(void)p;
	while ((n = GPOINTER_TO_SIZE(g_async_queue_pop(numbers))) <= NUMBERS)
		sum += n;
	g_async_queue_push(sums, GSIZE_TO_POINTER(sum + 1));
	return NULL;
}
int main(void)
{
	GThread *takers[TAKERS];
	long sum = 0;
	numbers = g_async_queue_new();
	sums = g_async_queue_new();
	for (int i = 0; i < TAKERS; i++)
		takers[i] = g_thread_new("taker", takes, NULL);
	for (long i = 1; i <= NUMBERS; i++)
		g_async_queue_push(numbers, GSIZE_TO_POINTER(i));
	for (int i = 0; i < TAKERS; i++)
		g_async_queue_push(numbers, GSIZE_TO_POINTER(NUMBERS + 1));
	for (int i = 0; i < TAKERS; i++)
		sum += (long)GPOINTER_TO_SIZE(g_async_queue_pop(sums)) - 1;
	for (int i = 0; i < TAKERS; i++)
		g_thread_join(takers[i]);
	printf("%ld\n", sum);
	return sum != NUMBERS * (NUMBERS + 1) / 2;
}
