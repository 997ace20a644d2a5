/*
 * Calls of llvm.* intrinsics: a table from name prefix to how it is done. Most work element by element.
 */
#include "sym/translate_intrinsic.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ memory, hints, stack */

static void do_nothing(struct work *w)
{
	if (slots_of(w->t, LLVMTypeOf(w->i))) /* objectsize-like results are never used then */
		emit(w->t, OP_MOV, 64, define(w->t, w->i), const_reg(w->t, 0), 0);
}

/* Of local variables that others may know: what is done to one that is no more is done to whatever lies there then (gone.c). */
static void do_scope(struct work *w)
{
	LLVMValueRef variable = LLVMGetOperand(w->i, 1);
	if (LLVMIsAAllocaInst(variable) && is_recorded_value(w->t, variable))
		emit(w->t, OP_SCOPE, (unsigned)w->param, local_name(w->t, variable), arg(w, 1)[0], const_reg(w->t, type_size(w->t, LLVMGetAllocatedType(variable))));
}

static void do_first(struct work *w)
{
	unsigned n = slots_of(w->t, w->type);
	const reg *a = arg(w, 0);
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < n; k++)
		emit(w->t, OP_MOV, 64, d + k, a[k], 0);
}

static void do_constant(struct work *w)
{
	emit(w->t, OP_MOV, 64, define(w->t, w->i), const_reg(w->t, (uint64_t)(int64_t)w->param), 0);
}

static void do_objectsize(struct work *w)
{
	uint64_t least = 0;
	const_int(LLVMGetOperand(w->i, 1), &least);
	uint64_t unknown = least ? 0 : ~0ull >> (64 - w->width);
	emit(w->t, OP_MOV, 64, define(w->t, w->i), const_reg(w->t, unknown), 0);
}

static void do_memory(struct work *w)
{
	reg to = arg(w, 0)[0], from = arg(w, 1)[0], size = arg(w, 2)[0];
	emit(w->t, w->param ? OP_FILL : OP_COPY, 0, site_of(w->t, w->i), to, from);
	emit(w->t, OP_SIZE, 0, size, 0, 0);
}

static void do_vacopy(struct work *w)
{
	reg to = arg(w, 0)[0], from = arg(w, 1)[0];
	emit(w->t, OP_COPY, 0, 0, to, from);
	emit(w->t, OP_SIZE, 0, const_reg(w->t, 24), 0, 0);
}

static void do_op0(struct work *w)
{
	emit(w->t, (enum code_op)w->param, 0, 0, 0, 0);
}

static void do_op_arg(struct work *w)
{
	emit(w->t, (enum code_op)w->param, 0, 0, arg(w, 0)[0], 0);
}

static void do_op_result(struct work *w)
{
	emit(w->t, (enum code_op)w->param, 0, define(w->t, w->i), 0, 0);
}

static void do_tls(struct work *w)
{
	uint32_t symbol;
	if (!map_get(&w->t->symbols, LLVMGetOperand(w->i, 0), &symbol))
		cannot(w->t, "the address of a thread-local variable that is no symbol");
	emit(w->t, OP_TLS, 0, define(w->t, w->i), symbol, 0);
}

static void do_typeid(struct work *w)
{
	uint32_t symbol;
	LLVMValueRef type = LLVMGetOperand(w->i, 0);
	bool known = map_get(&w->t->symbols, type, &symbol);
	emit(w->t, OP_MOV, 32, define(w->t, w->i), const_reg(w->t, known ? symbol + 1 : ~0u >> 1), 0);
}

static void do_fence(struct work *w)
{
	emit(w->t, OP_FENCE, 0, site_of(w->t, w->i), 0, 0);
}

static void do_pass(struct work *w)
{
	uint32_t site = site_of(w->t, w->i);
	if (site)
		emit(w->t, OP_PASS, 0, site, 0, 0);
}

/* ------------------------------------------------------------------ integers */

static void do_minmax(struct work *w)
{
	narrow_only(w);
	const reg *a = arg(w, 0), *b = arg(w, 1);
	reg d = define(w->t, w->i), less = new_temp(w->t);
	for (unsigned k = 0; k < w->n; k++) {
		emit_compare(w->t, (LLVMIntPredicate)w->param, w->width, less, a[k], b[k]);
		emit_select(w->t, w->width, d + k, less, a[k], b[k]);
	}
}

