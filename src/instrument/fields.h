/*
 * What a site accesses in the source's words: of which structure, and how far into it.
 *
 *     struct fields *f = fields_new(m);
 *     struct field field;
 *     if (fields_find(f, load, false, &field)) ...      // e->check: name "edition", offset 40, size 96
 *     fields_free(f);
 */
#ifndef RETHREAD_FIELDS_H
#define RETHREAD_FIELDS_H

#include "instrument/pass.h"

struct fields;

enum { FIELD_NAME = 96 };

/* A structure; or, where `is_array` is set, numbers of `size` bytes behind a pointer, of which only `text`, what holds it, is known besides. */
struct field {
	LLVMMetadataRef type;
	const char *name;     /* of the structure, or of the typedef for it; NULL when it has none */
	const char *variable; /* the local variable that is accessed itself; NULL when it is memory behind a pointer */
	uint64_t size;        /* of the structure, bytes */
	uint64_t offset;      /* of the access in it */
	unsigned line;        /* of its declaration */
	bool of_library;      /* in namespace std */
	bool is_array, is_local; /* is_local: the pointer is in a local variable */
	char text[FIELD_NAME];   /* "hist.bins" */
};

struct fields *fields_new(LLVMModuleRef m);
void fields_free(struct fields *f);

/*
 * Of a call that allocates: what the block is for, at offset 0. False: it is not known, there is no debug information, or a global variable is
 * accessed, which has a name.
 */
bool fields_find(const struct fields *f, LLVMValueRef site, bool allocates, struct field *field);

/* The largest structure of the program's own that has the byte at the pointer, which may be a local variable. False: none is known. */
bool fields_around(const struct fields *f, LLVMValueRef pointer, struct field *field);

/* How far a getelementptr is from its pointer (llvm_pointer_offset). */
void fields_offset(const struct fields *f, LLVMValueRef gep, int64_t *constant, uint64_t *stride);

#endif
