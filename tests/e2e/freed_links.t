# Who writes to a block that another thread has given back overwrites what the C library left there. It notices that as the other one ends, and gives back
# for good what it kept for it: that the write came after the free is a condition.
cat >cells.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct cell { long a, b, c; };
static struct cell *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *fill(void *arg)
{
	pthread_mutex_lock(&lock);
	struct cell *c = shared;
	pthread_mutex_unlock(&lock);
	if (c) {
		usleep(20000);
		c->a = 0x4141414141414141;
		c->b = 1;
	}
	return arg;
}
static void *sweep(void *arg)
{
	usleep(10000);
	pthread_mutex_lock(&lock);
	struct cell *c = shared;
	shared = NULL;
	pthread_mutex_unlock(&lock);
	free(c);
	usleep(40000);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	shared = calloc(1, sizeof *shared);
	pthread_create(&a, NULL, fill, NULL);
	pthread_create(&b, NULL, sweep, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
C
rethread cc -O2 -g -pthread -o cells cells.c
rethread record -q ./cells || true
rethread dump --no-lines >out
has out 'in thread 1:2'
rethread reproduce --no-time --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
rethread explain >out
tr '\n' ' ' <out >line
has line 'thread 1:1 wrote cell.a .* after thread 1:2 had freed it'
