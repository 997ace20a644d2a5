/*
 * A process none of whose threads can go on: every one of them waits at a futex, without a limit of time, in memory that no other process
 * has, and nothing catches a signal. Lost wake-ups and semaphores that are used as locks are seen so, which have no owner that the
 * recorder could name (src/rt/deadlock.h).
 *
 * Nothing is guessed from time. All threads are looked at twice; if each of them was in the same wait both times and did not run in between,
 * all of them waited at one moment, and who could have woken one?
 */
#ifndef RETHREAD_STUCK_H
#define RETHREAD_STUCK_H

#include <stdbool.h>
#include <sys/types.h>

/* Is it? `asks` is a signal that the recorder catches, besides those of faults. False as well when the system does not let us see it. */
bool stuck_is(pid_t pid, int asks);

#endif
