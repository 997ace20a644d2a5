/*
 * Arithmetic, comparisons, casts, selects, vectors and aggregates: everything that neither touches memory nor
 * transfers control. Vectors are done element by element.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>

enum leaf_kind kind_of(struct tr *t, LLVMTypeRef type)
{
	leaf_list l = {0};
	leaves_of(t, element(type), 0, &l);
	enum leaf_kind k = l.n ? l.at[0].kind : LEAF_OTHER;
	vec_free(&l);
	return k;
}

void emit_helper(struct tr *t, enum code_helper h, unsigned w, reg d, const reg *in)
{
	static const uint8_t count[] = {
#define X(name, nin, nout) nin,
		CODE_HELPERS(X)
#undef X
	};
	uint32_t list = pool_regs(t, in, count[h]);
	emit(t, OP_HELPER, w, d, list, h);
}

/* ------------------------------------------------------------------ integers */

static enum code_op by_width(unsigned width, enum code_op first)
{
	return first + (width == 32 ? 0 : width == 64 ? 1 : 2);
}

void emit_binary(struct tr *t, LLVMOpcode op, unsigned width, reg d, reg a, reg b)
{
	enum code_op o;
	switch (op) {
	case LLVMAdd: o = by_width(width, OP_ADD32); break;
	case LLVMSub: o = by_width(width, OP_SUB32); break;
	case LLVMMul: o = by_width(width, OP_MUL32); break;
	case LLVMUDiv: o = OP_UDIV; break;
	case LLVMURem: o = OP_UREM; break;
	case LLVMSDiv: o = OP_SDIV; break;
	case LLVMSRem: o = OP_SREM; break;
	case LLVMAnd: o = OP_AND; break;
	case LLVMOr: o = OP_OR; break;
	case LLVMXor: o = OP_XOR; break;
	case LLVMShl: o = by_width(width, OP_SHL32); break;
	case LLVMLShr: o = OP_LSHR; break;
	case LLVMAShr: o = by_width(width, OP_ASHR32); break;
	default: cannot(t, "an operation of an unknown kind");
	}
	emit(t, o, width, d, a, b);
}

/* n bits of a wide integer from bit `low` on, zero beyond its end. */
static void cut_word(struct tr *t, unsigned width, const reg *a, unsigned low, unsigned n, reg d)
{
	unsigned at = low / 64, shift = low % 64, have = at * 64 + 64 <= width ? 64 : width - at * 64;
	if (low >= width) {
		emit(t, OP_MOV, n, d, const_reg(t, 0), 0);
		return;
	}
	unsigned first = have - shift < n ? have - shift : n;
	emit(t, OP_EXTR, first, d, a[at], shift);
	if (first < n && low + first < width) {
		unsigned left = width - low - first, rest = n - first < left ? n - first : left;
		reg next = new_temp(t);
		emit(t, OP_EXTR, rest, next, a[at + 1], 0);
		emit(t, OP_CONCAT, rest << 8 | first, d, d, next);
	}
}

/* An arithmetic shift of two words by a constant. */
static void emit_sign_shift(struct tr *t, unsigned by, reg d, const reg *a)
{
	if (by < 64)
		cut_word(t, 128, a, by, 64, d);
	else
		emit(t, OP_ASHR64, 64, d, a[1], const_reg(t, by - 64));
	emit(t, OP_ASHR64, 64, d + 1, a[1], const_reg(t, by < 63 ? by : 63));
}

/* Integers of more than a word whose operation is one of words: bitwise operations, shifts by a constant; else false. */
static bool emit_by_words(struct tr *t, LLVMValueRef i, LLVMOpcode op, unsigned width, reg d, const reg *a, const reg *b)
{
	unsigned words = (width + 63) / 64;
	uint64_t by;
	bool bitwise = op == LLVMAnd || op == LLVMOr || op == LLVMXor;
	bool shift = (op == LLVMShl || op == LLVMLShr || (op == LLVMAShr && width == 128)) && LLVMIsAConstantInt(LLVMGetOperand(i, 1));
	by = shift ? LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) : 0;
	if ((!bitwise && !shift) || by >= width)
		return false;
	if (op == LLVMAShr) {
		emit_sign_shift(t, (unsigned)by, d, a);
		return true;
	}
	for (unsigned k = 0; k < words; k++) {
		unsigned n = width - k * 64 < 64 ? width % 64 : 64;
		unsigned low = k * 64;
		if (bitwise)
			emit_binary(t, op, n, d + k, a[k], b[k]);
		else if (op == LLVMLShr)
			cut_word(t, width, a, low + (unsigned)by, n, d + k);
		else if (low >= by)
			cut_word(t, width, a, low - (unsigned)by, n, d + k);
		else if (low + 64 <= by)
			emit(t, OP_MOV, n, d + k, const_reg(t, 0), 0);
		else
			emit(t, OP_SHL64, 64, d + k, a[0], const_reg(t, by - low));
	}
	if (op == LLVMShl && width % 64)
		emit(t, OP_TRUNC, width % 64, d + words - 1, d + words - 1, 0);
	return true;
}

