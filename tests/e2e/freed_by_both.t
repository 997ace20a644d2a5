# Two threads give back the same block: the C library keeps it for each of them and notices nothing. Whoever asks for one next has it, and so has
# the other.
cat >both.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *shared;
static char *got[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *replace(void *arg)
{
	char **mine = arg;
	pthread_mutex_lock(&lock);
	char *old = shared;
	pthread_mutex_unlock(&lock);
	usleep(mine == got ? 20000 : 30000);
	pthread_mutex_lock(&lock);
	if (old[20] == 'x')
		free(old);
	pthread_mutex_unlock(&lock);
	usleep(30000);
	pthread_mutex_lock(&lock);
	char *next = malloc(40);
	strcpy(next, "next");
	*mine = shared = next;
	pthread_mutex_unlock(&lock);
	pause();
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	shared = malloc(40);
	memset(shared, 'x', 40);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, replace, &got[i]);
	usleep(120000);
	pthread_mutex_lock(&lock);
	assert(!got[0] || got[0] != got[1]);
	return 0;
}
C
ENGINE=solve proven both.c
