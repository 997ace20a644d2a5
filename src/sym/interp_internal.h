/*
 * Inside the interpreter.
 *
 * Two dispatch loops are made from interp_loop.h: one for frames whose registers are all concrete, which never
 * looks at expressions, and one for the others. A frame is one or the other (`symbolic`); it becomes symbolic
 * when an expression is put into one of its registers, and remains so until it returns. A loop gives control
 * back when the frame it is to go on with is not of its kind. So a program without symbols runs as if there
 * was no symbolic execution at all.
 *
 * Instructions that are rare or long are functions (interp_slow.c, interp_call.c): they get the pc of their
 * instruction, work on t->frame whatever its kind, and return the pc to go on with.
 */
#ifndef RETHREAD_INTERP_INTERNAL_H
#define RETHREAD_INTERP_INTERNAL_H

#include "sym/code.h"
#include "sym/interp.h"
#include "sym/symmem.h"

#include <rethread/schedule.h>
#include <setjmp.h>
#include <unwind.h>
#include <string.h>

/* A function, ready to be entered. */
struct ifunction {
	const struct insn *code; /* NULL for a stub */
	const uint64_t *consts;
	uint32_t nregs, nparams, nconsts, nresults;
	uint32_t memory, align;
	const struct code_function *info;
};

/* Native functions the interpreter has to understand. */
enum special {
	SPECIAL_NONE,
	SPECIAL_SETJMP,
	SPECIAL_LONGJMP,
	/* What pthread_cleanup_push and pop are made of in C: buffers of setjmp that leaving the frame goes through. */
	SPECIAL_REGISTER,
	SPECIAL_UNREGISTER,
	SPECIAL_UNWIND_NEXT,
};

struct address_map { /* address -> symbol + 1, open addressing */
	uint64_t *keys;
	uint32_t *values;
	size_t cap;
};

struct interp {
	struct code code;
	const void *const *symbols;
	void *(*tls)(uint32_t symbol);
	struct expr_arena *exprs;
	struct symmem *memory;
	struct ifunction *functions;
	uint64_t *consts;
	uint8_t *special; /* by symbol */
	uint8_t *origins; /* by position: enum origin, as far as it was asked for */
	struct address_map addresses;
};

/*
 * Variadic parameters, on the interpreted stack: what va_start copies, and the areas it points to, laid out as
 * machine code does. The path through va_arg depends on which parameters were in registers.
 */
struct varargs {
	struct {
		uint32_t general, vector; /* offsets in saved of the first unused register */
		void *overflow;
		void *saved;
	} list;
	uint8_t saved[176];  /* 6 general registers of 8 bytes, 8 vector registers of 16 */
	uint64_t overflow[]; /* 16-byte aligned */
};

struct frame {
	const struct ifunction *f;
	uint64_t *r;         /* registers */
	expr *x;             /* their expressions, valid when symbolic */
	char *memory;        /* static allocas */
	char *sp;            /* the stack pointer to restore */
	struct varargs *varargs; /* of a variadic function */
	const struct insn *ret; /* the caller's call instruction */
	struct slot *out;    /* where a frame entered by interp_call leaves its result; NULL in others */
	uint32_t ret_d;      /* first register of the caller for the result */
	bool symbolic;
};

/* One interp_call, on the native stack. An interpreted longjmp may come back to it from inner ones. */
struct activation {
	struct activation *outer;
	jmp_buf jump;
};

struct ithread {
	struct interp *in;
	struct symmem *mem;
	void *data;
	struct frame *frame; /* the running one */
	const struct insn *pc; /* of the running frame: exact at host calls, memory accesses and divisions */
	char *sp;
	uint64_t count;
	uint64_t stored;     /* ithread_stored */
	vec(struct slot) registers; /* ithread_registers */
	uint32_t patience; /* branches that are not in the log until the host is asked whether to go on */
	uint32_t jumps;    /* ... and jumps until it is */
	struct frame *frames, *frames_end;
	uint64_t *values, *values_end;
	expr *exprs;
	char *stack, *stack_end; /* grows down */
	unsigned depth;      /* nesting of interp_call */
	struct activation *activation; /* the innermost */
	bool stopped;
	struct slot landing[2]; /* exception object and selector, for LANDINGPAD */
	struct _Unwind_Exception leaving; /* the exception that ends the thread */
	vec(uint64_t) cleanups;           /* buffers registered by C's pthread_cleanup_push, innermost last */
	sigjmp_buf stop;
};

enum { RUN_DONE, RUN_OTHER };
int run_concrete(struct ithread *t);
int run_symbolic(struct ithread *t);

/* ------------------------------------------------------------------ frames (interp.c) */

/* From now on the frame has expressions: all EXPR_NONE. */
void frame_make_symbolic(struct frame *fr);
_Noreturn void stack_overflow(struct ithread *t);

/*
 * A frame above the running one, which is at t->pc; parameters and constants are still to be filled in. sp is
 * the stack pointer to restore.
 */
static inline void frame_push(struct ithread *t, const struct ifunction *f, char *sp, uint32_t ret_d)
{
	struct frame *old = t->frame, *fr = old + 1;
	fr->f = f;
	fr->r = old->r + old->f->nregs;
	fr->x = old->x + old->f->nregs;
	fr->sp = sp;
	fr->memory = t->sp = (char *)(((uintptr_t)t->sp - f->memory) & -(uintptr_t)f->align);
	fr->varargs = NULL;
	fr->ret = t->pc;
	fr->out = NULL;
	fr->ret_d = ret_d;
	fr->symbolic = false;
	if (__builtin_expect(fr + 1 >= t->frames_end || fr->r + f->nregs > t->values_end ||
				     t->sp < t->stack, 0))
		stack_overflow(t);
	t->frame = fr;
}

