/*
 * Which memory may be shared between threads: a points-to analysis over the whole program.
 *
 * Every memory object (global variable, alloca, result of an allocation, function) and every SSA
 * value that may carry a pointer gets a class (classes.h); each instruction that moves pointers
 * unifies classes. What code outside of the module can reach is the world. Global variables are
 * shared among threads from the start, thread-local ones, allocas and heap only when something
 * shared leads to them. An argument of pthread_create needs no rule of its own: like every argument
 * of an external function it goes into the world, and with it the start routine, whose parameters
 * then come from the world.
 *
 * Pointers also travel as integers. Bytes and untyped words (no strict-aliasing type: a lowered
 * memcpy, a union, -O0) are taken for possible pointers; words that the source calls a number are
 * so only when the value is made from a pointer or turned into one somewhere (class_link_number).
 * 16- and 32-bit values are no pointers.
 *
 * What is written before the first thread is created is the same for all that come after, so such writes do not count. Local
 * variables give way to others when their function returns, and heap memory when it is freed: that does.
 *
 * calls.c has the rules for calls.
 */
#include "instrument/shared.h"

#include "instrument/parallel.h"
#include "instrument/pointsto.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- types ----------------------- */

bool carries_pointer(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
	case LLVMDoubleTypeKind: /* copied as one */
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
		return true;
	case LLVMIntegerTypeKind: {
		unsigned width = LLVMGetIntTypeWidth(type);
		return width == 8 || width > 32;
	}
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
	case LLVMArrayTypeKind:
		return carries_pointer(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (carries_pointer(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return false;
	}
}

bool is_number(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMVectorTypeKind)
		return is_number(LLVMGetElementType(type));
	return kind == LLVMIntegerTypeKind || kind == LLVMDoubleTypeKind;
}

/* ---------------------------------------------------------------- values ---------------------- */

static bool is_local(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* Contents of a constant that an initialiser or an operand holds, unified into one class. */
static uint32_t class_of_operands(struct sharing *s, LLVMValueRef v)
{
	uint32_t all = CLASS_NONE;
	for (int i = 0; i < LLVMGetNumOperands(v); i++) {
		uint32_t one = class_of(s, LLVMGetOperand(v, (unsigned)i));
		class_unify(s->classes, all, one);
		all = all ? all : one;
	}
	return all;
}

bool is_no_address(LLVMValueRef inttoptr)
{
	enum { PAGE = 4096 };
	LLVMValueRef number = LLVMGetOperand(inttoptr, 0);
	if (!LLVMIsAConstantInt(number) || LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64)
		return false;
	long long n = LLVMConstIntGetSExtValue(number);
	return n > -PAGE && n < PAGE;
}

/* Has the program asked for memory at address 0 (-fno-delete-null-pointer-checks)? */
static bool is_null_valid(LLVMValueRef instruction)
{
	static const char name[] = "null_pointer_is_valid";
	LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
	return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					   LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
}

bool is_number_on_null(LLVMValueRef getelementptr)
{
	LLVMValueRef base = LLVMGetOperand(getelementptr, 0);
	/* Within the bounds of nothing: what the end of a vector without memory is, nothing plus no bytes. */
	if (LLVMIsAConstantPointerNull(base) && LLVMIsInBounds(getelementptr) && !is_null_valid(getelementptr))
		return false;
	if (!LLVMIsAConstantPointerNull(base) && !(LLVMIsAIntToPtrInst(base) && is_no_address(base)))
		return false;
	for (int k = 1; k < LLVMGetNumOperands(getelementptr); k++)
		if (!LLVMIsConstant(LLVMGetOperand(getelementptr, (unsigned)k)))
			return true;
	return false;
}

LLVMValueRef pointer_of_number(LLVMValueRef v)
{
	bool is_made = LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
	return is_made ? LLVMGetOperand(v, 0) : NULL;
}

LLVMValueRef pointer_by_distance(LLVMValueRef getelementptr)
{
	LLVMValueRef index = LLVMGetOperand(getelementptr, 1);
	if (LLVMGetNumOperands(getelementptr) != 2 || !LLVMIsAInstruction(index) || LLVMGetInstructionOpcode(index) != LLVMSub ||
	    pointer_of_number(LLVMGetOperand(index, 1)) != LLVMGetOperand(getelementptr, 0))
		return NULL;
	return pointer_of_number(LLVMGetOperand(index, 0));
}

bool pointer_is_distance(LLVMValueRef v)
{
	if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMSub || !LLVMIsAPtrToIntInst(LLVMGetOperand(v, 0)) ||
	    !LLVMIsAPtrToIntInst(LLVMGetOperand(v, 1)))
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
		if (LLVMIsAGetElementPtrInst(LLVMGetUser(u)))
			return false;
	return true;
}

static uint32_t class_of_expression(struct sharing *s, LLVMValueRef v)
{
	switch (LLVMGetConstOpcode(v)) {
	case LLVMGetElementPtr:
		return class_of(s, LLVMGetOperand(v, 0));
	case LLVMIntToPtr: {
		if (is_no_address(v))
			return CLASS_NONE;
		uint32_t from = class_of_operands(s, v);
		return from ? from : CLASS_WORLD;
	}
	default:
		return class_of_operands(s, v);
	}
}

static uint32_t class_of_global(struct sharing *s, LLVMValueRef g)
{
	uint32_t class = map_get(&s->of, g);
	if (class)
		return class;
	class = class_new(s->classes);
	map_set(&s->of, g, class);
	class_flag(s->classes, class, CLASS_OBJECT);
	return class;
}

uint32_t class_of(struct sharing *s, LLVMValueRef v)
{
	if (LLVMIsAInstruction(v) || LLVMIsAArgument(v)) {
		uint32_t class = map_get(&s->of, v);
		if (class || !carries_pointer(LLVMTypeOf(v)))
			return class;
		class = class_new(s->classes);
		map_set(&s->of, v, class);
		return class;
	}
	while (LLVMIsAGlobalAlias(v))
		v = LLVMAliasGetAliasee(v);
	if (LLVMIsAGlobalIFunc(v))
		return CLASS_WORLD;
	if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v))
		return class_of_global(s, v);
	if (LLVMIsAConstantExpr(v))
		return class_of_expression(s, v);
	if (LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) || LLVMIsAConstantVector(v))
		return class_of_operands(s, v);
	return CLASS_NONE;
}

