# What processes share by a name: a semaphore is the twin's own in a replay, whether or not the name is taken meanwhile; queues of messages, datagrams
# that come several at a time and chance are inputs. None of them is called unknown.
name=/rethread-test-$$
cat >named.c <<'P'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static sem_t *ready;
static volatile long value, odd;
static void *work(void *unused)
{
	value = 1;
	sem_post(ready);
	value = 2;
	return unused;
}
static void receive_two(void)
{
	int pair[2];
	char text[2][8] = {{0}}, copy[2][8] = {"one", "other"};
	struct iovec to[2] = {{text[0], 8}, {text[1], 8}}, from[2] = {{copy[0], 4}, {copy[1], 6}};
	struct mmsghdr in[2] = {{{.msg_iov = &to[0], .msg_iovlen = 1}, 0}, {{.msg_iov = &to[1], .msg_iovlen = 1}, 0}};
	struct mmsghdr out[2] = {{{.msg_iov = &from[0], .msg_iovlen = 1}, 0}, {{.msg_iov = &from[1], .msg_iovlen = 1}, 0}};
	assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	assert(sendmmsg(pair[0], out, 2, 0) == 2 && out[1].msg_len == 6);
	assert(recvmmsg(pair[1], in, 2, 0, NULL) == 2 && in[0].msg_len == 4 && in[1].msg_len == 6);
	assert(!strcmp(text[0], "one") && !strcmp(text[1], "other"));
}
static void receive_named(const char *name)
{
	struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = 8};
	char text[8] = "";
	unsigned priority = 0;
	mqd_t q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a);
	if (q == (mqd_t)-1)
		return; /* there are machines without */
	assert(!mq_unlink(name) && !mq_send(q, "hello", 6, 3) && mq_receive(q, text, sizeof text, &priority) == 6);
	assert(!strcmp(text, "hello") && priority == 3);
}
int main(int argc, char **argv)
{
	(void)argc;
	pthread_t t;
	unsigned char chance[4];
	int now = -1;
	ready = sem_open(argv[1], O_CREAT | O_EXCL, 0600, 1);
	assert(ready != SEM_FAILED && sem_open(argv[1], 0) == ready);
	assert(!sem_getvalue(ready, &now) && now == 1);
	sem_wait(ready);
	receive_two();
	receive_named(argv[1]);
	arc4random_buf(chance, sizeof chance);
	for (int i = 0; i < 4; i++)
		odd += chance[i] & 1 ? 1 : 2;
	pthread_create(&t, NULL, work, NULL);
	sem_wait(ready);
	long seen = value;
	pthread_join(t, NULL);
	sem_close(ready);
	assert(seen == 7);
	return 0;
}
P
rethread cc -O2 -g -pthread -o named named.c
rethread record ./named "$name" 2>err || true
has err 'seen == 7'
! grep 'from outside' err || fail "$(cat err)"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
rm -f "/dev/shm/sem.${name#/}"
