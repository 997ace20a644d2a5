/*
 * Addresses: local variables, address arithmetic.
 *
 * Arithmetic with constant offsets, and with one scaled index used once, is folded into the loads and stores that use it; so
 * are static allocas. Sites take a plain address: what they cost is in the host.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>

struct gep {
	LLVMValueRef base;
	int64_t offset;
	unsigned nvars;
	struct {
		LLVMValueRef index;
		uint64_t scale;
	} vars[8];
};

void plan_allocas(struct tr *t)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(t->fn.function);
	for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
		uint64_t count;
		if (!LLVMIsAAllocaInst(i) || !const_int(LLVMGetOperand(i, 0), &count))
			continue;
		uint64_t size = type_size(t, LLVMGetAllocatedType(i)) * count;
		uint32_t align = LLVMGetAlignment(i);
		align = align ? align : 16;
		if (size + t->fn.memory > 1 << 30)
			cannot(t, "%llu bytes of local variables", (unsigned long long)size);
		uint32_t at = (t->fn.memory + align - 1) / align * align;
		map_put(&t->fn.allocas, i, at);
		t->fn.memory = at + (uint32_t)size;
		if (align > t->fn.align)
			t->fn.align = align;
	}
}

static bool is_gep(LLVMValueRef v)
{
	return LLVMIsAGetElementPtrInst(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* A plain load or store through `address` that is no site. */
static bool is_plain_access(struct tr *t, LLVMValueRef user, LLVMValueRef address)
{
	if (LLVMIsALoadInst(user))
		return !site_of(t, user);
	return LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == address &&
	       LLVMGetOperand(user, 0) != address && !site_of(t, user);
}

static void gep_term(struct tr *t, struct gep *g, LLVMValueRef index, uint64_t scale)
{
	uint64_t n;
	if (const_int(index, &n)) {
		g->offset += (int64_t)(n * scale);
		return;
	}
	if (LLVMIsNull(index))
		return;
	if (g->nvars == sizeof g->vars / sizeof *g->vars)
		cannot(t, "an address with more than eight indexes");
	g->vars[g->nvars].index = index;
	g->vars[g->nvars++].scale = scale;
}

static void gep_read(struct tr *t, LLVMValueRef v, struct gep *g)
{
	*g = (struct gep){.base = LLVMGetOperand(v, 0)};
	LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
	gep_term(t, g, LLVMGetOperand(v, 1), type_size(t, type));
	for (int i = 2; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef index = LLVMGetOperand(v, (unsigned)i);
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			LLVMValueRef one = LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind
						   ? LLVMGetAggregateElement(index, 0)
						   : index;
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(one);
			g->offset += (int64_t)LLVMOffsetOfElement(t->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
		} else {
			type = LLVMGetElementType(type);
			gep_term(t, g, index, type_size(t, type));
		}
	}
}

static unsigned access_width(struct tr *t, LLVMValueRef user)
{
	LLVMTypeRef type = LLVMIsALoadInst(user) ? LLVMTypeOf(user) : LLVMTypeOf(LLVMGetOperand(user, 0));
	LLVMTypeKind k = LLVMGetTypeKind(type);
	if (k == LLVMVectorTypeKind || k == LLVMStructTypeKind || k == LLVMArrayTypeKind)
		return 0;
	unsigned width = (unsigned)LLVMSizeOfTypeInBits(t->layout, type);
	return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
}

/* base + index * scale, used once, right here, by a load or store of 1, 2, 4 or 8 bytes. */
static bool is_indexed(struct tr *t, LLVMValueRef i, const struct gep *g)
{
	LLVMUseRef use = LLVMGetFirstUse(i);
	if (g->nvars != 1 || g->offset || g->vars[0].scale > 0xffff || LLVMGetNextUse(use))
		return false;
	LLVMValueRef user = LLVMGetUser(use);
	return int_width(LLVMTypeOf(g->vars[0].index)) <= 64 && is_plain_access(t, user, i) &&
	       LLVMGetInstructionParent(user) == LLVMGetInstructionParent(i) && access_width(t, user);
}

static bool only_plain_accesses(struct tr *t, LLVMValueRef i, bool through_geps)
{
	for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (is_plain_access(t, user, i))
			continue;
		struct gep g;
		if (!through_geps || !LLVMIsAInstruction(user) || !is_gep(user))
			return false;
		gep_read(t, user, &g);
		if (g.nvars || !is_folded(t, user))
			return false;
	}
	return true;
}

