# A block is freed by one thread, which only by chance comes after another one's look at it, and given out again to a third, which then works for long:
# that it had got the block was forgotten, so that it seemed to use what had been freed. The failure is another one, an update that is lost.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct node {
	long a, b, c;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long shown, total;
static void *frees(void *p)
{
	usleep(20000);
	free(p);
	return NULL;
}
static void *looks(void *p)
{
	pthread_mutex_lock(&lock);
	if (((struct node *)p)->a > 2) /* it is not what free leaves there */
		exit(2);
	shown += ((struct node *)p)->a;
	pthread_mutex_unlock(&lock);
	return NULL;
}
static void *adds(void *p)
{
	long seen = total;
	usleep((useconds_t)(long)p);
	total = seen + 1;
	return NULL;
}
int main(void)
{
	long sum = 0;
	pthread_t t[2];
	for (int i = 0; i < 3; i++) {
		struct node *n = malloc(sizeof *n);
		n->a = i;
		n->b = n->c = 0;
		pthread_create(&t[0], NULL, looks, n);
		pthread_create(&t[1], NULL, frees, n);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
	}
	for (int i = 0; i < 30000; i++)
		sum += shown;
	pthread_create(&t[0], NULL, adds, (void *)100000L);
	pthread_create(&t[1], NULL, adds, (void *)20000L);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(total == 2 && sum);
	return 0;
}
P
rethread cc -O1 -g -pthread p.c -o p
status 134 rethread record -q --until-failure --runs 20 ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr '\n' ' ' >short
has short 'thread 1:[78] .*total'
! grep -q 'freed' short || fail "$(cat out)"
