/*
 * Of each call that creates a thread there has to be one that joins it: of the same handle; or both are in loops of their own that go through the same array in the
 * same way, to the same end. From there on the thread is gone: main is alone wherever control cannot come to from any of the creations without
 * coming by its join.
 */
#include "instrument/joins.h"

#include "instrument/fleets.h"
#include "instrument/flow.h"

#include <stdlib.h>

/* How an array is gone through: element `index`, which begins with `first` and grows by one, until it is `end`. */
struct walk {
	const struct loop *loop;
	LLVMValueRef base, end;
	LLVMTypeRef type; /* as elements are counted */
	unsigned operands;
	uint64_t first;
	LLVMIntPredicate until;
};

struct joins {
	struct flow flow;
	struct fleets *fleets;
	struct values calls; /* that join one of the threads */
	struct joined {
		LLVMValueRef creation;
		const struct fleet *fleet; /* that it belongs to; NULL: one by itself, or of an array */
		LLVMBasicBlockRef block;
		LLVMValueRef call; /* in it, that joins the thread; NULL: it is gone where the block begins */
		struct map behind; /* blocks that begin while the thread may be there */
	} *threads;
	size_t nthreads;
};

/* ---------------------------------------------------------------- handles --------------------- */

static bool is_named(LLVMValueRef call, const char *const *names, size_t n)
{
	LLVMValueRef callee = is_call(call) ? direct_callee(call) : NULL;
	return callee && has_name_of(callee, names, n) && LLVMGetNumArgOperands(call) > 0;
}

LLVMValueRef joins_created_handle(LLVMValueRef call)
{
	static const char *const creators[] = {"pthread_create", "thrd_create"};
	LLVMValueRef callee = is_call(call) ? direct_callee(call) : NULL;
	if (!callee || !LLVMGetNumArgOperands(call))
		return NULL;
	bool known = IS_NAMED(callee, creators) || name_begins(callee, "_ZNSt6thread15_M_start_thread");
	return known ? LLVMGetOperand(call, 0) : NULL;
}

/* Where a join takes it from. */
static LLVMValueRef joined_handle(LLVMValueRef call)
{
	static const char *const posix[] = {"pthread_join", "thrd_join"}, *const cxx[] = {"_ZNSt6thread4joinEv"};
	if (is_named(call, cxx, 1))
		return LLVMGetOperand(call, 0);
	if (!is_named(call, posix, 2) || !LLVMIsALoadInst(LLVMGetOperand(call, 0)))
		return NULL;
	return LLVMGetOperand(LLVMGetOperand(call, 0), 0);
}

/* Where a loop ends, what it has counted goes through a phi of its own. */
static LLVMValueRef without_extension(LLVMValueRef v)
{
	while (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || (LLVMIsAPHINode(v) && LLVMCountIncoming(v) == 1))
		v = LLVMGetOperand(v, 0);
	return v;
}

static bool is_same_number(LLVMValueRef a, LLVMValueRef b)
{
	a = without_extension(a), b = without_extension(b);
	if (a == b || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b))
		return a == b || (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b) && LLVMConstIntGetSExtValue(a) == LLVMConstIntGetSExtValue(b));
	/* Another instruction that computes the same: `n & 0x7fffffff`. */
	LLVMOpcode computed = LLVMGetInstructionOpcode(a);
	bool same = (computed == LLVMAnd || computed == LLVMTrunc) && LLVMGetInstructionOpcode(b) == computed && LLVMTypeOf(a) == LLVMTypeOf(b);
	for (unsigned i = 0; same && i < (unsigned)LLVMGetNumOperands(a); i++)
		same = LLVMGetOperand(a, i) == LLVMGetOperand(b, i) || (LLVMIsAConstantInt(LLVMGetOperand(a, i)) && is_same_number(LLVMGetOperand(a, i), LLVMGetOperand(b, i)));
	return same;
}

