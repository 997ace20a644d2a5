# SIGKILL at any moment, with threads coming, going, branching and locking: the log is always whole.
program p <<'E'
#include "recorded.h"
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *thread(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	for (int i = 0; B(i < 3000); i++) {
		int k = rand_r(&seed) % 3;
		pthread_mutex_lock(&m[k]);
		pthread_mutex_unlock(&m[k]);
		for (int n = 0; B(n < 100); n++)
			;
	}
	return arg;
}
int main(void)
{
	for (long i = 1;; i++) {
		pthread_t t[4];
		for (int k = 0; k < 4; k++) pthread_create(&t[k], NULL, thread, (void *)(i + k));
		for (int k = 0; k < 4; k++) pthread_join(t[k], NULL);
	}
}
E
for i in $(seq 25); do
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS=dir=trace ./p &
	sleep "0.0$((RANDOM % 90 + 10))"
	kill -KILL $!
	wait $! 2>/dev/null || true
	# So early that there is no log yet is fine too.
	[ -s trace/log.$! ] && [ "$(head -c 7 trace/log.$!)" = RTRDLOG ] || continue
	dump
	has dump '^flags 0 scheme 3 threads [1-9]' '^failure none'
done
