/*
 * Types as slots, values as registers, constants.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ map */

static size_t map_slot(const struct map *m, const void *key)
{
	size_t h = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15ull >> 20;
	for (;; h++) {
		h &= m->cap - 1;
		if (!m->keys[h] || m->keys[h] == key)
			return h;
	}
}

bool map_get(const struct map *m, const void *key, uint32_t *value)
{
	if (!m->cap)
		return false;
	size_t h = map_slot(m, key);
	if (!m->keys[h])
		return false;
	*value = m->values[h];
	return true;
}

void map_put(struct map *m, const void *key, uint32_t value)
{
	if ((m->n + 1) * 2 > m->cap) {
		struct map old = *m;
		m->cap = old.cap ? old.cap * 2 : 64;
		m->keys = xcalloc(m->cap, sizeof *m->keys);
		m->values = xcalloc(m->cap, sizeof *m->values);
		for (size_t i = 0; i < old.cap; i++) {
			if (!old.keys[i])
				continue;
			size_t h = map_slot(m, old.keys[i]);
			m->keys[h] = old.keys[i];
			m->values[h] = old.values[i];
		}
		free(old.keys);
		free(old.values);
	}
	size_t h = map_slot(m, key);
	m->n += !m->keys[h];
	m->keys[h] = key;
	m->values[h] = value;
}

void map_release(struct map *m)
{
	free(m->keys);
	free(m->values);
	memset(m, 0, sizeof *m);
}

/* ------------------------------------------------------------------ types */

enum {
	MOST_SLOTS = 1 << 14, /* of one value; more is data in disguise */
	MOST_BITS = 4096,     /* of an integer: more than 128 come from vectors and can be moved and cut only */
};

unsigned slots_of(struct tr *t, LLVMTypeRef type)
{
	uint64_t n = 0;
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
	case LLVMLabelTypeKind:
	case LLVMMetadataTypeKind:
	case LLVMTokenTypeKind:
		return 0;
	case LLVMIntegerTypeKind:
		if (LLVMGetIntTypeWidth(type) > MOST_BITS)
			cannot(t, "an integer of %u bits", LLVMGetIntTypeWidth(type));
		return (LLVMGetIntTypeWidth(type) + 63) / 64;
	case LLVMPointerTypeKind:
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return 1;
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
		return 2;
	case LLVMVectorTypeKind:
		n = (uint64_t)LLVMGetVectorSize(type) * slots_of(t, LLVMGetElementType(type));
		break;
	case LLVMArrayTypeKind:
		n = LLVMGetArrayLength2(type);
		n = n > MOST_SLOTS ? n : n * slots_of(t, LLVMGetElementType(type));
		break;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			n += slots_of(t, LLVMStructGetTypeAtIndex(type, i));
		break;
	default:
		cannot(t, "a value of a type only other machines have");
	}
	if (n > MOST_SLOTS)
		cannot(t, "a value of %llu parts", (unsigned long long)n);
	return (unsigned)n;
}

uint64_t type_size(struct tr *t, LLVMTypeRef type)
{
	return LLVMABISizeOfType(t->layout, type);
}

static void add_leaf(leaf_list *out, enum leaf_kind kind, unsigned part, unsigned width, uint64_t offset)
{
	*vec_push(out) = (struct leaf){(uint8_t)kind, (uint8_t)part, (uint16_t)width, (uint32_t)offset};
}

