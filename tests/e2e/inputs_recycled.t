# Memory is given out again and sent through a pipe again: which of the blocks that lay there a thread was sent is told by when it read.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct job { long number, sum; };
static int to[2];
static long total;
static void *works(void *p)
{
	struct job *j;
	for (int i = 0; i < 6 && read(to[0], &j, sizeof j) == sizeof j; i++) {
		assert(j->number == i);
		for (int k = 0; k <= i; k++)
			j->sum += k;
		total += j->sum;
		if (total == 4)
			abort();
	}
	return p;
}
int main(void)
{
	pthread_t t;
	assert(!pipe(to));
	pthread_create(&t, NULL, works, NULL);
	for (int i = 0; i < 6; i++) {
		struct job *j = malloc(sizeof *j);
		*j = (struct job){ i, 0 };
		assert(write(to[1], &j, sizeof j) == sizeof j);
		usleep(50000); /* bug: it may take longer */
		free(j);
	}
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O1 -g -pthread -o p p.c
status 134 rethread record -q --until-failure --runs 20 ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
