/*
 * Two versions of functions that record values.
 *
 * A thread that has too many values records none any more, but would go on asking for each of them: up to a tenth of
 * its time. So a function f that records what it reads becomes three: f.values is the function itself, f.quick a copy that asks
 * nothing, and f goes on in one of them. In quick versions calls lead to quick versions without asking.
 *
 * Where it reads something often, f.quick is for threads that record no such reads any more, and has all others: how a thread finds its
 * work is known then, also where it has too much to do for what it does to be recorded.
 *
 * A thread may stay in one function: a worker that has all it does in its loop. So the loops in it that have no others in them have a copy
 * that asks nothing, too, which is chosen where they begin.
 *
 * In large programs nearly all functions record values, and copies of all would nearly double what the code generator takes. So there is
 * a limit to what is copied, and those come first that ask most for their size, as far as loops tell.
 */
#include "instrument/addresses.h"
#include "instrument/frequency.h"

#include <stddef.h>
#include <stdlib.h>

/* Instructions, in all. */
enum { MOST_COPIED = 200000, MOST_DOUBLED = 50000 };

struct candidate {
	LLVMValueRef function;
	size_t number;       /* in module order */
	double asked;        /* how often, about */
	bool often;          /* does one of its reads come often? */
	size_t size;         /* in instructions */
};

struct versions {
	struct values with, without; /* the same functions */
	bool *often;                 /* of each */
	struct map number;           /* of what has taken the function's place, from 1 */
};

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static void copy(struct versions *v, LLVMValueRef f, bool often)
{
	LLVMValueRef other = llvm_copy_function(f, RT_WITHOUT_VALUES);
	if (!other)
		return;
	v->often[v->with.n] = often;
	values_push(&v->with, f);
	values_push(&v->without, other);
}

/* What asks most for its size comes first. */
static int by_gain(const void *a, const void *b)
{
	const struct candidate *p = a, *q = b;
	double left = p->asked * (double)q->size, right = q->asked * (double)p->size;
	if (left != right)
		return left > right ? -1 : 1;
	return p->number < q->number ? -1 : p->number > q->number;
}

static int by_number(const void *a, const void *b)
{
	const struct candidate *p = a, *q = b;
	return p->number < q->number ? -1 : p->number > q->number;
}

/* The functions with reads that are recorded, malloc'ed. */
static struct candidate *candidates(LLVMModuleRef m, const struct sharing *sharing, const struct values *recorded, size_t *n)
{
	struct candidate *all = pass_alloc(recorded->n + 1, sizeof *all);
	struct values reads = {0};
	struct frequencies frequencies;
	frequencies_find(&frequencies, m, sharing->points_to);
	*n = 0;
	for (size_t i = 0; i < recorded->n; i++)
		if (addresses_is_read(recorded->at[i]))
			values_push(&reads, recorded->at[i]);
	for (size_t i = 0, end; i < reads.n; i = end, ++*n) {
		LLVMValueRef f = function_of(reads.at[i]);
		all[*n] = (struct candidate){.function = f, .number = *n, .size = function_size(f)};
		for (end = i; end < reads.n && function_of(reads.at[end]) == f; end++) {
			all[*n].asked += frequency_of_block(&frequencies, LLVMGetInstructionParent(reads.at[end]));
			all[*n].often |= addresses_is_often(reads.at[end]);
		}
	}
	frequencies_free(&frequencies);
	values_free(&reads);
	return all;
}

static void copy_most(LLVMModuleRef m, const struct sharing *sharing, struct versions *v, const struct values *recorded)
{
	size_t n, size = 0, taken = 0;
	struct candidate *all = candidates(m, sharing, recorded, &n);
	qsort(all, n, sizeof *all, by_gain);
	for (size_t i = 0; i < n; i++) {
		if (size + all[i].size > MOST_COPIED)
			continue;
		size += all[i].size;
		all[taken++] = all[i];
	}
	qsort(all, taken, sizeof *all, by_number);
	v->often = pass_alloc(taken + 1, sizeof *v->often);
	for (size_t i = 0; i < taken; i++)
		copy(v, all[i].function, all[i].often);
	free(all);
}

/* !log.at, or !log.often: what is built before the instruction. */
static LLVMValueRef records_none(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef log, bool often)
{
	LLVMValueRef offset = int_value(m, 64, often ? offsetof(struct rt_values, often) : offsetof(struct rt_values, at));
	LLVMValueRef part = LLVMBuildGEP2(b, int_type(m, 8), log, &offset, 1, "");
	return LLVMBuildIsNull(b, LLVMBuildLoad2(b, pointer_type(m), part, ""), "");
}

