/*
 * Accesses that a program writes as inline assembly (libuv, Concurrency Kit, older headers for atomics): `lock; cmpxchg`, `lock; xadd`,
 * `xchg` and the like, and `mov` from and to memory, become the instructions of LLVM that mean the same, so that they are accesses like
 * any other to all that comes after. One instruction with operands that are understood to the last, and behind cmpxchg the question
 * whether it succeeded (`setz`, or a flag that is an output), or the text stays what it is.
 *
 * So do checksums of memory, `crc32q (%1), %0` (librdkafka and others have them from one source): loads, and intrinsics that
 * the executor computes. Of these one text may have several.
 */
#include "instrument/pass.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 8 };

struct mnemonic {
	const char *name;
	unsigned operands;
	bool locked; /* needs the prefix: only xchg locks by itself */
	bool returns; /* the old value */
	LLVMAtomicRMWBinOp operation;
	enum { UPDATES, COMPARES, MOVES } kind;
};

static const struct mnemonic mnemonics[] = {
	{"cmpxchg", 2, true, true, LLVMAtomicRMWBinOpXchg, COMPARES},
	{"mov", 2, false, false, LLVMAtomicRMWBinOpXchg, MOVES},
	{"xadd", 2, true, true, LLVMAtomicRMWBinOpAdd, UPDATES},
	{"xchg", 2, false, true, LLVMAtomicRMWBinOpXchg, UPDATES},
	{"inc", 1, true, false, LLVMAtomicRMWBinOpAdd, UPDATES},
	{"dec", 1, true, false, LLVMAtomicRMWBinOpSub, UPDATES},
	{"not", 1, true, false, LLVMAtomicRMWBinOpXor, UPDATES},
	{"add", 2, true, false, LLVMAtomicRMWBinOpAdd, UPDATES},
	{"sub", 2, true, false, LLVMAtomicRMWBinOpSub, UPDATES},
	{"and", 2, true, false, LLVMAtomicRMWBinOpAnd, UPDATES},
	{"or", 2, true, false, LLVMAtomicRMWBinOpOr, UPDATES},
	{"xor", 2, true, false, LLVMAtomicRMWBinOpXor, UPDATES},
};

/* ---------------------------------------------------------------- the text */

struct text {
	const struct mnemonic *is;
	unsigned value, memory; /* numbers of its operands; in AT&T's order the memory comes last */
	unsigned bits;          /* that the mnemonic names; 0: the operands tell */
	unsigned flag;          /* number of the operand that says whether a cmpxchg succeeded; NO_FLAG: none does */
};
enum { NO_FLAG = MOST_OPERANDS };

static const char *skip(const char *s, const char *end, const char *what)
{
	while (s < end && *s && strchr(what, *s))
		s++;
	return s;
}

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

/* "$2" */
static const char *operand(const char *s, const char *end, unsigned *number)
{
	if (!s || s + 1 >= end || *s != '$' || !isdigit((unsigned char)s[1]))
		return NULL;
	*number = (unsigned)(s[1] - '0');
	return s + 2;
}

/* "setz $1", and where it ends; s where there is none. */
static const char *read_flag(const char *s, const char *end, struct text *t)
{
	const char *after = word_end(s, end);
	t->flag = NO_FLAG;
	if (t->is->kind != COMPARES || after - s != 4 || (memcmp(s, "setz", 4) && memcmp(s, "sete", 4)))
		return s;
	return operand(skip(after, end, " \t"), end, &t->flag);
}

static bool read_text(LLVMValueRef assembly, struct text *t)
{
	size_t n;
	const char *s = LLVMGetInlineAsmAsmString(assembly, &n), *end = s + n;
	static const char between[] = "; \t\n";
	s = skip(s, end, between);
	const char *after = word_end(s, end);
	bool locked = after - s == 4 && !memcmp(s, "lock", 4);
	if (locked) {
		s = skip(after, end, between);
		after = word_end(s, end);
	}
	t->is = find_mnemonic(s, (size_t)(after - s));
	if (!t->is || (t->is->locked && !locked))
		return false;
	t->bits = named_bits(t->is, s, (size_t)(after - s));
	s = skip(after, end, " \t");
	if (t->is->operands == 2) {
		s = operand(s, end, &t->value);
		s = s ? skip(s, end, " \t") : NULL;
		if (!s || s == end || *s != ',')
			return false;
		s = skip(s + 1, end, " \t");
	}
	s = operand(s, end, &t->memory);
	s = s ? read_flag(skip(s, end, between), end, t) : NULL;
	return s && skip(s, end, between) == end;
}

