/* Where main has joined all the threads that the program creates, and is alone again: what it then writes or frees is nobody else's. */
#ifndef RETHREAD_JOINS_H
#define RETHREAD_JOINS_H

#include "instrument/pass.h"

struct joins;
/*
 * creations: all calls in the program that may create a thread, all of them in this function, which runs once at a time. NULL: it is not seen that each of the threads is joined.
 */
struct joins *joins_find(LLVMValueRef function, const struct values *creations);
void joins_free(struct joins *j);
/* Is there one thread where the block begins, however control came there? */
bool joins_alone_at(const struct joins *j, LLVMBasicBlockRef b);
/* Is this the call after which there is one thread again? */
bool joins_alone_after(const struct joins *j, LLVMValueRef i);

/* Where a call puts the handle of the thread that it creates; NULL: it is no such call. */
LLVMValueRef joins_created_handle(LLVMValueRef call);

#endif
