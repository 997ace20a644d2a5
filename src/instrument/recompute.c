/*
 * Which branches inference can recompute (design §4, Paths).
 *
 * The symbolic executor runs the same module on memory of its own process, along the recorded path. A value is
 * *known* when it computes it exactly as the recorded run did, whatever other threads did: made from
 * constants by arithmetic, chosen by phis (the path is known), passed through memory that only one thread
 * touches, through parameters and results of functions whose callers are all known. Unknown is what comes from
 * shared memory, from outside of the module, from memory nobody initialised, and what shows the bits of
 * an address, which differ from run to run. A pointer is known when it leads to the same place of the same object;
 * its bits never are.
 *
 * The analysis assumes everything to be known and spreads the unknown until nothing changes: over values, over the
 * members of objects that pointsto.c found, over results of functions. Of memory whose objects are not all known, over the classes that
 * shared.c found (CLASS_UNKNOWN: what its objects hold).
 */
#include "instrument/recompute_state.h"

#include "instrument/exact.h"
#include "instrument/frozen.h"
#include "instrument/given.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- values ---------------------- */

static bool holds_pointer(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return true;
	case LLVMVectorTypeKind:
	case LLVMArrayTypeKind:
		return holds_pointer(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (holds_pointer(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return false;
	}
}

static bool are_operands_known(const struct recompute *r, LLVMValueRef v)
{
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		if (!recompute_is_known(r, LLVMGetOperand(v, (unsigned)i)))
			return false;
	return true;
}

static bool is_constant_known(const struct recompute *r, LLVMValueRef v)
{
	if (LLVMIsUndef(v)) /* poison, too: machine code need not agree with anybody */
		return false;
	if (LLVMIsAConstantExpr(v)) /* constant numbers in the place of pointers, too */
		return (LLVMGetConstOpcode(v) == LLVMGetElementPtr || LLVMGetConstOpcode(v) == LLVMIntToPtr) && are_operands_known(r, v);
	if (LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) || LLVMIsAConstantVector(v))
		return are_operands_known(r, v);
	return LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAConstantPointerNull(v) ||
	       LLVMIsAConstantAggregateZero(v) || LLVMIsAConstantDataArray(v) || LLVMIsAConstantDataVector(v) ||
	       LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v) || LLVMIsAGlobalAlias(v);
}

bool recompute_is_known(const struct recompute *r, LLVMValueRef v)
{
	if (LLVMIsAInstruction(v) || LLVMIsAArgument(v))
		return !map_get(&r->unknown, v);
	return LLVMIsConstant(v) && is_constant_known(r, v);
}

void recompute_make_unknown(struct recompute *r, LLVMValueRef v, uint32_t cause)
{
	if (map_get(&r->unknown, v) || (r->assumed && map_get(r->assumed, v)))
		return;
	map_set(&r->unknown, v, cause);
	visits_value(r->visits, v);
}

/* Of a value that is not known. */
uint32_t recompute_cause_of(struct recompute *r, LLVMValueRef v)
{
	uint32_t cause = map_get(&r->unknown, v);
	if (cause)
		return cause;
	return cause_add(&r->causes, LLVMIsUndef(v) ? WHY_UNDEFINED : WHY_ADDRESS, v);
}

/* Of one of these operands, the first that is not known; 0: all are. */
static uint32_t cause_among(struct recompute *r, LLVMValueRef i, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (!recompute_is_known(r, LLVMGetOperand(i, k)))
			return recompute_cause_of(r, LLVMGetOperand(i, k));
	return 0;
}

/* ---------------------------------------------------------------- memory ---------------------- */

static struct place accessed(const struct recompute *r, LLVMValueRef access, LLVMValueRef pointer)
{
	uint32_t member = points_to_member(r->sharing->points_to, access);
	return (struct place){pointer, member == MEMBER_ANY && points_to_is_number(r->sharing->points_to, access) ? MEMBER_BYTES : member};
}

static unsigned flags_of(const struct recompute *r, struct place at)
{
	uint32_t cause;
	return contents_flags(r->contents, at, &cause);
}

