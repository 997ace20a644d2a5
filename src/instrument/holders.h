/*
 * Whose memory a site accesses where only a library knows what lies there: nodes of maps, elements of vectors. What the program calls that is the
 * container: a member of a structure of its own, or a variable.
 *
 *     struct holder h;
 *     if (holders_find(fields, load, &h)) ...      // it->second: of Bank, at the offset of `accounts`
 */
#ifndef RETHREAD_HOLDERS_H
#define RETHREAD_HOLDERS_H

#include "instrument/fields.h"

/* A place in a structure or local variable; or, where `variable` is set, in that global variable. */
struct holder {
	struct field field;
	LLVMValueRef variable;
	uint64_t offset; /* in the variable */
	uint64_t element; /* bytes of one, of a std::vector of numbers or pointers; 0: of anything else */
	bool itself;     /* it is what is accessed, not something that it has elsewhere: a std::atomic */
	bool any;        /* an element of an array that lies there, which one is not known */
};

/* Of a site; of the call of a library's function: what that is called on. False: it is not known. */
bool holders_find(const struct fields *f, LLVMValueRef site, struct holder *h);
bool holders_find_called(const struct fields *f, LLVMValueRef call, struct holder *h);

#endif
