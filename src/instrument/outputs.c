/*
 * What functions that show something (externals.def) only read of what they are given, LLVM is told by attributes of the function: then all analyses of the pass know that
 * such a call writes no text that is shown, keeps no way to it, and that what lies beside a text (the object whose member it is) is not known outside for being shown.
 */
#include "instrument/pass.h"
#include "rt/effects.h"

#include <string.h>

static const struct {
	const char *name, *class, *effects;
} externals[] = {
#define EXTERNAL(name, class, effects) {#name, #class, effects},
#include <rethread/externals.def>
#undef EXTERNAL
};

static void mark(LLVMValueRef f, unsigned parameter, const char *attribute)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
	LLVMAddAttributeAtIndex(f, parameter + 1, LLVMCreateEnumAttribute(context, kind, 0));
}

/* Which of the parameters, a bit each. */
static uint64_t only_read(const char *effects)
{
	uint64_t reads = 0, others = 0;
	struct effect e;
	while (effect_next(&effects, &e)) {
		if (e.kind == 'a')
			return 0;
		if (e.parameter < 64)
			*(e.kind == 'r' ? &reads : &others) |= 1ull << e.parameter;
	}
	return reads & ~others;
}

void outputs_turn(LLVMModuleRef m)
{
	for (size_t i = 0; i < sizeof externals / sizeof *externals; i++) {
		LLVMValueRef f = strcmp(externals[i].class, "OUTPUT") ? NULL : LLVMGetNamedFunction(m, externals[i].name);
		if (!f || !LLVMIsDeclaration(f))
			continue;
		uint64_t read = only_read(externals[i].effects);
		for (unsigned k = 0; k < LLVMCountParams(f) && k < 64; k++)
			if (read >> k & 1 && LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(f, k))) == LLVMPointerTypeKind) {
				mark(f, k, "readonly");
				mark(f, k, "nocapture");
			}
	}
}