/* cause: of what is unknown there now; 0 where `flags` do not say that. */
void recompute_flag(struct recompute *r, struct place at, unsigned flags, uint32_t cause)
{
	if (contents_flag(r->contents, at, flags, cause))
		visits_memory(r->visits);
}

/* The same, once for each instruction: all it says then. */
void recompute_flag_once(struct recompute *r, LLVMValueRef i, struct place at, unsigned flags, uint32_t cause)
{
	uint32_t had = map_get(&r->flagged, i);
	if (had && ((had - 1) & flags) == flags)
		return;
	map_set(&r->flagged, i, ((had ? had - 1 : 0) | flags) + 1);
	recompute_flag(r, at, flags, cause);
}

/* Of what is stored there, which is not known. */
uint32_t recompute_cause_of_contents(struct recompute *r, struct place at, LLVMValueRef reader)
{
	uint32_t cause;
	contents_flags(r->contents, at, &cause);
	return cause && !sharing_may_be_shared(r->sharing, at.pointer, at.member) ? cause : cause_add(&r->causes, WHY_SHARED, reader);
}

static bool is_constant_variable(LLVMValueRef v)
{
	return LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v) && LLVMGetInitializer(v);
}

/* Is what is stored where this known pointer leads known? */
bool recompute_are_contents_known(const struct recompute *r, struct place at)
{
	return is_constant_variable(address_base(at.pointer)) ||
	       (!sharing_may_be_shared(r->sharing, at.pointer, at.member) && !(flags_of(r, at) & CLASS_UNKNOWN));
}

/* May memory there hold pointers? Their bits are unknown. */
bool recompute_may_hold_pointers(const struct recompute *r, struct place at)
{
	LLVMValueRef base = address_base(at.pointer);
	if (is_constant_variable(base))
		return class_of(r->sharing, LLVMGetInitializer(base)) != CLASS_NONE;
	return flags_of(r, at) & CLASS_POINTERS;
}

/*
 * A variable outside of functions that a thread looks at again and again is mostly waited for: the branches of such a loop are places at which a
 * signal's handler can run (src/rt/caught.c).
 */
static bool is_polled(const struct recompute *r, LLVMValueRef load)
{
	return LLVMGetVolatile(load) && r->handles_signals && !LLVMIsAAllocaInst(address_base(LLVMGetOperand(load, 0)));
}

/* Whatever is there, pointers or numbers, is only stored elsewhere. */
static bool is_only_copied(LLVMValueRef load)
{
	for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u))
		if (!LLVMIsAStoreInst(LLVMGetUser(u)) || LLVMGetOperand(LLVMGetUser(u), 0) != load)
			return false;
	return true;
}

static bool is_load_known(const struct recompute *r, LLVMValueRef i)
{
	LLVMValueRef pointer = LLVMGetOperand(i, 0);
	if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic || is_polled(r, i) || !recompute_is_known(r, pointer))
		return false;
	struct place at = accessed(r, i, pointer);
	return recompute_are_contents_known(r, at) &&
	       (is_pointer_type(LLVMTypeOf(i)) || !recompute_may_hold_pointers(r, at) || !llvm_may_copy_pointer(i) || is_only_copied(i));
}

static void visit_store(struct recompute *r, LLVMValueRef i)
{
	LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
	struct place at = accessed(r, i, pointer);
	if (LLVMIsAPtrToIntInst(value)) /* a pointer, which the optimiser stores as the number that it is: whoever reads numbers there does not know it */
		value = LLVMGetOperand(value, 0);
	uint32_t cause = recompute_is_known(r, value) ? 0 : recompute_cause_of(r, value);
	if (!cause && !recompute_is_known(r, pointer))
		cause = recompute_cause_of(r, pointer);
	if (cause)
		recompute_flag_once(r, i, at, CLASS_UNKNOWN, cause);
	bool copies = LLVMIsALoadInst(value) && is_only_copied(value) && recompute_may_hold_pointers(r, accessed(r, value, LLVMGetOperand(value, 0)));
	if (copies || holds_pointer(LLVMTypeOf(value)))
		recompute_flag_once(r, i, at, CLASS_POINTERS, 0);
}

