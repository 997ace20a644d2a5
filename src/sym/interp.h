/*
 * The interpreter: executes functions of the kept module on real memory, concolically.
 *
 * Every scalar is a `struct slot`: a concrete value, always computed, and an expression when it depends on a
 * symbol. Real memory always holds concrete values; expressions of memory live in a shadow (symmem.h).
 * So a location holds what one guessed interleaving would have put there, and its expression says what
 * it is in general.
 *
 * One `struct interp` per process (the translated code, shared), one `struct ithread` per target thread,
 * used by that thread only; the embedding ensures that only one thread interprets at a time.
 * What depends on being inside a twin is behind the host functions below, which the embedding defines
 * (src/sym/engine.c in a twin, the test harness in tests).
 */
#ifndef RETHREAD_INTERP_H
#define RETHREAD_INTERP_H

#include "base/base.h"
#include "sym/expr.h"

struct slot {
	uint64_t v;
	expr e;
};

struct interp;  /* translated code and tables, opaque */
struct ithread; /* one interpreted thread, opaque */

/*
 * Load translated code (a file made by translate.h). symbols[n] is the address of symbol n in this process
 * or NULL (intrinsics); tls gives addresses of thread-local variables. Arena and shadow are shared.
 */
struct interp *interp_new(const char *code_file, const void *const *symbols, uint32_t nsymbols,
			  void *(*tls)(uint32_t symbol), struct expr_arena *exprs, struct error *err);
void interp_free(struct interp *in);
/* How many slots a defined function takes and gives; name of any symbol. */
void interp_signature(const struct interp *in, uint32_t symbol, unsigned *nin, unsigned *nout);
const char *interp_symbol_name(const struct interp *in, uint32_t symbol);

/* `data` is the host's; stack is allocated here. */
struct ithread *ithread_new(struct interp *in, void *data);
void ithread_free(struct ithread *t);
void *ithread_data(const struct ithread *t);

/*
 * Run function `symbol`. Parameters and result are slots as in instrument.h. Re-entrant: native code called
 * from interpreted code may call back. Returns false when the thread was stopped (host_stop); out is
 * then undefined, and the thread must not be run again.
 */
bool interp_call(struct ithread *t, uint32_t symbol, const struct slot *in, struct slot *out);

/* Was this buffer filled by a setjmp of interpreted code? Then native code's longjmp goes there, over interp_calls that may be in between. */
bool interp_jumps_to(const void *buffer);
_Noreturn void interp_jump(struct ithread *t, const void *buffer, int value);

/* Where the thread is: for messages and sites. Valid inside host functions and after a stop. */
struct position {
	const char *function;
	const char *file; /* "?" without debug information */
	uint32_t line;
	uint32_t column;
};
void ithread_position(const struct ithread *t, struct position *p);

/* Is it an access of a floating point number? */
bool interp_site_is_float(const struct interp *in, uint32_t site);

/* Is it a store? A sequentially consistent one is executed as an exchange. */
bool interp_site_is_store(const struct interp *in, uint32_t site);

/*
 * Where the program's own code was, as a number for interp_place: at the site (0: where the thread is), or, if that is in a header of the system
 * (std::mutex, the nodes of a std::map), at the nearest call from code that is not. Inlined or called is the same.
 */
uint32_t ithread_own_place(const struct ithread *t, uint32_t site);
/* Is the site in the program's own code, whoever called it? Then its own place never changes. */
bool interp_site_is_system(const struct interp *in, uint32_t site); /* in a system header, whatever that was inlined into */
bool interp_site_is_handed(const struct interp *in, uint32_t site); /* it does not race: what it reads has changed hands */
bool interp_site_is_account(const struct interp *in, uint32_t site); /* ... which keeps account of something there, in an atomic variable of its own */
bool interp_site_is_own(const struct interp *in, uint32_t site);

/* By the number that host_line gets, or ithread_own_place returned. */
void interp_place(const struct interp *in, uint32_t position, struct position *p);

/* Where the thread is and who called it, innermost first; returns how many, at most `most`. As ithread_position. */
unsigned ithread_stack(const struct ithread *t, struct position *frames, unsigned most);

/*
 * All registers of all frames, innermost last, until this is called again; and a number that grows by the same amount whenever
 * the same is stored to memory that is no site's. Where a thread comes to the same instruction twice with the same in both,
 * it is in the same state.
 */
