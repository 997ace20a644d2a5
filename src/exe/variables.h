/*
 * Variables as the source has them: what lies at an offset into a global variable, by the debug information, and what a value
 * of that type looks like.
 *
 *     struct variables *v = variables_open(program);
 *     struct value_type type;
 *     char *name = variables_member(v, "accounts", 144, 8, &type);    // "accounts[3].money"
 *     char *value = value_type_text(&type, 4607182418800017408);      // "1" where it is a double
 *     variables_close(v);
 */
#ifndef RETHREAD_VARIABLES_H
#define RETHREAD_VARIABLES_H

#include "base/base.h"

#include <limits.h>

enum value_kind { VALUE_UNKNOWN, VALUE_FLOAT, VALUE_BOOL, VALUE_UNSIGNED, VALUE_POINTER, VALUE_ENUM, VALUE_TEXT, VALUE_SHRUNK, VALUE_BITS };

/* Bit-fields of one access that are told apart. */
enum { VALUE_MOST_BITS = 8 };

struct value_type {
	enum value_kind kind;
	unsigned size; /* bytes */
	void *of[4];   /* VALUE_ENUM: the type in the debug information, as long as that is open */
	int64_t times, plus; /* VALUE_SHRUNK: the optimiser keeps one bit of what has two values only */
	bool truth;          /* ... which is a bool */
	struct {
		unsigned char low, width;
	} bits[VALUE_MOST_BITS]; /* VALUE_BITS: so many bit-fields */
	unsigned nbits;
};

struct variables;

/* In the place of a size: the largest object that begins there, or the element of an array, which a pointer may lead to. */
#define VARIABLES_POINTED UINT_MAX

/* NULL when the file cannot be read or has no debug information; all functions take that, and know nothing then. */
struct variables *variables_open(const char *program);
void variables_close(struct variables *v);

/* Does the debug information have any variable or structure? It has lines only where a program was built without -g. */
bool variables_known(struct variables *v);

/*
 * The member at the offset into the variable with this name in the symbol table (C++: mangled), as far down as it holds all `size` bytes
 * of the access. NULL when nothing is known of it. *type says what its values are, and has size 0 when the access is not to one number. Size 0: the object that begins there, without what
 * it is made of inside of a library (names that begin with _), for locks and their like.
 */
char *variables_member(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type);

/* The same of a local variable of any function, by its name and the line that declares it: "queue@12". NULL, too, when that fits variables of different types. */
char *variables_local(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type);

/* A structure, class or union: its name (or that of a typedef, when it has none), where it is declared, its size. */
struct record_key {
	const char *name;
	unsigned line;
	uint64_t size;
};

/* The source's name of a variable that is a record like that, by the name that variables_member or variables_local takes; NULL: it is something else. */
const char *variables_of_record(struct variables *v, const char *name, const struct record_key *key);

/* The same as variables_member of a record that has no name as a variable has: ".price.cents"; "" for all of it. May lie behind its end, in an array without a size. */
char *variables_field(struct variables *v, const struct record_key *key, uint64_t offset, unsigned size, struct value_type *type);

/*
 * The record that a class of the library keeps inside of it, in bytes that it has made room for: what std::make_shared made, beside its counts. *offset: how far into it. False: there
 * is none, or it has no name. The name lives as long as v.
 */
bool variables_kept(struct variables *v, const struct record_key *key, struct record_key *kept, uint64_t *offset);

/* The value's text, or NULL where a signed number says all. */
char *value_type_text(const struct value_type *type, uint64_t value);

#endif
