/*
 * States from which nothing leads on, by their hash: a set that several searches of one problem may fill and ask at the same time. What one
 * of them has searched in vain, the others need not enter.
 */
#ifndef RETHREAD_DEAD_H
#define RETHREAD_DEAD_H

#include "solve/machine.h"

struct dead; /* opaque */

/* most: states that are kept, 16 to 64 bytes each; what comes later is forgotten. */
struct dead *dead_new(size_t most);
void dead_free(struct dead *d); /* NULL is allowed */

bool dead_has(struct dead *d, struct machine_hash h);
void dead_add(struct dead *d, struct machine_hash h);
void dead_clear(struct dead *d);

#endif
