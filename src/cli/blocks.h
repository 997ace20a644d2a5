/*
 * Names for memory that has none, in the heap or on a stack: what the sites that access it say of it (src/instrument/fields.h), put together
 * with the debug information's members. A block that several sites know something else of is what the largest structure among them says.
 *
 *     struct blocks *b = blocks_new(interleaving, program, variables);
 *     struct block_name n;
 *     if (blocks_name(b, step, "heap block 0x40+36", 0, 4, &n)) ...     // "edition.price.cents", owner "edition"
 *     block_name_release(&n);
 *     blocks_free(b);
 */
#ifndef RETHREAD_BLOCKS_H
#define RETHREAD_BLOCKS_H

#include "exe/variables.h"

#include <jansson.h>

struct blocks;

struct block_name {
	char *name;             /* of what is accessed */
	char *owner;            /* what that begins with: the type, or the local variable; with a number where there are several of the type */
	const char *block;      /* "heap block 0x40", or "" */
	bool inside;            /* the owner is a part of the block */
	bool held;              /* by a container, whose name both have */
	bool numbers;           /* the owner is what holds the pointer to them */
	struct value_type type; /* as variables_member has it */
};

/* Both arguments stay the caller's, and have to live longer. */
struct blocks *blocks_new(const json_t *interleaving, const char *program, struct variables *v);
void blocks_free(struct blocks *b);

/* What lies `behind` an "object" of a step (NULL: of any), accessed with `size` bytes (0: an object that begins there). False: nothing is known of it. */
bool blocks_name(struct blocks *b, const json_t *step, const char *object, uint64_t behind, unsigned size, struct block_name *out);
void block_name_release(struct block_name *n);

#endif
