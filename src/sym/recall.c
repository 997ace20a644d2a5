/*
 * Recorded values (include/rethread/instrument.h): what reads that decide addresses really read. The log has numbers, and the
 * low 32 bits of addresses, in the recorded run's terms: an address there is another one here. Allocations and shared local variables
 * are in the log too, so blocks are known by both addresses (blocks.c); variables and functions by the program's
 * table; other addresses (of libraries) are learnt from reads that do not race.
 *
 * Where one recorded address can stand for several blocks, what is read is one of them, and which one is a guess like
 * others.
 */
#include "sym/recall.h"
#include "sym/ties.h"

#include "sym/code.h"

#include <string.h>

static vec(struct answer {
	uint32_t recorded;
	size_t candidates;
}) doubtful; /* addresses that were taken to be one of so many; looked at again at the end */

static bool is_address_size(unsigned size)
{
	return size == 8;
}

/*
 * Can memory hold what the read found, an address that nothing is known of? Yes when nothing is known of the one that it holds: where the
 * program's own variables lay is known.
 */
static bool is_plausible(uint64_t in_memory, uint32_t recorded)
{
	uint32_t other;
	/* Libraries allocate as well, exceptions for one. */
	return (uint32_t)in_memory == recorded ||
	       (in_memory >= SMALL && !block_recorded(in_memory, &other) && (!recall_in_program(in_memory) || recall_is_declared(in_memory)));
}

static bool next(const struct ethread *self, uint32_t *value)
{
	if (!self->log || self->next_value >= self->log->values.n)
		return false;
	*value = trace_values_at(&self->log->values, self->next_value);
	return true;
}

/* The value of the read at hand: two words of a wide one. */
static bool next_read(struct ethread *self, uint64_t *value)
{
	uint32_t word;
	if (!next(self, &word))
		return false;
	*value = word;
	if (self->recall_wide) {
		if (self->next_value + 1 >= self->log->values.n)
			return false;
		*value |= (uint64_t)trace_values_at(&self->log->values, self->next_value + 1) << 32;
	}
	return true;
}

uint32_t recall_next(const struct ethread *self)
{
	uint32_t value;
	return next(self, &value) ? value : 0;
}

void host_recall(struct ithread *t, unsigned flags)
{
	struct ethread *self = ithread_data(t);
	if ((flags & RECALL_UNORDERED) && engine.lock_order)
		return;
	if ((flags & RECALL_OFTEN) && self->log && self->next_value >= trace_often_end(self->log))
		return;
	self->recall = true;
	self->recall_wide = flags & RECALL_WIDE;
	self->recall_float = flags & RECALL_FLOAT;
}

/*
 * Is the number the lower half of what the C library had left in the first word of a block that it got back, or all of it: the block's page
 * number and another block's address, exclusive or? Such blocks are multiples of 16 apart. It is another number here.
 */
static bool is_link(const struct ethread *self, uint64_t recorded, unsigned size, uint64_t *left)
{
	enum { APART = 16, USER_BITS = 47 };
	uint64_t start, length;
	uint32_t place;
	bool freed;
	if (self->recall_wide ? recorded >> USER_BITS : size != sizeof(uint32_t))
		return false;
	if (recorded < SMALL || !mirror_has(self->recall_address) ||
	    !engine.config->heap_block(self->recall_address, &start, &length, &freed) || start != self->recall_address ||
	    !block_recorded(start, &place) || (recorded ^ RT_FREED_LINK(place)) % APART)
		return false;
	/* Many numbers of 64 bits are such by chance: of all of the word it is known what some block's address makes. */
	return (!self->recall_wide || left_may_be(start, (uint32_t)recorded)) && native_left_by_free(start, true, start, size, left);
}

/* The same where it was read as an address: one that the log knows nothing of, and that some block's address makes. */
static bool is_link_as_address(const struct ethread *self, uint32_t recorded, uint64_t *left)
{
	uint64_t start, length, own[CANDIDATES];
	bool freed;
	return !self->recall_wide && recorded >= SMALL && mirror_has(self->recall_address) && !recall_candidates(recorded, own) &&
	       engine.config->heap_block(self->recall_address, &start, &length, &freed) && start == self->recall_address &&
	       left_may_be(start, recorded) && native_left_by_free(start, true, start, sizeof *left, left);
}

