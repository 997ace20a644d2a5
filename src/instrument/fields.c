/*
 * What a site accesses, as the source has it: of which structure, and how far into it. The log and the executor know addresses only;
 * `rethread explain` makes members of them (src/cli/blocks.h). At -O2 type-based alias information names the structure of most accesses; the
 * variables that hold the pointer, or what it was loaded from, tell more: an object around that one, and all there is at -O0.
 */
#include "instrument/fields.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* DW_TAG_*; the pass has no header of DWARF. */
enum {
	TAG_ARRAY = 0x01, TAG_CLASS = 0x02, TAG_MEMBER = 0x0d, TAG_POINTER = 0x0f, TAG_REFERENCE = 0x10, TAG_STRUCTURE = 0x13,
	TAG_TYPEDEF = 0x16, TAG_UNION = 0x17, TAG_INHERITANCE = 0x1c, TAG_CONST = 0x26, TAG_VOLATILE = 0x35, TAG_RESTRICT = 0x37,
	TAG_NAMESPACE = 0x39, TAG_RVALUE_REFERENCE = 0x42, TAG_ATOMIC = 0x47,
};

/* Operands of types in LLVM's metadata. */
enum { TYPE_SCOPE = 1, TYPE_NAME = 2, TYPE_BASE = 3, TYPE_ELEMENTS = 4, TYPE_IDENTIFIER = 7, SUBPROGRAM_TYPE = 4, SUBROUTINE_TYPES = 3 };

/* How far pointers are followed back, through memory and where ways join; variables of one value that are looked at. */
enum { DEPTH = 6, STRIPPED = 24, MOST_VARIABLES = 16 };

struct named_type {
	const char *name;
	LLVMMetadataRef type; /* NULL: several of that name */
};

struct fields {
	LLVMContextRef context;
	unsigned tbaa;
	LLVMTargetDataRef layout;
	struct named_type *types; /* by name in alias information */
	size_t n, cap;
};

/* A type without typedefs and qualifiers, and the last name that was taken off. */
struct plain {
	LLVMMetadataRef type; /* NULL: void, or nothing known */
	const char *name;
};

/* ---------------------------------------------------------------- types ----------------------- */

static LLVMValueRef operand(const struct fields *f, LLVMMetadataRef node, unsigned index)
{
	LLVMValueRef v = LLVMMetadataAsValue(f->context, node), found = NULL;
	unsigned n = LLVMGetMDNodeNumOperands(v);
	if (index >= n)
		return NULL;
	LLVMValueRef *all = calloc(n, sizeof *all);
	if (!all)
		pass_die("out of memory");
	LLVMGetMDNodeOperands(v, all);
	found = all[index];
	free(all);
	return found;
}

static LLVMMetadataRef node(const struct fields *f, LLVMMetadataRef of, unsigned index)
{
	LLVMValueRef v = operand(f, of, index);
	return v ? LLVMValueAsMetadata(v) : NULL;
}

static const char *text(const struct fields *f, LLVMMetadataRef of, unsigned index)
{
	unsigned length;
	LLVMValueRef v = operand(f, of, index);
	const char *s = v ? LLVMGetMDString(v, &length) : NULL;
	return s && length ? s : NULL;
}

static struct plain plain_type(const struct fields *f, LLVMMetadataRef type)
{
	struct plain p = {type, NULL};
	for (int i = 0; p.type && i < 32; i++) {
		switch (LLVMGetDINodeTag(p.type)) {
		case TAG_TYPEDEF:
			p.name = text(f, p.type, TYPE_NAME);
			break;
		case TAG_CONST:
		case TAG_VOLATILE:
		case TAG_RESTRICT:
		case TAG_ATOMIC:
			break;
		default:
			return p;
		}
		p.type = node(f, p.type, TYPE_BASE);
	}
	return (struct plain){0};
}

static uint64_t bytes_of(LLVMMetadataRef type)
{
	return LLVMDITypeGetSizeInBits(type) / 8;
}

static bool is_record(LLVMMetadataRef type)
{
	unsigned tag = type ? LLVMGetDINodeTag(type) : 0;
	return (tag == TAG_STRUCTURE || tag == TAG_CLASS || tag == TAG_UNION) && !(LLVMDITypeGetFlags(type) & LLVMDIFlagFwdDecl);
}

