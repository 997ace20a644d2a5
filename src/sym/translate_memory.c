/* Loads, stores and local variables; what else touches memory is handed on. */
#include "sym/translate_internal.h"

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
			emit_add_offset(t, at, addresses[0], l->at[k].offset);
		emit(t, store ? OP_STMASK : OP_LDMASK, l->at[k].width, store ? values[k] : d + (reg)k, at,
		     masks[k]);
	}
}

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

/* As the pass has noted it (PASS_LOCAL_METADATA), or "". */
uint32_t local_name(struct tr *t, LLVMValueRef alloca)
{
	LLVMValueRef mark = LLVMGetMetadata(alloca, t->local_kind), operand;
	unsigned n = 0;
	if (mark && LLVMGetMDNodeNumOperands(mark) == 1)
		LLVMGetMDNodeOperands(mark, &operand);
	const char *name = mark ? LLVMGetMDString(operand, &n) : NULL;
	return add_string(t, name ? name : "", n);
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
	emit(t, OP_PLACED, 0, local_name(t, i), value_reg(t, i), size);
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

static unsigned recall_flags(struct tr *t, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 1));
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	bool real = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
	bool wide = kind == LLVMDoubleTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
	return (is_value_kind(t, i, RT_VALUE_UNORDERED) ? RECALL_UNORDERED : 0) | (wide ? RECALL_WIDE : 0) |
	       (real ? RECALL_FLOAT : 0) | (LLVMGetMetadata(i, t->often_kind) ? RECALL_OFTEN : 0);
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
