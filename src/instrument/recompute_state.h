/* What the files of recompute.c share: recompute_calls.c is what calls do. */
#ifndef RETHREAD_RECOMPUTE_STATE_H
#define RETHREAD_RECOMPUTE_STATE_H

#include "instrument/contents.h"
#include "instrument/recompute.h"
#include "instrument/visits.h"

struct recompute {
	LLVMModuleRef module;
	struct sharing *sharing;
	struct map unknown; /* instructions and arguments; functions: their result. Their causes (why.h) */
	struct contents *contents;
	struct map flagged; /* stores and calls: the flags that they have given to memory, + 1 */
	struct map inputs;         /* functions: their lines (given.h) */
	struct map defined;        /* freeze instructions (frozen.h) */
	struct map places;         /* comparisons of two places that are counted on from one */
	bool sends_addresses, may_send; /* the program may hear of them later; from the start */
	bool handles_signals;
	struct values sources;     /* parameters, and variables that are read before they are written: unknown from the start */
	const struct map *assumed; /* values that are taken to be known; NULL: none */
	struct causes causes;
	struct visits *visits;
};

static inline bool is_pointer_type(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static inline struct place anywhere(LLVMValueRef pointer)
{
	return (struct place){pointer, MEMBER_ANY};
}

bool recompute_is_known(const struct recompute *r, LLVMValueRef v);
void recompute_make_unknown(struct recompute *r, LLVMValueRef v, uint32_t cause);
/* Of a value that is not known. */
uint32_t recompute_cause_of(struct recompute *r, LLVMValueRef v);

/* Is what is stored where this known pointer leads known? */
bool recompute_are_contents_known(const struct recompute *r, struct place at);
/* Of what is stored there, which is not known. */
uint32_t recompute_cause_of_contents(struct recompute *r, struct place at, LLVMValueRef reader);
/* May memory there hold pointers? Their bits are unknown. */
bool recompute_may_hold_pointers(const struct recompute *r, struct place at);
/* cause: of what is unknown there now; 0 where `flags` do not say that. Once: once for each instruction, all it says then. */
void recompute_flag(struct recompute *r, struct place at, unsigned flags, uint32_t cause);
void recompute_flag_once(struct recompute *r, LLVMValueRef i, struct place at, unsigned flags, uint32_t cause);
void recompute_visit_copy(struct recompute *r, LLVMValueRef call);
void recompute_visit_fill(struct recompute *r, LLVMValueRef call);

/* What a call does to memory and to parameters; returns whether its result is known. */
bool recompute_visit_call(struct recompute *r, LLVMValueRef call);
/* Code that we do not see may write to what its arguments lead to. */
void recompute_visit_arguments(struct recompute *r, LLVMValueRef call);

#endif
