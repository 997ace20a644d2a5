/*
 * Where the other threads are when one fails: each writes its own backtrace to the log (struct rt_stack), because a signal
 * asks it to. The signal is a real-time one that the target has no action for; a thread that blocks it or waits for
 * signals is not asked. A program that has actions for all of them is left alone.
 *
 * Who is asked stays in the signal's handler until the process dies, twice RT_STACKS_PATIENCE at most: what it was doing is not to
 * go on differently because of us. Where the process does not die of the failure, only threads are asked whose system call
 * begins again as if nothing had happened.
 */
#ifndef RETHREAD_RT_STACKS_H
#define RETHREAD_RT_STACKS_H

#include <stdbool.h>

#define RT_STACKS_PATIENCE 100 /* milliseconds */

#pragma GCC visibility push(hidden)

/* In the failing thread, which is paused (self.h): returns when all who were asked have answered, or patience is over. */
void rt_stacks_collect(bool survives);

/* As rt_failure_ask wants it: all threads, the calling one included, because the tool is about to end the process. */
void rt_stacks_asked(const void *context);

/* The same for a process that exits: the calling thread is shown from return address `from` on. */
void rt_stacks_at_exit(const void *from);

#pragma GCC visibility pop

#endif
