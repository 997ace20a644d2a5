# A service is used after main has freed it; by then its memory was a request's, which another thread has freed, too. The thread means the service, whoever had the memory last, and
# the name of what it read is the service's.
cat >service.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct service { long handled, failed; int id, magic; };
struct request { long number, answer, more; };
static sem_t idle, go;
static void *run(void *arg)
{
	struct service *s = arg;
	s->handled++;
	sem_post(&idle);
	sem_wait(&go);
	assert(s->magic == 4711); /* the service is gone */
	return NULL;
}
static void *answer(void *arg)
{
	struct request *r = arg;
	r->answer = r->number * 2;
	free(r);
	return NULL;
}
int main(void)
{
	pthread_t t, u;
	struct service *s = malloc(sizeof *s);
	*s = (struct service){0, 0, 1, 4711};
	pthread_create(&t, NULL, run, s);
	sem_wait(&idle);
	free(s);
	struct request *r = malloc(sizeof *r);
	*r = (struct request){7, 0, 12};
	pthread_create(&u, NULL, answer, r);
	pthread_join(u, NULL);
	sem_post(&go);
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread service.c -o service
status 134 rethread record -q ./service 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^An inter/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 read service.magic \(service.c:14\) after thread 1 had freed it \(service.c:31\)\.' 'allocated by thread 1 in main service.c:27 ' \
	'what was found there is another block.s, allocated since by thread 1 in main service.c:32 '
