/*
 * The compact code: what translate.c makes of a module once, and what the interpreter runs.
 *
 * A function works on a file of registers, 64 bits each. Every slot of a value (instrument.h) is a register:
 * integers and floats zero extended. Registers are laid out as parameters, constants, values that live
 * across blocks, values of one block. Zero extension, pointer casts, freeze, extractvalue and the like
 * produce no code: the result names the operand's register; so an expression in a register may be
 * narrower than the value and is then zero extended where it is used.
 *
 * An instruction is 16 bytes. `w` is the width in bits of the operation's operands (or what the
 * table below says), d, a and b are operands whose kind is in the table:
 *     w  register written     r  register read      i  number      j  jump, relative to this instruction
 *     p  index in the pool    s  symbol             f  function    c  call
 *     t  text                 x  extra word of the instruction before, kinds as given    -  unused
 * The pool holds operand lists; the comments give their form, R(n) is n registers.
 *
 * Conditional branches go on with the next instruction when the condition is false. Their w is the width in
 * the low byte and the number of IR instructions of the block in the high byte; JMP, SWITCH and RET
 * have that number in w (capped; COUNT makes up for the rest).
 */
#ifndef RETHREAD_CODE_H
#define RETHREAD_CODE_H

#include "base/base.h"

/* clang-format off */
#define CODE_OPS(X)                                                                              \
	X(NOP, "---")                                                                            \
	X(MOV, "wr-")                                                                            \
	/* integers; the suffix is the width, N any width up to 64 */                            \
	X(ADD32, "wrr") X(ADD64, "wrr") X(ADDN, "wrr")                                           \
	X(SUB32, "wrr") X(SUB64, "wrr") X(SUBN, "wrr")                                           \
	X(MUL32, "wrr") X(MUL64, "wrr") X(MULN, "wrr")                                           \
	X(UDIV, "wrr") X(UREM, "wrr") X(SDIV, "wrr") X(SREM, "wrr")                              \
	X(AND, "wrr") X(OR, "wrr") X(XOR, "wrr")                                                 \
	X(SHL32, "wrr") X(SHL64, "wrr") X(SHLN, "wrr")                                           \
	X(LSHR, "wrr") X(ASHR32, "wrr") X(ASHR64, "wrr") X(ASHRN, "wrr")                         \
	X(EQ, "wrr") X(NE, "wrr") X(ULT, "wrr") X(ULE, "wrr")                                    \
	X(SLT32, "wrr") X(SLT64, "wrr") X(SLTN, "wrr")                                           \
	X(SLE32, "wrr") X(SLE64, "wrr") X(SLEN, "wrr")                                           \
	X(SELECT, "wrr") X(ELSE, "r--") /* d = a ? b : d of ELSE; w: width */                    \
	X(TRUNC, "wr-")                 /* to w bits */                                          \
	X(SEXT32, "wr-")                /* from 32 to w bits */                                  \
	X(SEXT, "wri")                  /* from b to w bits */                                   \
	X(EXTR, "wri")                  /* w bits from bit b */                                  \
	X(CONCAT, "wrr")                /* a is low; w: width of low, of high << 8 */            \
	X(BSWAP, "wr-") X(CTPOP, "wr-") X(CTLZ, "wr-") X(CTTZ, "wr-")                            \
	/* addresses */                                                                          \
	X(ADDI, "wri")                  /* 64 bits, b signed */                                  \
	X(LEA, "wrr")                   /* a + b * w */                                          \
	X(LEA32, "wrr")                 /* b is 32 bits, signed */                               \
	X(ALLOCA, "w-i")                /* frame memory + b */                                   \
	X(ALLOCAD, "wrr")               /* a elements of b bytes, aligned to 1 << w */           \
	X(STACKSAVE, "w--") X(STACKRESTORE, "-r-")                                               \
	X(TLS, "ws-")                                                                            \
	/* control */                                                                            \
	X(JMP, "j--")                                                                            \
	X(BR, "jrr")                    /* b is a */                                             \
	X(BR_EQ, "jrr") X(BR_NE, "jrr") X(BR_ULT, "jrr") X(BR_ULE, "jrr")                        \
	X(BR_SLT32, "jrr") X(BR_SLT64, "jrr") X(BR_SLTN, "jrr")                                  \
	X(BR_SLE32, "jrr") X(BR_SLE64, "jrr") X(BR_SLEN, "jrr")                                  \
	X(SWITCH, "pri")                /* pool: struct code_switch; b: width */                 \
	X(GO, "jr-") X(GO_SWITCH, "pri") /* as BR and SWITCH; the log has no bits for them */    \
	X(ROUNDS, "i--")                /* a loop begins whose rounds are counted; d: what the log's highest number stands for */ \
	X(SILENT, "---")                /* the branch that comes next appended nothing if it went its first way */ \
	X(ROUND, "i--")                 /* so for the branch that comes next; d: its outcome when it stays in the loop */ \
	X(RET0, "---") X(RET1, "-r-")                                                            \
	X(RET, "-p-")                   /* pool: n R(n) */                                       \
	X(CALL, "wfp")                  /* pool: n R(n); d is the first of the results */        \
	X(CALLV, "wfc")                 /* of a variadic function of the module */               \
	X(CALLN, "wsc")                 /* of native code */                                     \
	X(CALLI, "wrc")                 /* indirect */                                           \
	X(UNREACHABLE, "---") X(TRAP, "---")                                                     \
	X(UNSUPPORTED, "t--")                                                                    \
	X(COUNT, "i--")                                                                          \
	X(LANDINGPAD, "w--")            /* two registers */                                      \
	X(RESUME, "-r-")                /* a: the exception object */                            \
	/* memory that is no site: address a + b, b signed */                                    \
	X(LD8, "wri") X(LD16, "wri") X(LD32, "wri") X(LD64, "wri") X(LDN, "wri")                 \
	X(ST8, "rri") X(ST16, "rri") X(ST32, "rri") X(ST64, "rri") X(STN, "rri")                 \
	X(LDX8, "wrr") X(LDX16, "wrr") X(LDX32, "wrr") X(LDX64, "wrr") /* address a + b * w */   \
	X(STX8, "rrr") X(STX16, "rrr") X(STX32, "rrr") X(STX64, "rrr")                           \
	X(LDF8, "w-i") X(LDF16, "w-i") X(LDF32, "w-i") X(LDF64, "w-i") /* frame memory + b */    \
	X(STF8, "r-i") X(STF16, "r-i") X(STF32, "r-i") X(STF64, "r-i")                           \
	X(LDMASK, "wrr")                /* if b: d = w bits at a */                              \
	X(STMASK, "rrr")                                                                         \
	/* sites and other memory operations */                                                  \
	X(SITE_LD, "wri")               /* w bits at a; b: site */                               \
	X(SITE_ST, "rri")                                                                        \
	X(SITE_LDM, "--p")              /* pool: site n (R address-R offset bits mask-R)(n) */   \
	X(SITE_STM, "--p")              /* mask-R may be all ones: none */                       \
	X(ATOMIC, "wrp")                /* pool: site R op; w: width */                          \
	X(CMPXCHG, "wrp")               /* pool: site R(expected) R(new); d: old, success */     \
	X(RECALL, "---")                /* the access that comes next: its value is in the log */ \
	X(ALLOCATES, "---")             /* the call that comes next allocates */                  \
	X(ALLOCATED, "-r-")             /* so is this, the result of an allocation; w: where it is */ \
	X(TOLD, "-rr")                  /* a is what the path tells that b is: an anchor */       \
	X(PLACED, "trr")                /* and this, where a local variable or a mapping lies; its size; its name, or "" */ \
	X(SCOPE, "trr")                 /* a local variable that lies there ends, or begins to live if w; its size and name */ \
	X(FENCE, "i--")                 /* site */                                               \
	X(PASS, "i--")                  /* a site that does nothing */                           \
	X(LINE, "i--")                  /* a source line begins: position */                     \
	X(NUMBER, "-rr")                /* two values are used as numbers; w: number_use */      \
	X(MARK, "w--")                  /* how many branches there were */                       \
	X(CHOSEN, "wr-")                /* d is what it is because of those since the mark a */  \
	X(AS, "wr-")                    /* d rests on what a rests on, and nothing else */        \
	X(SPLIT, "i--") X(JOIN, "i--")  /* the branch that comes next; its ways meet in block d; block d begins, or all ends */ \
	X(COPY, "irr") X(SIZE, "r--")   /* d: site; SIZE is the extra word */                    \
	X(FILL, "irr")                  /* and SIZE */                                           \
	X(VASTART, "-r-")                                                                        \
	/* floating point */                                                                     \
	X(FADD32, "wrr") X(FSUB32, "wrr") X(FMUL32, "wrr") X(FDIV32, "wrr")                      \
	X(FADD64, "wrr") X(FSUB64, "wrr") X(FMUL64, "wrr") X(FDIV64, "wrr")                      \
	X(FCMP32, "wrr") X(FCMP64, "wrr") /* w: LLVM's predicate number */                       \
	X(FNEG32, "wr-") X(FNEG64, "wr-") X(FABS32, "wr-") X(FABS64, "wr-")                      \
	X(SITOFP32, "wr-") X(SITOFP64, "wr-") X(UITOFP32, "wr-") X(UITOFP64, "wr-") /* from w */ \
	X(F32TOSI, "wr-") X(F64TOSI, "wr-") X(F32TOUI, "wr-") X(F64TOUI, "wr-")     /* to w */   \
	X(FPEXT, "wr-") X(FPTRUNC, "wr-") /* float to double and back */                         \
	X(FMA32, "wrr") X(FMA64, "wrr")   /* and ELSE: the addend */                             \
	/* everything rare: concrete only, out of line; pool: n R(n); d: first result */         \
	X(HELPER, "wpi")

