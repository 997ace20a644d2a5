#include "solve/workers.h"

#include <time.h>
#include <unistd.h>

enum { TICK_NANOSECONDS = 2000000 };

size_t workers_for(unsigned asked, size_t useful)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = asked ? asked : processors < 1 ? 1 : (size_t)processors;
	n = n < MOST_WORKERS ? n : MOST_WORKERS;
	n = n < useful ? n : useful;
	return n ? n : 1;
}

void workers_tick(pthread_cond_t *changed, pthread_mutex_t *lock)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_NANOSECONDS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(changed, lock, &until);
}
