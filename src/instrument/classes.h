/*
 * Classes of memory objects: the union-find structure behind the sharing analysis (Steensgaard's
 * points-to analysis, field-insensitive, nearly linear).
 *
 * A class is a set of memory objects that the analysis does not tell apart. What an SSA value
 * points to is one class; what the contents of a class's objects point to is one class as well, its
 * `next`. A class that holds functions has a class for each parameter and for the result.
 *
 * Class 0 is "nothing" and swallows every operation. Class 1 is the world: everything that code
 * outside of the module, or another thread by way of it, may reach; it points to itself.
 */
#ifndef RETHREAD_CLASSES_H
#define RETHREAD_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

enum { CLASS_NONE = 0, CLASS_WORLD = 1 };

enum class_flag {
	CLASS_OBJECT = 1,  /* contains a known object */
	CLASS_SHARED = 2,  /* more than one thread may reach it */
	CLASS_WRITTEN = 4, /* somebody stores into it while the program runs */
	CLASS_INTEGER = 8, /* pointers to it exist as integers */
	/* After classes_solve, for recompute.c: */
	CLASS_UNKNOWN = 16,  /* what it holds cannot be recomputed */
	CLASS_POINTERS = 32, /* it may hold pointers */
	CLASS_MOVES = 64,    /* realloc may have given its objects another place */
};

struct classes;
struct classes *classes_new(void);
void classes_free(struct classes *c);

uint32_t class_new(struct classes *c);
uint32_t class_find(const struct classes *c, uint32_t a);
unsigned class_flags(const struct classes *c, uint32_t a);
void class_flag(struct classes *c, uint32_t a, unsigned flags);
/* Takes the flags from all. */
void classes_clear(struct classes *c, unsigned flags);
void class_unify(struct classes *c, uint32_t a, uint32_t b);

uint32_t class_next(struct classes *c, uint32_t a);
uint32_t class_param(struct classes *c, uint32_t a, uint32_t i);
uint32_t class_result(struct classes *c, uint32_t a);

/*
 * a and b are linked by an integer that most likely is a plain number: they are unified only if one
 * of them turns out to hold pointers as integers.
 */
void class_link_number(struct classes *c, uint32_t a, uint32_t b);
/* If the class turns out to hold functions, code outside calls them. */
void class_may_be_called(struct classes *c, uint32_t a);

/* Settle the two above, then pass SHARED on to everything that shared memory points to. */
void classes_solve(struct classes *c);

#endif