const struct slot *ithread_registers(struct ithread *t, size_t *n);
uint64_t ithread_stored(const struct ithread *t);
/* By how much storing the value there makes that number grow. */
uint64_t ithread_store_grows(uint64_t address, uint64_t value);
/* Another value for the i-th of the registers. */
void ithread_set_register(struct ithread *t, size_t i, struct slot s);
/* The memory of local variables of all frames. */
const void *ithread_locals(const struct ithread *t, size_t *size);
/* Is the address on the thread's stack? below: where no frame is. */
bool ithread_is_on_stack(const struct ithread *t, uint64_t address, bool *below);

/* Executed IR instructions, for figures. */
uint64_t ithread_instructions(const struct ithread *t);

/*
 * The thread is to end, running cleanups first, as pthread_exit and cancellation do: the exception to raise
 * (_Unwind_RaiseException) in native code that interpreted code called. host_exited runs when no frame is left.
 */
void *ithread_exit_exception(struct ithread *t);

/*
 * For host functions that call code which may raise one: f(a, b), and what it raised or NULL; and raising it where interpreted
 * code called the host function itself, no native code between.
 */
void *interp_guarded(bool (*f)(int, const void *), int a, const void *b, bool *result);
_Noreturn void ithread_raise(struct ithread *t, void *exception);

/* Is there an interp_call of the thread's to go back to? Not in what libraries do before, between and after: exit handlers, destructors. */
bool ithread_runs(const struct ithread *t);

/* Stop the running thread: unwinds to the outermost interp_call, which returns false. Only from host functions. */
_Noreturn void ithread_stop(struct ithread *t);

/*
 * Expressions of memory, for the host: the expression of size bytes at address (EXPR_NONE: concrete). Set it
 * when memory already holds the concrete value: bytes that native code changes later lose their expression.
 */
expr interp_memory_expr(struct interp *in, uint64_t address, unsigned size);
void interp_set_memory_expr(struct interp *in, uint64_t address, unsigned size, expr e);
void interp_clear_memory_expr(struct interp *in, uint64_t address, uint64_t size);
/* Every expression in memory becomes what f makes of it, which has to have the same width. */
void interp_replace_memory_exprs(struct interp *in, expr (*f)(void *data, expr e), void *data);

/* host_own_store is called for stores to that page as well. */
void interp_watch(struct interp *in, uint64_t address);

/* -------------------------------------------------- what the embedding defines ------------ */

/*
 * n recorded path bits (most significant first), or -1 when the log has no more: the thread stops there.
 * -2: there is no log, follow the concrete value. -3: the thread may not have got here; if it did, it went the way that appends nothing.
 */
int64_t host_path_bits(struct ithread *t, unsigned n);

/* A loop begins whose rounds the log counts; what its highest number stands for. */
void host_rounds(struct ithread *t, uint32_t most);
/* The path bit that is asked for next is that of a branch in this loop; its outcome when it stays there. */
void host_round(struct ithread *t, bool stays);

/*
 * The path bit that is asked for next is that of a branch whose true way appends nothing by itself (src/instrument/silent.c): the log of a thread that died
 * there may end before it.
 */
void host_silent(struct ithread *t);
/* The bit was -3; by what it computes, the thread goes that way or not. */
bool host_silent_goes(struct ithread *t, bool concrete);

/*
 * Very many branches that are not recorded (instrument.h), or jumps, were taken since this was last called, or since the thread
 * began. A thread that was killed in the recorded run may be stopped here; the log does not say where it was.
 */
void host_unrecorded(struct ithread *t);
/* Have the thread call it at its next jump. */
void ithread_ask(struct ithread *t);

/*
 * A branch that is not recorded, because what decides it can be computed, depends on an expression whose value is v. False: it must not, and
 * the interpreter gives up.
 */
bool host_known(struct ithread *t, expr e, uint64_t v);

/* The thread comes to a source line; only with code that was translated with lines. */
void host_line(struct ithread *t, uint32_t position);

/*
 * Two values of 64 bits (or one, twice) are used as numbers, such that it matters whether they are addresses; or a number comes
 * that is another one in each run (enum number_use of code.h). Only with code that was translated with numbers.
 */
void host_number(struct ithread *t, unsigned use, struct slot a, struct slot b);

/*
 * Branches that chose a value (ties.c), only with code that was translated with choices. How many there were; a value that is what it is because of those of this
 * frame since then; the ways of the branch that comes next meet again in that block; the block is come to, or, UINT32_MAX, the function is left.
 */
uint64_t host_mark(struct ithread *t);
struct slot host_chosen(struct ithread *t, struct slot value, uint64_t mark);
/* What is read at an address that still has an expression after host_concretize. */
expr host_led(struct ithread *t, struct slot found, expr address);
void host_split(struct ithread *t, uint32_t block);
void host_join(struct ithread *t, uint32_t block);
/* How many frames the running one is above the first. */
uint32_t ithread_depth(const struct ithread *t);
/* Where it is, as a number of its own for each instruction. */
const void *ithread_pc(const struct ithread *t);