void unify_values(struct sharing *s, LLVMValueRef a, LLVMValueRef b)
{
	class_unify(s->classes, class_of(s, a), class_of(s, b));
}

/* ---------------------------------------------------------------- globals --------------------- */

static void add_variable(struct sharing *s, LLVMValueRef g)
{
	uint32_t class = class_of(s, g);
	const char *section = LLVMGetSection(g); /* such are found by __start_SECTION, too */
	bool outside = LLVMIsDeclaration(g) || !is_local(g) || LLVMIsExternallyInitialized(g) ||
		       (section && *section);
	if (outside && !(LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g)))
		class_unify(s->classes, class, CLASS_WORLD);
	/* Constants are reached by all threads as well, but nobody writes them. */
	if (!LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g))
		class_flag(s->classes, class, CLASS_SHARED);
	LLVMValueRef value = LLVMGetInitializer(g);
	uint32_t contents = value ? class_of(s, value) : CLASS_NONE;
	if (contents)
		class_unify(s->classes, class_next(s->classes, class), contents);
}

static void add_function(struct sharing *s, LLVMValueRef f)
{
	if (is_intrinsic(f))
		return;
	uint32_t class = class_of(s, f);
	if (!is_instrumented(f)) {
		class_unify(s->classes, class, CLASS_WORLD);
		return;
	}
	for (unsigned i = 0; i < LLVMCountParams(f); i++) {
		uint32_t param = class_of(s, LLVMGetParam(f, i));
		uint32_t slot = class_param(s->classes, class, i);
		if (is_number(LLVMTypeOf(LLVMGetParam(f, i))))
			class_link_number(s->classes, slot, param);
		else
			class_unify(s->classes, slot, param);
	}
	if (!is_local(f))
		class_unify(s->classes, class, CLASS_WORLD);
}

/* Names that code outside sees, and functions that the loader calls to find others. */
static void add_names(struct sharing *s, LLVMModuleRef m)
{
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m); a; a = LLVMGetNextGlobalAlias(a))
		if (!is_local(a))
			class_unify(s->classes, class_of(s, a), CLASS_WORLD);
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i; i = LLVMGetNextGlobalIFunc(i))
		class_unify(s->classes, class_of(s, LLVMGetGlobalIFuncResolver(i)), CLASS_WORLD);
}

