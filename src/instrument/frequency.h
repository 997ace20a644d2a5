/* How often code runs, as far as loops tell: those around it, and those around the calls of its function. What is called once runs once. */
#ifndef RETHREAD_FREQUENCY_H
#define RETHREAD_FREQUENCY_H

#include "instrument/pass.h"

/* What a loop is taken to multiply by. */
enum { FREQUENCY_LAP = 5 };

struct frequencies {
	struct map depth;    /* block: how many loops it is in, + 1 */
	struct map function; /* its place in of[], + 1 */
	double *of;
};

/* Of the functions that are instrumented. */
void frequencies_find(struct frequencies *all, LLVMModuleRef m);
void frequencies_free(struct frequencies *all);
double frequency_of_function(const struct frequencies *all, LLVMValueRef f);
double frequency_of_block(const struct frequencies *all, LLVMBasicBlockRef b);

#endif