/* `e` (any width) has the value `v` on the recorded path: a path condition. */
void host_assume(struct ithread *t, expr e, uint64_t v);
/* The branch at hand, decided by the expression, goes another way on the recorded path than it would by its value. */
void host_contradicted(struct ithread *t, expr condition);

/* A concrete branch went another way in the log than computed; the interpreter follows the log. */
void host_mismatch(struct ithread *t);
/* The thread is where the compiler says that none comes. */
_Noreturn void host_astray(struct ithread *t);

/*
 * Scalar access of 1..8 bytes at a site. The host does the access: reads or writes real memory and its
 * expression, counts the SAP, makes symbols. Accesses that are no sites never come here.
 * Wider accesses (vectors, i128) come as one call with count > 1 pieces that make up one SAP.
 */
struct access {
	uint64_t address;
	uint32_t size; /* bytes */
	struct slot value;
};
void host_load(struct ithread *t, uint32_t site, struct access *pieces, unsigned count);
void host_store(struct ithread *t, uint32_t site, const struct access *pieces, unsigned count);
/*
 * About to be stored by what is no site, in memory that blocks share (RT_MIRROR), or in a page that is watched: while it is this block's, or this
 * frame's, the thread has it for itself, but it may have raced before or after that, and then who reads it at a site has to know what was written.
 */
void host_own_store(struct ithread *t, uint64_t address, unsigned size, struct slot value);

/* Atomic read-modify-write: reads piece->value, calls update(old) -> new (false: no write), one SAP. */
typedef bool host_update(void *data, struct ithread *t, struct slot old, struct slot *new_value);
void host_atomic(struct ithread *t, uint32_t site, struct access *piece, host_update *update, void *data);
/* The access that comes next has its value in the log; the result of an allocation is in the log (instrument.h). */
void host_recall(struct ithread *t, unsigned flags); /* RECALL_* of code.h */
void host_allocates(struct ithread *t); /* before it */
void host_allocated(struct ithread *t, uint64_t own, uint64_t size);
/* The path tells that what the thread has there was `told` in the recorded run. */
void host_told(struct ithread *t, struct slot given, uint64_t told);
/* The same of a local variable or a mapping; name: "queue@12" or "". */
void host_placed(struct ithread *t, uint64_t own, uint64_t size, const char *name);
/* Its life ends, or begins (again). */
void host_scope(struct ithread *t, uint64_t own, uint64_t size, const char *name, bool begins);
void host_fence(struct ithread *t, uint32_t site);

/*
 * A site whose operation touches nothing the host must see: an indirect call that turned out to lead to an
 * interpreted function, inline assembly that is a mere barrier. Counts as one SAP. Before the operation.
 */
void host_site(struct ithread *t, uint32_t site);

/* memcpy, memmove (source != 0) or memset (fill) at a site; one SAP. Moves expressions too. */
void host_copy(struct ithread *t, uint32_t site, uint64_t to, uint64_t from, uint64_t size);
void host_fill(struct ithread *t, uint32_t site, uint64_t to, struct slot byte, uint64_t size);

/*
 * A call of native code (site 0 when the callee is interposed). The host decides: returns true when the
 * interpreter shall call it with concrete arguments; false when the host has done it and
 * set out. `name` is NULL for unknown addresses. After a native call host_called runs.
 */
struct native_call {
	uint32_t site;
	const char *name;
	void *address;
	struct slot *in;    /* parameters, variadic ones included */
	unsigned nin;
	struct slot *out;   /* all zero before */
	unsigned nout;
};
bool host_call(struct ithread *t, struct native_call *c);
void host_called(struct ithread *t, struct native_call *c);

/* All frames have been left by the exception of ithread_exit_exception. */
_Noreturn void host_exited(struct ithread *t);

/* A symbolic value is needed concretely (address, size, native argument). Assume or stop. What it has as its expression then, it has from now on. */
void host_concretize(struct ithread *t, struct slot *s, const char *why);
/* A division with a symbolic operand begins (EXPR_UDIV to EXPR_SREM): does not return where that is how the recorded run failed. */
void host_divides(struct ithread *t, enum expr_op op, unsigned width, struct slot dividend, struct slot divisor);

/* Something the interpreter cannot do; never returns. */
_Noreturn void host_unsupported(struct ithread *t, const char *what);

#endif
