/*
 * Numbers that are made of where a variable lies, and that nobody makes an address of again: hash tables take such a number for their seed, counters for their
 * shard. The program lies elsewhere in each run, and the twin's variables elsewhere in the twin. So each such number is asked for once, as an input, by a
 * constructor that comes before all others, and kept in a variable that is read wherever the program has the address: a load is all it costs.
 * Thread-local variables lie elsewhere for each thread: numbers made of their addresses are inputs each time.
 *
 * Which variables: nobody is given their address but as a number, and all that becomes of it, through functions and local variables too, goes into a
 * multiplication, a division, a rotation or a shift to the right. Where anybody has the address itself, the same number may be made of it elsewhere, so
 * there it stays what it is in the run at hand; so it does where it is compared, kept, or subtracted from another address.
 */
#include "instrument/shared.h"

enum { MOST_USES = 256, FIRST_PRIORITY = 0 };

/* ---- what becomes of a number ---- */

struct flow {
	struct map seen;
	unsigned uses;     /* that were looked at */
	bool with_address; /* another address was added: whether the sum is a number is to be seen */
	bool mixed;        /* it went into something that makes no address */
};

static bool follow(struct flow *f, LLVMValueRef number);

/* Functions of the machine or of LLVM that mix the bits of a number. */
static bool mixes_bits(LLVMValueRef function)
{
	static const char *const names[] = {"llvm.fshl.", "llvm.fshr.", "llvm.bswap.", "llvm.x86.sse42.crc32.", "llvm.umul.with.overflow."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name_begins(function, names[i]))
			return true;
	return false;
}

static bool follow_call(struct flow *f, LLVMValueRef call, LLVMValueRef number)
{
	LLVMValueRef callee = is_call(call) ? direct_callee(call) : NULL;
	if (callee && mixes_bits(callee)) {
		f->mixed = true;
		return true;
	}
	if (!callee || !is_instrumented(callee) || LLVMGetNumArgOperands(call) != LLVMCountParams(callee) || callee == number)
		return false;
	for (unsigned i = 0; i < LLVMCountParams(callee); i++)
		if (LLVMGetOperand(call, i) == number && !follow(f, LLVMGetParam(callee, i)))
			return false;
	return true;
}

/* To all who call the function, if nobody else can. */
static bool follow_result(struct flow *f, LLVMValueRef function)
{
	if (LLVMGetLinkage(function) != LLVMInternalLinkage && LLVMGetLinkage(function) != LLVMPrivateLinkage)
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (!is_call(call) || direct_callee(call) != function || !follow(f, call))
			return false;
	}
	return true;
}

/* A local variable that is only stored to and loaded from, as at -O0. */
static bool follow_local(struct flow *f, LLVMValueRef store, LLVMValueRef number)
{
	LLVMValueRef local = LLVMGetOperand(store, 1);
	if (LLVMGetOperand(store, 0) != number || !LLVMIsAAllocaInst(local))
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(local); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		bool is_store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == local;
		bool is_debug = is_call(user) && direct_callee(user) && name_begins(direct_callee(user), "llvm.");
		if (!is_store && !is_debug && !(LLVMIsALoadInst(user) && follow(f, user)))
			return false;
	}
	return true;
}

static LLVMValueRef other_operand(LLVMValueRef user, LLVMValueRef number)
{
	return LLVMGetOperand(user, 0) == number ? LLVMGetOperand(user, 1) : LLVMGetOperand(user, 0);
}

