/*
 * Interposed: C11 threads. The C library builds them on its own pthread functions without passing
 * through ours, so they are built here in the same way: same objects, other result codes. Shared by both
 * runtimes, since it calls nothing but their pthread functions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

static int code(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	default:
		return thrd_error;
	}
}

/* The start routine returns int in place of a pointer; a C11 thread's result is that int. */
int thrd_create(thrd_t *t, thrd_start_t routine, void *argument)
{
	return code(pthread_create(t, NULL, (void *(*)(void *))(void *)routine, argument));
}

int thrd_join(thrd_t t, int *result)
{
	void *value;
	int error;

	error = pthread_join(t, &value);
	if (!error && result)
		*result = (int)(uintptr_t)value;
	return code(error);
}

int thrd_detach(thrd_t t)
{
	return code(pthread_detach(t));
}

void thrd_exit(int result)
{
	pthread_exit((void *)(uintptr_t)result);
}

#define MUTEX(m) ((pthread_mutex_t *)(m))
#define COND(c) ((pthread_cond_t *)(c))

int mtx_lock(mtx_t *m)
{
	return code(pthread_mutex_lock(MUTEX(m)));
}

int mtx_trylock(mtx_t *m)
{
	return code(pthread_mutex_trylock(MUTEX(m)));
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	return code(pthread_mutex_timedlock(MUTEX(m), until));
}

int mtx_unlock(mtx_t *m)
{
	return code(pthread_mutex_unlock(MUTEX(m)));
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
	return code(pthread_cond_wait(COND(c), MUTEX(m)));
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until)
{
	return code(pthread_cond_timedwait(COND(c), MUTEX(m), until));
}

int cnd_signal(cnd_t *c)
{
	return code(pthread_cond_signal(COND(c)));
}

int cnd_broadcast(cnd_t *c)
{
	return code(pthread_cond_broadcast(COND(c)));
}

void call_once(once_flag *flag, void (*routine)(void))
{
	pthread_once((pthread_once_t *)flag, routine);
}
