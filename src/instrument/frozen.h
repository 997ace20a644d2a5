/*
 * freeze instructions: the optimiser makes them where it computes sooner what the program would branch on later, and perhaps never, as what nobody has
 * written must not decide anything then. What the machine has there the executor does not know.
 */
#ifndef RETHREAD_FROZEN_H
#define RETHREAD_FROZEN_H

#include "instrument/pass.h"

/* Adds those to `defined` (number 1) that freeze what has a value, or whose result counts only where it has one. */
void frozen_find(LLVMModuleRef m, struct map *defined);

#endif