/* The same place by the same name: a variable, or an element of it with a constant number. */
static bool is_same_place(LLVMValueRef a, LLVMValueRef b)
{
	if (a == b)
		return true;
	if (!LLVMIsAGetElementPtrInst(a) || !LLVMIsAGetElementPtrInst(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
	    LLVMGetOperand(a, 0) != LLVMGetOperand(b, 0) || LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
		return false;
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(a); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(a, i)) || !is_same_number(LLVMGetOperand(a, i), LLVMGetOperand(b, i)))
			return false;
	return true;
}

/* ---------------------------------------------------------------- arrays ---------------------- */

/* The counter of a loop, which begins with a constant and grows by one. */
static bool find_counter(struct walk *w, LLVMValueRef index, LLVMValueRef *next)
{
	LLVMValueRef phi = without_extension(index);
	if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != w->loop->header || LLVMCountIncoming(phi) != 2)
		return false;
	bool from_latch = LLVMGetIncomingBlock(phi, 0) == w->loop->latch;
	LLVMValueRef first = without_extension(LLVMGetIncomingValue(phi, from_latch));
	*next = LLVMGetIncomingValue(phi, !from_latch);
	if (LLVMGetIncomingBlock(phi, !from_latch) != w->loop->latch || !LLVMIsAConstantInt(first) || !LLVMIsAInstruction(*next) ||
	    LLVMGetInstructionOpcode(*next) != LLVMAdd || LLVMGetOperand(*next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(*next, 1)))
		return false;
	w->first = LLVMConstIntGetZExtValue(first);
	return LLVMConstIntGetZExtValue(LLVMGetOperand(*next, 1)) == 1;
}

static LLVMValueRef condition_of(LLVMValueRef end)
{
	return LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
}

/* At the end of a round the loop goes on by whether the next number is the end. */
static bool find_end(struct walk *w, LLVMValueRef next)
{
	LLVMValueRef br = LLVMGetBasicBlockTerminator(w->loop->latch);
	LLVMValueRef condition = condition_of(br);
	if (!condition || !LLVMIsAICmpInst(condition) || without_extension(LLVMGetOperand(condition, 0)) != next)
		return false;
	w->end = LLVMGetOperand(condition, 1);
	w->until = LLVMGetICmpPredicate(condition);
	/* Whether the condition or its opposite is asked for does not matter where it is for one number only. */
	if (w->until == LLVMIntNE)
		w->until = LLVMIntEQ;
	else if (w->until != LLVMIntEQ && LLVMGetSuccessor(br, 0) != w->loop->header)
		return false;
	return !LLVMIsAInstruction(w->end) || !map_get(&w->loop->in, LLVMGetInstructionParent(w->end));
}

static bool find_walk(const struct joins *j, LLVMValueRef call, LLVMValueRef handle, struct walk *w)
{
	LLVMValueRef next;
	*w = (struct walk){.loop = flow_loop(&j->flow, LLVMGetInstructionParent(call))};
	if (!w->loop || w->loop->several || !LLVMIsAGetElementPtrInst(handle))
		return false;
	unsigned last = (unsigned)LLVMGetNumOperands(handle) - 1;
	for (unsigned i = 1; i < last; i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(handle, i)) || !LLVMIsNull(LLVMGetOperand(handle, i)))
			return false;
	w->base = LLVMGetOperand(handle, 0);
	w->type = LLVMGetGEPSourceElementType(handle);
	w->operands = last + 1;
	if (LLVMIsAInstruction(w->base) && map_get(&w->loop->in, LLVMGetInstructionParent(w->base)))
		return false;
	return find_counter(w, LLVMGetOperand(handle, last), &next) && find_end(w, next);
}

/* ---------------------------------------------------------------- one creation ---------------- */

static bool comes_before(LLVMValueRef a, LLVMValueRef b)
{
	for (LLVMValueRef i = LLVMGetNextInstruction(a); i; i = LLVMGetNextInstruction(i))
		if (i == b)
			return true;
	return false;
}

