#include "instrument/fleets.h"

#include <llvm-c/Target.h>
#include <stdlib.h>

enum { DEPTH = 24, BEGIN = 0, END = 8 /* where a vector has its pointers */ };

struct fleets {
	const struct flow *flow;
	LLVMTargetDataRef layout;
	struct fleet {
		LLVMValueRef variable;
		bool is_array; /* else a vector */
	} *at;
	size_t n;
};

/* ---------------------------------------------------------------- pointers -------------------- */

/* How far behind `base` the pointer leads; -1: not known, or elsewhere. */
static int64_t offset_from(const struct fleets *f, LLVMValueRef pointer, LLVMValueRef base)
{
	int64_t sum = 0;
	while (pointer != base && LLVMIsAGetElementPtrInst(pointer)) {
		int64_t constant;
		uint64_t stride;
		llvm_pointer_offset(pointer, f->layout, &constant, &stride);
		if (stride)
			return -1;
		sum += constant;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer == base ? sum : -1;
}

static bool is_stored_at(const struct fleets *f, LLVMValueRef v, LLVMValueRef variable, int64_t offset)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == v && offset_from(f, LLVMGetOperand(user, 1), variable) == offset)
			return true;
	}
	return false;
}

/* Phis that were asked about on the way. */
struct asked {
	LLVMValueRef at[DEPTH];
	size_t n;
};

static bool is_new_phi(struct asked *a, LLVMValueRef v)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i] == v)
			return false;
	a->at[a->n++] = v;
	return true;
}

/* Is it what the vector has there, as far as its stores tell? In an array: its begin, or a place in it that is known. */
static bool is_bound(const struct fleets *f, const struct fleet *fleet, LLVMValueRef v, int64_t which, struct asked *asked)
{
	if (fleet->is_array) {
		int64_t offset = offset_from(f, v, fleet->variable);
		return which == BEGIN ? offset == 0 : offset > 0;
	}
	if (LLVMIsAConstantPointerNull(v))
		return true;
	if (LLVMIsALoadInst(v) && offset_from(f, LLVMGetOperand(v, 0), fleet->variable) == which)
		return true;
	if (is_stored_at(f, v, fleet->variable, which))
		return true;
	if (!LLVMIsAPHINode(v) || asked->n == DEPTH)
		return false;
	bool is_new = is_new_phi(asked, v);
	for (unsigned i = 0; is_new && i < LLVMCountIncoming(v); i++)
		if (!is_bound(f, fleet, LLVMGetIncomingValue(v, i), which, asked))
			return false;
	return true;
}

static bool is_begin(const struct fleets *f, const struct fleet *fleet, LLVMValueRef v)
{
	return is_bound(f, fleet, v, BEGIN, &(struct asked){0});
}

static bool is_end(const struct fleets *f, const struct fleet *fleet, LLVMValueRef v)
{
	return is_bound(f, fleet, v, END, &(struct asked){0});
}

/* Does it lead to an element, or behind the last one? */
static bool is_element(const struct fleets *f, const struct fleet *fleet, LLVMValueRef v, struct asked *asked)
{
	for (; LLVMIsAGetElementPtrInst(v) && !is_stored_at(f, v, fleet->variable, END); v = LLVMGetOperand(v, 0))
		;
	if (v == fleet->variable)
		return fleet->is_array;
	if (!fleet->is_array && !LLVMIsAPHINode(v))
		return is_begin(f, fleet, v) || is_end(f, fleet, v);
	if (!fleet->is_array && (is_stored_at(f, v, fleet->variable, BEGIN) || is_stored_at(f, v, fleet->variable, END)))
		return true;
	if (!LLVMIsAPHINode(v) || asked->n == DEPTH)
		return false;
	bool is_new = is_new_phi(asked, v);
	for (unsigned i = 0; is_new && i < LLVMCountIncoming(v); i++)
		if (!is_element(f, fleet, LLVMGetIncomingValue(v, i), asked))
			return false;
	return true;
}

