/*
 * Which values go to the log besides branches: reads that may race and decide an address, and where allocations lie.
 *
 * A racy read that an address, a size or an argument of native code is made of would have to be guessed by
 * inference (design §5.3), so its value is recorded, thread-locally. Such values go backwards from where an address is
 * used: through arithmetic, casts, phis, local variables, parameters and results of the module's own
 * functions, to the reads they come from. mayrace.c says which of these can race. Addresses differ from run to run, so
 * results of allocations are recorded too, and where local variables lie that threads share: the order of
 * synchronization is in terms of addresses as well.
 *
 * Being wrong here on either side costs time only, never truth.
 */
#include "instrument/addresses.h"

#include "instrument/frequency.h"
#include "instrument/halves.h"
#include "instrument/shared.h"
#include "instrument/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct map seen;     /* values that decide an address */
	struct values left;  /* of these, to be looked at */
	struct sharing *sharing;
	const struct map *sites;
	struct may_race *races;
	struct map found; /* site that reads: enum race of it, + 1, once it was asked for */
	struct stored *stored; /* what goes through memory */
};

static void decides(void *search, LLVMValueRef v)
{
	struct search *s = search;
	if (!LLVMIsAInstruction(v) && !LLVMIsAArgument(v))
		return;
	if (map_get(&s->seen, v))
		return;
	map_set(&s->seen, v, 1);
	values_push(&s->left, v);
}

/* A read of one word; the type of what it reads, or NULL. */
static LLVMTypeRef read_type(LLVMValueRef i);

static enum race race_of(struct search *s, LLVMValueRef site)
{
	uint32_t known = map_get(&s->found, site);
	if (known)
		return (enum race)(known - 1);
	LLVMTypeRef type = read_type(site);
	enum race race = type ? may_race_with(s->races, site, type) : RACE_NONE;
	map_set(&s->found, site, (uint32_t)race + 1);
	return race;
}

/*
 * Arithmetic that LLVM writes as a call: the executor computes it with what it does not know as well (translate_intrinsic.c), so it needs no value for
 * that. Without this, all that goes through a rotation or a multiplication with addition would be recorded: hashes, physics.
 */
static bool is_arithmetic(LLVMValueRef callee)
{
	static const char *const prefixes[] = {
		"llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax.", "llvm.ucmp.", "llvm.scmp.", "llvm.abs.", "llvm.fshl.", "llvm.fshr.",
		"llvm.uadd.", "llvm.usub.", "llvm.sadd.with.overflow.", "llvm.ssub.with.overflow.", "llvm.vector.reduce.",
		"llvm.fabs.", "llvm.fma.", "llvm.fmuladd.", "llvm.sqrt.",
	};
	for (size_t i = 0; callee && is_intrinsic(callee) && i < sizeof prefixes / sizeof *prefixes; i++)
		if (name_begins(callee, prefixes[i]))
			return true;
	return false;
}

/* ---------------------------------------------------------------- where addresses are used ----- */

static void add_call_uses(struct search *s, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (!callee)
		decides(s, LLVMGetCalledValue(call));
	if (callee && (is_instrumented(callee) || is_arithmetic(callee)))
		return;
	unsigned fixed = callee ? LLVMCountParams(callee) : ~0u;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		bool pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
		/* Numbers that are printed decide nothing. */
		if (pointer || i < fixed)
			decides(s, v);
	}
}

static void add_uses(struct search *s, LLVMValueRef i)
{
	LLVMValueRef pointers[2];
	if (is_call(i)) {
		add_call_uses(s, i);
		return;
	}
	if (LLVMIsAStoreInst(i))
		stored_note(s->stored, i);
	for (unsigned n = accessed_pointers(i, pointers); n--;)
		decides(s, pointers[n]);
}

/* ---------------------------------------------------------------- where values come from ------- */

static void add_operands(struct search *s, LLVMValueRef i)
{
	for (int n = LLVMGetNumOperands(i); n--;)
		decides(s, LLVMGetOperand(i, (unsigned)n));
}

static void add_phi(struct search *s, LLVMValueRef phi)
{
	for (unsigned n = LLVMCountIncoming(phi); n--;)
		decides(s, LLVMGetIncomingValue(phi, n));
}

/*
 * Memory hands on what was stored to it: local variables, also those that are filled and asked by functions of their own
 * (iterators). Where the load itself may race it is recorded, and nothing more has to be known.
 */
static void add_stored(struct search *s, LLVMValueRef load)
{
	if (map_get(s->sites, load) && race_of(s, load) != RACE_NONE)
		return;
	stored_each(s->stored, load, decides, s);
}