static void do_abs(struct work *w)
{
	narrow_only(w);
	const reg *a = arg(w, 0);
	reg d = define(w->t, w->i), less = new_temp(w->t), negative = new_temp(w->t);
	reg zero = const_reg(w->t, 0);
	for (unsigned k = 0; k < w->n; k++) {
		emit_compare(w->t, LLVMIntSLT, w->width, less, a[k], zero);
		emit_binary(w->t, LLVMSub, w->width, negative, zero, a[k]);
		emit_select(w->t, w->width, d + k, less, negative, a[k]);
	}
}

static void do_unary(struct work *w)
{
	narrow_only(w);
	const reg *a = arg(w, 0);
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < w->n; k++)
		emit(w->t, (enum code_op)w->param, w->width, d + k, a[k], 0);
}

/* Counting and swapping in 128 bits, from the halves. */
static void do_bits(struct work *w)
{
	if (w->width <= 64) {
		do_unary(w);
		return;
	}
	if (w->width != 128 || w->n != 1)
		narrow_only(w);
	struct tr *t = w->t;
	const reg *a = arg(w, 0);
	reg d = define(t, w->i), zero = const_reg(t, 0);
	if (w->param == OP_BSWAP) {
		emit(t, OP_BSWAP, 64, d, a[1], 0);
		emit(t, OP_BSWAP, 64, d + 1, a[0], 0);
		return;
	}
	reg low = new_temp(t), high = new_temp(t), none = new_temp(t);
	emit(t, (enum code_op)w->param, 64, low, a[0], 0);
	emit(t, (enum code_op)w->param, 64, high, a[1], 0);
	emit(t, OP_MOV, 64, d + 1, zero, 0);
	if (w->param == OP_CTPOP) {
		emit(t, OP_ADD64, 64, d, low, high);
		return;
	}
	bool trailing = w->param == OP_CTTZ;
	reg near = trailing ? low : high, far = trailing ? high : low;
	emit_compare(t, LLVMIntEQ, 64, none, trailing ? a[0] : a[1], zero);
	emit(t, OP_ADD64, 64, far, far, const_reg(t, 64));
	emit_select(t, 64, d, none, far, near);
}

/* fshl and fshr: the double word a:b shifted, one half of it. */
static void do_funnel(struct work *w)
{
	narrow_only(w);
	struct tr *t = w->t;
	const reg *a = arg(w, 0), *b = arg(w, 1), *s = arg(w, 2);
	reg d = define(t, w->i);
	reg width = const_reg(t, w->width), zero = const_reg(t, 0);
	for (unsigned k = 0; k < w->n; k++) {
		reg by = new_temp(t), rest = new_temp(t), high = new_temp(t), low = new_temp(t);
		reg none = new_temp(t);
		emit_binary(t, LLVMURem, w->width, by, s[k], width);
		emit_binary(t, LLVMSub, w->width, rest, width, by);
		emit_binary(t, LLVMShl, w->width, high, a[k], w->param ? rest : by);
		emit_binary(t, LLVMLShr, w->width, low, b[k], w->param ? by : rest);
		emit_binary(t, LLVMOr, w->width, high, high, low);
		emit_compare(t, LLVMIntEQ, w->width, none, by, zero);
		emit_select(t, w->width, d + k, none, w->param ? b[k] : a[k], high);
	}
}

/* Sum or difference and whether it overflowed: {T, i1}, or vectors of both. */
enum { UADD, USUB, SADD, SSUB, UMUL, SMUL };

static void overflow_one(struct work *w, reg sum, reg flag, reg a, reg b)
{
	struct tr *t = w->t;
	bool add = w->param == UADD || w->param == SADD;
	if (w->param == UMUL || w->param == SMUL) {
		reg pair = new_temps(t, 2), in[2] = {a, b};
		emit_helper(t, w->param == UMUL ? HELP_UMULO : HELP_SMULO, w->width, pair, in);
		emit(t, OP_MOV, 64, sum, pair, 0);
		emit(t, OP_MOV, 64, flag, pair + 1, 0);
		return;
	}
	emit_binary(t, add ? LLVMAdd : LLVMSub, w->width, sum, a, b);
	if (w->param == UADD) {
		emit_compare(t, LLVMIntULT, w->width, flag, sum, a);
	} else if (w->param == USUB) {
		emit_compare(t, LLVMIntULT, w->width, flag, a, b);
	} else {
		/* The operands' signs allow it (equal, or different to subtract) and the result's differs. */
		reg x = new_temp(t), y = new_temp(t);
		emit_binary(t, LLVMXor, w->width, x, sum, a);
		emit_binary(t, LLVMXor, w->width, y, add ? sum : a, b);
		emit_binary(t, LLVMAnd, w->width, x, x, y);
		emit_compare(t, LLVMIntSLT, w->width, flag, x, const_reg(t, 0));
	}
}

