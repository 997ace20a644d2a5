/*
 * Functions of the C library that read text or bytes: strlen, strcmp, memcmp, strcpy, atoi and their kin. Native code would have to be
 * given one guess of all that it reads, so that each byte became an assumption. Here the bytes that race stay symbols: what
 * the function returns, and what a copy holds, are expressions of them. Only where a copy that others see ends is a guess.
 */
#include "sym/engine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST = 4096,  /* bytes; more are left to native code */
	BEYOND = 64,  /* so much longer than it is now a text may have been, outside of the heap; so much further what is looked for may have been */
	PAGE = 4096,
	DIGITS = 18,  /* of a number, with what stands before it: none of these is too large */
};

enum text_kind { MEASURES, FINDS, COMPARES_TEXT, COMPARES_BYTES, COPIES, COPIES_TO_END, APPENDS, COUNTS };

static const struct text_function {
	const char *name;
	enum text_kind kind;
	int most; /* the parameter that says how many bytes at most; -1: none does */
} functions[] = {
	{ "strlen", MEASURES, -1 },         { "strnlen", MEASURES, 1 },
	{ "memchr", FINDS, 2 },
	{ "strcmp", COMPARES_TEXT, -1 },    { "strncmp", COMPARES_TEXT, 2 },
	{ "memcmp", COMPARES_BYTES, 2 },    { "bcmp", COMPARES_BYTES, 2 },
	{ "strcpy", COPIES, -1 },           { "__strcpy_chk", COPIES, -1 },
	{ "stpcpy", COPIES_TO_END, -1 },    { "__stpcpy_chk", COPIES_TO_END, -1 },
	{ "strcat", APPENDS, -1 },          { "__strcat_chk", APPENDS, -1 },
	{ "atoi", COUNTS, -1 },             { "atol", COUNTS, -1 },
	{ "atoll", COUNTS, -1 },            { "strtol", COUNTS, -1 },
	{ "strtoll", COUNTS, -1 },          { "strtoul", COUNTS, -1 },
	{ "strtoull", COUNTS, -1 },         { "__isoc23_strtol", COUNTS, -1 },
	{ "__isoc23_strtoll", COUNTS, -1 }, { "__isoc23_strtoul", COUNTS, -1 },
	{ "__isoc23_strtoull", COUNTS, -1 },
};

/* What was read: bytes with their guesses, and expressions of 8 bits where they are symbols. */
struct text {
	struct slot *at;
	size_t n;
	bool ended; /* by a byte that is known to be what ends it: 0, or what is looked for */
};

