# A robust mutex: its owner ends half way through an update, and the next one only says that all is well again.
cat >robust.c <<'P'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m;
static int from = 100, to;

static void *move(void *dies)
{
	for (int i = 0; i < 20; i++) {
		int e = pthread_mutex_lock(&m);
#ifdef REPAIRS
		if (e == EOWNERDEAD)
			to = 100 - from;
#endif
		if (e == EOWNERDEAD && pthread_mutex_consistent(&m))
			abort();
		from--;
		if (dies && i == 10)
			pthread_exit(NULL);
		to++;
		pthread_mutex_unlock(&m);
		if (i % 5 == 0)
			usleep(100);
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, move, i == 1 ? t : NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(from + to == 100);
	return 0;
}
P
rethread cc -O1 -g -pthread -o robust robust.c
for scheme in path+sync rw; do
	status 134 rethread record -q --scheme $scheme ./robust 2>err
	rethread reproduce $([ $scheme = rw ] || echo --engine solve) --budget 30 >out 2>&1 || fail "$scheme: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$scheme: $(cat out)"
	has out '^reproduced 10/10$'
done

# One thread at a time: who waits for the lock goes on when its owner has ended, and repairs; or says that all is well.
rethread cc -O1 -g -pthread -DREPAIRS -o repairs robust.c
rethread hunt -q --runs 20 --timeout 20 ./repairs
status 134 rethread hunt -q --runs 20 --timeout 20 ./robust 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "hunt: $(cat out)"
rethread replay -n 5 >out 2>&1 || fail "hunt: $(cat out)"
has out '^reproduced 5/5$'
