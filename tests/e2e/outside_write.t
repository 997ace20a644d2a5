# Who writes behind a block destroys what the allocator keeps there, which shows when another block is given back or asked for.
cat >batch.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static struct { unsigned count, room; long *values; } batch;
static long *next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int has_room(void)
{
	pthread_mutex_lock(&lock);
	int room = batch.count < batch.room;
	pthread_mutex_unlock(&lock);
	return room;
}
static void *put(void *arg)
{
	if (!has_room())
		return NULL;
	usleep(20000);
	pthread_mutex_lock(&lock);
	batch.values[batch.count++] = -1;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	batch.room = 5;
	batch.count = 4;
	batch.values = malloc(batch.room * sizeof *batch.values);
	next = malloc(2 * sizeof *next);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	next[0] = batch.count;
	free(next);
	free(batch.values);
	return 0;
}
P
rethread cc -O2 -g -pthread -o batch batch.c
rethread record -q ./batch || true
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
# What is overwritten may be the allocator's last piece, which is another one in a replay: threads have heaps of their own, as they come.
cat >samplers.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct batch { unsigned count; char (*records)[32]; };
enum { ROOM = 6 };
static struct batch *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct batch *batch_new(void)
{
	struct batch *b = malloc(sizeof *b);
	b->count = 0;
	b->records = malloc(ROOM * sizeof *b->records);
	return b;
}
static int has_room(void)
{
	pthread_mutex_lock(&lock);
	int room = current->count < ROOM;
	pthread_mutex_unlock(&lock);
	return room;
}
static void flush(void)
{
	pthread_mutex_lock(&lock);
	struct batch *full = current;
	current = batch_new();
	pthread_mutex_unlock(&lock);
	free(full->records);
	free(full);
}
static void *sample(void *arg)
{
	for (int i = 0; i < 60; i++) {
		while (!has_room())
			flush();
		pthread_mutex_lock(&lock);
		memset(current->records[current->count++], 'x', sizeof *current->records);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	current = batch_new();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, sample, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
# Where several pieces were overwritten, another thread may come upon one first in replays.
HARD=2 ENGINE=solve proven samplers.c
tr '\n' ' ' <out >line
has line 'In short: thread 1:. wrote behind the end of a block of 192 bytes .samplers.c:'
