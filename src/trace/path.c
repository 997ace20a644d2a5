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

	if (!r->run && r->slot < r->end && RT_PATH_IS_RUN(*r->slot))
		r->run = *r->slot++ & ~RT_PATH_RUN;
	if (r->run) {
		r->run--;
		word = r->table[rt_path_place(r->context)];
	} else {
		word = r->slot < r->end ? *r->slot++ : 0;
	}
	/* None, but for a damaged log: that is the end. */
	if (word <= 1 || RT_PATH_IS_RUN(word)) {
		r->run = 0, r->slot = r->end;
		return 0;
	}
	learn(r, word);
	return word;
}

/* Its bits, the first of them highest. */
static uint64_t in_order(uint64_t word, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits = bits << 1 | (word >> i & 1);
	return bits;
}

static bool refill(struct path_reader *r)
{
	while (!r->left) {
		uint64_t word = next_word(r);

		if (!word)
			return false;
		r->left = rt_path_bits(word);
		r->word = in_order(word, r->left);
		r->words++;
		r->begun += r->left;
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
	if (n > r->left) {
		struct path_reader ahead = *r;

		return path_reader_bits(&ahead, n);
	}
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

uint64_t path_reader_done(const struct path_reader *r)
{
	return r->begun - r->left;
}

bool path_reader_at_end(const struct path_reader *r)
{
	return !r->left && !r->run && r->slot == r->end;
}

bool path_measure(uint64_t *slots, size_t size, uint64_t *words, size_t *nslots, uint64_t *nbits)
{
	struct path_reader r;
	uint64_t all = 0, decoded = 0, word;
	size_t i = 0;

	for (; i < size && slots[i] && all < *words; i++) {
		uint64_t n = RT_PATH_IS_RUN(slots[i]) ? slots[i] & ~RT_PATH_RUN : 1;

		if (!n || slots[i] == 1)
			return false;
		/* Of words that were being written when the thread died the tray has the bits. */
		if (n > *words - all)
			slots[i] = RT_PATH_RUN + (n = *words - all);
		all += n;
	}
	*words = all;
	*nslots = i;
	path_reader_init(&r, slots, *nslots);
	*nbits = 0;
	/* Decoding what was foretold takes time; after very many the rest is taken to be full. */
	for (; decoded < PATH_MEASURED && (word = next_word(&r)); decoded++)
		*nbits += rt_path_bits(word);
	if (decoded == PATH_MEASURED)
		*nbits += (all - decoded) * RT_PATH_WORD;
	return true;
}

size_t path_pack(const uint8_t *bytes, size_t n, uint64_t *words)
{
	size_t count = 0;

	for (unsigned k; n; n -= k, bytes += k) {
		k = n >= RT_PATH_WORD ? RT_PATH_WORD : n == RT_PATH_WORD - 1 ? 31 : (unsigned)n;
		words[count] = 1ull << k;
		for (unsigned i = 0; i < k; i++)
			words[count] |= (uint64_t)(bytes[i] & 1) << i;
		count++;
	}
	return count;
}
