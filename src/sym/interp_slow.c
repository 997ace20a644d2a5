/*
 * Instructions that are functions: switches, sites, atomics, block copies, helpers.
 */
#include "sym/interp_internal.h"

#include <rethread/instrument.h>

#include <alloca.h>

static unsigned bytes_of(unsigned width)
{
	return (width + 7) / 8;
}

/* ------------------------------------------------------------------ switch */

static uint64_t case_value(const uint32_t *x)
{
	return x[0] | (uint64_t)x[1] << 32;
}

/* Number of the case, or ncases for the default. */
static uint32_t find_case(const uint32_t *cases, uint32_t ncases, uint64_t v)
{
	uint32_t low = 0, high = ncases;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint64_t at = case_value(cases + 4 * mid);
		if (at == v)
			return mid;
		if (at < v)
			low = mid + 1;
		else
			high = mid;
	}
	return ncases;
}

static void assume_case(struct ithread *t, const uint32_t *cases, uint32_t ncases, uint32_t taken,
			struct slot v, unsigned width)
{
	struct expr_arena *x = t->in->exprs;
	expr e = sym_operand(t, width, v.v, v.e), c = EXPR_NONE;
	if (taken < ncases) {
		c = expr_binary(x, EXPR_EQ, e, expr_const(x, width, case_value(cases + 4 * taken)));
	} else {
		for (uint32_t k = 0; k < ncases; k++) {
			expr same = expr_binary(x, EXPR_EQ, e,
						expr_const(x, width, case_value(cases + 4 * k)));
			expr other = expr_not(x, same);
			c = c ? expr_binary(x, EXPR_AND, c, other) : other;
		}
	}
	if (c)
		host_assume(t, c, 1);
}

const struct insn *slow_switch(struct ithread *t, const struct insn *pc)
{
	const uint32_t *table = t->in->code.pool + pc->d, *cases = table + 2;
	uint32_t ncases = table[0];
	struct slot v = reg_get(t->frame, pc->a);
	uint32_t taken = find_case(cases, ncases, v.v);
	unsigned nbits = rt_switch_bits(ncases + 1);
	t->count += pc->w;
	if (nbits) {
		int64_t logged = host_path_bits(t, nbits);
		if (logged == -1)
			ithread_stop(t);
		uint32_t number = taken < ncases ? cases[4 * taken + 3] : 0;
		if (logged != -2 && logged != number) {
			for (taken = 0; taken < ncases && cases[4 * taken + 3] != logged; taken++)
				;
			if (!v.e || (logged && taken == ncases))
				host_mismatch(t);
			if (v.e)
				host_contradicted(t, v.e);
		}
		if (v.e)
			assume_case(t, cases, ncases, taken, v, pc->b);
	}
	return pc + (int32_t)(taken < ncases ? cases[4 * taken + 2] : table[1]);
}

const struct insn *slow_go_switch(struct ithread *t, const struct insn *pc)
{
	const uint32_t *table = t->in->code.pool + pc->d, *cases = table + 2;
	struct slot v = reg_get(t->frame, pc->a);
	uint32_t taken = find_case(cases, table[0], v.v);
	t->count += pc->w;
	if (v.e)
		known_is_symbolic(t, v);
	if (--t->patience == 0)
		known_for_long(t);
	return pc + (int32_t)(taken < table[0] ? cases[4 * taken + 2] : table[1]);
}

/* ------------------------------------------------------------------ plain memory */

static struct slot memory_read(struct ithread *t, uint64_t address, unsigned width)
{
	struct slot s = {0};
	memcpy(&s.v, (const void *)address, bytes_of(width));
	s.v &= mask_of(width);
	if (symmem_maybe(t->mem, address)) {
		s.e = symmem_get(t->mem, address, bytes_of(width));
		if (s.e && width % 8)
			s.e = sym_trunc(t, width, s.e);
	}
	return s;
}

static void memory_write(struct ithread *t, uint64_t address, unsigned width, struct slot s)
{
	if (is_told_of(t->mem, address))
		host_own_store(t, address, bytes_of(width), s);
	memcpy((void *)address, &s.v, bytes_of(width));
	note_store(t, address, s.v);
	if (s.e || symmem_maybe(t->mem, address))
		symmem_set(t->mem, address, bytes_of(width), s.e);
}

const struct insn *slow_load_n(struct ithread *t, const struct insn *pc)
{
	uint64_t at = reg_concrete(t, pc->a, "address") + (uint64_t)(int64_t)(int32_t)pc->b;
	reg_set(t->frame, pc->d, memory_read(t, at, pc->w));
	return pc + 1;
}

