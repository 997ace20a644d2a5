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
	struct groups stores, loads; /* loads: those that were asked for */
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

void stored_note(struct stored *s, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	struct access a = access_describe(s->sharing, store, LLVMGetOperand(store, 1), one_value(LLVMTypeOf(value)));
	bool is_new;
	struct group *g = group(&s->stores, &a, &is_new);
	if (s->n == s->cap)
		s->values = pass_grow(s->values, &s->cap, sizeof *s->values);
	s->values[s->n].value = value;
	s->values[s->n].before = g->last;
	g->last = (uint32_t)++s->n;
}

void stored_each(struct stored *s, LLVMValueRef load, void (*found)(void *data, LLVMValueRef value), void *data)
{
	struct access a = access_describe(s->sharing, load, LLVMGetOperand(load, 0), one_value(LLVMTypeOf(load)));
	bool is_new;
	group(&s->loads, &a, &is_new);
	if (!is_new)
		return;
	for (uint32_t i = map_get(&s->stores.first, class_key(&a)); i; i = s->stores.at[i - 1].next) {
		struct group *g = &s->stores.at[i - 1];
		if (!g->last || !access_may_alias(&a, &g->access))
			continue;
		for (uint32_t v = g->last; v; v = s->values[v - 1].before)
			found(data, s->values[v - 1].value);
		g->last = 0;
	}
}

struct stored *stored_new(struct sharing *sharing)
{
	struct stored *s = pass_alloc(1, sizeof *s);
	s->sharing = sharing;
	return s;
}

void stored_free(struct stored *s)
{
	map_free(&s->stores.first);
	map_free(&s->loads.first);
	free(s->stores.at);
	free(s->loads.at);
	free(s->values);
	free(s);
}