static struct plain pointee(const struct fields *f, LLVMMetadataRef type)
{
	struct plain p = plain_type(f, type);
	unsigned tag = p.type ? LLVMGetDINodeTag(p.type) : 0;
	if (tag != TAG_POINTER && tag != TAG_REFERENCE && tag != TAG_RVALUE_REFERENCE)
		return (struct plain){0};
	return plain_type(f, node(f, p.type, TYPE_BASE));
}

/*
 * The member or base class of a structure with the byte at `*offset`, which becomes the one in there; the last, since members may lie in the
 * padding of a base class.
 */
static struct plain member_at(const struct fields *f, LLVMMetadataRef type, uint64_t *offset)
{
	LLVMMetadataRef list = node(f, type, TYPE_ELEMENTS);
	unsigned n = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(f->context, list)) : 0;
	struct plain found = {0};
	uint64_t start = 0;
	for (unsigned i = 0; i < n; i++) {
		LLVMMetadataRef m = node(f, list, i);
		unsigned tag = m ? LLVMGetDINodeTag(m) : 0;
		if ((tag != TAG_MEMBER && tag != TAG_INHERITANCE) || LLVMDITypeGetFlags(m) & (LLVMDIFlagStaticMember | LLVMDIFlagVirtual))
			continue;
		uint64_t from = LLVMDITypeGetOffsetInBits(m) / 8;
		struct plain p = plain_type(f, node(f, m, TYPE_BASE));
		if (p.type && *offset >= from && *offset - from < bytes_of(p.type) && (!found.type || from > start)) {
			found = p;
			start = from;
		}
	}
	*offset -= start;
	return found;
}

/* Is its last member an array without a size? */
static bool has_open_end(const struct fields *f, LLVMMetadataRef type)
{
	LLVMMetadataRef list = node(f, type, TYPE_ELEMENTS);
	unsigned n = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(f->context, list)) : 0;
	for (unsigned i = 0; i < n; i++) {
		LLVMMetadataRef m = node(f, list, i);
		struct plain p = m && LLVMGetDINodeTag(m) == TAG_MEMBER ? plain_type(f, node(f, m, TYPE_BASE)) : (struct plain){0};
		if (p.type && LLVMGetDINodeTag(p.type) == TAG_ARRAY && !bytes_of(p.type))
			return true;
	}
	return false;
}

/* Down to where `stops` holds; nothing when that is nowhere. */
static struct plain descend(const struct fields *f, struct plain p, uint64_t *offset,
			    bool (*stops)(LLVMMetadataRef type, uint64_t offset, uint64_t wanted), uint64_t wanted)
{
	for (int i = 0; p.type && i < 32 && !stops(p.type, *offset, wanted); i++) {
		if (LLVMGetDINodeTag(p.type) == TAG_ARRAY) {
			p = plain_type(f, node(f, p.type, TYPE_BASE));
			*offset = p.type && bytes_of(p.type) ? *offset % bytes_of(p.type) : 0;
		} else if (is_record(p.type)) {
			p = member_at(f, p.type, offset);
		} else {
			return (struct plain){0};
		}
	}
	return p;
}

static bool is_pointer_at(LLVMMetadataRef type, uint64_t offset, uint64_t wanted)
{
	unsigned tag = LLVMGetDINodeTag(type);
	(void)wanted;
	return !offset && (tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE);
}

/* An element of an array whose elements are so far apart. */
static bool is_record_of_size(LLVMMetadataRef type, uint64_t offset, uint64_t wanted)
{
	(void)offset;
	return is_record(type) && bytes_of(type) == wanted;
}

/* ---------------------------------------------------------------- alias information ----------- */

static void add_type(void *data, LLVMMetadataRef type)
{
	struct fields *f = data;
	const char *name = is_record(type) ? text(f, type, TYPE_IDENTIFIER) : NULL;
	if (is_record(type) && !name)
		name = text(f, type, TYPE_NAME);
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
	if (!at)
		return NULL;
	LLVMMetadataRef type = at->type;
	while (at > f->types && !by_name(at - 1, &wanted))
		at--;
	for (; at < f->types + f->n && !by_name(at, &wanted); at++)
		if (bytes_of(at->type) != bytes_of(type) || LLVMDITypeGetLine(at->type) != LLVMDITypeGetLine(type))
			return NULL;
	return type;
}

