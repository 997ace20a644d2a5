/*
 * Accesses that a program writes as inline assembly (libuv, Concurrency Kit, older headers for atomics): `lock; cmpxchg`, `lock; xadd`,
 * `xchg` and the like, and `mov` from and to memory, become the instructions of LLVM that mean the same, so that they are accesses like
 * any other to all that comes after. One instruction with operands that are understood to the last, and what is then asked of the
 * flags (`setz`, `sbb`, an output that is a flag: conditions.h), or the text stays what it is.
 */
#include "instrument/checksums.h"
#include "instrument/idle.h"
#include "instrument/operands.h"
#include "instrument/pass.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

struct mnemonic {
	const char *name;
	unsigned operands;
	bool locked; /* needs the prefix: only xchg locks by itself */
	bool returns; /* the old value */
	LLVMAtomicRMWBinOp operation;
	enum { UPDATES, COMPARES, MOVES, BITS } kind; /* BITS: of one bit, whose number is the operand */
	const char *tells; /* of which flags afterwards: z zero and sign, c carry */
};

static const struct mnemonic mnemonics[] = {
	{"cmpxchg", 2, true, true, LLVMAtomicRMWBinOpXchg, COMPARES, "z"},
	{"mov", 2, false, false, LLVMAtomicRMWBinOpXchg, MOVES, ""},
	{"xadd", 2, true, true, LLVMAtomicRMWBinOpAdd, UPDATES, "zc"},
	{"xchg", 2, false, true, LLVMAtomicRMWBinOpXchg, UPDATES, ""},
	{"inc", 1, true, false, LLVMAtomicRMWBinOpAdd, UPDATES, "z"},
	{"dec", 1, true, false, LLVMAtomicRMWBinOpSub, UPDATES, "z"},
	{"not", 1, true, false, LLVMAtomicRMWBinOpXor, UPDATES, ""},
	{"add", 2, true, false, LLVMAtomicRMWBinOpAdd, UPDATES, "zc"},
	{"sub", 2, true, false, LLVMAtomicRMWBinOpSub, UPDATES, "zc"},
	{"and", 2, true, false, LLVMAtomicRMWBinOpAnd, UPDATES, "z"},
	{"or", 2, true, false, LLVMAtomicRMWBinOpOr, UPDATES, "z"},
	{"xor", 2, true, false, LLVMAtomicRMWBinOpXor, UPDATES, "z"},
	{"bts", 2, true, false, LLVMAtomicRMWBinOpOr, BITS, "c"},
	{"btr", 2, true, false, LLVMAtomicRMWBinOpAnd, BITS, "c"},
	{"btc", 2, true, false, LLVMAtomicRMWBinOpXor, BITS, "c"},
};

/* ---------------------------------------------------------------- the text */

struct text {
	const struct mnemonic *is;
	unsigned value, memory; /* numbers of its operands; in AT&T's order the memory comes last */
	unsigned bits;          /* that the mnemonic names; 0: the operands tell */
	unsigned flag;          /* number of the operand that a flag is stored to; NO_FLAG: none is */
	enum condition condition; /* which */
	bool spread;            /* into all of its bits: sbb */
};
enum { NO_FLAG = MOST_OPERANDS };

/* The word at s and where it ends. */
static const char *word_end(const char *s, const char *end)
{
	while (s < end && isalpha((unsigned char)*s))
		s++;
	return s;
}

/* With or without the letter that tells the size. */
static const struct mnemonic *find_mnemonic(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
		size_t length = strlen(mnemonics[i].name);
		if (n >= length && !memcmp(s, mnemonics[i].name, length) && (n == length || (n == length + 1 && strchr("bwlq", s[length]))))
			return &mnemonics[i];
	}
	return NULL;
}

/* By the letter behind the mnemonic. */
static unsigned named_bits(const struct mnemonic *is, const char *s, size_t n)
{
	static const char sizes[] = "bwlq";
	size_t length = strlen(is->name);
	return n > length ? 8u << (strchr(sizes, s[length]) - sizes) : 0;
}

/* Does the instruction leave that in the flags? */
static bool tells(const struct mnemonic *is, enum condition c)
{
	if (is->kind == COMPARES)
		return c == IF_ZERO || c == IF_NOT_ZERO;
	return c && strchr(is->tells, c == IF_CARRY || c == IF_NO_CARRY ? 'c' : 'z');
}

