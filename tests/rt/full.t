# A cap, a full disk, a file size limit: the log ends, says so, and the program goes on undisturbed.
program p <<'E'
#include "recorded.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *thread(void *arg)
{
	for (int i = 0; i < 20000; i++) {
		for (int k = 0; k < 300; k++) B(k & 1);
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(void)
{
	pthread_t t[20];
	for (int i = 0; i < 20; i++) pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 20; i++) pthread_join(t[i], NULL);
	puts("done");
	return 5;
}
E
check() { # FLAGS LARGEST
	same "$(cat out)" done
	dump
	has dump "^flags $1 scheme 3 threads [1-9]"
	grep -q 'dropped 0$' dump && fail "nothing dropped?"
	[ "$(stat -c %s trace/log.*)" -le "$2" ]
}
OPTIONS=max-log=300K record 5 ./p >out
check 6 307200
OPTIONS=max-log=20K record 5 ./p >out
check 6 20480
OPTIONS=max-log=4096 record 5 ./p >out
same "$(cat out)" done
(ulimit -f 400; record 5 ./p >out)
check 5 409600
if mkdir small && mount -t tmpfs -o size=256k none small 2>/dev/null; then
	ln -s small trace
	rm -f small/*
	RETHREAD_OPTIONS=dir=small status 5 ./p >out
	cp small/log.* .
	umount small
	rm -rf trace && mkdir trace && mv log.* trace
	check 5 262144
fi

# A program that closes every descriptor and has files of its own in their places: the log goes on, and its files are left alone.
program closes <<'E'
#include "recorded.h"
#include <fcntl.h>
int main(void)
{
	unsigned seed = 1;
	int mine = open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int fd = 3; fd < 1100; fd++)
		if (fd != mine) close(fd);
	for (int fd = 3; fd < 1024; fd++)
		if (fd != mine) dup2(mine, fd);
	for (int i = 0; i < 3000000; i++) B(rand_r(&seed) & 1);
	return 5;
}
E
record 5 ./closes
dump
has dump '^flags 4 .*dropped 0$' '^thread 1 bits 3000000 '
same "$(stat -c %s mine)" 0
