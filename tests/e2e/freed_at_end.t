# Two threads give back the same block, and end: only then does the C library notice it, in the second, as it gives back for good what it kept.
cat >both.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *drop(void *arg)
{
	pthread_mutex_lock(&lock);
	char *mine = shared;
	pthread_mutex_unlock(&lock);
	usleep(20000);
	if (!mine)
		return arg;
	pthread_mutex_lock(&lock);
	if (mine[20] == 'x')
		free(mine);
	shared = NULL;
	pthread_mutex_unlock(&lock);
	usleep(arg ? 10000 : 30000);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	shared = malloc(40);
	memset(shared, 'x', 40);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, drop, i ? &lock : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
rethread cc -O1 -g -pthread both.c -o both
reproduced /dev/null ./both
rethread dump >out
grep -q 'in thread 1:1' out || fail "blames another: $(head -5 out)"
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
