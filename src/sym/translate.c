/*
 * The translator's driver: module, functions, blocks, edges. See code.h for what comes out.
 */
#include "sym/translate.h"
#include "sym/translate_internal.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void cannot(struct tr *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(t->text, sizeof t->text, format, ap);
	va_end(ap);
	longjmp(t->failed, 1);
}

/* ------------------------------------------------------------------ emitting */

const char *const op_kinds[OP_COUNT_] = {
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

bool is_recorded_value(struct tr *t, LLVMValueRef i)
{
	return LLVMGetMetadata(i, t->value_kind) != NULL;
}

bool is_value_kind(struct tr *t, LLVMValueRef i, const char *kind)
{
	LLVMValueRef mark = LLVMGetMetadata(i, t->value_kind), operand;
	unsigned length;
	if (!mark || !LLVMGetMDNodeNumOperands(mark))
		return false;
	LLVMGetMDNodeOperands(mark, &operand);
	const char *is = LLVMGetMDString(operand, &length);
	return is && !strcmp(is, kind);
}

/* Does the access read or write a floating point number? */
static bool is_of_float(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind;
}

bool number_at(LLVMValueRef i, unsigned kind, uint32_t *number)
{
	LLVMValueRef md = LLVMGetMetadata(i, kind), value;
	if (!md || LLVMGetMDNodeNumOperands(md) != 1)
		return false;
	LLVMGetMDNodeOperands(md, &value);
	if (!value || !LLVMIsAConstantInt(value))
		return false;
	*number = (uint32_t)LLVMConstIntGetZExtValue(value);
	return true;
}

static bool is_atomic(LLVMValueRef i)
{
	bool plain = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
	return plain ? LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic : LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

uint32_t site_of(struct tr *t, LLVMValueRef i)
{
	uint32_t site;
	if (!number_at(i, t->site_kind, &site))
		return 0;
	while (t->out_sites.n <= site)
		*vec_push(&t->out_sites) = 0;
	t->out_sites.at[site] = t->fn.position | (is_of_float(i) ? CODE_SITE_FLOAT : 0) | (LLVMIsAStoreInst(i) ? CODE_SITE_STORE : 0) |
				(is_atomic(i) ? CODE_SITE_ATOMIC : 0) | (LLVMGetMetadata(i, t->handed_kind) ? CODE_SITE_HANDED : 0);
	return site;
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
	    fused_compare(t, LLVMGetUser(use), &compare))
		return;
	if (op == LLVMPHI || (is_folded(t, i) && op != LLVMAlloca))
		return;
	if (LLVMIsATerminatorInst(i))
		translate_terminator(t, i);
	else if (op == LLVMCall)
		translate_allocates(t, i), translate_call(t, i), translate_allocated(t, i), choices_behind_call(t, i);
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
	uint32_t line = 0;
	choices_at_block(t, number);
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		if (is_debug(i))
			continue;
		t->fn.count++;
		t->fn.position = position_of(t, i);
		uint32_t at = t->with_lines && !LLVMIsAPHINode(i) ? line_of(t, t->fn.position) : 0;
		if (at && at != line)
			emit(t, OP_LINE, 0, line = at, 0, 0);
		if (t->with_numbers)
			translate_number(t, i);
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
		const char *k = op_kinds[n->op];
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
	release_choices(t);
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
	plan_choices(t);
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
	size_t n;
	return !LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
	       strncmp(LLVMGetValueName2(f, &n), RT_MACHINE_PREFIX, strlen(RT_MACHINE_PREFIX));
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
	map_release(&t->lines);
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

struct variable {
	LLVMValueRef function, alloca, count;
	LLVMTypeRef type;
	unsigned align;
};
typedef vec(struct variable) variable_list;

static variable_list variables_of(LLVMModuleRef module)
{
	variable_list all = { 0 };
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(f);
		for (LLVMValueRef i = entry ? LLVMGetFirstInstruction(entry) : NULL; i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i))
				*vec_push(&all) = (struct variable){ f, i, LLVMGetOperand(i, 0), LLVMGetAllocatedType(i), LLVMGetAlignment(i) };
	}
	return all;
}

/*
 * The variables that are left lie where they did: what is found of them is asked for by address, of runs of code in which none was promoted. So the room of those that
 * are gone stays.
 */
static void keep_room(LLVMModuleRef module, const variable_list *before)
{
	variable_list left = variables_of(module);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (size_t i = 0, k = 0; i < before->n; i++) {
		const struct variable *v = &before->at[i];
		bool any = k < left.n && left.at[k].function == v->function;
		if (any && left.at[k].alloca == v->alloca) {
			k++;
			continue;
		}
		LLVMPositionBuilderBefore(b, any ? left.at[k].alloca : LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(v->function)));
		LLVMSetAlignment(LLVMBuildArrayAlloca(b, v->type, v->count, ""), v->align);
	}
	LLVMDisposeBuilder(b);
	vec_free(&left);
}

/* What chose a value is seen of values, not of variables in memory, as all are that were compiled without optimisation. */
static void promote_variables(LLVMModuleRef module)
{
	unsigned optnone = attribute("optnone");
	variable_list before = variables_of(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, optnone);
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMConsumeError(LLVMRunPasses(module, "function(mem2reg)", NULL, options));
	LLVMDisposePassBuilderOptions(options);
	keep_room(module, &before);
	vec_free(&before);
}

/* What the code has besides. */
enum with { WITH_NOTHING, WITH_LINES, WITH_NUMBERS, WITH_CHOICES };

static bool translate_module(const void *bitcode, size_t size, enum with with, const char *code_file, struct error *err)
{
	struct tr *t = xcalloc(1, sizeof *t);
	t->with_lines = with == WITH_LINES;
	t->with_numbers = with == WITH_NUMBERS;
	t->with_choices = with == WITH_CHOICES;
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
	if (t->with_choices)
		promote_variables(t->module);
	t->layout = LLVMGetModuleDataLayout(t->module);
	t->site_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.site", 13);
	t->handed_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.handed", 15);
	t->value_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.value", 14);
	t->often_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.often", 14);
	t->local_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.local", 14);
	t->known_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.known", 14);
	t->silent_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.silent", 15);
	t->rounds_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.rounds", 15);
	t->round_kind = LLVMGetMDKindIDInContext(t->ctx, "rethread.round", 14);
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

bool translate(const void *bitcode, size_t size, const char *code_file, struct error *err)
{
	return translate_module(bitcode, size, WITH_NOTHING, code_file, err);
}

bool translate_with_lines(const void *bitcode, size_t size, const char *code_file, struct error *err)
{
	return translate_module(bitcode, size, WITH_LINES, code_file, err);
}

bool translate_with_numbers(const void *bitcode, size_t size, const char *code_file, struct error *err)
{
	return translate_module(bitcode, size, WITH_NUMBERS, code_file, err);
}

bool translate_with_choices(const void *bitcode, size_t size, const char *code_file, struct error *err)
{
	return translate_module(bitcode, size, WITH_CHOICES, code_file, err);
}
