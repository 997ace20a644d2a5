/* Threads that wait for ever: for what, and which signals of their condition variable came too early. For explanations only. */
#ifndef RETHREAD_HANG_H
#define RETHREAD_HANG_H

#include "infer/slice.h"
#include "infer/told.h"

struct hang {
	size_t blocked;    /* the step that never ends */
	bool on_condition; /* a wait for a signal */
	bool outside;      /* it waits for what is no object of the program's: for an input, mostly */
	uint64_t condition; /* ... and where the condition variable lies, or the number of its object; 0: not known */
	size_t signal;     /* the last one of that condition variable, which came before the wait; SLICE_NONE: none is known */
	bool lost;         /* nobody waited for it then */
	bool never;        /* nobody has ever signalled it */
	size_t other;      /* a signal for one thread only that came while it waited, and so woke another; SLICE_NONE */
	size_t woke;       /* where the thread came back that `other` woke; SLICE_NONE: not known */
	size_t read;       /* what the thread read last, shortly before the wait; SLICE_NONE */
	size_t wrote;      /* who wrote that afterwards; SLICE_NONE */
	size_t is;         /* the last write to it, where that left something else than was read; SLICE_NONE: it is as the thread found it */
	bool spins;        /* it does not wait, but goes round (spins.h): `blocked` and `read` are its last look, `is` the write that it finds */
	size_t missed;     /* ... of spins.h; or `is` put back what was read, and this is what it overwrote; SLICE_NONE */
	bool unchanged;    /* nobody has written it since */
	bool never_written; /* ... nor any other thread before that */
	size_t woken, over; /* a signal that ended its last wait but this one, and who changed what the signaller had left before the thread looked (`read`); SLICE_NONE */
	size_t looked, told; /* who wrote what it was to find looked at a place, and did not see what the thread wrote there only then; SLICE_NONE */
	size_t taken, taker; /* it looked at something shortly before, which is still as another thread has left it, and that one waits for ever, too, for a signal; SLICE_NONE */
	uint32_t holder;   /* of a lock: the thread that has it; UINT32_MAX: none is known */
	size_t wanted;     /* another thread waits there for a lock that this one has; SLICE_NONE */
	uint32_t joins;    /* it waits for the end of this thread; UINT32_MAX: for something else */
	size_t last;       /* of a lock: the last access of who has it since he took it; SLICE_NONE */
	size_t freed;      /* the memory of the lock was given back there (sync_waits_in_freed in src/sym/sync.c); SLICE_NONE */
};
typedef vec(struct hang) hangs;

/*
 * The failure needs no step of a thread that signals while others wait for ever, and so wakes somebody else: who waits does so without it. It is a reason for it, though. Where there
 * is such a signal, all steps are told of.
 */
void hang_complete(struct told *t);

/*
 * Of each thread that is blocked at the end, the most telling first, those last that found what they wait for to be as it still is (idle workers); to be freed. values: of
 * all expressions.
 */
hangs hang_find(const struct told *t, const uint64_t *values);

#endif