/* The sum or the difference of two words and of two more, with what is carried between them. */
static void emit_carrying(struct tr *t, LLVMOpcode op, unsigned width, reg d, const reg *a, const reg *b)
{
	reg low = new_temp(t), carry = new_temp(t);
	emit_binary(t, op, 64, low, a[0], b[0]);
	/* A sum that is less than one of its parts went over; a difference that is more than what it was taken from went below. */
	emit_compare(t, op == LLVMAdd ? LLVMIntULT : LLVMIntUGT, 64, carry, low, a[0]);
	emit(t, OP_MOV, width - 64, carry, carry, 0);
	emit_binary(t, op, width - 64, d + 1, a[1], b[1]);
	emit_binary(t, op, width - 64, d + 1, d + 1, carry);
	emit(t, OP_MOV, 64, d, low, 0);
}

static void emit_wide(struct tr *t, LLVMOpcode op, unsigned width, reg d, const reg *a, const reg *b)
{
	reg in[4] = {a[0], a[1], b[0], b[1]};
	enum code_helper h;
	switch (op) {
	case LLVMAdd:
	case LLVMSub: emit_carrying(t, op, width, d, a, b); return;
	case LLVMMul: h = HELP_MUL128; break;
	case LLVMUDiv: h = HELP_UDIV128; break;
	case LLVMSDiv: h = HELP_SDIV128; break;
	case LLVMURem: h = HELP_UREM128; break;
	case LLVMSRem: h = HELP_SREM128; break;
	case LLVMShl: h = HELP_SHL128; break;
	case LLVMLShr: h = HELP_LSHR128; break;
	case LLVMAShr: h = HELP_ASHR128; break;
	default: cannot(t, "an operation of an unknown kind");
	}
	emit_helper(t, h, width, d, in);
}

enum code_op compare_op(LLVMIntPredicate p, unsigned width, bool *swap)
{
	*swap = p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntSGT || p == LLVMIntSGE;
	switch (p) {
	case LLVMIntEQ: return OP_EQ;
	case LLVMIntNE: return OP_NE;
	case LLVMIntULT:
	case LLVMIntUGT: return OP_ULT;
	case LLVMIntULE:
	case LLVMIntUGE: return OP_ULE;
	case LLVMIntSLT:
	case LLVMIntSGT: return by_width(width, OP_SLT32);
	default: return by_width(width, OP_SLE32);
	}
}

void emit_compare(struct tr *t, LLVMIntPredicate p, unsigned width, reg d, reg a, reg b)
{
	bool swap;
	enum code_op op = compare_op(p, width, &swap);
	emit(t, op, width, d, swap ? b : a, swap ? a : b);
}

static void emit_wide_equality(struct tr *t, LLVMIntPredicate p, unsigned width, reg d, const reg *a, const reg *b)
{
	reg differ = new_temp(t), part = new_temp(t);
	emit(t, OP_MOV, 64, differ, const_reg(t, 0), 0);
	for (unsigned k = 0; k < (width + 63) / 64; k++) {
		emit(t, OP_XOR, 64, part, a[k], b[k]);
		emit(t, OP_OR, 64, differ, differ, part);
	}
	emit_compare(t, p, 64, d, differ, const_reg(t, 0));
}

