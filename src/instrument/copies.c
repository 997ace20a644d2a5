/*
 * Structures that are copied or filled by one llvm.memcpy or llvm.memset of a few words. The code generator makes loads and stores of
 * them, between which other threads can come: a reader sees half of an update. So they become loads and stores here already, and each is an
 * access of its own, that inference can order and replay can stop at. Longer ones are calls of the C library and stay whole.
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
}

/* All is read before anything is written, as memmove needs it. */
static void turn_copy(const struct copy *c)
{
	LLVMValueRef values[MOST_BYTES / WORD + 3];
	unsigned n = 0;
	for (uint64_t at = 0; at < c->size; at += piece_size(c, at)) {
		unsigned size = piece_size(c, at);
		values[n] = LLVMBuildLoad2(c->builder, piece_type(c, size), piece_address(c, 1, at), "");
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
	LLVMValueRef size = LLVMGetOperand(call, 2), is_volatile = LLVMGetOperand(call, 3);
	return LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) > 0 && LLVMConstIntGetZExtValue(size) <= MOST_BYTES &&
	       LLVMConstIntGetZExtValue(is_volatile) == 0;
}

static void turn(LLVMBuilderRef builder, LLVMValueRef call, bool fill)
{
	struct copy c = {.builder = builder,
			 .context = LLVMGetModuleContext(LLVMGetGlobalParent(direct_callee(call))),
			 .call = call,
			 .size = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2))};
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

void copies_turn(LLVMModuleRef m)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_copy_of_bytes(f) || is_fill_of_bytes(f))
			turn_calls_of(builder, f);
	LLVMDisposeBuilder(builder);
}
