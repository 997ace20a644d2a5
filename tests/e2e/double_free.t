# A block that is given back twice: the C library ends the run, in a call that the program would have come back from and gone on.
cat >entries.c <<'P'
// Bug: an entry may be taken by both threads, and is then twice among those that are dropped in the end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct entry { long uses, last, size[5]; };
static struct entry *table[ENTRIES], *old[2 * ENTRIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int nold;
static volatile long total;
static void *clean(void *unused)
{
	for (int i = 0; i < ENTRIES; i++) {
		struct entry *e = table[i];
		if (!e || e->uses)
			continue;
		usleep(3000);
		pthread_mutex_lock(&lock);
		table[i] = NULL;
		old[nold++] = e;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}
int main(void)
{
	struct entry *others[FILLS + 1];
	for (int i = 0; i < FILLS; i++)
		others[i] = malloc(sizeof *others[i]);
	for (int i = 0; i < ENTRIES; i++) {
		table[i] = malloc(sizeof *table[i]);
		*table[i] = (struct entry){0};
	}
	pthread_t a, b;
	pthread_create(&a, NULL, clean, NULL);
	pthread_create(&b, NULL, clean, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < FILLS; i++)
		free(others[i]);
	for (int i = 0; i < nold; i++) {
		struct entry *e = old[i];
		total += e->uses;
		free(e);
		if (i == ENTRIES)
			puts("many");
	}
	return 0;
}
P
# With seven others given back before, the C library leaves no mark, and notices only what it got back just before.
for fills in 0 7; do
	rethread cc -O1 -g -DFILLS=$fills -DENTRIES=$((fills ? 1 : 4)) -pthread entries.c -o entries
	reproduced /dev/null ./entries
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$fills: not inferred: $(cat out)"
done
