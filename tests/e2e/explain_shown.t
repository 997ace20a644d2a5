# What a run rests on that is judged by its output: what was shown last, and the branches that led there. All of it is under locks, so nothing races.
cat >audit.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { TICK = 20000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here = 100, there, result, rounds;
static void *moves(void *arg)
{
	usleep(TICK);
	pthread_mutex_lock(&lock);
	here -= 30;
	there += 30;
	pthread_mutex_unlock(&lock);
	return arg;
}
static int look(const int *place)
{
	pthread_mutex_lock(&lock);
	int is = *place;
	rounds++;
	pthread_mutex_unlock(&lock);
	return is;
}
static void *adds(void *arg)
{
	int sum = look(&here); /* bug: not both at once */
	usleep(3 * TICK);
	sum += look(&there);
	pthread_mutex_lock(&lock);
	result = sum;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	int noise = 0;
	pthread_create(&t[0], NULL, moves, NULL);
	pthread_create(&t[1], NULL, adds, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	int is = look(&result);
	for (int i = 0; i < 3; i++)
		noise += look(&rounds);
	if (is == 100)
		puts("fine");
	else
		SAYS;
	return noise < 0;
}
P
for says in 'printf("wrong: %d\n", is)' 'puts("wrong")'; do
	rethread cc -O2 -g -w -pthread -DSAYS="$says" audit.c -o audit
	rethread record --until-failure --runs 20 -q --fail-if 'grep -q wrong' ./audit >/dev/null 2>&1
	rethread reproduce >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	has out 'In short: thread 1 found result = 130 \(audit.c:[0-9]+\), which thread 1:2 had written'
	! grep -q 'no single cause' out || fail "$(cat out)"
done
