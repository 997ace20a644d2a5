/*
 * Asynchronous cancellation. The log could not say between which two instructions a thread was cancelled; so for the C library
 * all cancellation is deferred, and whoever cancels a thread that asked for the other kind sends it a signal as well,
 * whose handler is a cancellation point: it runs, as any handler does, at the next place that the log can name (caught.h).
 */
#ifndef RETHREAD_RT_ASYNC_H
#define RETHREAD_RT_ASYNC_H

#include <pthread.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Some thread asked for it. */
bool rt_async_is_used(void);

/* The thread has just been cancelled. */
void rt_async_tell(pthread_t handle);

#pragma GCC visibility pop

#endif
