# A pointer is used after what it led to was freed, and after the memory was given out again: what is found there is another's. `explain` says whose.
cat >tasks.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct task { long kind, size; };
struct note { volatile long length, words; };
static struct { pthread_mutex_t lock; struct task *now; } queue = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct note *last;
static void *works(void *p)
{
	pthread_mutex_lock(&queue.lock);
	struct task *t = queue.now;
	pthread_mutex_unlock(&queue.lock);
	usleep(6000);
	if (t && t->kind == 77) /* may be gone */
		abort();
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t;
	queue.now = malloc((size_t)argc * sizeof *queue.now);
	queue.now->kind = 1;
	pthread_create(&t, NULL, works, NULL);
	usleep(2000);
	pthread_mutex_lock(&queue.lock);
	free(queue.now);
	queue.now = NULL;
	pthread_mutex_unlock(&queue.lock);
	last = malloc((size_t)argc * sizeof *last);
	last->length = 77;
	pthread_join(t, NULL);
	return last->length == 0 || !argv;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread tasks.c -o tasks
	status 134 rethread record -q --until-failure --runs 500 ./tasks 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	tr -s ' \n' ' ' <out >text
	has text 'What was used after it had been freed: thread 1:1 read .*, in a block of 16 bytes that had been freed tasks.c:14 .* freed by thread 1 in main tasks.c:26 .* allocated by thread 1 in main tasks.c:21 .*what was found there is another block.s, allocated since by thread 1 in main tasks.c:29 .* had taken the pointer from queue.now, with queue.lock locked, which it has given up since tasks.c:11 '
done
