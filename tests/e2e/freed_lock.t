# A lock in memory that was given back: what the C library left there looks like a lock that is taken, and the thread waits for ever for nobody. That is no holder's
# fault, and a replay, in which something else is left there, has it wait all the same.
cat >closed.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct queue {
	pthread_mutex_t lock;
	char *lines[200]; /* too large for the thread's own list: it goes to one that links blocks by their first words */
};
static struct queue *queue;
static void *put(void *line)
{
	struct queue *mine = queue;
	if (line)
		usleep(100000);
	pthread_mutex_lock(&mine->lock);
	mine->lines[0] = line;
	pthread_mutex_unlock(&mine->lock);
	return NULL;
}
int main(void)
{
	pthread_t t;
	queue = calloc(1, sizeof *queue);
	pthread_mutex_init(&queue->lock, NULL);
	put(NULL);
	pthread_create(&t, NULL, put, "line");
	usleep(20000);
	free(queue);
	pthread_join(t, NULL);
	return 0;
}
P
for scheme in path+sync path; do
	SCHEME=$scheme ENGINE=solve proven closed.c
	has out 'thread 1:1 waits for queue.lock' 'nobody has it: thread 1 had freed its memory' 'free\(queue\)'
	has "$(latest)/schedule" '^result 1:1 [0-9]+ 2147483646'
done
