/*
 * The C library's own versions of the functions that the runtimes define in the target's place.
 *
 * Shared by the recorder (src/rt) and the twin's runtime (src/replay); refers to neither. Each
 * member of rt_real is what the target would have called without rethread: the next definition
 * after the program's own, so that a preloaded library still gets its turn. A member is NULL only
 * where the C library has no such function. To interpose another function: a line here, and its
 * definition in a runtime.
 */
#ifndef RETHREAD_RT_REAL_H
#define RETHREAD_RT_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void (*rt_sighandler)(int);

/* X(result, name, parameters) */
#define RT_REAL_FUNCTIONS(X)                                                                       \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))   \
	X(int, clone, (int (*)(void *), void *, int, void *, ...))                                 \
	X(int, pthread_join, (pthread_t, void **))                                                 \
	X(int, pthread_tryjoin_np, (pthread_t, void **))                                           \
	X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                \
	X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))     \
	X(int, pthread_detach, (pthread_t))                                                        \
	X(void, pthread_exit, (void *))                                                            \
	X(int, pthread_cancel, (pthread_t))                                                        \
	X(int, pthread_kill, (pthread_t, int))                                                     \
	X(void, pthread_testcancel, (void))                                                        \
	X(unsigned, sleep, (unsigned))                                                             \
	X(int, usleep, (useconds_t))                                                               \
	X(int, nanosleep, (const struct timespec *, struct timespec *))                            \
	X(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))      \
	X(int, pthread_mutex_lock, (pthread_mutex_t *))                                            \
	X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                         \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))              \
	X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))   \
	X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                          \
	X(int, pthread_spin_lock, (pthread_spinlock_t *))                                          \
	X(int, pthread_spin_trylock, (pthread_spinlock_t *))                                       \
	X(int, pthread_spin_unlock, (pthread_spinlock_t *))                                        \
	X(void, flockfile, (FILE *))                                                               \
	X(int, ftrylockfile, (FILE *))                                                             \
	X(void, funlockfile, (FILE *))                                                             \
	X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                           \
	X(int, pthread_cond_timedwait,                                                             \
	  (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                          \
	X(int, pthread_cond_clockwait,                                                             \
	  (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))               \
	X(int, pthread_cond_signal, (pthread_cond_t *))                                            \
	X(int, pthread_cond_broadcast, (pthread_cond_t *))                                         \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                        \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                     \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))          \
	X(int, pthread_rwlock_clockrdlock,                                                         \
	  (pthread_rwlock_t *, clockid_t, const struct timespec *))                                \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                        \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                     \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))          \
	X(int, pthread_rwlock_clockwrlock,                                                         \
	  (pthread_rwlock_t *, clockid_t, const struct timespec *))                                \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                        \
	X(int, sem_wait, (sem_t *))                                                                \
	X(int, sem_trywait, (sem_t *))                                                             \
	X(int, sem_timedwait, (sem_t *, const struct timespec *))                                  \
	X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                       \
	X(int, sem_post, (sem_t *))                                                                \
	X(int, sem_init, (sem_t *, int, unsigned))                                                 \
	X(int, pthread_barrier_wait, (pthread_barrier_t *))                                        \
	X(int, pthread_once, (pthread_once_t *, void (*)(void)))                                   \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                      \
	X(int, thrd_join, (thrd_t, int *))                                                         \
	X(int, thrd_detach, (thrd_t))                                                              \
	X(void, thrd_exit, (int))                                                                  \
	X(int, mtx_lock, (mtx_t *))                                                                \
	X(int, mtx_trylock, (mtx_t *))                                                             \
	X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                                  \
	X(int, mtx_unlock, (mtx_t *))                                                              \
	X(int, cnd_wait, (cnd_t *, mtx_t *))                                                       \
	X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                         \
	X(int, cnd_signal, (cnd_t *))                                                              \
	X(int, cnd_broadcast, (cnd_t *))                                                           \
	X(void, call_once, (once_flag *, void (*)(void)))                                          \
	X(int, sched_yield, (void))                                                                \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                     \
	X(rt_sighandler, signal, (int, rt_sighandler))                                             \
	X(void, longjmp, (struct __jmp_buf_tag *, int))                                            \
	X(void, _longjmp, (struct __jmp_buf_tag *, int))                                           \
	X(void, siglongjmp, (struct __jmp_buf_tag *, int))                                         \
	X(void, __longjmp_chk, (struct __jmp_buf_tag *, int))                                      \
	X(void, __assert_fail, (const char *, const char *, unsigned, const char *))               \
	X(void *, malloc, (size_t))

#pragma GCC visibility push(hidden)

struct rt_real {
#define X(result, name, parameters) result(*name) parameters;
	RT_REAL_FUNCTIONS(X)
#undef X
};
extern struct rt_real rt_real;

/* Fill rt_real; further calls do nothing. First thing a runtime does; safe before constructors run.
 */
void rt_real_init(void);

#pragma GCC visibility pop

#endif
