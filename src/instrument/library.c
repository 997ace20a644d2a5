#include "instrument/pass.h"

#include <stdlib.h>
#include <string.h>

static uint64_t priority_of(LLVMValueRef entry)
{
	return LLVMConstIntGetZExtValue(LLVMGetOperand(entry, 0));
}

/* Entries of llvm.global_ctors or llvm.global_dtors, by priority; those of one priority stay in order. With room for one more. */
static LLVMValueRef *sorted_entries(LLVMValueRef all, unsigned n)
{
	LLVMValueRef *entries = pass_alloc(n + 1, sizeof *entries);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef entry = LLVMGetOperand(all, i);
		unsigned at = i;
		for (; at && priority_of(entries[at - 1]) > priority_of(entry); at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
	return entries;
}

/* The list NAME, empty when there is none. */
static LLVMValueRef *get_list(LLVMModuleRef m, const char *name, unsigned *n)
{
	LLVMValueRef variable = LLVMGetNamedGlobal(m, name);
	LLVMValueRef all = variable ? LLVMGetInitializer(variable) : NULL;
	*n = all && LLVMIsAConstantArray(all) ? (unsigned)LLVMGetNumOperands(all) : 0;
	return sorted_entries(all, *n);
}

static void set_list(LLVMModuleRef m, const char *name, LLVMValueRef *entries, unsigned n)
{
	LLVMTypeRef pointer = pointer_type(m), fields[] = {int_type(m, 32), pointer, pointer};
	LLVMTypeRef type = LLVMStructTypeInContext(LLVMGetModuleContext(m), fields, 3, false);
	LLVMValueRef old = LLVMGetNamedGlobal(m, name), new = LLVMAddGlobal(m, LLVMArrayType2(type, n), "");
	if (old)
		LLVMDeleteGlobal(old);
	LLVMSetValueName2(new, name, strlen(name));
	LLVMSetLinkage(new, LLVMAppendingLinkage);
	LLVMSetInitializer(new, LLVMConstArray2(type, entries, n));
}

static LLVMValueRef entry(LLVMModuleRef m, unsigned priority, LLVMValueRef function, LLVMValueRef data)
{
	LLVMValueRef fields[] = {int_value(m, 32, priority), function, data};
	return LLVMConstStructInContext(LLVMGetModuleContext(m), fields, 3, false);
}

static void set_priority(LLVMModuleRef m, LLVMValueRef *entries, unsigned n, unsigned priority)
{
	for (unsigned i = 0; i < n; i++)
		entries[i] = entry(m, priority, LLVMGetOperand(entries[i], 1), LLVMGetOperand(entries[i], 2));
}

/*
 * A constructor that registers the destructors with __cxa_atexit. For the last constructor of all: what is registered last runs first.
 * NULL when the library does not use __cxa_atexit.
 */
static LLVMValueRef registration(LLVMModuleRef m, LLVMValueRef *destructors, unsigned n)
{
	LLVMValueRef at_exit = LLVMGetNamedFunction(m, "__cxa_atexit"), handle = LLVMGetNamedGlobal(m, "__dso_handle");
	if (!at_exit || !handle)
		return NULL;
	LLVMContextRef c = LLVMGetModuleContext(m);
	LLVMTypeRef none = LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false);
	LLVMValueRef f = LLVMAddFunction(m, PASS_OWN_PREFIX "register_destructors", none);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef arguments[] = {LLVMGetOperand(destructors[i], 1), LLVMConstNull(pointer_type(m)), handle};
		LLVMBuildCall2(b, LLVMGlobalGetValueType(at_exit), at_exit, arguments, 3, "");
	}
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	return f;
}

/* ---------------------------------------------------------------- versions of symbols */

