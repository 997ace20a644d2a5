/*
 * What a site accesses, as the source has it: of which structure, and how far into it. The log and the executor know addresses only;
 * `rethread explain` makes members of them (src/cli/blocks.h). At -O2 type-based alias information names the structure of most accesses; the
 * variables that hold the pointer, or what it was loaded from, tell more: an object around that one, and all there is at -O0.
 */
#include "instrument/fields.h"
#include "instrument/types.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far pointers are followed back, through memory and where ways join; variables of one value that are looked at. */
enum { DEPTH = 6, STRIPPED = 24, MOST_VARIABLES = 16 };
/* Pointers that are looked at for one site: where many ways join again and again, there is no end to them. */
enum { MOST_POINTERS = 60 };

struct named_type {
	const char *name;
	LLVMMetadataRef type; /* NULL: several that differ have that name */
};

struct fields {
	unsigned tbaa;
	LLVMTargetDataRef layout;
	struct named_type *types; /* by name in alias information */
	size_t n, cap;
	unsigned *looked_at; /* pointers, for the site at hand */
};

/* ---------------------------------------------------------------- alias information ----------- */

static void add_type(void *data, LLVMMetadataRef type)
{
	struct fields *f = data;
	const char *name = type_is_record(type) ? type_text(type, TYPE_IDENTIFIER) : NULL;
	if (type_is_record(type) && !name)
		name = type_text(type, TYPE_NAME);
	if (!name)
		return;
	if (f->n == f->cap)
		f->types = pass_grow(f->types, &f->cap, sizeof *f->types);
	f->types[f->n++] = (struct named_type){name, type};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named_type *)a)->name, ((const struct named_type *)b)->name);
}

/* NULL: there is none of that name, or several that differ. */
static LLVMMetadataRef type_named(const struct fields *f, const char *name)
{
	struct named_type wanted = {name, NULL},
			  *at = f->n ? bsearch(&wanted, f->types, f->n, sizeof wanted, by_name) : NULL;
	return at ? at->type : NULL;
}

/* One of each name: in C, each source file that includes a header has types of its own from it. */
static void sort_types(struct fields *f)
{
	size_t n = 0;
	if (f->n)
		qsort(f->types, f->n, sizeof *f->types, by_name);
	for (size_t i = 0; i < f->n; i++) {
		struct named_type *last = n ? &f->types[n - 1] : NULL, *t = &f->types[i];
		if (!last || by_name(last, t))
			f->types[n++] = *t;
		else if (last->type && (type_bytes(t->type) != type_bytes(last->type) ||
					LLVMDITypeGetLine(t->type) != LLVMDITypeGetLine(last->type)))
			last->type = NULL;
	}
	f->n = n;
}

/* ---------------------------------------------------------------- claims ---------------------- */

/* What the program's own types say is what its programmer knows; names of the library's insides begin with _. */
static int rank(LLVMMetadataRef type)
{
	const char *name = type_text(type, TYPE_NAME);
	return !type_is_of_library(type) ? 2 : name && *name == '_' ? 0 : 1;
}

static bool is_better(LLVMMetadataRef type, const struct field *than)
{
	if (!than->type || type == than->type)
		return !than->type;
	int ranks = rank(type), other = rank(than->type);
	if (ranks != other)
		return ranks > other;
	return type_bytes(type) > than->size || (type_bytes(type) == than->size && type_begins_with(type, than->type));
}

static void consider(struct field *best, struct plain p, uint64_t offset, uint64_t size)
{
	if (!type_is_record(p.type) || offset + size > type_bytes(p.type) || !is_better(p.type, best))
		return;
	*best = (struct field){.type = p.type, .name = p.name, .size = type_bytes(p.type), .offset = offset};
}

/* What the access itself says: the structure that the expression in the source begins with. */
static void consider_alias_information(const struct fields *f, LLVMValueRef access, uint64_t size, struct field *best)
{
	LLVMValueRef tag = LLVMIsAInstruction(access) ? LLVMGetMetadata(access, f->tbaa) : NULL;
	if (!tag || LLVMGetMDNodeNumOperands(tag) < 3)
		return;
	LLVMValueRef parts[8];
	if (LLVMGetMDNodeNumOperands(tag) > 8)
		return;
	LLVMGetMDNodeOperands(tag, parts);
	const char *name = parts[0] && LLVMIsAMDNode(parts[0]) ? type_text(LLVMValueAsMetadata(parts[0]), 0) : NULL;
	LLVMMetadataRef type = name && LLVMIsAConstantInt(parts[2]) ? type_named(f, name) : NULL;
	if (type)
		consider(best, (struct plain){type, NULL}, LLVMConstIntGetZExtValue(parts[2]), size);
}

