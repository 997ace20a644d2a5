/*
 * Why branches are recorded, for `rethread analyze --why`.
 *
 * recompute.c spreads what is unknown from where it comes from; a cause is such a place, and what became unknown
 * because of it has its number. Of several causes it is the one that came first.
 */
#ifndef RETHREAD_WHY_H
#define RETHREAD_WHY_H

#include <llvm-c/Core.h>
#include <stdint.h>

enum why {
	WHY_SHARED,    /* memory that another thread may write */
	WHY_VOLATILE,  /* an atomic or volatile access */
	WHY_RESULT,    /* of a call that leaves the module, or of an indirect one */
	WHY_WRITTEN,   /* memory that such a call may have written to */
	WHY_PARAMETER, /* of a function that others may call */
	WHY_ADDRESS,   /* the bits of an address, or which of two is larger */
	WHY_UNDEFINED, /* nobody wrote it */
	WHY_INEXACT,   /* an operation that the executor does not do as the machine did */
	WHY_PROGRESS,  /* it is known; the log would not say how far the thread came (progress.c) */
	WHY_KINDS
};

struct cause {
	enum why why;
	LLVMValueRef root; /* an instruction, a parameter or a constant */
};

struct causes {
	struct cause *at; /* numbered from 1, as map numbers are */
	size_t n, cap;
	struct map of; /* their numbers */
};

/* The number of the cause, the same for the same. */
uint32_t cause_add(struct causes *c, enum why why, LLVMValueRef root);
void causes_free(struct causes *c);

/* "shared memory", "what read returned": in memory of its own, valid until the next call. */
const char *cause_text(const struct cause *c);

#endif