static bool find_folded(struct tr *t, LLVMValueRef i)
{
	uint32_t at;
	if (map_get(&t->fn.allocas, i, &at))
		return !is_recorded_value(t, i) && only_plain_accesses(t, i, true);
	if (!is_gep(i) || !LLVMGetFirstUse(i))
		return false;
	struct gep g;
	gep_read(t, i, &g);
	if (g.nvars)
		return is_indexed(t, i, &g);
	return g.offset == (int32_t)g.offset && only_plain_accesses(t, i, false);
}

bool is_folded(struct tr *t, LLVMValueRef i)
{
	uint32_t known;
	if (t->with_numbers || (!LLVMIsAAllocaInst(i) && !LLVMIsAGetElementPtrInst(i))) /* numbers: all addresses are looked at */
		return false;
	if (!map_get(&t->fn.folded, i, &known)) {
		known = find_folded(t, i);
		map_put(&t->fn.folded, i, known);
	}
	return known;
}

static reg index_reg(struct tr *t, LLVMValueRef index, unsigned lane, bool narrow_ok)
{
	LLVMTypeRef type = LLVMTypeOf(index);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	unsigned width = int_width(vector ? LLVMGetElementType(type) : type);
	if (width > 64)
		cannot(t, "an index of %u bits", width);
	reg r = value_regs(t, index)[vector ? lane : 0];
	if (width == 64 || (width == 32 && narrow_ok))
		return r;
	reg wide = new_temp(t);
	emit(t, width == 32 ? OP_SEXT32 : OP_SEXT, 64, wide, r, width);
	return wide;
}

static reg add_scaled(struct tr *t, reg base, LLVMValueRef index, unsigned lane, uint64_t scale, reg d)
{
	if (scale == 0) {
		emit(t, OP_MOV, 64, d, base, 0);
		return d;
	}
	if (scale <= 0xffff) {
		LLVMTypeRef type = LLVMTypeOf(index);
		type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
		bool narrow = int_width(type) == 32;
		reg n = index_reg(t, index, lane, true);
		emit(t, narrow ? OP_LEA32 : OP_LEA, (unsigned)scale, d, base, n);
		return d;
	}
	reg n = index_reg(t, index, lane, false), product = new_temp(t);
	emit(t, OP_MUL64, 64, product, n, const_reg(t, scale));
	emit(t, OP_ADD64, 64, d, base, product);
	return d;
}

void emit_add_offset(struct tr *t, reg d, reg base, int64_t offset)
{
	if (offset == (int32_t)offset)
		emit(t, OP_ADDI, 64, d, base, (uint32_t)offset);
	else
		emit(t, OP_ADD64, 64, d, base, const_reg(t, (uint64_t)offset));
}

void translate_gep(struct tr *t, LLVMValueRef i)
{
	struct gep g;
	gep_read(t, i, &g);
	LLVMTypeRef type = LLVMTypeOf(i);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	bool base_vector = LLVMGetTypeKind(LLVMTypeOf(g.base)) == LLVMVectorTypeKind;
	const reg *base = value_regs(t, g.base);
	reg d = define(t, i);
	for (unsigned lane = 0; lane < (vector ? LLVMGetVectorSize(type) : 1); lane++) {
		reg at = base[base_vector ? lane : 0], to = d + lane;
		for (unsigned k = 0; k < g.nvars; k++)
			at = add_scaled(t, at, g.vars[k].index, lane, g.vars[k].scale, to);
		if (g.offset)
			emit_add_offset(t, to, at, g.offset);
		else if (!g.nvars)
			emit(t, OP_MOV, 64, to, at, 0);
	}
}

struct address address_of(struct tr *t, LLVMValueRef v)
{
	struct address a = {.index = NO_REG};
	struct gep g;
	uint32_t at;
	LLVMValueRef base = v;
	if (is_gep(v) && is_folded(t, v)) {
		gep_read(t, v, &g);
		base = g.base;
		a.offset = g.offset;
		if (g.nvars) {
			a.index = index_reg(t, g.vars[0].index, 0, false);
			a.scale = (unsigned)g.vars[0].scale;
		}
	}
	if (a.index == NO_REG && map_get(&t->fn.allocas, base, &at)) {
		a.frame = true;
		a.offset += at;
	} else {
		a.base = value_reg(t, base);
	}
	return a;
}
