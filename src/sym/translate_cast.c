/*
 * Casts: truncation and extension, conversions of floating point, the same bits as another type.
 */
#include "sym/translate_internal.h"

static void cast_trunc(struct tr *t, unsigned from, unsigned to, reg d, const reg *a)
{
	(void)from;
	for (; to > 64; to -= 64)
		emit(t, OP_MOV, 64, d++, *a++, 0);
	emit(t, OP_TRUNC, to, d, *a, 0);
}

static void cast_zext(struct tr *t, unsigned from, unsigned to, reg d, const reg *a)
{
	for (unsigned k = 0; k * 64 < to; k++)
		emit(t, OP_MOV, 64, d + k, k * 64 < from ? a[k] : const_reg(t, 0), 0);
}

static void cast_sext(struct tr *t, unsigned from, unsigned to, reg d, const reg *a)
{
	if (to > 128)
		cannot(t, "a sign extension to %u bits", to);
	if (from > 64) {
		emit_helper(t, HELP_SEXT128, to << 8 | from, d, a);
		return;
	}
	unsigned low = to < 64 ? to : 64;
	if (from == 64)
		emit(t, OP_MOV, 64, d, a[0], 0);
	else
		emit(t, from == 32 ? OP_SEXT32 : OP_SEXT, low, d, a[0], from);
	if (to > 64) {
		emit(t, OP_ASHR64, 64, d + 1, d, const_reg(t, 63));
		if (to < 128)
			emit(t, OP_TRUNC, to - 64, d + 1, d + 1, 0);
	}
}

static void cast_float(struct tr *t, enum leaf_kind from, enum leaf_kind to, reg d, const reg *a)
{
	if (from == LEAF_FLOAT && to == LEAF_DOUBLE) {
		emit(t, OP_FPEXT, 0, d, a[0], 0);
	} else if (from == LEAF_DOUBLE && to == LEAF_FLOAT) {
		emit(t, OP_FPTRUNC, 0, d, a[0], 0);
	} else if (from == LEAF_FLOAT && to == LEAF_F80) {
		emit_helper(t, HELP_F32TOF80, 0, d, a);
	} else if (from == LEAF_DOUBLE && to == LEAF_F80) {
		emit_helper(t, HELP_F64TOF80, 0, d, a);
	} else if (from == LEAF_F80 && to == LEAF_FLOAT) {
		emit_helper(t, HELP_F80TOF32, 0, d, a);
	} else if (from == LEAF_F80 && to == LEAF_DOUBLE) {
		emit_helper(t, HELP_F80TOF64, 0, d, a);
	} else if (from == LEAF_HALF && (to == LEAF_FLOAT || to == LEAF_DOUBLE)) {
		emit_helper(t, HELP_H2F, 0, d, a);
		if (to == LEAF_DOUBLE)
			emit(t, OP_FPEXT, 0, d, d, 0);
	} else if (to == LEAF_HALF && from == LEAF_FLOAT) {
		emit_helper(t, HELP_F2H, 0, d, a);
	} else if (to == LEAF_HALF && from == LEAF_DOUBLE) {
		emit_helper(t, HELP_D2H, 0, d, a);
	} else {
		cannot(t, "a conversion of a floating point type other than float, double, long double");
	}
}

static void cast_from_int(struct tr *t, bool is_signed, unsigned from, enum leaf_kind to, reg d,
			  const reg *a)
{
	unsigned f64 = to == LEAF_DOUBLE;
	if (to == LEAF_F80 && from <= 64)
		emit_helper(t, is_signed ? HELP_SITOF80 : HELP_UITOF80, from, d, a);
	else if (to != LEAF_FLOAT && to != LEAF_DOUBLE)
		cannot(t, "a conversion to a floating point type other than float, double, long double");
	else if (from > 128)
		cannot(t, "a conversion of an integer of %u bits", from);
	else if (from > 64)
		emit_helper(t, (is_signed ? HELP_SITOF32_128 : HELP_UITOF32_128) + f64, from, d, a);
	else
		emit(t, (is_signed ? OP_SITOFP32 : OP_UITOFP32) + f64, from, d, a[0], 0);
}

