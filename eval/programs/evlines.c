/* Threads that put lines into a buffer of the library's, and wake an event loop that takes them out. Exits 1 when lines are lost. */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/thread.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITERS = 3, LINES = 60 };

static struct event_base *base;
static struct evbuffer *buffer;
static struct event *filled;
static int lines, sum;

static void *writes(void *number)
{
	for (int i = 0; i < LINES; i++) {
		evbuffer_add_printf(buffer, "%d\n", (int)(long)number * 1000 + i);
		event_active(filled, EV_WRITE, 1);
	}
	return NULL;
}

static void takes(evutil_socket_t none, short what, void *arg)
{
	(void)none, (void)what, (void)arg;
	for (char *line; (line = evbuffer_readln(buffer, NULL, EVBUFFER_EOL_LF)); free(line)) {
		sum += atoi(line);
		if (++lines == WRITERS * LINES)
			event_base_loopbreak(base);
	}
}

static void late(evutil_socket_t none, short what, void *arg)
{
	(void)none, (void)what, (void)arg;
	event_base_loopbreak(base);
}

int main(void)
{
	pthread_t t[WRITERS];
	struct timeval second = {1, 0};
	evthread_use_pthreads();
	base = event_base_new();
	buffer = evbuffer_new();
	evbuffer_enable_locking(buffer, NULL);
	filled = event_new(base, -1, EV_PERSIST, takes, NULL);
	struct event *timer = event_new(base, -1, 0, late, NULL);
	event_add(timer, &second);
	for (long i = 0; i < WRITERS; i++)
		pthread_create(&t[i], NULL, writes, (void *)i);
	event_base_dispatch(base);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(t[i], NULL);
	printf("%d lines, sum %d\n", lines, sum);
	event_free(timer);
	event_free(filled);
	evbuffer_free(buffer);
	event_base_free(base);
	return lines != WRITERS * LINES || sum != LINES * (LINES - 1) / 2 * WRITERS + LINES * 1000 * WRITERS * (WRITERS - 1) / 2;
}
