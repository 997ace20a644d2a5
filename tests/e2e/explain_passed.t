# Each section has its lock, and nothing races: a thread takes a number in the one, and is passed by another thread before it comes to the next; or it takes something in the
# one, and says so only in the next, when another thread has looked at both. `explain` tells of both places.
short() { # OPTION PROGRAM PATTERN...: what is said first of a failing run
	rethread cc $1 -g -pthread $2.c -o $2
	status 134 rethread record -q --until-failure --runs 5000 ./$2 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$2 $1: $(cat out)"
	rethread explain >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >text
	has text "${@:3}"
}
cat >draw.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER, board = PTHREAD_MUTEX_INITIALIZER;
static int drawn = 40, shown;
static void *draws(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&counter);
		int n = drawn++;
		pthread_mutex_unlock(&counter);
		if (i % 7 == 6)
			sched_yield();
		pthread_mutex_lock(&board);
		if (shown > n)
			abort();
		shown = n;
		pthread_mutex_unlock(&board);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, draws, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
for opt in -O0 -O2; do
	short $opt draw 'In short: thread (1:[123]) wrote drawn = [0-9]+ \(draw.c:10\) before thread (1:[123]) did \([0-9]+\), but came to shown \(draw.c:15\) after it: thread \2 had already written [0-9]+ there \(draw.c:17\); thread \1 had given up counter in between\. $'
	has out 'thread 1:[123] was at the first before thread 1:[123], and at the second after it'
done

cat >pool.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, crew = PTHREAD_MUTEX_INITIALIZER;
static int waiting = 1, busy, over;
static int is_idle(void)
{
	pthread_mutex_lock(&crew);
	int none = busy == 0;
	pthread_mutex_unlock(&crew);
	return none;
}
static void add_busy(int n)
{
	pthread_mutex_lock(&crew);
	busy += n;
	pthread_mutex_unlock(&crew);
}
static void *works(void *p)
{
	for (int n = 0; n < 400;) {
		pthread_mutex_lock(&queue);
		if (!waiting && is_idle())
			over = 1;
		int had = waiting, ends = over;
		waiting -= had > 0;
		pthread_mutex_unlock(&queue);
		if (ends)
			return p;
		if (!had) {
			sched_yield();
			continue;
		}
		add_busy(1);
		n++;
		pthread_mutex_lock(&queue);
		if (over)
			abort();
		waiting++;
		pthread_mutex_unlock(&queue);
		add_busy(-1);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, works, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
short -O1 pool 'In short: thread (1:[12]) let others see waiting \(pool.c:26\) before it wrote busy \(pool.c:16\), which thread (1:[12]) read in between \(pool.c:9\) and then wrote over \(pool.c:24\); thread \1 had given up queue by then'
