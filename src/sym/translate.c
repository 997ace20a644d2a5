/*
 * The translator's driver: module, functions, blocks, edges. See code.h for what comes out.
 */
#include "sym/translate.h"
#include "sym/translate_internal.h"

#include <llvm-c/BitReader.h>
#include <stdlib.h>
#include <string.h>

#include <rethread/instrument.h>

_Noreturn void cannot(struct tr *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(t->text, sizeof t->text, format, ap);
	va_end(ap);
	longjmp(t->failed, 1);
}

/* ------------------------------------------------------------------ emitting */

static const char *const kinds[OP_COUNT_] = {
#define X(name, k) k,
	CODE_OPS(X)
#undef X
};

size_t emit(struct tr *t, enum code_op op, unsigned w, uint32_t d, uint32_t a, uint32_t b)
{
	*vec_push(&t->out_insns) = (struct insn){
		.op = (uint16_t)op, .w = (uint16_t)w, .d = d, .a = a, .b = b};
	*vec_push(&t->out_where) = t->fn.position;
	return t->out_insns.n - 1;
}

uint32_t pool_word(struct tr *t, uint32_t word)
{
	*vec_push(&t->out_pool) = word;
	return (uint32_t)t->out_pool.n - 1;
}

uint32_t pool_reg(struct tr *t, reg r)
{
	*vec_push(&t->fn.pool_regs) = (uint32_t)t->out_pool.n;
	return pool_word(t, r);
}

uint32_t pool_regs(struct tr *t, const reg *regs, size_t n)
{
	uint32_t at = pool_word(t, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		pool_reg(t, regs[i]);
	return at;
}

uint32_t site_of(struct tr *t, LLVMValueRef i)
{
	LLVMValueRef md = LLVMGetMetadata(i, t->site_kind), number;
	if (!md || LLVMGetMDNodeNumOperands(md) < 1)
		return 0;
	LLVMGetMDNodeOperands(md, &number);
	if (!number || !LLVMIsAConstantInt(number))
		return 0;
	uint32_t site = (uint32_t)LLVMConstIntGetZExtValue(number);
	while (t->out_sites.n <= site)
		*vec_push(&t->out_sites) = 0;
	t->out_sites.at[site] = t->fn.position;
	return site;
}

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
	emit_moves(t, &m);
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
	bool any = m.n > 0;
	vec_free(&m);
	return any;
}

/* The icmp whose only use is this branch, right in its block; it becomes part of the branch. */
static bool fused_compare(LLVMValueRef br, LLVMValueRef *compare)
{
	LLVMValueRef c = LLVMIsConditional(br) ? LLVMGetCondition(br) : br;
	if (!LLVMIsAICmpInst(c) || LLVMGetInstructionParent(c) != LLVMGetInstructionParent(br))
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
	if (!LLVMIsConditional(i)) {
		emit_edge(t, here, LLVMGetSuccessor(i, 0), true);
		return;
	}
	LLVMBasicBlockRef yes = LLVMGetSuccessor(i, 0), no = LLVMGetSuccessor(i, 1);
	LLVMValueRef compare;
	size_t at;
	if (fused_compare(i, &compare)) {
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
		at = emit(t, OP_BR, count << 8 | 1, 0, c, c);
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
	size_t at = emit(t, OP_SWITCH, count, table, c, width);
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
	translate_call(t, i);
	size_t call = t->out_insns.n - 1;
	const char *form = call >= t->fn.out->first_insn ? kinds[t->out_insns.at[call].op] : "---";
	bool is_call = !strcmp(form, "wfp") || form[2] == 'c';
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
	case LLVMIndirectBr:
		cannot(t, "a computed goto (indirectbr)");
	default:
		cannot(t, "a terminator of an unknown kind");
	}
}

/* ------------------------------------------------------------------ functions */

/* Blocks in reverse postorder: a definition comes before its uses, the false successor soon. */
static void order_blocks(struct tr *t)
{
	unsigned n = LLVMCountBasicBlocks(t->fn.function);
	LLVMBasicBlockRef *post = xcalloc(n, sizeof *post), *stack = xcalloc(n, sizeof *stack);
	unsigned *next = xcalloc(n, sizeof *next);
	unsigned npost = 0, depth = 0;
	stack[depth++] = LLVMGetEntryBasicBlock(t->fn.function);
	map_put(&t->fn.block_number, stack[0], 0);
	while (depth) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(stack[depth - 1]);
		if (next[depth - 1] == LLVMGetNumSuccessors(end)) {
			post[npost++] = stack[--depth];
			continue;
		}
		LLVMBasicBlockRef to = LLVMGetSuccessor(end, next[depth - 1]++);
		uint32_t seen;
		if (map_get(&t->fn.block_number, to, &seen))
			continue;
		map_put(&t->fn.block_number, to, 0);
		next[depth] = 0;
		stack[depth++] = to;
	}
	free(stack);
	free(next);
	for (unsigned i = 0; i < npost / 2; i++) {
		LLVMBasicBlockRef swap = post[i];
		post[i] = post[npost - 1 - i];
		post[npost - 1 - i] = swap;
	}
	for (unsigned i = 0; i < npost; i++)
		map_put(&t->fn.block_number, post[i], i);
	t->fn.blocks = post;
	t->fn.nblocks = npost;
	t->fn.block_at = xcalloc(npost, sizeof *t->fn.block_at);
}

