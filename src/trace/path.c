/* The bits of a path: see trace.h. */
#include "trace/trace.h"

unsigned path_word_bits(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word);
}

void path_reader_init(struct path_reader *r, const uint64_t *words, size_t nwords)
{
	r->word = words;
	r->end = nwords ? words + nwords : words;
	r->left = nwords ? path_word_bits(*words) : 0;
}

int64_t path_reader_bits(struct path_reader *r, unsigned n)
{
	struct path_reader at = *r;
	uint64_t bits = 0;

	while (n) {
		unsigned take;

		while (!at.left) {
			if (at.word == at.end || ++at.word == at.end)
				return -1;
			at.left = path_word_bits(*at.word);
		}
		take = n < at.left ? n : at.left;
		at.left -= take;
		n -= take;
		bits = bits << take | (*at.word >> at.left & ((1ull << take) - 1));
	}
	*r = at;
	return (int64_t)bits;
}

bool path_reader_at_end(const struct path_reader *r)
{
	if (r->left)
		return false;
	for (const uint64_t *w = r->word; w < r->end && w + 1 < r->end; w++)
		if (path_word_bits(w[1]))
			return false;
	return true;
}
