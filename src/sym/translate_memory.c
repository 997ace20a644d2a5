/*
 * Addresses, loads, stores, atomics.
 *
 * Address arithmetic with constant offsets, and with one scaled index used once, is folded into the loads and
 * stores that use it; so are static allocas. Sites take a plain address: what they cost is in the host.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>

bool is_memory(LLVMOpcode op)
{
	switch (op) {
	case LLVMAlloca: case LLVMLoad: case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg:
	case LLVMFence: case LLVMVAArg:
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------ folding */

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

struct gep {
	LLVMValueRef base;
	int64_t offset;
	unsigned nvars;
	struct {
		LLVMValueRef index;
		uint64_t scale;
	} vars[8];
};

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
	if (!LLVMIsAAllocaInst(i) && !LLVMIsAGetElementPtrInst(i))
		return false;
	if (!map_get(&t->fn.folded, i, &known)) {
		known = find_folded(t, i);
		map_put(&t->fn.folded, i, known);
	}
	return known;
}

/* ------------------------------------------------------------------ address arithmetic */

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

static void add_offset(struct tr *t, reg d, reg base, int64_t offset)
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
			add_offset(t, to, at, g.offset);
		else if (!g.nvars)
			emit(t, OP_MOV, 64, to, at, 0);
	}
}

/* ------------------------------------------------------------------ plain accesses */

struct address {
	bool frame;     /* of static allocas: offset counts from there */
	reg base;
	int64_t offset;
	reg index;      /* or NO_REG */
	unsigned scale;
};

static struct address address_of(struct tr *t, LLVMValueRef v)
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

/* Number of an operation's form for this width: 8, 16, 32, 64 and others. */
static unsigned form(unsigned width)
{
	return width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : width == 64 ? 3 : 4;
}

static reg plain_base(struct tr *t, const struct address *a)
{
	if (!a->frame)
		return a->base;
	reg r = new_temp(t);
	emit(t, OP_ALLOCA, 0, r, 0, 0);
	return r;
}

static void emit_access(struct tr *t, const struct address *a, const leaf_list *l, reg d, const reg *values)
{
	bool store = values != NULL;
	if (a->index != NO_REG && l->n == 1) {
		emit(t, (store ? OP_STX8 : OP_LDX8) + form(l->at[0].width), a->scale,
		     store ? values[0] : d, a->base, a->index);
		return;
	}
	reg base = NO_REG;
	for (size_t k = 0; k < l->n; k++) {
		unsigned f = form(l->at[k].width), w = l->at[k].width;
		reg value = store ? values[k] : d + (reg)k;
		int64_t offset = a->offset + l->at[k].offset;
		if (offset != (int32_t)offset)
			cannot(t, "an offset beyond two gigabytes");
		if (a->frame && f < 4) {
			emit(t, (store ? OP_STF8 : OP_LDF8) + f, w, value, 0, (uint32_t)offset);
			continue;
		}
		if (base == NO_REG)
			base = plain_base(t, a);
		emit(t, (store ? OP_ST8 : OP_LD8) + f, w, value, base, (uint32_t)offset);
	}
}

/* Pieces at one address plus their offsets, or scattered: each at its own. */
static void emit_site(struct tr *t, uint32_t site, const reg *address, bool scattered, const leaf_list *l,
		      reg d, const reg *values, const reg *masks)
{
	bool store = values != NULL;
	if (l->n == 1 && !masks) {
		emit(t, store ? OP_SITE_ST : OP_SITE_LD, l->at[0].width, store ? values[0] : d, *address,
		     site);
		return;
	}
	uint32_t list = pool_word(t, site);
	pool_word(t, (uint32_t)l->n);
	for (size_t k = 0; k < l->n; k++) {
		pool_reg(t, store ? values[k] : d + (reg)k);
		pool_reg(t, address[scattered ? k : 0]);
		pool_word(t, scattered ? 0 : l->at[k].offset);
		pool_word(t, l->at[k].width);
		pool_reg(t, masks ? masks[k] : NO_REG);
	}
	emit(t, store ? OP_SITE_STM : OP_SITE_LDM, 0, 0, 0, list);
}

