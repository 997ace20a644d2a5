/*
 * Control flow: edges with their phi moves, branches, switches, returns, invokes.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ edges */

struct move {
	reg to, from;
};
typedef vec(struct move) move_list;

static void edge_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to, move_list *out)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i);
	     i = LLVMGetNextInstruction(i)) {
		unsigned n = slots_of(t, LLVMTypeOf(i)), k = 0;
		while (LLVMGetIncomingBlock(i, k) != from)
			k++;
		LLVMValueRef v = LLVMGetIncomingValue(i, k);
		if (LLVMIsUndef(v) || !n)
			continue;
		reg first = value_regs(t, i)[0];
		const reg *source = value_regs(t, v);
		for (unsigned s = 0; s < n; s++)
			if (source[s] != first + s)
				*vec_push(out) = (struct move){first + s, source[s]};
	}
}

/* All moves at once: one whose target nobody still reads goes first; a cycle is cut with a temporary. */
static void emit_moves(struct tr *t, move_list *m)
{
	while (m->n) {
		size_t k = 0;
		for (; k < m->n; k++) {
			bool read = false;
			for (size_t i = 0; i < m->n && !read; i++)
				read = i != k && m->at[i].from == m->at[k].to;
			if (!read)
				break;
		}
		if (k < m->n) {
			emit(t, OP_MOV, 64, m->at[k].to, m->at[k].from, 0);
			m->at[k] = m->at[--m->n];
			continue;
		}
		reg saved = new_temp(t), cut = m->at[0].to;
		emit(t, OP_MOV, 64, saved, cut, 0);
		for (size_t i = 0; i < m->n; i++)
			if (m->at[i].from == cut)
				m->at[i].from = saved;
	}
	vec_free(m);
}

static uint32_t block_number(struct tr *t, LLVMBasicBlockRef b)
{
	uint32_t n = 0;
	map_get(&t->fn.block_number, b, &n);
	return n;
}

static void fix(struct tr *t, size_t at, size_t base, uint32_t block, bool in_pool)
{
	*vec_push(&t->fn.fixes) = (struct edge_fix){at, (uint32_t)base, block, in_pool};
}

static unsigned take_count(struct tr *t, unsigned most)
{
	unsigned n = t->fn.count;
	t->fn.count = 0;
	if (n > most) {
		emit(t, OP_COUNT, 0, n - most, 0, 0);
		n = most;
	}
	return n;
}

/* Code of one edge, at the place where it is taken. */
static void emit_edge(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to, bool last)
{
	move_list m = {0};
	edge_moves(t, from, to, &m);
	choices_before_moves(t, from, to);
	emit_moves(t, &m);
	choices_behind_moves(t, from, to);
	uint32_t target = block_number(t, to);
	if (last && target == t->fn.block + 1 && !t->fn.count)
		return;
	unsigned count = take_count(t, 0xffff);
	size_t at = emit(t, OP_JMP, count, 0, 0, 0);
	fix(t, at, at, target, false);
}

static bool has_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	move_list m = {0};
	edge_moves(t, from, to, &m);
	bool any = m.n > 0 || choices_on_edge(t, from, to);
	vec_free(&m);
	return any;
}

static bool is_known(struct tr *t, LLVMValueRef branch)
{
	return LLVMGetMetadata(branch, t->known_kind) != NULL;
}

