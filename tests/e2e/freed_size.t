# A number in a block that was given back is what the allocator left there, another one in each run: as the size of an array it leads out
# of all memory, in the inference and in the replay as well.
cat >freed.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct table { int n; int *hits; struct { long key, value; } rows[12]; };
static struct table *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *make(int n)
{
	struct table *t = malloc(sizeof *t);
	t->n = n;
	t->hits = NULL;
	for (int i = 0; i < n; i++)
		t->rows[i].key = t->rows[i].value = i;
	return t;
}
static void *replace(void *arg)
{
	struct table *other = make(3), *next = make(4), *old;
	usleep(2000);
	free(other); /* so that the next one is linked to it */
	pthread_mutex_lock(&lock);
	old = current;
	current = next;
	pthread_mutex_unlock(&lock);
	free(old);
	return arg;
}
static long last_value(void)
{
	pthread_mutex_lock(&lock);
	struct table *t = current;
	pthread_mutex_unlock(&lock);
	usleep(20000);
	return t->rows[t->n - 1].value; /* bug: it may be gone */
}
int main(void)
{
	pthread_t t;
	current = make(12);
	pthread_create(&t, NULL, replace, NULL);
	printf("%ld\n", last_value());
	pthread_join(t, NULL);
	return 0;
}
C
ENGINE=solve proven freed.c
