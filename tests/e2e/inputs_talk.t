# Threads that talk to each other through the kernel: pipes, socket pairs, TCP with epoll. What they hear is given
# back, in the order in which it was said; addresses they send each other are the replay's own.
cat >p.c <<'P'
#include "race.h"
#include <poll.h>
#include <sys/socket.h>
static int to[2], back[2], s[2];
static void work(const char *b, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++)
		if (b[i] >= '0' && b[i] <= '9')
			add(b[i] - '0');
}
static void *piped(void *x)
{
	char b[16];
	for (ssize_t n; (n = read(to[0], b, sizeof b)) > 0; write(back[1], "x", 1))
		work(b, n);
	return x;
}
static void *socketed(void *x)
{
	char b[16];
	struct pollfd f = {s[1], POLLIN, 0};
	for (ssize_t n; poll(&f, 1, -1) > 0 && (n = recv(s[1], b, sizeof b, 0)) > 0; send(s[1], "y", 1, 0))
		work(b, n);
	return x;
}
int main(void)
{
	static const char text[] = "12 30 25 9 9 7 31 8 ";
	pthread_t a, b;
	char c;
	assert(!pipe(to) && !pipe(back) && !socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	pthread_create(&a, 0, piped, 0);
	pthread_create(&b, 0, socketed, 0);
	for (int i = 0; i < 20; i += 5) {
		for (int k = i; k < i + 5; k++)
			want += text[k] == ' ' ? 0 : 2 * (text[k] - '0');
		assert(write(to[1], text + i, 5) == 5 && send(s[0], text + i, 5, 0) == 5);
		assert(read(back[0], &c, 1) == 1 && c == 'x');
		assert(recv(s[0], &c, 1, 0) == 1 && c == 'y');
	}
	close(to[1]);
	shutdown(s[0], SHUT_WR);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
followed /dev/null ./p

cat >q.c <<'P'
#include "race.h"
struct job {
	long n;
};
static int jobs[2], done[2];
static void *worker(void *x)
{
	for (struct job *j; read(jobs[0], &j, sizeof j) == sizeof j; write(done[1], "d", 1)) {
		add(j->n);
		free(j);
	}
	return x;
}
int main(void)
{
	pthread_t a, b;
	char c;
	assert(!pipe(jobs) && !pipe(done));
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	for (long i = 0; i < 4; i++) {
		struct job *j = malloc(sizeof *j);
		j->n = 15 + i;
		want += j->n;
		assert(write(jobs[1], &j, sizeof j) == sizeof j);
	}
	for (int i = 0; i < 4; i++)
		assert(read(done[0], &c, 1) == 1);
	close(jobs[1]);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" q.c -o q
reproduced /dev/null ./q
followed /dev/null ./q

cat >r.c <<'P'
#include "race.h"
#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/socket.h>
struct peer {
	int fd;
	long sum;
};
static struct peer listener;
static struct sockaddr_in address = {.sin_family = AF_INET};
static int e, seen, open_peers;
static void watch(struct peer *p)
{
	struct epoll_event event = {EPOLLIN, {.ptr = p}};
	assert(!epoll_ctl(e, EPOLL_CTL_ADD, p->fd, &event));
}
static void hear(struct peer *p)
{
	char b[8];
	ssize_t n = recv(p->fd, b, sizeof b, 0);
	for (ssize_t i = 0; i < n; i++) {
		p->sum += b[i];
		add(b[i]);
	}
	if (n <= 0) {
		close(p->fd);
		free(p);
		open_peers--;
	}
}
static void *server(void *x)
{
	struct epoll_event got[4];
	e = epoll_create1(0);
	watch(&listener);
	while (seen < 2 || open_peers) {
		int n = epoll_wait(e, got, 4, -1);
		for (int i = 0; i < n; i++) {
			if (got[i].data.ptr != &listener) {
				hear(got[i].data.ptr);
				continue;
			}
			struct sockaddr_in from;
			socklen_t size = sizeof from;
			struct peer *p = calloc(1, sizeof *p);
			p->fd = accept(listener.fd, (void *)&from, &size);
			assert(p->fd >= 0 && from.sin_family == AF_INET && size == sizeof from);
			watch(p);
			open_peers++;
			seen++;
		}
	}
	return x;
}
static void *client(void *x)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char b[3] = {(char)(long)x, 5, 6};
	assert(!connect(fd, (void *)&address, sizeof address));
	add(20);
	assert(send(fd, b, 3, 0) == 3);
	add(5);
	close(fd);
	return 0;
}
int main(void)
{
	socklen_t n = sizeof address;
	pthread_t s, a, b;
	listener.fd = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(!bind(listener.fd, (void *)&address, sizeof address) && !listen(listener.fd, 5));
	assert(!getsockname(listener.fd, (void *)&address, &n));
	pthread_create(&s, 0, server, 0);
	pthread_create(&a, 0, client, (void *)9);
	pthread_create(&b, 0, client, (void *)11);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(s, 0);
	want = 9 + 11 + 22 + 50;
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" r.c -o r
reproduced /dev/null ./r
followed /dev/null ./r