static void scalar_leaves(struct tr *t, LLVMTypeRef type, uint64_t offset, leaf_list *out)
{
	unsigned width;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		width = LLVMGetIntTypeWidth(type);
		if (width <= 64)
			add_leaf(out, LEAF_INT, 0, width, offset);
		for (unsigned part = 0; width > 64 && part * 64 < width; part++)
			add_leaf(out, LEAF_WIDE, part, width - part * 64 < 64 ? width % 64 : 64,
				 offset + part * 8);
		break;
	case LLVMPointerTypeKind:
		add_leaf(out, LEAF_PTR, 0, 64, offset);
		break;
	case LLVMHalfTypeKind:
		add_leaf(out, LEAF_HALF, 0, 16, offset);
		break;
	case LLVMFloatTypeKind:
		add_leaf(out, LEAF_FLOAT, 0, 32, offset);
		break;
	case LLVMDoubleTypeKind:
		add_leaf(out, LEAF_DOUBLE, 0, 64, offset);
		break;
	case LLVMX86_FP80TypeKind:
		add_leaf(out, LEAF_F80, 0, 64, offset);
		add_leaf(out, LEAF_F80, 1, 16, offset + 8);
		break;
	case LLVMBFloatTypeKind:
		add_leaf(out, LEAF_OTHER, 0, 16, offset);
		break;
	case LLVMFP128TypeKind:
		add_leaf(out, LEAF_OTHER, 0, 64, offset);
		add_leaf(out, LEAF_OTHER, 1, 64, offset + 8);
		break;
	default:
		slots_of(t, type); /* says why not */
		break;
	}
}

void leaves_of(struct tr *t, LLVMTypeRef type, uint64_t offset, leaf_list *out)
{
	unsigned n = slots_of(t, type); /* limits the size, too */
	LLVMTypeRef e;
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			leaves_of(t, LLVMStructGetTypeAtIndex(type, i),
				  offset + LLVMOffsetOfElement(t->layout, type, i), out);
		break;
	case LLVMArrayTypeKind:
		e = LLVMGetElementType(type);
		for (uint64_t i = 0; n && i < LLVMGetArrayLength2(type); i++)
			leaves_of(t, e, offset + i * type_size(t, e), out);
		break;
	case LLVMVectorTypeKind:
		e = LLVMGetElementType(type);
		for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
			leaves_of(t, e, offset + i * (LLVMSizeOfTypeInBits(t->layout, e) / 8), out);
		break;
	default:
		if (n)
			scalar_leaves(t, type, offset, out);
	}
}

/* ------------------------------------------------------------------ registers */

reg *new_list(struct tr *t, unsigned n)
{
	if (n > t->fn.chunk_left || !t->fn.chunks.n) {
		t->fn.chunk_left = n > 4096 ? n : 4096;
		*vec_push(&t->fn.chunks) = xcalloc(t->fn.chunk_left, sizeof(reg));
	}
	t->fn.chunk_left -= n;
	return t->fn.chunks.at[t->fn.chunks.n - 1] + t->fn.chunk_left;
}

reg new_temps(struct tr *t, unsigned n)
{
	reg r = REG(PART_LOCAL, t->fn.nlocal);
	t->fn.nlocal += n;
	if (t->fn.nlocal > t->fn.maxlocal)
		t->fn.maxlocal = t->fn.nlocal;
	return r;
}

reg new_temp(struct tr *t)
{
	return new_temps(t, 1);
}

void define_as(struct tr *t, LLVMValueRef v, const reg *regs)
{
	if (!t->fn.lists.n)
		*vec_push(&t->fn.lists) = NULL;
	map_put(&t->fn.value_index, v, (uint32_t)t->fn.lists.n);
	*vec_push(&t->fn.lists) = regs;
}

reg define(struct tr *t, LLVMValueRef v)
{
	unsigned n = slots_of(t, LLVMTypeOf(v));
	uint32_t local;
	reg first;
	if (map_get(&t->fn.locals, v, &local) || !LLVMIsAInstruction(v)) {
		first = new_temps(t, n);
	} else {
		first = REG(PART_GLOBAL, t->fn.nglobal);
		t->fn.nglobal += n;
	}
	reg *list = new_list(t, n);
	for (unsigned i = 0; i < n; i++)
		list[i] = first + i;
	define_as(t, v, list);
	return first;
}

/* ------------------------------------------------------------------ constants */

static reg pooled(struct tr *t, uint64_t value, uint32_t symbol)
{
	uint64_t hash = (value ^ (uint64_t)symbol << 40) * 0x9e3779b97f4a7c15ull;
	const void *key = (const void *)(uintptr_t)(hash | 1);
	uint32_t at;
	if (map_get(&t->fn.consts, key, &at)) {
		struct code_const *c = &t->out_consts.at[t->fn.out->first_const + at];
		if (c->value == value && c->symbol == symbol)
			return REG(PART_CONST, at);
	}
	at = (uint32_t)t->out_consts.n - t->fn.out->first_const;
	*vec_push(&t->out_consts) = (struct code_const){.value = value, .symbol = symbol};
	map_put(&t->fn.consts, key, at);
	return REG(PART_CONST, at);
}