/* Values only their own block uses: users come later in the block, so one backward scan is enough. */
static void find_locals(struct tr *t, LLVMBasicBlockRef b)
{
	for (LLVMValueRef i = LLVMGetLastInstruction(b); i; i = LLVMGetPreviousInstruction(i)) {
		bool local = !LLVMIsAPHINode(i);
		for (LLVMUseRef u = LLVMGetFirstUse(i); u && local; u = LLVMGetNextUse(u)) {
			LLVMValueRef user = LLVMGetUser(u);
			uint32_t yes;
			if (!LLVMIsAInstruction(user) || LLVMGetInstructionParent(user) != b ||
			    LLVMIsAPHINode(user))
				local = false;
			else if (is_renaming(t, user) && !map_get(&t->fn.locals, user, &yes))
				local = false;
		}
		if (local)
			map_put(&t->fn.locals, i, 1);
	}
}

static void translate_instruction(struct tr *t, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	LLVMValueRef compare;
	LLVMUseRef use = LLVMGetFirstUse(i);
	if (op == LLVMICmp && use && LLVMIsABranchInst(LLVMGetUser(use)) &&
	    fused_compare(LLVMGetUser(use), &compare))
		return;
	if (op == LLVMPHI || is_folded(t, i))
		return;
	if (LLVMIsATerminatorInst(i))
		translate_terminator(t, i);
	else if (op == LLVMCall)
		translate_call(t, i);
	else if (op == LLVMLandingPad)
		translate_landingpad(t, i);
	else if (op == LLVMGetElementPtr)
		translate_gep(t, i);
	else if (is_memory(op))
		translate_memory(t, i);
	else if (is_simple(op))
		translate_simple(t, i);
	else
		cannot(t, "an instruction of an unknown kind");
}

/* What cannot be done becomes an instruction that says so when it is reached. */
static void translate_or_refuse(struct tr *t, LLVMValueRef i)
{
	jmp_buf outer;
	memcpy(&outer, &t->failed, sizeof outer);
	if (!setjmp(t->failed)) {
		translate_instruction(t, i);
		memcpy(&t->failed, &outer, sizeof outer);
		return;
	}
	memcpy(&t->failed, &outer, sizeof outer);
	emit(t, OP_UNSUPPORTED, 0, add_string(t, t->text, strlen(t->text)), 0, 0);
	uint32_t known;
	if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind && !map_get(&t->fn.value_index, i, &known))
		define(t, i);
}

static bool is_debug(LLVMValueRef i)
{
	if (!LLVMIsACallInst(i))
		return false;
	LLVMValueRef f = LLVMGetCalledValue(i);
	size_t n;
	return f && LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &n), "llvm.dbg.", 9);
}

static void translate_block(struct tr *t, uint32_t number)
{
	LLVMBasicBlockRef b = t->fn.blocks[number];
	t->fn.block = number;
	t->fn.block_at[number] = (uint32_t)t->out_insns.n;
	t->fn.nlocal = 0;
	t->fn.count = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		if (is_debug(i))
			continue;
		t->fn.count++;
		t->fn.position = position_of(t, i);
		translate_or_refuse(t, i);
	}
}

static uint32_t final_reg(const struct tr *t, reg r)
{
	const struct code_function *f = t->fn.out;
	uint32_t n = REG_NUMBER(r);
	switch (REG_PART(r)) {
	case PART_PARAM:
		return n;
	case PART_CONST:
		return f->nparams + n;
	case PART_GLOBAL:
		return f->nparams + f->nconsts + n;
	default:
		return f->nparams + f->nconsts + t->fn.nglobal + n;
	}
}

