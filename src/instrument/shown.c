/*
 * What the program shows (externals.def): parameters of output functions that inference cannot compute, by value, and
 * memory that such parameters lead to. In the recorded program the call is preceded by one that records them, so
 * that inference can ask for an interleaving which shows the same.
 */
#include "instrument/recompute.h"

#include <rethread/trace.h>

#include <stdlib.h>
#include <string.h>

enum class { OUTPUT, ENDS, PURE, MEMORY, COPIES, FILLS, SLEEPS, ALLOCATES, CALLS_BACK };

static const struct external {
	const char *name;
	enum class class;
	const char *effects;
} externals[] = {
#define EXTERNAL(name, class, effects) {#name, class, effects},
#include <rethread/externals.def>
#undef EXTERNAL
};

/* The function's entry, when calls of it show something: output, exit, and what formats text for later. */
static const struct external *shows(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	size_t length;
	const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
	for (size_t i = 0; i < sizeof externals / sizeof *externals; i++) {
		const struct external *x = &externals[i];
		if ((x->class == OUTPUT || x->class == ENDS || strstr(x->name, "printf")) && !strcmp(x->name, name))
			return x;
	}
	return NULL;
}

/* ---------------------------------------------------------------- words ----------------------- */

/* The bits of an address differ from run to run: they are no use. Looks as far as arithmetic goes, and not too far. */
static bool may_be_address(LLVMValueRef v, int depth)
{
	if (LLVMIsAPtrToIntInst(v))
		return true;
	if (!LLVMIsAInstruction(v) || depth == 0 || LLVMIsALoadInst(v) || is_call(v))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef operand = LLVMGetOperand(v, (unsigned)i);
		if (LLVMIsAInstruction(operand) && may_be_address(operand, depth - 1))
			return true;
	}
	return false;
}

static bool is_word(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) <= 64;
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return true;
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- texts ----------------------- */

/* The effect of a table's entry that reads through parameter i, or NULL: "r1=2" and its kin. */
static const char *read_effect(const struct external *x, unsigned i)
{
	for (const char *e = x->effects; *e; e += strcspn(e, " "), e += *e == ' ')
		if (e[0] == 'r' && (unsigned)(e[1] - '0') == i &&
		    ((e[2] == 's' && (!e[3] || e[3] == ' ')) || e[2] == '='))
			return e + 2;
	return NULL;
}

static bool is_text(const struct recompute *r, const struct external *x, LLVMValueRef call, unsigned i)
{
	return x->class == OUTPUT && read_effect(x, i) && !recompute_knows_contents(r, LLVMGetOperand(call, i));
}

void shown_find(const struct recompute *r, struct numbering *n)
{
	for (uint32_t s = 0; s < n->sites.n; s++) {
		LLVMValueRef call = n->sites.at[s];
		const struct external *x = n->kinds[s] == SITE_CALL ? shows(call) : NULL;
		struct shown_call shown = {call, s + 1, 0, 0};
		for (unsigned i = 0; x && i < LLVMGetNumArgOperands(call) && i < RT_SHOWN_PARAMETERS; i++) {
			LLVMValueRef v = LLVMGetOperand(call, i);
			if (is_word(v) && !recompute_knows(r, v) && !may_be_address(v, 8))
				shown.words |= 1u << i;
			else if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && is_text(r, x, call, i))
				shown.texts |= 1u << i;
			if (!is_word(v) && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
				break; /* takes more than one slot (instrument.h): those behind it have other numbers */
		}
		if (!shown.words && !shown.texts)
			continue;
		if (n->nshown == n->shown_cap)
			n->shown = pass_grow(n->shown, &n->shown_cap, sizeof *n->shown);
		n->shown[n->nshown++] = shown;
	}
}

/* ---------------------------------------------------------------- emitted code ---------------- */

static LLVMValueRef as_word(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef v)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	if (kind == LLVMFloatTypeKind)
		v = LLVMBuildBitCast(b, v, int_type(m, 32), "");
	else if (kind == LLVMDoubleTypeKind)
		v = LLVMBuildBitCast(b, v, int_type(m, 64), "");
	/* What is undefined is not recorded twice in two ways. */
	return LLVMBuildZExt(b, LLVMBuildFreeze(b, v, ""), int_type(m, 64), "");
}

static LLVMValueRef call_runtime(LLVMBuilderRef b, LLVMModuleRef m, const char *name, LLVMTypeRef *types,
				 LLVMValueRef *arguments, unsigned n)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(m)), types, n, false);
	return LLVMBuildCall2(b, type, runtime_function(m, name, type), arguments, n, "");
}

static void record_words(LLVMBuilderRef b, LLVMModuleRef m, const struct shown_call *s)
{
	LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(s->call));
	unsigned count = (unsigned)__builtin_popcount(s->words), k = 0;
	build_before(b, llvm_after_allocas(f));
	LLVMValueRef room = LLVMBuildAlloca(b, LLVMArrayType2(int_type(m, 64), count), "");
	build_before(b, s->call);
	for (unsigned i = 0; i < RT_SHOWN_PARAMETERS; i++) {
		if (!(s->words >> i & 1))
			continue;
		LLVMValueRef index = int_value(m, 64, k++);
		LLVMValueRef place = LLVMBuildGEP2(b, int_type(m, 64), room, &index, 1, "");
		LLVMBuildStore(b, as_word(b, m, LLVMGetOperand(s->call, i)), place);
	}
	LLVMTypeRef types[] = {int_type(m, 32), int_type(m, 32), pointer_type(m)};
	LLVMValueRef arguments[] = {int_value(m, 32, s->site), int_value(m, 32, s->words), room};
	call_runtime(b, m, "__rethread_shown", types, arguments, 3);
}

/* The length that the effect gives: "s", "=2", "=1*2". */
static LLVMValueRef text_size(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call, const char *measure)
{
	if (*measure == 's')
		return int_value(m, 64, RT_SHOWN_STRING);
	LLVMValueRef size = LLVMGetOperand(call, (unsigned)(measure[1] - '0'));
	if (measure[2] == '*')
		size = LLVMBuildMul(b, size, LLVMGetOperand(call, (unsigned)(measure[3] - '0')), "");
	return size;
}

static void record_texts(LLVMBuilderRef b, LLVMModuleRef m, const struct shown_call *s)
{
	const struct external *x = shows(s->call);
	build_before(b, s->call);
	for (unsigned i = 0; i < RT_SHOWN_PARAMETERS; i++) {
		if (!(s->texts >> i & 1))
			continue;
		LLVMTypeRef types[] = {int_type(m, 32), int_type(m, 32), pointer_type(m), int_type(m, 64)};
		LLVMValueRef arguments[] = {int_value(m, 32, s->site), int_value(m, 32, i),
					    LLVMGetOperand(s->call, i),
					    text_size(b, m, s->call, read_effect(x, i))};
		call_runtime(b, m, "__rethread_shown_text", types, arguments, 4);
	}
}

void shown_instrument(LLVMModuleRef m, const struct numbering *n)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (size_t i = 0; i < n->nshown; i++) {
		if (n->shown[i].words)
			record_words(b, m, &n->shown[i]);
		record_texts(b, m, &n->shown[i]);
	}
	LLVMDisposeBuilder(b);
}