/* What callers pass for the parameter. */
static void add_parameter(struct search *s, LLVMValueRef parameter)
{
	LLVMValueRef f = LLVMGetParamParent(parameter);
	unsigned n = 0;
	while (LLVMGetParam(f, n) != parameter)
		n++;
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (LLVMIsAInstruction(call) && is_call(call) && direct_callee(call) == f &&
		    n < LLVMGetNumArgOperands(call))
			decides(s, LLVMGetOperand(call, n));
	}
}

static void add_results(struct search *s, LLVMValueRef call)
{
	LLVMValueRef f = direct_callee(call);
	if (is_arithmetic(f))
		add_operands(s, call);
	if (!f || !is_instrumented(f))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(end) == LLVMRet && LLVMGetNumOperands(end))
			decides(s, LLVMGetOperand(end, 0));
	}
}

static void go_back(struct search *s, LLVMValueRef v)
{
	if (LLVMIsAArgument(v)) {
		add_parameter(s, v);
		return;
	}
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
		add_stored(s, v);
		break;
	case LLVMAlloca:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMLandingPad:
		break;
	case LLVMPHI:
		add_phi(s, v);
		break;
	case LLVMCall:
	case LLVMInvoke:
		add_results(s, v);
		break;
	default:
		add_operands(s, v);
	}
}

/* ---------------------------------------------------------------- choice ------------------------ */

static bool is_word(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
		return true;
	if (kind != LLVMIntegerTypeKind)
		return false;
	unsigned bits = LLVMGetIntTypeWidth(type);
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* A site that reads one word; the type of what it reads, or NULL. */
static LLVMTypeRef read_type(LLVMValueRef i)
{
	LLVMTypeRef type = NULL;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		type = LLVMTypeOf(i);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		type = LLVMTypeOf(LLVMGetOperand(i, 1));
		break;
	default:
		break;
	}
	return type && is_word(type) ? type : NULL;
}

bool addresses_is_read(LLVMValueRef recorded)
{
	return read_type(recorded) != NULL;
}

/* Functions that bring memory and are no allocations to LLVM; how, as PASS_VALUE_METADATA says. */
static const struct {
	const char *name, *kind;
} memory_functions[] = {
	{"mmap", RT_VALUE_MAPPING},
	{"mmap64", RT_VALUE_MAPPING},
	{"posix_memalign", RT_VALUE_OUT},
};

static const char *memory_kind(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (size_t i = 0; i < sizeof memory_functions / sizeof *memory_functions; i++)
		if (!strcmp(name, memory_functions[i].name))
			return memory_functions[i].kind;
	return NULL;
}

static bool is_fresh_memory(struct llvm_library *library, LLVMValueRef i)
{
	if (LLVMGetInstructionOpcode(i) != LLVMCall && LLVMGetInstructionOpcode(i) != LLVMInvoke)
		return false;
	LLVMValueRef callee = direct_callee(i);
	if (!callee || is_intrinsic(callee) || is_instrumented(callee) || llvm_is_musttail(i))
		return false;
	if (memory_kind(callee))
		return LLVMGetNumArgOperands(i) >= 2;
	return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind &&
	       (llvm_is_allocation(library, i) || llvm_is_reallocation(library, i) || llvm_returns_fresh(i));
}

static bool is_memory(const struct sharing *sharing, LLVMValueRef i)
{
	if (LLVMIsAAllocaInst(i))
		return sharing_may_be_shared(sharing, i, MEMBER_ANY);
	return is_fresh_memory(sharing->library, i);
}

static unsigned metadata_kind(LLVMValueRef i)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))));
	return LLVMGetMDKindIDInContext(context, PASS_VALUE_METADATA, sizeof PASS_VALUE_METADATA - 1);
}

const char *addresses_kind(LLVMValueRef recorded)
{
	LLVMValueRef mark = LLVMGetMetadata(recorded, metadata_kind(recorded)), operand;
	unsigned length;
	if (!mark || !LLVMGetMDNodeNumOperands(mark))
		return NULL;
	LLVMGetMDNodeOperands(mark, &operand);
	return LLVMGetMDString(operand, &length);
}

static bool is_kind(LLVMValueRef recorded, const char *kind)
{
	const char *is = addresses_kind(recorded);
	return is && !strcmp(is, kind);
}

static void mark(LLVMModuleRef m, LLVMValueRef i, const char *kind)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMMetadataRef operand = kind ? LLVMMDStringInContext2(context, kind, strlen(kind)) : NULL;
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, &operand, kind != NULL);
	LLVMSetMetadata(i, metadata_kind(i), LLVMMetadataAsValue(context, node));
}