static bool follow_use(struct flow *f, LLVMValueRef user, LLVMValueRef number)
{
	if (!LLVMIsAInstruction(user) || ++f->uses > MOST_USES)
		return false;
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMMul:
	case LLVMURem:
		f->mixed = true;
		return true;
	case LLVMUDiv:
	case LLVMLShr:
		f->mixed = true;
		return !f->with_address && LLVMGetOperand(user, 0) == number;
	case LLVMSub:
		return LLVMIsAConstantInt(other_operand(user, number)) && follow(f, user);
	case LLVMAdd:
	case LLVMXor:
	case LLVMOr:
		f->with_address |= pointer_of_number(other_operand(user, number)) != NULL;
		return follow(f, user);
	case LLVMSelect:
		return LLVMGetOperand(user, 0) != number && follow(f, user);
	case LLVMZExt:
	case LLVMTrunc:
	case LLVMPHI:
	case LLVMFreeze:
		return follow(f, user);
	case LLVMStore:
		return follow_local(f, user, number);
	case LLVMRet:
		return follow_result(f, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
	default:
		return follow_call(f, user, number);
	}
}

static bool follow(struct flow *f, LLVMValueRef number)
{
	if (map_get(&f->seen, number))
		return true;
	map_set(&f->seen, number, 1);
	for (LLVMUseRef u = LLVMGetFirstUse(number); u; u = LLVMGetNextUse(u))
		if (!follow_use(f, LLVMGetUser(u), number))
			return false;
	return true;
}

static bool stays_number(LLVMValueRef user, LLVMValueRef number)
{
	struct flow f = {0};
	bool stays = follow_use(&f, user, number) && f.mixed;
	map_free(&f.seen);
	return stays;
}

/* ---- which variables ---- */

/* Instructions that have such a number among their operands; of a thread-local variable, those that make one. */
struct users {
	struct values numbers, own;
};

static bool is_word(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64;
}

/* Of a constant: all that use it, and the constants computed of it. */
static bool number_stays(struct users *u, LLVMValueRef number)
{
	if (!is_word(number))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAConstantExpr(user) ? !number_stays(u, user) : !stays_number(user, number))
			return false;
		if (!LLVMIsAConstantExpr(user))
			values_push(&u->numbers, user);
	}
	return true;
}

static bool own_number_stays(struct users *u, LLVMValueRef number)
{
	struct flow f = {0};
	bool stays = is_word(number) && follow(&f, number) && f.mixed;
	map_free(&f.seen);
	if (stays)
		values_push(&u->own, number);
	return stays;
}

static bool is_address_of_own(LLVMValueRef user)
{
	LLVMValueRef callee = is_call(user) ? direct_callee(user) : NULL;
	return callee && name_begins(callee, "llvm.threadlocal.address.");
}

/* Is the address, or one inside of the variable, only used to get at what is there, or as a number that stays one? */
static bool is_only_number(struct users *u, LLVMValueRef address)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool is_constant = LLVMIsAConstantExpr(user), ok = false;
		if (LLVMIsALoadInst(user))
			ok = LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind; /* its own address, maybe */
		else if (LLVMIsAStoreInst(user))
			ok = LLVMGetOperand(user, 0) != address;
		else if (LLVMIsAGlobalVariable(user))
			ok = user == address;
		else if (LLVMIsAGetElementPtrInst(user) || is_address_of_own(user) || (is_constant && LLVMGetConstOpcode(user) == LLVMGetElementPtr))
			ok = is_only_number(u, user);
		else if (pointer_of_number(user))
			ok = is_constant ? number_stays(u, user) : own_number_stays(u, user);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- what takes their place ---- */

struct seeds {
	LLVMModuleRef module;
	struct map numbers;     /* constants: their variable's number, from 1 on */
	struct values variables;
	LLVMBuilderRef asking;  /* in the constructor; NULL: there is none yet */
};

