# A list of entries on the stacks of threads, unlinked without the lock: their addresses are in the log.
cat >timers.c <<'P'
#include <pthread.h>
#include <stdlib.h>

struct timer { struct timer *next, **link; int armed; };
static struct timer *wheel;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t done;

static void arm(struct timer *t)
{
	pthread_mutex_lock(&lock);
	t->next = wheel;
	t->link = &wheel;
	if (wheel)
		wheel->link = &t->next;
	wheel = t;
	t->armed = 1;
	pthread_mutex_unlock(&lock);
}

static void cancel(struct timer *t) /* bug: no lock */
{
	if (!t->armed)
		return;
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
	t->armed = 0;
}

static void *user(void *a)
{
	for (int i = 0; i < 2000; i++) {
		struct timer t = {0};
		arm(&t);
		for (volatile int k = 0; k < 20; k++) {
		}
		cancel(&t);
	}
	pthread_barrier_wait(&done); /* a late write must not hit the stack of a thread that ends: that is outside of the program */
	return a;
}

int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&done, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (wheel)
		abort();
	return 0;
}
P
ENGINE=solve proven timers.c
