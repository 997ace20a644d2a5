/*
 * Sets of objects that grow along inclusions: the solver behind pointsto.c (Andersen's points-to analysis; waves over a graph whose
 * cycles are collapsed, after Pereira and Berlin, CGO'09, and between two waves single nodes as they come).
 *
 * A node is a variable that holds pointers, and has a set of objects. What an object holds is told apart by member (members.h):
 * a cell has a node for what is stored there; a load sees the cells whose members may be the same bytes.
 *
 * OBJECT_WORLD stands for memory of which nothing is known: what code outside of the module has. Whatever comes to the node
 * `world` is known out there (OBJECT_OUTSIDE): what is stored in such an object goes there as well, and what is loaded from it may be anything
 * of the world's; that is not told from the world any more. Numbers that are loaded from the world are taken for numbers, not for pointers to it.
 */
#ifndef RETHREAD_INCLUSION_H
#define RETHREAD_INCLUSION_H

#include "instrument/bits.h"
#include "instrument/members.h"

enum { OBJECT_WORLD = 0 };
enum { OBJECT_OUTSIDE = 1, OBJECT_OPEN = 2 /* only what it holds is known outside */ };

struct inclusion;
/* Called while the sets grow: the functions that `node` of a call may lead to, and functions that are known outside. */
struct inclusion_calls {
	void (*called)(void *data, uint32_t call, uint32_t object);
	void (*outside)(void *data, uint32_t object);
	void *data;
};
struct inclusion *inclusion_new(const struct members *members, const struct inclusion_calls *calls);
void inclusion_free(struct inclusion *in);

/* Node 0 is "nothing": it swallows every operation. */
uint32_t inclusion_node(struct inclusion *in);
uint32_t inclusion_object(struct inclusion *in);
/* What comes there is known outside. */
uint32_t inclusion_world(const struct inclusion *in);

/* Nothing is ever stored there, whatever a pointer may lead to as far as is known. Before anything else is said of the object. */
void inclusion_seal(struct inclusion *in, uint32_t object);

void inclusion_add(struct inclusion *in, uint32_t node, uint32_t object);
void inclusion_copy(struct inclusion *in, uint32_t from, uint32_t to);
void inclusion_load(struct inclusion *in, uint32_t address, uint32_t to, uint32_t member, bool is_pointer);
void inclusion_store(struct inclusion *in, uint32_t address, uint32_t from, uint32_t member);
/* memcpy */
void inclusion_move(struct inclusion *in, uint32_t to, uint32_t from);
/* Code outside reads and writes what is there, but does not keep the address. */
void inclusion_open(struct inclusion *in, uint32_t address);
/* Code outside only reads what is there. */
void inclusion_leak(struct inclusion *in, uint32_t address);
void inclusion_call(struct inclusion *in, uint32_t callee, uint32_t call);
/* Whatever `object` holds, `other` holds too. */
void inclusion_inherit(struct inclusion *in, uint32_t object, uint32_t other);
/* What a store to the object itself, by name, has put there. */
uint32_t inclusion_cell(struct inclusion *in, uint32_t object, uint32_t member);

/* False: it would take more than `most` steps; the sets are not complete then. */
bool inclusion_solve(struct inclusion *in, uint64_t most);
/* Valid until something is added. */
const struct bits *inclusion_set(const struct inclusion *in, uint32_t node);
unsigned inclusion_flags(const struct inclusion *in, uint32_t object);
uint32_t inclusion_objects(const struct inclusion *in);
/* Calls found(data, object) for all that the object's cells hold. */
void inclusion_each_held(const struct inclusion *in, uint32_t object, void (*found)(void *data, uint32_t held), void *data);

#endif
