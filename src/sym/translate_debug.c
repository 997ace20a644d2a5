/*
 * Texts and source positions.
 */
#include "sym/translate_internal.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes the character at s takes as UTF-8; 0: it is none, or a zero. */
static size_t character_size(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t size = u[0] < 0x80 ? u[0] != 0 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
	if (size > n || (u[0] == 0xe0 && n > 1 && u[1] < 0xa0) || (u[0] == 0xed && n > 1 && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && n > 1 && u[1] < 0x90) || (u[0] == 0xf4 && n > 1 && u[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

/* Names of files may be any bytes; what is told of them is JSON, which is UTF-8. */
uint32_t add_string(struct tr *t, const char *s, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3ull;
	const void *key = (const void *)(uintptr_t)(hash | 1);
	uint32_t at;
	if (map_get(&t->strings, key, &at) && strlen(t->out_strings.at + at) == n &&
	    !memcmp(t->out_strings.at + at, s, n))
		return at;
	at = (uint32_t)t->out_strings.n;
	for (size_t i = 0, size; i < n; i += size ? size : 1) {
		size = character_size(s + i, n - i);
		for (size_t k = 0; k < size; k++)
			*vec_push(&t->out_strings) = s[i + k];
		if (!size)
			*vec_push(&t->out_strings) = '?';
	}
	*vec_push(&t->out_strings) = 0;
	map_put(&t->strings, key, at);
	return at;
}

static uint32_t add_position(struct tr *t, uint32_t file, uint32_t function, unsigned line, unsigned column)
{
	*vec_push(&t->out_positions) = (struct code_position){.file = file, .function = function, .line = line, .column = column};
	return (uint32_t)t->out_positions.n - 1;
}

static uint32_t file_of(struct tr *t, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	unsigned n = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &n) : NULL;
	return name && n ? add_string(t, name, n) : add_string(t, "?", 1);
}

/* Operand of a metadata node, or NULL. */
static LLVMValueRef operand(struct tr *t, LLVMMetadataRef node, unsigned index)
{
	LLVMValueRef v = LLVMMetadataAsValue(t->ctx, node);
	unsigned n = LLVMGetMDNodeNumOperands(v);
	if (index >= n)
		return NULL;
	LLVMValueRef *all = xcalloc(n, sizeof *all);
	LLVMGetMDNodeOperands(v, all);
	LLVMValueRef result = all[index];
	free(all);
	return result;
}

/* The function a scope is in: where an instruction was written, also when it was inlined elsewhere. NULL: not known. */
static LLVMMetadataRef subprogram_of(struct tr *t, LLVMMetadataRef scope)
{
	for (int depth = 0; scope && depth < 1000; depth++) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
		if (kind == LLVMDISubprogramMetadataKind)
			return scope;
		if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
			break;
		LLVMValueRef parent = operand(t, scope, 1);
		scope = parent ? LLVMValueAsMetadata(parent) : NULL;
	}
	return NULL;
}

static uint32_t function_of(struct tr *t, LLVMMetadataRef scope)
{
	LLVMMetadataRef sub = subprogram_of(t, scope);
	LLVMValueRef name = sub ? operand(t, sub, 2) : NULL;
	unsigned n = 0;
	const char *s = name ? LLVMGetMDString(name, &n) : NULL;
	return s ? add_string(t, s, n) : t->fn.out->name;
}

/* Is that the name of an assignment, or of a constructor or destructor of the class? */
static bool is_of_class(LLVMValueRef name, LLVMMetadataRef class)
{
	unsigned n = 0;
	size_t length = 0;
	const char *s = name ? LLVMGetMDString(name, &n) : NULL, *own = LLVMDITypeGetName(class, &length);
	if (s && n && *s == '~')
		s++, n--;
	return s && ((n == 9 && !memcmp(s, "operator=", 9)) || (own && n == length && !memcmp(s, own, n)));
}

/*
 * Copying an object whose class says nothing of it is the work of a function that the compiler makes, and that has the line in which the class begins. So
 * has what somebody writes in that very line, which no reader misses. Members that are initialized where they are declared have their own.
 */
static bool is_implicit(struct tr *t, LLVMMetadataRef at)
{
	LLVMMetadataRef sub = subprogram_of(t, LLVMDILocationGetScope(at));
	LLVMValueRef scope = sub ? operand(t, sub, 1) : NULL;
	LLVMMetadataRef class = scope ? LLVMValueAsMetadata(scope) : NULL;
	if (!class || LLVMGetMetadataKind(class) != LLVMDICompositeTypeMetadataKind)
		return false;
	unsigned line = LLVMDILocationGetLine(at);
	return line && line == LLVMDISubprogramGetLine(sub) && line == LLVMDITypeGetLine(class) && is_of_class(operand(t, sub, 2), class);
}

uint32_t line_of(struct tr *t, uint32_t position)
{
	const struct code_position *p = &t->out_positions.at[position], *q;
	uint64_t hash = ((uint64_t)p->file << 32 | p->line) * 0x9e3779b97f4a7c15ull ^ (uint64_t)p->function << 1;
	const void *key = (const void *)(uintptr_t)(hash | 1);
	uint32_t known;
	if (!p->line)
		return 0;
	if (!map_get(&t->lines, key, &known)) {
		map_put(&t->lines, key, position);
		return position;
	}
	q = &t->out_positions.at[known];
	return q->file == p->file && q->function == p->function && q->line == p->line ? known : position;
}

static uint32_t position_of_location(struct tr *t, LLVMMetadataRef at)
{
	uint32_t known;
	if (map_get(&t->locations, at, &known))
		return known;
	LLVMMetadataRef scope = LLVMDILocationGetScope(at), outer = LLVMDILocationGetInlinedAt(at);
	uint32_t p = add_position(t, file_of(t, scope), function_of(t, scope), LLVMDILocationGetLine(at),
				  LLVMDILocationGetColumn(at));
	t->out_positions.at[p].implicit = is_implicit(t, at);
	map_put(&t->locations, at, p);
	if (outer) {
		uint32_t of_call = position_of_location(t, outer);
		t->out_positions.at[p].outer = of_call;
	}
	return p;
}

/* What the optimiser moved has no line any more; a value that was read belongs to where it is used. */
static LLVMMetadataRef location_of(LLVMValueRef i)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
	LLVMUseRef u = LLVMIsALoadInst(i) ? LLVMGetFirstUse(i) : NULL;
	for (; !at && u; u = LLVMGetNextUse(u))
		at = LLVMIsAInstruction(LLVMGetUser(u)) ? LLVMInstructionGetDebugLoc(LLVMGetUser(u)) : NULL;
	return at;
}

uint32_t position_of(struct tr *t, LLVMValueRef i)
{
	LLVMMetadataRef at = location_of(i);
	return at ? position_of_location(t, at) : t->fn.out->position;
}

uint32_t function_position(struct tr *t, LLVMValueRef f)
{
	LLVMMetadataRef sub = LLVMGetSubprogram(f);
	return add_position(t, file_of(t, sub), sub ? function_of(t, sub) : t->fn.out->name,
			    sub ? LLVMDISubprogramGetLine(sub) : 0, 0);
}
