/*
 * Pointers are followed back to where the program itself has one: through what they were loaded from, through what a function of the library that was inlined
 * was called on (`this` in the debug information), and, where it was not inlined, through its calls.
 */
#include "instrument/holders.h"
#include "base/sources.h"
#include "instrument/shared.h"
#include "instrument/types.h"

#include <string.h>

enum { DEPTH = 10, MOST_POINTERS = 80, STRIPPED = 24, MOST_FRAMES = 6, MOST_CALLS = 8, MOST_STORES = 4 };

struct search {
	const struct fields *f;
	unsigned left; /* pointers that may still be looked at */
};

static bool is_of_pointer(struct search *s, LLVMValueRef pointer, struct holder *h, unsigned depth);

/* ---------------------------------------------------------------- what the program calls it ---- */

/* Iterators and the like are no place that a reader would know. */
static bool is_told(LLVMMetadataRef type)
{
	struct plain p = type_plain(type);
	const char *name = p.type ? type_text(p.type, TYPE_NAME) : NULL;
	return !p.type || !type_is_of_library(p.type) || !name || *name != '_';
}

/* Other containers have more in a block than their elements. */
static uint64_t element_of(LLVMMetadataRef type)
{
	struct plain p = type_plain(type);
	const char *name = p.type && type_is_of_library(p.type) ? type_text(p.type, TYPE_NAME) : NULL;
	LLVMMetadataRef all = name && !strncmp(name, "vector<", 7) && strncmp(name, "vector<bool", 11) ? type_node(p.type, TYPE_PARAMETERS) : NULL;
	LLVMMetadataRef first = all && llvm_node_operands(all) ? type_node(all, 0) : NULL;
	struct plain element = type_plain(first ? type_node(first, PARAMETER_TYPE) : NULL);
	bool number = element.type && !type_is_record(element.type) && LLVMGetDINodeTag(element.type) != TAG_ARRAY;
	return number ? type_bytes(element.type) : 0;
}

/* An atomic variable has nothing but its value, and no memory elsewhere. */
static bool is_value_itself(LLVMMetadataRef type)
{
	struct plain p = type_plain(type);
	const char *name = p.type && type_is_of_library(p.type) ? type_text(p.type, TYPE_NAME) : NULL;
	return name && (!strncmp(name, "atomic<", 7) || !strcmp(name, "atomic_flag"));
}

/* The member of the structure there, through the program's own structures. */
static LLVMMetadataRef member_type(const struct field *in)
{
	struct plain p = {in->type, NULL};
	uint64_t offset = in->offset;
	for (int i = 0; p.type && type_is_record(p.type) && !type_is_of_library(p.type) && i < 32; i++)
		p = type_member_at(p.type, &offset, &(LLVMMetadataRef){NULL});
	return p.type;
}

/* Not a string that stands in the source (the separators that strtok is given): it has no name. */
static bool is_variable(LLVMValueRef base, int64_t offset, bool any, struct holder *h)
{
	bool literal = LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) && LLVMGetLinkage(base) == LLVMPrivateLinkage;
	LLVMMetadataRef declared = LLVMIsAGlobalVariable(base) && !literal ? llvm_declared_type(base) : NULL;
	if (!declared || offset < 0 || !is_told(declared))
		return false;
	LLVMMetadataRef member = member_type(&(struct field){.type = type_plain(declared).type, .offset = (uint64_t)offset});
	*h = (struct holder){.variable = base, .offset = (uint64_t)offset, .any = any, .element = element_of(member), .itself = is_value_itself(member)};
	return true;
}