/* clang-format on */
enum code_op {
#define X(name, kinds) OP_##name,
	CODE_OPS(X)
#undef X
	OP_COUNT_
};

/* Operations of HELPER: name, operands, results. w is a width where it matters. */
/* clang-format off */
#define CODE_HELPERS(X)                                                                          \
	X(MUL128, 4, 2) X(UDIV128, 4, 2) X(SDIV128, 4, 2)        \
	X(UREM128, 4, 2) X(SREM128, 4, 2) X(SHL128, 4, 2) X(LSHR128, 4, 2) X(ASHR128, 4, 2)      \
	X(SEXT128, 2, 2) /* w: from, to << 8 */   \
	X(SITOF32_128, 2, 1) X(SITOF64_128, 2, 1) X(UITOF32_128, 2, 1) X(UITOF64_128, 2, 1)      \
	X(F32TOSI128, 1, 2) X(F64TOSI128, 1, 2) X(F32TOUI128, 1, 2) X(F64TOUI128, 1, 2)          \
	X(FADD80, 4, 2) X(FSUB80, 4, 2) X(FMUL80, 4, 2) X(FDIV80, 4, 2) X(FREM80, 4, 2)          \
	X(FCMP80, 4, 1) X(FNEG80, 2, 2) X(FABS80, 2, 2) X(SITOF80, 1, 2) X(UITOF80, 1, 2)        \
	X(F80TOSI, 2, 1) X(F80TOUI, 2, 1) X(F32TOF80, 1, 2) X(F64TOF80, 1, 2)                    \
	X(F80TOF32, 2, 1) X(F80TOF64, 2, 1)                                                      \
	X(FREM32, 2, 1) X(FREM64, 2, 1)                                                          \
	X(UMULO, 2, 2) X(SMULO, 2, 2) X(SSHLSAT, 2, 1) X(USHLSAT, 2, 1)                          \
	X(SADDSAT, 2, 1) X(SSUBSAT, 2, 1) X(BITREVERSE, 1, 1)                                    \
	X(F32TOSISAT, 1, 1) X(F64TOSISAT, 1, 1) X(F32TOUISAT, 1, 1) X(F64TOUISAT, 1, 1)          \
	X(SQRT32, 1, 1) X(SQRT64, 1, 1) X(FLOOR32, 1, 1) X(FLOOR64, 1, 1) X(CEIL32, 1, 1)        \
	X(CEIL64, 1, 1) X(FTRUNC32, 1, 1) X(FTRUNC64, 1, 1) X(RINT32, 1, 1) X(RINT64, 1, 1)      \
	X(NEARBYINT32, 1, 1) X(NEARBYINT64, 1, 1) X(ROUND32, 1, 1) X(ROUND64, 1, 1)              \
	X(ROUNDEVEN32, 1, 1) X(ROUNDEVEN64, 1, 1) X(SIN32, 1, 1) X(SIN64, 1, 1)                  \
	X(COS32, 1, 1) X(COS64, 1, 1) X(TAN32, 1, 1) X(TAN64, 1, 1) X(EXP32, 1, 1)               \
	X(EXP64, 1, 1) X(EXP2_32, 1, 1) X(EXP2_64, 1, 1) X(EXP10_32, 1, 1) X(EXP10_64, 1, 1)     \
	X(LOG32, 1, 1) X(LOG64, 1, 1) X(LOG2_32, 1, 1) X(LOG2_64, 1, 1) X(LOG10_32, 1, 1)        \
	X(LOG10_64, 1, 1) X(POW32, 2, 1) X(POW64, 2, 1) X(POWI32, 2, 1) X(POWI64, 2, 1)          \
	X(MINNUM32, 2, 1) X(MINNUM64, 2, 1) X(MAXNUM32, 2, 1) X(MAXNUM64, 2, 1)                  \
	X(MINIMUM32, 2, 1) X(MINIMUM64, 2, 1) X(MAXIMUM32, 2, 1) X(MAXIMUM64, 2, 1)              \
	X(COPYSIGN32, 2, 1) X(COPYSIGN64, 2, 1) X(LDEXP32, 2, 1) X(LDEXP64, 2, 1)                \
	X(FREXP32, 1, 2) X(FREXP64, 1, 2) X(LRINT32, 1, 1) X(LRINT64, 1, 1) X(LROUND32, 1, 1)    \
	X(LROUND64, 1, 1) X(CLASS32, 2, 1) X(CLASS64, 2, 1)                                      \
	X(H2F, 1, 1) X(F2H, 1, 1) X(D2H, 1, 1)                                                   \
	X(CRC32, 2, 1)