/* ---------------------------------------------------------------- instructions ---------------- */

/* `value` is read from or written to memory of class `memory` by instruction i. */
static void link_contents(struct sharing *s, LLVMValueRef i, LLVMValueRef value, uint32_t memory)
{
	uint32_t class = class_of(s, value);
	if (!class)
		return;
	if (is_number(LLVMTypeOf(value)) && !llvm_may_copy_pointer(i))
		class_link_number(s->classes, class, class_next(s->classes, memory));
	else
		class_unify(s->classes, class, class_next(s->classes, memory));
}

/* A pointer difference is a number: both operands of every use's subtraction come from pointers. */
enum { CHOICES = 4 }; /* phis and selects that are followed, one behind the other */

/* A pointer as a number, also one of several. */
static bool is_pointer_number(LLVMValueRef v, int depth)
{
	if (pointer_of_number(v))
		return true;
	if (!depth || (!LLVMIsAPHINode(v) && !LLVMIsASelectInst(v)))
		return false;
	if (LLVMIsASelectInst(v))
		return is_pointer_number(LLVMGetOperand(v, 1), depth - 1) && is_pointer_number(LLVMGetOperand(v, 2), depth - 1);
	for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
		if (LLVMGetIncomingValue(v, i) != v && !is_pointer_number(LLVMGetIncomingValue(v, i), depth - 1))
			return false;
	return true;
}

static bool only_differs(LLVMValueRef number, int depth)
{
	for (LLVMUseRef u = LLVMGetFirstUse(number); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		LLVMOpcode op = LLVMGetInstructionOpcode(user);
		if (op == LLVMICmp || user == number)
			continue;
		if (op == LLVMPHI || op == LLVMSelect) {
			if (!depth || !only_differs(user, depth - 1))
				return false;
		} else if (op != LLVMSub || !is_pointer_number(LLVMGetOperand(user, 0), CHOICES) ||
			   !is_pointer_number(LLVMGetOperand(user, 1), CHOICES)) {
			return false;
		}
	}
	return true;
}

bool pointer_only_differs(LLVMValueRef ptrtoint)
{
	return only_differs(ptrtoint, CHOICES);
}

static void add_ptrtoint(struct sharing *s, LLVMValueRef i)
{
	if (pointer_only_differs(i))
		return;
	unify_values(s, i, LLVMGetOperand(i, 0));
	class_flag(s->classes, class_of(s, i), CLASS_INTEGER);
}

static void add_number_on_null(struct sharing *s, LLVMValueRef i)
{
	for (int k = 1; k < LLVMGetNumOperands(i); k++)
		class_unify(s->classes, class_of(s, i), class_of(s, LLVMGetOperand(i, (unsigned)k)));
	class_unify(s->classes, class_of(s, i), CLASS_WORLD);
}

static void add_inttoptr(struct sharing *s, LLVMValueRef i)
{
	uint32_t from = class_of(s, LLVMGetOperand(i, 0));
	if (is_no_address(i))
		return;
	class_unify(s->classes, class_of(s, i), from ? from : CLASS_WORLD);
	class_flag(s->classes, from, CLASS_INTEGER);
}

static void add_arithmetic(struct sharing *s, LLVMValueRef i)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++)
		class_link_number(s->classes, class_of(s, i),
				  class_of(s, LLVMGetOperand(i, (unsigned)k)));
}

void flag_written(struct sharing *s, LLVMValueRef i, uint32_t class)
{
	bool is_volatile = LLVMIsAStoreInst(i) && LLVMGetVolatile(i); /* who knows who looks there */
	if (is_volatile || parallel_is(s->parallel, i))
		class_flag(s->classes, class, CLASS_WRITTEN);
}

static void add_read_modify_write(struct sharing *s, LLVMValueRef i)
{
	uint32_t memory = class_of(s, LLVMGetOperand(i, 0));
	flag_written(s, i, memory);
	for (int k = 1; k < LLVMGetNumOperands(i); k++)
		link_contents(s, i, LLVMGetOperand(i, (unsigned)k), memory);
	link_contents(s, i, i, memory);
}