/* Does the thread move there, from a variable in which it was made? */
static bool moves_into(const struct fleets *f, const struct fleet *fleet, LLVMValueRef handle)
{
	for (LLVMUseRef u = LLVMIsAAllocaInst(handle) ? LLVMGetFirstUse(handle) : NULL; u; u = LLVMGetNextUse(u)) {
		LLVMValueRef load = LLVMGetUser(u);
		for (LLVMUseRef s = LLVMIsALoadInst(load) ? LLVMGetFirstUse(load) : NULL; s; s = LLVMGetNextUse(s)) {
			LLVMValueRef store = LLVMGetUser(s);
			if (LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == load && is_element(f, fleet, LLVMGetOperand(store, 1), &(struct asked){0}))
				return true;
		}
	}
	return false;
}

const struct fleet *fleets_of(const struct fleets *f, LLVMValueRef handle)
{
	for (size_t i = 0; i < f->n; i++)
		if (handle != f->at[i].variable && (is_element(f, &f->at[i], handle, &(struct asked){0}) || moves_into(f, &f->at[i], handle)))
			return &f->at[i];
	return NULL;
}

/* In an array it is made where it lies, or is moved there; in a vector there is one more then. */
bool fleets_enters(const struct fleets *f, const struct fleet *fleet, LLVMValueRef handle, LLVMBasicBlockRef b)
{
	if (fleet->is_array && is_element(f, fleet, handle, &(struct asked){0}))
		return true;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAStoreInst(i))
			continue;
		LLVMValueRef from = LLVMGetOperand(i, 0), to = LLVMGetOperand(i, 1);
		bool moves = LLVMIsALoadInst(from) && LLVMGetOperand(from, 0) == handle && is_element(f, fleet, to, &(struct asked){0});
		if (moves || (!fleet->is_array && offset_from(f, to, fleet->variable) == END))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- gone ------------------------ */

static bool is_join(LLVMValueRef i)
{
	static const char *const names[] = {"_ZNSt6thread4joinEv"};
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	return callee && IS_NAMED(callee, names);
}

/* The way from the end of the block where what lies at the pointer, or near it, has no thread: `id == 0`. NULL: the block does not ask. */
static LLVMBasicBlockRef way_without(const struct fleets *f, LLVMBasicBlockRef b, LLVMValueRef pointer, LLVMBasicBlockRef *other)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
	LLVMValueRef asked = LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
	if (!asked || !LLVMIsAICmpInst(asked) || !LLVMIsALoadInst(LLVMGetOperand(asked, 0)) || !LLVMIsNull(LLVMGetOperand(asked, 1)) ||
	    offset_from(f, LLVMGetOperand(LLVMGetOperand(asked, 0), 0), pointer) < 0)
		return NULL;
	bool equal = LLVMGetICmpPredicate(asked) == LLVMIntEQ;
	if (!equal && LLVMGetICmpPredicate(asked) != LLVMIntNE)
		return NULL;
	*other = LLVMGetSuccessor(end, equal);
	return LLVMGetSuccessor(end, !equal);
}

static bool joins_here(const struct fleets *f, LLVMBasicBlockRef b, LLVMValueRef pointer)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		if (is_join(i) && offset_from(f, LLVMGetOperand(i, 0), pointer) >= 0)
			return true;
	return false;
}

/* Is the element joined in each round, or found to have no thread? */
static bool is_done(const struct fleets *f, const struct loop *l, LLVMValueRef pointer)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(l->header)); b; b = LLVMGetNextBasicBlock(b)) {
		if (!map_get(&l->in, b) || !flow_dominates(f->flow, b, l->latch))
			continue;
		LLVMBasicBlockRef other;
		if (joins_here(f, b, pointer))
			return true;
		if (way_without(f, b, pointer, &other) && (joins_here(f, other, pointer) || LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(other))))
			return true;
	}
	return false;
}

