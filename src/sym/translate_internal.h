/*
 * Inside the translator: one `struct tr` per module, its `fn` part is reset for each function.
 *
 * Registers are numbered provisionally, a tag saying which part of the register file they are in; when a
 * function is complete the size of each part is known and fn_finish() puts the final numbers in.
 * What an instruction cannot be translated for is thrown with cannot(): the instruction becomes UNSUPPORTED,
 * which names the reason if it is ever executed.
 */
#ifndef RETHREAD_TRANSLATE_INTERNAL_H
#define RETHREAD_TRANSLATE_INTERNAL_H

#include "sym/code.h"

#include <rethread/instrument.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <setjmp.h>

typedef uint32_t reg;
enum { PART_PARAM, PART_CONST, PART_GLOBAL, PART_LOCAL };
#define REG(part, n) ((uint32_t)(part) << 30 | (uint32_t)(n))
#define REG_PART(r) ((r) >> 30)
#define REG_NUMBER(r) ((r) & 0x3fffffffu)
#define NO_REG 0xffffffffu

/* From pointers to numbers. */
struct map {
	const void **keys;
	uint32_t *values;
	size_t n, cap;
};
bool map_get(const struct map *m, const void *key, uint32_t *value);
void map_put(struct map *m, const void *key, uint32_t value);
void map_release(struct map *m);

/* One slot of a type: how its bits lie in memory. */
enum leaf_kind { LEAF_INT, LEAF_PTR, LEAF_HALF, LEAF_FLOAT, LEAF_DOUBLE, LEAF_WIDE, LEAF_F80, LEAF_OTHER };
struct leaf {
	uint8_t kind;
	uint8_t part;    /* LEAF_WIDE, LEAF_F80: 0 low, 1 high */
	uint16_t width;  /* bits of this slot */
	uint32_t offset; /* bytes */
};
typedef vec(struct leaf) leaf_list;
typedef vec(uint32_t) word_list;

struct edge_fix { /* a jump to a block whose place is not known yet */
	size_t at;       /* insn, or pool index */
	uint32_t base;   /* insn the jump is relative to */
	uint32_t block;
	bool in_pool;
};

struct tr {
	LLVMContextRef ctx;
	LLVMModuleRef module;
	LLVMTargetDataRef layout;
	unsigned site_kind;
	unsigned handed_kind; /* on loads that are sites, and do not race */
	unsigned value_kind; /* on instructions whose values are in the log */
	unsigned often_kind; /* on those that come often */
	unsigned local_kind; /* on local variables: their names */
	unsigned known_kind; /* on branches that the log has no bits for */
	unsigned silent_kind;             /* of branches with a way that appends nothing */
	unsigned rounds_kind, round_kind; /* of loops whose rounds it counts */
	unsigned attr_byval, attr_signext, attr_sret;
	struct map symbols;      /* global value -> number */
	struct map functions;    /* LLVM function -> index in functions */
	const char *message;     /* of cannot() */
	char text[512];
	jmp_buf failed;

	/* Sections under construction. */
	vec(struct code_symbol) out_symbols;
	vec(struct code_function) out_functions;
	vec(struct insn) out_insns;
	vec(uint32_t) out_where;
	vec(struct code_const) out_consts;
	vec(uint32_t) out_pool;
	vec(struct code_call) out_calls;
	vec(struct code_arg) out_args;
	vec(struct code_pad) out_pads;
	vec(struct code_position) out_positions;
	vec(uint32_t) out_sites;
	vec(char) out_strings;
	struct map strings;      /* by hash of their text */
	struct map locations;    /* debug location -> position */
	struct map lines;        /* hash of file, function and line -> position */
	bool with_lines, with_numbers, with_choices;

