/*
 * The link-time pass: what its files share.
 *
 * The pass runs once per link, inside lld, at the end of full LTO, over the whole program.
 * instrument.c is the recipe; each step has a file of its own:
 *
 *     plugin.cpp   the plugin boundary, and what LLVM's C interface lacks
 *     instrument.c the recipe: number, keep the bitcode, hash it, instrument
 *     syscalls.c   calls of syscall() become calls of functions that the runtime knows
 *     forks.c      forks call the program's handlers
 *     assembly.c   accesses and checksums in inline assembly become LLVM's own
 *     machine.c    other instructions that only the machine knows become functions of their own
 *     anchors.c    numbers that decide many branches go through the path instead
 *     number.c     symbols, sites and branches of the module
 *     shared.c     which memory may be shared between threads;  calls.c, classes.c: its parts
 *     pointsto.c   which objects pointers lead to, for shared.c and recompute.c;  pointsto_calls.c, inclusion.c, members.c, bits.c: its parts
 *     recompute.c  which branches need not be recorded;  recompute_calls.c: what calls do;  contents.c: what is known of memory;  progress.c: which of them are all the same;  frozen.c: what nobody has written;  why.c: why the others are
 *     addresses.c  which values are recorded, and how;  mayrace.c, locked.c, stripes.c, parallel.c, joins.c: its parts
 *     report.c     what was found, by source line, for `rethread analyze'
 *     record.c     the recorded program;  room.c: what it does to its tray, and where;  shown.c: what it shows
 *     twin.c       the twin: its tables;  gates.c: gates around sites;  enter.c: its entry switch
 *     library.c    the module of a shared library that is linked into programs later
 *     emit.c       building blocks of emitted code
 *     times.c      what the steps take
 *
 * Everything the emitted code has to do with the runtime is in include/rethread/instrument.h.
 *
 * Steering, by environment (set by `rethread cc`):
 *     RETHREAD_PASS=record|twin   what to make; unset or empty: the pass does nothing
 *     RETHREAD_PASS=library       only library_prepare, with RETHREAD_PASS_PRIORITY=N
 *     RETHREAD_PASS_LIBRARIES=A:B names of libraries whose code is in the module
 *     RETHREAD_PASS_BITCODE=FILE  write the annotated bitcode there
 *     RETHREAD_PASS_HASH=FILE     write its SHA-1 there, as hex and a newline
 *     RETHREAD_PASS_REPORT=FILE   write what was found there (report.c)
 *     RETHREAD_PASS_TIMES=1       print what each step took (times.c)
 *     RETHREAD_PASS_VERIFY=1      run LLVM's verifier over the result, and check that all that is unknown was found (recompute.c)
 *     RETHREAD_PASS_ALL_BRANCHES=1  record also the branches that inference can recompute
 * The pass never half-succeeds: an error prints "rethread: ..." and fails the link.
 */
#ifndef RETHREAD_PASS_H
#define RETHREAD_PASS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <rethread/instrument.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PASS_SITE_METADATA "rethread.site"
/* On a load that is such a site: it does not race, what it reads has changed hands. */
#define PASS_HANDED_METADATA "rethread.handed"
/* On a conditional br or switch: it is not recorded, inference computes it (recompute.h). */
#define PASS_KNOWN_METADATA "rethread.known"
/* On a site that reads, a call that allocates or an alloca: its value is recorded (addresses.h). RT_VALUE_* of include/rethread/instrument.h says how. */
#define PASS_VALUE_METADATA "rethread.value"
/* On such a site that reads, as far as loops tell very often: the first that a thread with too many values goes without. */
#define PASS_OFTEN_METADATA "rethread.often"
/* On such an alloca: what the variable is called, and in which line it is declared, "queue@12". */
#define PASS_LOCAL_METADATA "rethread.local"
/*
 * Loops whose rounds are counted (rounds.h). On the br that enters one: !{i32 N}, how many of its branches stayed when the log's entry is
 * RT_ROUNDS_MORE; on these branches, br: !{i32 WAY}, the one that stays.
 */
