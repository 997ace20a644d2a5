#include "instrument/vtables.h"

#include "instrument/access.h"
#include "instrument/shared.h"

#include <llvm-c/Target.h>
#include <stdlib.h>

struct vtables {
	LLVMTargetDataRef layout;
	struct map first; /* function: its first slot, + 1 */
	struct slot {
		uint64_t offset; /* from where an object's pointer leads */
		uint32_t next;   /* of the same function, + 1 */
	} *slots;
	size_t n, cap;
};

static LLVMValueRef without_alias(LLVMValueRef v)
{
	while (LLVMIsAGlobalAlias(v))
		v = LLVMAliasGetAliasee(v);
	return v;
}

static void add_slot(struct vtables *v, LLVMValueRef function, uint64_t offset)
{
	if (v->n == v->cap)
		v->slots = pass_grow(v->slots, &v->cap, sizeof *v->slots);
	v->slots[v->n++] = (struct slot){offset, map_get(&v->first, function)};
	map_set(&v->first, function, (uint32_t)v->n);
}

/* An object's pointer leads to what comes behind the type's information, or, without that, to the first function. */
static unsigned begin_of(LLVMValueRef table, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef e = without_alias(LLVMGetOperand(table, i));
		if (LLVMIsAGlobalVariable(e) && name_begins(e, "_ZTI"))
			return i + 1;
		if (LLVMIsAFunction(e))
			return i;
	}
	return n;
}

static void add_table(struct vtables *v, LLVMValueRef table)
{
	unsigned n = (unsigned)LLVMGetNumOperands(table), begin = begin_of(table, n);
	for (unsigned i = begin; i < n; i++) {
		LLVMValueRef f = without_alias(LLVMGetOperand(table, i));
		if (LLVMIsAFunction(f))
			add_slot(v, f, (i - begin) * sizeof(void *));
	}
}

struct vtables *vtables_new(LLVMModuleRef m)
{
	struct vtables *v = pass_alloc(1, sizeof *v);
	v->layout = LLVMGetModuleDataLayout(m);
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		LLVMValueRef tables = LLVMGetInitializer(g);
		if (!tables || !(name_begins(g, "_ZTV") || name_begins(g, "_ZTC")))
			continue;
		for (int i = 0; i < LLVMGetNumOperands(tables); i++)
			if (LLVMIsAConstantArray(LLVMGetOperand(tables, (unsigned)i)))
				add_table(v, LLVMGetOperand(tables, (unsigned)i));
	}
	return v;
}

void vtables_free(struct vtables *v)
{
	map_free(&v->first);
	free(v->slots);
	free(v);
}

/* Where in the table of an object the call takes its function from; false: it is no virtual call. */
static bool find_slot(const struct vtables *v, LLVMValueRef call, uint64_t *offset)
{
	LLVMValueRef load = LLVMGetCalledValue(call), table = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL;
	int64_t constant = 0;
	uint64_t stride = 0;
	if (table && LLVMIsAGetElementPtrInst(table)) {
		llvm_pointer_offset(table, v->layout, &constant, &stride);
		table = LLVMGetOperand(table, 0);
	}
	if (!table || !LLVMIsALoadInst(table) || stride || constant < 0 || !access_is_of_vtable(table))
		return false;
	*offset = (uint64_t)constant;
	return true;
}

bool vtables_fit(const struct vtables *v, LLVMValueRef call, LLVMValueRef function)
{
	uint64_t offset;
	uint32_t s = map_get(&v->first, function);
	if (!s || !find_slot(v, call, &offset))
		return true;
	for (; s; s = v->slots[s - 1].next)
		if (v->slots[s - 1].offset == offset)
			return true;
	return false;
}
