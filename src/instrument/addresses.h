/* Values that are recorded because addresses are made of them. addresses.c chooses and emits, locked.c, stripes.c and versions.c help. */
#ifndef RETHREAD_ADDRESSES_H
#define RETHREAD_ADDRESSES_H

#include "instrument/pass.h"

/*
 * Reads whose values are recorded, and allocations, in module order. interposed: see number.c; sites holds the
 * instructions that are sites.
 */
void addresses_find(LLVMModuleRef m, struct sharing *sharing, const struct map *interposed, const struct map *sites,
		    struct values *found);
/* As PASS_VALUE_METADATA says; NULL: the value itself, always. */
const char *addresses_kind(LLVMValueRef recorded);
/* The recorded program appends them, marked by PASS_VALUE_METADATA, to its log (include/rethread/instrument.h). */
void addresses_record(LLVMModuleRef m, const struct sharing *sharing, const struct values *recorded);
/* Is it one that is read, not memory? */
bool addresses_is_read(LLVMValueRef recorded);
/* Marked by PASS_OFTEN_METADATA? */
bool addresses_is_often(LLVMValueRef recorded);
/*
 * Before that: functions that record what they read get a second version without, for threads that record no values any more
 * (versions.c), or none of those that come often: what these versions record all the same is added to `kept`. `log` is __rethread_values.
 */
void versions_make(LLVMModuleRef m, const struct sharing *sharing, const struct values *recorded, LLVMValueRef log, struct values *kept);
/* A table of where the symbols lie, so that addresses in the log can be told. */
void addresses_places(LLVMModuleRef m, const struct values *symbols);

/* stripes.c: may this lock of `size` bytes, the operand of a call, be one that is chosen by a number from an array of locks? */
bool stripes_has(LLVMValueRef lock, unsigned size);

/*
 * Instructions that run with a lock held, whichever way control came there; knows the functions that take locks,
 * and the module's own ones around them. A guess: it does not ask which lock, but does not count one of an array of locks, nor, for
 * what writes, a lock for reading.
 */
struct locked;
struct locked *locked_analyze(LLVMModuleRef m);
bool locked_is(const struct locked *l, LLVMValueRef instruction, bool writes);
void locked_free(struct locked *l);

/*
 * May the read, a site, race with a write, or would it but for locks? Unlike the sharing analysis this may be wrong on either side: what the
 * answer is for makes up for it.
 */
struct may_race;
struct may_race *may_race_analyze(LLVMModuleRef m, struct sharing *sharing, const struct map *interposed);
enum race { RACE_NONE, RACE_LOCKED, RACE_FREE };
enum race may_race_with(struct may_race *r, LLVMValueRef read, LLVMTypeRef type);
void may_race_free(struct may_race *r);

#endif
