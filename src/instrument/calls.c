/* The sharing analysis: what a call does with the pointers it is given. */
#include "instrument/shared.h"

#include <string.h>

static LLVMValueRef argument(LLVMValueRef call, unsigned i)
{
	return LLVMGetOperand(call, i);
}

/* A word without a type of its own, straight from memory: perhaps a struct passed by value. */
static bool is_untyped_word(LLVMValueRef v)
{
	return LLVMIsALoadInst(v) && llvm_may_copy_pointer(v);
}

/* The value goes to, or comes from, a place of class `place` outside of this function. */
static void pass_value(struct sharing *s, LLVMValueRef v, uint32_t place)
{
	uint32_t class = class_of(s, v);
	if (is_number(LLVMTypeOf(v)) && !is_untyped_word(v))
		class_link_number(s->classes, class, place);
	else
		class_unify(s->classes, class, place);
}

static void contents_reach_world(struct sharing *s, uint32_t class)
{
	if (class)
		class_unify(s->classes, class_next(s->classes, class), CLASS_WORLD);
}

/* ---------------------------------------------------------------- intrinsics ------------------ */

static void add_copy(struct sharing *s, LLVMValueRef call)
{
	uint32_t to = class_of(s, argument(call, 0)), from = class_of(s, argument(call, 1));
	flag_written(s, call, to);
	if (to && from)
		class_unify(s->classes, class_next(s->classes, to), class_next(s->classes, from));
}

/* Masked, gathering and target-specific accesses: memory, values and result all become one. */
static void add_odd_access(struct sharing *s, LLVMValueRef call)
{
	uint32_t contents = class_of(s, call);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMTypeRef type = LLVMTypeOf(argument(call, i));
		uint32_t class = class_of(s, argument(call, i));
		uint32_t value = class;
		if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
			flag_written(s, call, class);
			value = class ? class_next(s->classes, class) : CLASS_NONE;
		} else if (is_number(type)) {
			continue;
		} else if (class) {
			/* A vector of addresses, or of pointers to store: take it for both. */
			flag_written(s, call, class);
			class_unify(s->classes, class, class_next(s->classes, class));
		}
		class_unify(s->classes, contents, value);
		contents = contents ? contents : value;
	}
}

static void add_intrinsic(struct sharing *s, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef accessed[2];
	if (name_begins(callee, "llvm.memcpy.") || name_begins(callee, "llvm.memmove.")) {
		add_copy(s, call);
	} else if (name_begins(callee, "llvm.memset.")) {
		flag_written(s, call, class_of(s, argument(call, 0)));
	} else if (name_begins(callee, "llvm.va_")) {
		for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
			flag_written(s, call, class_of(s, argument(call, i)));
			contents_reach_world(s, class_of(s, argument(call, i)));
		}
	} else if (name_begins(callee, "llvm.load.relative.")) {
		uint32_t table = class_of(s, argument(call, 0));
		class_unify(s->classes, class_of(s, call), table);
		if (table)
			class_unify(s->classes, table, class_next(s->classes, table));
	} else if (accessed_pointers(call, accessed)) {
		add_odd_access(s, call);
	} else {
		/* Computes, if anything, something from its arguments. */
		for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
			if (is_number(LLVMTypeOf(call)))
				class_link_number(s->classes, class_of(s, call),
						  class_of(s, argument(call, i)));
			else
				unify_values(s, call, argument(call, i));
		}
	}
}

/* ---------------------------------------------------------------- outside the module ---------- */

bool is_scan(LLVMValueRef callee)
{
	size_t length;
	return strstr(LLVMGetValueName2(callee, &length), "scanf") != NULL;
}

static void add_outside_argument(struct sharing *s, LLVMValueRef call, unsigned i, bool known,
				 bool variadic)
{
	LLVMValueRef v = argument(call, i);
	uint32_t class = class_of(s, v);
	if (!class || (known && is_number(LLVMTypeOf(v))))
		return;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind) {
		pass_value(s, v, CLASS_WORLD);
		return;
	}
	if (known && variadic) { /* printf and its kin */
		flag_written(s, call, class);
		if (is_scan(direct_callee(call)))
			contents_reach_world(s, class);
	} else if (llvm_argument_not_captured(call, i)) {
		if (!llvm_argument_only_read(call, i))
			flag_written(s, call, class);
		if (!llvm_only_reads(call))
			contents_reach_world(s, class);
		class_may_be_called(s->classes, class);
	} else if (known && llvm_only_reads(call)) {
		/* strchr and its kin: the result is all that leaks. */
		unify_values(s, call, v);
	} else {
		class_unify(s->classes, class, CLASS_WORLD);
	}
}

/* Does the result of a function that only reads lead into an argument (strchr) or not (getenv)? */
static bool returns_argument(LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetTypeKind(LLVMTypeOf(argument(call, i))) == LLVMPointerTypeKind &&
		    !llvm_argument_not_captured(call, i))
			return true;
	return false;
}

static void add_outside_result(struct sharing *s, LLVMValueRef call, bool known)
{
	uint32_t class = class_of(s, call);
	if (!class)
		return;
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMPointerTypeKind) {
		if (!known)
			pass_value(s, call, CLASS_WORLD);
	} else if (llvm_is_allocation(s->library, call)) {
		class_flag(s->classes, class, CLASS_OBJECT);
	} else if (llvm_returns_fresh(call)) {
		class_flag(s->classes, class, CLASS_OBJECT | CLASS_WRITTEN);
		contents_reach_world(s, class);
	} else if (!(known && llvm_only_reads(call) && returns_argument(call))) {
		class_unify(s->classes, class, CLASS_WORLD);
	}
}

static void add_outside_call(struct sharing *s, LLVMValueRef call, LLVMValueRef callee)
{
	if (llvm_is_deallocation(s->library, call)) {
		flag_written(s, call, class_of(s, argument(call, 0)));
		return;
	}
	if (llvm_is_reallocation(s->library, call)) {
		unify_values(s, call, argument(call, 0));
		class_flag(s->classes, class_of(s, call), CLASS_OBJECT);
		flag_written(s, call, class_of(s, call));
		return;
	}
	bool known = callee && llvm_library_knows(s->library, callee);
	unsigned fixed = callee ? LLVMCountParams(callee) : 0;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		add_outside_argument(s, call, i, known, i >= fixed);
	add_outside_result(s, call, known);
}

/* ---------------------------------------------------------------- inside ---------------------- */

static void add_direct_call(struct sharing *s, LLVMValueRef call, LLVMValueRef callee)
{
	unsigned fixed = LLVMCountParams(callee);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		if (i < fixed)
			unify_values(s, LLVMGetParam(callee, i), argument(call, i));
		else
			pass_value(s, argument(call, i), CLASS_WORLD);
	}
	class_unify(s->classes, class_of(s, call), class_result(s->classes, class_of(s, callee)));
}

static void add_indirect_call(struct sharing *s, LLVMValueRef call)
{
	uint32_t target = class_of(s, LLVMGetCalledValue(call));
	if (!target)
		target = CLASS_WORLD;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		pass_value(s, argument(call, i), class_param(s->classes, target, i));
	pass_value(s, call, class_result(s->classes, target));
}

void add_call(struct sharing *s, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		add_outside_call(s, call, NULL);
	else if (!callee)
		add_indirect_call(s, call);
	else if (is_intrinsic(callee))
		add_intrinsic(s, call, callee);
	else if (is_instrumented(callee))
		add_direct_call(s, call, callee);
	else
		add_outside_call(s, call, callee);
}