static LLVMValueRef strip(const struct fields *f, LLVMValueRef pointer, int64_t *offset, bool *any)
{
	*offset = 0;
	*any = false;
	for (int i = 0; i < STRIPPED; i++) {
		int64_t constant;
		uint64_t stride;
		if (!LLVMIsAGetElementPtrInst(pointer) && !(LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
			break;
		fields_offset(f, pointer, &constant, &stride);
		*offset += constant;
		*any |= stride != 0;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

/* ---------------------------------------------------------------- where it comes from ---------- */

/* The functions of the library that were inlined there, the one first that the program called. */
static bool is_in_frames(struct search *s, LLVMValueRef instruction, struct holder *h, unsigned depth)
{
	LLVMValueRef all[MOST_FRAMES];
	unsigned n = LLVMIsAInstruction(instruction) ? llvm_called_on(instruction, is_system_source, all, MOST_FRAMES) : 0;
	for (unsigned i = 0; i < n; i++)
		if (is_of_pointer(s, all[i], h, depth - 1))
			return true;
	return false;
}

static bool is_same(const struct holder *a, const struct holder *b)
{
	return a->variable == b->variable && a->offset == b->offset && a->field.type == b->field.type && a->field.offset == b->field.offset;
}

static unsigned number_of(LLVMValueRef argument)
{
	LLVMValueRef function = LLVMGetParamParent(argument);
	unsigned i = 0;
	while (LLVMGetParam(function, i) != argument)
		i++;
	return i;
}

/* What a function of the library was given, where that is the same in all its calls. */
static bool is_given(struct search *s, LLVMValueRef argument, struct holder *h, unsigned depth)
{
	LLVMValueRef function = LLVMGetParamParent(argument);
	unsigned calls = 0, number = number_of(argument);
	struct holder one;
	if (!llvm_is_in_file(function, is_system_source))
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (!LLVMIsAInstruction(call) || !is_call(call) || direct_callee(call) != function || ++calls > MOST_CALLS ||
		    !(is_in_frames(s, call, &one, depth) || is_of_pointer(s, LLVMGetOperand(call, number), &one, depth - 1)) || (calls > 1 && !is_same(&one, h)))
			return false;
		*h = one;
	}
	return calls;
}

/* strdup and the like: a block of its own, whatever was copied there. What realloc returns is what it was given. */
static bool is_new_block(LLVMValueRef call, LLVMValueRef callee)
{
	size_t n;
	return LLVMIsDeclaration(callee) && llvm_returns_fresh(call) && strncmp(LLVMGetValueName2(callee, &n), "realloc", 7);
}

/* A library's function returns something of what it is called on; of a function without one, of what its pointers lead to. */
static bool is_returned(struct search *s, LLVMValueRef call, struct holder *h, unsigned depth)
{
	LLVMValueRef callee = direct_callee(call), object = callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? llvm_this_of(callee) : NULL;
	if (!callee || is_new_block(call, callee) || (!LLVMIsDeclaration(callee) && !llvm_is_in_file(callee, is_system_source)))
		return false;
	if (object && !LLVMIsAArgument(object))
		return is_of_pointer(s, object, h, depth - 1);
	if (object)
		return is_of_pointer(s, LLVMGetOperand(call, number_of(object)), h, depth - 1);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind && is_of_pointer(s, LLVMGetOperand(call, i), h, depth - 1))
			return true;
	return false;
}

/* A local variable that holds the pointer. */
static bool is_stored(struct search *s, LLVMValueRef alloca, struct holder *h, unsigned depth)
{
	unsigned stores = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(alloca); u && stores < MOST_STORES; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != alloca)
			continue;
		stores++;
		if (is_of_pointer(s, LLVMGetOperand(user, 0), h, depth - 1))
			return true;
	}
	return false;
}

static bool is_from(struct search *s, LLVMValueRef base, struct holder *h, unsigned depth)
{
	if (LLVMIsAArgument(base))
		return is_given(s, base, h, depth);
	if (LLVMIsALoadInst(base)) {
		LLVMValueRef from = LLVMGetOperand(base, 0);
		return LLVMIsAAllocaInst(from) ? is_stored(s, from, h, depth) : is_of_pointer(s, from, h, depth - 1);
	}
	if (LLVMIsAInstruction(base) && is_call(base))
		return is_returned(s, base, h, depth);
	if (LLVMIsAPHINode(base))
		for (unsigned i = 0; i < LLVMCountIncoming(base); i++)
			if (is_of_pointer(s, LLVMGetIncomingValue(base, i), h, depth - 1))
				return true;
	for (unsigned i = 1; LLVMIsASelectInst(base) && i <= 2; i++)
		if (is_of_pointer(s, LLVMGetOperand(base, i), h, depth - 1))
			return true;
	return false;
}

static bool is_of_pointer(struct search *s, LLVMValueRef pointer, struct holder *h, unsigned depth)
{
	int64_t offset;
	bool any;
	if (!depth || !s->left)
		return false;
	s->left--;
	LLVMValueRef base = strip(s->f, pointer, &offset, &any);
	if (is_variable(base, offset, any, h))
		return true;
	*h = (struct holder){.any = any};
	LLVMMetadataRef member = fields_around(s->f, pointer, &h->field) ? member_type(&h->field) : NULL;
	if (member && is_told(member)) {
		h->element = element_of(member);
		h->itself = is_value_itself(member);
		return true;
	}
	return is_in_frames(s, base, h, depth) || is_from(s, base, h, depth);
}

/* ---------------------------------------------------------------- sites ------------------------ */

bool holders_find(const struct fields *f, LLVMValueRef site, struct holder *h)
{
	struct search s = {f, MOST_POINTERS};
	LLVMValueRef pointers[2];
	if (is_call(site))
		return is_in_frames(&s, site, h, DEPTH);
	return accessed_pointers(site, pointers) == 1 && is_of_pointer(&s, pointers[0], h, DEPTH);
}

bool holders_find_called(const struct fields *f, LLVMValueRef call, struct holder *h)
{
	struct search s = {f, MOST_POINTERS};
	return is_in_frames(&s, call, h, DEPTH) || is_returned(&s, call, h, DEPTH);
}
