/* Values that are recorded because addresses are made of them. addresses.c chooses and emits, locked.c helps. */
#ifndef RETHREAD_ADDRESSES_H
#define RETHREAD_ADDRESSES_H

#include "instrument/pass.h"

/*
 * Reads whose values are recorded, and allocations, in module order. sites holds the instructions that are sites.
 */
void addresses_find(LLVMModuleRef m, const struct map *sites, struct values *found);
/* The recorded program appends them to its log (include/rethread/instrument.h). */
void addresses_record(LLVMModuleRef m, const struct values *recorded);
/* A table of where the symbols lie, so that addresses in the log can be told. */
void addresses_places(LLVMModuleRef m, const struct values *symbols);

/*
 * Instructions that run with a lock held, whichever way control came there; knows the functions that take locks,
 * and the module's own ones around them. A guess: it does not ask which lock.
 */
struct locked;
struct locked *locked_analyze(LLVMModuleRef m);
bool locked_is(const struct locked *l, LLVMValueRef instruction);
void locked_free(struct locked *l);

#endif
