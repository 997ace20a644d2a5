# Addresses that go through the kernel in pieces, or with somebody's address: writev and readv, sendmsg and recvmsg, sendto and recvfrom.
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
struct job { int number; };
struct note { int kind, size; struct job *job; } n;
static int s[2];
static volatile int sum;
static void take(struct note *got)
{
	struct iovec v[2] = { { &got->kind, 8 }, { &got->job, 8 } };
	struct msghdr h = { .msg_iov = v, .msg_iovlen = 2 };
	if (readv(s[1], v, 2) != 16)
		abort();
	sum += got->job->number;
	if (recvmsg(s[1], &h, 0) != 16)
		abort();
	sum += got->job->number;
	if (recvfrom(s[1], got, sizeof *got, 0, NULL, NULL) != 16)
		abort();
	sum += got->job->number;
}
static void *works(void *p)
{
	struct note got;
	take(&got);
	return p;
}
static struct note *job(int number)
{
	n = (struct note){ 1, 2, malloc(sizeof *n.job) };
	n.job->number = number;
	return &n;
}
int main(void)
{
	pthread_t t;
	struct iovec v[2] = { { &n.kind, 8 }, { &n.job, 8 } };
	struct msghdr h = { .msg_iov = v, .msg_iovlen = 2 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s))
		return 2;
	pthread_create(&t, NULL, works, NULL);
	job(1);
	if (writev(s[0], v, 2) != 16)
		abort();
	job(2);
	if (sendmsg(s[0], &h, 0) != 16)
		abort();
	if (sendto(s[0], job(4), sizeof n, 0, NULL, 0) != 16)
		abort();
	pthread_join(t, NULL);
	return sum;
}
P
rethread cc -O1 -g -pthread -o p p.c
status 7 rethread record -q ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