void recompute_visit_copy(struct recompute *r, LLVMValueRef call)
{
	LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
	const struct bits *objects = points_to_all(r->sharing->points_to, from);
	uint32_t cause = cause_among(r, call, 3);
	bool own = objects && !is_constant_variable(address_base(from)) && !sharing_may_be_shared(r->sharing, from, MEMBER_ANY);
	if (own && contents_copy(r->contents, objects, to))
		visits_memory(r->visits);
	if (!cause && !own && !recompute_are_contents_known(r, anywhere(from)))
		cause = recompute_cause_of_contents(r, anywhere(from), call);
	if (cause)
		recompute_flag(r, anywhere(to), CLASS_UNKNOWN, cause);
	if (!own && recompute_may_hold_pointers(r, anywhere(from)))
		recompute_flag(r, anywhere(to), CLASS_POINTERS, 0);
}

void recompute_visit_fill(struct recompute *r, LLVMValueRef call)
{
	uint32_t cause = cause_among(r, call, 3);
	if (cause)
		recompute_flag(r, anywhere(LLVMGetOperand(call, 0)), CLASS_UNKNOWN, cause);
}

/* ---------------------------------------------------------------- instructions ---------------- */

static bool is_in_entry(LLVMValueRef i)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(i);
	return b == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(b));
}

/* Comparing two places of one object shows nothing of its address. */
static bool compares_places(const struct recompute *r, LLVMValueRef i)
{
	if (map_get(&r->places, i))
		return true;
	LLVMValueRef a = llvm_object_of(LLVMGetOperand(i, 0)), b = llvm_object_of(LLVMGetOperand(i, 1));
	if (a != b)
		return false;
	/* An instruction that is executed again may give another pointer, while the older one is still around. */
	return LLVMIsAAllocaInst(a) || LLVMIsAGlobalVariable(a) || LLVMIsAArgument(a) ||
	       (LLVMIsAInstruction(a) && is_in_entry(a));
}

/*
 * Whether known pointers are the same, and how far apart, is the same in every run: they lead to the same places. Not so where a
 * block may have grown: whether it has moved is the allocator's affair.
 */
static bool may_have_moved(const struct recompute *r, LLVMValueRef pointer)
{
	return flags_of(r, anywhere(pointer)) & CLASS_MOVES;
}

/* NULL is another matter: an allocation that fails is known by the branch on it only. */
static bool may_have_failed(const struct recompute *r, LLVMValueRef pointer)
{
	return !LLVMIsNull(pointer) && !points_to_never_fails(r->sharing->points_to, pointer);
}

static bool is_number_for_pointer(LLVMValueRef v)
{
	return LLVMIsAIntToPtrInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr);
}

static bool compares_objects(const struct recompute *r, LLVMValueRef i)
{
	LLVMIntPredicate p = LLVMGetICmpPredicate(i);
	if (p != LLVMIntEQ && p != LLVMIntNE)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef v = LLVMGetOperand(i, k);
		if ((LLVMIsNull(v) && may_have_failed(r, LLVMGetOperand(i, !k))) || is_number_for_pointer(v) || may_have_moved(r, v))
			return false;
	}
	return true;
}

/* The distance of two pointers, which are into one object, or their difference is not defined. The optimiser adds constants before: (p - 8) - q. */
static bool is_distance_known(const struct recompute *r, LLVMValueRef sub)
{
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef v = LLVMGetOperand(sub, k);
		if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
			v = LLVMGetOperand(v, 0);
		if (!LLVMIsAPtrToIntInst(v) || !recompute_is_known(r, LLVMGetOperand(v, 0)) || may_have_moved(r, LLVMGetOperand(v, 0)))
			return false;
	}
	return true;
}

