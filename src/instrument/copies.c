/*
 * Structures that are copied or filled by one llvm.memcpy or llvm.memset of a few words, and integers that are longer than a word. The
 * code generator makes loads and stores of words of them, between which other threads can come: a reader sees half of an
 * update. So they become loads and stores of words here already, and each is an access of its own, that inference can order and
 * replay can stop at. Longer ones are calls of the C library and stay whole.
 */
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>

enum { MOST_BYTES = 128 }; /* what x86-64's code generator does in line */
enum { WORD = 8 };

struct copy {
	LLVMBuilderRef builder;
	LLVMContextRef context;
	LLVMValueRef call;
	uint64_t size;
	bool is_volatile;
};

static bool is_one_of(LLVMValueRef f, const char *const *names)
{
	for (; *names; names++)
		if (name_begins(f, *names))
			return true;
	return false;
}

static bool is_copy_of_bytes(LLVMValueRef f)
{
	static const char *const names[] = {"llvm.memcpy.p0.p0.", "llvm.memcpy.inline.p0.p0.", "llvm.memmove.p0.p0.", NULL};
	return is_one_of(f, names);
}

static bool is_fill_of_bytes(LLVMValueRef f)
{
	static const char *const names[] = {"llvm.memset.p0.", "llvm.memset.inline.p0.", NULL};
	return is_one_of(f, names);
}

/* Of the piece at this offset: as large as is left, a power of two. */
static unsigned piece_size(const struct copy *c, uint64_t offset)
{
	unsigned size = WORD;
	while (size > c->size - offset)
		size /= 2;
	return size;
}

static LLVMTypeRef piece_type(const struct copy *c, unsigned size)
{
	return LLVMIntTypeInContext(c->context, 8 * size);
}

static LLVMValueRef piece_address(const struct copy *c, unsigned operand, uint64_t offset)
{
	LLVMValueRef n = LLVMConstInt(LLVMInt64TypeInContext(c->context), offset, false);
	return LLVMBuildGEP2(c->builder, LLVMInt8TypeInContext(c->context), LLVMGetOperand(c->call, operand), &n, 1, "");
}

/* What is known of the operand's address, at an offset from it. */
static unsigned piece_alignment(const struct copy *c, unsigned operand, uint64_t offset, unsigned size)
{
	LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(c->call, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));
	uint64_t known = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
	unsigned alignment = 1;
	while (alignment < size && (known | offset) % (2 * (uint64_t)alignment) == 0 && known >= 2 * (uint64_t)alignment)
		alignment *= 2;
	return alignment;
}

static void store_piece(const struct copy *c, LLVMValueRef value, uint64_t offset, unsigned size)
{
	LLVMValueRef store = LLVMBuildStore(c->builder, value, piece_address(c, 0, offset));
	LLVMSetAlignment(store, piece_alignment(c, 0, offset, size));
	LLVMSetVolatile(store, c->is_volatile);
}

/* All is read before anything is written, as memmove needs it. */
static void turn_copy(const struct copy *c)
{
	LLVMValueRef values[MOST_BYTES / WORD + 3];
	unsigned n = 0;
	for (uint64_t at = 0; at < c->size; at += piece_size(c, at)) {
		unsigned size = piece_size(c, at);
		values[n] = LLVMBuildLoad2(c->builder, piece_type(c, size), piece_address(c, 1, at), "");
		LLVMSetVolatile(values[n], c->is_volatile);
		LLVMSetAlignment(values[n++], piece_alignment(c, 1, at, size));
	}
	n = 0;
	for (uint64_t at = 0; at < c->size; at += piece_size(c, at))
		store_piece(c, values[n++], at, piece_size(c, at));
}

static void turn_fill(const struct copy *c)
{
	uint64_t byte = LLVMConstIntGetZExtValue(LLVMGetOperand(c->call, 1));
	for (uint64_t at = 0; at < c->size; at += piece_size(c, at)) {
		unsigned size = piece_size(c, at);
		store_piece(c, LLVMConstInt(piece_type(c, size), byte * 0x0101010101010101u, false), at, size);
	}
}

