/*
 * Intrinsics, inside: what the handlers of both files share.
 */
#ifndef RETHREAD_TRANSLATE_INTRINSIC_H
#define RETHREAD_TRANSLATE_INTRINSIC_H

#include "sym/translate_internal.h"

/* What a handler works on: one call, with its operands. */
struct work {
	struct tr *t;
	LLVMValueRef i;
	const char *name;
	int param;
	LLVMTypeRef type;    /* of the result, or of the first operand when that is void */
	LLVMTypeRef element; /* of it */
	unsigned n;          /* elements */
	unsigned width;      /* of an element, when an integer or pointer; bits of a float */
};

static inline const reg *arg(struct work *w, unsigned k)
{
	return value_regs(w->t, LLVMGetOperand(w->i, k));
}

static inline LLVMTypeRef arg_type(struct work *w, unsigned k)
{
	return LLVMTypeOf(LLVMGetOperand(w->i, k));
}

static inline void narrow_only(struct work *w)
{
	if (w->width > 64)
		cannot(w->t, "the intrinsic %s on %u bits", w->name, w->width);
}

typedef void intrinsic_handler(struct work *w);
/* translate_vector.c */
intrinsic_handler do_math, do_frexp, do_fabs, do_fma, do_fpclass, do_reduce, do_float_reduce,
	do_float_minmax_reduce, do_masked_load, do_masked_store, do_subvector;

#endif
