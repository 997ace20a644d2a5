/*
 * The recorded program: every conditional br and switch appends its outcome to the thread's tray
 * (include/rethread/instrument.h).
 *
 * A branch stores constants on each edge, but for one that is silent (silent.c): a comparison and its jump stay one operation of the processor. In the twin a br stores its
 * condition before it branches, which makes no blocks that the code generator would have to place. The pointer into the tray is kept in a register: it is loaded on entry
 * and after everything that may have appended, which is calls, landing pads, the slow path. This is written with a local variable, which is
 * then promoted. room.c decides where the pointer is advanced and saved, and where to ask whether the tray is full.
 */
#include "instrument/addresses.h"
#include "instrument/exact.h"
#include "instrument/given.h"
#include "instrument/keeping.h"
#include "instrument/room.h"
#include "instrument/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block that appends at its end: the condition of its br, `bits` bits of `number` on an edge out of a switch, or a byte: an anchor's, a count of rounds. */
struct append {
	LLVMValueRef end;
	uint32_t number;
	uint32_t bits;
	LLVMValueRef byte; /* 32 or 64 bits; NULL: none */
};

struct recorder {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef path, end; /* __rethread_path, __rethread_path_end */
	LLVMValueRef anchor, byte; /* the functions of anchors; NULL: there is none */
	LLVMValueRef pointer;   /* local variable */
	bool on_edges;          /* a br appends after it has branched */
	unsigned silent_kind;   /* of PASS_SILENT_METADATA */
	struct append *appends; /* of the function at hand */
	size_t nappends, appends_cap;
	struct room_plan plan;
};

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static LLVMValueRef pointer_in_hand(struct recorder *r, int offset)
{
	LLVMBuilderRef b = r->builder;
	LLVMValueRef pointer = LLVMBuildLoad2(b, pointer_type(r->module), r->pointer, "");
	LLVMValueRef by = LLVMConstInt(int_type(r->module, 64), (uint64_t)(int64_t)offset, true);
	return offset ? LLVMBuildGEP2(b, int_type(r->module, 8), pointer, &by, 1, "") : pointer;
}

/* From memory, at the builder's position. */
static void reload(struct recorder *r)
{
	LLVMBuildStore(r->builder, LLVMBuildLoad2(r->builder, pointer_type(r->module), r->path, ""), r->pointer);
}

static void save(struct recorder *r, int offset)
{
	LLVMBuildStore(r->builder, pointer_in_hand(r, offset), r->path);
}

static void advance(struct recorder *r, int by)
{
	LLVMBuildStore(r->builder, pointer_in_hand(r, by), r->pointer);
}

/*
 * if (pointer >= __rethread_path_end) slow_path(); which is __rethread_path_full, or, where it is not at the branch whose bits come next,
 * __rethread_path_room.
 */
static void ask(struct recorder *r, LLVMValueRef at, const char *slow_path)
{
	LLVMBuilderRef b = r->builder;
	build_before(b, at);
	LLVMValueRef end = LLVMBuildLoad2(b, pointer_type(r->module), r->end, "");
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntUGE, pointer_in_hand(r, 0), end, "");
	build_before(b, llvm_unlikely_if(full, at));
	save(r, 0);
	call_keeping(b, function_of(at), slow_path);
	reload(r);
}

/* Volatile: it stays behind what may fail before it, and before what comes after it. */
static void append_byte(struct recorder *r, LLVMValueRef byte, LLVMValueRef at)
{
	LLVMSetVolatile(LLVMBuildStore(r->builder, byte, at), true);
}

static void append_condition(struct recorder *r, LLVMValueRef br, int offset)
{
	LLVMValueRef at = pointer_in_hand(r, offset);
	if (!r->on_edges || LLVMGetSuccessor(br, 0) == LLVMGetSuccessor(br, 1)) {
		append_byte(r, LLVMBuildZExt(r->builder, LLVMGetCondition(br), int_type(r->module, 8), ""), at);
		return;
	}
	for (unsigned way = LLVMGetMetadata(br, r->silent_kind) != NULL; way < 2; way++) {
		build_before(r->builder, llvm_split_edge(br, way));
		append_byte(r, int_value(r->module, 8, way == 0), at);
	}
}

