#include "instrument/members.h"

#include <stdlib.h>
#include <string.h>

uint32_t members_number(struct members *ms, const struct member *m)
{
	for (size_t i = MEMBERS; i < ms->n; i++)
		if (ms->at[i].structure == m->structure && ms->at[i].offset == m->offset && ms->at[i].type == m->type &&
		    ms->at[i].is_inside == m->is_inside && ms->at[i].is_placed == m->is_placed && ms->at[i].place == m->place)
			return (uint32_t)i;
	ms->n = ms->n ? ms->n : MEMBERS;
	while (ms->n >= ms->cap)
		ms->at = pass_grow(ms->at, &ms->cap, sizeof *ms->at);
	ms->at[ms->n] = *m;
	return (uint32_t)ms->n++;
}

static bool may_be_bytes(const struct member *m)
{
	return !m->is_table && !((m->structure || m->is_inside) && m->is_pointer);
}

bool members_alias(const struct members *ms, uint32_t a, uint32_t b)
{
	if (a == MEMBER_ANY || b == MEMBER_ANY || a == b)
		return true;
	if (a == MEMBER_BYTES || b == MEMBER_BYTES)
		return may_be_bytes(&ms->at[a == MEMBER_BYTES ? b : a]);
	const struct member *x = &ms->at[a], *y = &ms->at[b];
	if (x->root != y->root) /* the same structure has the same members in both languages */
		return x->is_pointer == y->is_pointer && (!x->structure || !y->structure || x->offset == y->offset);
	if (x->type != y->type)
		return false;
	if (x->is_placed && y->is_placed)
		return x->place == y->place;
	return !x->structure || !y->structure || (x->structure == y->structure && x->offset == y->offset);
}

enum { MOST_OPERANDS = 512 };

static unsigned operands_of(LLVMValueRef node, LLVMValueRef *operands)
{
	unsigned n = LLVMGetMDNodeNumOperands(node);
	if (n > MOST_OPERANDS)
		return 0;
	LLVMGetMDNodeOperands(node, operands);
	return n;
}

/* Have the two structures the same members up to that offset? */
static bool begin_alike(LLVMValueRef a, LLVMValueRef b, uint64_t offset)
{
	LLVMValueRef x[MOST_OPERANDS], y[MOST_OPERANDS];
	unsigned n = operands_of(a, x), m = operands_of(b, y);
	/* A name, then a type and an offset for each member. */
	for (unsigned i = 1; i + 1 < n && LLVMIsAConstantInt(x[i + 1]) && LLVMConstIntGetZExtValue(x[i + 1]) <= offset; i += 2)
		if (i + 1 >= m || x[i] != y[i] || x[i + 1] != y[i + 1])
			return false;
	return true;
}

/* C calls them "Simple C/C++ TBAA", C++ "Simple C++ TBAA". */
static bool is_of_c(LLVMValueRef root)
{
	LLVMValueRef operands[MOST_OPERANDS];
	unsigned length = 0;
	const char *name = operands_of(root, operands) && operands[0] ? LLVMGetMDString(operands[0], &length) : NULL;
	return !name || !memmem(name, length, "Simple C++", 10);
}

bool members_are_alike(const struct members *ms, uint32_t a, uint32_t b)
{
	if (members_alias(ms, a, b))
		return true;
	if (a < MEMBERS || b < MEMBERS)
		return false;
	const struct member *x = &ms->at[a], *y = &ms->at[b];
	return x->type == y->type && x->structure && y->structure && x->offset == y->offset && is_of_c(x->root) &&
	       begin_alike(x->structure, y->structure, x->offset);
}

void members_free(struct members *ms)
{
	map_free(&ms->of);
	map_free(&ms->numbers);
	free(ms->at);
	*ms = (struct members){0};
}