/*
 * How far an address is from a pointer: `offset`, and any number of times `stride`, unless that is 0. What the pointer points to may be
 * an array.
 */
struct way {
	int64_t offset;
	uint64_t stride, size; /* of the access */
};

static void consider_pointee(struct plain p, const struct way *w, struct field *best)
{
	if (w->offset < 0 || !p.type || !type_bytes(p.type))
		return;
	uint64_t offset = (uint64_t)w->offset, all = type_bytes(p.type);
	if (!w->stride && offset < all) {
		consider(best, p, offset, w->size);
	} else if (!w->stride) {
		/* Most likely an element of an array; optimised code does not tell. */
		if (!best->type && type_is_record(p.type) && !type_has_open_end(p.type))
			consider(best, p, offset % all, w->size);
	} else if (w->stride % all == 0) {
		consider(best, p, offset % all, w->size);
	} else if (offset < all) {
		struct plain element = type_descend(p, &offset, type_is_record_of_size, w->stride);
		consider(best, element, offset, w->size);
	}
}

static void consider_address(const struct fields *f, LLVMValueRef pointer, struct way w, struct field *best, unsigned depth);

/* What a pointer that is loaded or stored points to, by where it is in memory. */
static void consider_kept(const struct fields *f, LLVMValueRef access, LLVMValueRef from, const struct way *w, struct field *best,
			  unsigned depth)
{
	uint64_t begin;
	LLVMMetadataRef declared = llvm_declared_part(from, &begin);
	struct field around = {0};
	if (declared) { /* the pointer itself, or a structure that has it there */
		struct plain p = type_descend(type_plain(declared), &begin, type_is_pointer_at, 0);
		consider_pointee(p.type ? type_pointee(p.type) : (struct plain){0}, w, best);
		return;
	}
	consider_alias_information(f, access, sizeof(void *), &around);
	consider_address(f, from, (struct way){.size = sizeof(void *)}, &around, depth);
	if (!around.type)
		return;
	uint64_t offset = around.offset;
	struct plain p = type_descend((struct plain){around.type, NULL}, &offset, type_is_pointer_at, 0);
	if (p.type)
		consider_pointee(type_pointee(p.type), w, best);
}

static void consider_variables(LLVMValueRef pointer, const struct way *w, struct field *best)
{
	LLVMMetadataRef types[MOST_VARIABLES];
	unsigned n = llvm_variable_types(pointer, types, NULL, MOST_VARIABLES);
	for (unsigned i = 0; i < n; i++)
		consider_pointee(type_pointee(types[i]), w, best);
}

/* A local variable of this thread, whose address others have. */
static void consider_local(LLVMValueRef alloca, const struct way *w, struct field *best)
{
	LLVMMetadataRef declared = llvm_declared_type(alloca);
	struct llvm_place p;
	struct field whole = {0};
	if (!declared)
		return;
	consider_pointee(type_plain(declared), w, &whole);
	if (!whole.type)
		return;
	llvm_place_of(alloca, &p);
	*best = whole;
	best->variable = p.name;
}

