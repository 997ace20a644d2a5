# Memory is moved over itself again and again before anybody else writes there: the last such move reads what it then writes over, and that it
# read it before is not forgotten when the reads are taken to have found what was there (src/sym/quiet.c).
cat >window.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
enum { LENGTH = 200, SHIFT = 50, EARLY = 20000 };
static int window[LENGTH], used;
static volatile int limit = LENGTH;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* who clears locks, who fills does not */
static void append(int value)
{
	if (used == limit) {
		memmove(window, window + SHIFT, (LENGTH - SHIFT) * sizeof *window);
		used -= SHIFT;
	}
	window[used++] = value;
}
static void *clear(void *arg)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	limit = LENGTH;
	memset(window, 0, sizeof window);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, clear, NULL);
	for (int i = 1; i <= EARLY; i++)
		append(i);
	usleep(200000);
	append(EARLY + 1);
	for (int i = 1; i < used; i++)
		assert(window[i] == window[i - 1] + 1);
	pthread_join(t, NULL);
	return 0;
}
P
ENGINE=solve proven window.c