/* "setz $1", "sbb $1, $1", and where it ends; s where there is none. NULL: one that is not understood. */
static const char *read_flag(const char *s, const char *end, struct text *t)
{
	const char *after = word_end(s, end);
	unsigned again;
	t->flag = NO_FLAG;
	if (s == end)
		return s;
	if (after - s > 3 && !memcmp(s, "set", 3)) {
		t->condition = condition_named(s + 3, (size_t)(after - s - 3));
		return tells(t->is, t->condition) ? operands_read(operands_skip(after, end, " \t"), end, &t->flag) : NULL;
	}
	if (after - s < 3 || after - s > 4 || memcmp(s, "sbb", 3) || !tells(t->is, IF_CARRY))
		return NULL;
	t->condition = IF_CARRY;
	t->spread = true;
	s = operands_skip(after, end, " \t");
	if (operands_bits(s, end)) /* a part of it only */
		return NULL;
	s = operands_read(s, end, &t->flag);
	s = s ? operands_read(operands_skip(s, end, ", \t"), end, &again) : NULL;
	return s && again == t->flag ? s : NULL;
}

static bool read_text(LLVMValueRef assembly, struct text *t)
{
	size_t n;
	const char *s = LLVMGetInlineAsmAsmString(assembly, &n), *end = s + n;
	static const char between[] = "; \t\n";
	s = operands_skip(s, end, between);
	const char *after = word_end(s, end);
	bool locked = after - s == 4 && !memcmp(s, "lock", 4);
	if (locked) {
		s = operands_skip(after, end, between);
		after = word_end(s, end);
	}
	t->is = find_mnemonic(s, (size_t)(after - s));
	if (!t->is || (t->is->locked && !locked))
		return false;
	t->bits = named_bits(t->is, s, (size_t)(after - s));
	s = operands_skip(after, end, " \t");
	if (t->is->operands == 2) {
		t->bits = t->bits ? t->bits : operands_bits(s, end);
		s = operands_read(s, end, &t->value);
		s = s ? operands_skip(s, end, " \t") : NULL;
		if (!s || s == end || *s != ',')
			return false;
		s = operands_skip(s + 1, end, " \t");
	}
	t->bits = t->bits ? t->bits : operands_bits(s, end);
	s = operands_read(s, end, &t->memory);
	s = s ? read_flag(operands_skip(s, end, between), end, t) : NULL;
	return s && operands_skip(s, end, between) == end;
}

/* ---------------------------------------------------------------- the operands */

struct update {
	const struct mnemonic *is;
	LLVMValueRef place, value, expected; /* value: NULL for a load; expected: of cmpxchg only */
	LLVMTypeRef type;
	unsigned nresults;
	enum condition flags[MOST_OPERANDS]; /* by result: which flag it is; NO_CONDITION: the old value */
	bool spread;                 /* such a flag is all ones or none */
	LLVMValueRef flag_place;     /* where the last flag is stored, a byte, or NULL */
	enum condition stored;
};

static LLVMTypeRef element_type(LLVMValueRef call, unsigned argument)
{
	static const char name[] = "elementtype";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static bool is_pointer(LLVMTypeRef type)
{
	return type && LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/*
 * What is updated: a number or a pointer, as the operand beside it. Headers say that it is a structure, so that the compiler takes it for
 * changed as a whole, or a byte, or an int, and what the instruction changes has another size: without a letter, that of the register.
 */
static LLVMTypeRef updated_type(const struct text *t, LLVMTypeRef place, LLVMTypeRef value)
{
	if (!place || !LLVMTypeIsSized(place))
		return NULL;
	unsigned bits = t->bits;
	if (is_pointer(value))
		return !bits || bits == 64 ? value : NULL;
	if (!bits && (is_machine_number(value) || is_machine_number(place)))
		bits = LLVMGetIntTypeWidth(is_machine_number(value) ? value : place);
	return bits ? LLVMIntTypeInContext(LLVMGetTypeContext(place), bits) : NULL;
}

static unsigned count_results(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : kind != LLVMVoidTypeKind;
}

/* Is operand i, an output, the value that was in memory before? */
static bool is_old_value(const struct text *t, const struct constraint *at, unsigned i)
{
	return t->is->kind == COMPARES ? at[i].accumulator : i == t->value;
}

/* Flags of what was computed are computed again, which pointers are not. */
static bool tells_of(const struct text *t, const struct update *u)
{
	return t->is->kind == COMPARES || is_machine_number(u->type);
}

/* A flag is stored in memory where the assembly leaves the choice ("=qm"). */
static bool is_stored_flag(LLVMValueRef call, const struct text *t, struct update *u, const struct constraint *at, unsigned i)
{
	LLVMTypeRef type = element_type(call, at[i].index);
	if (i != t->flag || t->spread || !at[i].output || !is_machine_number(type) || LLVMGetIntTypeWidth(type) != 8 || !tells_of(t, u))
		return false;
	u->flag_place = at[i].argument;
	u->stored = t->condition;
	return true;
}

/* Is every operand one of those that the update has? Then nothing is lost with the text. */
static bool uses_all(LLVMValueRef call, const struct text *t, struct update *u, const struct constraint *at, unsigned n)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = at[i].argument;
		enum condition flag = i == t->flag ? t->condition : at[i].flag;
		if (at[i].indirect ? v != u->place && !is_stored_flag(call, t, u, at, i) : v && v != u->value && v != u->expected)
			return false;
		if (v)
			continue;
		if (u->nresults == count_results(type) || (flag ? !tells(t->is, flag) : !is_old_value(t, at, i)))
			return false;
		LLVMTypeRef result = nth_result(type, u->nresults);
		if (flag ? !is_machine_number(result) || !tells_of(t, u) : result != u->type)
			return false;
		u->flags[u->nresults++] = flag;
	}
	u->spread = t->spread;
	return u->nresults == count_results(type);
}

