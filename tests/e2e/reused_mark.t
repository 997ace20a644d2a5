# What is read of a block that was given back is the C library's mark, a random number of the run: the log has it.
cat >mark.c <<'P'
/* A session that is replaced while others use it; where its number was, there is now something else.
 * args: 
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct session { void *next; int number, uses; char name[64]; };
static struct session *volatile current;
static volatile int stop;
static struct session *make(int number)
{
	struct session *s = malloc(sizeof *s);
	s->number = number;
	s->uses = 0;
	return s;
}
static void *replaces(void *p)
{
	for (int i = 1; i < 100; i++) {
		struct session *old = current;
		current = make(i);
		free(old); /* bug: somebody may use it */
		usleep(50);
	}
	stop = 1;
	return p;
}
static void *uses(void *p)
{
	while (!stop) {
		struct session *s = current;
		for (volatile int k = 0; k < 100; k++) {
		}
		unsigned number = *(volatile unsigned *)&s->number;
		if (number > 100 && number % 3 == number / 1000 % 3)
			abort();
		if (number > 100)
			_exit(1 + number % 3);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	current = make(0);
	pthread_create(&t[0], NULL, uses, NULL);
	pthread_create(&t[1], NULL, replaces, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
proven mark.c
ENGINE=solve proven mark.c

# The last block that the C library has room for among those that it keeps for a thread is marked like the others.
cat >room.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct item { long first, second, third; };
static struct item *items[7];
static volatile int given_back;
static void *looks(void *p)
{
	struct item *last = items[6];
	while (!given_back)
		;
	if (*(volatile long *)&last->second != 5)
		abort();
	return p;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 7; i++) {
		items[i] = calloc(1, sizeof **items);
		*(volatile long *)&items[i]->second = 5;
	}
	pthread_create(&t, NULL, looks, items);
	for (int i = 0; i < 7; i++)
		free(items[i]);
	given_back = 1;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O1 -g -pthread -o room room.c
status 134 rethread record -q ./room
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