static void cast_to_int(struct tr *t, bool is_signed, enum leaf_kind from, unsigned to, reg d,
			const reg *a)
{
	unsigned f64 = from == LEAF_DOUBLE;
	if (from == LEAF_F80 && to <= 64)
		emit_helper(t, is_signed ? HELP_F80TOSI : HELP_F80TOUI, to, d, a);
	else if (from != LEAF_FLOAT && from != LEAF_DOUBLE)
		cannot(t, "a conversion from a floating point type other than float, double, long double");
	else if (to > 128)
		cannot(t, "a conversion to an integer of %u bits", to);
	else if (to > 64)
		emit_helper(t, (is_signed ? HELP_F32TOSI128 : HELP_F32TOUI128) + f64, to, d, a);
	else
		emit(t, (is_signed ? OP_F32TOSI : OP_F32TOUI) + f64, to, d, a[0], 0);
}

static void convert(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
	unsigned wfrom = int_width(element(from)), wto = int_width(element(to));
	unsigned sfrom = slots_of(t, element(from)), sto = slots_of(t, element(to));
	enum leaf_kind kfrom = kind_of(t, from), kto = kind_of(t, to);
	const reg *a = value_regs(t, LLVMGetOperand(i, 0));
	reg d = define(t, i);
	for (unsigned k = 0; k < elements(to); k++, d += sto, a += sfrom) {
		switch (op) {
		case LLVMTrunc: cast_trunc(t, wfrom, wto, d, a); break;
		case LLVMZExt: cast_zext(t, wfrom, wto, d, a); break;
		case LLVMSExt: cast_sext(t, wfrom, wto, d, a); break;
		case LLVMPtrToInt:
		case LLVMIntToPtr:
			(wto < wfrom ? cast_trunc : cast_zext)(t, wfrom, wto, d, a);
			break;
		case LLVMFPExt:
		case LLVMFPTrunc: cast_float(t, kfrom, kto, d, a); break;
		case LLVMSIToFP:
		case LLVMUIToFP: cast_from_int(t, op == LLVMSIToFP, wfrom, kto, d, a); break;
		default: cast_to_int(t, op == LLVMFPToSI, kfrom, wto, d, a); break;
		}
	}
}

void emit_bitcast(struct tr *t, LLVMTypeRef from, const reg *in, LLVMTypeRef to, reg *out)
{
	leaf_list lf = {0}, lt = {0};
	leaves_of(t, from, 0, &lf);
	leaves_of(t, to, 0, &lt);
	size_t s = 0;
	unsigned used = 0; /* bits of in[s] consumed */
	for (size_t d = 0; d < lt.n; d++) {
		unsigned have = 0, want = lt.at[d].width;
		reg acc = NO_REG;
		while (have < want && s < lf.n) {
			unsigned n = lf.at[s].width - used;
			n = n < want - have ? n : want - have;
			reg piece = in[s];
			if (n < lf.at[s].width) {
				piece = new_temp(t);
				emit(t, OP_EXTR, n, piece, in[s], used);
			}
			if (acc == NO_REG) {
				acc = piece;
			} else {
				reg sum = new_temp(t);
				emit(t, OP_CONCAT, n << 8 | have, sum, acc, piece);
				acc = sum;
			}
			have += n;
			used += n;
			if (used == lf.at[s].width)
				s++, used = 0;
		}
		out[d] = acc;
	}
	vec_free(&lf);
	vec_free(&lt);
}

static void translate_bitcast(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef to = LLVMTypeOf(i);
	unsigned n = slots_of(t, to);
	reg *cut = new_list(t, n);
	emit_bitcast(t, LLVMTypeOf(LLVMGetOperand(i, 0)), value_regs(t, LLVMGetOperand(i, 0)), to, cut);
	reg d = define(t, i);
	for (unsigned k = 0; k < n; k++)
		emit(t, OP_MOV, 64, d + k, cut[k], 0);
}

static bool same_slots(struct tr *t, LLVMTypeRef a, LLVMTypeRef b)
{
	return elements(a) == elements(b) && slots_of(t, element(a)) == 1 && slots_of(t, element(b)) == 1;
}

bool is_renaming_cast(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
	unsigned wfrom = int_width(element(from)), wto = int_width(element(to));
	switch (op) {
	case LLVMZExt:
	case LLVMIntToPtr:
	case LLVMPtrToInt:
		return wfrom <= wto && wto <= 64;
	case LLVMTrunc:
		return wfrom > 64 && wto == 64 && elements(from) == 1;
	case LLVMBitCast:
		return same_slots(t, from, to);
	default:
		return false;
	}
}

void translate_cast(struct tr *t, LLVMValueRef i, LLVMOpcode op)
{
	if (is_renaming_cast(t, i, op))
		define_as(t, i, value_regs(t, LLVMGetOperand(i, 0)));
	else if (op == LLVMBitCast)
		translate_bitcast(t, i);
	else
		convert(t, i, op);
}
