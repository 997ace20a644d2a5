/* What is known of an access to memory without running it: points-to class, named variable, size, strict aliasing. */
#ifndef RETHREAD_ACCESS_H
#define RETHREAD_ACCESS_H

#include "instrument/shared.h"

/* Zero or NULL: not known, anything. */
struct access {
	uint32_t class;
	LLVMValueRef object;     /* the variable itself */
	LLVMValueRef base, type; /* strict aliasing: struct and member's type, or the type twice */
	uint64_t offset;         /* in base */
	uint64_t size;
	bool locked; /* by a lock; for mayrace.c, which sets it */
};

/* Of instruction i through the pointer; `type` of what is read or written, NULL if that is not one value. */
struct access access_describe(struct sharing *sharing, LLVMValueRef i, LLVMValueRef pointer, LLVMTypeRef type);
/* The same is known of both. */
bool access_same(const struct access *a, const struct access *b);
/* May two accesses of one class be of the same memory? */
bool access_may_alias(const struct access *a, const struct access *b);
bool access_is_vtable(const struct access *a);
/* Does the instruction read an object's pointer to its virtual table, or write it? */
bool access_is_of_vtable(LLVMValueRef i);

#endif