static bool is_short(LLVMValueRef call)
{
	LLVMValueRef size = LLVMGetOperand(call, 2);
	return LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) > 0 && LLVMConstIntGetZExtValue(size) <= MOST_BYTES;
}

static void turn(LLVMBuilderRef builder, LLVMValueRef call, bool fill)
{
	struct copy c = {.builder = builder,
			 .context = LLVMGetModuleContext(LLVMGetGlobalParent(direct_callee(call))),
			 .call = call,
			 .size = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)),
			 .is_volatile = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)) != 0};
	LLVMPositionBuilderBefore(builder, call);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
	if (fill)
		turn_fill(&c);
	else
		turn_copy(&c);
	LLVMInstructionEraseFromParent(call);
}

static void turn_calls_of(LLVMBuilderRef builder, LLVMValueRef f)
{
	bool fill = is_fill_of_bytes(f);
	struct values calls = {0};
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (is_call(call) && direct_callee(call) == f && is_short(call) && (!fill || LLVMIsAConstantInt(LLVMGetOperand(call, 1))))
			values_push(&calls, call);
	}
	for (size_t i = 0; i < calls.n; i++)
		turn(builder, calls.at[i], fill);
	values_free(&calls);
}

/* -------------------------------------------------- long integers ------------------------ */

/* The type that the load or store is of, if that is an integer of two words and no atomic access; or NULL. */
static LLVMTypeRef long_integer(LLVMValueRef insn)
{
	if (!LLVMIsALoadInst(insn) && !LLVMIsAStoreInst(insn))
		return NULL;
	LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(insn) ? insn : LLVMGetOperand(insn, 0));
	bool is_long = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 2 * 8 * WORD;
	return is_long && LLVMGetOrdering(insn) == LLVMAtomicOrderingNotAtomic ? type : NULL;
}

static void turn_access(LLVMBuilderRef b, LLVMValueRef insn, LLVMTypeRef type)
{
	LLVMContextRef context = LLVMGetTypeContext(type);
	LLVMTypeRef word = LLVMIntTypeInContext(context, 8 * WORD);
	LLVMValueRef stored = LLVMIsAStoreInst(insn) ? LLVMGetOperand(insn, 0) : NULL, all = NULL;
	unsigned alignment = LLVMGetAlignment(insn) < WORD ? LLVMGetAlignment(insn) : WORD;
	LLVMPositionBuilderBefore(b, insn);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(insn));
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef offset = LLVMConstInt(word, i * WORD, false), bits = LLVMConstInt(type, i * 8 * WORD, false);
		LLVMValueRef at = LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), LLVMGetOperand(insn, stored ? 1 : 0), &offset, 1, "");
		LLVMValueRef piece = stored ? LLVMBuildStore(b, LLVMBuildTrunc(b, LLVMBuildLShr(b, stored, bits, ""), word, ""), at)
					    : LLVMBuildLoad2(b, word, at, "");
		LLVMSetAlignment(piece, alignment);
		LLVMSetVolatile(piece, LLVMGetVolatile(insn));
		if (stored)
			continue;
		LLVMValueRef part = LLVMBuildShl(b, LLVMBuildZExt(b, piece, type, ""), bits, "");
		all = all ? LLVMBuildOr(b, all, part, "") : part;
	}
	if (all)
		LLVMReplaceAllUsesWith(insn, all);
	LLVMInstructionEraseFromParent(insn);
}

static void turn_accesses_in(LLVMBuilderRef builder, LLVMValueRef f)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			LLVMTypeRef type = long_integer(i);
			if (type)
				turn_access(builder, i, type);
		}
}

void copies_turn(LLVMModuleRef m)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (is_copy_of_bytes(f) || is_fill_of_bytes(f))
			turn_calls_of(builder, f);
		turn_accesses_in(builder, f);
	}
	LLVMDisposeBuilder(builder);
}