/* Bytes of up to 8 bits, the most significant first, and RT_TRAY_NONE behind them. */
static uint64_t bytes_of(uint32_t bits, unsigned n)
{
	uint64_t bytes = UINT64_MAX;
	for (unsigned i = 0; i < n; i++)
		bytes = bytes << 8 | (bits >> i & 1);
	return bytes;
}

static void append_bytes(struct recorder *r, LLVMValueRef bytes, int offset)
{
	LLVMValueRef store = LLVMBuildStore(r->builder, bytes, pointer_in_hand(r, offset));
	LLVMSetAlignment(store, 1);
	LLVMSetVolatile(store, true);
}

static void append_number(struct recorder *r, const struct append *a, int offset)
{
	for (unsigned left = a->bits, n; left; left -= n, offset += 8) {
		n = left < 8 ? left : 8;
		append_bytes(r, int_value(r->module, 64, bytes_of(a->number >> (left - n), n)), offset);
	}
}

/*
 * What bytes_of makes of eight bits, four at a time: as many copies, each nine bits further than the one before, so that the bits in question end
 * bytes. Eight at a time would take constants that do not fit into instructions, and so registers, also in the loops around.
 */
static void append_byte_of_bits(struct recorder *r, LLVMValueRef byte, int offset)
{
	LLVMBuilderRef b = r->builder;
	LLVMModuleRef m = r->module;
	LLVMValueRef bits = LLVMBuildIntCast2(b, byte, int_type(m, 32), false, "");
	LLVMValueRef half[] = {LLVMBuildLShr(b, bits, int_value(m, 32, 4), ""), LLVMBuildAnd(b, bits, int_value(m, 32, 15), "")};
	for (int i = 0; i < 2; i++) {
		LLVMValueRef copies = LLVMBuildMul(b, half[i], int_value(m, 32, 0x08040201), "");
		LLVMValueRef ends = LLVMBuildLShr(b, copies, int_value(m, 32, 3), "");
		append_bytes(r, LLVMBuildAnd(b, ends, int_value(m, 32, 0x01010101), ""), offset + 4 * i);
	}
}

/* ---------------------------------------------------------------- edges ----------------------- */

/* A default that no value reaches; a log entry would keep its block alive. */
static bool is_unreachable(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return LLVMGetInstructionOpcode(first) == LLVMUnreachable;
}

static void add_append(struct recorder *r, struct append a)
{
	if (r->nappends == r->appends_cap)
		r->appends = pass_grow(r->appends, &r->appends_cap, sizeof *r->appends);
	r->appends[r->nappends++] = a;
}

static void add_appends(struct recorder *r, LLVMValueRef branch)
{
	if (LLVMGetInstructionOpcode(branch) == LLVMBr) {
		add_append(r, (struct append){.end = branch, .bits = 1});
		return;
	}
	unsigned n = LLVMGetNumSuccessors(branch);
	unsigned bits = rt_switch_bits(n);
	for (unsigned i = 0; bits && i < n; i++)
		if (!is_unreachable(LLVMGetSuccessor(branch, i)))
			add_append(r, (struct append){.end = llvm_split_edge(branch, i), .number = i, .bits = bits});
}

/* Calls of the function of bytes append in line what its switch would. */
static void add_anchors(struct recorder *r, LLVMValueRef f)
{
	struct values calls = {0};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); r->byte && b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_call(i) && direct_callee(i) == r->byte)
				values_push(&calls, i);
	for (size_t i = 0; i < calls.n; i++) {
		LLVMValueRef call = calls.at[i], byte = LLVMGetOperand(call, 0);
		add_append(r, (struct append){.end = llvm_split_before(LLVMGetNextInstruction(call)), .bits = 8, .byte = byte});
		LLVMReplaceAllUsesWith(call, byte);
		LLVMInstructionEraseFromParent(call);
	}
	values_free(&calls);
}