const struct insn *slow_store_n(struct ithread *t, const struct insn *pc)
{
	uint64_t at = reg_concrete(t, pc->a, "address") + (uint64_t)(int64_t)(int32_t)pc->b;
	memory_write(t, at, pc->w, reg_get(t->frame, pc->d));
	return pc + 1;
}

const struct insn *slow_mask_load(struct ithread *t, const struct insn *pc)
{
	if (reg_concrete(t, pc->b, "mask"))
		reg_set(t->frame, pc->d, memory_read(t, reg_concrete(t, pc->a, "address"), pc->w));
	return pc + 1;
}

const struct insn *slow_mask_store(struct ithread *t, const struct insn *pc)
{
	if (reg_concrete(t, pc->b, "mask"))
		memory_write(t, reg_concrete(t, pc->a, "address"), pc->w, reg_get(t->frame, pc->d));
	return pc + 1;
}

const struct insn *slow_allocad(struct ithread *t, const struct insn *pc)
{
	uint64_t size = reg_concrete(t, pc->a, "size of a local array") * t->frame->r[pc->b];
	if (size > (uint64_t)(t->sp - t->stack))
		stack_overflow(t);
	t->sp = (char *)(((uintptr_t)t->sp - size) & -((uintptr_t)1 << pc->w));
	if (t->sp < t->stack)
		stack_overflow(t);
	reg_set(t->frame, pc->d, (struct slot){.v = (uint64_t)t->sp});
	return pc + 1;
}

const struct insn *slow_tls(struct ithread *t, const struct insn *pc)
{
	reg_set(t->frame, pc->d, (struct slot){.v = (uint64_t)(uintptr_t)t->in->tls(pc->a)});
	return pc + 1;
}

/* ------------------------------------------------------------------ sites */

/* As read from memory, where a value of odd width has padding. */
static struct slot narrowed(struct ithread *t, struct slot s, unsigned width)
{
	s.v &= mask_of(width);
	if (s.e && width % 8)
		s.e = sym_trunc(t, width, s.e);
	return s;
}

const struct insn *slow_site_load(struct ithread *t, const struct insn *pc)
{
	struct access a = {.address = reg_concrete(t, pc->a, "address"), .size = bytes_of(pc->w)};
	host_load(t, pc->b, &a, 1);
	reg_set(t->frame, pc->d, narrowed(t, a.value, pc->w));
	return pc + 1;
}

const struct insn *slow_site_store(struct ithread *t, const struct insn *pc)
{
	struct access a = {.address = reg_concrete(t, pc->a, "address"), .size = bytes_of(pc->w),
			   .value = reg_get(t->frame, pc->d)};
	host_store(t, pc->b, &a, 1);
	return pc + 1;
}

/* The pieces of a list whose mask is set; which[] says where they are in the list. */
static unsigned gather(struct ithread *t, const struct insn *pc, struct access *pieces, unsigned *which,
		       bool store)
{
	const uint32_t *list = t->in->code.pool + pc->b, *x = list + 2;
	unsigned n = 0;
	for (unsigned k = 0; k < list[1]; k++, x += 5) {
		if (x[4] != ~0u && !reg_concrete(t, x[4], "mask"))
			continue;
		pieces[n] = (struct access){.address = reg_concrete(t, x[1], "address") + x[2],
					    .size = bytes_of(x[3])};
		if (store)
			pieces[n].value = reg_get(t->frame, x[0]);
		which[n++] = k;
	}
	return n;
}

const struct insn *slow_site_load_many(struct ithread *t, const struct insn *pc)
{
	const uint32_t *list = t->in->code.pool + pc->b;
	struct access *pieces = alloca((list[1] + 1) * sizeof *pieces);
	unsigned *which = alloca((list[1] + 1) * sizeof *which);
	unsigned n = gather(t, pc, pieces, which, false);
	host_load(t, list[0], pieces, n);
	for (unsigned k = 0; k < n; k++) {
		const uint32_t *x = list + 2 + 5 * which[k];
		reg_set(t->frame, x[0], narrowed(t, pieces[k].value, x[3]));
	}
	return pc + 1;
}

const struct insn *slow_site_store_many(struct ithread *t, const struct insn *pc)
{
	const uint32_t *list = t->in->code.pool + pc->b;
	struct access *pieces = alloca((list[1] + 1) * sizeof *pieces);
	unsigned *which = alloca((list[1] + 1) * sizeof *which);
	unsigned n = gather(t, pc, pieces, which, true);
	host_store(t, list[0], pieces, n);
	return pc + 1;
}

