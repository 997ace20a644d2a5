#include "instrument/contents.h"

#include <stdlib.h>

struct contents {
	struct sharing *sharing;
	struct map classes; /* those that are CLASS_UNKNOWN: their causes */
	struct held {
		uint32_t member;
		unsigned flags; /* enum class_flag, of that member */
		uint32_t cause; /* of CLASS_UNKNOWN */
		uint32_t next;  /* of the same object, + 1 */
	} *held;
	size_t nheld, held_cap;
	uint32_t *first; /* by object: in held, + 1 */
	bool changed;
};

static unsigned object_flags(const struct contents *c, uint32_t object, uint32_t member, uint32_t *cause)
{
	unsigned flags = 0;
	for (uint32_t h = c->first[object]; h; h = c->held[h - 1].next) {
		if (!points_to_members_alias(c->sharing->points_to, member, c->held[h - 1].member))
			continue;
		flags |= c->held[h - 1].flags;
		if (c->held[h - 1].cause)
			*cause = c->held[h - 1].cause;
	}
	return flags;
}

static const void *class_key(const struct contents *c, uint32_t class)
{
	return (const void *)(uintptr_t)class_find(c->sharing->classes, class);
}

unsigned contents_flags(const struct contents *c, struct place at, uint32_t *cause)
{
	*cause = 0;
	const struct bits *objects = points_to_all(c->sharing->points_to, at.pointer);
	if (objects) {
		unsigned flags = 0;
		for (uint32_t o = 0; bits_next(objects, &o); o++)
			flags |= object_flags(c, o, at.member, cause);
		return flags;
	}
	uint32_t class = class_of(c->sharing, at.pointer);
	if (!class)
		return CLASS_UNKNOWN;
	*cause = map_get(&c->classes, class_key(c, class));
	return class_flags(c->sharing->classes, class);
}

struct flagging {
	struct contents *c;
	uint32_t member;
	unsigned flags;
	uint32_t cause;
};

static void flag_object(void *data, uint32_t object)
{
	struct flagging *f = data;
	struct contents *c = f->c;
	uint32_t h = c->first[object];
	while (h && c->held[h - 1].member != f->member)
		h = c->held[h - 1].next;
	if (!h) {
		if (c->nheld == c->held_cap)
			c->held = pass_grow(c->held, &c->held_cap, sizeof *c->held);
		c->held[c->nheld++] = (struct held){.member = f->member, .next = c->first[object]};
		h = c->first[object] = (uint32_t)c->nheld;
	}
	struct held *held = &c->held[h - 1];
	if ((held->flags & f->flags) == f->flags)
		return;
	held->flags |= f->flags;
	held->cause = held->cause ? held->cause : f->cause;
	c->changed = true;
	points_to_each_clone(c->sharing->points_to, object, flag_object, f);
}

static void flag_class(struct contents *c, LLVMValueRef pointer, unsigned flags, uint32_t cause)
{
	uint32_t class = class_of(c->sharing, pointer);
	unsigned had = class ? class_flags(c->sharing->classes, class) : flags;
	if ((had & flags) == flags)
		return;
	class_flag(c->sharing->classes, class, flags);
	if (cause && !(had & CLASS_UNKNOWN))
		map_set(&c->classes, class_key(c, class), cause);
	c->changed = true;
}

bool contents_flag(struct contents *c, struct place at, unsigned flags, uint32_t cause)
{
	struct flagging f = {c, at.member, flags, cause};
	c->changed = false;
	const struct bits *objects = points_to_some(c->sharing->points_to, at.pointer);
	for (uint32_t o = 0; objects && bits_next(objects, &o); o++)
		if (points_to_has_own(c->sharing->points_to, o))
			flag_object(&f, o);
	flag_class(c, at.pointer, flags, cause);
	return c->changed;
}

bool contents_copy(struct contents *c, const struct bits *objects, LLVMValueRef to)
{
	bool changed = false;
	for (uint32_t o = 0; bits_next(objects, &o); o++)
		for (uint32_t h = c->first[o]; h; h = c->held[h - 1].next) {
			struct held held = c->held[h - 1];
			unsigned flags = held.flags & (CLASS_UNKNOWN | CLASS_POINTERS);
			if (flags)
				changed |= contents_flag(c, (struct place){to, held.member}, flags, held.cause);
		}
	return changed;
}

struct contents *contents_new(struct sharing *sharing)
{
	struct contents *c = pass_alloc(1, sizeof *c);
	c->sharing = sharing;
	c->first = pass_alloc(points_to_objects(sharing->points_to), sizeof *c->first);
	classes_clear(sharing->classes, CLASS_UNKNOWN | CLASS_POINTERS | CLASS_MOVES);
	class_flag(sharing->classes, CLASS_WORLD, CLASS_UNKNOWN | CLASS_POINTERS);
	return c;
}

void contents_free(struct contents *c)
{
	map_free(&c->classes);
	free(c->held);
	free(c->first);
	free(c);
}