/* The icmp whose only use is this branch, right in its block; it becomes part of the branch. */
bool fused_compare(struct tr *t, LLVMValueRef br, LLVMValueRef *compare)
{
	LLVMValueRef c = LLVMIsConditional(br) ? LLVMGetCondition(br) : br;
	if (is_known(t, br) || !LLVMIsAICmpInst(c) || LLVMGetInstructionParent(c) != LLVMGetInstructionParent(br))
		return false;
	LLVMUseRef use = LLVMGetFirstUse(c);
	if (!use || LLVMGetNextUse(use))
		return false;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(c, 0));
	*compare = c;
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
	       (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

static const enum code_op branch_form[OP_COUNT_] = {
	[OP_EQ] = OP_BR_EQ,	  [OP_NE] = OP_BR_NE,	    [OP_ULT] = OP_BR_ULT,
	[OP_ULE] = OP_BR_ULE,	  [OP_SLT32] = OP_BR_SLT32, [OP_SLT64] = OP_BR_SLT64,
	[OP_SLTN] = OP_BR_SLTN,	  [OP_SLE32] = OP_BR_SLE32, [OP_SLE64] = OP_BR_SLE64,
	[OP_SLEN] = OP_BR_SLEN,
};

static void translate_br(struct tr *t, LLVMValueRef i)
{
	LLVMBasicBlockRef here = LLVMGetInstructionParent(i);
	uint32_t number;
	if (!LLVMIsConditional(i)) {
		if (number_at(i, t->rounds_kind, &number))
			emit(t, OP_ROUNDS, 0, number, 0, 0);
		emit_edge(t, here, LLVMGetSuccessor(i, 0), true);
		return;
	}
	LLVMBasicBlockRef yes = LLVMGetSuccessor(i, 0), no = LLVMGetSuccessor(i, 1);
	LLVMValueRef compare;
	size_t at;
	if (number_at(i, t->round_kind, &number))
		emit(t, OP_ROUND, 0, number == 0, 0, 0);
	if (LLVMGetMetadata(i, t->silent_kind))
		emit(t, OP_SILENT, 0, 0, 0, 0);
	if (fused_compare(t, i, &compare)) {
		unsigned width = int_width(LLVMTypeOf(LLVMGetOperand(compare, 0)));
		bool swap;
		enum code_op op = compare_op(LLVMGetICmpPredicate(compare), width, &swap);
		reg a = value_reg(t, LLVMGetOperand(compare, swap));
		reg b = value_reg(t, LLVMGetOperand(compare, !swap));
		unsigned count = take_count(t, 255);
		at = emit(t, branch_form[op], count << 8 | width, 0, a, b);
	} else {
		reg c = value_reg(t, LLVMGetCondition(i));
		unsigned count = take_count(t, 255);
		at = emit(t, is_known(t, i) ? OP_GO : OP_BR, count << 8 | 1, 0, c, c);
	}
	if (!has_moves(t, here, yes)) {
		fix(t, at, at, block_number(t, yes), false);
		emit_edge(t, here, no, true);
		return;
	}
	emit_edge(t, here, no, false);
	t->out_insns.at[at].d = (uint32_t)(t->out_insns.n - at);
	emit_edge(t, here, yes, true);
}

struct switch_case {
	uint64_t value;
	uint32_t successor;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = ((const struct switch_case *)a)->value, y = ((const struct switch_case *)b)->value;
	return (x > y) - (x < y);
}

static void translate_switch(struct tr *t, LLVMValueRef i)
{
	LLVMBasicBlockRef here = LLVMGetInstructionParent(i);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	unsigned width = LLVMGetIntTypeWidth(type), ncases = LLVMGetNumSuccessors(i) - 1;
	if (width > 64)
		cannot(t, "a switch on i%u", width);
	struct switch_case *cases = xcalloc(ncases + 1, sizeof *cases);
	for (unsigned k = 0; k < ncases; k++) {
		/* Operands: condition, default, then value and target of each case. */
		cases[k].value = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2 + 2 * k));
		cases[k].successor = k + 1;
	}
	qsort(cases, ncases, sizeof *cases, by_value);
	reg c = value_reg(t, LLVMGetOperand(i, 0));
	unsigned count = take_count(t, 0xffff);
	uint32_t table = pool_word(t, ncases);
	size_t at = emit(t, is_known(t, i) ? OP_GO_SWITCH : OP_SWITCH, count, table, c, width);
	pool_word(t, 0);
	for (unsigned k = 0; k < ncases; k++) {
		pool_word(t, (uint32_t)cases[k].value);
		pool_word(t, (uint32_t)(cases[k].value >> 32));
		pool_word(t, 0);
		pool_word(t, cases[k].successor);
	}
	for (unsigned k = 0; k <= ncases; k++) {
		uint32_t successor = k < ncases ? cases[k].successor : 0;
		uint32_t word = k < ncases ? table + 2 + 4 * k + 2 : table + 1;
		LLVMBasicBlockRef to = LLVMGetSuccessor(i, successor);
		if (has_moves(t, here, to)) {
			t->out_pool.at[word] = (uint32_t)(t->out_insns.n - at);
			emit_edge(t, here, to, false);
		} else {
			fix(t, word, at, block_number(t, to), true);
		}
	}
	free(cases);
}