/*
 * The bits of the recorded value that tell something. Structures are copied by words, with their padding, where the recorded run had whatever lay on
 * the stack: no write explains that, and nothing depends on it. Padding is accessed together with the members beside it only; and where all of a word is just
 * copied, what is in memory has the first half right, which is no accident.
 */
static uint64_t telling_bits(const struct ethread *self, uint64_t recorded, uint64_t in_memory, unsigned size)
{
	uint64_t address;
	bool is_number = self->recall_wide ? recall_address_in(recorded, &address) == TAG_NO_ADDRESS : !is_address_size(size);
	if (recorded == in_memory || self->recall_float || !is_number)
		return ~0ull;
	uint64_t padding = races_never_apart(engine.races, self->recall_address, size);
	if (padding != (size < sizeof padding ? (1ull << 8 * size) - 1 : ~0ull))
		return ~padding;
	return self->recall_wide && (uint32_t)recorded == (uint32_t)in_memory ? UINT32_MAX : ~0ull;
}

/* The value that the read at hand finds, where the log leaves no doubt of it. */
static bool foretold(const struct ethread *self, uint64_t recorded, unsigned size, uint64_t *value)
{
	uint64_t own[CANDIDATES], address = recorded;
	if (!self->recall_float && is_link(self, recorded, size, value))
		return true;
	*value = is_address_size(size) ? recorded : recorded & ((1ull << size * 8) - 1);
	if (self->recall_float || !is_address_size(size))
		return true;
	if (self->recall_wide && recall_address_in(recorded, &address) == TAG_NO_ADDRESS)
		return true;
	if (!self->recall_wide && recall_is_small((uint32_t)recorded)) {
		*value = (uint64_t)(int64_t)(int32_t)recorded;
		return true;
	}
	if (is_link_as_address(self, (uint32_t)recorded, value))
		return true;
	if (address != recorded || recall_candidates((uint32_t)recorded, own) != 1)
		return false;
	*value = own[0];
	return true;
}

/* Whoever allocates the block has not come there yet? */
static void await_block(struct ethread *self, uint64_t recorded, uint64_t address, unsigned size)
{
	uint64_t in_memory = 0;
	enum tag tag = self->recall_wide ? recall_address_in(recorded, &recorded) : TAG_ABOVE;
	if (self->recall_float || tag == TAG_NO_ADDRESS || recall_knows((uint32_t)recorded))
		return;
	memcpy(&in_memory, (const void *)(uintptr_t)address, size);
	in_memory = tag == TAG_BELOW ? in_memory >> TAG_BITS : in_memory & ADDRESS_BITS;
	/* What the thread wrote itself was no other's, and library code may have allocated it, which is not in the log. */
	if (is_plausible(in_memory, (uint32_t)recorded) || races_is_own(engine.races, self->number, address))
		return;
	self->published = false;
	self->wait = WAIT_BLOCK;
	self->wait_order = (uint32_t)recorded;
	baton_wait(self);
}

void recall_await(struct ethread *self, uint64_t address, unsigned size)
{
	uint64_t recorded, value, in_memory = 0;
	self->recall_address = address;
	if (!self->recall || !next_read(self, &recorded))
		return;
	memcpy(&in_memory, (const void *)(uintptr_t)address, size);
	if (((in_memory ^ recorded) & telling_bits(self, recorded, in_memory, size)) == 0)
		return;
	if (is_address_size(size))
		await_block(self, recorded, address, size);
	if (foretold(self, recorded, size, &value))
		await_value(self, address, size, value);
}

void host_allocated(struct ithread *t, uint64_t own, uint64_t size)
{
	struct ethread *self = ithread_data(t);
	uint32_t recorded;
	uint64_t start, all;
	bool freed;
	if (!next(self, &recorded))
		return;
	self->next_value++;
	if (size && own < -(uint64_t)SMALL) {
		recall_note_low(recorded, size);
		block_at_place(recorded, own, size);
	} else if (!size && own && recorded && engine.config->heap_block(own, &start, &all, &freed)) {
		recall_note_low(recorded, start + all - own);
		block_on_heap(recorded, own, start + all - own);
	}
}

void host_placed(struct ithread *t, uint64_t own, uint64_t size, const char *name)
{
	if (*name)
		names_local(own, size, name);
	host_allocated(t, own, size);
}

