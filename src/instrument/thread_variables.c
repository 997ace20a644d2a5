/*
 * Variables of threads that other files define (`extern thread_local` in C++): before each access the compiler asks whether there is a
 * function that makes them, _ZTH and the variable's name, and calls it. It is defined beside the variable, where that needs one: where
 * the module has the variable but no such function, there is none, and nobody has to say what it does.
 */
#include "instrument/pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "_ZTH";

/* The variable that the function would make: _ZN1n1vE for _ZTHN1n1vE, v for _ZTH1v. */
static LLVMValueRef variable_of(LLVMModuleRef m, LLVMValueRef function)
{
	size_t length;
	char *name, *plain;
	const char *rest = LLVMGetValueName2(function, &length) + sizeof prefix - 1;
	if (asprintf(&name, "_Z%s", rest) < 0)
		pass_die("out of memory");
	LLVMValueRef v = LLVMGetNamedGlobal(m, name);
	free(name);
	if (!v && isdigit((unsigned char)*rest) && strtoul(rest, &plain, 10) == strlen(plain))
		v = LLVMGetNamedGlobal(m, plain);
	return v;
}

static bool is_missing(LLVMModuleRef m, LLVMValueRef f)
{
	if (!LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMExternalWeakLinkage || !name_begins(f, prefix))
		return false;
	LLVMValueRef v = variable_of(m, f);
	return v && !LLVMIsDeclaration(v) && LLVMIsThreadLocal(v);
}

/* See pass.h. */
void thread_variables_turn(LLVMModuleRef m)
{
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = next) {
		next = LLVMGetNextFunction(f);
		if (!is_missing(m, f))
			continue;
		LLVMReplaceAllUsesWith(f, LLVMConstNull(LLVMTypeOf(f)));
		LLVMDeleteFunction(f);
	}
}
