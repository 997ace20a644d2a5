/*
 * Locking and unlocking a mutex of the default kind as glibc does it (nptl/pthread_mutex_trylock.c and _unlock.c, 2.34 to
 * date): a call through glibc would cost about as much as the lock itself. The layout cannot change, because
 * PTHREAD_MUTEX_INITIALIZER is compiled into programs. __lock is 0: free, 1: taken, 2: taken and somebody may wait.
 *
 * Only used when rt_plain_mutexes says that the real functions are glibc's, and not those of a preloaded library.
 */
#ifndef RETHREAD_RT_PLAIN_MUTEX_H
#define RETHREAD_RT_PLAIN_MUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

extern bool rt_plain_mutexes;
/* Finds out, and sets rt_tries, which is as many as pay where `tries` is below 0; after rt_real_init. */
void rt_plain_mutexes_init(int tries);
/*
 * How often a thread tries for a lock that somebody has before it sleeps: about a microsecond in all, less than it takes to go to
 * sleep and to be woken. 0 where there is one processor.
 */
extern int rt_tries;
extern unsigned rt_first_pauses; /* the processor's, before the first try */

#pragma GCC visibility pop

/*
 * Before try n (from 0) of those; false: that was enough. Each wait is twice as long as the one before, up to a few microseconds: a thread that
 * looks all the time gets the lock as soon as it is free, so the lock changes hands at each use of it, and its cache line with it, where
 * its owner was about to take it again.
 */
static inline bool rt_tries_again(int n)
{
	if (n >= rt_tries)
		return false;
	for (unsigned i = rt_first_pauses << (n < 5 ? n : 5); i; i--)
		__builtin_ia32_pause();
	return true;
}

/* Neither recursive, error checking, robust, with a protocol, shared between processes, nor elided. */
static inline bool rt_is_plain(const pthread_mutex_t *m)
{
	return m->__data.__kind == PTHREAD_MUTEX_TIMED_NP;
}

/* 0 or EBUSY. */
static inline int rt_plain_trylock(pthread_mutex_t *m, uint32_t tid)
{
	int is_free = 0;

	if (!__atomic_compare_exchange_n(&m->__data.__lock, &is_free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return EBUSY;
	m->__data.__owner = (int)tid;
	m->__data.__nusers++;
	return 0;
}

/* After a try: whether the mutex is there after a few more. */
static inline bool rt_plain_spin(pthread_mutex_t *m, uint32_t tid)
{
	for (int n = 0; rt_tries_again(n); n++)
		if (!__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) && !rt_plain_trylock(m, tid))
			return true;
	return false;
}

/* After that: waits for the mutex until nobody has woken the thread for so long; whether it has it. */
static inline bool rt_plain_wait(pthread_mutex_t *m, uint32_t tid, const struct timespec *patience)
{
	int saved = errno;
	bool got;

	while (!(got = !__atomic_exchange_n(&m->__data.__lock, 2, __ATOMIC_ACQUIRE)))
		if (syscall(SYS_futex, &m->__data.__lock, FUTEX_WAIT_PRIVATE, 2, patience, NULL, 0) && errno == ETIMEDOUT)
			break;
	errno = saved;
	if (got) {
		m->__data.__owner = (int)tid;
		m->__data.__nusers++;
	}
	return got;
}

/* Is there somebody to wake? */
static inline bool rt_plain_unlock(pthread_mutex_t *m)
{
	m->__data.__owner = 0;
	m->__data.__nusers--;
	return __atomic_exchange_n(&m->__data.__lock, 0, __ATOMIC_RELEASE) > 1;
}

/* The mutex may be gone already; then this wakes nobody who would mind. */
static inline void rt_plain_wake(pthread_mutex_t *m)
{
	int saved = errno;

	syscall(SYS_futex, &m->__data.__lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved;
}

#endif