static LLVMBuilderRef begin_constructor(LLVMModuleRef m)
{
	LLVMContextRef c = LLVMGetModuleContext(m);
	LLVMValueRef f = LLVMAddFunction(m, "rethread.seeds", LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
	library_add_constructor(m, FIRST_PRIORITY, f);
	return b;
}

static LLVMValueRef input_of(LLVMModuleRef m, LLVMTypeRef *type)
{
	LLVMTypeRef word = int_type(m, 64);
	LLVMValueRef input = LLVMGetNamedFunction(m, "rethread_number");
	*type = LLVMFunctionType(word, &word, 1, false);
	return input ? input : LLVMAddFunction(m, "rethread_number", *type);
}

static LLVMValueRef variable_of(struct seeds *s, LLVMValueRef number)
{
	uint32_t n = map_get(&s->numbers, number);
	if (n)
		return s->variables.at[n - 1];
	LLVMTypeRef type = LLVMTypeOf(number), f_type;
	LLVMValueRef variable = LLVMAddGlobal(s->module, type, "rethread.seed");
	LLVMValueRef input = input_of(s->module, &f_type);
	LLVMSetLinkage(variable, LLVMInternalLinkage);
	LLVMSetInitializer(variable, LLVMConstNull(type));
	if (!s->asking)
		s->asking = begin_constructor(s->module);
	LLVMValueRef recorded = LLVMBuildCall2(s->asking, f_type, input, &number, 1, "");
	LLVMBuildStore(s->asking, recorded, variable);
	values_push(&s->variables, variable);
	map_set(&s->numbers, number, (uint32_t)s->variables.n);
	return variable;
}

/* What comes from a block is loaded there. */
static LLVMValueRef place_of_load(LLVMValueRef user, unsigned operand)
{
	return LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, operand)) : user;
}

/* A constant expression of the variable's address, or that of something in it. */
static bool is_made_of(LLVMValueRef v, LLVMValueRef variable)
{
	if (v == variable)
		return true;
	for (unsigned i = 0; LLVMIsAConstantExpr(v) && i < (unsigned)LLVMGetNumOperands(v); i++)
		if (is_made_of(LLVMGetOperand(v, i), variable))
			return true;
	return false;
}

static void turn_operands(struct seeds *s, LLVMValueRef user, LLVMValueRef variable)
{
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++) {
		LLVMValueRef number = LLVMGetOperand(user, i);
		if (!LLVMIsAConstantExpr(number) || !is_word(number) || !is_made_of(number, variable))
			continue;
		LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(s->module));
		build_before(b, place_of_load(user, i));
		LLVMSetOperand(user, i, LLVMBuildLoad2(b, LLVMTypeOf(number), variable_of(s, number), ""));
		LLVMDisposeBuilder(b);
	}
}

static void turn_own(struct seeds *s, LLVMValueRef number)
{
	LLVMTypeRef f_type;
	LLVMValueRef input = input_of(s->module, &f_type), nothing = LLVMConstNull(LLVMTypeOf(number));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(s->module));
	build_before(b, LLVMGetNextInstruction(number));
	LLVMValueRef recorded = LLVMBuildCall2(b, f_type, input, &nothing, 1, "");
	LLVMReplaceAllUsesWith(number, recorded);
	LLVMSetOperand(recorded, 0, number);
	LLVMDisposeBuilder(b);
}

static void turn_variable(struct seeds *s, LLVMValueRef variable)
{
	struct users u = {0};
	bool turns = LLVMGetLinkage(variable) == LLVMInternalLinkage && is_only_number(&u, variable);
	for (size_t i = 0; turns && i < u.numbers.n; i++)
		turn_operands(s, u.numbers.at[i], variable);
	for (size_t i = 0; turns && i < u.own.n; i++)
		turn_own(s, u.own.at[i]);
	values_free(&u.numbers);
	values_free(&u.own);
}

void seeds_turn(LLVMModuleRef m)
{
	struct seeds s = {.module = m};
	struct values variables = {0};
	for (LLVMValueRef v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v))
		values_push(&variables, v);
	for (size_t i = 0; i < variables.n; i++)
		turn_variable(&s, variables.at[i]);
	if (s.asking) {
		LLVMBuildRetVoid(s.asking);
		LLVMDisposeBuilder(s.asking);
	}
	values_free(&variables);
	values_free(&s.variables);
	map_free(&s.numbers);
}
