#include "instrument/bits.h"

#include "instrument/pass.h"

#include <stdlib.h>
#include <string.h>

void bits_free(struct bits *b)
{
	free(b->w);
	*b = (struct bits){0};
}

static void reserve(struct bits *b, uint32_t n)
{
	if (n <= b->cap)
		return;
	b->cap = n < 4 ? 4 : n + n / 2;
	b->w = realloc(b->w, b->cap * sizeof *b->w);
	if (!b->w)
		pass_die("out of memory");
}

/* The first word that is not before `at`. */
static uint32_t place_of(const struct bits *b, uint32_t at)
{
	uint32_t low = 0, high = b->n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (b->w[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool bits_has(const struct bits *b, uint32_t i)
{
	uint32_t p = place_of(b, i / 64);
	return p < b->n && b->w[p].at == i / 64 && (b->w[p].word >> (i % 64) & 1);
}

bool bits_add(struct bits *b, uint32_t i)
{
	uint32_t at = i / 64, p = place_of(b, at);
	uint64_t bit = UINT64_C(1) << (i % 64);
	if (p < b->n && b->w[p].at == at) {
		bool is_new = !(b->w[p].word & bit);
		b->w[p].word |= bit;
		return is_new;
	}
	reserve(b, b->n + 1);
	memmove(b->w + p + 1, b->w + p, (b->n - p) * sizeof *b->w);
	b->w[p] = (struct bits_word){at, bit};
	b->n++;
	return true;
}

void bits_remove(struct bits *b, uint32_t i)
{
	uint32_t p = place_of(b, i / 64);
	if (p == b->n || b->w[p].at != i / 64)
		return;
	b->w[p].word &= ~(UINT64_C(1) << (i % 64));
	if (b->w[p].word)
		return;
	b->n--;
	memmove(b->w + p, b->w + p + 1, (b->n - p) * sizeof *b->w);
}

/* How many words of `from` have no place in `to`; *more: any bit is new. */
static uint32_t words_lacking(const struct bits *to, const struct bits *from, bool *more)
{
	uint32_t i = 0, lacking = 0;
	for (uint32_t k = 0; k < from->n; k++) {
		while (i < to->n && to->w[i].at < from->w[k].at)
			i++;
		if (i == to->n || to->w[i].at != from->w[k].at)
			lacking++;
		else if (from->w[k].word & ~to->w[i].word)
			*more = true;
	}
	*more |= lacking > 0;
	return lacking;
}

bool bits_unite(struct bits *to, const struct bits *from)
{
	bool more = false;
	uint32_t lacking = words_lacking(to, from, &more);
	if (!more)
		return false;
	reserve(to, to->n + lacking);
	/* From behind, so that nothing is moved twice. */
	uint32_t i = to->n, k = from->n, end = to->n + lacking;
	to->n = end;
	while (k) {
		if (i && to->w[i - 1].at > from->w[k - 1].at) {
			to->w[--end] = to->w[--i];
		} else if (i && to->w[i - 1].at == from->w[k - 1].at) {
			to->w[--end] = (struct bits_word){to->w[i - 1].at, to->w[i - 1].word | from->w[k - 1].word};
			i--;
			k--;
		} else {
			to->w[--end] = from->w[--k];
		}
	}
	return true;
}

bool bits_equal(const struct bits *a, const struct bits *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->w[i].at != b->w[i].at || a->w[i].word != b->w[i].word)
			return false;
	return true;
}

bool bits_intersect(const struct bits *a, const struct bits *b)
{
	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
		if (a->w[i].at == b->w[k].at && (a->w[i].word & b->w[k].word))
			return true;
		if (a->w[i].at <= b->w[k].at)
			i++;
		else
			k++;
	}
	return false;
}

void bits_minus(const struct bits *a, const struct bits *b, struct bits *out)
{
	out->n = 0;
	reserve(out, a->n);
	for (uint32_t i = 0, k = 0; i < a->n; i++) {
		while (k < b->n && b->w[k].at < a->w[i].at)
			k++;
		uint64_t word = a->w[i].word;
		if (k < b->n && b->w[k].at == a->w[i].at)
			word &= ~b->w[k].word;
		if (word)
			out->w[out->n++] = (struct bits_word){a->w[i].at, word};
	}
}

void bits_assign(struct bits *to, const struct bits *from)
{
	reserve(to, from->n);
	if (from->n)
		memcpy(to->w, from->w, from->n * sizeof *to->w);
	to->n = from->n;
}

size_t bits_count(const struct bits *b)
{
	size_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		n += (size_t)__builtin_popcountll(b->w[i].word);
	return n;
}

bool bits_next(const struct bits *b, uint32_t *i)
{
	uint32_t p = place_of(b, *i / 64);
	if (p < b->n && b->w[p].at == *i / 64) {
		uint64_t rest = b->w[p].word >> (*i % 64);
		if (rest) {
			*i += (uint32_t)__builtin_ctzll(rest);
			return true;
		}
		p++;
	}
	if (p == b->n)
		return false;
	*i = b->w[p].at * 64 + (uint32_t)__builtin_ctzll(b->w[p].word);
	return true;
}
