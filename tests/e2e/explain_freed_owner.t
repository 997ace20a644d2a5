# A service is used after main has freed it; by then its memory was a request's, which another thread has freed, too. The thread means the service, whoever had the memory last, and
# the name of what it read is the service's.
cat >service.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct service { long handled, failed; int id, magic; };
struct request { long number, answer, more; };
static struct request *volatile last; static sem_t idle, go;
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
	*r = (struct request){7, 0, 12}; last = r;
	if (!LIVES) {
		pthread_create(&u, NULL, answer, r);
		pthread_join(u, NULL);
	}
	sem_post(&go);
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -DLIVES=0 -O2 -g -pthread service.c -o service
status 134 rethread record -q ./service 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^An inter/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 read service.magic \(service.c:14\) after thread 1 had freed it \(service.c:31\)\.' 'allocated by thread 1 in main service.c:27 ' \
	'what was found there is another block.s, allocated since by thread 1 in main service.c:32 '

# The same where the request is there yet: what the thread finds is the request's, through a pointer that it was given when it was created.
rethread cc -DLIVES=1 -O2 -g -pthread service.c -o service
status 134 rethread record -q ./service 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | sed -n '/^In short/,/^An inter/p' | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 read service.magic \(service.c:14\) after thread 1 had freed it \(service.c:31\)\.' 'what was found there is another block.s, allocated since by thread 1 in main service.c:32 '

# A copy of a text is a block of its own, and no element of what points to the text; nor do strings that stand in the source, which strtok is given, have a name.
cat >parts.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct section { const char *text; int n; };
static struct section sections[2] = {{"a=1;:b=2,c=3", 0}, {"d=4;:e=5,f=6", 0}};
static void split(struct section *s, char *text)
{
	for (char *t = strtok(text, ","); t; t = strtok(NULL, ","))
		s->n += t[2];
}
static void *parse(void *arg)
{
	struct section *s = arg;
	char *copy = strdup(s->text), *save = NULL;
	for (char *item = strtok_r(copy, ";", &save); item; item = strtok_r(NULL, ";", &save))
		if (!strncmp(item, ":", 1))
			split(s, item + 1);
	free(copy);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, parse, &sections[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sections[0].n + sections[1].n == 0;
}
P
RETHREAD_PASS_REPORT=report rethread cc -O2 -g -pthread parts.c -o parts
! grep -aE $'^held.*\t(section|\\.str[.0-9]*)$' report || fail "what strdup returns is called a part of what it copied"
