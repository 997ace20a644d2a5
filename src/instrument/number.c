/* Symbols, sites and branches of the module, as include/rethread/instrument.h numbers them. */
#include "instrument/pass.h"

#include "instrument/addresses.h"
#include "instrument/rounds.h"
#include "instrument/recompute.h"
#include "instrument/silent.h"

#include <stdlib.h>
#include <string.h>

const char *const site_kind_names[SITE_KINDS] = {
	[SITE_LOAD] = "load",     [SITE_STORE] = "store",
	[SITE_ATOMIC] = "atomic", [SITE_FENCE] = "fence",
	[SITE_COPY] = "copy",     [SITE_FILL] = "fill",
	[SITE_CALL] = "call",     [SITE_INDIRECT] = "indirect call",
	[SITE_ASM] = "asm",
};

static const char *const interposed_names[] = {
#define X(name) #name,
#include <rethread/interposed.def>
#undef X
};

/* Intrinsics besides memcpy and its kin that access memory through their pointer arguments. */
static const char *const accessing_intrinsics[] = {
	"llvm.masked.", "llvm.vp.", "llvm.experimental.vp.", "llvm.matrix.column.", "llvm.x86.",
};

struct numberer {
	struct numbering *out;
	struct sharing *sharing;
	struct map interposed; /* declared functions that the runtime defines */
	struct map sites;      /* instructions that are sites */
	LLVMContextRef context;
	unsigned metadata_kind, handed_kind;
};

bool has_name_of(LLVMValueRef function, const char *const *names, size_t n)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool name_begins(LLVMValueRef value, const char *prefix)
{
	size_t length;
	const char *name = LLVMGetValueName2(value, &length);
	return length >= strlen(prefix) && !memcmp(name, prefix, strlen(prefix));
}

bool is_call(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	return op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
}

bool is_intrinsic(LLVMValueRef function)
{
	return name_begins(function, "llvm.");
}

bool has_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					   kind);
}

bool is_instrumented(LLVMValueRef function)
{
	return !LLVMIsDeclaration(function) && !has_attribute(function, "naked") &&
	       !name_begins(function, PASS_OWN_PREFIX);
}

LLVMValueRef direct_callee(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	while (LLVMIsAGlobalAlias(callee))
		callee = LLVMAliasGetAliasee(callee);
	return LLVMIsAFunction(callee) ? callee : NULL;
}

static bool is_pointer(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static bool is_copy(LLVMValueRef intrinsic)
{
	return name_begins(intrinsic, "llvm.memcpy.") || name_begins(intrinsic, "llvm.memmove.");
}

static bool is_fill(LLVMValueRef intrinsic)
{
	return name_begins(intrinsic, "llvm.memset.");
}

static bool is_accessing_intrinsic(LLVMValueRef call, LLVMValueRef intrinsic)
{
	for (size_t i = 0; i < sizeof accessing_intrinsics / sizeof *accessing_intrinsics; i++)
		if (name_begins(intrinsic, accessing_intrinsics[i]))
			return !llvm_call_without_memory(call);
	return false;
}

unsigned accessed_pointers(LLVMValueRef i, LLVMValueRef pointers[2])
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		pointers[0] = LLVMGetOperand(i, 0);
		return 1;
	case LLVMStore:
		pointers[0] = LLVMGetOperand(i, 1);
		return 1;
	case LLVMCall:
	case LLVMInvoke:
		break;
	default:
		return 0;
	}
	LLVMValueRef callee = direct_callee(i);
	if (!callee || !is_intrinsic(callee))
		return 0;
	if (!is_copy(callee) && !is_fill(callee) && !is_accessing_intrinsic(i, callee))
		return 0;
	unsigned n = 0;
	for (unsigned a = 0; a < LLVMGetNumArgOperands(i) && n < 2; a++)
		if (is_pointer(LLVMGetOperand(i, a)))
			pointers[n++] = LLVMGetOperand(i, a);
	return n;
}

static bool accesses_told(const struct numberer *s, LLVMValueRef i)
{
	LLVMValueRef pointers[2];
	unsigned n = accessed_pointers(i, pointers);
	for (unsigned k = 0; k < n; k++)
		if (sharing_access_is_told(s->sharing, i, pointers[k]))
			return true;
	return false;
}

/* Assembly touches memory when it says so, or has a pointer to do it with. */
static bool asm_may_touch_memory(LLVMValueRef call)
{
	if (llvm_call_without_memory(call))
		return false;
	size_t length;
	const char *constraints =
		LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
	if (strstr(constraints, "~{memory}") || strchr(constraints, '*'))
		return true;
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
		if (is_pointer(LLVMGetOperand(call, a)))
			return true;
	return false;
}

/* The kind of site an instruction is, or -1. */
static int call_site_kind(const struct numberer *s, LLVMValueRef call)
{
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return asm_may_touch_memory(call) ? SITE_ASM : -1;
	LLVMValueRef callee = direct_callee(call);
	if (!callee)
		return SITE_INDIRECT;
	if (is_intrinsic(callee)) {
		if (!accesses_told(s, call))
			return -1;
		if (is_copy(callee))
			return SITE_COPY;
		if (is_fill(callee))
			return SITE_FILL;
		return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind ? SITE_STORE
									     : SITE_LOAD;
	}
	if (!LLVMIsDeclaration(callee) || map_get(&s->interposed, callee))
		return -1;
	return SITE_CALL;
}

