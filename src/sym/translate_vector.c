/*
 * Intrinsics on floating point and on vectors as a whole; the table is in translate_intrinsic.c.
 */
#include "sym/translate_intrinsic.h"

static bool is_f32(struct work *w, LLVMTypeRef type)
{
	LLVMTypeKind k = LLVMGetTypeKind(type);
	if (k == LLVMVectorTypeKind)
		k = LLVMGetTypeKind(LLVMGetElementType(type));
	if (k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind)
		cannot(w->t, "the intrinsic %s on a type other than float and double", w->name);
	return k == LLVMFloatTypeKind;
}

/* ------------------------------------------------------------------ floating point */

/* Helper for float at param, for double at param + 1. */
void do_math(struct work *w)
{
	bool f32 = is_f32(w, arg_type(w, 0));
	const reg *a = arg(w, 0);
	const reg *b = LLVMGetNumArgOperands(w->i) > 1 ? arg(w, 1) : a;
	bool same_b = LLVMGetNumArgOperands(w->i) > 1 &&
		      LLVMGetTypeKind(arg_type(w, 1)) != LLVMVectorTypeKind; /* powi: one exponent */
	LLVMTypeRef type = LLVMTypeOf(w->i);
	unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
	unsigned width = w->width;
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < n; k++) {
		reg in[2] = {a[k], same_b ? b[0] : b[k]};
		emit_helper(w->t, (enum code_helper)(w->param + !f32), width, d + k, in);
	}
}

void do_frexp(struct work *w)
{
	bool f32 = is_f32(w, arg_type(w, 0));
	if (LLVMGetTypeKind(arg_type(w, 0)) == LLVMVectorTypeKind)
		cannot(w->t, "the intrinsic %s on a vector", w->name);
	emit_helper(w->t, f32 ? HELP_FREXP32 : HELP_FREXP64, 0, define(w->t, w->i), arg(w, 0));
}

void do_fabs(struct work *w)
{
	const reg *a = arg(w, 0);
	if (LLVMGetTypeKind(w->type) == LLVMX86_FP80TypeKind) {
		emit_helper(w->t, HELP_FABS80, 0, define(w->t, w->i), a);
		return;
	}
	bool f32 = is_f32(w, w->type);
	reg d = define(w->t, w->i);
	for (unsigned k = 0; k < w->n; k++)
		emit(w->t, f32 ? OP_FABS32 : OP_FABS64, 0, d + k, a[k], 0);
}

/* fma is one rounding; fmuladd is what the machine code does, fused when the target has the instruction. */
void do_fma(struct work *w)
{
	struct tr *t = w->t;
	const reg *a = arg(w, 0), *b = arg(w, 1), *c = arg(w, 2);
	if (LLVMGetTypeKind(w->type) == LLVMX86_FP80TypeKind && !w->param) {
		reg both = new_temps(t, 2), wide[2] = {both, both + 1};
		emit_float_binary(t, LLVMFMul, LEAF_F80, both, a, b);
		emit_float_binary(t, LLVMFAdd, LEAF_F80, define(t, w->i), wide, c);
		return;
	}
	unsigned kind = is_f32(w, w->type) ? LEAF_FLOAT : LEAF_DOUBLE;
	reg d = define(t, w->i), product = new_temp(t);
	for (unsigned k = 0; k < w->n; k++) {
		if (w->param || t->fn.has_fma) {
			emit(t, kind == LEAF_FLOAT ? OP_FMA32 : OP_FMA64, 0, d + k, a[k], b[k]);
			emit(t, OP_ELSE, 0, c[k], 0, 0);
			continue;
		}
		emit_float_binary(t, LLVMFMul, kind, product, &a[k], &b[k]);
		emit_float_binary(t, LLVMFAdd, kind, d + k, &product, &c[k]);
	}
}

void do_fpclass(struct work *w)
{
	bool f32 = is_f32(w, arg_type(w, 0));
	const reg *a = arg(w, 0);
	reg d = define(w->t, w->i), which = arg(w, 1)[0];
	for (unsigned k = 0; k < w->n; k++) {
		reg in[2] = {a[k], which};
		emit_helper(w->t, f32 ? HELP_CLASS32 : HELP_CLASS64, 0, d + k, in);
	}
}