/* ---------------------------------------------------------------- claims ---------------------- */

/* Does it begin with the other, of the same size? A class may add a member where its base has padding. */
static bool begins_with(const struct fields *f, LLVMMetadataRef type, LLVMMetadataRef other)
{
	struct plain p = {type, NULL};
	uint64_t offset = 0;
	for (int i = 0; p.type && p.type != other && is_record(p.type) && i < 32; i++)
		p = member_at(f, p.type, &offset);
	return p.type == other && type != other;
}

/* Of the standard library: in namespace std, or a class of one that is. */
static bool is_of_library(const struct fields *f, LLVMMetadataRef type)
{
	LLVMMetadataRef scope = type;
	for (int i = 0; scope && i < 32; i++) {
		unsigned tag = LLVMGetDINodeTag(scope);
		const char *name = tag == TAG_NAMESPACE ? text(f, scope, TYPE_NAME) : NULL;
		if (name && (!strcmp(name, "std") || !strcmp(name, "__gnu_cxx")))
			return true;
		if (tag != TAG_NAMESPACE && !is_record(scope))
			return false;
		scope = node(f, scope, TYPE_SCOPE);
	}
	return false;
}

/* What the program's own types say is what its programmer knows; names of the library's insides begin with _. */
static int rank(const struct fields *f, LLVMMetadataRef type)
{
	const char *name = text(f, type, TYPE_NAME);
	return !is_of_library(f, type) ? 2 : name && *name == '_' ? 0 : 1;
}

static bool is_better(const struct fields *f, LLVMMetadataRef type, const struct field *than)
{
	if (!than->type || type == than->type)
		return !than->type;
	int ranks = rank(f, type), other = rank(f, than->type);
	if (ranks != other)
		return ranks > other;
	return bytes_of(type) > than->size || (bytes_of(type) == than->size && begins_with(f, type, than->type));
}

static void consider(const struct fields *f, struct field *best, struct plain p, uint64_t offset, uint64_t size)
{
	if (!is_record(p.type) || offset + size > bytes_of(p.type) || !is_better(f, p.type, best))
		return;
	*best = (struct field){.type = p.type, .name = p.name, .size = bytes_of(p.type), .offset = offset};
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
	const char *name = parts[0] && LLVMIsAMDNode(parts[0]) ? text(f, LLVMValueAsMetadata(parts[0]), 0) : NULL;
	LLVMMetadataRef type = name && LLVMIsAConstantInt(parts[2]) ? type_named(f, name) : NULL;
	if (type)
		consider(f, best, (struct plain){type, NULL}, LLVMConstIntGetZExtValue(parts[2]), size);
}

/*
 * How far an address is from a pointer: `offset`, and any number of times `stride`, unless that is 0. What the pointer points to may be
 * an array.
 */
struct way {
	int64_t offset;
	uint64_t stride, size; /* of the access */
};

static void consider_pointee(const struct fields *f, struct plain p, const struct way *w, struct field *best)
{
	if (w->offset < 0 || !p.type || !bytes_of(p.type))
		return;
	uint64_t offset = (uint64_t)w->offset, all = bytes_of(p.type);
	if (!w->stride && offset < all) {
		consider(f, best, p, offset, w->size);
	} else if (!w->stride) {
		/* Most likely an element of an array; optimised code does not tell. */
		if (!best->type && is_record(p.type) && !has_open_end(f, p.type))
			consider(f, best, p, offset % all, w->size);
	} else if (w->stride % all == 0) {
		consider(f, best, p, offset % all, w->size);
	} else if (offset < all) {
		struct plain element = descend(f, p, &offset, is_record_of_size, w->stride);
		consider(f, best, element, offset, w->size);
	}
}

static void consider_address(const struct fields *f, LLVMValueRef pointer, struct way w, struct field *best, unsigned depth);

