/*
 * A server that hears its clients by epoll, a logger that it tells by a pipe and select, and a counter nobody guards.
 *
 * fails: assert
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2
#define MESSAGES 12
static int pairs[CLIENTS][2], logs[2];
static volatile long handled;

static void count(int yields)
{
	long h = handled;
	if (yields)
		sched_yield();
	handled = h + 1;
}

static void *client(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < MESSAGES; i++) {
		char text[16], answer[16];
		int n = snprintf(text, sizeof text, "c%d m%d", me, i);
		assert(write(pairs[me][1], text, (size_t)n) == n);
		struct pollfd p = {pairs[me][1], POLLIN, 0};
		assert(poll(&p, 1, -1) == 1);
		assert(read(pairs[me][1], answer, sizeof answer) > 0);
		count(i % 4 == 1);
	}
	shutdown(pairs[me][1], SHUT_RDWR);
	return NULL;
}

static void *logger(void *x)
{
	char line[64];
	int lines = 0;
	for (;;) {
		fd_set set;
		FD_ZERO(&set);
		FD_SET(logs[0], &set);
		assert(select(logs[0] + 1, &set, NULL, NULL, NULL) == 1);
		ssize_t n = read(logs[0], line, sizeof line - 1);
		if (n <= 0)
			break;
		line[n] = 0;
		lines++;
		printf("%s", line);
	}
	printf("%d reads\n", lines);
	return x;
}

int main(void)
{
	pthread_t c[CLIENTS], l;
	int e = epoll_create1(0), open = CLIENTS;
	assert(!pipe(logs));
	for (long i = 0; i < CLIENTS; i++) {
		assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]));
		struct epoll_event event = {EPOLLIN, {.u32 = (uint32_t)i}};
		assert(!epoll_ctl(e, EPOLL_CTL_ADD, pairs[i][0], &event));
	}
	pthread_create(&l, NULL, logger, NULL);
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&c[i], NULL, client, (void *)i);
	while (open) {
		struct epoll_event got[4];
		int n = epoll_wait(e, got, 4, -1);
		for (int i = 0; i < n; i++) {
			char text[32], line[48];
			int fd = pairs[got[i].data.u32][0];
			ssize_t size = read(fd, text, sizeof text - 1);
			if (size <= 0) {
				close(fd);
				open--;
				continue;
			}
			text[size] = 0;
			size = snprintf(line, sizeof line, "heard %s\n", text);
			assert(write(logs[1], line, (size_t)size) == size && write(fd, "ok", 2) == 2);
			count(0);
		}
	}
	close(logs[1]);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(c[i], NULL);
	pthread_join(l, NULL);
	printf("%ld handled\n", handled);
	fflush(stdout);
	assert(handled == 2 * CLIENTS * MESSAGES);
}
