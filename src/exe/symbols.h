/*
 * Source positions of addresses in an executable, from its debug information.
 *
 *     struct symbols *s = symbols_open(program, &err);
 *     struct position p;
 *     if (symbols_find(s, address, &p)) printf("%s %s:%d\n", p.function, p.file, p.line);
 *     symbols_close(s);
 */
#ifndef RETHREAD_SYMBOLS_H
#define RETHREAD_SYMBOLS_H

#include "base/base.h"

struct symbols;

/* Strings belong to the struct symbols. */
struct position {
	const char *function; /* the innermost inlined one; "?" when unknown */
	const char *file;     /* NULL when there is no line information */
	int line;
};

struct symbols *symbols_open(const char *path, struct error *err);
void symbols_close(struct symbols *s);

/* `address` is relative to the load address, as in struct rt_failure. False when nothing is known of it. */
bool symbols_find(struct symbols *s, uint64_t address, struct position *p);

/* The same, but where that is in a header of the system, the line of the program's own that calls it, as far as functions were inlined. */
bool symbols_find_own(struct symbols *s, uint64_t address, struct position *p);

/* Is the address in that line of that function, or in something that is inlined there? */
bool symbols_is_at(struct symbols *s, uint64_t address, const struct position *what);

/* Are both in the same function of the executables, whatever is inlined there? Functions that exist in several versions count as one. */
bool symbols_same_function(struct symbols *s, uint64_t address, struct symbols *other, uint64_t other_address);

/* The variable that has the address, and how far into it that is; NULL when there is none. */
const char *symbols_variable(struct symbols *s, uint64_t address, uint64_t *offset);

/* The file's build-id: returns its size, 0 when it has none; at most `size` bytes are stored. */
size_t symbols_build_id(struct symbols *s, uint8_t *to, size_t size);

#endif
