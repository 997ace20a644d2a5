# A thread waits for work from a pipe, as it always does in the end, and main for what that has not done: main's wait is told first.
cat >serve.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, fd[2];
static void *serve(void *x)
{
	char c;
	while (read(fd[0], &c, 1) == 1 && c == 'j') {
		pthread_mutex_lock(&lock);
		if (jobs) { /* where one byte may stand for several */
			jobs--;
			done++;
			pthread_cond_signal(&changed);
		}
		pthread_mutex_unlock(&lock);
	}
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	if (pipe(fd))
		return 1;
	pthread_create(&t, NULL, serve, NULL);
	pthread_mutex_lock(&lock);
	jobs = 2;
	pthread_mutex_unlock(&lock);
	if (write(fd[1], "jj", (size_t)argc) != argc)
		return 1;
	pthread_mutex_lock(&lock);
	while (done < 2)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	if (write(fd[1], argv[0], 1) != 1)
		return 1;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread serve.c -o serve
status 0 rethread record -q ./serve j
status 124 rethread record -q --timeout 2 ./serve 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1 waits for ever for a signal of changed \(serve.c:33\)\. It had found done = 1 \(serve.c:32\)'