/* Leave the running frame; its results are saved. What it had on the stack is no longer symbolic. */
static inline void frame_pop(struct ithread *t)
{
	struct frame *fr = t->frame;
	if (__builtin_expect(t->mem->npages != 0, 0) && fr->sp != t->sp)
		symmem_clear(t->mem, (uint64_t)t->sp, (uint64_t)(fr->sp - t->sp));
	t->sp = fr->sp;
	t->frame = fr - 1;
}

/* Something was stored; what cannot be told is never the same again. */
static inline uint64_t store_grows(uint64_t at, uint64_t value)
{
	return (at ^ value * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
}

static inline void note_store(struct ithread *t, uint64_t at, uint64_t value)
{
	t->stored += store_grows(at, value);
}

/* Of a store by what is no site: is the host to know? */
static inline bool is_told_of(const struct symmem *mem, uint64_t address)
{
	return address - RT_MIRROR < RT_MIRROR_SIZE || symmem_watched(mem, address);
}

static inline void note_unknown_store(struct ithread *t)
{
	note_store(t, t->count, t->stored);
}

static inline struct slot reg_get(const struct frame *fr, uint32_t n)
{
	return (struct slot){.v = fr->r[n], .e = fr->symbolic ? fr->x[n] : EXPR_NONE};
}

static inline void reg_set(struct frame *fr, uint32_t n, struct slot s)
{
	fr->r[n] = s.v;
	if (s.e && !fr->symbolic)
		frame_make_symbolic(fr);
	if (fr->symbolic)
		fr->x[n] = s.e;
}

/* The register's value, made concrete if it is symbolic. */
uint64_t reg_concrete(struct ithread *t, uint32_t n, const char *why);

/* Symbol of the module at this address, or -1. */
int64_t symbol_at(const struct interp *in, uint64_t address);

/* ------------------------------------------------------------------ expressions (interp_sym.c) */

/* e, or the constant v when there is none, w bits wide. */
expr sym_operand(struct ithread *t, unsigned w, uint64_t v, expr e);
/* EXPR_NONE when it is a constant. */
expr sym_fold(struct ithread *t, expr e);
expr sym_binary(struct ithread *t, enum expr_op op, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb);
expr sym_float(struct ithread *t, enum expr_op op, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb);
expr sym_float_compare(struct ithread *t, unsigned predicate, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb);
expr sym_float_unary(struct ithread *t, enum expr_op op, unsigned from, unsigned to, expr e);
expr sym_not_equal(struct ithread *t, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb);
expr sym_select(struct ithread *t, unsigned w, expr c, uint64_t a, expr ea, uint64_t b, expr eb);
expr sym_trunc(struct ithread *t, unsigned w, expr e);
expr sym_sext(struct ithread *t, unsigned from, unsigned to, expr e);
expr sym_extract(struct ithread *t, unsigned low, unsigned w, expr e);
expr sym_concat(struct ithread *t, unsigned wlow, uint64_t a, expr ea, unsigned whigh, uint64_t b, expr eb);
expr sym_bswap(struct ithread *t, unsigned w, expr e);
expr sym_scaled(struct ithread *t, uint64_t base, expr eb, uint64_t index, expr ei, unsigned iwidth,
		unsigned scale);

/* A symbolic condition: what the log says, and the path condition. May stop the thread. */
bool sym_branch(struct ithread *t, expr condition, bool concrete);
/* The log disagrees with the concrete condition: -2, -1 or a mismatch. */
bool branch_disagrees(struct ithread *t, int64_t bit, bool concrete);
/* Branches that are not in the log. */
#define PATIENCE (1u << 22)
void known_is_symbolic(struct ithread *t, struct slot condition);
void known_for_long(struct ithread *t);
void jumped_for_long(struct ithread *t);

/* ------------------------------------------------------------------ slow instructions */

typedef const struct insn *slow(struct ithread *t, const struct insn *pc);
slow slow_switch, slow_go_switch, slow_allocad, slow_tls, slow_mask_load, slow_mask_store, slow_site_load,
	slow_site_store, slow_site_load_many, slow_site_store_many, slow_atomic, slow_cmpxchg,
	slow_copy, slow_fill, slow_chosen, slow_as, slow_vastart, slow_helper, slow_load_n, slow_store_n;
/* interp_call.c */
slow slow_call_variadic, slow_call_native, slow_call_indirect, slow_call_stub;
/* The frame that called setjmp with this buffer; a jump there, giving it `value`. */
struct frame *jump_frame(uint64_t buffer);
const struct insn *jump_to(struct ithread *t, uint64_t buffer, struct slot value);
/* interp_unwind.c */
slow slow_landingpad, slow_resume;
const struct insn *unwind(struct ithread *t, void *exception);
/* __pthread_unwind_next at t->pc: the next cleanup outwards. */
const struct insn *unwind_next(struct ithread *t);

/* interp_helper.c */
typedef void helper(const uint64_t *in, uint64_t *out, unsigned w);
extern helper *const helpers[HELP_COUNT_];

/* interp_native.c: call `function` as described; false and *exception when it threw. */
bool native_call(const struct code *c, const struct code_call *call, void *function, const struct slot *in,
		 struct slot *out, void **exception);

/* By how much x86 shifts a number of that many bits. */
static inline unsigned shift_of(uint64_t by, unsigned width)
{
	return by & (width > 32 ? 63 : 31);
}

static inline uint64_t mask_of(unsigned width)
{
	return ~0ull >> (64 - width);
}

static inline int64_t sext_from(uint64_t v, unsigned width)
{
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

#endif