#define PASS_ROUNDS_METADATA "rethread.rounds"
#define PASS_ROUND_METADATA "rethread.round"
/* On a br that is recorded: its first way appends nothing (silent.h). */
#define PASS_SILENT_METADATA "rethread.silent"
#define PASS_OWN_PREFIX "__rethread_"
/*
 * The functions that anchors.c adds: i64 (i64), they return their parameter. One goes through the digits, of PASS_ANCHOR_BITS bits, the
 * lowest first: a switch on the digit, its ways in the digits' order, then a branch, true when the digits left are not all 0. The other is
 * given a byte: one switch, its ways in the bytes' order.
 */
#define PASS_ANCHOR "rethread.anchor"
#define PASS_ANCHOR_BITS 4
#define PASS_ANCHOR_BYTE "rethread.anchor.byte"

/* ---------------------------------------------------------------- errors and memory (util.c) -- */

/* "rethread: MESSAGE" on stderr; the link fails. */
_Noreturn void pass_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "rethread: warning: MESSAGE" on stderr. */
void pass_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Memory exhaustion fails the link. Zeroed. */
void *pass_alloc(size_t count, size_t size);
void *pass_grow(void *at, size_t *cap, size_t size);
void pass_write_file(const char *path, const void *data, size_t size);

/*
 * What a link spends its time on (times.c): with RETHREAD_PASS_TIMES, a line on stderr for each step: its processor time, since the
 * last of these calls, and how large the module is then.
 */
void times_begin(void);
void times_note(LLVMModuleRef m, const char *step);

/* A growing list of values. */
struct values {
	LLVMValueRef *at;
	size_t n, cap;
};
void values_push(struct values *v, LLVMValueRef value);
void values_free(struct values *v);

/* Pointer to number, open addressing; 0 is "absent", so numbers begin at 1. */
struct map {
	struct map_entry {
		const void *key;
		uint32_t number;
	} *at;
	size_t n, cap;
};
uint32_t map_get(const struct map *m, const void *key);
void map_set(struct map *m, const void *key, uint32_t number);
/* Empty again, but for its memory. */
void map_clear(struct map *m);
void map_free(struct map *m);

/* ---------------------------------------------------------------- the module, numbered -------- */

#include "instrument/why.h"

enum site_kind {
	SITE_LOAD,
	SITE_STORE,
	SITE_ATOMIC, /* load, store, read-modify-write, compare-exchange */
	SITE_FENCE,
	SITE_COPY, /* memcpy, memmove */
	SITE_FILL, /* memset */
	SITE_CALL, /* of a function that is only declared */
	SITE_INDIRECT,
	SITE_ASM,
	SITE_KINDS
};
extern const char *const site_kind_names[SITE_KINDS];

/* A call that shows something (externals.def), and the parameters of it that are recorded: masks. */
struct shown_call {
	LLVMValueRef call;
	uint32_t site;
	uint32_t words; /* by value */
	uint32_t texts; /* what they lead to */
};

/*
 * The module as numbered before anything is instrumented.
 * symbols.at[n] is symbol n; sites.at[n - 1] is the instruction of site n and kinds[n - 1] its
 * kind; branches holds the conditional br and switch instructions of all defined functions that
 * are recorded, in module order.
 */
struct numbering {
	struct values symbols;
	struct values sites;
	uint8_t *kinds;
	size_t kinds_cap;
	struct values branches;
	struct values counted;  /* branches in whose place the rounds of their loop are recorded (rounds.h) */
	struct values recorded; /* instructions whose values are recorded (addresses.h), in module order */
	struct shown_call *shown;
	size_t nshown, shown_cap;
	uint32_t nknown;     /* branches that are not recorded */
	uint32_t nfunctions; /* defined */
	uint32_t naccesses;  /* plain loads and stores, shared or not */
	uint32_t nshared;    /* those of them that are sites */
	struct sharing *sharing; /* of the module before it was instrumented */
	unsigned known_kind;     /* of PASS_KNOWN_METADATA */
	struct map why;          /* of recorded branches: number of the cause, if they are not known */
	struct causes causes;
};

