#include "instrument/pass.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t cause_add(struct causes *c, enum why why, LLVMValueRef root)
{
	/* A key of its own for each kind: values of LLVM's lie at multiples of eight. */
	_Static_assert(WHY_PROGRESS == 8, "only what is never added may be a multiple of eight");
	const void *key = (const char *)root + why;
	uint32_t number = map_get(&c->of, key);
	if (number)
		return number;
	if (c->n == c->cap)
		c->at = pass_grow(c->at, &c->cap, sizeof *c->at);
	c->at[c->n++] = (struct cause){why, root};
	map_set(&c->of, key, (uint32_t)c->n);
	return (uint32_t)c->n;
}

void causes_free(struct causes *c)
{
	free(c->at);
	map_free(&c->of);
}

static const char *const texts[WHY_KINDS] = {
	[WHY_SHARED] = "shared memory",
	[WHY_VOLATILE] = "an atomic or volatile access",
	[WHY_RESULT] = "what %s returned",
	[WHY_WRITTEN] = "what %s may have written",
	[WHY_PARAMETER] = "a parameter of %s, which others may call",
	[WHY_ADDRESS] = "where something lies in memory",
	[WHY_UNDEFINED] = "memory that nobody wrote",
	[WHY_INEXACT] = "a number that may come out differently",
	[WHY_PROGRESS] = "known, but shows how far the thread came",
};

/* Of what is called, or of the function that a parameter is one of. */
static const char *name_of(LLVMValueRef root)
{
	LLVMValueRef f = NULL;
	size_t length;
	if (LLVMIsAArgument(root))
		f = LLVMGetParamParent(root);
	else if (LLVMIsAInstruction(root) && is_call(root))
		f = direct_callee(root);
	return f ? LLVMGetValueName2(f, &length) : "an indirect call";
}

const char *cause_text(const struct cause *c)
{
	static char text[256];
	switch (c->why) {
	case WHY_RESULT:
	case WHY_WRITTEN:
	case WHY_PARAMETER:
		snprintf(text, sizeof text, texts[c->why], name_of(c->root));
		return text;
	default:
		return texts[c->why];
	}
}
