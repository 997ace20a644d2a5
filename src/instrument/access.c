#include "instrument/access.h"

#include "instrument/members.h"

#include <llvm-c/Target.h>
#include <string.h>

enum { FIELDS = 200 };

static bool type_is(LLVMValueRef type, const char *name)
{
	LLVMValueRef operands[8];
	unsigned n = LLVMGetMDNodeNumOperands(type), length;
	if (!n || n > 8)
		return false;
	LLVMGetMDNodeOperands(type, operands);
	const char *text = operands[0] ? LLVMGetMDString(operands[0], &length) : NULL;
	return text && length == strlen(name) && !memcmp(text, name, length);
}

static void read_type(LLVMValueRef i, struct access *a)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))));
	LLVMValueRef tag = LLVMGetMetadata(i, LLVMGetMDKindIDInContext(context, "tbaa", 4)), operands[4];
	if (!tag || LLVMGetMDNodeNumOperands(tag) < 3 || LLVMGetMDNodeNumOperands(tag) > 4)
		return;
	LLVMGetMDNodeOperands(tag, operands);
	if (!operands[0] || !operands[1] || type_is(operands[1], "omnipotent char"))
		return;
	a->base = operands[0];
	a->type = operands[1];
	a->offset = LLVMIsAConstantInt(operands[2]) ? LLVMConstIntGetZExtValue(operands[2]) : 0;
}

struct access access_describe(struct sharing *sharing, LLVMValueRef i, LLVMValueRef pointer, LLVMTypeRef type)
{
	LLVMValueRef object = address_base(pointer);
	LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
	struct access a = {
		.class = class_find(sharing->classes, class_of(sharing, pointer)),
		.object = LLVMIsAGlobalVariable(object) ? object : NULL,
		.size = type ? LLVMABISizeOfType(LLVMGetModuleDataLayout(m), type) : 0,
	};
	read_type(i, &a);
	return a;
}

bool access_is_vtable(const struct access *a)
{
	return a->type && type_is(a->type, "vtable pointer");
}

bool access_is_of_vtable(LLVMValueRef i)
{
	struct access a = {0};
	read_type(i, &a);
	return access_is_vtable(&a);
}

bool access_same(const struct access *a, const struct access *b)
{
	return a->class == b->class && a->object == b->object && a->base == b->base && a->type == b->type && a->offset == b->offset &&
	       a->size == b->size && a->locked == b->locked;
}

/* Is the member of struct `inner` at that offset the one of struct `outer` at its offset? */
static bool is_member(LLVMValueRef outer, uint64_t offset, LLVMValueRef inner, uint64_t inner_offset)
{
	for (int depth = 0; depth < 8; depth++) {
		LLVMValueRef fields[FIELDS];
		unsigned n = LLVMGetMDNodeNumOperands(outer);
		if (outer == inner)
			return offset == inner_offset;
		if (n > FIELDS)
			return true;
		LLVMGetMDNodeOperands(outer, fields);
		/* A name, then a type and an offset for each member. */
		unsigned last = 0;
		for (unsigned i = 1; i + 1 < n; i += 2)
			if (fields[i + 1] && LLVMIsAConstantInt(fields[i + 1]) &&
			    LLVMConstIntGetZExtValue(fields[i + 1]) <= offset)
				last = i;
		if (!last || !fields[last])
			return false;
		offset -= LLVMConstIntGetZExtValue(fields[last + 1]);
		outer = fields[last];
	}
	return true;
}

bool access_may_alias(const struct access *a, const struct access *b)
{
	if (a->object && b->object && a->object != b->object)
		return false;
	if (a->size && b->size && a->size != b->size)
		return false;
	if (!a->type || !b->type)
		return true;
	if (a->type != b->type) /* C and C++ have different types for the same */
		return member_root(a->type) != member_root(b->type);
	if (a->base == a->type || b->base == b->type)
		return true;
	return is_member(a->base, a->offset, b->base, b->offset) || is_member(b->base, b->offset, a->base, a->offset);
}
