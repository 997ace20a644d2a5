# Where nothing else tells: one of the two that race has a lock, and the other does not. Of a barrier that is waited for in vain, who has ended.
cat >jobs.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static struct { pthread_mutex_t lock; int size, filled; } job = {.lock = PTHREAD_MUTEX_INITIALIZER};
static void *fills(void *p)
{
	job.size = 20; /* without the lock */
	usleep(40000);
	pthread_mutex_lock(&job.lock);
	job.filled = 20;
	pthread_mutex_unlock(&job.lock);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, fills, NULL);
	usleep(20000);
	pthread_mutex_lock(&job.lock);
	assert(!job.size || job.filled);
	pthread_mutex_unlock(&job.lock);
	pthread_join(t, NULL);
}
P
rethread cc -O2 -g -pthread jobs.c -o jobs
status 134 rethread record -q --until-failure --runs 50 ./jobs 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1 read job.size \(jobs.c:20\) with job.lock locked; thread 1:1 had written it \(jobs.c:7\) without a lock\.'
cat >meet.c <<'P'
#include <pthread.h>
static pthread_barrier_t bar;
static void *comes(void *times)
{
	for (int i = 0; i < *(int *)times; i++)
		pthread_barrier_wait(&bar);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	int times[] = {2, 3};
	pthread_barrier_init(&bar, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, comes, &times[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread meet.c -o meet
status 124 rethread record -q --timeout 2 ./meet 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:2 waits for ever for bar \(meet.c:6\)\.' 'thread 1:2 waits for bar meet.c:6 .*thread 1:1, which had come there before, has ended meet.c:6'

# Two values that belong together, each side with a lock of its own: they were read from before and after a change, and the locks are said to be different ones.
cat >span.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER, readers = PTHREAD_MUTEX_INITIALIZER;
static struct { long from, to; } span = {0, 10};
static void *moves(void *p)
{
	for (int i = 1; i < 50; i++) {
		pthread_mutex_lock(&writers);
		span.from = i * 10;
		span.to = i * 10 + 10;
		pthread_mutex_unlock(&writers);
		sched_yield();
	}
	return p;
}
static void *measures(void *p)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&readers);
		long from = *(volatile long *)&span.from;
		sched_yield();
		if (span.to - from > 10)
			abort();
		pthread_mutex_unlock(&readers);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, moves, NULL);
	pthread_create(&b, NULL, measures, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O1 -g -pthread span.c -o span
status 134 rethread record -q --until-failure --runs 3000 ./span 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:2 read span.from \(span.c:21\) before thread 1:1 changed it \(span.c:10\), and span.to \(span.c:23\) after thread 1:1 had changed that \(span.c:11\): the two are of different times; the locks that they have are different ones\.' \
	'thread 1:2 had readers locked, thread 1:1 writers: different locks do not keep them apart'