/* Vectors and aggregates are built up from nothing: what is not there yet is not read. */
static bool is_built_known(const struct recompute *r, LLVMValueRef i)
{
	int bases = LLVMIsAShuffleVectorInst(i) ? 2 : 1;
	for (int k = 0; k < LLVMGetNumOperands(i); k++) {
		LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
		if (!recompute_is_known(r, v) && !(k < bases && LLVMIsUndef(v)))
			return false;
	}
	return true;
}

static bool is_result_known(struct recompute *r, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		return true;
	case LLVMLoad:
		return is_load_known(r, i);
	case LLVMCall:
	case LLVMInvoke:
		return recompute_visit_call(r, i);
	case LLVMICmp:
		if (is_pointer_type(LLVMTypeOf(LLVMGetOperand(i, 0))) && !compares_places(r, i) && !compares_objects(r, i))
			return false;
		return are_operands_known(r, i);
	case LLVMInsertValue:
	case LLVMInsertElement:
	case LLVMShuffleVector:
		return is_built_known(r, i);
	case LLVMPHI:
		/* What has no value on some way here is not branched on there; else the program's behaviour is not defined. */
		for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
			if (!LLVMIsUndef(LLVMGetIncomingValue(i, k)) && !recompute_is_known(r, LLVMGetIncomingValue(i, k)))
				return false;
		return true;
	case LLVMSub:
		return are_operands_known(r, i) || is_distance_known(r, i);
	case LLVMAdd: case LLVMMul: case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem:
	case LLVMAnd: case LLVMOr: case LLVMXor:
	case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMBitCast:
	case LLVMGetElementPtr:
		return are_operands_known(r, i) || (pointer_by_distance(i) && recompute_is_known(r, LLVMGetOperand(i, 0)) && recompute_is_known(r, pointer_by_distance(i)));
	case LLVMSelect: case LLVMExtractValue: case LLVMExtractElement:
		return are_operands_known(r, i);
	case LLVMIntToPtr: /* numbers in the place of pointers, and back */
		return is_no_address(i) || (points_to_nothing(r->sharing->points_to, i) && are_operands_known(r, i));
	case LLVMPtrToInt:
		return points_to_nothing(r->sharing->points_to, LLVMGetOperand(i, 0)) && are_operands_known(r, i);
	case LLVMFreeze: /* made where what is branched on may be what nobody has written */
		return map_get(&r->defined, i) && are_operands_known(r, i);
	case LLVMShl: case LLVMLShr: case LLVMAShr: /* too far a shift of several at a time is what the machine makes of it */
		return are_operands_known(r, i) && (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind || llvm_shifts_in_range(i));
	case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFRem: case LLVMFNeg: case LLVMFCmp:
	case LLVMSIToFP: case LLVMUIToFP: case LLVMFPExt: case LLVMFPTrunc:
		return are_operands_known(r, i) && !llvm_is_relaxed_float(i);
	case LLVMFPToSI: case LLVMFPToUI:
		return are_operands_known(r, i) && exact_conversion(i);
	default: /* atomics, landing pads, va_arg, bits of pointers, and what is not known here */
		return false;
	}
}

/* What an instruction without a result, or besides it, does to others. */
static void visit_effects(struct recompute *r, LLVMValueRef function, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
		visit_store(r, i);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		recompute_flag(r, accessed(r, i, LLVMGetOperand(i, 0)), CLASS_UNKNOWN, cause_add(&r->causes, WHY_VOLATILE, i));
		break;
	case LLVMCallBr:
		recompute_visit_arguments(r, i);
		break;
	case LLVMRet:
		if (LLVMGetNumOperands(i) && !recompute_is_known(r, LLVMGetOperand(i, 0)))
			recompute_make_unknown(r, function, recompute_cause_of(r, LLVMGetOperand(i, 0)));
		break;
	default:
		break;
	}
}

