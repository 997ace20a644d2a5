/*
 * Who was halfway: the failing thread compares or adds up two places, which it read in one section of a lock; another thread writes the one and then the other, in a section each, every
 * time, and had only written the one by then. The same where the other has no lock at all for the one, or the failing thread none for either. Or threads write such places in two lines in turns, any of them (what is taken from one account and put into another), and one was behind the first. Whether it ever came to the second is not asked: the run was over. For explanations only.
 */
#ifndef RETHREAD_HALFWAY_H
#define RETHREAD_HALFWAY_H

#include "infer/slice.h"
#include "infer/told.h"

struct halfway {
	size_t wrote, seen, read; /* steps: the other writes the one; the failing thread reads that, and the other place */
	size_t usual;             /* the other writes the other place, another time, perhaps behind the failure */
	bool in_turns;            /* `usual` is only the second line, in any thread, and not the place of `read`, nor is `wrote` what `seen` found */
	bool by_all;              /* not the thread itself, but others did that */
	size_t times;             /* so often it did so */
	uint32_t given_up;        /* an event of the lock that all have, and the other gives up between the two; UINT32_MAX: the other has none for the one, or the failing thread none */
};

/* how: of rests.h. False: there is none. */
bool halfway_find(struct halfway *out, const struct slice *s, const struct told *t, const uint8_t *how);

#endif