	struct {
		LLVMValueRef function;
		struct code_function *out;
		LLVMBasicBlockRef *blocks; /* in layout order */
		uint32_t nblocks;
		struct map block_number;
		uint32_t *block_at;        /* first insn */
		struct map value_index;    /* value -> index in `lists`, 0 for none */
		vec(const reg *) lists;    /* registers of values, in `chunks` */
		vec(reg *) chunks;
		size_t chunk_left;
		struct map locals;         /* instruction -> 1 when only its block uses it */
		vec(uint32_t) pool_regs;   /* pool words that are registers */
		vec(struct edge_fix) fixes;
		uint32_t nglobal, nlocal, maxlocal;
		struct map folded;         /* memo of is_folded() */
		struct map consts;         /* hash of a constant -> number */
		struct map allocas;        /* static alloca -> offset in frame memory */
		uint32_t memory, align;
		uint32_t block;            /* being translated */
		uint32_t count;            /* IR instructions of the block so far */
		uint32_t position;
		bool has_fma;
		struct choices *choices;   /* NULL without */
	} fn;
};

/* translate.c */
_Noreturn void cannot(struct tr *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t emit(struct tr *t, enum code_op op, unsigned w, uint32_t d, uint32_t a, uint32_t b);
uint32_t pool_word(struct tr *t, uint32_t word);
uint32_t pool_reg(struct tr *t, reg r);
/* n R(n), as most operand lists are. */
uint32_t pool_regs(struct tr *t, const reg *regs, size_t n);
/* Is the instruction's value in the log? */
bool is_recorded_value(struct tr *t, LLVMValueRef i);
/* Of an alloca: what the pass calls it, as a string. */
uint32_t local_name(struct tr *t, LLVMValueRef alloca);
/* ... in a way of its own: RT_VALUE_* of include/rethread/instrument.h. */
bool is_value_kind(struct tr *t, LLVMValueRef i, const char *kind);
/* After a call: where it is an allocation that is in the log. */
/* Before and after a call that allocates. */
void translate_allocates(struct tr *t, LLVMValueRef call);
void translate_allocated(struct tr *t, LLVMValueRef call);
/* The number that the pass has left there, if it has. */
bool number_at(LLVMValueRef i, unsigned kind, uint32_t *number);
uint32_t site_of(struct tr *t, LLVMValueRef i);
extern const char *const op_kinds[OP_COUNT_]; /* as in code.h */

/* translate_flow.c */
void translate_terminator(struct tr *t, LLVMValueRef i);
/* The icmp whose only use is this branch, right in its block; it becomes part of the branch. */
bool fused_compare(struct tr *t, LLVMValueRef br, LLVMValueRef *compare);

/* translate_value.c: types, registers, constants */
unsigned slots_of(struct tr *t, LLVMTypeRef type);
void leaves_of(struct tr *t, LLVMTypeRef type, uint64_t offset, leaf_list *out);
/* The registers of a value; constants are made on the way. Good until the function is done. */
const reg *value_regs(struct tr *t, LLVMValueRef v);
reg value_reg(struct tr *t, LLVMValueRef v); /* of a scalar */
reg const_reg(struct tr *t, uint64_t value);
reg symbol_reg(struct tr *t, uint32_t symbol, uint64_t offset);
reg *new_list(struct tr *t, unsigned n); /* to be filled; good until the function is done */
reg new_temp(struct tr *t);
reg new_temps(struct tr *t, unsigned n); /* consecutive */
/* Fresh registers, consecutive, for the result of an instruction; returns the first. */
reg define(struct tr *t, LLVMValueRef v);
void define_as(struct tr *t, LLVMValueRef v, const reg *regs); /* of new_list or value_regs */
/* Does the instruction only give new names to registers? */
bool is_renaming(struct tr *t, LLVMValueRef i);
bool const_int(LLVMValueRef v, uint64_t *value); /* of up to 64 bits, sign extended */
uint64_t type_size(struct tr *t, LLVMTypeRef type); /* with padding */
static inline unsigned int_width(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
}

/* Of an instruction or a constant expression. */
static inline LLVMOpcode opcode(LLVMValueRef v)
{
	return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMGetConstOpcode(v);
}

static inline LLVMTypeRef element(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static inline unsigned elements(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* translate_insn.c: arithmetic, casts, vectors, aggregates. Operands by number, so that constant
 * expressions can come here too. */
void translate_simple(struct tr *t, LLVMValueRef i);
bool is_simple(LLVMOpcode op);
void emit_compare(struct tr *t, LLVMIntPredicate p, unsigned width, reg d, reg a, reg b);
enum code_op compare_op(LLVMIntPredicate p, unsigned width, bool *swap);
reg emit_select(struct tr *t, unsigned width, reg d, reg c, reg a, reg b);
void emit_binary(struct tr *t, LLVMOpcode op, unsigned width, reg d, reg a, reg b);
void emit_helper(struct tr *t, enum code_helper h, unsigned w, reg d, const reg *in);
void emit_float_binary(struct tr *t, LLVMOpcode op, unsigned kind, reg d, const reg *a, const reg *b);
enum leaf_kind kind_of(struct tr *t, LLVMTypeRef type); /* of an element */

/* translate_cast.c */
void translate_cast(struct tr *t, LLVMValueRef i, LLVMOpcode op);
bool is_renaming_cast(struct tr *t, LLVMValueRef i, LLVMOpcode op);
/* The same bits, cut into slots of another type. */
void emit_bitcast(struct tr *t, LLVMTypeRef from, const reg *in, LLVMTypeRef to, reg *out);

/* translate_address.c: local variables and address arithmetic */
/* Gives the allocas of the entry block their places in the frame. */
void plan_allocas(struct tr *t);
void translate_gep(struct tr *t, LLVMValueRef i);
/* Is this GEP or alloca folded into all of its uses? */
bool is_folded(struct tr *t, LLVMValueRef i);
/* What a plain load or store goes to. */
struct address {
	bool frame;     /* of static allocas: offset counts from there */
	reg base;
	int64_t offset;
	reg index;      /* or NO_REG */
	unsigned scale;
};
struct address address_of(struct tr *t, LLVMValueRef v);
void emit_add_offset(struct tr *t, reg d, reg base, int64_t offset);

/* translate_memory.c: loads, stores, and the others by the two files around it */
bool is_memory(LLVMOpcode op);
void translate_memory(struct tr *t, LLVMValueRef i);
/* A load (values NULL) or store of pieces with a mask register each; scattered: an address each, too. */
void emit_masked(struct tr *t, uint32_t site, const reg *addresses, bool scattered, const leaf_list *l,
		 reg d, const reg *values, const reg *masks);

/* translate_atomic.c */
void translate_atomic(struct tr *t, LLVMValueRef i);
void translate_cmpxchg(struct tr *t, LLVMValueRef i);
void translate_fence(struct tr *t, LLVMValueRef i);
/*
 * A sequentially consistent store is an exchange whose result nobody wants, as on the machine: it drains the store
 * buffer. Wider ones are no exchanges of ours.
 */
bool is_exchange(struct tr *t, LLVMValueRef store);
void translate_exchange(struct tr *t, LLVMValueRef store);

/* translate_call.c */
void translate_call(struct tr *t, LLVMValueRef i);
void translate_landingpad(struct tr *t, LLVMValueRef i);

/* translate_asm.c */
void translate_asm(struct tr *t, LLVMValueRef i, LLVMValueRef callee);

/* translate_intrinsic.c: false when it is none we know. */
bool translate_intrinsic(struct tr *t, LLVMValueRef i, const char *name);

/* translate_numbers.c: before the instruction, if it makes a number of what may be an address. */
void translate_number(struct tr *t, LLVMValueRef i);

/*
 * translate_choices.c: does nothing in code without choices. The plan is made when blocks have numbers, before registers are defined; then at the begin of a block,
 * before its end, behind a call, and on an edge, which has code of its own then, on both sides of its moves.
 */
void plan_choices(struct tr *t);
void release_choices(struct tr *t);
void choices_at_block(struct tr *t, uint32_t block);
void choices_at_end(struct tr *t, LLVMValueRef end);
void choices_behind_call(struct tr *t, LLVMValueRef call);
bool choices_on_edge(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
void choices_before_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
void choices_behind_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to);

/* translate_debug.c */
uint32_t add_string(struct tr *t, const char *s, size_t n);
uint32_t position_of(struct tr *t, LLVMValueRef i);
/* One position for all of the same line, file and function; 0 when the line is unknown. */
uint32_t line_of(struct tr *t, uint32_t position);
uint32_t function_position(struct tr *t, LLVMValueRef f);

#endif
