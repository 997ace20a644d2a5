# How many options there are is read in a block that was given back: it is half of the link that the C library left there. It decides many branches, so the path
# tells the number itself (an anchor) and not its branches; no order explained it, since here another number was left.
cat >options.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct option { char *key, *value; };
struct config { int generation, n; struct option o[4]; };
static struct config *config;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int seen;
static struct config *load(int g)
{
	struct config *c = malloc(sizeof *c);
	c->generation = g; c->n = 4;
	for (int i = 0; i < 4; i++) { c->o[i].key = strdup("key"); c->o[i].value = strdup("value"); }
	return c;
}
static void *reload(void *p)
{
	struct config *n = load(1), *old;
	pthread_mutex_lock(&m); old = config; config = n; pthread_mutex_unlock(&m);
	for (int i = 0; i < old->n; i++) { free(old->o[i].key); free(old->o[i].value); }
	old->n = 0;
	free(old);
	seen = 1;
	return p;
}
int main(void)
{
	pthread_t t;
	config = load(0);
	pthread_mutex_lock(&m); struct config *c = config; pthread_mutex_unlock(&m);
	pthread_create(&t, NULL, reload, NULL);
	usleep(50000);
	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->o[i].key, "level"))
			return c->generation;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread options.c -o options
status 139 rethread record -q --until-failure --runs 20 ./options
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