static void emit_wide_compare(struct tr *t, LLVMIntPredicate p, unsigned width, reg d, const reg *a,
			      const reg *b)
{
	if (p == LLVMIntEQ || p == LLVMIntNE) {
		emit_wide_equality(t, p, width, d, a, b);
		return;
	}
	if (width > 128)
		cannot(t, "a comparison of integers of %u bits", width);
	/* a > b is b < a; a <= b is not b < a. */
	bool swap = p == LLVMIntUGT || p == LLVMIntSGT || p == LLVMIntULE || p == LLVMIntSLE;
	bool negate = p == LLVMIntULE || p == LLVMIntSLE || p == LLVMIntUGE || p == LLVMIntSGE;
	const reg *x = swap ? b : a, *y = swap ? a : b;
	reg equal = new_temp(t), low = new_temp(t);
	/* The high words decide, or, where they are the same, the low ones. */
	emit_compare(t, LLVMIntEQ, width - 64, equal, x[1], y[1]);
	emit_compare(t, LLVMIntULT, 64, low, x[0], y[0]);
	emit(t, OP_AND, 1, low, low, equal);
	emit_compare(t, p >= LLVMIntSGT ? LLVMIntSLT : LLVMIntULT, width - 64, d, x[1], y[1]);
	emit(t, OP_OR, 1, d, d, low);
	if (negate)
		emit(t, OP_XOR, 1, d, d, const_reg(t, 1));
}

static void translate_icmp(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	LLVMIntPredicate p = LLVMGetICmpPredicate(i);
	unsigned width = int_width(element(type));
	const reg *a = value_regs(t, LLVMGetOperand(i, 0)), *b = value_regs(t, LLVMGetOperand(i, 1));
	reg d = define(t, i);
	for (unsigned k = 0; k < elements(type); k++) {
		if (width > 64)
			emit_wide_compare(t, p, width, d + k, a + (width + 63) / 64 * k,
					  b + (width + 63) / 64 * k);
		else
			emit_compare(t, p, width, d + k, a[k], b[k]);
	}
}

/* ------------------------------------------------------------------ floating point */

void emit_float_binary(struct tr *t, LLVMOpcode op, unsigned kind, reg d, const reg *a, const reg *b)
{
	unsigned n = op == LLVMFAdd ? 0 : op == LLVMFSub ? 1 : op == LLVMFMul ? 2 : op == LLVMFDiv ? 3 : 4;
	reg in[4] = {a[0], b[0]};
	if (kind == LEAF_F80) {
		reg wide[4] = {a[0], a[1], b[0], b[1]};
		emit_helper(t, HELP_FADD80 + n, 0, d, wide);
	} else if (kind != LEAF_FLOAT && kind != LEAF_DOUBLE) {
		cannot(t, "arithmetic on a floating point type other than float, double, long double");
	} else if (n == 4) {
		emit_helper(t, kind == LEAF_FLOAT ? HELP_FREM32 : HELP_FREM64, 0, d, in);
	} else {
		emit(t, (kind == LEAF_FLOAT ? OP_FADD32 : OP_FADD64) + n, 0, d, a[0], b[0]);
	}
}

static void translate_binary(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	const reg *a = value_regs(t, LLVMGetOperand(i, 0)), *b = value_regs(t, LLVMGetOperand(i, 1));
	bool is_float = op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFRem;
	unsigned size = slots_of(t, element(type)), width = is_float ? 0 : int_width(element(type));
	enum leaf_kind kind = kind_of(t, type);
	reg d = define(t, i);
	for (unsigned k = 0; k < elements(type) * size; k += size) {
		if (is_float)
			emit_float_binary(t, op, kind, d + k, a + k, b + k);
		else if (size >= 2 && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && emit_by_words(t, i, op, width, d + k, a + k, b + k))
			continue;
		else if (size > 2)
			cannot(t, "arithmetic on integers of %u bits", width);
		else if (size == 2)
			emit_wide(t, op, width, d + k, a + k, b + k);
		else
			emit_binary(t, op, width, d + k, a[k], b[k]);
	}
}

static void translate_fneg(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	const reg *a = value_regs(t, LLVMGetOperand(i, 0));
	enum leaf_kind kind = kind_of(t, type);
	unsigned size = slots_of(t, element(type));
	reg d = define(t, i);
	for (unsigned k = 0; k < elements(type) * size; k += size) {
		if (kind == LEAF_F80)
			emit_helper(t, HELP_FNEG80, 0, d + k, a + k);
		else if (kind == LEAF_FLOAT || kind == LEAF_DOUBLE)
			emit(t, kind == LEAF_FLOAT ? OP_FNEG32 : OP_FNEG64, 0, d + k, a[k], 0);
		else
			cannot(t, "arithmetic on a floating point type other than float, double, long double");
	}
}