static void name_local(LLVMModuleRef m, LLVMValueRef alloca)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	struct llvm_place p;
	char name[96];
	llvm_place_of(alloca, &p);
	if (!llvm_declared_type(alloca) || !p.name || snprintf(name, sizeof name, "%s@%u", p.name, p.line) >= (int)sizeof name)
		return;
	LLVMMetadataRef operand = LLVMMDStringInContext2(context, name, strlen(name)), node = LLVMMDNodeInContext2(context, &operand, 1);
	LLVMSetMetadata(alloca, LLVMGetMDKindIDInContext(context, PASS_LOCAL_METADATA, sizeof PASS_LOCAL_METADATA - 1), LLVMMetadataAsValue(context, node));
}

static void mark_found(LLVMModuleRef m, LLVMValueRef i, enum race race)
{
	if (LLVMIsAAllocaInst(i))
		name_local(m, i);
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	mark(m, i, race == RACE_LOCKED ? RT_VALUE_UNORDERED : callee ? memory_kind(callee) : NULL);
}

/* ---------------------------------------------------------------- what comes often ------------ */

/* In three loops, calls included: what threads do to their data, and not how they find their work. */
enum { OFTEN = FREQUENCY_LAP * FREQUENCY_LAP * FREQUENCY_LAP };

static unsigned often_kind(LLVMModuleRef m)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), PASS_OFTEN_METADATA, sizeof PASS_OFTEN_METADATA - 1);
}

bool addresses_is_often(LLVMValueRef recorded)
{
	LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(recorded)));
	return LLVMGetMetadata(recorded, often_kind(m)) != NULL;
}

static void mark_often(LLVMModuleRef m, const struct sharing *sharing, const struct values *found)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef node = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
	struct frequencies frequencies;
	frequencies_find(&frequencies, m, sharing->points_to);
	for (size_t i = 0; i < found->n; i++)
		if (read_type(found->at[i]) && !is_kind(found->at[i], RT_VALUE_UNORDERED) &&
		    frequency_of_block(&frequencies, LLVMGetInstructionParent(found->at[i])) >= OFTEN)
			LLVMSetMetadata(found->at[i], often_kind(m), node);
	frequencies_free(&frequencies);
}

void addresses_find(LLVMModuleRef m, struct sharing *sharing, const struct map *interposed, const struct map *sites,
		    struct values *found)
{
	struct search s = {
		.sharing = sharing,
		.sites = sites,
		.races = may_race_analyze(m, sharing, interposed),
		.stored = stored_new(sharing),
	};
	struct values all = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				add_uses(&s, i);
				if (is_memory(sharing, i) || (map_get(sites, i) && read_type(i)))
					values_push(&all, i);
			}
	}
	while (s.left.n)
		go_back(&s, s.left.at[--s.left.n]);
	for (size_t i = 0; i < all.n; i++) {
		enum race race = !read_type(all.at[i])	       ? RACE_FREE
				 : map_get(&s.seen, all.at[i]) ? race_of(&s, all.at[i])
							       : RACE_NONE;
		if (race == RACE_NONE)
			continue;
		values_push(found, all.at[i]);
		mark_found(m, all.at[i], race);
	}
	mark_often(m, sharing, found);
	values_free(&all);
	may_race_free(s.races);
	values_free(&s.left);
	map_free(&s.seen);
	map_free(&s.found);
	stored_free(s.stored);
}

/* ---------------------------------------------------------------- the recorded program --------- */

struct emitter {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef log; /* __rethread_values */
	LLVMValueRef slow_path, wide_path;
	LLVMValueRef called[4][2]; /* functions that append: by which part of log they ask (enum asked); of two words */
	LLVMValueRef function, behind_frame; /* the one at hand; what follows its frame's last variable */
};

/* Of what was read, or of an address the lower half: 32 bits, or 64 of a number that has as many. */
static LLVMValueRef value_of(struct emitter *e, LLVMValueRef i)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef i32 = int_type(e->module, 32);
	LLVMValueRef v = LLVMGetInstructionOpcode(i) == LLVMAtomicCmpXchg ? LLVMBuildExtractValue(b, i, 0, "") : i;
	if (is_kind(i, RT_VALUE_OUT))
		v = LLVMBuildLoad2(b, pointer_type(e->module), LLVMGetOperand(i, 0), "");
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(b, v, i32, "");
	if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
		return LLVMBuildBitCast(b, v, kind == LLVMFloatTypeKind ? i32 : int_type(e->module, 64), "");
	return LLVMGetIntTypeWidth(LLVMTypeOf(v)) < 32 ? LLVMBuildZExt(b, v, i32, "") : v;
}

