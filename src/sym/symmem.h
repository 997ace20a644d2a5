/*
 * Expressions of memory: for each byte that depends on a symbol, which expression and which byte of it.
 *
 * Kept apart from memory, in pages made on demand. A small table of counters, indexed by a hash of the page
 * number, answers "nothing here" with one load and a compare; that is all an access costs in a program
 * without symbols. A page counts for the page before it as well, so that an access that begins there and
 * reaches into it is seen, too: no access the fast check is used for is longer than a page.
 *
 * With each byte goes the concrete value memory held when the expression was set. Native code writes to
 * memory without telling anybody; a byte that has changed since has lost its expression.
 *
 * Used by one thread at a time (interp.h).
 */
#ifndef RETHREAD_SYMMEM_H
#define RETHREAD_SYMMEM_H

#include "sym/expr.h"

#define SYMMEM_PAGE 4096u
#define SYMMEM_FILTER (1u << 16)

struct sympage {
	uint64_t number;       /* address / SYMMEM_PAGE */
	uint32_t used;         /* bytes with an expression; a page without any is given back */
	struct sympage *next;  /* in its bucket, or in the free list */
	struct sympage *later, **earlier; /* among all that are in use */
	expr e[SYMMEM_PAGE];   /* of the value whose byte this is, EXPR_NONE when concrete */
	uint8_t byte[SYMMEM_PAGE];
	uint8_t seen[SYMMEM_PAGE];
};

struct symmem {
	uint16_t filter[SYMMEM_FILTER];
	uint8_t watched[SYMMEM_FILTER]; /* somebody wants to know of stores to a page with that number */
	struct sympage *buckets[SYMMEM_FILTER];
	struct sympage *all, *free;
	struct expr_arena *exprs;
	uint64_t npages;
};

struct symmem *symmem_new(struct expr_arena *exprs);
void symmem_free(struct symmem *m);

/* May any of the (at most SYMMEM_PAGE) bytes from address have an expression? */
static inline bool symmem_maybe(const struct symmem *m, uint64_t address)
{
	return m->filter[(address / SYMMEM_PAGE) % SYMMEM_FILTER] != 0;
}

static inline void symmem_watch(struct symmem *m, uint64_t address)
{
	m->watched[(address / SYMMEM_PAGE) % SYMMEM_FILTER] = 1;
}

static inline bool symmem_watched(const struct symmem *m, uint64_t address)
{
	return m->watched[(address / SYMMEM_PAGE) % SYMMEM_FILTER];
}

/* The expression, 8 * size wide, of size <= 8 bytes; EXPR_NONE when they are all concrete. */
expr symmem_get(struct symmem *m, uint64_t address, unsigned size);
/* Memory already holds the value. e is at most 8 * size wide and is zero extended to that; EXPR_NONE clears. */
void symmem_set(struct symmem *m, uint64_t address, unsigned size, expr e);
void symmem_clear(struct symmem *m, uint64_t address, uint64_t size);
/* Every byte's expression becomes what f makes of it, of the same width; a constant is none. */
void symmem_replace(struct symmem *m, expr (*f)(void *data, expr e), void *data);
/* As memmove, after memory has been moved. */
void symmem_move(struct symmem *m, uint64_t to, uint64_t from, uint64_t size);

#endif