/* Is that where the address of the recorded run lies here, in one of perhaps many blocks, or at the end of one? */
static bool stands_for(uint64_t own, uint32_t recorded)
{
	uint32_t other;
	return (block_recorded(own, &other) && other == recorded) || (block_recorded(own - 1, &other) && other + 1 == recorded);
}

static expr either(expr a, expr b)
{
	return expr_binary(engine.exprs, EXPR_OR, a, b);
}

/* One of n values, or of more: which, is a guess. */
static void among(struct ethread *self, struct slot *s, uint32_t recorded, const uint64_t *own, size_t n)
{
	recall_share_blocks(own, n);
	expr any = expr_const(engine.exprs, 1, n == CANDIDATES);
	for (size_t i = 0; i < n; i++)
		any = expr_binary(engine.exprs, EXPR_OR, any, expr_equals(engine.exprs, s->e, own[i]));
	condition_add(self, any, 1, CONDITION_RECORDED);
	for (size_t i = 0; i < n; i++)
		if (own[i] == s->v)
			return;
	if (n == CANDIDATES && stands_for(s->v, recorded))
		return;
	s->v = own[0];
	guess_was(s->e, s->v);
}

/* Blocks that libraries allocated, which are not in the log, by the recorded addresses that they were taken to have had. */
static vec(struct {
	uint32_t recorded;
	uint64_t own;
}) foreign;

static bool all_freed(const uint64_t *own, size_t n)
{
	uint64_t start, size;
	bool freed;
	for (size_t i = 0; i < n; i++)
		if (!engine.config->heap_block(own[i], &start, &size, &freed) || !freed)
			return false;
	return true;
}

/*
 * Where all that the log knows to have lain at the recorded address is given back, a block that a library allocated, which is not in the log, may have lain
 * there: exceptions, what was formatted. Memory holds it; or it did when another thread read that address, and holds what was written since.
 */
static bool may_be_foreign(uint64_t in_memory, uint32_t recorded, const uint64_t *own, size_t n, uint64_t *block)
{
	uint64_t start, size;
	uint32_t known;
	bool freed;
	if (!all_freed(own, n))
		return false;
	*block = in_memory;
	if (!block_recorded(in_memory, &known) && engine.config->heap_block(in_memory, &start, &size, &freed))
		return true;
	for (size_t i = foreign.n; i-- > 0;)
		if (foreign.at[i].recorded == recorded) {
			*block = foreign.at[i].own;
			return true;
		}
	return false;
}

/* One of those, or that block, which is the guess. */
static void or_foreign(struct ethread *self, struct slot *s, uint32_t recorded, const uint64_t *own, size_t n, uint64_t block)
{
	expr any = expr_equals(engine.exprs, s->e, block);
	for (size_t i = 0; i < n; i++)
		any = either(any, expr_equals(engine.exprs, s->e, own[i]));
	condition_add(self, any, 1, CONDITION_RECORDED);
	s->v = block;
	guess_was(s->e, s->v);
	vec_push(&foreign);
	foreign.at[foreign.n - 1].recorded = recorded;
	foreign.at[foreign.n - 1].own = block;
}

static void not_null(struct ethread *self, const struct slot *s)
{
	condition_add(self, expr_equals(engine.exprs, s->e, 0), 0, CONDITION_RECORDED);
}

/* Under that condition the value is known. */
static void known_when(struct ethread *self, struct slot *s, expr condition, uint64_t value)
{
	condition_add(self, condition, 1, CONDITION_RECORDED);
	s->v = value;
	guess_was(s->e, value);
	s->e = EXPR_NONE;
}

static void exactly(struct ethread *self, struct slot *s, uint64_t value)
{
	known_when(self, s, expr_equals(engine.exprs, s->e, value), value);
}

/* The value is known but for the other bits, on which nothing depends. */
static void known_in(struct ethread *self, struct slot *s, uint64_t bits, uint64_t value, unsigned size)
{
	expr e = expr_binary(engine.exprs, EXPR_AND, s->e, expr_const(engine.exprs, size * 8, bits));
	known_when(self, s, expr_equals(engine.exprs, e, value & bits), value);
}

