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

/* ---- very many bits at once: a thread that waits for another goes round billions of times ---- */

enum { CYCLE = 16 }; /* words */

/*
 * Foretold words are made of the ones before them, so after the same words the same come again. How many words there are to a cycle, which
 * are in cycle[]; 0: more than that, or some are not full.
 */
static unsigned find_cycle(const struct path_reader *r, uint64_t cycle[CYCLE])
{
	uint64_t context = r->context;

	for (unsigned n = 0; n < CYCLE;) {
		uint64_t word = r->table[rt_path_place(context)];

		if (rt_path_bits(word) != RT_PATH_WORD)
			return 0;
		context = rt_path_context(context, word);
		cycle[n++] = word;
		if (context == r->context)
			return n;
	}
	return 0;
}

/* Whole cycles of foretold words that can be left out at once, `most` words at most: how many words. They end before the trial does. */
static uint64_t in_cycles(const struct path_reader *r, unsigned cycle, uint64_t most)
{
	uint64_t n = r->run < most ? r->run : most;

	if (!cycle || r->stage.resting)
		return 0;
	n = n < r->stage.left - 1 ? n : r->stage.left - 1;
	return n - n % cycle;
}

/* As if so many words had been learnt, in whole cycles. */
static void leave_out(struct path_reader *r, uint64_t n)
{
	unsigned row = r->stage.row, late = RT_PATH_RUN_AFTER - 1;

	r->stage.row += (uint32_t)n;
	if (r->stage.row > late)
		r->stage.gained += r->stage.row - (row > late ? row : late);
	r->stage.left -= (uint32_t)n;
	r->run -= n;
	r->words += n;
	r->begun += n * RT_PATH_WORD;
}

/* Bits that come again and again: the 64 that follow when so many of them have come are in ahead[]. */
struct pattern {
	uint64_t ahead[64];
	unsigned n;
};

static void pattern_init(struct pattern *p, uint64_t bits, unsigned n)
{
	p->n = n;
	for (unsigned at = 0; at < n; at++) {
		p->ahead[at] = 0;
		for (unsigned i = 0; i < 64; i++)
			p->ahead[at] = p->ahead[at] << 1 | (bits >> (n - 1 - (at + i) % n) & 1);
	}
}

/* Are foretold words such bits, and go on to be, from here on? */
static bool is_pattern(const struct pattern *p, unsigned at, const uint64_t *cycle, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (in_order(cycle[i], RT_PATH_WORD) != p->ahead[(at + i * RT_PATH_WORD) % p->n] >> (64 - RT_PATH_WORD))
			return false;
	return n && n * RT_PATH_WORD % p->n == 0;
}

uint64_t path_reader_repeats(const struct path_reader *from, uint64_t bits, unsigned n, uint64_t most)
{
	struct path_reader r = *from;
	struct pattern p;
	uint64_t done = 0, all = most < UINT64_MAX / n ? most * n : UINT64_MAX / n * n, cycle[CYCLE];

	pattern_init(&p, bits, n);
	while (done < all) {
		unsigned words = !r.left && r.run ? find_cycle(&r, cycle) : 0, at = (unsigned)(done % n), take;

		if (is_pattern(&p, at, cycle, words)) {
			uint64_t more = in_cycles(&r, words, (all - done) / RT_PATH_WORD);

			leave_out(&r, more);
			done += more * RT_PATH_WORD;
		}
		if (done == all || (!r.left && !refill(&r)))
			break;
		take = r.left < all - done ? r.left : (unsigned)(all - done);
		uint64_t differ = (r.word >> (r.left - take) ^ p.ahead[done % n] >> (64 - take)) & (UINT64_MAX >> (64 - take));
		if (differ)
			return (done + take - 64 + (unsigned)__builtin_clzll(differ)) / n;
		r.left -= take;
		done += take;
	}
	return done / n;
}

void path_reader_skip(struct path_reader *r, uint64_t n)
{
	uint64_t cycle[CYCLE];

	while (n) {
		uint64_t take;

		if (!r->left && r->run && n / RT_PATH_WORD) {
			uint64_t words = in_cycles(r, find_cycle(r, cycle), n / RT_PATH_WORD);

			leave_out(r, words);
			n -= words * RT_PATH_WORD;
		}
		if (!n || (!r->left && !refill(r)))
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