/* ------------------------------------------------------------------ atomics */

struct update {
	unsigned op; /* LLVM's numbering */
	unsigned width;
	struct slot operand;
	struct slot expected; /* compare-exchange */
	struct slot old;      /* out */
	struct slot success;  /* out */
};

enum { RMW_XCHG, RMW_ADD, RMW_SUB, RMW_AND, RMW_NAND, RMW_OR, RMW_XOR, RMW_MAX, RMW_MIN, RMW_UMAX, RMW_UMIN,
       RMW_FADD, RMW_FSUB, RMW_FMAX, RMW_FMIN, RMW_UINC, RMW_UDEC };

static struct slot binary(struct ithread *t, enum expr_op op, unsigned w, struct slot a, struct slot b,
			  uint64_t v)
{
	return (struct slot){.v = v & mask_of(w),
			     .e = a.e || b.e ? sym_binary(t, op, w, a.v, a.e, b.v, b.e) : EXPR_NONE};
}

/* a when `a op b` holds, else b; or the other way round, for a maximum. */
static struct slot choose(struct ithread *t, enum expr_op op, unsigned w, struct slot a, struct slot b,
			  bool holds, bool greatest)
{
	struct slot yes = greatest ? b : a, no = greatest ? a : b, s = holds ? yes : no;
	expr c = a.e || b.e ? sym_binary(t, op, w, a.v, a.e, b.v, b.e) : EXPR_NONE;
	if (c)
		s.e = sym_select(t, w, c, yes.v, yes.e, no.v, no.e);
	return s;
}

/* The lesser or greater of two floats; a NaN loses (fmin and fmax of C). */
static expr sym_extreme(struct ithread *t, unsigned w, bool greatest, struct slot a, struct slot b)
{
	enum { GREATER = 2, LESS = 4, UNORDERED = 8 };
	expr first = sym_float_compare(t, greatest ? GREATER : LESS, w, a.v, a.e, b.v, b.e);
	expr nan = sym_float_compare(t, UNORDERED, w, b.v, b.e, b.v, b.e); /* folds where b is concrete */
	expr rest = nan ? sym_select(t, w, nan, a.v, a.e, b.v, b.e) : b.e;
	return first ? sym_select(t, w, first, a.v, a.e, b.v, rest) : rest;
}

static uint64_t float_update(const struct update *u, uint64_t old)
{
	static const uint16_t f32[] = {0, 0, HELP_MAXNUM32, HELP_MINNUM32};
	uint64_t in[2] = {old, u->operand.v}, out;
	bool is32 = u->width == 32;
	if (u->op == RMW_FMAX || u->op == RMW_FMIN) {
		helpers[f32[u->op - RMW_FADD] + !is32](in, &out, u->width);
		return out;
	}
	if (is32) {
		float a, b;
		memcpy(&a, &in[0], sizeof a);
		memcpy(&b, &in[1], sizeof b);
		a = u->op == RMW_FADD ? a + b : a - b;
		out = 0;
		memcpy(&out, &a, sizeof a);
	} else {
		double a, b;
		memcpy(&a, &in[0], sizeof a);
		memcpy(&b, &in[1], sizeof b);
		a = u->op == RMW_FADD ? a + b : a - b;
		memcpy(&out, &a, sizeof a);
	}
	return out;
}