/* RETHREAD_PASS_ALL_BRANCHES */
bool all_branches(void);
/* RETHREAD_PASS_VERIFY: the pass checks its own work. */
bool pass_verifies(void);
/* Before anything is numbered. */
void gotos_turn(LLVMModuleRef m);
/* Functions that show something say which of their parameters they only read. */
void outputs_turn(LLVMModuleRef m);
void resolvers_turn(LLVMModuleRef m);
void syscalls_turn(LLVMModuleRef m);
void forks_turn(LLVMModuleRef m);
void assembly_turn(LLVMModuleRef m);
void copies_turn(LLVMModuleRef m);
/* What is made of a pointer and its distance to another one is that one. */
void distances_turn(LLVMModuleRef m);
void thread_pointer_turn(LLVMModuleRef m);
/* Functions that would make variables of threads, and are nowhere. */
void thread_variables_turn(LLVMModuleRef m);
void identities_turn(LLVMModuleRef m);
void seeds_turn(LLVMModuleRef m);
void choices_turn(LLVMModuleRef m);
void aligned_turn(LLVMModuleRef m);
void loops_turn(LLVMModuleRef m);
void anchors_turn(LLVMModuleRef m);
void machine_turn(LLVMModuleRef m);
void control_turn(LLVMModuleRef m);
/* long rethread_machine(void (*asks)(void *), void *buffer, size_t size) of inputs.def, and its type. */
LLVMValueRef machine_input(LLVMModuleRef m, LLVMTypeRef *type);
/* Once the bitcode is kept. */
void machine_inline(LLVMModuleRef m);
/* Number everything and attach the metadata to the instructions. */
void number_module(LLVMModuleRef m, struct numbering *n);
/* The instructions that would be sites, and the interposed functions, while nothing is numbered yet. */
void number_foresee(LLVMModuleRef m, struct sharing *sharing, struct map *interposed, struct map *sites);
void numbering_free(struct numbering *n);

/* Has the function this attribute of LLVM's, which has no value? */
bool has_attribute(LLVMValueRef function, const char *name);
/* In instructions. */
size_t function_size(LLVMValueRef function);
size_t module_size(LLVMModuleRef m);
/* Does instrumented code belong into this function? (defined, not naked, not the runtime's own) */
bool is_instrumented(LLVMValueRef function);
/* The module's function that a direct call enters (through aliases), or NULL. */
LLVMValueRef direct_callee(LLVMValueRef call);
bool is_call(LLVMValueRef instruction);   /* call or invoke or callbr */
bool is_branch(LLVMValueRef instruction); /* conditional br or switch */
bool is_intrinsic(LLVMValueRef function);
bool name_begins(LLVMValueRef value, const char *prefix);
/* Has it one of these names? IS_NAMED: of those of an array. */
bool has_name_of(LLVMValueRef function, const char *const *names, size_t n);
#define IS_NAMED(function, names) has_name_of(function, names, sizeof(names) / sizeof *(names))

/* Pointers through which the instruction itself accesses memory; returns how many (0 to 2). */
unsigned accessed_pointers(LLVMValueRef instruction, LLVMValueRef pointers[2]);

/* ---------------------------------------------------------------- shared memory (shared.c) ---- */

/*
 * Over-approximates: an access to the member (members.h) for which this says false touches only memory that no other thread
 * can touch, or that nobody ever writes.
 */
struct sharing;
struct sharing *sharing_analyze(LLVMModuleRef m);
bool sharing_may_be_shared(const struct sharing *s, LLVMValueRef pointer, uint32_t member);
/* The same of what a load, store or atomic accesses there. */
bool sharing_access_may_be_shared(const struct sharing *s, LLVMValueRef access, LLVMValueRef pointer);
/* Likewise, or of memory that changes hands, which does not race: who reads an explanation asks where it came from. */
bool sharing_access_is_told(const struct sharing *s, LLVMValueRef access, LLVMValueRef pointer);
void sharing_free(struct sharing *s);

/* ---------------------------------------------------------------- steps ----------------------- */

