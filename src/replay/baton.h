/*
 * Inside the conductor (conductor.h): whose turn it is, and the attempt that it is part of.
 *
 *     baton.c    who can run and who does; calls that block
 *     attempt.c  the attempt's file, its steps, its random numbers and its end
 *
 * Only the thread that has the baton changes anything, or whoever has the lock of baton.c.
 */
#ifndef RETHREAD_BATON_H
#define RETHREAD_BATON_H

#include "replay/conductor.h"

enum { STEP_NS = 20 /* what a SAP takes, in the conductor's time */ };

/* Starts the thread that takes the baton away where a call blocks. */
void baton_start(void);
/* The first thread has it. */
void baton_begin(struct actor *a);
/* Waits until the calling thread has it; it may have been taken from a thread that was in a call. */
void baton_enter(struct actor *self);
/* A new thread waits for its first turn. */
void baton_await(struct actor *self);
/* The calling thread is over: another one has it. */
void baton_leave(struct actor *self);
/* Has the thread that the wait is for come as far? */
bool baton_has_done(const struct wait *w);
/* Time goes on by one SAP. */
void baton_tick(void);
/* The conductor's own time, in nanoseconds. */
uint64_t baton_now(void);
/* May somebody have to run before the one that does? conductor_reconsiders() says so; the next choice settles it. */
bool baton_reconsiders(void);
/* ... here: the policy decides it by chance. */
void baton_set_reconsiders(bool reconsider);

/* False: there is none, or it is of another version. */
bool attempt_open(const char *path);
/* One more SAP; beyond the most that it may have, the attempt is over. */
void attempt_step(void);
_Noreturn void attempt_over(enum rt_attempt_outcome outcome);
/* The target's threads are all blocked: a failure like any other. */
_Noreturn void attempt_hangs(void);

#endif
