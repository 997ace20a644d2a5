/*
 * Threads of C++ that lie in a container: a std::vector<std::thread>, or an array of them, in a local variable.
 *
 * A std::thread that still has a thread when it goes away ends the program. So whoever has gone through the whole container, and has joined each one or seen that
 * there is none, is alone again, and so is who has destroyed it. That is taken for granted of threads that were moved from one std::thread to another; where any is
 * detached, there are no fleets.
 */
#ifndef RETHREAD_FLEETS_H
#define RETHREAD_FLEETS_H

#include "instrument/flow.h"

struct fleet;
struct fleets;
struct fleets *fleets_find(const struct flow *flow, LLVMValueRef function);
void fleets_free(struct fleets *f);
/* What a thread of that handle belongs to; NULL: to none. */
const struct fleet *fleets_of(const struct fleets *f, LLVMValueRef handle);
/* Does the thread of that handle, which has just been created, come into its container in the block? */
bool fleets_enters(const struct fleets *f, const struct fleet *fleet, LLVMValueRef handle, LLVMBasicBlockRef b);
/* Are its threads gone where control goes from `end` to its successor? */
bool fleets_are_gone(const struct fleets *f, const struct fleet *fleet, LLVMValueRef end, unsigned successor);
/* The call in the block after which they are gone; or NULL. */
LLVMValueRef fleets_call(const struct fleets *f, const struct fleet *fleet, LLVMBasicBlockRef b);

#endif