void emit_masked(struct tr *t, uint32_t site, const reg *addresses, bool scattered, const leaf_list *l,
		 reg d, const reg *values, const reg *masks)
{
	bool store = values != NULL;
	if (site) {
		emit_site(t, site, addresses, scattered, l, d, values, masks);
		return;
	}
	for (size_t k = 0; k < l->n; k++) {
		reg at = scattered ? addresses[k] : new_temp(t);
		if (!scattered)
			add_offset(t, at, addresses[0], l->at[k].offset);
		emit(t, store ? OP_STMASK : OP_LDMASK, l->at[k].width, store ? values[k] : d + (reg)k, at,
		     masks[k]);
	}
}

/* ------------------------------------------------------------------ instructions */

/* Vectors of bits lie packed in memory: they go through an integer of as many bits. */
static bool is_packed(struct tr *t, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return false;
	return LLVMSizeOfTypeInBits(t->layout, LLVMGetElementType(type)) % 8 != 0;
}

static LLVMTypeRef memory_type(struct tr *t, LLVMTypeRef type)
{
	if (!is_packed(t, type))
		return type;
	return LLVMIntTypeInContext(t->ctx, (unsigned)LLVMSizeOfTypeInBits(t->layout, type));
}

static void translate_load(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i), stored = memory_type(t, type);
	LLVMValueRef pointer = LLVMGetOperand(i, 0);
	uint32_t site = site_of(t, i);
	leaf_list l = {0};
	leaves_of(t, stored, 0, &l);
	struct address a = {.index = NO_REG};
	if (site)
		a.base = value_reg(t, pointer);
	else
		a = address_of(t, pointer);
	reg d = stored == type ? define(t, i) : new_temps(t, (unsigned)l.n);
	if (site)
		emit_site(t, site, &a.base, false, &l, d, NULL, NULL);
	else
		emit_access(t, &a, &l, d, NULL);
	if (stored != type) {
		unsigned n = slots_of(t, type);
		reg *in = new_list(t, (unsigned)l.n), *out = new_list(t, n);
		for (unsigned k = 0; k < l.n; k++)
			in[k] = d + k;
		emit_bitcast(t, stored, in, type, out);
		reg to = define(t, i);
		for (unsigned k = 0; k < n; k++)
			emit(t, OP_MOV, 64, to + k, out[k], 0);
	}
	vec_free(&l);
}

static void translate_store(struct tr *t, LLVMValueRef i)
{
	LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(value), stored = memory_type(t, type);
	uint32_t site = site_of(t, i);
	leaf_list l = {0};
	leaves_of(t, stored, 0, &l);
	const reg *values = value_regs(t, value);
	if (stored != type) {
		reg *packed = new_list(t, (unsigned)l.n);
		emit_bitcast(t, type, values, stored, packed);
		values = packed;
	}
	if (site) {
		reg address = value_reg(t, pointer);
		emit_site(t, site, &address, false, &l, 0, values, NULL);
	} else {
		struct address a = address_of(t, pointer);
		emit_access(t, &a, &l, 0, values);
	}
	vec_free(&l);
}

static bool is_in_frame(struct tr *t, LLVMValueRef i)
{
	uint32_t at;
	return map_get(&t->fn.allocas, i, &at);
}

static void stacked(struct tr *t, LLVMValueRef i)
{
	if (!is_recorded_value(t, i))
		return;
	reg size = const_reg(t, type_size(t, LLVMGetAllocatedType(i)));
	if (!LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1) {
		reg all = new_temp(t);
		emit(t, OP_MUL64, 64, all, value_reg(t, LLVMGetOperand(i, 0)), size);
		size = all;
	}
	emit(t, OP_PLACED, 0, 0, value_reg(t, i), size);
}

/* The program records where those of its frame lie when it has made them all (addresses.c in src/instrument). */
static void frame_stacked(struct tr *t, LLVMValueRef last)
{
	for (LLVMValueRef i = LLVMGetNextInstruction(last); i; i = LLVMGetNextInstruction(i))
		if (is_in_frame(t, i))
			return;
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(last)); i; i = LLVMGetNextInstruction(i))
		if (is_in_frame(t, i))
			stacked(t, i);
}