/* The result is one of these operands, or made up of them. */
static void add_move(struct sharing *s, LLVMValueRef i, int first, int end)
{
	for (int k = first; k < end; k++)
		unify_values(s, i, LLVMGetOperand(i, (unsigned)k));
}

static void add_instruction(struct sharing *s, LLVMValueRef f, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		class_flag(s->classes, class_of(s, i), CLASS_OBJECT | CLASS_WRITTEN);
		break;
	case LLVMLoad:
		link_contents(s, i, i, class_of(s, LLVMGetOperand(i, 0)));
		break;
	case LLVMStore:
		flag_written(s, i, class_of(s, LLVMGetOperand(i, 1)));
		link_contents(s, i, LLVMGetOperand(i, 0), class_of(s, LLVMGetOperand(i, 1)));
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		add_read_modify_write(s, i);
		break;
	case LLVMGetElementPtr:
		if (is_number_on_null(i)) {
			add_number_on_null(s, i);
			break;
		}
		if (pointer_by_distance(i))
			unify_values(s, i, pointer_by_distance(i));
		/* fallthrough */
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
	case LLVMExtractValue:
	case LLVMExtractElement:
		add_move(s, i, 0, 1);
		break;
	case LLVMInsertValue:
	case LLVMInsertElement:
	case LLVMShuffleVector:
		add_move(s, i, 0, 2);
		break;
	case LLVMSelect:
		add_move(s, i, 1, 3);
		break;
	case LLVMPHI:
		add_move(s, i, 0, LLVMGetNumOperands(i));
		break;
	case LLVMPtrToInt:
		add_ptrtoint(s, i);
		break;
	case LLVMIntToPtr:
		add_inttoptr(s, i);
		break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMMul: /* these two round */
	case LLVMUDiv:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
		add_arithmetic(s, i);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		add_call(s, i);
		break;
	case LLVMRet:
		if (LLVMGetNumOperands(i))
			class_unify(s->classes, class_result(s->classes, class_of(s, f)),
				    class_of(s, LLVMGetOperand(i, 0)));
		break;
	case LLVMLandingPad:
	case LLVMVAArg:
		class_unify(s->classes, class_of(s, i), CLASS_WORLD);
		break;
	default:
		break;
	}
}

struct sharing *sharing_analyze(LLVMModuleRef m)
{
	struct sharing *s = pass_alloc(1, sizeof *s);
	s->classes = classes_new();
	s->library = llvm_library_new(m);
	s->parallel = parallel_analyze(m, s->library);
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		add_variable(s, g);
	add_names(s, m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		add_function(s, f);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				add_instruction(s, f, i);
	}
	classes_solve(s->classes);
	s->points_to = points_to_new(m, s);
	return s;
}

LLVMValueRef address_base(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) ||
	       (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		pointer = LLVMGetOperand(pointer, 0);
	return pointer;
}

bool sharing_may_be_shared(const struct sharing *s, LLVMValueRef pointer, uint32_t member)
{
	LLVMValueRef base = address_base(pointer);
	if (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) && !LLVMIsDeclaration(base))
		return false;
	/* Looks it up, or makes one that nothing is unified with: no change that matters. */
	uint32_t class = class_of((struct sharing *)s, pointer);
	unsigned flags = class ? class_flags(s->classes, class) : 0;
	bool shared = !(flags & CLASS_OBJECT) || ((flags & CLASS_SHARED) && (flags & CLASS_WRITTEN));
	return shared && !points_to_own(s->points_to, pointer, member);
}

bool sharing_access_may_be_shared(const struct sharing *s, LLVMValueRef access, LLVMValueRef pointer)
{
	bool typed = LLVMIsALoadInst(access) || LLVMIsAStoreInst(access) || LLVMIsAAtomicRMWInst(access) || LLVMIsAAtomicCmpXchgInst(access);
	return sharing_may_be_shared(s, pointer, typed ? points_to_member(s->points_to, access) : MEMBER_ANY);
}

bool sharing_access_is_told(const struct sharing *s, LLVMValueRef access, LLVMValueRef pointer)
{
	return sharing_access_may_be_shared(s, access, pointer) || points_to_handed(s->points_to, pointer);
}

void sharing_free(struct sharing *s)
{
	points_to_free(s->points_to);
	classes_free(s->classes);
	map_free(&s->of);
	parallel_free(s->parallel);
	llvm_library_free(s->library);
	free(s);
}