static void fn_finish(struct tr *t)
{
	struct code_function *f = t->fn.out;
	for (size_t i = 0; i < t->fn.fixes.n; i++) {
		struct edge_fix *x = &t->fn.fixes.at[i];
		uint32_t jump = t->fn.block_at[x->block] - x->base;
		if (x->in_pool)
			t->out_pool.at[x->at] = jump;
		else
			t->out_insns.at[x->at].d = jump;
	}
	f->ninsns = (uint32_t)t->out_insns.n - f->first_insn;
	f->nconsts = (uint32_t)t->out_consts.n - f->first_const;
	f->npads = (uint32_t)t->out_pads.n - f->first_pad;
	/* One more, so that the result of a void call has a number, too. */
	f->nregs = f->nparams + f->nconsts + t->fn.nglobal + t->fn.maxlocal + 1;
	f->memory = t->fn.memory;
	f->align = t->fn.align;
	for (size_t i = f->first_insn; i < t->out_insns.n; i++) {
		struct insn *n = &t->out_insns.at[i];
		const char *k = kinds[n->op];
		if (k[0] == 'w' || k[0] == 'r')
			n->d = final_reg(t, n->d);
		if (k[1] == 'r')
			n->a = final_reg(t, n->a);
		if (k[2] == 'r')
			n->b = final_reg(t, n->b);
	}
	for (size_t i = 0; i < t->fn.pool_regs.n; i++) {
		uint32_t *word = &t->out_pool.at[t->fn.pool_regs.at[i]];
		if (*word != NO_REG)
			*word = final_reg(t, *word);
	}
	for (size_t i = f->first_pad; i < t->out_pads.n; i++) {
		t->out_pads.at[i].insn -= f->first_insn;
		t->out_pads.at[i].target -= f->first_insn;
	}
}

static void fn_reset(struct tr *t)
{
	free(t->fn.blocks);
	free(t->fn.block_at);
	map_release(&t->fn.block_number);
	map_release(&t->fn.value_index);
	map_release(&t->fn.locals);
	map_release(&t->fn.allocas);
	map_release(&t->fn.folded);
	map_release(&t->fn.consts);
	for (size_t i = 0; i < t->fn.chunks.n; i++)
		free(t->fn.chunks.at[i]);
	vec_free(&t->fn.chunks);
	vec_free(&t->fn.lists);
	vec_free(&t->fn.pool_regs);
	vec_free(&t->fn.fixes);
	memset(&t->fn, 0, sizeof t->fn);
}

static bool has_feature(LLVMValueRef f, const char *feature)
{
	LLVMAttributeRef a =
		LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-features", 15);
	if (!a)
		return false;
	unsigned n;
	const char *s = LLVMGetStringAttributeValue(a, &n);
	size_t k = strlen(feature);
	for (const char *p = s; p + k <= s + n; p++)
		if (!strncmp(p, feature, k) && (p + k == s + n || p[k] == ','))
			return true;
	return false;
}

static void translate_body(struct tr *t)
{
	LLVMValueRef f = t->fn.function;
	uint32_t slot = 0;
	for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p)) {
		unsigned n = slots_of(t, LLVMTypeOf(p));
		reg *regs = new_list(t, n);
		for (unsigned k = 0; k < n; k++)
			regs[k] = REG(PART_PARAM, slot++);
		define_as(t, p, regs);
	}
	t->fn.out->nparams = slot;
	t->fn.out->nresults = slots_of(t, LLVMGetReturnType(LLVMGlobalGetValueType(f)));
	t->fn.align = 16;
	t->fn.has_fma = has_feature(f, "+fma");
	order_blocks(t);
	plan_allocas(t);
	for (uint32_t b = 0; b < t->fn.nblocks; b++)
		find_locals(t, t->fn.blocks[b]);
	for (uint32_t b = 0; b < t->fn.nblocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(t->fn.blocks[b]); i && LLVMIsAPHINode(i);
		     i = LLVMGetNextInstruction(i))
			define(t, i);
	for (uint32_t b = 0; b < t->fn.nblocks; b++)
		translate_block(t, b);
	fn_finish(t);
}

static void translate_function(struct tr *t, LLVMValueRef f, uint32_t index)
{
	size_t insns = t->out_insns.n, consts = t->out_consts.n, pads = t->out_pads.n;
	fn_reset(t);
	t->fn.function = f;
	struct code_function *out = t->fn.out = &t->out_functions.at[index];
	out->first_insn = (uint32_t)insns;
	out->first_const = (uint32_t)consts;
	out->first_pad = (uint32_t)pads;
	out->align = 16;
	t->fn.position = out->position = function_position(t, f);
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
		out->flags |= FUNCTION_VARIADIC;
	if (!setjmp(t->failed)) {
		translate_body(t);
		return;
	}
	t->out_insns.n = t->out_where.n = insns;
	t->out_consts.n = consts;
	t->out_pads.n = pads;
	out->ninsns = out->nconsts = out->npads = out->nregs = 0;
	out->reason = add_string(t, t->text, strlen(t->text));
}

/* ------------------------------------------------------------------ the module */