/* What a pointer that is loaded or stored points to, by where it is in memory. */
static void consider_kept(const struct fields *f, LLVMValueRef access, LLVMValueRef from, const struct way *w, struct field *best,
			  unsigned depth)
{
	LLVMMetadataRef declared = llvm_declared_type(from);
	if (declared) {
		consider_pointee(f, pointee(f, declared), w, best);
		return;
	}
	struct field around = {0};
	consider_alias_information(f, access, sizeof(void *), &around);
	consider_address(f, from, (struct way){.size = sizeof(void *)}, &around, depth);
	if (!around.type)
		return;
	uint64_t offset = around.offset;
	struct plain p = descend(f, (struct plain){around.type, NULL}, &offset, is_pointer_at, 0);
	if (p.type)
		consider_pointee(f, pointee(f, p.type), w, best);
}

static void consider_variables(const struct fields *f, LLVMValueRef pointer, const struct way *w, struct field *best)
{
	LLVMMetadataRef types[MOST_VARIABLES];
	unsigned n = llvm_variable_types(pointer, types, MOST_VARIABLES);
	for (unsigned i = 0; i < n; i++)
		consider_pointee(f, pointee(f, types[i]), w, best);
}

/* A local variable of this thread, whose address others have. */
static void consider_local(const struct fields *f, LLVMValueRef alloca, const struct way *w, struct field *best)
{
	LLVMMetadataRef declared = llvm_declared_type(alloca);
	struct llvm_place p;
	struct field whole = {0};
	if (!declared)
		return;
	consider_pointee(f, plain_type(f, declared), w, &whole);
	if (!whole.type)
		return;
	llvm_place_of(alloca, &p);
	*best = whole;
	best->variable = p.name;
}

static void consider_address(const struct fields *f, LLVMValueRef pointer, struct way w, struct field *best, unsigned depth)
{
	for (int i = 0; i < STRIPPED; i++) {
		consider_variables(f, pointer, &w, best);
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
		consider_local(f, pointer, &w, best);
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
static LLVMMetadataRef parameter_type(const struct fields *f, LLVMValueRef function, unsigned index)
{
	LLVMMetadataRef sub = function && LLVMIsAFunction(function) ? LLVMGetSubprogram(function) : NULL;
	LLVMMetadataRef type = sub ? node(f, sub, SUBPROGRAM_TYPE) : NULL, list = type ? node(f, type, SUBROUTINE_TYPES) : NULL;
	unsigned n = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(f->context, list)) : 0;
	return list && n == LLVMCountParams(function) + 1 ? node(f, list, index + 1) : NULL;
}

/* What a block is allocated for: by the variables that its address is put into, or by the constructor. */
static void consider_block(const struct fields *f, LLVMValueRef call, struct field *best)
{
	const struct way w = {0};
	consider_variables(f, call, &w, best);
	for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == call)
			consider_kept(f, user, LLVMGetOperand(user, 1), &w, best, DEPTH);
		for (unsigned i = 0; LLVMIsAInstruction(user) && is_call(user) && i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == call)
				consider_pointee(f, pointee(f, parameter_type(f, direct_callee(user), i)), &w, best);
	}
}

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

static bool is_in_variable(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAGlobalVariable(pointer);
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

bool fields_find(const struct fields *f, LLVMValueRef site, bool allocates, struct field *field)
{
	*field = (struct field){0};
	if (allocates)
		consider_block(f, site, field);
	else
		consider_access(f, site, field);
	if (!field->type)
		return false;
	const char *own = text(f, field->type, TYPE_NAME);
	field->name = own ? own : field->name;
	field->of_library = is_of_library(f, field->type);
	field->line = LLVMDITypeGetLine(field->type);
	return field->name || field->variable;
}

/* ---------------------------------------------------------------- all of it ------------------- */

struct fields *fields_new(LLVMModuleRef m)
{
	struct fields *f = calloc(1, sizeof *f);
	if (!f)
		pass_die("out of memory");
	f->context = LLVMGetModuleContext(m);
	f->tbaa = LLVMGetMDKindIDInContext(f->context, "tbaa", 4);
	f->layout = LLVMGetModuleDataLayout(m);
	llvm_types(m, add_type, f);
	if (f->n)
		qsort(f->types, f->n, sizeof *f->types, by_name);
	return f;
}

void fields_free(struct fields *f)
{
	free(f->types);
	free(f);
}