/* Is it the same whenever it is asked for? */
static bool is_asked_once(const struct joins *j, LLVMValueRef condition)
{
	return !LLVMIsAInstruction(condition) || !flow_loop(&j->flow, LLVMGetInstructionParent(condition));
}

/* Does control come to the creation only where the condition is so? */
static bool is_under(const struct joins *j, LLVMValueRef creation, LLVMValueRef condition, bool so)
{
	for (LLVMUseRef u = LLVMGetFirstUse(condition); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef br = LLVMGetUser(u);
		if (!LLVMIsAInstruction(br) || LLVMGetInstructionOpcode(br) != LLVMBr || LLVMGetSuccessor(br, 0) == LLVMGetSuccessor(br, 1))
			continue;
		LLVMBasicBlockRef way = LLVMGetSuccessor(br, !so);
		LLVMUseRef first = LLVMGetFirstUse(LLVMBasicBlockAsValue(way));
		if (!LLVMGetNextUse(first) && flow_dominates(&j->flow, way, LLVMGetInstructionParent(creation)))
			return true;
	}
	return false;
}

/* Threads were created since there were some to be (`if (n > 0)`), and are joined where there are: that control does not go the other way. */
static bool is_barred(const struct joins *j, LLVMValueRef creation, LLVMValueRef end, unsigned successor)
{
	LLVMValueRef condition = condition_of(end);
	return condition && is_asked_once(j, condition) && is_under(j, creation, condition, successor == 1);
}

/* From the creation on, until the thread is joined. */
static void find_behind(const struct joins *j, struct joined *t)
{
	LLVMBasicBlockRef own = LLVMGetInstructionParent(t->creation);
	struct values left = {0};
	if (!(t->call && t->block == own && comes_before(t->creation, t->call)))
		values_push(&left, LLVMBasicBlockAsValue(own));
	while (left.n) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(left.at[--left.n]));
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
			if (map_get(&t->behind, next) || (!t->call && next == t->block) || is_barred(j, t->creation, end, s))
				continue;
			map_set(&t->behind, next, 1);
			if (!t->call || next != t->block)
				values_push(&left, LLVMBasicBlockAsValue(next));
		}
	}
	values_free(&left);
}

/* A call that may throw is done where it comes back to. */
static bool joins_one(const struct joins *j, LLVMValueRef creation, LLVMValueRef join, struct joined *out)
{
	if (!is_same_place(joins_created_handle(creation), joined_handle(join)))
		return false;
	*out = (struct joined){.creation = creation, .block = LLVMGetInstructionParent(join), .call = join};
	if (LLVMIsAInvokeInst(join)) {
		*out = (struct joined){.creation = creation, .block = LLVMGetNormalDest(join)};
		LLVMUseRef first = LLVMGetFirstUse(LLVMBasicBlockAsValue(out->block));
		if (!first || LLVMGetNextUse(first))
			return false;
	}
	find_behind(j, out);
	/* The handle is another thread's when control comes to the creation again. */
	return !map_get(&out->behind, LLVMGetInstructionParent(creation));
}

/* Does the thread get from somewhere outside of the loop, or only from the block `from`, to `to`? */
static bool comes_only(const struct joins *j, const struct joined *t, LLVMBasicBlockRef to, LLVMBasicBlockRef from, const struct map *inside)
{
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef end = LLVMGetUser(u);
		LLVMBasicBlockRef b = LLVMIsAInstruction(end) ? LLVMGetInstructionParent(end) : NULL;
		bool with_thread = b && (map_get(&t->behind, b) || b == LLVMGetInstructionParent(t->creation));
		if (with_thread && condition_of(end) && is_barred(j, t->creation, end, LLVMGetSuccessor(end, 0) != to))
			continue;
		if (with_thread && b != from && !(inside && map_get(inside, b)))
			return false;
	}
	return true;
}