/*
 * The module of a shared library is made ready for programs (src/cc/shared.h).
 * A library's constructors run before those of the programs and libraries that use it, its destructors after theirs. To keep
 * that when its module is linked into a program, all of them get one priority (text: a number), in the order they have now.
 * At exit, destructors of a library run before its global objects are destroyed, those of a program afterwards: where there may be
 * both, the library's destructors are registered like those of objects.
 * Of symbols with several versions (.symver), the default ones stay.
 */
void library_prepare(LLVMModuleRef m, const char *priority);
/* A constructor that runs before those of its priority. */
void library_add_constructor(LLVMModuleRef m, unsigned priority, LLVMValueRef function);
/* The program has the code of these libraries: __rethread_linked_in (instrument.h). */
void library_list(LLVMModuleRef m, const char *names);
/* What the tables of external functions say of this one (externals.def, inputs.def, interposed.def), or NULL. */
const char *external_class(LLVMValueRef function);
void report_write(const char *path, LLVMModuleRef m, const struct numbering *n);
void record_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash);
/* The calls of n->shown record what they show. */
void shown_instrument(LLVMModuleRef m, const struct numbering *n);
/* The part of it that the twin has too: branches are appended to the path (search.h), on each way, or before they branch. */
void path_instrument(LLVMModuleRef m, const struct numbering *n, bool on_edges);
/* Does it know a function that installs handlers? */
bool program_handles_signals(LLVMModuleRef m);
/* May code that runs inside of this call append to the path log? */
bool call_may_append(LLVMValueRef call);
void twin_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash);
/* Gates around all sites. */
void twin_gates(LLVMModuleRef m, const struct numbering *n);
/* The entry switch of infer mode for function number `symbol`. */
void twin_enter(LLVMModuleRef m, LLVMValueRef function, uint32_t symbol);

/* ---------------------------------------------------------------- emitted code (emit.c) ------- */

LLVMTypeRef int_type(LLVMModuleRef m, unsigned bits);
LLVMTypeRef pointer_type(LLVMModuleRef m);
LLVMValueRef int_value(LLVMModuleRef m, unsigned bits, uint64_t value);

/* Put the builder before `at`, with its source position or, lacking one, line 0 of its function. */
void build_before(LLVMBuilderRef b, LLVMValueRef at);
/* A variable of the runtime, which is linked into the same executable. */
LLVMValueRef runtime_variable(LLVMModuleRef m, const char *name, LLVMTypeRef type,
			      bool thread_local_);
/* Of LLVM's own names; 0 where the attribute has no value. */
void add_attribute(LLVMValueRef f, const char *name, uint64_t value);
void drop_attribute(LLVMValueRef f, const char *name);
LLVMValueRef runtime_function(LLVMModuleRef m, const char *name, LLVMTypeRef type);
/* An internal function, declared so far, that is rarely called and never inlined. */
LLVMValueRef add_cold_function(LLVMModuleRef m, const char *name, LLVMTypeRef type);
/* One that saves all general registers itself (preserve_most), so that the code around a call need not. */
LLVMValueRef add_preserving_function(LLVMModuleRef m, const char *name, LLVMTypeRef type);
/* Such a function, through which emitted code calls NAME, of the given type. */
LLVMValueRef runtime_slow_path(LLVMModuleRef m, const char *name, LLVMTypeRef type);
LLVMValueRef call_slow_path(LLVMBuilderRef b, LLVMValueRef slow_path, LLVMValueRef *arguments, unsigned n);
/* The constant struct NAME that tells the runtime about this module. */
void emit_module_table(LLVMModuleRef m, const char *name, LLVMValueRef *fields, unsigned count);
LLVMValueRef hash_constant(LLVMModuleRef m, const uint8_t *hash);
/* Remove what instrumentation made untrue (memory effects, ...) from all functions and calls; calls in two lines stay two. */
void mend_attributes(LLVMModuleRef m);

/* ---------------------------------------------------------------- beyond the C interface ------ */

