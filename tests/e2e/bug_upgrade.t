# A table under a read-write lock that is let go between looking a name up and adding it: one name gets two numbers, which only the end of the run tells.
cat >upgrade.c <<'P'
/* A symbol table under a read-write lock. Bug: who does not find a name lets the lock for reading go and takes it for writing without
   looking again, so one name gets two numbers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NAMES 64
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct symbol { char *name; int number; unsigned uses; struct symbol *next; } *table[32];
static int numbers;
static unsigned hash(const char *s)
{
	unsigned h = 5381;
	while (*s)
		h = h * 33 ^ (unsigned char)*s++;
	return h % 32;
}
static struct symbol *lookup(const char *name)
{
	struct symbol *s = table[hash(name)];
	while (s && strcmp(s->name, name))
		s = s->next;
	return s;
}
static int number_of(const char *name)
{
	int n;
	pthread_rwlock_rdlock(&lock);
	struct symbol *s = lookup(name);
	if (s) {
		n = s->number;
		__atomic_fetch_add(&s->uses, 1, __ATOMIC_RELAXED);
		pthread_rwlock_unlock(&lock);
		return n;
	}
	pthread_rwlock_unlock(&lock);
	s = malloc(sizeof *s);
	s->name = strdup(name);
	s->uses = 1;
	pthread_rwlock_wrlock(&lock);
	unsigned h = hash(name);
	n = s->number = numbers++;
	s->next = table[h];
	table[h] = s;
	pthread_rwlock_unlock(&lock);
	return n;
}
static void *parse(void *arg)
{
	static const char *words[] = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"};
	unsigned seed = (unsigned)(long)arg;
	long sum = 0;
	for (int i = 0; i < 200; i++) {
		char name[32];
		seed = seed * 1664525 + 1013904223;
		snprintf(name, sizeof name, "%s%u", words[(seed >> 24) % 8], (seed >> 16) % (NAMES / 8));
		sum += number_of(name);
	}
	return (void *)sum;
}
int main(void)
{
	pthread_t t[4];
	int total = 0, twice = 0;
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, parse, (void *)(i * 77 + 5));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 32; i++)
		for (struct symbol *s = table[i]; s; s = s->next, total++)
			for (struct symbol *o = s->next; o; o = o->next)
				if (!strcmp(s->name, o->name)) {
					fprintf(stderr, "%s is both %d and %d\n", s->name, s->number, o->number);
					twice++;
				}
	printf("%d names\n", total);
	return twice ? 3 : 0;
}
P
for scheme in path+sync path; do SCHEME=$scheme ENGINE=solve proven upgrade.c; done