static bool update(void *data, struct ithread *t, struct slot old, struct slot *new_value)
{
	struct update *u = data;
	struct slot b = u->operand;
	unsigned w = u->width;
	int64_t sa = sext_from(old.v, w), sb = sext_from(b.v, w);
	u->old = old;
	/* clang-format off */
	switch (u->op) {
	case RMW_XCHG: *new_value = b; break;
	case RMW_ADD: *new_value = binary(t, EXPR_ADD, w, old, b, old.v + b.v); break;
	case RMW_SUB: *new_value = binary(t, EXPR_SUB, w, old, b, old.v - b.v); break;
	case RMW_AND: *new_value = binary(t, EXPR_AND, w, old, b, old.v & b.v); break;
	case RMW_OR: *new_value = binary(t, EXPR_OR, w, old, b, old.v | b.v); break;
	case RMW_XOR: *new_value = binary(t, EXPR_XOR, w, old, b, old.v ^ b.v); break;
	case RMW_NAND:
		*new_value = binary(t, EXPR_AND, w, old, b, old.v & b.v);
		new_value->v = ~new_value->v & mask_of(w);
		if (new_value->e)
			new_value->e = expr_not(t->in->exprs, new_value->e);
		break;
	case RMW_MAX: *new_value = choose(t, EXPR_SLE, w, old, b, sa <= sb, true); break;
	case RMW_MIN: *new_value = choose(t, EXPR_SLE, w, old, b, sa <= sb, false); break;
	case RMW_UMAX: *new_value = choose(t, EXPR_ULE, w, old, b, old.v <= b.v, true); break;
	case RMW_UMIN: *new_value = choose(t, EXPR_ULE, w, old, b, old.v <= b.v, false); break;
	case RMW_FADD:
	case RMW_FSUB:
		*new_value = (struct slot){.v = float_update(u, old.v)};
		if (old.e || b.e)
			new_value->e = sym_float(t, u->op == RMW_FADD ? EXPR_FADD : EXPR_FSUB, w, old.v, old.e, b.v, b.e);
		break;
	case RMW_FMAX:
	case RMW_FMIN:
		*new_value = (struct slot){.v = float_update(u, old.v)};
		if (old.e || b.e)
			new_value->e = sym_extreme(t, w, u->op == RMW_FMAX, old, b);
		break;
	default:
		host_unsupported(t, "an atomic operation of an unknown kind");
	}
	/* clang-format on */
	return true;
}

/*
 * Compare-exchange. When it is not known whether it succeeds, the update is always done: it writes the new
 * value or the old one again, as the expression says.
 */
static bool exchange(void *data, struct ithread *t, struct slot old, struct slot *new_value)
{
	struct update *u = data;
	u->old = old;
	u->success = (struct slot){.v = old.v == u->expected.v};
	if (old.e || u->expected.e)
		u->success.e = sym_binary(t, EXPR_EQ, u->width, old.v, old.e, u->expected.v, u->expected.e);
	*new_value = u->success.v ? u->operand : old;
	if (!u->success.e)
		return u->success.v;
	new_value->e = sym_select(t, u->width, u->success.e, u->operand.v, u->operand.e, old.v, old.e);
	return true;
}

static void atomically(struct ithread *t, const struct insn *pc, uint32_t site, host_update *function,
		       struct update *u)
{
	struct access a = {.address = reg_concrete(t, pc->a, "address"), .size = pc->w / 8};
	if (site) {
		host_atomic(t, site, &a, function, u);
		return;
	}
	struct slot value;
	if (function(u, t, memory_read(t, a.address, pc->w), &value))
		memory_write(t, a.address, pc->w, value);
}

const struct insn *slow_atomic(struct ithread *t, const struct insn *pc)
{
	const uint32_t *list = t->in->code.pool + pc->b;
	struct update u = {.op = list[2], .width = pc->w};
	u.operand = reg_get(t->frame, list[1]);
	atomically(t, pc, list[0], update, &u);
	reg_set(t->frame, pc->d, u.old);
	return pc + 1;
}

const struct insn *slow_cmpxchg(struct ithread *t, const struct insn *pc)
{
	const uint32_t *list = t->in->code.pool + pc->b;
	struct update u = {.width = pc->w, .expected = reg_get(t->frame, list[1]),
			   .operand = reg_get(t->frame, list[2])};
	atomically(t, pc, list[0], exchange, &u);
	reg_set(t->frame, pc->d, u.old);
	reg_set(t->frame, pc->d + 1, u.success);
	return pc + 1;
}

/* ------------------------------------------------------------------ blocks of memory */

/* What is no site is about to write there: bytes from elsewhere, or (NULL) the same again and again. */
static void own_bytes(struct ithread *t, uint64_t to, const char *from, struct slot byte, uint64_t size)
{
	for (uint64_t at = 0, n; at < size; at += n) {
		struct slot s = byte;
		if (!is_told_of(t->mem, to + at)) {
			n = SYMMEM_PAGE - (to + at) % SYMMEM_PAGE;
			continue;
		}
		n = byte.e ? 1 : size - at < 8 ? size - at : 8;
		if (from) {
			s.e = symmem_get(t->mem, (uint64_t)from + at, (unsigned)n);
			memcpy(&s.v, from + at, n);
		} else if (!byte.e) {
			memset(&s.v, (int)byte.v, n);
		}
		host_own_store(t, to + at, (unsigned)n, s);
	}
}

