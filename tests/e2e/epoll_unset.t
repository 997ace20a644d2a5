# An event's data that a program does not set is what other calls left on its stack: here the address of a variable that was passed before,
# in a twin something else. That is not taken for where the variable lies.
cat >left.c <<'P'
#include <string.h>
#include <sys/syscall.h>
void *left_on_the_stack(void *variable)
{
	char name[4096] = "";
	long n;
	__asm__ volatile("syscall" : "=a"(n) : "0"(SYS_readlink), "D"("/proc/self/exe"), "S"(name), "d"(sizeof name - 1) : "rcx", "r11", "memory");
	return n > 5 && !strcmp(name + n - 5, "/twin") ? __builtin_frame_address(0) : variable;
}
P
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
static struct connection { int fd, *count; } connection;
static int count;
static volatile int n;
void *left_on_the_stack(void *variable);
static void listens(int ep, int fd, void *data)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = data };
	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e))
		abort();
}
static void *work(void *p)
{
	n++;
	return p;
}
int main(void)
{
	int ep = epoll_create(1), test = eventfd(0, 0);
	pthread_t t[2];
	struct epoll_event e;
	connection = (struct connection){ eventfd(1, 0), &count };
	listens(ep, connection.fd, &connection);
	listens(ep, test, left_on_the_stack(&connection));
	if (epoll_wait(ep, &e, 1, -1) != 1)
		abort();
	++*((struct connection *)e.data.ptr)->count;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 3;
}
P
clang-19 -O2 -c left.c
rethread cc -O2 -g -pthread -o p p.c left.o 2>err
status 3 rethread record -q ./p
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
