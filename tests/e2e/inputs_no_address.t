# A system call that is handed what is no address says so (EFAULT), and the program goes on: so does the recorded one, inference, and a replay. Here another thread
# had taken a path away by then.
cat >p.c <<'E'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static char *_Atomic path = "/";
static void *taker(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		path = (char *)0x1230; /* what was there is gone, for a moment */
		path = "/";
	}
	return arg;
}
int main(void)
{
	struct stat s;
	int pair[2], bad = 0;
	pthread_t t;
	struct iovec piece = { (void *)0x1230, 16 };
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	assert(write(pair[0], (void *)0x1230, 16) == -1 && errno == EFAULT);
	assert(writev(pair[0], &piece, 1) == -1 && errno == EFAULT);
	assert(send(pair[0], (void *)0x1230, 8, 0) == -1 && errno == EFAULT);
	assert(stat(NULL, &s) == -1 && errno == EFAULT);
	pthread_create(&t, NULL, taker, NULL);
	for (int i = 0; i < 500; i++)
		bad += stat(path, &s) == -1 && errno == EFAULT;
	pthread_join(t, NULL);
	assert(!bad);
	return 0;
}
E
rethread cc -O2 -g -w -pthread -o p p.c
reproduced /dev/null ./p
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
followed /dev/null ./p