static bool joins_in_loop(const struct joins *j, LLVMValueRef creation, LLVMValueRef join, struct joined *out)
{
	struct walk a, b;
	if (!find_walk(j, creation, joins_created_handle(creation), &a) || !find_walk(j, join, joined_handle(join), &b) || a.loop == b.loop)
		return false;
	if (a.base != b.base || a.type != b.type || a.operands != b.operands || a.first != b.first || a.until != b.until ||
	    !is_same_number(a.end, b.end) || !flow_dominates(&j->flow, LLVMGetInstructionParent(join), b.loop->latch))
		return false;
	LLVMValueRef br = LLVMGetBasicBlockTerminator(b.loop->latch);
	*out = (struct joined){.creation = creation, .block = LLVMGetSuccessor(br, LLVMGetSuccessor(br, 0) == b.loop->header)};
	find_behind(j, out);
	return comes_only(j, out, out->block, b.loop->latch, NULL) && comes_only(j, out, a.loop->header, NULL, &a.loop->in);
}

/* The join after which the thread is gone from most of the function. */
static bool find_join(const struct joins *j, LLVMValueRef creation, struct joined *out)
{
	bool found = false;
	for (size_t i = 0; i < j->calls.n; i++) {
		struct joined t = {0};
		for (int way = 0; way < 2; way++) {
			bool joins = way ? joins_in_loop(j, creation, j->calls.at[i], &t) : joins_one(j, creation, j->calls.at[i], &t);
			if (joins && (!found || t.behind.n < out->behind.n)) {
				map_free(&out->behind);
				*out = t;
				found = true;
			} else {
				map_free(&t.behind);
			}
			t = (struct joined){0};
		}
	}
	return found;
}

/* From the blocks in which the thread comes into its container on: until it is gone with the others. */
static void find_behind_fleet(const struct joins *j, struct joined *t, struct values *left)
{
	while (left->n) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(left->at[--left->n]));
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
			if (map_get(&t->behind, next) || is_barred(j, t->creation, end, s) || fleets_are_gone(j->fleets, t->fleet, end, s))
				continue;
			map_set(&t->behind, next, 1);
			if (!fleets_call(j->fleets, t->fleet, next))
				values_push(left, LLVMBasicBlockAsValue(next));
		}
	}
}

/* From the creation on, where it returns, up to those blocks, which are added to `entered`. */
static void find_before_fleet(const struct joins *j, struct joined *t, struct map *outside, struct values *entered)
{
	LLVMBasicBlockRef b = LLVMIsAInvokeInst(t->creation) ? LLVMGetNormalDest(t->creation) : LLVMGetInstructionParent(t->creation);
	LLVMValueRef handle = joins_created_handle(t->creation);
	struct values left = {0};
	map_set(outside, b, 1);
	values_push(&left, LLVMBasicBlockAsValue(b));
	while (left.n) {
		b = LLVMValueAsBasicBlock(left.at[--left.n]);
		if (fleets_enters(j->fleets, t->fleet, handle, b)) {
			values_push(entered, LLVMBasicBlockAsValue(b));
			continue;
		}
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
			if (!map_get(outside, LLVMGetSuccessor(end, s))) {
				map_set(outside, LLVMGetSuccessor(end, s), 1);
				values_push(&left, LLVMBasicBlockAsValue(LLVMGetSuccessor(end, s)));
			}
	}
	values_free(&left);
}

/* One of several in a container. */
static bool find_fleet(const struct joins *j, LLVMValueRef creation, struct joined *out)
{
	const struct fleet *fleet = fleets_of(j->fleets, joins_created_handle(creation));
	if (!fleet)
		return false;
	*out = (struct joined){.creation = creation, .fleet = fleet};
	struct map outside = {0};
	struct values entered = {0};
	find_before_fleet(j, out, &outside, &entered);
	find_behind_fleet(j, out, &entered);
	for (size_t i = 0; i < outside.cap; i++)
		if (outside.at[i].key)
			map_set(&out->behind, outside.at[i].key, 1);
	map_free(&outside);
	values_free(&entered);
	return true;
}

/* ---------------------------------------------------------------- all ------------------------- */