static bool is_in_frame(LLVMValueRef i)
{
	return LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)) &&
	       LLVMGetInstructionParent(i) ==
		       LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
}

/*
 * Variables of the frame are recorded together, behind the last of them: the entry block ends there, and what would come
 * behind it would no longer be of the frame.
 */
static LLVMValueRef behind_frame(struct emitter *e, LLVMValueRef variable)
{
	LLVMBasicBlockRef entry = LLVMGetInstructionParent(variable);
	if (e->function == LLVMGetBasicBlockParent(entry))
		return e->behind_frame;
	e->function = LLVMGetBasicBlockParent(entry);
	for (LLVMValueRef i = variable; i; i = LLVMGetNextInstruction(i))
		if (is_in_frame(i))
			e->behind_frame = LLVMGetNextInstruction(i);
	return e->behind_frame;
}

static LLVMValueRef behind(struct emitter *e, LLVMValueRef i)
{
	if (is_in_frame(i))
		return behind_frame(e, i);
	return LLVMGetInstructionOpcode(i) == LLVMInvoke ? llvm_split_edge(i, 0) : LLVMGetNextInstruction(i);
}

static LLVMValueRef load_part(struct emitter *e, unsigned part)
{
	LLVMValueRef offset = int_value(e->module, 64, 8 * part);
	LLVMValueRef at = LLVMBuildGEP2(e->builder, int_type(e->module, 8), e->log, &offset, 1, "");
	return LLVMBuildLoad2(e->builder, pointer_type(e->module), at, "");
}

static LLVMValueRef behind_entry(struct emitter *e, LLVMValueRef at, unsigned bytes)
{
	LLVMValueRef n = int_value(e->module, 64, bytes);
	return LLVMBuildGEP2(e->builder, int_type(e->module, 8), at, &n, 1, "");
}

/* *log.at++ = ~value; if (log.at == log.end) __rethread_values_full(); */
static void append_word(struct emitter *e, LLVMValueRef value, LLVMValueRef end)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef at = load_part(e, 0);
	LLVMBuildStore(b, LLVMBuildNot(b, value, ""), at);
	LLVMValueRef after = behind_entry(e, at, 4);
	LLVMBuildStore(b, after, e->log);
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntEQ, after, load_part(e, 1), "");
	build_before(b, llvm_unlikely_if(full, end));
	call_slow_path(b, e->slow_path, NULL, 0);
}

/* Two words, if more than these have room; else __rethread_values_wide(value). */
static void append_two_words(struct emitter *e, LLVMValueRef value, LLVMValueRef end)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef at = load_part(e, 0), after = behind_entry(e, at, 8);
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntUGE, after, load_part(e, 1), "");
	LLVMValueRef slowly, quickly;
	llvm_unlikely_if_else(full, end, &slowly, &quickly);
	build_before(b, slowly);
	call_slow_path(b, e->wide_path, &value, 1);
	build_before(b, quickly);
	LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildNot(b, value, ""), at), 4);
	LLVMBuildStore(b, after, e->log);
}

/* Parts of log: `at`; where only locks keep a read from racing, `unordered`; where it comes often, `often`. */
enum asked { ASKED_AT = 0, ASKED_UNORDERED = 2, ASKED_OFTEN = 3 };

/* if (log.at) ...; or another part. What to put there is built before what is returned. */
static LLVMValueRef if_recording(struct emitter *e, enum asked part, LLVMValueRef next)
{
	/* Loaded again where it is used, so that the compare takes no register. */
	LLVMValueRef asked = load_part(e, part);
	LLVMValueRef records = llvm_unlikely_if(LLVMBuildIsNotNull(e->builder, asked, ""), next);
	build_before(e->builder, records);
	return records;
}

static void append(struct emitter *e, LLVMValueRef value, LLVMValueRef end)
{
	if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64)
		append_two_words(e, value, end);
	else
		append_word(e, value, end);
}

/* void (value): the same as a function. */
static LLVMValueRef appending_function(struct emitter *e, enum asked part, bool wide)
{
	LLVMValueRef *f = &e->called[part][wide];
	if (*f)
		return *f;
	LLVMContextRef context = LLVMGetModuleContext(e->module);
	LLVMTypeRef type = int_type(e->module, wide ? 64 : 32);
	LLVMBuilderRef around = e->builder;
	*f = add_preserving_function(e->module, PASS_OWN_PREFIX "value", LLVMFunctionType(LLVMVoidTypeInContext(context), &type, 1, false));
	drop_attribute(*f, "cold"); /* code that calls it is not */
	e->builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(context, *f, ""));
	LLVMValueRef end = LLVMBuildRetVoid(e->builder);
	LLVMPositionBuilderBefore(e->builder, end);
	append(e, LLVMGetParam(*f, 0), if_recording(e, part, end));
	LLVMDisposeBuilder(e->builder);
	e->builder = around;
	return *f;
}

