/*
 * The child of a fork has its parent's run up to there behind it. So its log begins as a copy of the parent's, and goes on: it is
 * the log of one process whose fork returned 0, and is executed and replayed like any other. That takes a parent without other
 * threads; else the child's log begins after the fork (RT_LOG_MIDDLE), and is good for `dump' only.
 *
 * clone without CLONE_VM is a fork of which the C library tells nobody: interposed here, so that the child does not write to the log of its
 * parent, which is mapped shared.
 */
#ifndef RETHREAD_RT_FORKED_H
#define RETHREAD_RT_FORKED_H

#include <stdbool.h>

/* glibc's, behind pthread_atfork: that may be the program's own (src/library/forks.c). */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);

#pragma GCC visibility push(hidden)

/* Last thing before a fork: the copy, because the parent goes on with its log at once. */
void rt_fork_begins(void);
/* In the parent. */
void rt_fork_ended(void);
/* In the child (start.c). */
void rt_fork_child(void);
/* In the child: false when it has to begin a log of its own. */
bool rt_forked_goes_on(void);
/* Has this process gone on with its parent's log? */
bool rt_forked_has_log(void);

#pragma GCC visibility pop

#endif