static void do_overflow(struct work *w)
{
	LLVMTypeRef type = arg_type(w, 0);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	w->width = int_width(vector ? LLVMGetElementType(type) : type);
	w->n = vector ? LLVMGetVectorSize(type) : 1;
	narrow_only(w);
	const reg *a = arg(w, 0), *b = arg(w, 1);
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < w->n; k++)
		overflow_one(w, d + k, d + w->n + k, a[k], b[k]);
}

static void do_unsigned_sat(struct work *w)
{
	narrow_only(w);
	struct tr *t = w->t;
	const reg *a = arg(w, 0), *b = arg(w, 1);
	reg d = define(t, w->i), flag = new_temp(t), sum = new_temp(t);
	reg limit = const_reg(t, w->param == UADD ? ~0ull >> (64 - w->width) : 0);
	for (unsigned k = 0; k < w->n; k++) {
		overflow_one(w, sum, flag, a[k], b[k]);
		emit_select(t, w->width, d + k, flag, limit, sum);
	}
}

/* Element-wise helper on 1 or 2 operands with the width as parameter. */
static void do_int_helper(struct work *w)
{
	narrow_only(w);
	const reg *a = arg(w, 0);
	const reg *b = LLVMGetNumArgOperands(w->i) > 1 ? arg(w, 1) : a;
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < w->n; k++) {
		reg in[2] = {a[k], b[k]};
		emit_helper(w->t, (enum code_helper)w->param, w->width, d + k, in);
	}
}

/* ucmp and scmp: -1, 0 or 1. */
static void do_three_way(struct work *w)
{
	struct tr *t = w->t;
	LLVMTypeRef type = arg_type(w, 0);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	unsigned in = int_width(vector ? LLVMGetElementType(type) : type);
	if (in > 64)
		cannot(t, "the intrinsic %s on %u bits", w->name, in);
	const reg *a = arg(w, 0), *b = arg(w, 1);
	reg d = define(t, w->i), less = new_temp(t), more = new_temp(t);
	for (unsigned k = 0; k < w->n; k++) {
		emit_compare(t, w->param ? LLVMIntSLT : LLVMIntULT, in, less, a[k], b[k]);
		emit_compare(t, w->param ? LLVMIntSGT : LLVMIntUGT, in, more, a[k], b[k]);
		emit_select(t, w->width, d + k, less, const_reg(t, ~0ull >> (64 - w->width)), more);
	}
}

/* Sign bits of a vector's elements, as an integer. */
static void do_movmsk(struct work *w)
{
	struct tr *t = w->t;
	LLVMTypeRef type = arg_type(w, 0);
	unsigned n = LLVMGetVectorSize(type);
	unsigned width = (unsigned)LLVMSizeOfTypeInBits(t->layout, LLVMGetElementType(type));
	const reg *a = arg(w, 0);
	reg d = define(t, w->i), bit = new_temp(t);
	emit(t, OP_MOV, 32, d, const_reg(t, 0), 0);
	for (unsigned k = 0; k < n; k++) {
		emit(t, OP_EXTR, 1, bit, a[k], width - 1);
		emit_binary(t, LLVMShl, 32, bit, bit, const_reg(t, k));
		emit_binary(t, LLVMOr, 32, d, d, bit);
	}
}

static void do_crc32(struct work *w)
{
	reg in[2] = {arg(w, 0)[0], arg(w, 1)[0]};
	emit_helper(w->t, HELP_CRC32, (unsigned)w->param, define(w->t, w->i), in);
}

static void do_ptrmask(struct work *w)
{
	reg a = arg(w, 0)[0], b = arg(w, 1)[0];
	emit_binary(w->t, LLVMAnd, 64, define(w->t, w->i), a, b);
}

/* ------------------------------------------------------------------ the table */

struct intrinsic {
	const char *prefix; /* of the name behind "llvm."; longer ones before their prefixes */
	intrinsic_handler *handler;
	int param;
};