/* The pointer that goes through all elements, from the first on, where `v` is what it will be next, or is now at the head of its loop. */
static LLVMValueRef running_pointer(const struct fleets *f, const struct fleet *fleet, const struct loop *l, LLVMValueRef v)
{
	LLVMValueRef phi = LLVMIsAGetElementPtrInst(v) ? LLVMGetOperand(v, 0) : v;
	if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != l->header || LLVMCountIncoming(phi) != 2)
		return NULL;
	bool from_latch = LLVMGetIncomingBlock(phi, 0) == l->latch;
	LLVMValueRef next = LLVMGetIncomingValue(phi, !from_latch);
	bool steps = LLVMGetIncomingBlock(phi, !from_latch) == l->latch && LLVMIsAGetElementPtrInst(next) && LLVMGetOperand(next, 0) == phi;
	return steps && (v == phi || v == next) && is_begin(f, fleet, LLVMGetIncomingValue(phi, from_latch)) ? phi : NULL;
}

bool fleets_are_gone(const struct fleets *f, const struct fleet *fleet, LLVMValueRef end, unsigned successor)
{
	LLVMValueRef asked = LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
	if (!asked || !LLVMIsAICmpInst(asked))
		return false;
	LLVMIntPredicate p = LLVMGetICmpPredicate(asked);
	if ((p != LLVMIntEQ && p != LLVMIntNE) || successor != (p == LLVMIntNE))
		return false;
	const struct loop *l = flow_loop(f->flow, LLVMGetInstructionParent(end));
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef v = LLVMGetOperand(asked, k);
		if (!is_end(f, fleet, LLVMGetOperand(asked, !k)) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
			continue;
		LLVMValueRef pointer = l ? running_pointer(f, fleet, l, v) : NULL;
		bool is_left = pointer && !map_get(&l->in, LLVMGetSuccessor(end, successor));
		if (is_left ? is_done(f, l, pointer) : !pointer && is_begin(f, fleet, v))
			return true;
	}
	return false;
}

LLVMValueRef fleets_call(const struct fleets *f, const struct fleet *fleet, LLVMBasicBlockRef b)
{
	(void)f;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = LLVMIsACallInst(i) ? direct_callee(i) : NULL;
		bool destroys = callee && (name_begins(callee, "_ZNSt6vectorISt6threadSaIS0_EED") || name_begins(callee, "_ZNSt6vectorISt7jthreadSaIS0_EED"));
		if (destroys && LLVMGetOperand(i, 0) == fleet->variable)
			return i;
	}
	return NULL;
}

/* ---------------------------------------------------------------- all ------------------------- */

static bool detaches(LLVMModuleRef m)
{
	LLVMValueRef detach = LLVMGetNamedFunction(m, "_ZNSt6thread6detachEv");
	return detach && LLVMGetFirstUse(detach);
}

struct fleets *fleets_find(const struct flow *flow, LLVMValueRef function)
{
	LLVMModuleRef m = LLVMGetGlobalParent(function);
	struct fleets *f = pass_alloc(1, sizeof *f);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	size_t cap = 0;
	*f = (struct fleets){.flow = flow, .layout = LLVMGetModuleDataLayout(m)};
	if (!LLVMGetNamedFunction(m, "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE") || detaches(m))
		return f;
	for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAAllocaInst(i))
			continue;
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(i));
		uint64_t size = LLVMABISizeOfType(f->layout, LLVMGetAllocatedType(i));
		if (f->n == cap)
			f->at = pass_grow(f->at, &cap, sizeof *f->at);
		if (kind == LLVMArrayTypeKind || (kind == LLVMStructTypeKind && size == 3 * sizeof(void *)))
			f->at[f->n++] = (struct fleet){i, kind == LLVMArrayTypeKind};
	}
	return f;
}

void fleets_free(struct fleets *f)
{
	if (f)
		free(f->at);
	free(f);
}