/* Defined in plugin.cpp. */
void llvm_sha1(const void *data, size_t size, uint8_t out[RT_HASH_SIZE]);
/* The module as bitcode, without what depends on the other objects of the link. */
LLVMMemoryBufferRef llvm_write_bitcode(LLVMModuleRef m);
/* Bodies and initialisers that only inform the optimiser become declarations. */
void llvm_drop_available_externally(LLVMModuleRef m);
/* The variable stays although nothing refers to it. */
void llvm_keep(LLVMValueRef variable);
/* The uses of each value in the order of the code. */
void llvm_sort_uses(LLVMModuleRef m);
bool llvm_address_taken(LLVMValueRef function);
/* Where the source has an instruction, variable or allocation; fields are NULL and 0 when unknown. */
struct llvm_place {
	const char *name; /* of a variable, also a local one */
	const char *function, *file;
	unsigned line;
};
void llvm_place_of(LLVMValueRef value, struct llvm_place *place);
/* The same of an instruction; in a file that `is_foreign`, where that was inlined into one that is not. */
void llvm_own_place_of(LLVMValueRef instruction, bool (*is_foreign)(const char *file), struct llvm_place *place);
/* `this` of the functions of a foreign file that were inlined where the instruction is, from the one that the program called inwards; how many. */
unsigned llvm_called_on(LLVMValueRef instruction, bool (*is_foreign)(const char *file), LLVMValueRef *all, unsigned most);
/* `this` of the function itself: an argument, or what all calls have given; NULL: it has none. */
LLVMValueRef llvm_this_of(LLVMValueRef function);
bool llvm_is_in_file(LLVMValueRef function, bool (*is_foreign)(const char *file));
/* A metadata node's operands: how many; one, or NULL (also beyond the last); the text that one is, NULL when none or empty. */
unsigned llvm_node_operands(LLVMMetadataRef node);
LLVMMetadataRef llvm_node_operand(LLVMMetadataRef node, unsigned i);
const char *llvm_node_text(LLVMMetadataRef string);
/* All types in the debug information. */
void llvm_types(LLVMModuleRef m, void (*found)(void *, LLVMMetadataRef type), void *data);
/* Types (and names, unless NULL) of the variables whose value it is, `most` at most; how many. */
unsigned llvm_variable_types(LLVMValueRef value, LLVMMetadataRef *types, const char **names, unsigned most);
/* The type of the variable that is an alloca or a global variable, or NULL. */
LLVMMetadataRef llvm_declared_type(LLVMValueRef value);
/* The same, and of which part of a variable that the optimiser split it is: bytes from its begin. */
LLVMMetadataRef llvm_declared_part(LLVMValueRef value, uint64_t *offset);
/* How far a getelementptr is from its pointer: the constant part, and the smallest step of the others, or 0. */
void llvm_pointer_offset(LLVMValueRef gep, LLVMTargetDataRef layout, int64_t *constant, uint64_t *stride);
/* Is the value needed by anything that is emitted? */
bool llvm_is_used(LLVMValueRef global);
/* The asm or call cannot touch memory by its own attributes. */
bool llvm_call_without_memory(LLVMValueRef call);
/* if (cond) { } before `before`, unlikely; returns the terminator of the new block. */
LLVMValueRef llvm_unlikely_if(LLVMValueRef cond, LLVMValueRef before);
/* ... and the ends of both blocks, where there is something to do in each. */
void llvm_unlikely_if_else(LLVMValueRef cond, LLVMValueRef before, LLVMValueRef *then, LLVMValueRef *otherwise);
/* A block on the i-th edge of a terminator; returns the new block's terminator. */
LLVMValueRef llvm_split_edge(LLVMValueRef terminator, unsigned i);
/* A block ends before the instruction, and goes on to one that begins with it; returns the first one's terminator. */
LLVMValueRef llvm_split_before(LLVMValueRef instruction);
/* Tells for each block in a loop the number, from 1, of the innermost one; returns how many loops there are. */
unsigned llvm_loops(LLVMValueRef function, void (*found)(void *, LLVMBasicBlockRef, unsigned), void *data);
/* Of each conditional br of the function: how likely it is, as far as LLVM can guess, that its condition is true, in percent. */
void llvm_likelihoods(LLVMValueRef function, void (*found)(void *, LLVMValueRef br, unsigned percent), void *data);
/* The condition is the opposite, and the ways change places. */
void llvm_swap_ways(LLVMValueRef br);
/* Tells for each block in a loop how many loops it is in. */
void llvm_loop_depths(LLVMValueRef function, void (*found)(void *, LLVMBasicBlockRef, unsigned), void *data);
/* Tells for each block that can be reached a span, which is inside of those of the blocks that dominate it. */
typedef void llvm_span(void *, LLVMBasicBlockRef, unsigned in, unsigned out);
void llvm_dominators(LLVMValueRef function, llvm_span *found, void *data);
/* A loop with no other in it, one way back, and a bound. */
struct llvm_loop {
	LLVMBasicBlockRef header, latch;
	LLVMBasicBlockRef *blocks;
	size_t n;
};
/*
 * Tells the spans of all blocks, then such loops of more than a few rounds and less than very many blocks. Where it is wanted, by another number than 0,
 * a loop is entered by one br, which is told with the number.
 */