static const struct intrinsic table[] = {
	{"memcpy.", do_memory, 0},
	{"memmove.", do_memory, 0},
	{"memset.", do_memory, 1},
	{"lifetime.start.", do_scope, 1},
	{"lifetime.end.", do_scope, 0},
	{"invariant.", do_nothing, 0},
	{"dbg.", do_nothing, 0},
	{"assume", do_nothing, 0},
	{"donothing", do_nothing, 0},
	{"sideeffect", do_nothing, 0},
	{"pseudoprobe", do_nothing, 0},
	{"experimental.noalias.scope.decl", do_nothing, 0},
	{"var.annotation", do_nothing, 0},
	{"codeview.annotation", do_nothing, 0},
	{"prefetch", do_nothing, 0},
	{"clear_cache", do_nothing, 0},
	{"returnaddress", do_nothing, 0},
	{"frameaddress", do_op_result, OP_STACKSAVE},
	{"addressofreturnaddress", do_op_result, OP_STACKSAVE},
	{"annotation", do_first, 0},
	{"ptr.annotation", do_first, 0},
	{"expect", do_first, 0},
	{"launder.invariant.group", do_first, 0},
	{"strip.invariant.group", do_first, 0},
	{"ssa.copy", do_first, 0},
	{"arithmetic.fence", do_first, 0},
	{"canonicalize", do_first, 0},
	{"is.constant", do_constant, 0},
	{"allow.runtime.check", do_constant, 1},
	{"allow.ubsan.check", do_constant, 1},
	{"vscale", do_constant, 1},
	{"objectsize", do_objectsize, 0},
	{"va_start", do_op_arg, OP_VASTART},
	{"va_end", do_nothing, 0},
	{"va_copy", do_vacopy, 0},
	{"stacksave", do_op_result, OP_STACKSAVE},
	{"stackrestore", do_op_arg, OP_STACKRESTORE},
	{"threadlocal.address", do_tls, 0},
	{"trap", do_op0, OP_TRAP},
	{"debugtrap", do_op0, OP_TRAP},
	{"ubsantrap", do_op0, OP_TRAP},
	{"eh.typeid.for", do_typeid, 0},
	{"umin.", do_minmax, LLVMIntULT},
	{"umax.", do_minmax, LLVMIntUGT},
	{"smin.", do_minmax, LLVMIntSLT},
	{"smax.", do_minmax, LLVMIntSGT},
	{"abs.", do_abs, 0},
	{"ctpop.", do_bits, OP_CTPOP},
	{"ctlz.", do_bits, OP_CTLZ},
	{"cttz.", do_bits, OP_CTTZ},
	{"bswap.", do_bits, OP_BSWAP},
	{"bitreverse.", do_int_helper, HELP_BITREVERSE},
	{"fshl.", do_funnel, 0},
	{"fshr.", do_funnel, 1},
	{"uadd.with.overflow.", do_overflow, UADD},
	{"usub.with.overflow.", do_overflow, USUB},
	{"sadd.with.overflow.", do_overflow, SADD},
	{"ssub.with.overflow.", do_overflow, SSUB},
	{"umul.with.overflow.", do_overflow, UMUL},
	{"smul.with.overflow.", do_overflow, SMUL},
	{"uadd.sat.", do_unsigned_sat, UADD},
	{"usub.sat.", do_unsigned_sat, USUB},
	{"sadd.sat.", do_int_helper, HELP_SADDSAT},
	{"ssub.sat.", do_int_helper, HELP_SSUBSAT},
	{"ushl.sat.", do_int_helper, HELP_USHLSAT},
	{"sshl.sat.", do_int_helper, HELP_SSHLSAT},
	{"ucmp.", do_three_way, 0},
	{"scmp.", do_three_way, 1},
	{"ptrmask.", do_ptrmask, 0},
	{"fabs.", do_fabs, 0},
	{"fmuladd.", do_fma, 0},
	{"fma.", do_fma, 1},
	{"is.fpclass.", do_fpclass, 0},
	{"sqrt.", do_math, HELP_SQRT32},
	{"floor.", do_math, HELP_FLOOR32},
	{"ceil.", do_math, HELP_CEIL32},
	{"trunc.", do_math, HELP_FTRUNC32},
	{"rint.", do_math, HELP_RINT32},
	{"nearbyint.", do_math, HELP_NEARBYINT32},
	{"roundeven.", do_math, HELP_ROUNDEVEN32},
	{"round.", do_math, HELP_ROUND32},
	{"sin.", do_math, HELP_SIN32},
	{"cos.", do_math, HELP_COS32},
	{"tan.", do_math, HELP_TAN32},
	{"exp.", do_math, HELP_EXP32},
	{"exp2.", do_math, HELP_EXP2_32},
	{"exp10.", do_math, HELP_EXP10_32},
	{"log.", do_math, HELP_LOG32},
	{"log2.", do_math, HELP_LOG2_32},
	{"log10.", do_math, HELP_LOG10_32},
	{"pow.", do_math, HELP_POW32},
	{"powi.", do_math, HELP_POWI32},
	{"minnum.", do_math, HELP_MINNUM32},
	{"maxnum.", do_math, HELP_MAXNUM32},
	{"minimum.", do_math, HELP_MINIMUM32},
	{"maximum.", do_math, HELP_MAXIMUM32},
	{"copysign.", do_math, HELP_COPYSIGN32},
	{"ldexp.", do_math, HELP_LDEXP32},
	{"frexp.", do_frexp, 0},
	{"lrint.", do_math, HELP_LRINT32},
	{"llrint.", do_math, HELP_LRINT32},
	{"lround.", do_math, HELP_LROUND32},
	{"llround.", do_math, HELP_LROUND32},
	{"fptosi.sat.", do_math, HELP_F32TOSISAT},
	{"fptoui.sat.", do_math, HELP_F32TOUISAT},
	{"vector.reduce.add.", do_reduce, LLVMAdd},
	{"vector.reduce.mul.", do_reduce, LLVMMul},
	{"vector.reduce.and.", do_reduce, LLVMAnd},
	{"vector.reduce.or.", do_reduce, LLVMOr},
	{"vector.reduce.xor.", do_reduce, LLVMXor},
	{"vector.reduce.umin.", do_reduce, 1000 + LLVMIntULT},
	{"vector.reduce.umax.", do_reduce, 1000 + LLVMIntUGT},
	{"vector.reduce.smin.", do_reduce, 1000 + LLVMIntSLT},
	{"vector.reduce.smax.", do_reduce, 1000 + LLVMIntSGT},
	{"vector.reduce.fadd.", do_float_reduce, LLVMFAdd},
	{"vector.reduce.fmul.", do_float_reduce, LLVMFMul},
	{"vector.reduce.fmin.", do_float_minmax_reduce, HELP_MINNUM32},
	{"vector.reduce.fmax.", do_float_minmax_reduce, HELP_MAXNUM32},
	{"vector.extract.", do_subvector, 0},
	{"vector.insert.", do_subvector, 1},
	{"vector.reverse.", do_subvector, 2},
	{"masked.load.", do_masked_load, 0},
	{"masked.gather.", do_masked_load, 1},
	{"masked.store.", do_masked_store, 0},
	{"masked.scatter.", do_masked_store, 1},
	{"x86.sse2.pause", do_pass, 0},
	{"x86.sse2.lfence", do_pass, 0},
	{"x86.sse2.mfence", do_fence, 0},
	{"x86.sse.sfence", do_fence, 0},
	{"x86.sse.movmsk.", do_movmsk, 0},
	{"x86.sse2.movmsk.", do_movmsk, 0},
	{"x86.sse2.pmovmskb.", do_movmsk, 0},
	{"x86.avx.movmsk.", do_movmsk, 0},
	{"x86.avx2.pmovmskb", do_movmsk, 0},
	{"x86.sse42.crc32.32.8", do_crc32, 8},
	{"x86.sse42.crc32.32.16", do_crc32, 16},
	{"x86.sse42.crc32.32.32", do_crc32, 32},
	{"x86.sse42.crc32.64.64", do_crc32, 64},
};

static void run(struct tr *t, LLVMValueRef i, const struct intrinsic *x, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	if (LLVMGetTypeKind(type) == LLVMVoidTypeKind && LLVMGetNumArgOperands(i))
		type = LLVMTypeOf(LLVMGetOperand(i, 0));
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMTypeRef e = vector ? LLVMGetElementType(type) : type;
	struct work w = {.t = t, .i = i, .name = name, .param = x->param, .type = type, .element = e,
			 .n = vector ? LLVMGetVectorSize(type) : 1, .width = int_width(e)};
	x->handler(&w);
}

bool translate_intrinsic(struct tr *t, LLVMValueRef i, const char *name)
{
	if (strncmp(name, "llvm.", 5))
		return false;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		if (!strncmp(name + 5, table[k].prefix, strlen(table[k].prefix))) {
			run(t, i, &table[k], name);
			return true;
		}
	}
	return false;
}
