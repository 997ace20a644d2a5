/*
 * Interposed: C11 threads. The C library builds them on its own pthread functions without passing
 * through ours, so they are built here in the same way: same objects, other result codes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/interpose.h"

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
	if (!rt_counted(thrd_create))
		return RT_REAL(thrd_create)(t, routine, argument);
	return code(pthread_create(t, NULL, (void *(*)(void *))(void *)routine, argument));
}

int thrd_join(thrd_t t, int *result)
{
	void *value;
	int error;

	if (!rt_counted(thrd_join))
		return RT_REAL(thrd_join)(t, result);
	error = pthread_join(t, &value);
	if (!error && result)
		*result = (int)(uintptr_t)value;
	return code(error);
}

int thrd_detach(thrd_t t)
{
	return rt_counted(thrd_detach) ? code(pthread_detach(t)) : RT_REAL(thrd_detach)(t);
}

void thrd_exit(int result)
{
	if (!rt_counted(thrd_exit))
		RT_REAL(thrd_exit)(result);
	pthread_exit((void *)(uintptr_t)result);
}

#define MUTEX(m) ((pthread_mutex_t *)(m))
#define COND(c) ((pthread_cond_t *)(c))

int mtx_lock(mtx_t *m)
{
	return rt_counted(mtx_lock) ? code(pthread_mutex_lock(MUTEX(m))) : RT_REAL(mtx_lock)(m);
}

int mtx_trylock(mtx_t *m)
{
	return rt_counted(mtx_trylock) ? code(pthread_mutex_trylock(MUTEX(m)))
				       : RT_REAL(mtx_trylock)(m);
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	return rt_counted(mtx_timedlock) ? code(pthread_mutex_timedlock(MUTEX(m), until))
					 : RT_REAL(mtx_timedlock)(m, until);
}

int mtx_unlock(mtx_t *m)
{
	return rt_counted(mtx_unlock) ? code(pthread_mutex_unlock(MUTEX(m)))
				      : RT_REAL(mtx_unlock)(m);
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
	return rt_counted(cnd_wait) ? code(pthread_cond_wait(COND(c), MUTEX(m)))
				    : RT_REAL(cnd_wait)(c, m);
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until)
{
	return rt_counted(cnd_timedwait) ? code(pthread_cond_timedwait(COND(c), MUTEX(m), until))
					 : RT_REAL(cnd_timedwait)(c, m, until);
}

int cnd_signal(cnd_t *c)
{
	return rt_counted(cnd_signal) ? code(pthread_cond_signal(COND(c))) : RT_REAL(cnd_signal)(c);
}

int cnd_broadcast(cnd_t *c)
{
	return rt_counted(cnd_broadcast) ? code(pthread_cond_broadcast(COND(c)))
					 : RT_REAL(cnd_broadcast)(c);
}

void call_once(once_flag *flag, void (*routine)(void))
{
	if (rt_counted(call_once))
		pthread_once((pthread_once_t *)flag, routine);
	else
		RT_REAL(call_once)(flag, routine);
}