/* ---------------------------------------------------------------- the operands */

struct constraint {
	bool output, indirect;
	bool accumulator;
	bool flag;              /* output: whether the last result was zero */
	int tied;               /* to the output of this number; -1: to none */
	LLVMValueRef argument;  /* NULL for what the assembly returns */
	unsigned index;         /* of the argument */
};

static bool read_constraint(const char *s, size_t n, struct constraint *c)
{
	*c = (struct constraint){.tied = -1};
	c->output = n && *s == '=';
	c->indirect = memchr(s, '*', n) != NULL;
	c->accumulator = n >= 4 && !memcmp(s + n - 4, "{ax}", 4);
	c->flag = n == 7 && (!memcmp(s, "={@ccz}", n) || !memcmp(s, "={@cce}", n));
	if (n == 1 && isdigit((unsigned char)*s))
		c->tied = *s - '0';
	return n && !memchr(s, '|', n) && (c->flag || !memchr(s, '@', n));
}

/* How many there are; 0 when one is not understood. */
static unsigned read_constraints(LLVMValueRef call, struct constraint at[MOST_OPERANDS])
{
	size_t size;
	const char *s = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &size), *end = s + size;
	unsigned n = 0, arguments = 0;
	while (s < end && *s != '~') {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t length = (size_t)((comma ? comma : end) - s);
		if (n == MOST_OPERANDS || !read_constraint(s, length, &at[n]))
			return 0;
		if (!at[n].output || at[n].indirect) {
			if (arguments == LLVMGetNumArgOperands(call))
				return 0;
			at[n].index = arguments;
			at[n].argument = LLVMGetOperand(call, arguments++);
		}
		n++;
		s = comma ? comma + 1 : end;
	}
	return arguments == LLVMGetNumArgOperands(call) ? n : 0;
}

/* The input that is tied to the output, or is the accumulator where that is. */
static LLVMValueRef input_of(const struct constraint *at, unsigned n, unsigned output)
{
	for (unsigned i = 0; i < n; i++)
		if (!at[i].output && !at[i].indirect &&
		    (at[i].tied == (int)output || (at[output].accumulator && at[i].accumulator)))
			return at[i].argument;
	return NULL;
}

struct update {
	const struct mnemonic *is;
	LLVMValueRef place, value, expected; /* value: NULL for a load; expected: of cmpxchg only */
	LLVMTypeRef type;
	unsigned nresults;
	bool is_flag[MOST_OPERANDS]; /* by result: whether it succeeded, else the old value */
};

static LLVMTypeRef element_type(LLVMValueRef call, unsigned argument)
{
	static const char name[] = "elementtype";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static bool is_number(LLVMTypeRef type)
{
	return type && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 8 &&
	       LLVMGetIntTypeWidth(type) <= 64 && !(LLVMGetIntTypeWidth(type) & (LLVMGetIntTypeWidth(type) - 1));
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
	if (!bits && (is_number(value) || is_number(place)))
		bits = LLVMGetIntTypeWidth(is_number(value) ? value : place);
	return bits ? LLVMIntTypeInContext(LLVMGetTypeContext(place), bits) : NULL;
}

static LLVMTypeRef nth_result(LLVMTypeRef type, unsigned i)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : type;
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

/* Is every operand one of those that the update has? Then nothing is lost with the text. */
static bool uses_all(LLVMValueRef call, const struct text *t, struct update *u, const struct constraint *at, unsigned n)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = at[i].argument;
		bool flag = at[i].flag || i == t->flag;
		if (at[i].indirect ? v != u->place : v && v != u->value && v != u->expected)
			return false;
		if (v)
			continue;
		if (u->nresults == count_results(type) || (flag ? t->is->kind != COMPARES : !is_old_value(t, at, i)))
			return false;
		LLVMTypeRef result = nth_result(type, u->nresults);
		if (flag ? !is_number(result) : result != u->type)
			return false;
		u->is_flag[u->nresults++] = flag;
	}
	return u->nresults == count_results(type);
}

/* What cmpxchg compares with: the accumulator before. */
static LLVMValueRef compared_with(const struct constraint *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i].output && at[i].accumulator)
			return input_of(at, n, i);
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

