/* Sets of small numbers, sparse: words of 64 bits that are not empty, in order. A zeroed one is empty. */
#ifndef RETHREAD_BITS_H
#define RETHREAD_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bits_word {
	uint32_t at; /* numbers 64 * at ... */
	uint64_t word;
};

struct bits {
	struct bits_word *w;
	uint32_t n, cap;
};

void bits_free(struct bits *b);
bool bits_has(const struct bits *b, uint32_t i);
/* Those that change it return whether they did. */
bool bits_add(struct bits *b, uint32_t i);
void bits_remove(struct bits *b, uint32_t i);
bool bits_unite(struct bits *to, const struct bits *from);
bool bits_equal(const struct bits *a, const struct bits *b);
bool bits_intersect(const struct bits *a, const struct bits *b);
/* What is in a and not in b. `out` is overwritten. */
void bits_minus(const struct bits *a, const struct bits *b, struct bits *out);
void bits_assign(struct bits *to, const struct bits *from);
size_t bits_count(const struct bits *b);

/* for (uint32_t i = 0; bits_next(b, &i); i++): the numbers of the set, in order. */
bool bits_next(const struct bits *b, uint32_t *i);

#endif
