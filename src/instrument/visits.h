/*
 * Which instructions recompute.c has to look at again.
 *
 * It goes over all instructions, in their order, until nothing changes. Most visits would find what they found before: an instruction
 * is due when it was not visited yet (but for those whose first visit would find nothing), when something that it uses has become unknown since, or, where it depends on memory, when
 * anything changed there. All others are passed over; as they would change nothing, the result is the same, causes included.
 *
 *     struct visits *v = visits_new(m, is_quiet, data);
 *     visits_begin(v);
 *     while (visits_go(v, visit, data))   visit calls visits_value and visits_memory
 *             ;
 */
#ifndef RETHREAD_VISITS_H
#define RETHREAD_VISITS_H

#include "instrument/pass.h"

struct visits;
/*
 * is_quiet: as long as nothing that it uses is unknown, a visit changes nothing, whatever memory holds. The module must not change as long
 * as this is used.
 */
struct visits *visits_new(LLVMModuleRef m, bool (*is_quiet)(void *data, LLVMValueRef instruction), void *data);
void visits_free(struct visits *v);

/* All are due that are not quiet. */
void visits_begin(struct visits *v);
/* An instruction, a parameter, or the result of a function (its function) is unknown now. */
void visits_value(struct visits *v, LLVMValueRef value);
/* What is known of memory changed, or of anything else that no value stands for. */
void visits_memory(struct visits *v);

/* Visits what is due, each function until nothing changes in it: most of it stays there. Returns whether anything changed. */
bool visits_go(struct visits *v, void (*visit)(void *data, LLVMValueRef function, LLVMValueRef instruction), void *data);
/* The same of all instructions, once, due or not: to check that nothing is missing. */
bool visits_go_through(struct visits *v, void (*visit)(void *data, LLVMValueRef function, LLVMValueRef instruction), void *data);

#endif