static bool read_update(LLVMValueRef call, struct update *u)
{
	struct text t = {0};
	struct constraint at[MOST_OPERANDS];
	unsigned n;
	if (!read_text(LLVMGetCalledValue(call), &t) || !(n = read_constraints(call, at)))
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
		u->value = at[t.value].output ? input_of(at, n, t.value) : at[t.value].argument;
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
	bool fits = (loads || LLVMTypeOf(u->value) == u->type) && (!u->expected || LLVMTypeOf(u->expected) == u->type);
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
	if (u->is->kind == UPDATES)
		return LLVMBuildAtomicRMW(b, u->is->operation, u->place, u->value, order, false);
	v = u->value ? LLVMBuildStore(b, u->value, u->place) : LLVMBuildLoad2(b, u->type, u->place, "");
	LLVMSetOrdering(v, u->value ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire);
	LLVMSetAlignment(v, bytes);
	return v;
}

static void turn(LLVMValueRef call, const struct update *u)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
	LLVMPositionBuilderBefore(b, call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	LLVMValueRef success = NULL, old = build_access(b, u, &success), all = NULL;
	for (unsigned i = 0; i < u->nresults; i++) {
		LLVMValueRef v = u->is_flag[i] ? LLVMBuildZExt(b, success, nth_result(type, i), "") : old;
		bool one = LLVMGetTypeKind(type) != LLVMStructTypeKind;
		all = one ? v : LLVMBuildInsertValue(b, all ? all : LLVMGetPoison(type), v, i, "");
	}
	if (all)
		LLVMReplaceAllUsesWith(call, all);
	LLVMInstructionEraseFromParent(call);
	LLVMDisposeBuilder(b);
}

/* ---------------------------------------------------------------- checksums */

enum { MOST_STEPS = 4 };

/* crc32SIZE OFFSET($from), $to; or crc32SIZE $from, $to */
struct step {
	unsigned bits, from, to;
	bool loads;
	unsigned long offset;
};

static const char *read_source(const char *s, const char *end, struct step *x)
{
	char *after;
	if (s < end && *s == '$')
		return operand(s, end, &x->from);
	x->offset = strtoul(s, &after, 0);
	x->loads = true;
	if (after >= end || *after != '(' || !(s = operand(after + 1, end, &x->from)) || s == end || *s != ')')
		return NULL;
	return s + 1;
}

static const char *read_step(const char *s, const char *end, struct step *x)
{
	static const char name[] = "crc32", sizes[] = "bwlq";
	size_t n = sizeof name - 1;
	*x = (struct step){0};
	if ((size_t)(end - s) <= n || memcmp(s, name, n) || !strchr(sizes, s[n]))
		return NULL;
	x->bits = 8u << (strchr(sizes, s[n]) - sizes);
	s = read_source(skip(s + n + 1, end, " \t"), end, x);
	s = s ? skip(s, end, " \t") : NULL;
	if (!s || s == end || *s != ',')
		return NULL;
	return operand(skip(s + 1, end, " \t"), end, &x->to);
}

/* How many there are; 0 when something else is in the text. */
static unsigned read_steps(LLVMValueRef assembly, struct step steps[MOST_STEPS])
{
	size_t size;
	unsigned n = 0;
	const char *s = LLVMGetInlineAsmAsmString(assembly, &size), *end = s + size;
	static const char between[] = "; \t\n";
	for (s = skip(s, end, between); s < end; s = skip(s, end, between))
		if (n == MOST_STEPS || !(s = read_step(s, end, &steps[n++])))
			return 0;
	return n;
}

struct checksum {
	LLVMModuleRef module;
	LLVMValueRef call;
	struct step steps[MOST_STEPS];
	unsigned nsteps, noperands, nresults;
	struct constraint at[MOST_OPERANDS];
	LLVMValueRef values[MOST_OPERANDS]; /* of the operands now */
};

static LLVMTypeRef result_type(const struct checksum *c, unsigned i)
{
	return nth_result(LLVMTypeOf(c->call), i);
}

/* The sums are the results, each of which has a value before. */
static bool are_sums(struct checksum *c)
{
	LLVMTypeRef type = LLVMTypeOf(c->call);
	for (unsigned i = 0; i < c->noperands; i++) {
		if (c->at[i].indirect)
			return false;
		c->nresults += c->at[i].output;
		c->values[i] = c->at[i].output ? input_of(c->at, c->noperands, i) : c->at[i].argument;
		if (!c->values[i])
			return false;
	}
	if (c->nresults != (LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1))
		return false;
	for (unsigned i = 0; i < c->nresults; i++)
		if (!is_number(result_type(c, i)) || LLVMGetIntTypeWidth(result_type(c, i)) < 32 || LLVMTypeOf(c->values[i]) != result_type(c, i))
			return false;
	return true;
}

