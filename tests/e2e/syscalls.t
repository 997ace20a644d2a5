# System calls that a program makes itself, by syscall(), are inputs: what they returned and wrote is given back, and none is called unknown.
cat >calls.c <<'P'
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long odd, names;
static void *work(void *unused)
{
	(void)unused;
	struct timespec t;
	unsigned cpu = 99, node = 99;
	char entries[4096];
	assert(!syscall(SYS_getcpu, &cpu, &node, NULL) && cpu < 99 && node < 99);
	assert(!syscall(SYS_getcpu, &cpu, NULL, NULL));
	assert(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t));
	odd += (cpu & 1) + (t.tv_nsec >> 8 & 1);
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	long n = syscall(SYS_getdents64, fd, entries, sizeof entries);
	for (long at = 0; at < n; at += ((struct dirent64 *)(entries + at))->d_reclen)
		names++;
	syscall(SYS_mbind, 0, 4096L, 1, NULL, 0L, 0);
	syscall(SYS_membarrier, 0, 0, 0);
	syscall(SYS_close, fd);
	int event = (int)syscall(SYS_eventfd2, 1, 0);
	uint64_t once;
	assert(event > 2 && read(event, &once, sizeof once) == sizeof once && once == 1);
	names += syscall(SYS_dup, event) == event;
	syscall(SYS_fsync, event);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o calls calls.c
rethread record ./calls 2>err || true
! grep 'from outside' err || fail "$(cat err)"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
