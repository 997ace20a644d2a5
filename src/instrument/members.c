#include "instrument/members.h"

#include <stdlib.h>

uint32_t members_number(struct members *ms, const struct member *m)
{
	for (size_t i = MEMBERS; i < ms->n; i++)
		if (ms->at[i].structure == m->structure && ms->at[i].offset == m->offset && ms->at[i].type == m->type &&
		    ms->at[i].is_inside == m->is_inside)
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
	return !x->structure || !y->structure || (x->structure == y->structure && x->offset == y->offset);
}

void members_free(struct members *ms)
{
	map_free(&ms->of);
	map_free(&ms->numbers);
	free(ms->at);
	*ms = (struct members){0};
}