static bool can_do(const struct checksum *c, const struct step *x)
{
	if (x->to >= c->nresults || x->from >= c->noperands || (x->bits == 64 && LLVMGetIntTypeWidth(result_type(c, x->to)) != 64))
		return false;
	LLVMTypeRef from = LLVMTypeOf(c->values[x->from]);
	return x->loads ? LLVMGetTypeKind(from) == LLVMPointerTypeKind : is_number(from) && LLVMGetIntTypeWidth(from) >= x->bits;
}

static bool read_checksum(LLVMModuleRef m, LLVMValueRef call, struct checksum *c)
{
	*c = (struct checksum){.module = m, .call = call};
	c->nsteps = read_steps(LLVMGetCalledValue(call), c->steps);
	if (!c->nsteps || !(c->noperands = read_constraints(call, c->at)) || !are_sums(c))
		return false;
	for (unsigned i = 0; i < c->nsteps; i++)
		if (!can_do(c, &c->steps[i]))
			return false;
	return true;
}

static void do_step(struct checksum *c, LLVMBuilderRef b, const struct step *x)
{
	LLVMTypeRef source = int_type(c->module, x->bits), sum = int_type(c->module, x->bits == 64 ? 64 : 32);
	LLVMValueRef v = c->values[x->from];
	if (x->loads) {
		LLVMValueRef offset = int_value(c->module, 64, x->offset);
		v = LLVMBuildLoad2(b, source, LLVMBuildGEP2(b, int_type(c->module, 8), v, &offset, 1, ""), "");
		LLVMSetAlignment(v, 1);
	}
	const char *name = x->bits == 8 ? "llvm.x86.sse42.crc32.32.8" : x->bits == 16 ? "llvm.x86.sse42.crc32.32.16"
			   : x->bits == 32 ? "llvm.x86.sse42.crc32.32.32" : "llvm.x86.sse42.crc32.64.64";
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(c->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
	LLVMValueRef given[] = {LLVMBuildTrunc(b, c->values[x->to], sum, ""), LLVMBuildTrunc(b, v, source, "")};
	LLVMValueRef answer = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, given, 2, "");
	c->values[x->to] = LLVMBuildZExt(b, answer, result_type(c, x->to), "");
}

/* Assembly needs no leave to use the instruction, an intrinsic does. */
static void allow_checksums(LLVMValueRef function)
{
	static const char name[] = "target-features", more[] = "+crc32";
	LLVMAttributeIndex place = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMAttributeRef old = LLVMGetStringAttributeAtIndex(function, place, name, sizeof name - 1);
	unsigned n = 0;
	const char *features = old ? LLVMGetStringAttributeValue(old, &n) : "";
	char *all = pass_alloc(n + 1 + sizeof more, 1);
	snprintf(all, n + 1 + sizeof more, "%.*s%s%s", (int)n, features, n ? "," : "", more);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMAddAttributeAtIndex(function, place, LLVMCreateStringAttribute(context, name, sizeof name - 1, all, (unsigned)strlen(all)));
	free(all);
}

static void turn_checksum(struct checksum *c)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(c->module));
	LLVMPositionBuilderBefore(b, c->call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(c->call));
	for (unsigned i = 0; i < c->nsteps; i++)
		do_step(c, b, &c->steps[i]);
	LLVMValueRef result = c->values[0];
	if (LLVMGetTypeKind(LLVMTypeOf(c->call)) == LLVMStructTypeKind) {
		result = LLVMGetPoison(LLVMTypeOf(c->call));
		for (unsigned i = 0; i < c->nresults; i++)
			result = LLVMBuildInsertValue(b, result, c->values[i], i, "");
	}
	allow_checksums(LLVMGetBasicBlockParent(LLVMGetInstructionParent(c->call)));
	LLVMReplaceAllUsesWith(c->call, result);
	LLVMInstructionEraseFromParent(c->call);
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
		struct checksum c;
		if (read_update(calls.at[i], &u))
			turn(calls.at[i], &u);
		else if (read_checksum(m, calls.at[i], &c))
			turn_checksum(&c);
	}
	values_free(&calls);
}
