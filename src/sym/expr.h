/*
 * Bit-vector expressions over symbols: the values a concrete run cannot know.
 *
 * An arena of hash-consed nodes, named by number; 0 (EXPR_NONE) means "concrete, no expression". Node
 * constructors fold constants and apply cheap identities; they return a node, which may be EXPR_CONST.
 * Widths are 1 to 64 bits. Comparison results have width 1. Operands always have smaller numbers than
 * the node, so an array of nodes can be written to a file and evaluated in one forward scan.
 */
#ifndef RETHREAD_EXPR_H
#define RETHREAD_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t expr;
#define EXPR_NONE 0u

enum expr_op {
	EXPR_CONST = 1, /* value */
	EXPR_SYM,       /* value: symbol number, from 0 */
	EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_UDIV, EXPR_SDIV, EXPR_UREM, EXPR_SREM,
	EXPR_AND, EXPR_OR, EXPR_XOR, EXPR_SHL, EXPR_LSHR, EXPR_ASHR,
	EXPR_EQ, EXPR_ULT, EXPR_ULE, EXPR_SLT, EXPR_SLE, /* width 1 */
	EXPR_ITE,       /* a ? b : c, a of width 1 */
	EXPR_CONCAT,    /* a is the high part */
	EXPR_EXTRACT,   /* value: lowest bit; width says how many */
	EXPR_ZEXT, EXPR_SEXT,
	/* IEEE bit patterns of 32 or 64 bits, rounded to nearest: floats.h */
	EXPR_FADD, EXPR_FSUB, EXPR_FMUL, EXPR_FDIV,
	EXPR_FCMP,      /* value: LLVM's predicate; width 1 */
	EXPR_FSQRT,
	EXPR_SI_TO_F, EXPR_UI_TO_F, EXPR_F_TO_SI, EXPR_F_TO_UI, EXPR_F_TO_F, /* width says to what */
	EXPR_OP_COUNT
};

struct expr_node {
	uint8_t op;
	uint8_t width;
	uint16_t reserved;
	expr a, b, c;
	uint64_t value;
};

struct expr_arena; /* opaque */

struct expr_arena *expr_arena_new(void);
void expr_arena_free(struct expr_arena *x);
const struct expr_node *expr_node(const struct expr_arena *x, expr e);
size_t expr_count(const struct expr_arena *x); /* nodes are 1 .. count */
/* Are the two the same, with the second of each pair of symbols in b where a has the first? EXPR_NONE is only itself. */
struct expr_pair {
	expr a, b;
};
bool expr_same_but(const struct expr_arena *x, expr a, expr b, const struct expr_pair *symbols, size_t n);
/* Is the symbol in it? False, too, where that is not seen soon. */
bool expr_mentions(const struct expr_arena *x, expr e, expr symbol);
const struct expr_node *expr_nodes(const struct expr_arena *x); /* array; [0] is unused */
/* An arena holding these nodes (as from a file); NULL when they break the invariants above. */
struct expr_arena *expr_arena_load(const struct expr_node *nodes, size_t count);

expr expr_const(struct expr_arena *x, unsigned width, uint64_t value);
expr expr_sym(struct expr_arena *x, unsigned width, uint64_t symbol);
expr expr_binary(struct expr_arena *x, enum expr_op op, expr a, expr b);
expr expr_not(struct expr_arena *x, expr a);           /* bitwise */
expr expr_ite(struct expr_arena *x, expr c, expr t, expr f);
expr expr_concat(struct expr_arena *x, expr high, expr low);
expr expr_extract(struct expr_arena *x, expr a, unsigned low, unsigned width);
expr expr_zext(struct expr_arena *x, expr a, unsigned width);
expr expr_sext(struct expr_arena *x, expr a, unsigned width);
/* e == value, which has its width. */
expr expr_equals(struct expr_arena *x, expr e, uint64_t value);
bool expr_is_float_op(unsigned op);
expr expr_float(struct expr_arena *x, enum expr_op op, expr a, expr b); /* FADD to FDIV */
expr expr_float_compare(struct expr_arena *x, unsigned predicate, expr a, expr b);
/*
 * Is the number the value? A NaN is any NaN: which of its bit patterns comes depends on which operand the compiler has put
 * first.
 */
expr expr_float_is(struct expr_arena *x, expr e, uint64_t value);
bool expr_makes_float(unsigned op); /* an operation whose result is one */
expr expr_float_unary(struct expr_arena *x, enum expr_op op, expr a, unsigned width); /* FSQRT and conversions */
/* Is e a constant; if so *value is it. */
bool expr_is_const(const struct expr_arena *x, expr e, uint64_t *value);

/*
 * Values of all nodes under values for the symbols: out[1..count]. Division by zero and over-wide shifts give
 * what SMT-LIB says (all ones or the dividend; zero or the sign). Returns the value of e in expr_eval.
 */
void expr_eval_all(const struct expr_arena *x, const uint64_t *symbols, uint64_t *out);
uint64_t expr_eval(const struct expr_arena *x, expr e, const uint64_t *symbols);

/* The value of node e alone, given those of its operands in values[1 .. e - 1] and of the symbols. */
uint64_t expr_apply(const struct expr_arena *x, expr e, const uint64_t *symbols, const uint64_t *values);

/*
 * Symbols of this number and up were used for a while, and nothing that counts mentions them any more: they become constants. The last thing that is done to an
 * arena before it is written, since equal nodes are one no longer.
 */
void expr_forget_symbols(struct expr_arena *x, uint64_t first);

/* Text like "(s3 + 1) == 4", for messages; truncated to size. */
void expr_print(const struct expr_arena *x, expr e, char *text, size_t size);

/* All bits of the width; the value as a signed one. */
static inline uint64_t expr_ones(unsigned width)
{
	return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static inline int64_t expr_signed(uint64_t v, unsigned width)
{
	unsigned shift = 64 - width;
	return (int64_t)(v << shift) >> shift;
}

#endif