/* clang-format on */
enum code_helper {
#define X(name, in, out) HELP_##name,
	CODE_HELPERS(X)
#undef X
	HELP_COUNT_
};

/* w of NUMBER: what its operands are used for; of two that are used together it may not matter that they are addresses. NUMBER_BYTES: the
   first leads to as many bytes as the second says, which are looked at as such. NUMBER_SAME: are the two the same? */
enum number_use { NUMBER_ALONE, NUMBER_PAIR, NUMBER_BYTES, NUMBER_SAME };

/* w of RECALL: only where the order of locks is not recorded; the value is a number of 64 bits; it is a float or a double. */
enum { RECALL_UNORDERED = 1, RECALL_WIDE = 2, RECALL_FLOAT = 4, RECALL_OFTEN = 8 };

/* In code.sites: the access is of a floating point number. */
#define CODE_SITE_FLOAT 0x80000000u
#define CODE_SITE_STORE 0x40000000u /* of an instruction that only stores, whatever becomes of it */
#define CODE_SITE_ATOMIC 0x20000000u
#define CODE_SITE_HANDED 0x10000000u /* does not race: what it reads has changed hands */
#define CODE_SITE_FLAGS (CODE_SITE_FLOAT | CODE_SITE_STORE | CODE_SITE_ATOMIC | CODE_SITE_HANDED)