reg const_reg(struct tr *t, uint64_t value)
{
	return pooled(t, value, 0);
}

reg symbol_reg(struct tr *t, uint32_t symbol, uint64_t offset)
{
	return pooled(t, offset, symbol + 1);
}

bool const_int(LLVMValueRef v, uint64_t *value)
{
	if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
		return false;
	*value = (uint64_t)LLVMConstIntGetSExtValue(v);
	return true;
}

/* All words of an integer; the C API gives no more than its text, "i128 -5". */
static void wide_int(LLVMValueRef v, uint64_t *out)
{
	char *text = LLVMPrintValueToString(v), *s = strchr(text, ' ');
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v)), n = (width + 63) / 64;
	s = s ? s + 1 : text;
	bool negative = *s == '-';
	memset(out, 0, n * sizeof *out);
	for (s += negative; *s >= '0' && *s <= '9'; s++) {
		unsigned __int128 carry = (unsigned)(*s - '0');
		for (unsigned i = 0; i < n; i++) {
			carry += (unsigned __int128)out[i] * 10;
			out[i] = (uint64_t)carry;
			carry >>= 64;
		}
	}
	bool carry = negative;
	for (unsigned i = 0; negative && i < n; i++) {
		out[i] = ~out[i] + carry;
		carry = carry && !out[i];
	}
	if (width % 64)
		out[n - 1] &= ~0ull >> (64 - width % 64);
	LLVMDisposeMessage(text);
}

static void float_bits(struct tr *t, LLVMValueRef v, uint64_t out[2])
{
	unsigned width = (unsigned)LLVMSizeOfTypeInBits(t->layout, LLVMTypeOf(v));
	LLVMValueRef bits = LLVMConstBitCast(v, LLVMIntTypeInContext(t->ctx, width));
	out[0] = out[1] = 0;
	if (!LLVMIsAConstantInt(bits))
		cannot(t, "a floating point constant");
	if (width <= 64)
		out[0] = LLVMConstIntGetZExtValue(bits);
	else
		wide_int(bits, out);
}

static bool linear(struct tr *t, LLVMValueRef v, uint32_t *symbol, uint64_t *offset);

static bool linear_gep(struct tr *t, LLVMValueRef v, uint32_t *symbol, uint64_t *offset)
{
	if (!linear(t, LLVMGetOperand(v, 0), symbol, offset))
		return false;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
	for (int i = 1; i < LLVMGetNumOperands(v); i++) {
		uint64_t index;
		if (!const_int(LLVMGetOperand(v, (unsigned)i), &index))
			return false;
		if (i == 1) {
			*offset += index * type_size(t, type);
		} else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			*offset += LLVMOffsetOfElement(t->layout, type, (unsigned)index);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)index);
		} else {
			type = LLVMGetElementType(type);
			*offset += index * type_size(t, type);
		}
	}
	return true;
}