/*
 * Threads that have very many values do not record them for long, so all but the question is out of the way of the code around. That is so
 * where there is another version of the function (versions.c), too: a thread may have come here before, and stay.
 */
static void emit_value(struct emitter *e, LLVMValueRef i, bool called)
{
	LLVMValueRef next = behind(e, i);
	enum asked part = is_kind(i, RT_VALUE_UNORDERED) ? ASKED_UNORDERED : addresses_is_often(i) ? ASKED_OFTEN : ASKED_AT;
	build_before(e->builder, next);
	LLVMValueRef records = if_recording(e, part, next), value = value_of(e, i);
	bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
	if (called)
		call_slow_path(e->builder, appending_function(e, part, wide), &value, 1);
	else
		append(e, value, records);
}

/* Of a program. */
enum { FEW_VALUES = 8000 };

void addresses_record(LLVMModuleRef m, const struct sharing *sharing, const struct values *recorded)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef parts[] = {pointer_type(m), pointer_type(m), pointer_type(m), pointer_type(m)}, i64 = int_type(m, 64);
	struct emitter e = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(context),
		.log = runtime_variable(m, "__rethread_values", LLVMStructTypeInContext(context, parts, 4, false), true),
		.slow_path = runtime_slow_path(m, "__rethread_values_full",
					       LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false)),
		.wide_path = runtime_slow_path(m, "__rethread_values_wide",
					       LLVMFunctionType(LLVMVoidTypeInContext(context), &i64, 1, false)),
	};
	/* Calls are for the sake of the link, which takes no time where there are few. */
	bool *called = halves_called(recorded, (struct in_line){.loop = recorded->n <= FEW_VALUES ? FEW_VALUES : 4, .outside = 2});
	struct values kept = {0};
	versions_make(m, sharing, recorded, e.log, &kept);
	for (size_t i = 0; i < recorded->n; i++)
		emit_value(&e, recorded->at[i], called[i]);
	for (size_t i = 0; i < kept.n; i++)
		emit_value(&e, kept.at[i], recorded->n > FEW_VALUES);
	values_free(&kept);
	free(called);
	LLVMDisposeBuilder(e.builder);
}

/* ---------------------------------------------------------------- where symbols lie ------------- */

/* Of this program, at a fixed distance from its table? */
static bool has_place(LLVMValueRef v)
{
	if (!LLVMIsAGlobalVariable(v) && !LLVMIsAFunction(v))
		return false;
	return !LLVMIsDeclaration(v) && !LLVMIsThreadLocal(v) && LLVMGetLinkage(v) != LLVMAppendingLinkage &&
	       !name_begins(v, "llvm.");
}

/*
 * LLVM takes a nameless constant that holds a symbol's address, and that such a table refers to, for an entry of the
 * global offset table, puts a real one in its place, and forgets that functions use it, too.
 */
static void keep_named(LLVMValueRef v)
{
	if (LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v))
		LLVMSetUnnamedAddress(v, LLVMNoUnnamedAddr);
}

void addresses_places(LLVMModuleRef m, const struct values *symbols)
{
	LLVMTypeRef i32 = int_type(m, 32), i64 = int_type(m, 64);
	LLVMTypeRef type = LLVMArrayType2(i32, symbols->n);
	LLVMValueRef table = LLVMAddGlobal(m, type, "__rethread_places");
	LLVMValueRef *places = pass_alloc(symbols->n + 1, sizeof *places);
	LLVMValueRef here = LLVMConstPtrToInt(table, i64);
	for (size_t i = 0; i < symbols->n; i++) {
		LLVMValueRef v = symbols->at[i];
		places[i] = int_value(m, 32, 0);
		if (!has_place(v) || (LLVMIsAFunction(v) && !llvm_address_taken(v)))
			continue;
		keep_named(v);
		places[i] = LLVMConstTrunc(LLVMConstSub(LLVMConstPtrToInt(v, i64), here), i32);
	}
	LLVMSetInitializer(table, LLVMConstArray2(i32, places, symbols->n));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetSection(table, RT_SECTION_PLACES);
	llvm_keep(table);
	free(places);
}