struct insn {
	uint16_t op; /* enum code_op */
	uint16_t w;
	uint32_t d, a, b;
};

/* SWITCH: then ncases of (value low, value high, jump of case i, its successor number), by value. */
struct code_switch {
	uint32_t ncases;
	uint32_t other; /* jump of the default */
};

enum code_symbol_kind { SYMBOL_DATA, SYMBOL_TLS, SYMBOL_FUNCTION, SYMBOL_INTRINSIC };
struct code_symbol {
	uint32_t name;
	uint32_t function; /* index + 1 in functions, 0 when declared only */
	uint32_t kind;
	uint32_t alias; /* symbol + 1 an alias leads to, or 0 */
};

enum { FUNCTION_VARIADIC = 1 };
struct code_function {
	uint32_t symbol, name;
	uint32_t first_insn, ninsns;
	uint32_t nregs, nparams, nresults;
	uint32_t first_const, nconsts;  /* registers nparams .. */
	uint32_t memory, align;         /* static allocas: bytes, alignment */
	uint32_t flags;
	uint32_t reason;                /* text when this is a stub, else 0 */
	uint32_t first_pad, npads;      /* calls with landing pads, by insn */
	uint32_t position;              /* of the function itself */
};

/* A constant register: value + address of the symbol, if any. */
struct code_const {
	uint64_t value;
	uint32_t symbol; /* + 1 */
	uint32_t reserved;
};

