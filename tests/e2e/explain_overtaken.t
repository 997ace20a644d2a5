# Two come between a thread's look and what it does by it: one takes what the thread counted on, and another puts a little back. The first is told of.
cat >bucket.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct bucket { atomic_long level; };
static struct bucket *bucket;
static void *patient(void *arg)
{
	if (atomic_load(&bucket->level) < 5) /* looks */
		return arg;
	usleep(60000);
	long left = atomic_fetch_sub(&bucket->level, 5) - 5; /* takes */
	assert(left != -3);
	return arg;
}
static void *greedy(void *arg)
{
	usleep(20000);
	if (atomic_load(&bucket->level) >= 8)
		atomic_fetch_sub(&bucket->level, 8); /* comes in between */
	return arg;
}
static void *refill(void *arg)
{
	usleep(40000);
	atomic_fetch_add(&bucket->level, 2);
	return arg;
}
int main(void)
{
	pthread_t t[3];
	bucket = malloc(sizeof *bucket);
	atomic_init(&bucket->level, 8);
	pthread_create(&t[0], NULL, patient, NULL);
	pthread_create(&t[1], NULL, greedy, NULL);
	pthread_create(&t[2], NULL, refill, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread bucket.c -o bucket
status 134 rethread record -q --until-failure --runs 50 ./bucket 2>err
rethread reproduce --engine solve >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >line
has line 'In short: thread 1:1 read bucket.level \(bucket.c:10\); before it updated it \(bucket.c:13\), thread 1:2 changed it \(bucket.c:21\)'