static void translate_fcmp(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	LLVMRealPredicate p = LLVMGetFCmpPredicate(i);
	const reg *a = value_regs(t, LLVMGetOperand(i, 0)), *b = value_regs(t, LLVMGetOperand(i, 1));
	enum leaf_kind kind = kind_of(t, type);
	reg d = define(t, i);
	for (unsigned k = 0; k < elements(type); k++) {
		if (kind == LEAF_F80) {
			reg in[4] = {a[2 * k], a[2 * k + 1], b[2 * k], b[2 * k + 1]};
			emit_helper(t, HELP_FCMP80, p, d + k, in);
		} else if (kind == LEAF_FLOAT || kind == LEAF_DOUBLE) {
			emit(t, kind == LEAF_FLOAT ? OP_FCMP32 : OP_FCMP64, p, d + k, a[k], b[k]);
		} else {
			cannot(t, "a comparison of a floating point type other than float, double, long double");
		}
	}
}

/* ------------------------------------------------------------------ select, vectors, aggregates */

reg emit_select(struct tr *t, unsigned width, reg d, reg c, reg a, reg b)
{
	emit(t, OP_SELECT, width, d, c, a);
	emit(t, OP_ELSE, 0, b, 0, 0);
	return d;
}

static void translate_select(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef condition = LLVMGetOperand(i, 0);
	const reg *c = value_regs(t, condition);
	const reg *a = value_regs(t, LLVMGetOperand(i, 1)), *b = value_regs(t, LLVMGetOperand(i, 2));
	unsigned n = elements(LLVMTypeOf(condition));
	leaf_list l = {0};
	leaves_of(t, type, 0, &l);
	reg d = define(t, i);
	for (unsigned k = 0; k < l.n; k++)
		emit_select(t, l.at[k].width, d + k, c[n > 1 ? k * n / l.n : 0], a[k], b[k]);
	vec_free(&l);
}

/* First slot of the element that extractvalue and insertvalue name, and the type of it. */
static unsigned place_of(struct tr *t, LLVMValueRef i, LLVMTypeRef *type)
{
	const unsigned *index = LLVMGetIndices(i);
	unsigned at = 0;
	for (unsigned k = 0; k < LLVMGetNumIndices(i); k++) {
		if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
			for (unsigned m = 0; m < index[k]; m++)
				at += slots_of(t, LLVMStructGetTypeAtIndex(*type, m));
			*type = LLVMStructGetTypeAtIndex(*type, index[k]);
		} else {
			*type = LLVMGetElementType(*type);
			at += index[k] * slots_of(t, *type);
		}
	}
	return at;
}

static void translate_aggregate(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	unsigned n = slots_of(t, type), at = place_of(t, i, &type), size = slots_of(t, type);
	const reg *whole = value_regs(t, LLVMGetOperand(i, 0));
	if (op == LLVMExtractValue) {
		define_as(t, i, whole + at);
		return;
	}
	const reg *part = value_regs(t, LLVMGetOperand(i, 1));
	reg *out = new_list(t, n);
	for (unsigned k = 0; k < n; k++)
		out[k] = k >= at && k < at + size ? part[k - at] : whole[k];
	define_as(t, i, out);
}

static void translate_element_at(struct tr *t, LLVMValueRef i, LLVMOpcode op, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	unsigned n = LLVMGetVectorSize(type), size = slots_of(t, LLVMGetElementType(type));
	const reg *whole = value_regs(t, LLVMGetOperand(i, 0));
	at = at < n ? at : 0; /* poison */
	if (op == LLVMExtractElement) {
		define_as(t, i, whole + at * size);
		return;
	}
	const reg *part = value_regs(t, LLVMGetOperand(i, 1));
	reg *out = new_list(t, n * size);
	for (unsigned k = 0; k < n * size; k++)
		out[k] = k / size == at ? part[k % size] : whole[k];
	define_as(t, i, out);
}

/* Element number known at run time only: a chain of selects. */
static void translate_element(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	LLVMValueRef index = LLVMGetOperand(i, op == LLVMExtractElement ? 1 : 2);
	uint64_t at;
	if (const_int(index, &at)) {
		translate_element_at(t, i, op, at);
		return;
	}
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	const reg *whole = value_regs(t, LLVMGetOperand(i, 0));
	reg number = value_reg(t, index), same = new_temp(t);
	leaf_list l = {0};
	leaves_of(t, type, 0, &l);
	unsigned n = LLVMGetVectorSize(type), size = (unsigned)l.n / n;
	const reg *part = op == LLVMInsertElement ? value_regs(t, LLVMGetOperand(i, 1)) : NULL;
	reg d = define(t, i);
	for (unsigned k = 0; k < l.n; k++) {
		if (k % size == 0)
			emit_compare(t, LLVMIntEQ, int_width(LLVMTypeOf(index)), same, number,
				     const_reg(t, k / size));
		if (part)
			emit_select(t, l.at[k].width, d + k, same, part[k % size], whole[k]);
		else if (k < size)
			emit(t, OP_MOV, 64, d + k, whole[k], 0);
		else
			emit_select(t, l.at[k].width, d + k % size, same, whole[k], d + k % size);
	}
	vec_free(&l);
}

