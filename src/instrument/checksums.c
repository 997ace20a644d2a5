/*
 * Checksums of memory in inline assembly, `crc32q (%1), %0` (librdkafka and others have them from one source), become loads, and
 * intrinsics that the executor computes. One text may have several.
 */
#include "instrument/checksums.h"
#include "instrument/operands.h"
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		return operands_read(s, end, &x->from);
	x->offset = strtoul(s, &after, 0);
	x->loads = true;
	if (after >= end || *after != '(' || !(s = operands_read(after + 1, end, &x->from)) || s == end || *s != ')')
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
	s = read_source(operands_skip(s + n + 1, end, " \t"), end, x);
	s = s ? operands_skip(s, end, " \t") : NULL;
	if (!s || s == end || *s != ',')
		return NULL;
	return operands_read(operands_skip(s + 1, end, " \t"), end, &x->to);
}

/* How many there are; 0 when something else is in the text. */
static unsigned read_steps(LLVMValueRef assembly, struct step steps[MOST_STEPS])
{
	size_t size;
	unsigned n = 0;
	const char *s = LLVMGetInlineAsmAsmString(assembly, &size), *end = s + size;
	static const char between[] = "; \t\n";
	for (s = operands_skip(s, end, between); s < end; s = operands_skip(s, end, between))
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
		c->values[i] = c->at[i].output ? operands_input(c->at, c->noperands, i) : c->at[i].argument;
		if (!c->values[i])
			return false;
	}
	if (c->nresults != (LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1))
		return false;
	for (unsigned i = 0; i < c->nresults; i++)
		if (!is_machine_number(result_type(c, i)) || LLVMGetIntTypeWidth(result_type(c, i)) < 32 || LLVMTypeOf(c->values[i]) != result_type(c, i))
			return false;
	return true;
}

static bool can_do(const struct checksum *c, const struct step *x)
{
	if (x->to >= c->nresults || x->from >= c->noperands || (x->bits == 64 && LLVMGetIntTypeWidth(result_type(c, x->to)) != 64))
		return false;
	LLVMTypeRef from = LLVMTypeOf(c->values[x->from]);
	return x->loads ? LLVMGetTypeKind(from) == LLVMPointerTypeKind : is_machine_number(from) && LLVMGetIntTypeWidth(from) >= x->bits;
}

static bool read_checksum(LLVMModuleRef m, LLVMValueRef call, struct checksum *c)
{
	*c = (struct checksum){.module = m, .call = call};
	c->nsteps = read_steps(LLVMGetCalledValue(call), c->steps);
	if (!c->nsteps || !(c->noperands = operands_of(call, c->at)) || !are_sums(c))
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

bool checksum_turn(LLVMModuleRef m, LLVMValueRef call)
{
	struct checksum c;
	if (!read_checksum(m, call, &c))
		return false;
	turn_checksum(&c);
	return true;
}