/* What cmpxchg compares with: the accumulator before. */
static LLVMValueRef compared_with(const struct constraint *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i].output && at[i].accumulator)
			return operands_input(at, n, i);
	for (unsigned i = 0; i < n; i++)
		if (at[i].accumulator)
			return at[i].argument;
	return NULL;
}

/* xchg works either way, and mov from memory is a load: the memory is what is an operand in memory. */
static void find_memory(struct text *t, const struct constraint *at)
{
	bool symmetric = t->is->kind == MOVES || !strcmp(t->is->name, "xchg");
	if (symmetric && at[t->value].indirect && !at[t->memory].indirect) {
		unsigned memory = t->value;
		t->value = t->memory;
		t->memory = memory;
	}
}

/*
 * A number in a register names a bit of all memory from there on, one in the instruction a bit of the word: only where both are
 * the same is a constant understood.
 */
static bool names_bit(const struct text *t, const struct update *u)
{
	if (!is_machine_number(u->type) || !is_machine_number(LLVMTypeOf(u->value)))
		return false;
	if (LLVMIsAConstantInt(u->value))
		return t->bits && LLVMConstIntGetZExtValue(u->value) < t->bits;
	return !LLVMIsConstant(u->value) && LLVMTypeOf(u->value) == u->type;
}

static bool read_update(LLVMValueRef call, struct update *u)
{
	struct text t = {0};
	struct constraint at[MOST_OPERANDS];
	unsigned n;
	if (!read_text(LLVMGetCalledValue(call), &t) || !(n = operands_of(call, at)))
		return false;
	*u = (struct update){.is = t.is};
	if (t.memory >= n || t.value >= n)
		return false;
	find_memory(&t, at);
	if (!at[t.memory].indirect || (t.is->operands == 2 && at[t.value].indirect))
		return false;
	bool loads = t.is->kind == MOVES && at[t.value].output;
	u->place = at[t.memory].argument;
	if (t.is->operands == 2 && !loads)
		u->value = at[t.value].output ? operands_input(at, n, t.value) : at[t.value].argument;
	if (t.is->operands == 2 && !loads && !u->value)
		return false;
	u->type = updated_type(&t, element_type(call, at[t.memory].index), loads ? LLVMTypeOf(call) : u->value ? LLVMTypeOf(u->value) : NULL);
	if (!u->type)
		return false;
	if (t.is->operands == 1)
		u->value = t.is->operation == LLVMAtomicRMWBinOpXor ? LLVMConstAllOnes(u->type) : LLVMConstInt(u->type, 1, false);
	if (t.is->kind == COMPARES && (at[t.value].output || !(u->expected = compared_with(at, n))))
		return false;
	if (t.is->kind == UPDATES && t.is->returns && !at[t.value].output)
		return false;
	if (t.is->kind == BITS && !names_bit(&t, u))
		return false;
	bool fits = (loads || t.is->kind == BITS || LLVMTypeOf(u->value) == u->type) && (!u->expected || LLVMTypeOf(u->expected) == u->type);
	return fits && uses_all(call, &t, u, at, n);
}

/* ---------------------------------------------------------------- the turn */