/* Here, of what was an address there: what it may be, or as it was. */
static uint64_t translated(uint64_t recorded)
{
	uint64_t own[CANDIDATES];
	size_t n = recall_candidates((uint32_t)recorded, own);
	if (n > 1)
		recall_share_blocks(own, n);
	if (n)
		return own[0];
	return recall_learnt((uint32_t)recorded) ? recall_learnt((uint32_t)recorded) : recorded;
}

/* The one address that the recorded one can stand for here, where memory holds an address as well, of that block or another: no number. */
static bool is_one_address(uint64_t in_memory, uint32_t recorded, uint64_t *own)
{
	uint64_t all[CANDIDATES];
	uint32_t other;
	if (recall_candidates(recorded, all) != 1)
		return false;
	*own = all[0];
	return *own == in_memory || block_recorded(in_memory, &other);
}

/* A number of 64 bits, or an address in the place of one, which is another one here: what that is, is a guess. */
static void wide(struct ethread *self, struct slot *s, uint64_t recorded)
{
	uint64_t address, own, left;
	if (is_link(self, recorded, sizeof recorded, &left)) {
		exactly(self, s, left);
		return;
	}
	enum tag tag = recall_address_in(recorded, &address);
	if (tag == TAG_NO_ADDRESS) {
		exactly(self, s, recorded);
		return;
	}
	if (recorded == address && is_one_address(s->v, (uint32_t)recorded, &own)) {
		*vec_push(&doubtful) = (struct answer){ (uint32_t)recorded, 1 };
		exactly(self, s, own);
		return;
	}
	if (tag == TAG_ABOVE && (uint32_t)s->v == (uint32_t)recorded)
		return;
	/* An address of a library: most likely the one that is in memory, if nothing is known of that either. */
	if (recorded == address && !recall_knows((uint32_t)recorded) && recall_may_be_address(s->v) && is_plausible(s->v, (uint32_t)recorded)) {
		guess_was(s->e, s->v);
		return;
	}
	address = translated(address);
	s->v = tag == TAG_ABOVE ? address | (recorded & ~ADDRESS_BITS)
				: address << TAG_BITS | (recorded & ((1ull << TAG_BITS) - 1));
	guess_was(s->e, s->v);
}

/* An address, by its type, whose lower half was recorded. */
static void address(struct ethread *self, struct slot *s, uint32_t recorded)
{
	uint64_t own[CANDIDATES], block, left;
	if (is_link_as_address(self, recorded, &left)) {
		exactly(self, s, left);
		return;
	}
	size_t n = recall_is_small(recorded) ? 0 : recall_candidates(recorded, own);
	if (recorded && (n || recall_looks_small(recorded)))
		*vec_push(&doubtful) = (struct answer){ recorded, n };
	if (n && n < CANDIDATES && may_be_foreign(s->v, recorded, own, n, &block)) {
		or_foreign(self, s, recorded, own, n, block);
	} else if (n > 1) {
		among(self, s, recorded, own, n);
	} else if (n == 1) {
		exactly(self, s, own[0]);
	} else if (recall_is_small(recorded)) {
		exactly(self, s, (uint64_t)(int64_t)(int32_t)recorded);
	} else {
		not_null(self, s);
		if (recall_learnt(recorded))
			s->v = recall_learnt(recorded);
		else if (s->v >> 32 == 0)
			s->v = recorded;
		guess_was(s->e, s->v);
	}
}

/* The last recorded value of the thread that failed at an address? */
static bool precedes_fault(const struct ethread *self)
{
	const struct rt_failure *f = &engine.trace->failure;
	return f->kind == RT_FAIL_SIGNAL && f->address >= RT_PAGE && self->log->info.number == f->thread &&
	       self->next_value == self->log->values.n;
}

/* And was used as that address? */
static bool may_be_fault(const struct ethread *self, uint32_t recorded)
{
	return precedes_fault(self) && engine_log_used_up(self) && !recall_knows(recorded);
}

/* What the allocator leaves in a block that was given back, should the read be of one: it is another value here. */
static expr is_left_by_free(const struct ethread *self, expr e)
{
	uint64_t start, size, left;
	bool freed;
	expr mark = expr_equals(engine.exprs, e, engine.freed_mark);
	if (!engine.config->heap_block(self->recall_address, &start, &size, &freed))
		return mark;
	left_known(start, &left);
	return either(mark, expr_equals(engine.exprs, e, left));
}