/* The function or variable NAME, which was A so far, under its own name. */
static void add_name(LLVMModuleRef m, const char *a, const char *name)
{
	LLVMValueRef target = LLVMGetNamedFunction(m, a);
	target = target ? target : LLVMGetNamedGlobal(m, a);
	target = target ? target : LLVMGetNamedGlobalAlias(m, a, strlen(a));
	LLVMValueRef old = LLVMGetNamedFunction(m, name);
	old = old ? old : LLVMGetNamedGlobal(m, name);
	if (!target || LLVMIsDeclaration(target) || (old && !LLVMIsDeclaration(old)))
		return;
	LLVMValueRef alias = LLVMAddAlias2(m, LLVMGlobalGetValueType(target), 0, target, "");
	if (old) {
		LLVMReplaceAllUsesWith(old, alias);
		LLVMIsAFunction(old) ? LLVMDeleteFunction(old) : LLVMDeleteGlobal(old);
	}
	LLVMSetValueName2(alias, name, strlen(name));
}

/* ".symver A, NAME@@VERSION": the default version, the only one that a link finds, is given its name. */
static void take_version(LLVMModuleRef m, char *statement)
{
	char *rest = statement, *a, *name;
	strsep(&rest, " \t"); /* the directive */
	do
		a = strsep(&rest, ", \t");
	while (a && !*a);
	do
		name = strsep(&rest, ", \t");
	while (name && !*name);
	char *version = name ? strstr(name, "@@") : NULL;
	if (!version)
		return;
	*version = 0;
	if (*a == '"' || *name == '"')
		pass_die("a quoted name in .symver: %s", a);
	add_name(m, a, name);
}

/*
 * A program has no versions of symbols. The directives that make them are the module's assembly code, which is kept without
 * them; .lto_discard is LTO's own and speaks of that code.
 */
static void drop_versions(LLVMModuleRef m)
{
	size_t size;
	const char *text = LLVMGetModuleInlineAsm(m, &size);
	if (!size)
		return;
	char *copy = pass_alloc(size + 1, 1), *kept = pass_alloc(size + 2, 1), *rest = copy, *statement;
	memcpy(copy, text, size);
	while ((statement = strsep(&rest, "\n;"))) {
		statement += strspn(statement, " \t");
		if (!strncmp(statement, ".symver", 7)) {
			take_version(m, statement);
		} else if (*statement) {
			strcat(kept, statement);
			strcat(kept, "\n");
		}
	}
	LLVMSetModuleInlineAsm2(m, kept, strlen(kept));
	free(copy);
	free(kept);
}

static void order_constructors(LLVMModuleRef m, const char *text)
{
	char *end;
	unsigned long number = text ? strtoul(text, &end, 10) : 0;
	if (!text || *end || number > 65535)
		pass_die("RETHREAD_PASS_PRIORITY has to be a number up to 65535");
	unsigned nc, nd, priority = (unsigned)number;
	LLVMValueRef *constructors = get_list(m, "llvm.global_ctors", &nc);
	LLVMValueRef *destructors = get_list(m, "llvm.global_dtors", &nd);
	LLVMValueRef registering = nd ? registration(m, destructors, nd) : NULL;
	set_priority(m, constructors, nc, priority);
	set_priority(m, destructors, nd, priority);
	if (registering) {
		constructors[nc++] = entry(m, priority, registering, LLVMConstNull(pointer_type(m)));
		nd = 0;
	}
	set_list(m, "llvm.global_ctors", constructors, nc);
	set_list(m, "llvm.global_dtors", destructors, nd);
	free(constructors);
	free(destructors);
}

void library_add_constructor(LLVMModuleRef m, unsigned priority, LLVMValueRef function)
{
	unsigned n;
	LLVMValueRef *constructors = get_list(m, "llvm.global_ctors", &n);
	memmove(constructors + 1, constructors, n * sizeof *constructors);
	constructors[0] = entry(m, priority, function, LLVMConstNull(pointer_type(m)));
	set_list(m, "llvm.global_ctors", constructors, n + 1);
	free(constructors);
}

void library_prepare(LLVMModuleRef m, const char *priority)
{
	order_constructors(m, priority);
	drop_versions(m);
}

void library_list(LLVMModuleRef m, const char *names)
{
	LLVMValueRef text = LLVMConstStringInContext2(LLVMGetModuleContext(m), names, strlen(names), false);
	LLVMValueRef list = LLVMAddGlobal(m, LLVMTypeOf(text), PASS_OWN_PREFIX "linked_in");
	LLVMSetInitializer(list, text);
	LLVMSetGlobalConstant(list, true);
	LLVMSetVisibility(list, LLVMHiddenVisibility);
}