static int site_kind(const struct numberer *s, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
	case LLVMStore:
		if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
			return SITE_ATOMIC;
		if (!accesses_told(s, i))
			return -1;
		return LLVMGetInstructionOpcode(i) == LLVMLoad ? SITE_LOAD : SITE_STORE;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return SITE_ATOMIC;
	case LLVMFence:
		return SITE_FENCE;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		return call_site_kind(s, i);
	default:
		return -1;
	}
}

static void add_site(struct numberer *s, LLVMValueRef i, enum site_kind kind)
{
	struct numbering *n = s->out;
	if (n->sites.n == n->kinds_cap)
		n->kinds = pass_grow(n->kinds, &n->kinds_cap, sizeof *n->kinds);
	n->kinds[n->sites.n] = (uint8_t)kind;
	values_push(&n->sites, i);
	map_set(&s->sites, i, 1);

	LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
	LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(i32, n->sites.n, false));
	LLVMMetadataRef node = LLVMMDNodeInContext2(s->context, &number, 1);
	LLVMSetMetadata(i, s->metadata_kind, LLVMMetadataAsValue(s->context, node));
	if (kind == SITE_LOAD && LLVMIsALoadInst(i) && !sharing_access_may_be_shared(s->sharing, i, LLVMGetOperand(i, 0)))
		LLVMSetMetadata(i, s->handed_kind, LLVMMetadataAsValue(s->context, LLVMMDNodeInContext2(s->context, NULL, 0)));
}

bool is_branch(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	return op == LLVMSwitch || (op == LLVMBr && LLVMIsConditional(i));
}

static void number_instruction(struct numberer *s, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	int kind = site_kind(s, i);
	if (kind >= 0)
		add_site(s, i, (enum site_kind)kind);
	if (op == LLVMLoad || op == LLVMStore) {
		s->out->naccesses++;
		s->out->nshared += kind >= 0;
	}
}

static void number_symbols(LLVMModuleRef m, struct values *symbols)
{
	for (LLVMValueRef v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v))
		values_push(symbols, v);
	for (LLVMValueRef v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v))
		values_push(symbols, v);
	for (LLVMValueRef v = LLVMGetFirstGlobalAlias(m); v; v = LLVMGetNextGlobalAlias(v))
		values_push(symbols, v);
	for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(m); v; v = LLVMGetNextGlobalIFunc(v))
		values_push(symbols, v);
}

static void find_interposed(LLVMModuleRef m, struct map *interposed)
{
	for (size_t i = 0; i < sizeof interposed_names / sizeof *interposed_names; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(m, interposed_names[i]);
		if (f && LLVMIsDeclaration(f))
			map_set(interposed, f, 1);
	}
}

void number_foresee(LLVMModuleRef m, struct sharing *sharing, struct map *interposed, struct map *sites)
{
	find_interposed(m, interposed);
	struct numberer s = {.context = LLVMGetModuleContext(m), .sharing = sharing, .interposed = *interposed};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = is_instrumented(f) ? LLVMGetFirstBasicBlock(f) : NULL; b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (site_kind(&s, i) >= 0)
					map_set(sites, i, 1);
}

static void number_sites(struct numberer *s, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		s->out->nfunctions++;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				number_instruction(s, i);
	}
}

static void find_known(struct numberer *s, LLVMModuleRef m, struct map *known)
{
	recompute_find(m, s->sharing, known, s->out);
	if (all_branches())
		map_free(known);
	else
		progress_keep(m, &s->interposed, &s->sites, known);
}

static void number_branches(struct numberer *s, LLVMModuleRef m)
{
	struct map known = {0};
	unsigned kind = LLVMGetMDKindIDInContext(s->context, PASS_KNOWN_METADATA,
						 sizeof PASS_KNOWN_METADATA - 1);
	s->out->known_kind = kind;
	LLVMMetadataRef node = LLVMMDNodeInContext2(s->context, NULL, 0);
	find_known(s, m, &known);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			if (!is_branch(end))
				continue;
			if (!map_get(&known, end)) {
				values_push(&s->out->branches, end);
				continue;
			}
			LLVMSetMetadata(end, kind, LLVMMetadataAsValue(s->context, node));
			s->out->nknown++;
		}
	}
	map_free(&known);
}

void number_module(LLVMModuleRef m, struct numbering *n)
{
	struct numberer s = {.out = n, .context = LLVMGetModuleContext(m)};
	s.metadata_kind = LLVMGetMDKindIDInContext(s.context, PASS_SITE_METADATA,
						   sizeof PASS_SITE_METADATA - 1);
	s.handed_kind = LLVMGetMDKindIDInContext(s.context, PASS_HANDED_METADATA, sizeof PASS_HANDED_METADATA - 1);
	find_interposed(m, &s.interposed);
	number_symbols(m, &n->symbols);

	n->sharing = s.sharing = sharing_analyze(m);
	times_note(m, "shared memory");
	number_sites(&s, m);
	times_note(m, "sites");
	number_branches(&s, m);
	times_note(m, "known branches");
	addresses_find(m, s.sharing, &s.interposed, &s.sites, &n->recorded);
	times_note(m, "values");
	if (!all_branches())
		rounds_find(m, n);
	times_note(m, "rounds");
	silent_choose(m, n);
	times_note(m, "silent ways");
	map_free(&s.interposed);
	map_free(&s.sites);
}

void numbering_free(struct numbering *n)
{
	sharing_free(n->sharing);
	values_free(&n->symbols);
	values_free(&n->sites);
	values_free(&n->branches);
	values_free(&n->counted);
	values_free(&n->recorded);
	map_free(&n->why);
	causes_free(&n->causes);
	free(n->shown);
	free(n->kinds);
	n->kinds = NULL;
}