/* How a parameter or result goes to or comes from native code (System V x86-64). */
enum code_class {
	CLASS_INT,   /* one slot, a general register */
	CLASS_SINT,  /* the same, sign extended from `bytes` */
	CLASS_INT2,  /* two slots, two general registers (i128) */
	CLASS_SSE,   /* `slots` elements of `bytes` each in one vector register */
	CLASS_X87,   /* two slots, 16 bytes in memory; result in st(0) */
	CLASS_BYVAL, /* one slot, a pointer; `size` bytes are copied to the stack */
};
struct code_arg {
	uint8_t class;
	uint8_t bytes;
	uint8_t slots;
	uint8_t align; /* CLASS_BYVAL */
	uint32_t size;
};

enum { CALL_VARIADIC = 1, CALL_NO_CLASS = 2 };
struct code_call {
	uint32_t site;
	uint32_t registers, nregisters; /* pool: R(nregisters), all parameters flattened */
	uint32_t args, nargs;           /* struct code_arg */
	uint32_t fixed;                 /* registers of the parameters that are not variadic */
	uint32_t results, nresults;     /* struct code_arg */
	uint32_t nout;                  /* result registers */
	uint32_t flags;
	uint32_t reason;                /* text: why native code cannot be called so; or 0 */
};

/* A call that may unwind to a landing pad. Pool: n, then kind and symbols of each clause. */
struct code_pad {
	uint32_t insn, target; /* in the function */
	uint32_t clauses;      /* pool: cleanup nclauses (kind n symbol+1 (n))(nclauses) */
};
enum { CLAUSE_CATCH, CLAUSE_FILTER };

struct code_position {
	uint32_t file, function; /* strings */
	uint32_t line, column;
	uint32_t outer; /* position of the call that it was inlined in place of, or 0 */
	uint32_t implicit; /* 1: in a function that the compiler made of a class, whose line says nothing */
};

#define CODE_MAGIC 0x65646f6374657274ull
#define CODE_VERSION 10

/* Sections of the file, in this order, each an array of its struct, 8-byte aligned. */
/* clang-format off */
#define CODE_SECTIONS(X)                                          \
	X(symbols, struct code_symbol)                            \
	X(functions, struct code_function)                        \
	X(insns, struct insn)                                     \
	X(where, uint32_t) /* of each insn: index in positions */ \
	X(consts, struct code_const)                              \
	X(pool, uint32_t)                                         \
	X(calls, struct code_call)                                \
	X(args, struct code_arg)                                  \
	X(pads, struct code_pad)                                  \
	X(positions, struct code_position)                        \
	X(sites, uint32_t) /* [site]: index in positions, and CODE_SITE_FLAGS */ \
	X(strings, char)

/* clang-format on */
struct code_header {
	uint64_t magic;
	uint32_t version;
	uint32_t nops; /* OP_COUNT_ << 16 | HELP_COUNT_ */
#define X(name, type) uint64_t n##name;
	CODE_SECTIONS(X)
#undef X
};

/* Code as loaded: pointers into one buffer. */
struct code {
	char *buffer;
#define X(name, type) const type *name; size_t n##name;
	CODE_SECTIONS(X)
#undef X
};

/* Everything an instruction can index is checked here, once. */
bool code_load(struct code *c, const char *file, struct error *err);
void code_release(struct code *c);

const char *code_op_name(unsigned op);
const char *code_op_kinds(unsigned op);
extern const uint8_t code_helper_in[HELP_COUNT_], code_helper_out[HELP_COUNT_];
const char *code_helper_name(unsigned helper);

/* The code of one function as text, for debugging. */
void code_dump(const struct code *c, uint32_t function, FILE *out);

#endif
