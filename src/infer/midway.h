/* What locks have to do with a read that finds what another thread wrote. For explanations only. */
#ifndef RETHREAD_MIDWAY_H
#define RETHREAD_MIDWAY_H

#include "infer/locks.h"
#include "infer/slice.h"

/*
 * The lock that the thread had whose write a step saw, and went on with behind that step, where the reader did not have it. NO_LOCK: there is none that is certain: what
 * is known of where locks are given up is between which events of a thread that is.
 */
uint32_t midway_lock(const struct execution *x, const struct linear *l, const struct slice *s, size_t read);

/* Where the two race: the lock that the reader had, or else the writer, and the other one did not; *readers: it is the reader's. NO_LOCK: they do not race, or neither had one. */
uint32_t midway_missing(const struct execution *x, const struct linear *l, const struct slice *s, size_t read, bool *readers);

/* Do two steps race although each has a lock? Sets a lock of the one and one of the other. */
bool midway_apart(const struct execution *x, const struct linear *l, size_t one, size_t other, uint32_t by[2]);

/* Did the write leave something else there than was there before it, as far as somebody looked? values: of all expressions, in this order. */
bool midway_changes(const struct execution *x, const struct linear *l, size_t write, const uint64_t *values);

/*
 * Did the thread come back from a wait before it read that, without having looked at it again where it had before it waited, and has another changed it since? The step at which it
 * came back; SLICE_NONE. values: of all expressions, in this order. looked: it has looked at it elsewhere. still: nobody has changed it, and it was what the thread looked at when it decided to
 * wait: somebody woke it for nothing, or for something that it has done already.
 */
size_t midway_wait(const struct execution *x, const struct linear *l, const struct slice *s, size_t read, const uint64_t *values, bool *looked, bool *still);

#endif