static void translate_alloca(struct tr *t, LLVMValueRef i)
{
	uint32_t at;
	if (map_get(&t->fn.allocas, i, &at)) {
		if (!is_folded(t, i))
			emit(t, OP_ALLOCA, 0, define(t, i), 0, at);
		frame_stacked(t, i);
		return;
	}
	LLVMValueRef count = LLVMGetOperand(i, 0);
	if (int_width(LLVMTypeOf(count)) > 64)
		cannot(t, "an alloca with a size of more than 64 bits");
	unsigned align = LLVMGetAlignment(i), shift = 4;
	while (1u << shift < align)
		shift++;
	reg n = value_reg(t, count), size = const_reg(t, type_size(t, LLVMGetAllocatedType(i)));
	emit(t, OP_ALLOCAD, shift, define(t, i), n, size);
	stacked(t, i);
}

static unsigned atomic_width(struct tr *t, LLVMTypeRef type)
{
	unsigned width = (unsigned)LLVMSizeOfTypeInBits(t->layout, type);
	if (width > 64 || width % 8)
		cannot(t, "an atomic operation on %u bits", width);
	return width;
}

static void translate_atomic(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 1)));
	reg address = value_reg(t, LLVMGetOperand(i, 0)), value = value_reg(t, LLVMGetOperand(i, 1));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, value);
	pool_word(t, LLVMGetAtomicRMWBinOp(i));
	emit(t, OP_ATOMIC, width, define(t, i), address, list);
}

/*
 * A sequentially consistent store is an exchange whose result nobody wants, as on the machine: it drains the store
 * buffer. Wider ones are no exchanges of ours.
 */
static bool is_exchange(struct tr *t, LLVMValueRef store)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	return LLVMGetOrdering(store) == LLVMAtomicOrderingSequentiallyConsistent && site_of(t, store) &&
	       LLVMSizeOfTypeInBits(t->layout, type) <= 64 && LLVMSizeOfTypeInBits(t->layout, type) % 8 == 0;
}

static void translate_exchange(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 0)));
	reg address = value_reg(t, LLVMGetOperand(i, 1)), value = value_reg(t, LLVMGetOperand(i, 0));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, value);
	pool_word(t, LLVMAtomicRMWBinOpXchg);
	emit(t, OP_ATOMIC, width, new_temp(t), address, list);
}

/* Weaker fences than sequentially consistent ones are no instructions here: they only bind the compiler. */
static void translate_fence(struct tr *t, LLVMValueRef i)
{
	bool full = LLVMGetOrdering(i) == LLVMAtomicOrderingSequentiallyConsistent && !LLVMIsAtomicSingleThread(i);
	emit(t, full ? OP_FENCE : OP_PASS, 0, site_of(t, i), 0, 0);
}

static void translate_cmpxchg(struct tr *t, LLVMValueRef i)
{
	unsigned width = atomic_width(t, LLVMTypeOf(LLVMGetOperand(i, 1)));
	reg address = value_reg(t, LLVMGetOperand(i, 0));
	reg expected = value_reg(t, LLVMGetOperand(i, 1)), value = value_reg(t, LLVMGetOperand(i, 2));
	uint32_t list = pool_word(t, site_of(t, i));
	pool_reg(t, expected);
	pool_reg(t, value);
	emit(t, OP_CMPXCHG, width, define(t, i), address, list);
}

static unsigned recall_flags(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 1));
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	bool real = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
	bool wide = kind == LLVMDoubleTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
	return (is_value_kind(t, i, RT_VALUE_UNORDERED) ? RECALL_UNORDERED : 0) | (wide ? RECALL_WIDE : 0) |
	       (real ? RECALL_FLOAT : 0);
}

void translate_memory(struct tr *t, LLVMValueRef i)
{
	if (is_recorded_value(t, i) && !LLVMIsAAllocaInst(i))
		emit(t, OP_RECALL, recall_flags(t, i), 0, 0, 0);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		translate_alloca(t, i);
		break;
	case LLVMLoad:
		translate_load(t, i);
		break;
	case LLVMStore:
		if (is_exchange(t, i))
			translate_exchange(t, i);
		else
			translate_store(t, i);
		break;
	case LLVMAtomicRMW:
		translate_atomic(t, i);
		break;
	case LLVMAtomicCmpXchg:
		translate_cmpxchg(t, i);
		break;
	case LLVMFence:
		translate_fence(t, i);
		break;
	default:
		cannot(t, "a va_arg instruction (clang makes none for x86-64)");
	}
}
