/*
 * What is known of memory, for recompute.c: flags of members of objects (pointsto.h), and of classes (classes.h) where a pointer's objects
 * are not all known. Flags are only ever added.
 */
#ifndef RETHREAD_CONTENTS_H
#define RETHREAD_CONTENTS_H

#include "instrument/pointsto.h"

/* A pointer, and what is accessed where it leads (members.h). */
struct place {
	LLVMValueRef pointer;
	uint32_t member;
};

struct contents;
/* Nothing is flagged, but the world. One at a time for each `sharing`, whose classes have the flags. */
struct contents *contents_new(struct sharing *sharing);
void contents_free(struct contents *c);

/* enum class_flag; *cause: of CLASS_UNKNOWN (why.h), or 0. */
unsigned contents_flags(const struct contents *c, struct place at, uint32_t *cause);
/* These two return whether anything changed. cause: 0 where the flags do not say that something is unknown. */
bool contents_flag(struct contents *c, struct place at, unsigned flags, uint32_t cause);
/* What is so of members of these objects is so where they are copied to. */
bool contents_copy(struct contents *c, const struct bits *objects, LLVMValueRef to);

#endif
