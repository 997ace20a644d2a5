/*
 * A thread's path: what instrumented code appended to the tray (instrument.h) becomes words of the log, and time stamps.
 */
#ifndef RETHREAD_RT_PATH_H
#define RETHREAD_RT_PATH_H

#include "rt/self.h"

#pragma GCC visibility push(hidden)

/* Before any thread does: how paths are packed on this processor. */
void rt_path_start(void);

/* The calling thread appends to the tray, whose words go to the chunk first. */
void rt_path_begin(struct rt_self *self, struct rt_chunk *first, uint8_t *tray);
/* It appends where nobody reads. */
void rt_path_end(struct rt_self *self);
/* What the thread learnt in an earlier life, as another peer. */
void rt_path_forget(struct rt_self *self);

/* How many bits it has appended. */
uint64_t rt_path_length(const struct rt_self *self);

/*
 * For a signal handler that runs between any two instructions: where the interrupted code goes on to append, and to which the handler may
 * append too, if `keeps`; else it appends where nobody reads.
 */
uint8_t *rt_path_divert(struct rt_self *self, bool keeps);
/* What the handler appended is as if it had not been. */
void rt_path_undo(struct rt_self *self, uint8_t *to);
/* A handler waits for a place in the path, of which the next question whether the tray is full is one; or none does any more. */
void rt_path_hurry(const struct rt_self *self);
void rt_path_go_on(struct rt_self *self);

#pragma GCC visibility pop

#endif