/* Nothing that it is made of is unknown: then it is the cause itself. */
static uint32_t own_cause(struct recompute *r, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic || is_polled(r, i) ||
		    (LLVMGetVolatile(i) && sharing_access_may_be_shared(r->sharing, i, LLVMGetOperand(i, 0))))
			return cause_add(&r->causes, WHY_VOLATILE, i);
		if (!recompute_are_contents_known(r, accessed(r, i, LLVMGetOperand(i, 0))))
			return recompute_cause_of_contents(r, accessed(r, i, LLVMGetOperand(i, 0)), i);
		return cause_add(&r->causes, WHY_ADDRESS, i);
	case LLVMCall:
	case LLVMInvoke: {
		LLVMValueRef callee = direct_callee(i);
		uint32_t cause = callee ? map_get(&r->unknown, callee) : 0;
		return cause ? cause : cause_add(&r->causes, WHY_RESULT, i);
	}
	case LLVMICmp:
	case LLVMPtrToInt:
		return cause_add(&r->causes, WHY_ADDRESS, i);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return cause_add(&r->causes, WHY_VOLATILE, i);
	default:
		return cause_add(&r->causes, WHY_INEXACT, i);
	}
}

static uint32_t cause_of_result(struct recompute *r, LLVMValueRef i)
{
	uint32_t cause = 0;
	/* A number comes into being there, which an anchor can tell. */
	if (pointer_is_distance(i)) {
		cause = cause_among(r, LLVMGetOperand(i, 0), 1);
		cause = cause ? cause : cause_among(r, LLVMGetOperand(i, 1), 1);
		return cause ? cause_add(&r->causes, r->causes.at[cause - 1].why, i) : own_cause(r, i);
	}
	/* Of the memory of others it does not matter where it is read. */
	if (LLVMIsALoadInst(i) && sharing_access_may_be_shared(r->sharing, i, LLVMGetOperand(i, 0)))
		return own_cause(r, i);
	if (LLVMIsAPHINode(i)) {
		for (unsigned k = 0; k < LLVMCountIncoming(i) && !cause; k++)
			if (!LLVMIsUndef(LLVMGetIncomingValue(i, k)) && !recompute_is_known(r, LLVMGetIncomingValue(i, k)))
				cause = recompute_cause_of(r, LLVMGetIncomingValue(i, k));
	} else if (!is_call(i) || (direct_callee(i) && is_intrinsic(direct_callee(i)))) {
		/* What is called is the last operand, and known. */
		cause = cause_among(r, i, (unsigned)LLVMGetNumOperands(i));
	}
	return cause ? cause : own_cause(r, i);
}

static void visit(void *data, LLVMValueRef function, LLVMValueRef i)
{
	struct recompute *r = data;
	/* Calls are visited for what they do to memory and parameters, whatever is known of their result. */
	if (is_call(i) || !map_get(&r->unknown, i)) {
		bool known = is_result_known(r, i);
		if (!known && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind && !map_get(&r->unknown, i))
			recompute_make_unknown(r, i, cause_of_result(r, i));
	}
	visit_effects(r, function, i);
}

/* ---------------------------------------------------------------- start and end --------------- */

static void uninitialised(void *data, LLVMValueRef alloca)
{
	values_push(data, alloca);
}

static void note_places(void *recompute, LLVMValueRef icmp)
{
	map_set(&((struct recompute *)recompute)->places, icmp, 1);
}

/* May native code, or somebody by way of its address, call the function with anything? */
static bool is_open(const struct recompute *r, LLVMValueRef f)
{
	LLVMLinkage linkage = LLVMGetLinkage(f);
	if (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage)
		return true;
	return llvm_address_taken(f) && !points_to_called_here(r->sharing->points_to, f);
}

static void note_input(struct recompute *r, LLVMValueRef f)
{
	map_set(&r->inputs, f, given_line(f));
	r->may_send |= llvm_address_taken(f) && given_hands_on(given_line(f));
}

/* What is unknown from the start, whatever is assumed. */
static void find_sources(struct recompute *r)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) && given_line(f))
			note_input(r, f);
		if (!is_instrumented(f))
			continue;
		llvm_uninitialised(f, uninitialised, &r->sources);
		llvm_compared_places(f, note_places, r);
		for (unsigned i = 0; is_open(r, f) && i < LLVMCountParams(f); i++)
			values_push(&r->sources, LLVMGetParam(f, i));
	}
}

