/*
 * Virtual calls: which functions lie where in virtual tables. To the points-to analysis a table is one object, so it would seem that each call that takes a function
 * from it may be of any of them, of destructors as well.
 */
#ifndef RETHREAD_VTABLES_H
#define RETHREAD_VTABLES_H

#include "instrument/pass.h"

struct vtables;
struct vtables *vtables_new(LLVMModuleRef m);
void vtables_free(struct vtables *v);
/* May the call, if it is a virtual one, be of this function? Only what is somewhere else in all tables is denied. */
bool vtables_fit(const struct vtables *v, LLVMValueRef call, LLVMValueRef function);

#endif
