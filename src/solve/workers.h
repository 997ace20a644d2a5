/* How many threads work on one problem. */
#ifndef RETHREAD_WORKERS_H
#define RETHREAD_WORKERS_H

#include <pthread.h>
#include <stddef.h>

/* Each takes memory of its own: this many at most, whatever the machine has. */
enum { MOST_WORKERS = 32 };

/* asked: as many as wanted, 0: as there are processors; never more than there is use for. At least 1. */
size_t workers_for(unsigned asked, size_t useful);

/* For who oversees them, with the lock: waits for a change, a few milliseconds at most. */
void workers_tick(pthread_cond_t *changed, pthread_mutex_t *lock);

#endif