static void begin(struct recompute *r)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(r->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMGetInitializer(g) && class_of(r->sharing, LLVMGetInitializer(g)))
			recompute_flag(r, anywhere(g), CLASS_POINTERS, 0);
	for (size_t i = 0; i < r->sources.n; i++) {
		LLVMValueRef v = r->sources.at[i];
		if (LLVMIsAArgument(v))
			recompute_make_unknown(r, v, cause_add(&r->causes, WHY_PARAMETER, v));
		else
			recompute_flag(r, anywhere(v), CLASS_UNKNOWN, cause_add(&r->causes, WHY_UNDEFINED, v));
	}
}

/* See visits.h. Asked before anything is unknown, so that operands are where they are not constants that are. */
static bool is_quiet(void *data, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMBr: case LLVMSwitch: case LLVMUnreachable: case LLVMFence: case LLVMAlloca:
		return true;
	case LLVMICmp:
		if (is_pointer_type(LLVMTypeOf(LLVMGetOperand(i, 0))))
			return false;
		return is_result_known(data, i);
	case LLVMPHI: case LLVMSelect: case LLVMExtractValue: case LLVMGetElementPtr:
	case LLVMAdd: case LLVMMul: case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem:
	case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMShl: case LLVMLShr: case LLVMAShr:
	case LLVMTrunc: case LLVMZExt: case LLVMSExt:
		return is_result_known(data, i);
	default:
		return false;
	}
}

static void find(struct recompute *r)
{
	r->contents = contents_new(r->sharing);
	r->sends_addresses = r->may_send;
	visits_begin(r->visits);
	begin(r);
	while (visits_go(r->visits, visit, r))
		;
	if (pass_verifies() && visits_go_through(r->visits, visit, r))
		pass_die("what is known was not found in full: an instruction was not visited again");
}

static void forget(struct recompute *r)
{
	map_clear(&r->unknown);
	map_clear(&r->flagged);
	contents_free(r->contents);
	causes_free(&r->causes);
	r->causes = (struct causes){0};
}

bool recompute_knows(const struct recompute *r, LLVMValueRef v)
{
	return recompute_is_known(r, v);
}

bool recompute_knows_contents(const struct recompute *r, LLVMValueRef pointer)
{
	return recompute_is_known(r, pointer) && recompute_are_contents_known(r, anywhere(pointer));
}

LLVMValueRef recompute_root(struct recompute *r, LLVMValueRef v)
{
	return r->causes.at[recompute_cause_of(r, v) - 1].root;
}

struct recompute *recompute_new(LLVMModuleRef m, struct sharing *sharing, const struct map *assumed)
{
	struct recompute *r = pass_alloc(1, sizeof *r);
	r->module = m;
	r->sharing = sharing;
	r->assumed = assumed;
	r->handles_signals = program_handles_signals(m);
	find_sources(r);
	frozen_find(m, &r->defined);
	r->visits = visits_new(m, is_quiet, r);
	find(r);
	return r;
}

void recompute_again(struct recompute *r)
{
	forget(r);
	find(r);
}

void recompute_free(struct recompute *r)
{
	forget(r);
	visits_free(r->visits);
	map_free(&r->unknown);
	map_free(&r->flagged);
	map_free(&r->inputs);
	map_free(&r->places);
	map_free(&r->defined);
	values_free(&r->sources);
	free(r);
}

void recompute_find(LLVMModuleRef m, struct sharing *sharing, struct map *known, struct numbering *n)
{
	struct recompute *r = recompute_new(m, sharing, NULL);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			/* The condition is operand 0 of both kinds. */
			if (!is_branch(end))
				continue;
			if (recompute_is_known(r, LLVMGetOperand(end, 0)))
				map_set(known, end, 1);
			else
				map_set(&n->why, end, recompute_cause_of(r, LLVMGetOperand(end, 0)));
		}
	}
	shown_find(r, n);
	n->causes = r->causes;
	r->causes = (struct causes){0};
	recompute_free(r);
}
