/* How often code runs, as far as loops tell: those around it, and those around the calls of its function. */
#ifndef RETHREAD_HEAT_H
#define RETHREAD_HEAT_H

#include "instrument/pass.h"

/* A loop is taken to go round so many times. */
enum { HEAT_ROUNDS = 8 };

struct heat {
	struct map loops;    /* of a block: the loops of its function that it is in */
	struct map function; /* of a function: the loops that calls of it are in */
};

void heat_of_module(LLVMModuleRef m, struct heat *h);
void heat_free(struct heat *h);
/* How many times the instruction runs, about, of 1 for what runs once. */
size_t heat_times(const struct heat *h, LLVMValueRef instruction);

#endif