/* Branches that the log has no entry for: inference will stop there. */
static void warn_unrecorded(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
			if (!LLVMIsACallBrInst(LLVMGetBasicBlockTerminator(b)))
				continue;
			size_t length;
			pass_warn("asm goto in function %s is not recorded", LLVMGetValueName2(f, &length));
			break;
		}
	}
}

/* A function of the program's own in the place of one that brings something in: what it asks the dynamic linker for is not interposed. */
static void warn_own_inputs(LLVMModuleRef m)
{
	LLVMValueRef dlsym = LLVMGetNamedFunction(m, "dlsym");
	size_t length;
	for (LLVMValueRef f = dlsym && LLVMGetFirstUse(dlsym) ? LLVMGetFirstFunction(m) : NULL; f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && given_line(f))
			pass_warn("the program has a function %s of its own: what it gets from another one by dlsym is not recorded",
				  LLVMGetValueName2(f, &length));
}

static void emit_table(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	LLVMValueRef fields[] = {
		int_value(m, 32, RT_ABI),     int_value(m, 32, n->symbols.n),
		int_value(m, 32, n->sites.n), int_value(m, 32, n->branches.n),
		hash_constant(m, hash),
	};
	emit_module_table(m, "__rethread_record_module", fields, sizeof fields / sizeof *fields);
}

/* ---------------------------------------------------------------- one function ---------------- */

/* Functions of the C library that are called often and never run code of the program. */
static const char *const quiet[] = {
	"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_spin_lock",
	"pthread_spin_trylock", "pthread_spin_unlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	"pthread_rwlock_unlock", "pthread_cond_signal", "pthread_cond_broadcast", "sem_post", "sem_trywait",
	"mtx_lock", "mtx_trylock", "mtx_unlock", "cnd_signal", "cnd_broadcast", "flockfile", "ftrylockfile",
	"funlockfile",
};

bool program_handles_signals(LLVMModuleRef m)
{
	static const char *const names[] = {"sigaction", "signal", "bsd_signal", "__sysv_signal", "sigset"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (LLVMGetNamedFunction(m, names[i]))
			return true;
	return false;
}

static bool is_quiet(LLVMValueRef function)
{
	if (!LLVMIsDeclaration(function))
		return false;
	/* A handler may run in any call that does not come straight back, and append. */
	if (program_handles_signals(LLVMGetGlobalParent(function)))
		return is_intrinsic(function);
	return IS_NAMED(function, quiet) || is_intrinsic(function) || llvm_never_calls_back(function) || exact_function(function);
}

/* What it throws is caught where the pointer is read from memory. */
static bool may_throw(LLVMValueRef call, LLVMValueRef callee)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	LLVMAttributeIndex all = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	return !LLVMGetCallSiteEnumAttribute(call, all, kind) && !LLVMGetEnumAttributeAtIndex(callee, all, kind);
}

bool call_may_append(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return false;
	return !callee || !is_quiet(callee) || (!is_intrinsic(callee) && may_throw(call, callee));
}

/* Does control come back behind the call, with a log that may have grown? */
static bool needs_reload(LLVMValueRef call)
{
	return call_may_append(call) && !llvm_does_not_return(call) && !llvm_is_musttail(call);
}

/* Where the pointer has to be read again: the instruction before which to do so, or NULL. */
static LLVMValueRef reload_point(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMCall:
		return needs_reload(i) ? LLVMGetNextInstruction(i) : NULL;
	case LLVMInvoke:
		return needs_reload(i) ? llvm_split_edge(i, 0) : NULL;
	case LLVMLandingPad:
		return LLVMGetNextInstruction(i);
	default:
		return NULL;
	}
}

