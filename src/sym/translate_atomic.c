/* Atomic operations and fences. */
#include "sym/translate_internal.h"

static unsigned atomic_width(struct tr *t, LLVMTypeRef type)
{
	unsigned width = (unsigned)LLVMSizeOfTypeInBits(t->layout, type);
	if (width > 64 || width % 8)
		cannot(t, "an atomic operation on %u bits", width);
	return width;
}

void translate_atomic(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 1)));
	reg address = value_reg(t, LLVMGetOperand(i, 0)), value = value_reg(t, LLVMGetOperand(i, 1));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, value);
	pool_word(t, LLVMGetAtomicRMWBinOp(i));
	emit(t, OP_ATOMIC, width, define(t, i), address, list);
}

bool is_exchange(struct tr *t, LLVMValueRef store)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	return LLVMGetOrdering(store) == LLVMAtomicOrderingSequentiallyConsistent && site_of(t, store) &&
	       LLVMSizeOfTypeInBits(t->layout, type) <= 64 && LLVMSizeOfTypeInBits(t->layout, type) % 8 == 0;
}

void translate_exchange(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 0)));
	reg address = value_reg(t, LLVMGetOperand(i, 1)), value = value_reg(t, LLVMGetOperand(i, 0));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, value);
	pool_word(t, LLVMAtomicRMWBinOpXchg);
	emit(t, OP_ATOMIC, width, new_temp(t), address, list);
}

/* Weaker fences than sequentially consistent ones are no instructions here: they only bind the compiler. */
void translate_fence(struct tr *t, LLVMValueRef i)
{
	bool full = LLVMGetOrdering(i) == LLVMAtomicOrderingSequentiallyConsistent && !LLVMIsAtomicSingleThread(i);
	emit(t, full ? OP_FENCE : OP_PASS, 0, site_of(t, i), 0, 0);
}

void translate_cmpxchg(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 1)));
	reg address = value_reg(t, LLVMGetOperand(i, 0));
	reg expected = value_reg(t, LLVMGetOperand(i, 1)), value = value_reg(t, LLVMGetOperand(i, 2));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, expected);
	pool_reg(t, value);
	emit(t, OP_CMPXCHG, width, define(t, i), address, list);
}