const struct insn *slow_copy(struct ithread *t, const struct insn *pc)
{
	uint64_t to = reg_concrete(t, pc->a, "address"), from = reg_concrete(t, pc->b, "address");
	uint64_t size = reg_concrete(t, pc[1].d, "size of a copy");
	note_unknown_store(t);
	if (pc->d) {
		host_copy(t, pc->d, to, from, size);
	} else {
		own_bytes(t, to, (const char *)from, (struct slot){ 0 }, size);
		memmove((void *)to, (const void *)from, size);
		symmem_move(t->mem, to, from, size);
	}
	return pc + 2;
}

const struct insn *slow_fill(struct ithread *t, const struct insn *pc)
{
	uint64_t to = reg_concrete(t, pc->a, "address"), size = reg_concrete(t, pc[1].d, "size of a fill");
	struct slot byte = reg_get(t->frame, pc->b);
	note_unknown_store(t);
	if (pc->d) {
		host_fill(t, pc->d, to, byte, size);
		return pc + 2;
	}
	own_bytes(t, to, NULL, byte, size);
	memset((void *)to, (int)byte.v, size);
	for (uint64_t k = 0; byte.e && k < size; k++)
		symmem_set(t->mem, to + k, 1, byte.e);
	if (!byte.e)
		symmem_clear(t->mem, to, size);
	return pc + 2;
}

const struct insn *slow_vastart(struct ithread *t, const struct insn *pc)
{
	uint64_t at = reg_concrete(t, pc->a, "address");
	if (!t->frame->varargs)
		host_unsupported(t, "va_start in a function that was not called as variadic");
	memcpy((void *)at, &t->frame->varargs->list, sizeof t->frame->varargs->list);
	note_unknown_store(t);
	symmem_clear(t->mem, at, sizeof t->frame->varargs->list);
	return pc + 1;
}

/* Expression of a helper's result, or EXPR_NONE where there is none: then its operands have to be concrete. */
static expr helper_expr(struct ithread *t, unsigned helper, const struct slot *in)
{
	switch (helper) {
	case HELP_SQRT32:
	case HELP_SQRT64: {
		unsigned w = helper == HELP_SQRT32 ? 32 : 64;
		return in[0].e ? sym_float_unary(t, EXPR_FSQRT, w, w, in[0].e) : EXPR_NONE;
	}
	case HELP_MINNUM32:
	case HELP_MAXNUM32:
		return in[0].e || in[1].e ? sym_extreme(t, 32, helper == HELP_MAXNUM32, in[0], in[1]) : EXPR_NONE;
	case HELP_MINNUM64:
	case HELP_MAXNUM64:
		return in[0].e || in[1].e ? sym_extreme(t, 64, helper == HELP_MAXNUM64, in[0], in[1]) : EXPR_NONE;
	default:
		return EXPR_NONE;
	}
}

const struct insn *slow_helper(struct ithread *t, const struct insn *pc)
{
	const uint32_t *list = t->in->code.pool + pc->a;
	uint64_t in[4], out[2] = {0};
	struct slot operands[4] = {{0}};
	for (uint32_t k = 0; k < list[0]; k++) {
		operands[k] = reg_get(t->frame, list[1 + k]);
		in[k] = operands[k].v;
	}
	expr e = helper_expr(t, pc->b, operands);
	if (e) {
		helpers[pc->b](in, out, pc->w);
		reg_set(t->frame, pc->d, (struct slot){.v = out[0], .e = e});
		return pc + 1;
	}
	for (uint32_t k = 0; k < list[0]; k++)
		in[k] = reg_concrete(t, list[1 + k], code_helper_name(pc->b));
	helpers[pc->b](in, out, pc->w);
	for (uint32_t k = 0; k < code_helper_out[pc->b]; k++)
		reg_set(t->frame, pc->d + k, (struct slot){.v = out[k]});
	return pc + 1;
}

/* ---- choices ---- */

const struct insn *slow_chosen(struct ithread *t, const struct insn *pc)
{
	struct slot is = reg_get(t->frame, pc->d), chosen = host_chosen(t, is, t->frame->r[pc->a]);
	if (chosen.e != is.e)
		reg_set(t->frame, pc->d, chosen);
	return pc + 1;
}

const struct insn *slow_as(struct ithread *t, const struct insn *pc)
{
	reg_set(t->frame, pc->d, (struct slot){.v = t->frame->r[pc->d], .e = reg_get(t->frame, pc->a).e});
	return pc + 1;
}
