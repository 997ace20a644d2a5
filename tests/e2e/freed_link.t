# A number is read out of a block that was given back, and chooses a place in a table: it is half of the link that the C library left there,
# which is another one in each run.
cat >timers.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct timer { unsigned id; char text[40]; };
static struct timer *timer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fired[8];
static void *cancel(void *arg)
{
	usleep(10000);
	pthread_mutex_lock(&lock);
	timer->id = 4;
	free(timer);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, cancel, NULL);
	pthread_mutex_lock(&lock);
	struct timer *mine = timer = malloc(sizeof *timer);
	timer->id = 3;
	pthread_mutex_unlock(&lock);
	usleep(30000);
	unsigned id = mine->id;
	fired[id % 8]++;
	assert(id < 8);
	pthread_join(t, NULL);
	return 0;
}
C
ENGINE=solve proven timers.c
