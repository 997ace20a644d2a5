/* The bits of a path: see trace.h. */
#include "trace/trace.h"

#include <string.h>

void path_reader_init(struct path_reader *r, const uint64_t *slots, size_t nslots)
{
	memset(r, 0, sizeof *r);
	r->stage = rt_path_stage_first();
	r->slot = slots;
	r->end = nslots ? slots + nslots : slots;
}

static void learn(struct path_reader *r, uint64_t word)
{
	if (!r->stage.resting) {
		uint64_t *guess = &r->table[rt_path_place(r->context)];

		r->stage.row = *guess == word ? r->stage.row + 1 : 0;
		r->stage.gained += r->stage.row >= RT_PATH_RUN_AFTER;
		*guess = word;
		r->context = rt_path_context(r->context, word);
	}
	if (!--r->stage.left)
		r->stage = rt_path_stage_next(r->stage);
}

/* The next word, or 0. */
static uint64_t next_word(struct path_reader *r)
{
	uint64_t word;

	if (!r->run && r->slot < r->end && RT_PATH_IS_RUN(*r->slot)) {
		size_t skip;

		r->run = *r->slot & ~RT_PATH_RUN;
		skip = 1 + (r->run & 1);
		r->slot += (size_t)(r->end - r->slot) < skip ? (size_t)(r->end - r->slot) : skip;
	}
	if (r->run) {
		r->run--;
		word = r->table[rt_path_place(r->context)];
		/* 0, from a damaged log: that is the end. */
		if (!word)
			r->run = 0, r->slot = r->end;
	} else {
		word = r->slot < r->end ? *r->slot++ : 0;
	}
	if (!rt_path_is_word(word)) /* 0, but for a damaged log */
		return 0;
	if (rt_path_is_full(word))
		learn(r, word);
	else
		r->slot = r->end; /* the last one */
	return word;
}

static bool refill(struct path_reader *r)
{
	while (!r->left) {
		r->word = next_word(r);
		if (!r->word)
			return false;
		r->left = rt_path_bits(r->word);
		r->words++;
	}
	return true;
}

int64_t path_reader_bits(struct path_reader *r, unsigned n)
{
	uint64_t bits = 0;

	while (n) {
		unsigned take;

		if (!r->left && !refill(r))
			return -1;
		take = n < r->left ? n : r->left;
		r->left -= take;
		n -= take;
		bits = bits << take | (r->word >> r->left & ((1ull << take) - 1));
	}
	return (int64_t)bits;
}

int64_t path_reader_peek(const struct path_reader *r, unsigned n)
{
	if (n > r->left)
		return -1;
	return (int64_t)(r->word >> (r->left - n) & ((1ull << n) - 1));
}

/* Are these the next n bits? Reads them, and more or less of them when they are not. */
static bool comes(struct path_reader *r, uint64_t bits, unsigned n)
{
	for (unsigned left = n; left;) {
		unsigned take = left < 32 ? left : 32;

		left -= take;
		if (path_reader_bits(r, take) != (int64_t)(bits >> left & ((1ull << take) - 1)))
			return false;
	}
	return true;
}

static uint64_t count_repeats(struct path_reader *r, uint64_t bits, unsigned n, uint64_t most)
{
	uint64_t repeats = 0;

	while (repeats < most && comes(r, bits, n))
		repeats++;
	return repeats;
}

uint64_t path_reader_repeats(const struct path_reader *r, uint64_t bits, unsigned n, uint64_t most)
{
	struct path_reader ahead = *r;
	unsigned at_once = n < 32 ? 32 / n : 1;
	uint64_t many = 0, repeats;

	for (unsigned i = 0; i < at_once; i++)
		many = (n < 64 ? many << n : 0) | bits;
	repeats = count_repeats(&ahead, many, n * at_once, most / at_once) * at_once;
	ahead = *r;
	path_reader_skip(&ahead, repeats * n);
	return repeats + count_repeats(&ahead, bits, n, most - repeats < at_once ? most - repeats : at_once);
}

void path_reader_skip(struct path_reader *r, uint64_t n)
{
	while (n) {
		uint64_t take;

		if (!r->left && !refill(r))
			return;
		take = n < r->left ? n : r->left;
		r->left -= (unsigned)take;
		n -= take;
	}
}

void path_reader_position(const struct path_reader *r, uint64_t *words, uint32_t *bits)
{
	bool inside = r->words && (r->left || !rt_path_is_full(r->word));

	*words = r->words - inside;
	*bits = inside ? rt_path_bits(r->word) - r->left : 0;
}

bool path_reader_at_end(const struct path_reader *r)
{
	if (r->left || r->run || r->slot == r->end)
		return !r->left && !r->run;
	/* What is left may be an empty word. */
	return *r->slot == RT_PATH_EMPTY;
}

bool path_measure(const uint64_t *slots, size_t size, size_t *nslots, uint64_t *nbits)
{
	struct path_reader r;
	uint64_t foretold = 0, kept = 0, words = 0, word;
	size_t i = 0;

	while (i < size && slots[i]) {
		uint64_t n = RT_PATH_IS_RUN(slots[i]) ? slots[i] & ~RT_PATH_RUN : 0;

		if (!n && !rt_path_is_word(slots[i]))
			return false;
		foretold += n;
		kept += !n;
		if (foretold < n)
			return false;
		i += 1 + (n & 1);
		if (!n && !rt_path_is_full(slots[i - 1]))
			break;
	}
	*nslots = i < size ? i : size;
	path_reader_init(&r, slots, *nslots);
	*nbits = 0;
	/* Decoding what was foretold takes time; after very many the rest is taken to be words of the usual size. */
	for (; words < PATH_MEASURED && (word = next_word(&r)); words++)
		*nbits += rt_path_bits(word);
	if (words == PATH_MEASURED)
		*nbits += (foretold + kept - words) * RT_PATH_LEAST;
	return true;
}