static void consider_address(const struct fields *f, LLVMValueRef pointer, struct way w, struct field *best, unsigned depth)
{
	if (++*f->looked_at > MOST_POINTERS)
		return;
	for (int i = 0; i < STRIPPED; i++) {
		consider_variables(pointer, &w, best);
		if (!LLVMIsAGetElementPtrInst(pointer) && !(LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
			break;
		int64_t constant;
		uint64_t stride;
		llvm_pointer_offset(pointer, f->layout, &constant, &stride);
		w.offset += constant;
		w.stride = stride && (!w.stride || stride < w.stride) ? stride : w.stride;
		pointer = LLVMGetOperand(pointer, 0);
	}
	if (LLVMIsAAllocaInst(pointer))
		consider_local(pointer, &w, best);
	else if (LLVMIsAGlobalVariable(pointer))
		consider_pointee(type_plain(llvm_declared_type(pointer)), &w, best);
	else if (LLVMIsALoadInst(pointer) && depth)
		consider_kept(f, pointer, LLVMGetOperand(pointer, 0), &w, best, depth - 1);
	else if (LLVMIsAPHINode(pointer))
		for (unsigned i = 0; i < LLVMCountIncoming(pointer) && depth && !best->type; i++)
			consider_address(f, LLVMGetIncomingValue(pointer, i), w, best, depth - 1);
	else if (LLVMIsASelectInst(pointer))
		for (unsigned i = 1; i <= 2 && depth && !best->type; i++)
			consider_address(f, LLVMGetOperand(pointer, i), w, best, depth - 1);
}

/* The type of a function's parameter, as the source has it, or NULL. */
static LLVMMetadataRef parameter_type(LLVMValueRef function, unsigned index)
{
	LLVMMetadataRef sub = function && LLVMIsAFunction(function) ? LLVMGetSubprogram(function) : NULL;
	LLVMMetadataRef type = sub ? type_node(sub, SUBPROGRAM_TYPE) : NULL, list = type ? type_node(type, SUBROUTINE_TYPES) : NULL;
	unsigned n = list ? llvm_node_operands(list) : 0;
	return list && n == LLVMCountParams(function) + 1 ? type_node(list, index + 1) : NULL;
}

/* What a block is allocated for: by the variables that its address is put into, or by the constructor. */
static void consider_block(const struct fields *f, LLVMValueRef call, struct field *best)
{
	const struct way w = {0};
	consider_variables(call, &w, best);
	for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == call)
			consider_kept(f, user, LLVMGetOperand(user, 1), &w, best, DEPTH);
		for (unsigned i = 0; LLVMIsAInstruction(user) && is_call(user) && i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == call)
				consider_pointee(type_pointee(parameter_type(direct_callee(user), i)), &w, best);
	}
}

static bool is_in_variable(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAGlobalVariable(pointer);
}

/* ---------------------------------------------------------------- arrays of numbers ----------- */

/* A pointer, and where it is kept. */
struct held {
	LLVMMetadataRef type; /* NULL: not known */
	char name[FIELD_NAME];
	bool local; /* in a local variable: members and global variables tell more */
};

static void add_text(struct held *h, const char *format, const char *s)
{
	size_t n = strlen(h->name);
	snprintf(h->name + n, sizeof h->name - n, format, s);
}

/* "hist.bins"; names of the library's insides are left out. */
static void held_by_member(const struct field *around, struct held *h)
{
	struct plain p = {around->type, NULL};
	uint64_t offset = around->offset;
	const char *type = type_text(p.type, TYPE_NAME);
	*h = (struct held){0};
	add_text(h, "%s", type ? type : around->name ? around->name : "?");
	for (int i = 0; p.type && i < 32 && !type_is_pointer_at(p.type, offset, 0); i++) {
		LLVMMetadataRef member = NULL;
		if (LLVMGetDINodeTag(p.type) == TAG_ARRAY) {
			p = type_plain(type_node(p.type, TYPE_BASE));
			offset = p.type && type_bytes(p.type) ? offset % type_bytes(p.type) : 0;
			add_text(h, "%s", "[]");
		} else {
			p = type_is_record(p.type) ? type_member_at(p.type, &offset, &member) : (struct plain){0};
		}
		const char *name = member && LLVMGetDINodeTag(member) == TAG_MEMBER ? type_text(member, TYPE_NAME) : NULL;
		if (name && *name != '_')
			add_text(h, ".%s", name);
	}
	h->type = p.type;
}

static void find_holder(const struct fields *f, LLVMValueRef pointer, struct held *h, unsigned depth);

static void held_in_memory(const struct fields *f, LLVMValueRef access, LLVMValueRef from, struct held *h, unsigned depth)
{
	struct field around = {0};
	*h = (struct held){.type = llvm_declared_type(from)};
	if (h->type) {
		struct llvm_place p;
		llvm_place_of(from, &p);
		add_text(h, "%s", p.name ? p.name : "?");
		h->local = !LLVMIsAGlobalVariable(from);
		return;
	}
	consider_alias_information(f, access, sizeof(void *), &around);
	consider_address(f, from, (struct way){.size = sizeof(void *)}, &around, depth);
	if (around.type) {
		held_by_member(&around, h);
	} else if (depth) { /* an element of an array of pointers */
		find_holder(f, from, h, depth - 1);
		h->type = h->type ? type_pointee(h->type).type : NULL;
		add_text(h, "%s", "[]");
	}
}

static void held_in_variable(LLVMValueRef pointer, struct held *h)
{
	LLVMMetadataRef type;
	const char *name = NULL;
	*h = (struct held){.local = true};
	if (llvm_variable_types(pointer, &type, &name, 1) && name) {
		h->type = type;
		add_text(h, "%s", name);
	}
}