static void add_symbol(struct tr *t, LLVMValueRef g, enum code_symbol_kind kind)
{
	size_t n;
	const char *name = LLVMGetValueName2(g, &n);
	map_put(&t->symbols, g, (uint32_t)t->out_symbols.n);
	*vec_push(&t->out_symbols) =
		(struct code_symbol){.name = add_string(t, name, n), .kind = (uint32_t)kind};
}

static bool is_definition(LLVMValueRef f)
{
	return !LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage;
}

/* In the order of instrument.h. */
static void number_symbols(struct tr *t)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g; g = LLVMGetNextGlobal(g))
		add_symbol(t, g, LLVMIsThreadLocal(g) ? SYMBOL_TLS : SYMBOL_DATA);
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
		add_symbol(t, f, LLVMGetIntrinsicID(f) ? SYMBOL_INTRINSIC : SYMBOL_FUNCTION);
		if (!is_definition(f))
			continue;
		struct code_symbol *s = &t->out_symbols.at[t->out_symbols.n - 1];
		map_put(&t->functions, f, (uint32_t)t->out_functions.n);
		*vec_push(&t->out_functions) = (struct code_function){
			.symbol = (uint32_t)t->out_symbols.n - 1, .name = s->name};
		s->function = (uint32_t)t->out_functions.n;
	}
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(t->module); a; a = LLVMGetNextGlobalAlias(a)) {
		add_symbol(t, a, LLVMIsThreadLocal(a) ? SYMBOL_TLS : SYMBOL_DATA);
		LLVMValueRef to = LLVMAliasGetAliasee(a);
		uint32_t n;
		if (map_get(&t->symbols, to, &n)) {
			struct code_symbol *s = &t->out_symbols.at[t->out_symbols.n - 1];
			s->function = t->out_symbols.at[n].function;
			s->kind = t->out_symbols.at[n].kind;
			s->alias = n + 1;
		}
	}
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(t->module); i; i = LLVMGetNextGlobalIFunc(i))
		add_symbol(t, i, SYMBOL_FUNCTION);
}

static void append(void *buffer, size_t *at, const void *data, size_t size)
{
	if (size)
		memcpy((char *)buffer + *at, data, size);
	*at += (size + 7) & ~(size_t)7;
}

static bool write_code(struct tr *t, const char *file, struct error *err)
{
	struct code_header h = {
		.magic = CODE_MAGIC, .version = CODE_VERSION, .nops = OP_COUNT_ << 16 | HELP_COUNT_};
	size_t size = sizeof h, at = 0;
#define X(name, type)                  \
	h.n##name = t->out_##name.n;   \
	size += (t->out_##name.n * sizeof(type) + 7) & ~(size_t)7;
	CODE_SECTIONS(X)
#undef X
	char *buffer = xcalloc(1, size);
	append(buffer, &at, &h, sizeof h);
#define X(name, type) append(buffer, &at, t->out_##name.at, t->out_##name.n * sizeof(type));
	CODE_SECTIONS(X)
#undef X
	bool ok = write_file(file, buffer, size, err);
	free(buffer);
	return ok;
}

static void tr_release(struct tr *t)
{
	fn_reset(t);
	map_release(&t->symbols);
	map_release(&t->functions);
	map_release(&t->strings);
	map_release(&t->locations);
#define X(name, type) vec_free(&t->out_##name);
	CODE_SECTIONS(X)
#undef X
	if (t->module)
		LLVMDisposeModule(t->module);
	LLVMContextDispose(t->ctx);
	free(t);
}

static unsigned attribute(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

bool translate(const void *bitcode, size_t size, const char *code_file, struct error *err)
{
	struct tr *t = xcalloc(1, sizeof *t);
	t->ctx = LLVMContextCreate();
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "bitcode");
	bool bad = LLVMParseBitcodeInContext2(t->ctx, buffer, &t->module);
	LLVMDisposeMemoryBuffer(buffer);
	if (bad) {
		t->module = NULL;
		tr_release(t);
		return fail(err, "the bitcode cannot be read; was the program linked by `rethread cc`?");
	}
	t->layout = LLVMGetModuleDataLayout(t->module);
	t->site_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.site", 13);
	t->attr_byval = attribute("byval");
	t->attr_signext = attribute("signext");
	t->attr_sret = attribute("sret");
	add_string(t, "", 0);
	*vec_push(&t->out_positions) = (struct code_position){.file = add_string(t, "?", 1),
							      .function = add_string(t, "?", 1)};
	number_symbols(t);
	uint32_t index = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
		if (map_get(&t->functions, f, &index))
			translate_function(t, f, index);
	bool ok = write_code(t, code_file, err);
	tr_release(t);
	return ok;
}
