# What a run rests on that is judged by its output: what was shown last, and the branches that led there. All of it is under locks, so nothing races.
cat >audit.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { TICK = 20000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here = 100, there, rounds;
static void *move(void *arg)
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
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, move, NULL);
	int sum = look(&here); /* bug: not both at once */
	usleep(3 * TICK);
	sum += look(&there);
	pthread_join(t, NULL);
	for (int i = 0; i < 3; i++)
		look(&rounds);
	if (sum == 100)
		puts("fine");
	else
		printf(ASKED, sum);
	return 0;
}
P
for text in '"wrong: %d\n"' '"wrong\n"'; do
	rethread cc -O2 -g -w -pthread -DASKED="$text" audit.c -o audit
	rethread record --until-failure --runs 20 -q --fail-if 'grep -q wrong' ./audit >/dev/null 2>&1
	rethread reproduce >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^In short:/,/^$/p' out | tr -s ' \n' ' ' >text
	has text '^In short: thread 1 read here \(audit.c:[0-9]+\) before thread 1:1 changed it \(audit.c:11\), and there \(audit.c:[0-9]+\) after'
done
