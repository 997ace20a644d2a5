/* How often code runs, as far as loops tell: those around it, and those around the calls of its function, also by its address. What is called once runs once. */
#ifndef RETHREAD_FREQUENCY_H
#define RETHREAD_FREQUENCY_H

#include "instrument/pointsto.h"

/* What a loop is taken to multiply by. */
enum { FREQUENCY_LAP = 5 };

struct frequencies {
	struct map depth;    /* block: how many loops it is in, + 1 */
	struct map function; /* its place in of[], + 1 */
	double *of;
};

/* Of the functions that are instrumented. */
void frequencies_find(struct frequencies *all, LLVMModuleRef m, const struct points_to *points_to);
void frequencies_free(struct frequencies *all);
double frequency_of_function(const struct frequencies *all, LLVMValueRef f);
double frequency_of_block(const struct frequencies *all, LLVMBasicBlockRef b);

#endif
