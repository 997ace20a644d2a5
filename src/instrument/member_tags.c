/* Members of structures: which one an access is of, from what the compiler says of it. */
#include "instrument/members.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16 };

static unsigned operands_of(LLVMValueRef node)
{
	return (unsigned)LLVMGetMDNodeNumOperands(node);
}

static bool is_named(LLVMValueRef *operands, const char *name)
{
	unsigned length = 0;
	const char *text = operands[0] ? LLVMGetMDString(operands[0], &length) : NULL;
	return text && length == strlen(name) && !memcmp(text, name, length);
}

LLVMValueRef member_root(LLVMValueRef type)
{
	for (int depth = 0; depth < DEPTH; depth++) {
		LLVMValueRef operands[3];
		unsigned n = operands_of(type);
		if (n == 1)
			return type;
		if (n != 3 && n != 2)
			return NULL;
		LLVMGetMDNodeOperands(type, operands);
		if (!operands[1])
			return NULL;
		type = operands[1];
	}
	return NULL;
}

/* The structure's member around that offset, whose type is returned and the rest of the offset; NULL: there is none. */
static LLVMValueRef member_around(LLVMValueRef structure, uint64_t *offset)
{
	unsigned n = operands_of(structure), last = 0;
	LLVMValueRef *operands = pass_alloc(n, sizeof *operands), type = NULL;
	LLVMGetMDNodeOperands(structure, operands);
	/* A name, then a type and an offset for each member. */
	for (unsigned i = 1; i + 1 < n; i += 2)
		if (operands[i + 1] && LLVMIsAConstantInt(operands[i + 1]) && LLVMConstIntGetZExtValue(operands[i + 1]) <= *offset)
			last = i;
	if (last && operands[last]) {
		*offset -= LLVMConstIntGetZExtValue(operands[last + 1]);
		type = operands[last];
	}
	free(operands);
	return type;
}

/* From the structure down to what directly holds something of the type. */
static void go_inside(struct member *m, LLVMValueRef structure, uint64_t offset)
{
	for (int depth = 0; depth < DEPTH && structure && structure != m->type; depth++) {
		uint64_t rest = offset;
		LLVMValueRef inner = member_around(structure, &rest);
		if (inner == m->type && !rest) {
			m->structure = structure;
			m->offset = offset;
			return;
		}
		structure = inner;
		offset = rest;
	}
}

static bool is_character(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
}

/* MEMBER_ANY or MEMBER_BYTES; MEMBERS: it is *m. */
static uint32_t read_tag(LLVMValueRef tag, LLVMTypeRef accessed, struct member *m)
{
	LLVMValueRef operands[4], type[3];
	unsigned n = operands_of(tag);
	if (n < 3 || n > 4)
		return MEMBER_ANY;
	LLVMGetMDNodeOperands(tag, operands);
	if (!operands[0] || !operands[1] || !operands[2] || !LLVMIsAConstantInt(operands[2]) || operands_of(operands[1]) > 3)
		return MEMBER_ANY;
	*m = (struct member){.type = operands[1], .root = member_root(operands[1])};
	if (!m->root)
		return MEMBER_ANY;
	LLVMGetMDNodeOperands(m->type, type);
	if (is_named(type, "omnipotent char"))
		return is_character(accessed) ? MEMBER_BYTES : MEMBER_ANY;
	m->is_pointer = is_named(type, "any pointer");
	m->is_table = is_named(type, "vtable pointer");
	go_inside(m, operands[0], LLVMConstIntGetZExtValue(operands[2]));
	return MEMBERS;
}

static LLVMValueRef tag_of(LLVMValueRef access)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(access)));
	return LLVMGetMetadata(access, LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "tbaa", 4));
}

static LLVMTypeRef accessed_type(LLVMValueRef access)
{
	return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
}

/* The access's own, or that of another one of the same kind and place: where two accesses became one the optimiser drops it. */
static LLVMValueRef some_tag_of(LLVMValueRef access)
{
	LLVMValueRef tag = tag_of(access), pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
	for (LLVMUseRef u = LLVMIsAInstruction(pointer) && !tag ? LLVMGetFirstUse(pointer) : NULL; u && !tag; u = LLVMGetNextUse(u)) {
		LLVMValueRef other = LLVMGetUser(u);
		bool is_access = LLVMIsALoadInst(other) || (LLVMIsAStoreInst(other) && LLVMGetOperand(other, 1) == pointer);
		if (is_access && accessed_type(other) == accessed_type(access))
			tag = tag_of(other);
	}
	return tag;
}

static bool returns_number(LLVMValueRef call)
{
	return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind;
}

/* Uses that are looked at: what is used in more places is not known. */
enum { MOST_USES = 500 };

struct counting {
	bool stored; /* it may be stored */
	unsigned uses;
};
static bool is_counted_with(struct counting *c, LLVMValueRef number, int depth);

/* The same of what the function is given it for. */
static bool is_counted_inside(struct counting *c, LLVMValueRef call, LLVMValueRef callee, LLVMValueRef number, int depth)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetOperand(call, i) == number &&
		    (!depth || i >= LLVMCountParams(callee) || !is_counted_with(c, LLVMGetParam(callee, i), depth - 1)))
			return false;
	return true;
}