/* if (!log.at) return without(...); return with(...); or by log.often. */
static void choose(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef with, LLVMValueRef without,
		   LLVMValueRef log, bool often)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef quick = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef values = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMSetCurrentDebugLocation2(b, NULL);
	LLVMBuildCondBr(b, records_none(m, b, log, often), quick, values);
	LLVMPositionBuilderAtEnd(b, quick);
	llvm_go_on_in(b, f, without);
	LLVMPositionBuilderAtEnd(b, values);
	llvm_go_on_in(b, f, with);
}

/* Who records what does not come often may not call who records nothing. */
static void stay_quick(const struct versions *v, LLVMBasicBlockRef b, bool often)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		uint32_t number = is_call(i) ? map_get(&v->number, LLVMGetCalledValue(i)) : 0;
		/* What is called is the last operand. */
		if (number && (!often || v->often[number - 1]))
			LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, v->without.at[number - 1]);
	}
}

static void keep_others(LLVMBasicBlockRef b, unsigned value_kind, struct values *kept)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		if (LLVMHasMetadata(i) && LLVMGetMetadata(i, value_kind) && !addresses_is_often(i))
			values_push(kept, i);
}

/* What a copy that asks for less does about calls, and about the values that it still has. */
static void make_quick(const struct versions *v, LLVMBasicBlockRef b, bool often, unsigned value_kind, struct values *kept)
{
	stay_quick(v, b, often);
	if (often)
		keep_others(b, value_kind, kept);
}

/* ---------------------------------------------------------------- loops ----------------------- */

struct doubling {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	const struct versions *versions;
	struct map recorded; /* instructions: 1 */
	LLVMValueRef log;
	struct values *kept;
	unsigned value_kind;
	size_t size; /* of what has been copied */
	bool often;  /* does the loop at hand read something often? */
};

static bool wants(void *data, const struct llvm_loop *loop)
{
	struct doubling *d = data;
	size_t size = 0, reads = 0;
	d->often = false;
	for (size_t b = 0; b < loop->n; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(loop->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
			size++;
			if (!map_get(&d->recorded, i))
				continue;
			reads++;
			d->often |= addresses_is_often(i);
		}
	if (!reads || d->size + size > MOST_DOUBLED)
		return false;
	d->size += size;
	return true;
}

static LLVMValueRef asks(void *data, LLVMValueRef br, const struct llvm_loop *copy)
{
	struct doubling *d = data;
	for (size_t b = 0; b < copy->n; b++)
		make_quick(d->versions, copy->blocks[b], d->often, d->value_kind, d->kept);
	build_before(d->builder, br);
	return records_none(d->module, d->builder, d->log, d->often);
}

static void double_loops(struct doubling *d, const struct values *recorded)
{
	for (size_t i = 0; i < recorded->n; i++)
		if (addresses_is_read(recorded->at[i]))
			map_set(&d->recorded, recorded->at[i], 1);
	for (size_t i = 0; i < d->versions->with.n; i++)
		llvm_double_loops(d->versions->with.at[i], wants, asks, d);
	map_free(&d->recorded);
}

/* ---------------------------------------------------------------- all ------------------------- */

void versions_make(LLVMModuleRef m, const struct sharing *sharing, const struct values *recorded, LLVMValueRef log, struct values *kept)
{
	unsigned value_kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), PASS_VALUE_METADATA, sizeof PASS_VALUE_METADATA - 1);
	struct versions v = {0};
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	copy_most(m, sharing, &v, recorded);
	for (size_t i = 0; i < v.with.n; i++) {
		LLVMValueRef f = llvm_take_place(v.with.at[i], RT_WITH_VALUES);
		map_set(&v.number, f, (uint32_t)i + 1);
		choose(m, b, f, v.with.at[i], v.without.at[i], log, v.often[i]);
	}
	for (size_t i = 0; i < v.without.n; i++) {
		for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(v.without.at[i]); at; at = LLVMGetNextBasicBlock(at))
			make_quick(&v, at, v.often[i], value_kind, kept);
	}
	double_loops(&(struct doubling){.module = m, .builder = b, .versions = &v, .log = log, .kept = kept, .value_kind = value_kind}, recorded);
	free(v.often);
	LLVMDisposeBuilder(b);
	map_free(&v.number);
	values_free(&v.with);
	values_free(&v.without);
}