/*
 * An address that leads nowhere, made of something else: no address of a block, so it is the same here, or the
 * allocator's. False: that is not what failed.
 */
static bool is_fault(struct ethread *self, struct slot *s, uint32_t recorded)
{
	enum { NEAR = 1 << 20, BEFORE = 16, CANONICAL = 47, REST = 64 - CANONICAL }; /* free looks at what lies before a block */
	const struct rt_failure *f = &engine.trace->failure;
	uint64_t value = f->address >> 32 << 32 | recorded;
	if (!may_be_fault(self, recorded) || (f->address != RT_NO_ADDRESS && f->address + BEFORE - value >= NEAR))
		return false;
	expr data = expr_equals(engine.exprs, s->e, value);
	if (f->address == RT_NO_ADDRESS) {
		expr upper = expr_extract(engine.exprs, s->e, CANONICAL, REST);
		expr canonical = either(expr_equals(engine.exprs, upper, 0), expr_equals(engine.exprs, upper, (1ull << REST) - 1));
		value = 1ull << 62 | recorded;
		data = expr_binary(engine.exprs, EXPR_AND, expr_equals(engine.exprs, canonical, 0),
				   expr_equals(engine.exprs, expr_extract(engine.exprs, s->e, 0, 32), recorded));
	}
	known_when(self, s, either(data, is_left_by_free(self, s->e)), value);
	self->read_fault = true;
	return true;
}

/*
 * A number, which is the same here; or, where it led to the fault, a part of what the allocator left in a block, as the size
 * of an array that was given back: it leads nowhere either.
 */
static void number(struct ethread *self, struct slot *s, uint64_t recorded, unsigned size)
{
	uint64_t start, length, left;
	bool freed;
	expr is_same = expr_equals(engine.exprs, s->e, recorded);
	if (is_link(self, recorded, size, &left)) {
		exactly(self, s, left);
		return;
	}
	if (precedes_fault(self) && engine.config->heap_block(self->recall_address, &start, &length, &freed) &&
	    native_left_by_free(start, true, self->recall_address, size, &left))
		is_same = either(is_same, expr_equals(engine.exprs, s->e, left));
	known_when(self, s, is_same, recorded);
}

void recall_value(struct ethread *self, struct slot *s, unsigned size)
{
	uint64_t recorded, bits, own[CANDIDATES];
	if (!self->recall)
		return;
	self->recall = false;
	bool there = next_read(self, &recorded);
	self->next_value += self->recall_wide ? 2 : 1;
	if (!there)
		return;
	if (!self->recall_wide && !self->recall_float && !is_address_size(size) && !ties_on())
		left_read(self->recall_address, recorded, size);
	if (!s->e) {
		/* What is not racy is known; it tells where other things lie. */
		bool number = self->recall_wide ? !recall_may_be_address(recorded) : recall_is_small((uint32_t)recorded);
		if (is_address_size(size) && !number && s->v >= SMALL && !recall_candidates((uint32_t)recorded, own))
			recall_learn((uint32_t)recorded, s->v);
	} else if ((bits = telling_bits(self, recorded, s->v, size)) != ~0ull) {
		known_in(self, s, bits, recorded, size);
	} else if (self->recall_float) {
		known_when(self, s, expr_float_is(engine.exprs, s->e, recorded), recorded);
	} else if (!is_address_size(size)) {
		number(self, s, recorded & ((1ull << size * 8) - 1), size);
	} else if (is_fault(self, s, (uint32_t)recorded)) {
		return;
	} else if (self->recall_wide) {
		wide(self, s, recorded);
	} else {
		address(self, s, (uint32_t)recorded);
	}
}

void recall_share(void)
{
	uint64_t own[CANDIDATES];
	for (size_t i = 0; i < doubtful.n; i++) {
		size_t n = recall_candidates(doubtful.at[i].recorded, own);
		if (n != doubtful.at[i].candidates)
			recall_share_blocks(own, n);
	}
}

size_t recall_doubtful(void)
{
	size_t n = recall_unplaced();
	uint64_t own[CANDIDATES];
	for (size_t i = 0; i < doubtful.n; i++)
		n += recall_candidates(doubtful.at[i].recorded, own) != doubtful.at[i].candidates;
	return n;
}