static void reload_after_calls(struct recorder *r, LLVMValueRef f)
{
	struct values all = {0};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			values_push(&all, i);
	for (size_t i = 0; i < all.n; i++) {
		LLVMValueRef at = reload_point(all.at[i]);
		if (!at)
			continue;
		build_before(r->builder, at);
		reload(r);
	}
	values_free(&all);
}

static void make_local(struct recorder *r, LLVMValueRef f)
{
	build_before(r->builder, llvm_after_allocas(f));
	r->pointer = LLVMBuildAlloca(r->builder, pointer_type(r->module), "");
	reload(r);
}

static void take_step(struct recorder *r, const struct room_step *s, const struct map *appends)
{
	uint32_t number = map_get(appends, s->at);
	LLVMValueRef at = s->edge < 0 ? s->at : llvm_split_edge(s->at, (unsigned)s->edge);
	build_before(r->builder, at);
	switch (s->what) {
	case ROOM_ADVANCE:
		advance(r, s->offset);
		break;
	case ROOM_ASK:
		ask(r, at, number && !r->appends[number - 1].byte ? "__rethread_path_full" : "__rethread_path_room");
		break;
	case ROOM_SAVE:
		save(r, s->offset);
		break;
	case ROOM_APPEND:
		if (LLVMIsConditional(at))
			append_condition(r, at, s->offset);
		else if (r->appends[number - 1].byte)
			append_byte_of_bits(r, r->appends[number - 1].byte, s->offset);
		else
			append_number(r, &r->appends[number - 1], s->offset);
	}
}

static void append_rounds(void *recorder, LLVMValueRef end, LLVMValueRef number)
{
	add_append(recorder, (struct append){.end = end, .bits = RT_ROUNDS_BITS, .byte = number});
}

static void record_function(struct recorder *r, LLVMValueRef f, LLVMValueRef *branches, size_t n)
{
	struct map bits = {0}, appends = {0};
	r->nappends = 0;
	for (size_t i = 0; i < n; i++)
		add_appends(r, branches[i]);
	add_anchors(r, f);
	rounds_instrument(f, r->builder, append_rounds, r);
	if (!r->nappends)
		return;
	for (size_t i = 0; i < r->nappends; i++) {
		map_set(&bits, LLVMGetInstructionParent(r->appends[i].end), r->appends[i].bits);
		map_set(&appends, r->appends[i].end, (uint32_t)i + 1);
	}
	room_make_plan(f, &bits, &r->plan);

	add_attribute(f, "noredzone", 0);
	make_local(r, f);
	reload_after_calls(r, f);
	for (size_t i = 0; i < r->plan.n; i++)
		take_step(r, &r->plan.at[i], &appends);
	llvm_promote(f, &r->pointer, 1);
	map_free(&bits);
	map_free(&appends);
}

/* The function of anchors (pass.h) appends the same bits without a branch for each digit, which nobody could predict. */
_Static_assert(PASS_ANCHOR_BITS + 1 <= 8, "a digit is one store");

/* What a digit and whether another one follows are as bytes: a table. */
static LLVMValueRef digits_table(LLVMModuleRef m)
{
	LLVMValueRef values[2u << PASS_ANCHOR_BITS];
	unsigned n = sizeof values / sizeof *values;
	for (unsigned i = 0; i < n; i++)
		values[i] = int_value(m, 64, bytes_of(i, PASS_ANCHOR_BITS + 1));
	LLVMValueRef table = LLVMAddGlobal(m, LLVMArrayType2(int_type(m, 64), n), PASS_ANCHOR ".digits");
	LLVMSetInitializer(table, LLVMConstArray2(int_type(m, 64), values, n));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	return table;
}

/* What it returns is what it gets, which nobody has to wait for. */
static void go_around(LLVMValueRef anchor)
{
	for (LLVMUseRef u = LLVMGetFirstUse(anchor); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
	}
}