/* Is the constant an address of a symbol plus a number, or a number, of 64 bits? */
static bool linear(struct tr *t, LLVMValueRef v, uint32_t *symbol, uint64_t *offset)
{
	*symbol = 0;
	*offset = 0;
	uint32_t n;
	if (const_int(v, offset) || LLVMIsAConstantPointerNull(v))
		return true;
	if (LLVMIsAGlobalValue(v)) {
		if (!map_get(&t->symbols, v, &n) || t->out_symbols.at[n].kind == SYMBOL_TLS)
			return false;
		*symbol = n + 1;
		return true;
	}
	if (!LLVMIsAConstantExpr(v) || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
		return false;
	uint32_t other;
	uint64_t number;
	switch (LLVMGetConstOpcode(v)) {
	case LLVMGetElementPtr:
		return linear_gep(t, v, symbol, offset);
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		if (int_width(LLVMTypeOf(v)) != 64 || int_width(LLVMTypeOf(LLVMGetOperand(v, 0))) != 64)
			return false;
		return linear(t, LLVMGetOperand(v, 0), symbol, offset);
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
		return linear(t, LLVMGetOperand(v, 0), symbol, offset);
	case LLVMAdd:
	case LLVMSub:
		if (int_width(LLVMTypeOf(v)) != 64 || !linear(t, LLVMGetOperand(v, 0), symbol, offset) ||
		    !linear(t, LLVMGetOperand(v, 1), &other, &number))
			return false;
		if (other && (*symbol || LLVMGetConstOpcode(v) == LLVMSub))
			return false;
		*symbol += other;
		*offset += LLVMGetConstOpcode(v) == LLVMAdd ? number : -number;
		return true;
	default:
		return false;
	}
}

static void constant(struct tr *t, LLVMValueRef v, reg *out);

static void computed_constant(struct tr *t, LLVMValueRef v, reg *out)
{
	uint32_t index;
	LLVMOpcode op = LLVMGetConstOpcode(v);
	if (op == LLVMGetElementPtr)
		translate_gep(t, v);
	else
		translate_simple(t, v);
	map_get(&t->fn.value_index, v, &index);
	memcpy(out, t->fn.lists.at[index], slots_of(t, LLVMTypeOf(v)) * sizeof *out);
	map_put(&t->fn.value_index, v, 0); /* computed here only */
}

static void aggregate_constant(struct tr *t, LLVMValueRef v, reg *out)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned n = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
		     : LLVMGetTypeKind(type) == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
								  : LLVMGetVectorSize(type);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef e = LLVMGetAggregateElement(v, i);
		if (!e)
			cannot(t, "a constant of an unknown kind");
		constant(t, e, out);
		out += slots_of(t, LLVMTypeOf(e));
	}
}

static void constant(struct tr *t, LLVMValueRef v, reg *out)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned n = slots_of(t, type);
	uint32_t symbol;
	uint64_t words[MOST_BITS / 64];
	if (LLVMIsUndef(v) || LLVMIsNull(v)) {
		for (unsigned i = 0; i < n; i++)
			out[i] = const_reg(t, 0);
	} else if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(type) <= 64) {
		out[0] = const_reg(t, LLVMConstIntGetZExtValue(v));
	} else if (LLVMIsAConstantInt(v)) {
		wide_int(v, words);
		for (unsigned i = 0; i < n; i++)
			out[i] = const_reg(t, words[i]);
	} else if (LLVMIsAConstantFP(v)) {
		float_bits(t, v, words);
		for (unsigned i = 0; i < n; i++)
			out[i] = const_reg(t, words[i]);
	} else if (linear(t, v, &symbol, &words[0])) {
		out[0] = symbol ? symbol_reg(t, symbol - 1, words[0]) : const_reg(t, words[0]);
	} else if (LLVMIsAGlobalValue(v) && map_get(&t->symbols, v, &symbol)) {
		out[0] = new_temp(t);
		emit(t, OP_TLS, 0, out[0], symbol, 0);
	} else if (LLVMIsABlockAddress(v)) {
		cannot(t, "the address of a label");
	} else if (LLVMIsAConstantExpr(v)) {
		computed_constant(t, v, out);
	} else {
		switch (LLVMGetTypeKind(type)) {
		case LLVMStructTypeKind:
		case LLVMArrayTypeKind:
		case LLVMVectorTypeKind:
			aggregate_constant(t, v, out);
			break;
		default:
			cannot(t, "a constant of an unknown kind");
		}
	}
}

const reg *value_regs(struct tr *t, LLVMValueRef v)
{
	uint32_t index;
	if (map_get(&t->fn.value_index, v, &index) && index)
		return t->fn.lists.at[index];
	if (!LLVMIsConstant(v))
		cannot(t, "a value that was refused before");
	reg *out = new_list(t, slots_of(t, LLVMTypeOf(v)));
	constant(t, v, out);
	return out;
}

reg value_reg(struct tr *t, LLVMValueRef v)
{
	if (slots_of(t, LLVMTypeOf(v)) != 1)
		cannot(t, "an operand that is no scalar");
	return value_regs(t, v)[0];
}