static void translate_shuffle(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	unsigned n = LLVMGetVectorSize(type), size = slots_of(t, LLVMGetElementType(type));
	unsigned count = LLVMGetNumMaskElements(i);
	const reg *a = value_regs(t, LLVMGetOperand(i, 0)), *b = value_regs(t, LLVMGetOperand(i, 1));
	reg *out = new_list(t, count * size);
	for (unsigned k = 0; k < count; k++) {
		int from = LLVMGetMaskValue(i, k);
		for (unsigned s = 0; s < size; s++)
			out[k * size + s] = from < 0 ? const_reg(t, 0)
					    : (unsigned)from < n ? a[(unsigned)from * size + s]
								 : b[((unsigned)from - n) * size + s];
	}
	define_as(t, i, out);
}

/* ------------------------------------------------------------------ renaming */

bool is_renaming(struct tr *t, LLVMValueRef i)
{
	LLVMOpcode op = opcode(i);
	uint64_t at;
	switch (op) {
	case LLVMFreeze:
	case LLVMAddrSpaceCast:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMShuffleVector:
		return true;
	case LLVMExtractElement:
		return const_int(LLVMGetOperand(i, 1), &at);
	case LLVMInsertElement:
		return const_int(LLVMGetOperand(i, 2), &at);
	case LLVMZExt:
	case LLVMTrunc:
	case LLVMIntToPtr:
	case LLVMPtrToInt:
	case LLVMBitCast:
		return is_renaming_cast(t, i, op);
	default:
		return is_folded(t, i);
	}
}

/* clang-format off */
bool is_simple(LLVMOpcode op)
{
	switch (op) {
	case LLVMFNeg: case LLVMICmp: case LLVMFCmp: case LLVMSelect: case LLVMFreeze:
	case LLVMExtractValue: case LLVMInsertValue: case LLVMShuffleVector:
	case LLVMExtractElement: case LLVMInsertElement:
	case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMUDiv: case LLVMSDiv: case LLVMURem:
	case LLVMSRem: case LLVMShl: case LLVMLShr: case LLVMAShr: case LLVMAnd: case LLVMOr:
	case LLVMXor: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFRem:
	case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMFPToUI: case LLVMFPToSI:
	case LLVMUIToFP: case LLVMSIToFP: case LLVMFPTrunc: case LLVMFPExt: case LLVMPtrToInt:
	case LLVMIntToPtr: case LLVMBitCast: case LLVMAddrSpaceCast:
		return true;
	default:
		return false;
	}
}

void translate_simple(struct tr *t, LLVMValueRef i)
{
	LLVMOpcode op = opcode(i);
	switch (op) {
	case LLVMFreeze:
	case LLVMAddrSpaceCast:
		define_as(t, i, value_regs(t, LLVMGetOperand(i, 0)));
		break;
	case LLVMExtractValue:
	case LLVMInsertValue:
		translate_aggregate(t, i, op);
		break;
	case LLVMShuffleVector:
		translate_shuffle(t, i);
		break;
	case LLVMExtractElement:
	case LLVMInsertElement:
		translate_element(t, i, op);
		break;
	case LLVMICmp:
		translate_icmp(t, i);
		break;
	case LLVMFCmp:
		translate_fcmp(t, i);
		break;
	case LLVMFNeg:
		translate_fneg(t, i);
		break;
	case LLVMSelect:
		translate_select(t, i);
		break;
	case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMFPToUI: case LLVMFPToSI:
	case LLVMUIToFP: case LLVMSIToFP: case LLVMFPTrunc: case LLVMFPExt: case LLVMPtrToInt:
	case LLVMIntToPtr: case LLVMBitCast:
		translate_cast(t, i, op);
		break;
	default:
		translate_binary(t, i, op);
		break;
	}
}
