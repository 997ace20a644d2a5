# SIGKILL at any moment, with threads coming, going, branching and locking: the log is always whole.
program p <<'E'
#include "recorded.h"
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int rounds;
static void *thread(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	for (int i = 0; B(i < rounds); i++) {
		int k = rand_r(&seed) % 3;
		pthread_mutex_lock(&m[k]);
		pthread_mutex_unlock(&m[k]);
		for (int n = 0; B(n < 100); n++)
			;
	}
	return arg;
}
int main(int argc, char **argv)
{
	(void)argv;
	rounds = argc > 1 ? 0 : 3000;
	for (long i = 1;; i++) {
		pthread_t t[4];
		for (int k = 0; k < 4; k++) pthread_create(&t[k], NULL, thread, (void *)(i + k));
		for (int k = 0; k < 4; k++) pthread_join(t[k], NULL);
	}
}
E
# Threads that work, and (p x) threads that only come and go.
for i in $(seq 40); do
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS=dir=trace,command=0 ./p $([ $i -gt 25 ] && echo x) &
	sleep "0.0$((RANDOM % 90 + 10))"
	kill -KILL $!
	wait $! 2>/dev/null || true
	# So early that there is no log yet is fine too.
	[ -s trace/log.$! ] && [ "$(head -c 7 trace/log.$!)" = RTRDLOG ] || continue
	dump
	has dump '^flags 0 scheme 3 threads [1-9]' '^failure none'
done
# Nothing is in the log twice or missing, also while words are foretold (q), or none is and windows of the log are copied
# all the time (q x): the program counts its branches itself.
program q <<'P'
#include "recorded.h"
#include <fcntl.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	(void)argv;
	int fd = open("count", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (ftruncate(fd, 4096)) return 1;
	volatile long *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned seed = 1;
	for (long i = 0;; i++) {
		int noise = argc > 1 || i % 100000 < 500 ? rand_r(&seed) & 1 : 0;
		B(i % 5 == 0 || noise);
		*count = i + 1;
	}
}
P
for i in $(seq 60); do
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS=dir=trace ./q $([ $i -gt 40 ] && echo x) &
	sleep "0.0$((RANDOM % 50 + 20))"
	kill -KILL $!
	wait $! 2>/dev/null || true
	[ -s trace/log.$! ] && [ "$(head -c 7 trace/log.$!)" = RTRDLOG ] || continue
	dump
	bits=$(sed -n 's/^thread 1 bits \([0-9]*\).*/\1/p' dump) count=$(od -An -t d8 -N8 count | tr -d ' ')
	[ $((bits - count)) = 0 ] || [ $((bits - count)) = 1 ] || fail "$bits bits for $count branches"
done