static void translate_ret(struct tr *t, LLVMValueRef i)
{
	LLVMValueRef v = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
	unsigned n = v ? slots_of(t, LLVMTypeOf(v)) : 0;
	if (n == 0) {
		emit(t, OP_RET0, take_count(t, 0xffff), 0, 0, 0);
	} else if (n == 1) {
		reg r = value_reg(t, v);
		emit(t, OP_RET1, take_count(t, 0xffff), 0, r, 0);
	} else {
		uint32_t list = pool_regs(t, value_regs(t, v), n);
		emit(t, OP_RET, take_count(t, 0xffff), 0, list, 0);
	}
}

static void translate_invoke(struct tr *t, LLVMValueRef i)
{
	LLVMBasicBlockRef here = LLVMGetInstructionParent(i);
	translate_allocates(t, i);
	translate_call(t, i);
	size_t call = t->out_insns.n - 1;
	const char *form = call >= t->fn.out->first_insn ? op_kinds[t->out_insns.at[call].op] : "---";
	bool is_call = !strcmp(form, "wfp") || form[2] == 'c';
	translate_allocated(t, i);
	emit_edge(t, here, LLVMGetNormalDest(i), false);
	LLVMBasicBlockRef pad = LLVMGetUnwindDest(i);
	if (!is_call) /* an intrinsic: nothing that could throw */
		return;
	*vec_push(&t->out_pads) = (struct code_pad){
		.insn = (uint32_t)call, .target = (uint32_t)t->out_insns.n, .clauses = 0};
	size_t entry = t->out_pads.n - 1;
	LLVMValueRef first = LLVMGetFirstInstruction(pad);
	while (first && LLVMIsAPHINode(first))
		first = LLVMGetNextInstruction(first);
	if (!first || !LLVMIsALandingPadInst(first))
		cannot(t, "exception handling that is not Itanium C++ style");
	uint32_t list = pool_word(t, LLVMIsCleanup(first) ? 1 : 0);
	pool_word(t, LLVMGetNumClauses(first));
	for (unsigned k = 0; k < LLVMGetNumClauses(first); k++) {
		LLVMValueRef clause = LLVMGetClause(first, k);
		bool filter = LLVMGetTypeKind(LLVMTypeOf(clause)) == LLVMArrayTypeKind;
		unsigned n = filter ? LLVMGetArrayLength(LLVMTypeOf(clause)) : 1;
		pool_word(t, filter ? CLAUSE_FILTER : CLAUSE_CATCH);
		pool_word(t, n);
		for (unsigned m = 0; m < n; m++) {
			LLVMValueRef type = filter ? LLVMGetAggregateElement(clause, m) : clause;
			uint32_t symbol;
			bool known = map_get(&t->symbols, type, &symbol);
			if (!known && !LLVMIsNull(type))
				cannot(t, "a catch clause that is no type");
			pool_word(t, known ? symbol + 1 : 0);
		}
	}
	t->out_pads.at[entry].clauses = list;
	emit_edge(t, here, pad, false);
}

void translate_terminator(struct tr *t, LLVMValueRef i)
{
	choices_at_end(t, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMRet:
		translate_ret(t, i);
		break;
	case LLVMBr:
		translate_br(t, i);
		break;
	case LLVMSwitch:
		translate_switch(t, i);
		break;
	case LLVMInvoke:
		translate_invoke(t, i);
		break;
	case LLVMUnreachable:
		emit(t, OP_UNREACHABLE, 0, 0, 0, 0);
		break;
	case LLVMResume:
		emit(t, OP_RESUME, 0, 0, value_regs(t, LLVMGetOperand(i, 0))[0], 0);
		break;
	default:
		cannot(t, "a terminator of an unknown kind");
	}
}
