/*
 * What stores may have put where a load reads: the way of values through memory, for addresses.c. Stores are noted first, then asked for.
 *
 * Each store is handed out once, since what is found goes to a set: so the same work is not done for each of thousands of loads
 * of a class. Floating point numbers are handed out to who reads such only.
 */
#ifndef RETHREAD_STORED_H
#define RETHREAD_STORED_H

#include "instrument/access.h"

struct stored;
struct stored *stored_new(struct sharing *sharing);
void stored_free(struct stored *s);
void stored_note(struct stored *s, LLVMValueRef store);
/* Calls found(data, value) for what stores of the load's memory, as far as class, size and strict aliasing tell, have put there. */
void stored_each(struct stored *s, LLVMValueRef load, void (*found)(void *data, LLVMValueRef value), void *data);

#endif
