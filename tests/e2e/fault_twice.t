# Two threads use the same bad pointer: the one that comes first ends the run, and the other has come as far in its log.
cat >twice.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { SIZE = 1 << 26 };
static pthread_barrier_t together;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;
static void *use(void *unused)
{
	char *room = malloc(SIZE);
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&lock);
	int *p = slot;
	pthread_mutex_unlock(&lock);
	memset(room, 1, SIZE); /* takes its time, and leaves nothing in the log */
	*p += room[SIZE / 2];
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t[3];
	slot = argc > 1 ? (int *)argv : NULL;
	pthread_barrier_init(&together, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
rethread cc -O1 -g -pthread twice.c -o twice
! rethread record -- ./twice 2>err
grep -q SIGSEGV err
rethread infer >out 2>&1 || { cat out; false; }
rethread replay -n 5 | grep -q '5/5'