/* Is the number compared, added and subtracted, the size of something for other code, stored if that may be, and nothing else? Hashes are made of anything. */
static bool is_counted_with(struct counting *c, LLVMValueRef number, int depth)
{
	for (LLVMUseRef u = LLVMGetFirstUse(number); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u), callee = is_call(user) ? direct_callee(user) : NULL;
		if (++c->uses > MOST_USES)
			return false;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMICmp:
			break;
		case LLVMStore:
			if (!c->stored || LLVMGetOperand(user, 0) != number)
				return false;
			break;
		case LLVMGetElementPtr:
			if (LLVMGetOperand(user, 0) == number)
				return false;
			break;
		case LLVMCall:
		case LLVMInvoke:
			if (!callee || (is_instrumented(callee) && !is_counted_inside(c, user, callee, number, depth)))
				return false;
			if (!is_intrinsic(callee) || !returns_number(user)) /* a size */
				break;
			/* fallthrough */
		case LLVMAdd: case LLVMSub: case LLVMShl: case LLVMPHI: case LLVMSelect: case LLVMTrunc: case LLVMZExt: case LLVMSExt:
			if (!depth || !is_counted_with(c, user, depth - 1))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool is_number(LLVMValueRef access)
{
	LLVMValueRef tag, operands[4], type[3];
	if ((!LLVMIsALoadInst(access) && !LLVMIsAStoreInst(access)) || LLVMGetTypeKind(accessed_type(access)) != LLVMIntegerTypeKind)
		return false;
	tag = some_tag_of(access);
	if (!tag && LLVMGetIntTypeWidth(accessed_type(access)) < 8 * sizeof(void *)) /* a few characters, mostly */
		return true;
	if (LLVMIsALoadInst(access) && !is_counted_with(&(struct counting){.stored = tag}, access, DEPTH / 2))
		return false;
	if (!tag)
		return LLVMIsALoadInst(access);
	if (operands_of(tag) < 3 || operands_of(tag) > 4)
		return false;
	LLVMGetMDNodeOperands(tag, operands);
	if (!operands[1] || operands_of(operands[1]) != 3)
		return false;
	LLVMGetMDNodeOperands(operands[1], type);
	return !is_named(type, "any pointer") && !is_named(type, "vtable pointer");
}

bool member_is_number(struct members *ms, LLVMValueRef access)
{
	uint32_t known = map_get(&ms->numbers, access);
	if (!known) {
		known = is_number(access) ? 2 : 1;
		map_set(&ms->numbers, access, known);
	}
	return known == 2;
}

/* Behind the beginning of something, at a place that is known, or one of several: a member of it. */
static bool is_inside(LLVMValueRef pointer, int depth)
{
	if (LLVMIsAGetElementPtrInst(pointer)) {
		LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(pointer)));
		int64_t constant;
		uint64_t stride;
		llvm_pointer_offset(pointer, LLVMGetModuleDataLayout(m), &constant, &stride);
		return constant > 0 && !stride;
	}
	if (!depth || (!LLVMIsAPHINode(pointer) && !LLVMIsASelectInst(pointer)))
		return false;
	if (LLVMIsASelectInst(pointer))
		return is_inside(LLVMGetOperand(pointer, 1), depth - 1) && is_inside(LLVMGetOperand(pointer, 2), depth - 1);
	for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
		if (!is_inside(LLVMGetIncomingValue(pointer, i), depth - 1))
			return false;
	return true;
}

/* Does the pointer lead to the begin of an object? To what was allocated, or to the state that a std::thread begins with. */
static bool is_whole(LLVMValueRef pointer)
{
	LLVMValueRef callee = LLVMIsAInstruction(pointer) && is_call(pointer) ? direct_callee(pointer) : NULL;
	if (callee && name_begins(callee, "_Znwm"))
		return true;
	LLVMValueRef f = LLVMIsAArgument(pointer) ? LLVMGetParamParent(pointer) : NULL;
	size_t length;
	return f && LLVMGetParam(f, 0) == pointer && name_begins(f, "_ZNSt6thread11_State_impl") && strstr(LLVMGetValueName2(f, &length), "E6_M_runEv");
}

/* Where a pointer is accessed, in its object; false: that is not known. */
static bool find_place(LLVMValueRef access, uint64_t *place)
{
	LLVMValueRef pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);

	int64_t constant = 0;
	uint64_t stride = 0;
	if (LLVMIsAGetElementPtrInst(pointer)) {
		LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(pointer)));
		llvm_pointer_offset(pointer, LLVMGetModuleDataLayout(m), &constant, &stride);
		pointer = LLVMGetOperand(pointer, 0);
	}
	*place = (uint64_t)constant;
	return !stride && constant >= 0 && LLVMGetTypeKind(accessed_type(access)) == LLVMPointerTypeKind && is_whole(pointer);
}

uint32_t member_of(struct members *ms, LLVMValueRef access)
{
	LLVMValueRef tag = tag_of(access);
	if (!tag)
		return MEMBER_ANY;
	uint64_t place = 0;
	bool is_placed = find_place(access, &place);
	uint32_t known = is_placed ? 0 : map_get(&ms->of, tag);
	if (known)
		return known - 1;
	struct member m;
	uint32_t number = read_tag(tag, accessed_type(access), &m);
	if (number != MEMBERS) /* depends on what is accessed */
		return number;
	if (m.is_pointer && is_placed) {
		m.is_placed = true;
		m.place = place;
	}
	if (m.is_pointer && !m.structure)
		m.is_inside = is_inside(LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0), DEPTH / 4);
	number = members_number(ms, &m);
	if (!m.is_placed && !(m.is_pointer && !m.structure))
		map_set(&ms->of, tag, number + 1);
	return number;
}