/* The access; the old value, and of a cmpxchg whether it succeeded. As ordered as x86 orders it, but for what delayed stores do. */
static LLVMValueRef build_access(LLVMBuilderRef b, const struct update *u, LLVMValueRef *success)
{
	const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
	unsigned bytes = is_pointer(u->type) ? 8 : LLVMGetIntTypeWidth(u->type) / 8;
	LLVMValueRef v;
	if (u->expected) {
		v = LLVMBuildAtomicCmpXchg(b, u->place, u->expected, u->value, order, order, false);
		*success = LLVMBuildExtractValue(b, v, 1, "");
		return LLVMBuildExtractValue(b, v, 0, "");
	}
	if (u->is->kind == UPDATES || u->is->kind == BITS)
		return LLVMBuildAtomicRMW(b, u->is->operation, u->place, u->value, order, false);
	v = u->value ? LLVMBuildStore(b, u->value, u->place) : LLVMBuildLoad2(b, u->type, u->place, "");
	LLVMSetOrdering(v, u->value ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire);
	LLVMSetAlignment(v, bytes);
	return v;
}

/* A bit by its number: the word that it is in, and the mask that the operation takes; returns the bit alone. */
static LLVMValueRef find_bit(LLVMBuilderRef b, struct update *u)
{
	unsigned bits = LLVMGetIntTypeWidth(u->type), shift = (unsigned)__builtin_ctz(bits);
	LLVMValueRef number = u->value, one = LLVMConstInt(u->type, 1, false);
	if (LLVMIsAConstantInt(number)) {
		number = LLVMConstInt(u->type, LLVMConstIntGetZExtValue(number), false);
	} else {
		LLVMValueRef word = LLVMBuildAShr(b, number, LLVMConstInt(u->type, shift, false), "");
		u->place = LLVMBuildGEP2(b, u->type, u->place, &word, 1, "");
	}
	LLVMValueRef bit = LLVMBuildShl(b, one, LLVMBuildAnd(b, number, LLVMConstInt(u->type, bits - 1, false), ""), "");
	u->value = u->is->operation == LLVMAtomicRMWBinOpAnd ? LLVMBuildNot(b, bit, "") : bit;
	return bit;
}

/* What the access leaves behind. */
struct outcome {
	LLVMValueRef old, success, bit;
};

static LLVMValueRef build_flag(LLVMBuilderRef b, const struct update *u, const struct outcome *x, enum condition condition)
{
	if (x->bit)
		return LLVMBuildICmp(b, condition == IF_CARRY ? LLVMIntNE : LLVMIntEQ, LLVMBuildAnd(b, x->old, x->bit, ""),
				     LLVMConstNull(u->type), "");
	if (x->success)
		return condition == IF_ZERO ? x->success : LLVMBuildNot(b, x->success, "");
	return condition_build(b, condition, u->is->operation, x->old, u->value);
}

static void turn(LLVMValueRef call, struct update *u)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	LLVMContextRef context = LLVMGetTypeContext(type);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderBefore(b, call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	struct outcome x = {.bit = u->is->kind == BITS ? find_bit(b, u) : NULL};
	x.old = build_access(b, u, &x.success);
	LLVMValueRef all = NULL;
	for (unsigned i = 0; i < u->nresults; i++) {
		LLVMValueRef v = x.old;
		if (u->flags[i]) {
			v = build_flag(b, u, &x, u->flags[i]);
			v = u->spread ? LLVMBuildSExt(b, v, nth_result(type, i), "") : LLVMBuildZExt(b, v, nth_result(type, i), "");
		}
		bool one = LLVMGetTypeKind(type) != LLVMStructTypeKind;
		all = one ? v : LLVMBuildInsertValue(b, all ? all : LLVMGetPoison(type), v, i, "");
	}
	if (u->flag_place)
		LLVMBuildStore(b, LLVMBuildZExt(b, build_flag(b, u, &x, u->stored), LLVMInt8TypeInContext(context), ""), u->flag_place);
	if (all)
		LLVMReplaceAllUsesWith(call, all);
	LLVMInstructionEraseFromParent(call);
	LLVMDisposeBuilder(b);
}

/* ---------------------------------------------------------------- all of them */

void assembly_turn(LLVMModuleRef m)
{
	struct values calls = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
					values_push(&calls, i);
	for (size_t i = 0; i < calls.n; i++) {
		struct update u;
		if (read_update(calls.at[i], &u))
			turn(calls.at[i], &u);
		else if (!idle_turn(calls.at[i]))
			checksum_turn(m, calls.at[i]);
	}
	values_free(&calls);
}
