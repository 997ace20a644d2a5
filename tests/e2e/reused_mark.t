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
