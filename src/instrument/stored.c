#include "instrument/stored.h"

#include <stdlib.h>

/* Stores, or loads, of which the same is known. */
struct group {
	struct access access;
	uint32_t last; /* store, + 1; 0 once they were handed out */
	uint32_t next; /* of the same class, + 1 */
};

struct groups {
	struct map first; /* class: its first group, + 1 */
	struct group *at;
	size_t n, cap;
};

struct stored {
	struct sharing *sharing;
	struct groups stores, float_stores;
	struct groups loads[2]; /* that were asked for: of others, and of floating point numbers */
	struct {
		LLVMValueRef value;
		uint32_t before; /* of the same group, + 1 */
	} *values;
	size_t n, cap;
};

static const void *class_key(const struct access *a)
{
	return (const void *)(uintptr_t)(a->class + 1);
}

/* Where `a` belongs; *is_new: it is the first of its kind. */
static struct group *group(struct groups *g, const struct access *a, bool *is_new)
{
	uint32_t first = map_get(&g->first, class_key(a));
	*is_new = false;
	for (uint32_t i = first; i; i = g->at[i - 1].next)
		if (access_same(&g->at[i - 1].access, a))
			return &g->at[i - 1];
	if (g->n == g->cap)
		g->at = pass_grow(g->at, &g->cap, sizeof *g->at);
	g->at[g->n] = (struct group){.access = *a, .next = first};
	map_set(&g->first, class_key(a), (uint32_t)++g->n);
	*is_new = true;
	return &g->at[g->n - 1];
}

/* Vectors and structures are several values: their size tells nothing of what is read. */
static LLVMTypeRef one_value(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
		return NULL;
	default:
		return type;
	}
}

/* Floating point numbers: nobody reads them as addresses or integers. */
static bool is_float(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMVectorTypeKind)
		return is_float(LLVMGetElementType(type));
	return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind;
}

void stored_note(struct stored *s, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	struct access a = access_describe(s->sharing, store, LLVMGetOperand(store, 1), one_value(LLVMTypeOf(value)));
	bool is_new;
	struct group *g = group(is_float(LLVMTypeOf(value)) ? &s->float_stores : &s->stores, &a, &is_new);
	if (s->n == s->cap)
		s->values = pass_grow(s->values, &s->cap, sizeof *s->values);
	s->values[s->n].value = value;
	s->values[s->n].before = g->last;
	g->last = (uint32_t)++s->n;
}

static void hand_out(const struct stored *s, struct groups *stores, const struct access *a, void (*found)(void *data, LLVMValueRef value), void *data)
{
	for (uint32_t i = map_get(&stores->first, class_key(a)); i; i = stores->at[i - 1].next) {
		struct group *g = &stores->at[i - 1];
		if (!g->last || !access_may_alias(a, &g->access))
			continue;
		for (uint32_t v = g->last; v; v = s->values[v - 1].before)
			found(data, s->values[v - 1].value);
		g->last = 0;
	}
}

void stored_each(struct stored *s, LLVMValueRef load, void (*found)(void *data, LLVMValueRef value), void *data)
{
	struct access a = access_describe(s->sharing, load, LLVMGetOperand(load, 0), one_value(LLVMTypeOf(load)));
	bool is_new, floats = is_float(LLVMTypeOf(load));
	group(&s->loads[floats], &a, &is_new);
	if (!is_new)
		return;
	hand_out(s, &s->stores, &a, found, data);
	if (floats)
		hand_out(s, &s->float_stores, &a, found, data);
}

struct stored *stored_new(struct sharing *sharing)
{
	struct stored *s = pass_alloc(1, sizeof *s);
	s->sharing = sharing;
	return s;
}

void stored_free(struct stored *s)
{
	struct groups *all[] = {&s->stores, &s->float_stores, &s->loads[0], &s->loads[1]};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		map_free(&all[i]->first);
		free(all[i]->at);
	}
	free(s->values);
	free(s);
}
