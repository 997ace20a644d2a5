/* Threads that come and go: numbering, set-up before the start routine, the end after the last
 * destructor. */
#ifndef RETHREAD_RT_THREADS_H
#define RETHREAD_RT_THREADS_H

#pragma GCC visibility push(hidden)

/* Once per process: threads can be recorded from here on. The caller is the main thread, number 0.
 */
void rt_threads_start(void);
/* In the child after fork: the caller is the main thread. */
void rt_threads_restart(void);

#pragma GCC visibility pop

#endif