static void find_holder(const struct fields *f, LLVMValueRef pointer, struct held *h, unsigned depth)
{
	for (int i = 0; i < STRIPPED && LLVMIsAGetElementPtrInst(pointer); i++)
		pointer = LLVMGetOperand(pointer, 0);
	if (LLVMIsALoadInst(pointer))
		held_in_memory(f, pointer, LLVMGetOperand(pointer, 0), h, depth);
	else
		held_in_variable(pointer, h);
}

static void find_holder_of_block(const struct fields *f, LLVMValueRef call, struct held *h)
{
	held_in_variable(call, h);
	for (LLVMUseRef u = LLVMGetFirstUse(call); u && (!h->type || h->local); u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		struct held other;
		if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != call)
			continue;
		held_in_memory(f, user, LLVMGetOperand(user, 1), &other, DEPTH);
		if (other.type)
			*h = other;
	}
}

/* Numbers, and pointers, behind a pointer have the name of what holds that. */
static bool find_array(const struct fields *f, LLVMValueRef site, bool allocates, struct field *field)
{
	LLVMValueRef pointers[2];
	struct held h = {0};
	if (allocates)
		find_holder_of_block(f, site, &h);
	else if (accessed_pointers(site, pointers) == 1 && !is_in_variable(pointers[0]))
		find_holder(f, pointers[0], &h, DEPTH);
	struct plain element = h.type ? type_pointee(h.type) : (struct plain){0};
	if (!element.type || type_is_record(element.type) || LLVMGetDINodeTag(element.type) == TAG_ARRAY || !type_bytes(element.type))
		return false;
	*field = (struct field){.size = type_bytes(element.type), .is_array = true, .is_local = h.local};
	memcpy(field->text, h.name, sizeof field->text);
	return true;
}

/* ---------------------------------------------------------------- sites ----------------------- */

static LLVMTypeRef accessed_type(LLVMValueRef access)
{
	switch (LLVMGetInstructionOpcode(access)) {
	case LLVMLoad:
		return LLVMTypeOf(access);
	case LLVMStore:
		return LLVMTypeOf(LLVMGetOperand(access, 0));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return LLVMTypeOf(LLVMGetOperand(access, 1));
	default:
		return NULL;
	}
}

/* Global variables have names without this. Of a copy, which of its two ends is asked for is not known. */
static void consider_access(const struct fields *f, LLVMValueRef access, struct field *best)
{
	LLVMValueRef pointers[2];
	if (accessed_pointers(access, pointers) != 1 || is_in_variable(pointers[0]))
		return;
	LLVMTypeRef type = accessed_type(access);
	uint64_t size = type ? LLVMStoreSizeOfType(f->layout, type) : 1;
	consider_alias_information(f, access, size, best);
	consider_address(f, pointers[0], (struct way){.size = size}, best, DEPTH);
}

static bool describe(struct field *field)
{
	const char *own = type_text(field->type, TYPE_NAME);
	field->name = own ? own : field->name;
	field->of_library = type_is_of_library(field->type);
	field->line = LLVMDITypeGetLine(field->type);
	return field->name || field->variable;
}

bool fields_find(const struct fields *f, LLVMValueRef site, bool allocates, struct field *field)
{
	*field = (struct field){0};
	*f->looked_at = 0;
	if (allocates)
		consider_block(f, site, field);
	else
		consider_access(f, site, field);
	return field->type ? describe(field) : find_array(f, site, allocates, field);
}

bool fields_around(const struct fields *f, LLVMValueRef pointer, struct field *field)
{
	*field = (struct field){0};
	*f->looked_at = 0;
	consider_address(f, pointer, (struct way){.size = 1}, field, DEPTH);
	return field->type && describe(field) && (!field->of_library || field->variable);
}

void fields_offset(const struct fields *f, LLVMValueRef gep, int64_t *constant, uint64_t *stride)
{
	llvm_pointer_offset(gep, f->layout, constant, stride);
}

/* ---------------------------------------------------------------- all of it ------------------- */

struct fields *fields_new(LLVMModuleRef m)
{
	struct fields *f = calloc(1, sizeof *f);
	if (!f || !(f->looked_at = calloc(1, sizeof *f->looked_at)))
		pass_die("out of memory");
	f->tbaa = LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), "tbaa", 4);
	f->layout = LLVMGetModuleDataLayout(m);
	llvm_types(m, add_type, f);
	sort_types(f);
	return f;
}

void fields_free(struct fields *f)
{
	free(f->types);
	free(f->looked_at);
	free(f);
}
