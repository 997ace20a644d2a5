/*
 * Members of structures, as strict aliasing tells them apart (LLVM's TBAA).
 *
 * A member is a structure and an offset in it, both of the innermost structure, with the type of what is there; a type alone where
 * nothing is said of a structure; of pointers also with the place in the whole object, where that is known: what a lambda of a thread has captured; MEMBER_BYTES: single characters; or MEMBER_ANY: nothing is known.
 *
 * Characters may be of anything. Still they are taken not to be those of pointers that are members of structures: arrays of characters
 * beside pointers are everywhere, and programs that look at the bytes of a pointer mostly have it in a variable of its own.
 */
#ifndef RETHREAD_MEMBERS_H
#define RETHREAD_MEMBERS_H

#include "instrument/pass.h"

enum { MEMBER_ANY, MEMBER_BYTES, MEMBERS };

struct members {
	struct map of;      /* an access tag: its member, + 1 */
	struct map numbers; /* accesses: member_is_number, 1 or 2; none: not asked yet */
	struct member {
		LLVMValueRef structure; /* NULL: none */
		uint64_t offset;
		LLVMValueRef type;
		LLVMValueRef root; /* of the language's types: C and C++ have different ones, and may mean the same */
		bool is_pointer, is_table; /* is_table: of virtual functions */
		bool is_inside; /* of some structure, the optimiser does not say which */
		bool is_placed; /* it is known where it lies in the whole object: */
		uint64_t place;
	} *at;
	size_t n, cap;
};

/* Of a scalar type of strict aliasing: the end of the way to its parents. NULL: it is no such type. */
LLVMValueRef member_root(LLVMValueRef type);
void members_free(struct members *m);
/* The number of such a member, a new one where there is none yet. */
uint32_t members_number(struct members *m, const struct member *member);
/* What a load, store or atomic accesses. Numbers are small. */
uint32_t member_of(struct members *m, LLVMValueRef access);
/*
 * Is it one of a union's numbers, or one of which nothing is known, and no address by its use: counted with, not hashed? Such a one is not taken for a pointer's bytes
 * either, of a pointer that is a member of a structure.
 */
bool member_is_number(struct members *m, LLVMValueRef access);
/* May accesses to both be of the same bytes of an object? */
bool members_alias(const struct members *m, uint32_t a, uint32_t b);
/* The same, also where a C program takes a structure for another one that begins like it. */
bool members_are_alike(const struct members *m, uint32_t a, uint32_t b);

#endif