static LLVMValueRef variable_of(LLVMValueRef handle)
{
	return LLVMIsAGetElementPtrInst(handle) ? LLVMGetOperand(handle, 0) : handle;
}

/* An element with a constant number, or the first. */
static bool is_one_element(LLVMValueRef handle)
{
	for (unsigned i = 1; LLVMIsAGetElementPtrInst(handle) && i < (unsigned)LLVMGetNumOperands(handle); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(handle, i)))
			return false;
	return true;
}

/* Might two threads have one handle? Then that of one of them is lost, if both are there. */
static bool share_handle(LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef x = joins_created_handle(a), y = joins_created_handle(b), v = variable_of(x), w = variable_of(y);
	if (v == w)
		return is_same_place(x, y) || !is_one_element(x) || !is_one_element(y);
	return !(LLVMIsAAllocaInst(v) || LLVMIsAGlobalVariable(v)) || !(LLVMIsAAllocaInst(w) || LLVMIsAGlobalVariable(w));
}

/* May the thread be there at the instruction, before it? */
static bool is_there(const struct joins *j, const struct joined *t, LLVMValueRef i)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(i);
	LLVMValueRef end = t->fleet ? fleets_call(j->fleets, t->fleet, b) : NULL;
	if (end && (end == i || comes_before(end, i)))
		return false;
	bool joined_here = t->call && t->block == b && (t->call == i || comes_before(t->call, i));
	if (LLVMGetInstructionParent(t->creation) == b && comes_before(t->creation, i))
		return !joined_here || comes_before(t->call, t->creation);
	return map_get(&t->behind, b) && !(joined_here && t->call != i);
}

static bool have_own_handles(const struct joins *j)
{
	for (size_t i = 0; i < j->nthreads; i++)
		for (size_t k = 0; k < j->nthreads; k++)
			if (i != k && !j->threads[i].fleet && !j->threads[k].fleet && share_handle(j->threads[i].creation, j->threads[k].creation) && is_there(j, &j->threads[i], j->threads[k].creation))
				return false;
	return true;
}

static bool find_threads(struct joins *j, const struct values *creations)
{
	j->threads = pass_alloc(creations->n + 1, sizeof *j->threads);
	for (size_t i = 0; i < creations->n; i++) {
		struct joined *t = &j->threads[j->nthreads];
		if (!joins_created_handle(creations->at[i]) || (!find_fleet(j, creations->at[i], t) && !find_join(j, creations->at[i], t)))
			return false;
		j->nthreads++;
	}
	return have_own_handles(j);
}

struct joins *joins_find(LLVMValueRef function, const struct values *creations)
{
	struct joins *j = pass_alloc(1, sizeof *j);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (joined_handle(i))
				values_push(&j->calls, i);
	if (creations->n) {
		flow_find(&j->flow, function);
		j->fleets = fleets_find(&j->flow, function);
		if (find_threads(j, creations))
			return j;
	}
	joins_free(j);
	return NULL;
}

void joins_free(struct joins *j)
{
	if (!j)
		return;
	flow_release(&j->flow);
	fleets_free(j->fleets);
	for (size_t i = 0; i < j->nthreads; i++)
		map_free(&j->threads[i].behind);
	values_free(&j->calls);
	free(j->threads);
	free(j);
}

bool joins_alone_at(const struct joins *j, LLVMBasicBlockRef b)
{
	for (size_t i = 0; j && i < j->nthreads; i++)
		if (map_get(&j->threads[i].behind, b))
			return false;
	return j;
}

bool joins_alone_after(const struct joins *j, LLVMValueRef i)
{
	bool joins = false;
	for (size_t k = 0; j && k < j->nthreads; k++)
		joins |= j->threads[k].call == i || (j->threads[k].fleet && fleets_call(j->fleets, j->threads[k].fleet, LLVMGetInstructionParent(i)) == i);
	for (size_t k = 0; joins && k < j->nthreads; k++)
		joins = !is_there(j, &j->threads[k], LLVMGetNextInstruction(i));
	return joins;
}