void llvm_inner_loops(LLVMValueRef function, llvm_span *span, void *spans, unsigned (*wants)(void *, const struct llvm_loop *),
		      void (*enters)(void *, LLVMValueRef br, unsigned number), void *data);
/*
 * Each loop with no other in it that is wanted gets a copy that is gone through instead where a condition is true, which `asks` makes before the br that it is told; it
 * is also told the copy, whose instructions are in the same order.
 */
void llvm_double_loops(LLVMValueRef function, bool (*wants)(void *, const struct llvm_loop *),
		       LLVMValueRef (*asks)(void *, LLVMValueRef br, const struct llvm_loop *copy), void *data);
/* Split the entry block behind its static allocas; returns the first instruction behind. */
LLVMValueRef llvm_split_entry(LLVMValueRef function);
/* Attributes of parameters and result; not those of the function. */
void llvm_copy_signature_attributes(LLVMValueRef from, LLVMValueRef to_function);
void llvm_copy_signature_attributes_to_call(LLVMValueRef from, LLVMValueRef to_call);
/* The variable is in this executable: no indirection. Not when making a shared library. */
void llvm_set_local_in_executable(LLVMValueRef global);
LLVMValueRef llvm_build_tls_address(LLVMBuilderRef b, LLVMValueRef variable);
/* The body of the function that is called, which has one block, in place of the call. */
void llvm_inline(LLVMValueRef call);
/* The call must stay directly before its ret. */
bool llvm_is_musttail(LLVMValueRef call);
bool llvm_does_not_return(LLVMValueRef call);
/* The declared function never runs code of this module. */
bool llvm_never_calls_back(LLVMValueRef function);
/* The first instruction behind the allocas that begin the function. */
LLVMValueRef llvm_after_allocas(LLVMValueRef function);
/*
 * For versions.c: an internal copy, or NULL where that cannot be; a new function, still without a body, that takes the name and all uses of
 * this one; and the end of such a function: what the other one returns for the same parameters.
 */
LLVMValueRef llvm_copy_function(LLVMValueRef function, const char *suffix);
/* For resolvers.c: an internal copy of that name, or one like it where there is one already. */
LLVMValueRef llvm_copy_as(LLVMValueRef function, const char *name);
LLVMValueRef llvm_take_place(LLVMValueRef function, const char *suffix);
void llvm_go_on_in(LLVMBuilderRef b, LLVMValueRef from, LLVMValueRef function);
/* It has no blocks any more. */
void llvm_drop_body(LLVMValueRef function);
/* Tells the comparisons of two pointers that are counted on from one value, as it was computed last: into one object, wherever that lies. */
void llvm_compared_places(LLVMValueRef function, void (*found)(void *, LLVMValueRef icmp), void *data);
/* Promote local variables to registers, and remove loads that become useless. */
void llvm_promote(LLVMValueRef function, LLVMValueRef *allocas, unsigned n);
void llvm_set_memory_intrinsic_volatile(LLVMValueRef call);

#endif
