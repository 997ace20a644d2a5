/* What a call of an external function does to memory, as include/rethread/externals.def words it. */
#ifndef RETHREAD_RT_EFFECTS_H
#define RETHREAD_RT_EFFECTS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct effect {
	char kind;          /* r w f m o h c d u */
	unsigned parameter; /* what points there */
	char measure;       /* s = k $ % p n b */
	int first, second;  /* parameters or a constant; -1: none */
};
/* Takes the next effect off *effects; false when there is none. */
bool effect_next(const char **effects, struct effect *e);

#pragma GCC visibility pop

#endif