static const struct text_function *find(const char *name)
{
	for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* ---- reading ---- */

static void read_piece(struct ethread *self, uint32_t site, struct text *t, uint64_t from, unsigned size)
{
	struct access a = { .address = from, .size = size };
	engine_load(self, site, &a);
	t->at = xrealloc(t->at, (t->n + size) * sizeof *t->at);
	for (unsigned i = 0; i < size; i++)
		t->at[t->n++] = (struct slot){ a.value.v >> 8 * i & 0xff,
					       a.value.e ? expr_extract(engine.exprs, a.value.e, 8 * i, 8) : EXPR_NONE };
}

/* `to`: where it is copied to, if anywhere; pieces lie in one granule there, too. `ends`: nothing is read behind a byte 0. */
static void read_bytes(struct ethread *self, uint32_t site, struct text *t, uint64_t from, uint64_t n, uint64_t to, bool ends)
{
	for (uint64_t done = 0; done < n;) {
		uint64_t left = n - done, here = 8 - (from + done) % 8, there = 8 - (to + done) % 8;
		uint64_t size = here < there ? here : there;
		self->in_text = ends && t->n;
		read_piece(self, site, t, from + done, (unsigned)(size < left ? size : left));
		done += size < left ? size : left;
	}
	self->in_text = false;
}

static bool is_symbol(const struct slot *byte)
{
	uint64_t v;
	return byte->e && !expr_is_const(engine.exprs, byte->e, &v);
}

/* Where a text that begins there cannot go on. */
static uint64_t last_end(uint64_t from, uint64_t now)
{
	uint64_t start, size;
	bool freed;
	if (engine.config->heap_block(from, &start, &size, &freed))
		return mirror_end(start, size);
	uint64_t end = from + now + BEYOND, page = ((from + now) / PAGE + 1) * PAGE;
	return end < page ? end : page;
}

/* Is one of the bytes from the first on known to be that one? Then the text ends there. */
static bool cut_at(struct text *t, size_t first, uint8_t byte)
{
	for (size_t i = first; i < t->n; i++)
		if (t->at[i].v == byte && !is_symbol(&t->at[i])) {
			t->n = i + 1;
			return t->ended = true;
		}
	return false;
}

/* Reads a text with its end, at most `most` bytes, and as much as it may be longer than it is. */
static void read_text(struct ethread *self, uint32_t site, struct text *t, uint64_t from, uint64_t most, uint64_t to)
{
	uint64_t n = strnlen((const char *)(uintptr_t)from, most), end = last_end(from, n);
	read_bytes(self, site, t, from, n < most ? n + 1 : most, to, true);
	size_t seen = 0;
	self->beyond_text = true;
	while (!cut_at(t, seen, 0) && t->n < most && from + t->n < end && is_symbol(&t->at[t->n - 1])) {
		uint64_t granule = 8 - (from + t->n) % 8, left = end - (from + t->n);
		seen = t->n;
		if (left > most - t->n)
			left = most - t->n;
		read_bytes(self, site, t, from + t->n, granule < left ? granule : left, to + t->n, true);
	}
	self->beyond_text = false;
}

/* How many bytes of n are looked at until the byte is found, as they are now. */
static uint64_t distance(uint64_t from, uint64_t n, uint8_t byte)
{
	const char *now = n ? memchr((const char *)(uintptr_t)from, byte, n) : NULL;
	return now ? (uint64_t)(uintptr_t)now - from + 1 : n;
}

/* Reads n bytes at most up to the byte that is looked for, and a little further where it may be another one. */
static void read_until(struct ethread *self, uint32_t site, struct text *t, uint64_t from, uint64_t n, uint8_t byte)
{
	uint64_t first = distance(from, n, byte), most = n - first < BEYOND ? n : first + BEYOND;
	read_bytes(self, site, t, from, first, from, false);
	size_t seen = 0;
	self->beyond_text = true;
	while (!cut_at(t, seen, byte) && t->n < most && is_symbol(&t->at[t->n - 1])) {
		uint64_t granule = 8 - (from + t->n) % 8, left = most - t->n;
		seen = t->n;
		read_bytes(self, site, t, from + t->n, granule < left ? granule : left, from + t->n, false);
	}
	self->beyond_text = false;
}

/* ---- what follows ---- */

static expr byte_expr(const struct slot *byte)
{
	return byte->e ? byte->e : expr_const(engine.exprs, 8, byte->v);
}

static expr equal(expr a, expr b)
{
	return expr_binary(engine.exprs, EXPR_EQ, a, b);
}

static struct slot known(struct slot s)
{
	uint64_t v;
	if (s.e && expr_is_const(engine.exprs, s.e, &v))
		s = (struct slot){ v, EXPR_NONE };
	return s;
}

static size_t doubts; /* texts that were taken to end where nobody looked any further */

size_t text_doubtful(void)
{
	return doubts;
}

/* Where the byte comes first: how long a text is. It does not go on where nothing more was read, which is no ground for a proof. */
static struct slot first_of(struct ethread *self, const struct text *t, uint64_t most, uint8_t byte)
{
	struct slot r = { t->n, expr_const(engine.exprs, 64, t->n) };
	bool sure = t->ended || t->n == most;
	expr ends = expr_const(engine.exprs, 1, sure), wanted = expr_const(engine.exprs, 8, byte);
	for (size_t i = t->n; i--;) {
		if (t->at[i].v == byte)
			r.v = i;
		else if (!is_symbol(&t->at[i]))
			continue;
		expr is_end = equal(byte_expr(&t->at[i]), wanted);
		r.e = expr_ite(engine.exprs, is_end, expr_const(engine.exprs, 64, i), r.e);
		if (!sure)
			ends = expr_binary(engine.exprs, EXPR_OR, is_end, ends);
	}
	doubts += !sure;
	if (!sure)
		condition_add(self, ends, 1, CONDITION_PATH);
	return known(r);
}

/* Its address, or NULL where it is nowhere. */
static struct slot found_at(struct ethread *self, const struct text *t, uint64_t from, uint64_t most, uint8_t byte)
{
	struct slot at = first_of(self, t, most, byte), r = { at.v == t->n ? 0 : from + at.v, EXPR_NONE };
	if (!at.e)
		return r;
	expr none = expr_equals(engine.exprs, at.e, t->n);
	r.e = expr_binary(engine.exprs, EXPR_ADD, at.e, expr_const(engine.exprs, 64, from));
	r.e = expr_ite(engine.exprs, none, expr_const(engine.exprs, 64, 0), r.e);
	return r;
}

static expr zero_or(expr byte, expr r)
{
	return expr_ite(engine.exprs, equal(byte, expr_const(engine.exprs, 8, 0)), expr_const(engine.exprs, 32, 0), r);
}

/* The first bytes that differ, as a number with their order; both texts may end before. */
static struct slot difference(const struct text *a, const struct text *b, bool ends)
{
	struct slot r = { 0, expr_const(engine.exprs, 32, 0) };
	for (size_t i = a->n < b->n ? a->n : b->n; i--;) {
		const struct slot *p = &a->at[i], *q = &b->at[i];
		if (p->v != q->v)
			r.v = (uint32_t)(p->v - q->v);
		else if (ends && !p->v)
			r.v = 0;
		if (!is_symbol(p) && !is_symbol(q) && (p->v != q->v || (ends && !p->v))) {
			r.e = expr_const(engine.exprs, 32, r.v);
			continue;
		}
		expr x = byte_expr(p), y = byte_expr(q);
		/* One that is known not to be the end need not be asked. */
		if (ends && (is_symbol(p) || !p->v) && (is_symbol(q) || !q->v))
			r.e = zero_or(is_symbol(p) ? x : y, r.e);
		if (is_symbol(p) || is_symbol(q))
			r.e = expr_ite(engine.exprs, equal(x, y), r.e,
				       expr_binary(engine.exprs, EXPR_SUB, expr_zext(engine.exprs, x, 32), expr_zext(engine.exprs, y, 32)));
	}
	return known(r);
}

static struct slot join(const struct slot *bytes, unsigned n)
{
	struct slot s = { 0, EXPR_NONE };
	expr all = byte_expr(&bytes[0]);
	bool symbols = false;
	for (unsigned i = 0; i < n; i++) {
		s.v |= bytes[i].v << 8 * i;
		symbols |= is_symbol(&bytes[i]);
		if (i)
			all = expr_concat(engine.exprs, byte_expr(&bytes[i]), all);
	}
	if (symbols)
		s.e = all;
	return s;
}

static void write_text(struct ethread *self, uint32_t site, uint64_t to, const struct text *t, uint64_t n)
{
	for (uint64_t done = 0; done < n;) {
		uint64_t size = 8 - (to + done) % 8;
		struct access a = { .address = to + done, .size = (unsigned)(size < n - done ? size : n - done) };
		a.value = join(t->at + done, a.size);
		engine_store(self, site, &a);
		done += a.size;
	}
}

/* ---- copies ---- */

static struct slot byte_in_memory(uint64_t at)
{
	return (struct slot){ *(const unsigned char *)(uintptr_t)at, interp_memory_expr(engine.interp, at, 1) };
}

/* Makes of the text that is copied what is there afterwards: up to its end, which is a symbol, itself, then what was there. */
static void mix_with_old(struct text *t, uint64_t to, uint64_t n)
{
	expr goes_on = expr_const(engine.exprs, 1, 1), zero = expr_const(engine.exprs, 8, 0);
	for (size_t i = 0; i < t->n; i++) {
		struct slot old = byte_in_memory(to + i), now = t->at[i];
		if (i > n)
			t->at[i].v = old.v;
		t->at[i].e = expr_ite(engine.exprs, goes_on, byte_expr(&now), byte_expr(&old));
		expr is_end = equal(byte_expr(&now), zero);
		goes_on = expr_binary(engine.exprs, EXPR_AND, goes_on, equal(is_end, expr_const(engine.exprs, 1, 0)));
	}
}

/* Where memory that nobody else sees cannot be told to end: no further than that. */
static void keep_in_page(struct text *t, uint64_t to, uint64_t n)
{
	uint64_t room = PAGE - (to + n) % PAGE + n;
	if (t->n > room)
		t->n = room;
}

/*
 * Bytes that it writes here are written. Of those that it may have written besides, nobody sees the difference but this thread:
 * else where the text ends is a guess.
 */
static void write_copy(struct ethread *self, uint32_t site, uint64_t to, struct text *t, const struct slot *length)
{
	uint64_t n = length->v < t->n ? length->v + 1 : t->n;
	size_t nevents = self->events.n;
	if (length->e) {
		keep_in_page(t, to, n);
		mix_with_old(t, to, length->v);
	}
	write_text(self, site, to, t, n);
	if (length->e && self->events.n != nevents)
		guess_assume(self, length->e, length->v, false);
	for (uint64_t i = n; length->e && self->events.n == nevents && i < t->n; i++)
		interp_set_memory_expr(engine.interp, to + i, 1, is_symbol(&t->at[i]) ? t->at[i].e : EXPR_NONE);
}

/* Where the text at hand ends is a guess, if it can be told at all. */
static uint64_t take_length(struct ethread *self, const struct text *t)
{
	struct slot n = first_of(self, t, UINT64_MAX, 0);
	if (n.e)
		guess_assume(self, n.e, n.v, false);
	return n.v;
}

static struct slot copy(struct ethread *self, const struct native_call *c, enum text_kind kind)
{
	uint64_t to = c->in[0].v;
	struct text t = { 0 };
	if (kind == APPENDS) {
		read_text(self, c->site, &t, to, UINT64_MAX, to);
		to += take_length(self, &t);
		t.n = 0;
		t.ended = false;
	}
	read_text(self, c->site, &t, c->in[1].v, UINT64_MAX, to);
	struct slot n = first_of(self, &t, UINT64_MAX, 0);
	write_copy(self, c->site, to, &t, &n);
	if (kind == COPIES_TO_END && n.e)
		guess_assume(self, n.e, n.v, false);
	free(t.at);
	return (struct slot){ kind == COPIES_TO_END ? to + n.v : c->in[0].v, EXPR_NONE };
}

/* ---- decimal numbers ---- */

/* A number as it is read from some byte on, and where it ends: expressions of 64 bits. The end of what is no number is 0. */
struct number {
	expr value, end;
};

static expr number_const(uint64_t v)
{
	return expr_const(engine.exprs, 64, v);
}

static struct number either_number(expr condition, struct number a, struct number b)
{
	return (struct number){ expr_ite(engine.exprs, condition, a.value, b.value),
				expr_ite(engine.exprs, condition, a.end, b.end) };
}

/* Digits from there on, as many as there are. */
static struct number read_digits(const struct text *t, size_t first)
{
	struct expr_arena *x = engine.exprs;
	struct number upto[DIGITS + 1] = { { number_const(0), number_const(0) } };
	expr is[DIGITS], no = expr_const(x, 1, 0);
	size_t n = 0;
	for (; first + n < t->n; n++) {
		expr digit = expr_binary(x, EXPR_SUB, byte_expr(&t->at[first + n]), expr_const(x, 8, '0'));
		is[n] = expr_binary(x, EXPR_ULT, digit, expr_const(x, 8, 10));
		if (is[n] == no)
			break;
		expr tens = expr_binary(x, EXPR_MUL, upto[n].value, number_const(10));
		upto[n + 1] = (struct number){ expr_binary(x, EXPR_ADD, tens, expr_zext(x, digit, 64)), number_const(first + n + 1) };
	}
	struct number r = upto[n];
	while (n--)
		r = either_number(is[n], r, upto[n]);
	return r;
}

/*
 * A sign and digits from there on. Space before them is a guess where it races; that a number begins there and no further space, is
 * no ground for a proof.
 */
static struct number count(struct ethread *self, const struct text *t)
{
	struct expr_arena *x = engine.exprs;
	size_t first = 0;
	for (; first < t->n && isspace((int)t->at[first].v); first++)
		if (is_symbol(&t->at[first]))
			guess_assume(self, t->at[first].e, t->at[first].v, false);
	if (first == t->n)
		return read_digits(t, first);
	doubts += is_symbol(&t->at[first]) || !t->ended;
	expr b = byte_expr(&t->at[first]);
	struct number behind = read_digits(t, first + 1);
	struct number below = { expr_binary(x, EXPR_SUB, number_const(0), behind.value), behind.end };
	struct number here = either_number(expr_equals(x, b, '+'), behind, read_digits(t, first));
	return either_number(expr_equals(x, b, '-'), below, here);
}

/*
 * As far as a number there is read: to the end of the word that its text ends in now. What is behind is somebody else's, mostly, and
 * would make each of the number's bytes depend on that.
 */
static uint64_t number_room(uint64_t from)
{
	uint64_t end = from + strnlen((const char *)(uintptr_t)from, DIGITS - 1) + 1, room = ((end + 7) & ~7ull) - from;
	return room < DIGITS ? room : DIGITS;
}

/* `wide`: the result has 64 bits. `end_at`: where to store the number's end, or 0. */
static struct slot read_number(struct ethread *self, const struct native_call *c, bool wide, uint64_t end_at)
{
	struct expr_arena *x = engine.exprs;
	uint64_t from = c->in[0].v;
	struct text t = { 0 };
	char guess[DIGITS + 1] = "", *end;
	bool symbols = false;
	read_text(self, c->site, &t, from, number_room(from), from);
	for (size_t i = 0; i < t.n; i++) {
		guess[i] = (char)t.at[i].v;
		symbols |= is_symbol(&t.at[i]);
	}
	struct slot r = { (uint64_t)strtoll(guess, &end, 10), EXPR_NONE }, at = { from + (uint64_t)(end - guess), EXPR_NONE };
	if (symbols) {
		struct number n = count(self, &t);
		r.e = wide ? n.value : expr_extract(x, n.value, 0, 32);
		at.e = expr_binary(x, EXPR_ADD, number_const(from), n.end);
	}
	if (!wide)
		r.v = (uint32_t)r.v;
	free(t.at);
	if (end_at) {
		struct access a = { .address = end_at, .size = 8, .value = known(at) };
		engine_store(self, c->site, &a);
	}
	return known(r);
}

/* Is it a text, there at all, whose number begins soon and is not too large? In another base than ten it is left to native code. */
static bool is_short_number(const struct native_call *c)
{
	const char *text = (const char *)(uintptr_t)c->in[0].v;
	if (c->in[0].v < RT_PAGE || (c->nin > 1 && (c->nin != 3 || c->in[2].v != 10)))
		return false;
	size_t before = strspn(text, " \t\n\v\f\r+-");
	return before + strspn(text + before, "0123456789") < DIGITS;
}

/* ---- calls ---- */

static unsigned texts_of(enum text_kind kind)
{
	return kind == MEASURES || kind == FINDS ? 1 : 2;
}

static struct slot look(struct ethread *self, const struct native_call *c, enum text_kind kind, uint64_t most)
{
	struct text t[2] = { 0 };
	uint8_t wanted = (uint8_t)(kind == FINDS ? c->in[1].v : 0);
	for (unsigned i = 0; i < texts_of(kind); i++)
		if (kind == FINDS)
			read_until(self, c->site, &t[i], c->in[i].v, most, wanted);
		else if (kind == COMPARES_BYTES)
			read_bytes(self, c->site, &t[i], c->in[i].v, most, c->in[i].v, false);
		else
			read_text(self, c->site, &t[i], c->in[i].v, most, c->in[i].v);
	struct slot r = kind == MEASURES ? first_of(self, &t[0], most, 0)
			: kind == FINDS	 ? found_at(self, &t[0], c->in[0].v, most, wanted)
					 : difference(&t[0], &t[1], kind == COMPARES_TEXT);
	free(t[0].at);
	free(t[1].at);
	return r;
}

/* Are the texts, as they are now, short enough, and there at all? */
static bool is_short(const struct native_call *c, enum text_kind kind, uint64_t most)
{
	bool ends = kind != COMPARES_BYTES && kind != FINDS;
	for (unsigned i = 0; i < texts_of(kind); i++)
		if (c->in[i].v < RT_PAGE || (ends && strnlen((const char *)(uintptr_t)c->in[i].v, most < MOST ? most : MOST) == MOST))
			return false;
	return ends || (kind == FINDS ? distance(c->in[0].v, most, (uint8_t)c->in[1].v) < MOST : most < MOST);
}

bool text_only_reads(const char *name)
{
	const struct text_function *f = find(name);
	return f && f->kind <= COMPARES_BYTES;
}

bool text_call(struct ethread *self, struct native_call *c)
{
	const struct text_function *f = find(c->name);
	if (!f || c->nin < (f->kind == MEASURES || f->kind == COUNTS ? 1 : 2) || (int)c->nin <= f->most)
		return false;
	for (unsigned i = 0; i < c->nin; i++)
		if (c->in[i].e)
			host_concretize(self->interp, &c->in[i], "parameter of native code");
	if (f->kind == COUNTS) {
		if (!is_short_number(c))
			return false;
		c->out[0] = read_number(self, c, strcmp(f->name, "atoi") != 0, c->nin > 1 ? c->in[1].v : 0);
		return true;
	}
	uint64_t most = f->most < 0 ? UINT64_MAX : c->in[f->most].v;
	if (!is_short(c, f->kind, most))
		return false;
	c->out[0] = f->kind >= COPIES ? copy(self, c, f->kind) : look(self, c, f->kind, most);
	return true;
}