/* ------------------------------------------------------------------ vectors */

void do_reduce(struct work *w)
{
	struct tr *t = w->t;
	LLVMTypeRef type = arg_type(w, 0);
	unsigned n = LLVMGetVectorSize(type), width = int_width(LLVMGetElementType(type));
	const reg *a = arg(w, 0);
	reg d = define(t, w->i), less = new_temp(t);
	if (width > 64)
		cannot(t, "the intrinsic %s on %u bits", w->name, width);
	emit(t, OP_MOV, width, d, a[0], 0);
	for (unsigned k = 1; k < n; k++) {
		if (w->param >= 1000) {
			emit_compare(t, (LLVMIntPredicate)(w->param - 1000), width, less, d, a[k]);
			emit_select(t, width, d, less, d, a[k]);
		} else {
			emit_binary(t, (LLVMOpcode)w->param, width, d, d, a[k]);
		}
	}
}

/* With a start value, in order: the sequential form. The reassociating form gives what some order gives. */
void do_float_reduce(struct work *w)
{
	struct tr *t = w->t;
	unsigned kind = is_f32(w, w->type) ? LEAF_FLOAT : LEAF_DOUBLE;
	unsigned n = LLVMGetVectorSize(arg_type(w, 1));
	const reg *start = arg(w, 0), *a = arg(w, 1);
	reg d = define(t, w->i);
	emit(t, OP_MOV, 64, d, start[0], 0);
	for (unsigned k = 0; k < n; k++)
		emit_float_binary(t, (LLVMOpcode)w->param, kind, d, &d, &a[k]);
}

void do_float_minmax_reduce(struct work *w)
{
	bool f32 = is_f32(w, arg_type(w, 0));
	unsigned n = LLVMGetVectorSize(arg_type(w, 0));
	const reg *a = arg(w, 0);
	reg d = define(w->t, w->i);
	emit(w->t, OP_MOV, 64, d, a[0], 0);
	for (unsigned k = 1; k < n; k++) {
		reg in[2] = {d, a[k]};
		emit_helper(w->t, (enum code_helper)(w->param + !f32), 0, d, in);
	}
}

/* masked.load(ptr, align, mask, passthru), masked.gather: the same with a vector of pointers. */
void do_masked_load(struct work *w)
{
	struct tr *t = w->t;
	leaf_list l = {0};
	leaves_of(t, LLVMTypeOf(w->i), 0, &l);
	const reg *address = arg(w, 0), *mask = arg(w, 2), *other = arg(w, 3);
	reg d = define(t, w->i);
	for (unsigned k = 0; k < l.n; k++)
		emit(t, OP_MOV, 64, d + k, other[k], 0);
	emit_masked(t, site_of(t, w->i), address, w->param, &l, d, NULL, mask);
	vec_free(&l);
}

/* masked.store(value, ptr, align, mask), masked.scatter. */
void do_masked_store(struct work *w)
{
	struct tr *t = w->t;
	leaf_list l = {0};
	leaves_of(t, arg_type(w, 0), 0, &l);
	emit_masked(t, site_of(t, w->i), arg(w, 1), w->param, &l, 0, arg(w, 0), arg(w, 3));
	vec_free(&l);
}

/* vector.extract(vector, index), vector.insert(vector, part, index), vector.reverse */
void do_subvector(struct work *w)
{
	struct tr *t = w->t;
	unsigned n = slots_of(t, LLVMTypeOf(w->i));
	const reg *a = arg(w, 0);
	uint64_t at = 0;
	if (w->param < 2)
		const_int(LLVMGetOperand(w->i, w->param ? 2 : 1), &at);
	const reg *b = w->param == 1 ? arg(w, 1) : NULL;
	unsigned nb = b ? slots_of(t, arg_type(w, 1)) : 0;
	reg d = define(t, w->i);
	for (unsigned k = 0; k < n; k++) {
		reg from = w->param == 2 ? a[n - 1 - k]
			   : !b		 ? a[at + k]
			   : k >= at && k < at + nb ? b[k - at]
						    : a[k];
		emit(t, OP_MOV, 64, d + k, from, 0);
	}
}