static void record_anchor(struct recorder *r, LLVMValueRef f)
{
	LLVMModuleRef m = r->module;
	LLVMBuilderRef b = r->builder;
	LLVMTypeRef i64 = int_type(m, 64);
	go_around(f);
	llvm_drop_body(f);
	add_attribute(f, "noredzone", 0);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMSetCurrentDebugLocation2(b, NULL);
	LLVMBuildBr(b, loop);
	make_local(r, f);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMValueRef ret = LLVMBuildRet(b, LLVMGetParam(f, 0));
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef rest = LLVMBuildPhi(b, i64, "");
	LLVMValueRef digit = LLVMBuildAnd(b, rest, int_value(m, 64, (1u << PASS_ANCHOR_BITS) - 1), "");
	LLVMValueRef less = LLVMBuildLShr(b, rest, int_value(m, 64, PASS_ANCHOR_BITS), "");
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, less, int_value(m, 64, 0), "");
	LLVMValueRef bits = LLVMBuildOr(b, LLVMBuildShl(b, digit, int_value(m, 64, 1), ""), LLVMBuildZExt(b, more, i64, ""), "");
	LLVMValueRef back = LLVMBuildCondBr(b, more, loop, end);
	build_before(b, back);
	LLVMValueRef bytes = LLVMBuildLoad2(b, i64, LLVMBuildGEP2(b, i64, digits_table(m), &bits, 1, ""), "");
	LLVMSetAlignment(LLVMBuildStore(b, bytes, pointer_in_hand(r, 0)), 1);
	advance(r, PASS_ANCHOR_BITS + 1);
	ask(r, ret, "__rethread_path_room");
	build_before(b, ret);
	save(r, 0);
	LLVMValueRef values[] = {LLVMGetParam(f, 0), less};
	LLVMBasicBlockRef from[] = {entry, LLVMGetInstructionParent(back)};
	LLVMAddIncoming(rest, values, from, 2);
	llvm_promote(f, &r->pointer, 1);
}

/* Nobody calls it any more, but it has a number. */
static void make_idle(struct recorder *r, LLVMValueRef f)
{
	llvm_drop_body(f);
	LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(LLVMGetModuleContext(r->module), f, ""));
	LLVMSetCurrentDebugLocation2(r->builder, NULL);
	LLVMBuildRet(r->builder, LLVMGetParam(f, 0));
}

void path_instrument(LLVMModuleRef m, const struct numbering *n, bool on_edges)
{
	struct recorder r = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
		.on_edges = on_edges,
		.silent_kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), PASS_SILENT_METADATA, sizeof PASS_SILENT_METADATA - 1),
		.path = runtime_variable(m, "__rethread_path", pointer_type(m), true),
		.end = runtime_variable(m, "__rethread_path_end", pointer_type(m), true),
		.anchor = LLVMGetNamedFunction(m, PASS_ANCHOR),
		.byte = LLVMGetNamedFunction(m, PASS_ANCHOR_BYTE),
	};
	struct map first = {0}; /* function: where its branches begin, + 1; they stand together */
	for (size_t i = n->branches.n; i--;)
		map_set(&first, function_of(n->branches.at[i]), (uint32_t)i + 1);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint32_t begin = map_get(&first, f), end = begin;
		while (begin && end <= n->branches.n && function_of(n->branches.at[end - 1]) == f)
			end++;
		if (f == r.anchor)
			record_anchor(&r, f);
		else if (f != r.byte && is_instrumented(f))
			record_function(&r, f, n->branches.at + begin - (begin > 0), end - begin);
	}
	if (r.byte)
		make_idle(&r, r.byte);
	map_free(&first);
	free(r.appends);
	free(r.plan.at);
	LLVMDisposeBuilder(r.builder);
}

void record_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	warn_unrecorded(m);
	warn_own_inputs(m);
	path_instrument(m, n, true);
	times_note(m, "recorded branches");
	shown_instrument(m, n);
	addresses_places(m, &n->symbols);
	addresses_record(m, n->sharing, &n->recorded); /* last: it copies functions */
	times_note(m, "recorded values");
	emit_table(m, n, hash);
}
