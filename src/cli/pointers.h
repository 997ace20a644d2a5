/*
 * Blocks of the heap by where they were allocated: names for those that nothing else is known of, and for values that are addresses in one, or of a variable.
 */
#ifndef RETHREAD_POINTERS_H
#define RETHREAD_POINTERS_H

#include "cli/blocks.h"

struct pointers;

/* The arguments stay the caller's, and have to live longer. */
struct pointers *pointers_new(const json_t *interleaving, struct blocks *b, struct variables *v);
void pointers_free(struct pointers *p);

/* "block of cache.c:16+8" for the "heap block 0x40+8" of a step, with a number where there are several of that line; NULL: not known. To be freed. */
char *pointers_block(const struct pointers *p, const char *object);
/* The step's value, where it is an address or changes from one to another, becomes `&image`, `&table[3]`, `&on_timer` or the block's name. */
void pointers_in_value(const struct pointers *p, json_t *step);

/* "queue+8" or "item@12+8" is *name, to be freed, and how far into it. */
uint64_t place_parse(const char *place, char **name);
/* What lies there in the variable, global or local, as variables_member says. */
char *place_member(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type);

#endif
