/*
 * What a server costs: starts memcached (any server of its text protocol), has CONNECTIONS ask it OPERATIONS times in all, one
 * request at a time on each, nine `get` to a `set`, ends it, and prints the nanoseconds of processor time that it took.
 *
 *     served PORT CONNECTIONS OPERATIONS SERVER ARGS...
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 1000, VALUE = 100, GETS = 9, PATIENCE = 200, TICK = 50000 /* microseconds */ };

struct connection {
	int fd;
	bool sets;
	size_t got;
	char answer[VALUE + 200];
};

static int try_connect(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err(1, "socket");
	if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The server takes a moment until it listens. */
static int connected(int port)
{
	int fd = -1;

	for (int i = 0; i < PATIENCE && (fd = try_connect(port)) < 0; i++)
		usleep(TICK);
	if (fd < 0)
		errx(1, "nobody listens at port %d", port);
	return fd;
}

static void ask(struct connection *c, long number)
{
	char text[VALUE + 100];
	long key = number * 7919 % KEYS;
	int n;

	c->sets = number % (GETS + 1) == 0;
	c->got = 0;
	if (c->sets)
		n = snprintf(text, sizeof text, "set key%ld 0 0 %d\r\n%0*ld\r\n", key, VALUE, VALUE, number);
	else
		n = snprintf(text, sizeof text, "get key%ld\r\n", key);
	if (write(c->fd, text, (size_t)n) != n)
		err(1, "write");
}

/* Is the answer complete? */
static bool hear(struct connection *c)
{
	const char *end = c->sets ? "STORED\r\n" : "END\r\n";
	size_t length = strlen(end);
	ssize_t n = read(c->fd, c->answer + c->got, sizeof c->answer - c->got);

	if (n <= 0)
		err(1, "the server's answer ends early");
	c->got += (size_t)n;
	return c->got >= length && !memcmp(c->answer + c->got - length, end, length);
}

static void load(struct connection *all, nfds_t n, long operations)
{
	struct pollfd *polled = calloc(n, sizeof *polled);
	long asked = 0, answered = 0;

	if (!polled)
		err(1, "calloc");
	for (nfds_t i = 0; i < n; i++) {
		polled[i] = (struct pollfd){.fd = all[i].fd, .events = POLLIN};
		ask(&all[i], asked++);
	}
	while (answered < asked) {
		if (poll(polled, n, -1) < 0)
			err(1, "poll");
		for (nfds_t i = 0; i < n; i++)
			if (polled[i].revents && hear(&all[i])) {
				answered++;
				if (asked < operations)
					ask(&all[i], asked++);
			}
	}
	free(polled);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		errx(2, "usage: served PORT CONNECTIONS OPERATIONS SERVER ARGS...");
	int port = atoi(argv[1]), status;
	nfds_t n = (nfds_t)atol(argv[2]);
	struct connection *all = calloc(n, sizeof *all);
	struct rusage used;
	pid_t server = fork();

	if (server == 0) {
		execvp(argv[4], argv + 4);
		err(127, "%s", argv[4]);
	}
	if (server < 0 || !all)
		err(1, "cannot begin");
	for (nfds_t i = 0; i < n; i++)
		all[i].fd = connected(port);
	load(all, n, atol(argv[3]));
	kill(server, SIGTERM);
	if (wait4(server, &status, 0, &used) != server)
		err(1, "wait4");
	printf("%lld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ll + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ll);
	return 0;
}
