#include "instrument/keeping.h"

#include "instrument/pass.h"

#include <stdio.h>
#include <string.h>

/* Which registers of vectors a function may use. What a level has, the ones behind it have as well. */
static const struct level {
	const char *feature; /* LLVM's name for what allows it; NULL: always */
	const char *name;
	const char *move;
	char kind; /* of register: x, y or z */
	unsigned size, count;
	const char *mask_move; /* NULL: there are no masks */
} levels[] = {
	{NULL, "", "movups", 'x', 16, 16, NULL},
	{"+avx", ".avx", "vmovups", 'y', 32, 16, NULL},
	{"+avx512f", ".avx512f", "vmovups", 'z', 64, 32, "kmovw"},
	{"+avx512bw", ".avx512bw", "vmovups", 'z', 64, 32, "kmovq"},
};
enum { LEVELS = sizeof levels / sizeof *levels, MASKS = 8, MASK_SIZE = 8 };

static bool has_feature(const char *features, unsigned n, const char *feature)
{
	size_t length = strlen(feature);
	for (const char *at = features, *end = features + n; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at)), *next = comma ? comma : end;
		if ((size_t)(next - at) == length && !memcmp(at, feature, length))
			return true;
		at = next + 1;
	}
	return false;
}

/* LEVELS: it does not say. */
static unsigned level_said(LLVMValueRef f)
{
	static const char name[] = "target-features";
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, sizeof name - 1);
	if (!a)
		return LEVELS;
	unsigned n, level = LEVELS - 1;
	const char *features = LLVMGetStringAttributeValue(a, &n);
	while (level && !has_feature(features, n, levels[level].feature))
		level--;
	return level;
}

/* A function that does not say is compiled for the processor that the link is for, for which the others are, too, but for those that say more. */
static unsigned level_of(LLVMValueRef caller)
{
	unsigned level = level_said(caller), least = LEVELS;
	if (level < LEVELS)
		return level;
	for (LLVMValueRef f = LLVMGetFirstFunction(LLVMGetGlobalParent(caller)); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && (level = level_said(f)) < least)
			least = level;
	return least < LEVELS ? least : 0;
}

static size_t move(char *text, size_t size, const char *how, const char *name, unsigned place, bool save)
{
	return (size_t)(save ? snprintf(text, size, "%s %%%s, %u(%%rsp)\n", how, name, place)
			     : snprintf(text, size, "%s %u(%%rsp), %%%s\n", how, place, name));
}

/* Saves the registers of a level on the stack, or gets them back. Returns the length so far. */
static size_t move_all(const struct level *l, bool save, char *text, size_t n, size_t size)
{
	char name[8];
	for (unsigned i = 0; i < l->count; i++) {
		snprintf(name, sizeof name, "%cmm%u", l->kind, i);
		n += move(text + n, size - n, l->move, name, i * l->size, save);
	}
	for (unsigned i = 0; l->mask_move && i < MASKS; i++) {
		snprintf(name, sizeof name, "k%u", i);
		n += move(text + n, size - n, l->mask_move, name, l->count * l->size + i * MASK_SIZE, save);
	}
	return n;
}

/* The runtime's function keeps all general registers but r11. */
static size_t write_assembly(const struct level *l, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size,
				    "push %%rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %%rbp, 0\n"
				    "mov %%rsp, %%rbp\n.cfi_def_cfa_register %%rbp\n"
				    "push %%r11\nsub $$%u, %%rsp\nand $$-64, %%rsp\n",
				    l->count * l->size + (l->mask_move ? MASKS * MASK_SIZE : 0));
	n = move_all(l, true, text, n, size);
	/* Code without AVX is slow, on some processors, while the upper halves are in use. */
	n += (size_t)snprintf(text + n, size - n, "%scall ${0:P}\n", l->feature ? "vzeroupper\n" : "");
	n = move_all(l, false, text, n, size);
	return n + (size_t)snprintf(text + n, size - n, "mov -8(%%rbp), %%r11\nleave\n.cfi_def_cfa %%rsp, 8\nret");
}

static LLVMValueRef keeping_function(LLVMModuleRef m, const char *name, const struct level *l)
{
	char own[64], text[4096];
	snprintf(own, sizeof own, "%s.keeping%s", name, l->name);
	LLVMValueRef f = LLVMGetNamedFunction(m, own);
	if (f)
		return f;
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef nothing = LLVMVoidTypeInContext(context), parameter = pointer_type(m);
	LLVMTypeRef type = LLVMFunctionType(nothing, NULL, 0, false), code_type = LLVMFunctionType(nothing, &parameter, 1, false);
	LLVMValueRef target = runtime_function(m, name, type);
	LLVMSetFunctionCallConv(target, LLVMPreserveMostCallConv);
	f = add_cold_function(m, own, type);
	add_attribute(f, "naked", 0);
	add_attribute(f, "nounwind", 0);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
	size_t n = write_assembly(l, text, sizeof text);
	LLVMValueRef code = LLVMGetInlineAsm(code_type, text, n, "Ws", 2, true, false, LLVMInlineAsmDialectATT, false);
	LLVMBuildCall2(b, code_type, code, &target, 1, "");
	LLVMBuildUnreachable(b);
	LLVMDisposeBuilder(b);
	return f;
}

void call_keeping(LLVMBuilderRef b, LLVMValueRef caller, const char *name)
{
	static const char text[] = "call ${0:P}", changes[] = "Ws,~{memory},~{flags}";
	LLVMModuleRef m = LLVMGetGlobalParent(caller);
	LLVMValueRef function = keeping_function(m, name, &levels[level_of(caller)]);
	LLVMTypeRef parameter = pointer_type(m);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(m)), &parameter, 1, false);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof text - 1, changes, sizeof changes - 1, true, false, LLVMInlineAsmDialectATT, false);
	LLVMBuildCall2(b, type, code, &function, 1, "");
}
