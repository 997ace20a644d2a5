/*
 * The contract between instrumented code and the runtime linked into the same process.
 *
 * One link of a target makes two programs from the same optimised module (docs/INTERNALS.md):
 *   - the recorded program: appends branch outcomes to the path log (librethread_rt.a);
 *   - the twin: a gate before every shared access point (librethread_twin.a), and an entry switch
 *     that hands a function over to the symbolic executor in infer mode.
 *
 * The pass in src/instrument/ emits code against this header, the runtimes in src/rt/ and src/replay/
 * implement it. Change RT_ABI with anything here or in engine.h that changes meaning. The header is plain C, includes
 * nothing but <stdint.h>, and is the only header besides trace.h that runtime code shares with the tool.
 *
 * Numbering. The pass runs once at the end of full LTO and numbers, in module order:
 *   symbols  every global variable, then every function, then every alias, then every ifunc of the
 *            module, declarations and intrinsics included, starting at 0, as they stand before
 *            anything is instrumented. A function is named by its symbol number everywhere.
 *   sites    every instruction that is a shared access point, starting at 1; recorded on the
 *            instruction as metadata !rethread.site !{i32 N} in the module that is kept.
 * Both programs and the kept bitcode agree because RT_HASH_SIZE bytes of hash over the annotated
 * bitcode are compared after the two links.
 *
 * Shared access point (SAP). A site executes = one SAP; a thread's SAPs are numbered 1, 2, 3, ... in the
 * order the thread executes them. Sites are:
 *   - a load or store that may touch memory another thread may touch (src/instrument/shared.c),
 *   - an atomic load, store, read-modify-write, compare-exchange, or a fence,
 *   - llvm.memcpy / memmove / memset (and .inline forms) of memory that may be shared: one SAP,
 *   - a call to a function that the module only declares and that the runtime does not interpose,
 *     an indirect call, and inline assembly that may touch memory.
 * Interposed functions (interposed.def) have no site at the call: the runtime counts one SAP itself when
 * they are entered, whoever calls them. Direct calls to functions defined in the module have none.
 */
#ifndef RETHREAD_INSTRUMENT_H
#define RETHREAD_INSTRUMENT_H

#include <stdint.h>

#define RT_ABI 11
#define RT_HASH_SIZE 20

/* Functions of the module whose body only the machine understands (src/instrument/machine.c): native code to the executor. */
#define RT_MACHINE_PREFIX "__rethread_machine_"

/* ------------------------------------------------------------------ the recorded program ---- */

/*
 * Path log. What branches did is first written into the thread's tray, a byte for each bit; __rethread_path leads to where the
 * next byte goes. A tray is RT_TRAY bytes long, and some more that it has to spare; it lies on a multiple of twice its
 * length. Bytes that are not written yet are RT_TRAY_NONE. Appending a bit b:
 *
 *     *__rethread_path++ = b;
 *     if (__rethread_path >= __rethread_path_end) __rethread_path_full();
 *
 * after which the tray is empty, or nearly so. The end is the tray's, or less where a signal waits for a place in the path. A tray lies in a shared file mapping: what was appended survives any death of
 * the process. The recorder packs full trays into words (trace.h).
 *
 * A conditional br or switch with metadata !rethread.known in the kept module appends nothing: inference computes
 * its outcome (src/instrument/recompute.c). Any other conditional br appends 1 bit: 1 when the condition is true; with metadata !rethread.silent
 * it then leaves RT_TRAY_NONE where the bit would be, and only goes on: that is a 1 as soon as something follows it (src/instrument/silent.c). A switch with n successors (default is
 * number 0, cases follow in order) appends its successor number with rt_switch_bits(n) bits, most
 * significant bit first. Branches with metadata !rethread.round !{i32 WAY} leave a loop or stay in it, by successor WAY, and append
 * nothing by themselves: where the loop is left, the number of times that they stayed since it was entered, by the br with
 * !rethread.rounds !{i32 N}, is appended, RT_ROUNDS_BITS bits, or since the last such entry; after N times, at the end of a round, RT_ROUNDS_MORE is
 * (src/instrument/rounds.c). Nothing else is appended by instrumented code.
 * Before a thread is set up, and when recording is off, the pointer leads to a tray that nobody reads. The twin appends likewise, at
 * the same places; there the bytes are only looked at, to see whether a thread follows a recorded path (search.h).
 *
 * Instrumented code may leave out checks, as long as no more than RT_TRAY_ROOM bytes come between two of them, and none between a
 * check and a call or return. It may keep the pointer in a register: memory holds it when something is
 * called that may append, and at returns. In between it may be behind. What was written last at it or after it is behind no more than RT_SILENT_MOST
 * bytes that were not, and comes before where the thread is (rt_tray_here): exactly there when anything is called, or an atomic operation made; else it may have
 * gone that many silent ways since. A store of an append may be 8 bytes long, RT_TRAY_NONE behind those that count. Bytes are in memory whenever an
 * instruction could fail, be seen by another thread, or call, but for those of loops whose rounds are counted.
 */
#define RT_ROUNDS_BITS 8u
#define RT_ROUNDS_MORE 255u
#define RT_TRAY 1024u
#define RT_TRAY_ROOM 112u
#define RT_TRAY_SPARE 128u /* behind a tray: RT_TRAY_ROOM, and what a store may be longer than what it appends */
#define RT_TRAY_NONE 0xffu
#define RT_SILENT_MOST 15u

/* Where a tray begins, by any place in it. */
static inline uint8_t *rt_tray_of(uint8_t *at)
{
	return at - ((uintptr_t)at & (2 * RT_TRAY - 1));
}

static inline uint8_t *rt_tray_here(uint8_t *at)
{
	uint8_t *last = rt_tray_of(at) + RT_TRAY + RT_TRAY_SPARE - (RT_SILENT_MOST + 1);
	uint64_t written[2];

	_Static_assert(sizeof written == RT_SILENT_MOST + 1, "one look is enough");
	while (at <= last) {
		__builtin_memcpy(written, at, sizeof written);
		if (~written[1])
			at += 16 - __builtin_clzll(~written[1]) / 8;
		else if (~written[0])
			at += 8 - __builtin_clzll(~written[0]) / 8;
		else
			break;
	}
	return at;
}

/* A tray in RT_TRAY_ANYWHERE bytes that lie anywhere. */
#define RT_TRAY_ANYWHERE (3 * RT_TRAY + RT_TRAY_SPARE)
static inline uint8_t *rt_tray_in(uint8_t *room)
{
	return rt_tray_of(room + 2 * RT_TRAY - 1);
}

static inline void rt_tray_clear(uint8_t *tray)
{
	__builtin_memset(tray, RT_TRAY_NONE, RT_TRAY + RT_TRAY_SPARE);
}

extern __thread uint8_t *__rethread_path, *__rethread_path_end;
/*
 * The tray is full, at a branch whose bits come next: a handler of a signal may run in there and
 * append as any function does, before these bits. Or it is so somewhere else: then none may. Both keep all general registers but
 * r11, so that the code around the call, which is hot, need not. (A PLT that binds lazily would not: they are linked into the
 * program.)
 */
__attribute__((preserve_most)) void __rethread_path_full(void);
__attribute__((preserve_most)) void __rethread_path_room(void);

/*
 * Values. A site that reads one word of 8, 16, 32 or 64 bits, a float or a double, a call that allocates, or an alloca, with metadata
 * !rethread.value in the kept module appends what it read or returned, once it has; those of a frame together, behind
 * the last one:
 *
 *     if (__rethread_values.at) {
 *             *__rethread_values.at++ = ~(uint32_t)value;
 *             if (__rethread_values.at == __rethread_values.end) __rethread_values_full();
 *     }
 *
 * A number of 64 bits (a double, too) is two such values, its lower half and its upper one; what is an address by its type has only the lower.
 * `at` is NULL where values are not recorded; else there is always room for one: in a tray, as of the path, which the recorder empties (trace.h). What is
 * not written yet is 0, so a value of all ones at the very end is not known to be there. Reads with metadata !rethread.often test `often` in the place of `at`.
 * The metadata !rethread.value may have an operand:
 */
#define RT_VALUE_UNORDERED "unordered" /* only locks keep the read from racing: the first test is of `unordered` */
#define RT_VALUE_MAPPING "mapping"     /* memory of as many bytes as the second parameter says */
#define RT_VALUE_OUT "out"             /* memory whose address is where the first parameter leads to */
/*
 * A thread that has stopped to record values, or those that come often, does not begin again as long as a function of the program that was called meanwhile is
 * running: functions that read such values exist twice, and which one runs is decided when it is called (src/instrument/versions.c).
 * This is what is behind their names.
 */
#define RT_WITH_VALUES ".values"
#define RT_WITHOUT_VALUES ".quick"
struct rt_values {
	uint32_t *at, *end;
	uint32_t *unordered; /* not NULL where `at` is not and the order of locks is not recorded */
	uint32_t *often;     /* not NULL where `at` is not and what is read very often is recorded, too */
};
extern __thread struct rt_values __rethread_values;
void __rethread_values_full(void);
void __rethread_values_wide(uint64_t value); /* appends a number of 64 bits, where there is hardly room for it */

/* How many bits name one of n >= 1 successors. */
static inline unsigned rt_switch_bits(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (unsigned)__builtin_clz(n - 1);
}

/*
 * Outputs (trace.h). Before a call that shows something: the parameters of the mask, one value each; then, for each that
 * leads to memory, up to `size` bytes of that, RT_SHOWN_STRING: to the end of the string.
 */
#define RT_SHOWN_STRING 0xffffffffffffffffull
void __rethread_shown(uint32_t site, uint32_t parameters, const uint64_t *values);
void __rethread_shown_text(uint32_t site, uint32_t parameter, const void *text, uint64_t size);

/* Emitted once by the pass into the recorded program. */
struct rt_record_module {
	uint32_t abi;                 /* RT_ABI */
	uint32_t nsymbols;
	uint32_t nsites;
	uint32_t nbranches;           /* conditional br and switch instructions that are recorded */
	uint8_t hash[RT_HASH_SIZE];   /* of the annotated bitcode */
};
extern const struct rt_record_module __rethread_record_module;

/* ------------------------------------------------------------------ the twin ---------------- */

/*
 * Gate. Around each site the twin runs, inline or, where there are many sites, as calls of two functions:
 *
 *     void *at = address;
 *     if (++__rethread_gate.count >= __rethread_gate.next)
 *             at = __rethread_gate_wait(site, kind, address, size);
 *     ... the access, at `at` ...
 *     if (__rethread_gate.signal) __rethread_gate_passed();
 *
 * count is the number of the SAP being executed. next is the first SAP at which the runtime wants to be
 * asked. signal is set by the runtime, in __rethread_gate_wait, when it wants to know that this SAP is done.
 * The access is not moved across either half by the compiler: both are barriers to it. For a call that
 * never returns or that unwinds, the second half is missing; the next gate makes up for it.
 *
 * The slow path is told what the site accesses, and where the access goes instead: the runtime may give a load or
 * store another place with the same alignment (store buffers, src/replay/buffers.c). A copy asks a second time, with
 * __rethread_gate_source, for where it reads from. Other kinds are always done where they are.
 */
enum rt_access {
	RT_ACCESS_NONE = 0,   /* call, indirect call, assembly: address NULL, size 0; but see RT_ACCESS_LIBRARY */
	RT_ACCESS_LOAD = 1,   /* also atomic */
	RT_ACCESS_STORE = 2,  /* also memset, the target of a copy, and atomic below seq_cst */
	RT_ACCESS_UPDATE = 3, /* read-modify-write, compare-exchange, seq_cst store, masked and other vector accesses */
	RT_ACCESS_FENCE = 4,  /* address NULL, size 0 */
};
/*
 * A call of a function of externals.def: the kind is RT_ACCESS_NONE, but above these bits stands its line in the table, from
 * 1; address is its parameters as 64-bit words (floating point: 0), and size is how many there are, at most so many. Of a
 * function outside of the module that the table does not have, RT_LIBRARY_UNKNOWN, and no parameters.
 */
#define RT_ACCESS_LIBRARY 8
#define RT_LIBRARY_UNKNOWN 0xffffffu
#define RT_LIBRARY_PARAMETERS 16
struct rt_gate {
	uint64_t count;
	uint64_t next;
	uint32_t signal;
};
extern __thread struct rt_gate __rethread_gate;
void *__rethread_gate_wait(uint32_t site, uint32_t kind, void *address, uint64_t size);
void *__rethread_gate_source(void *address, uint64_t size);
void __rethread_gate_passed(void);

/*
 * Infer mode. When __rethread_infer is non-zero, a function of the module that native code may call (its
 * address is taken in the module, or its linkage is external; not variadic) does on entry, instead of
 * its body:
 *
 *     uint64_t in[...], out[...];     parameters and result as slots
 *     __rethread_enter(symbol, in, out);
 *     return <out>;
 *
 * Slots: a value is a sequence of scalars, depth first; each scalar takes one slot of 8 bytes, zero
 * extended: integers up to 64 bits, pointers, half, float and double (their bits). Integers above 64 bits
 * take ceil(width/64) slots, lowest first; x86_fp80 and fp128 take two. A vector or aggregate is the
 * sequence of its elements. Void has none.
 */
extern int __rethread_infer;
void __rethread_enter(uint32_t symbol, const uint64_t *in, uint64_t *out);

/* Emitted once by the pass into the twin. */
struct rt_twin_module {
	uint32_t abi;                            /* RT_ABI */
	uint32_t nsymbols;
	uint32_t nsites;
	uint32_t measures;                       /* 1: the program asks how large blocks of the heap are */
	const void *const *symbols;              /* address by symbol number; NULL for intrinsics and TLS */
	void *(*tls_address)(uint32_t symbol);   /* of a thread-local variable, for the calling thread */
	uint8_t hash[RT_HASH_SIZE];
};
extern const struct rt_twin_module __rethread_twin_module;

/* What sources of ours that become part of programs are called in their debug information (-ffile-prefix-map in the Makefile), to tell them
 * from the program's. */
#define RT_SOURCE_PREFIX "rethread-runtime/"

/* ------------------------------------------------------------------ shared libraries */

/*
 * Every shared library that rethread cc makes (src/library/guard.c) calls this first when it is loaded, with its dynamic section. Returns
 * whether its code is part of the program, too.
 */
int __rethread_library(const void *dynamic);
#define RT_LIBRARY_MARK "__rethread_library"
/* Names of such libraries with colons between them; emitted by the pass if there are any. */
extern const char __rethread_linked_in[];

/* ------------------------------------------------------------------ sections in the executable */

/* Not loaded at run time. The bitcode is the annotated module, zstd. The twin is an ELF file, zstd. */
#define RT_SECTION_BITCODE ".rethread.bc"
#define RT_SECTION_TWIN ".rethread.twin"
/*
 * What the pass found, zstd: lines of fields between tabs. Without debug information LINE is 0 and FILE "?".
 *     site      KIND LINE FUNCTION FILE             a SAP; KIND is load, store, atomic, call, ..., and synchronization or
 *                                                   input for calls of interposed functions, which have no number
 *     site      ... FILE OFFSET:SIZE:LINE NAME      it accesses a structure of SIZE bytes that is declared in LINE, at OFFSET; NAME is
 *                                                   the type's, or ?, behind RT_REPORT_LIBRARY if it is the standard library's; then
 *                                                   perhaps a tab and the local variable that it is
 *     site      ... FILE array|local:SIZE NAME      it accesses numbers of SIZE bytes behind the pointer NAME, which is a local variable
 *                                                   or something else
 *     held      NUMBER LINE FUNCTION FILE OFFSET:SIZE:LINE NAME    the site with this number accesses memory that a container has which is
 *                                                   there in the structure NAME; NUMBER 0: a function of a library does that is called in
 *                                                   this line; then perhaps a tab and the local variable that the structure is
 *     held      NUMBER LINE FUNCTION FILE global:OFFSET NAME       the same of a global variable; behind either `:any` for an element of an array
 *                                                   there, and :of:BYTES of each element of a std::vector of numbers there, or 0;
 *                                                   then :is if it is that itself: a std::atomic
 *     branch    known LINE FUNCTION FILE
 *     branch    recorded LINE FUNCTION FILE WHY WHERE     WHY in words (src/instrument/why.h); WHERE it comes from, or nothing
 *     memory    global|thread-local|stack|heap shared|private NAME LINE FUNCTION FILE
 *     external  CLASS CALLS NAME                    a function from outside; CLASS is unknown when no table has it
 *     total     WHAT NUMBER
 */
#define RT_SECTION_REPORT ".rethread.report"
#define RT_REPORT_LIBRARY "std::"
/*
 * Shared libraries whose code was linked into the program (src/cc/substitute.h), zstd: a line for each, BUILD-ID (hex, or -), a
 * space, PATH.
 */
#define RT_SECTION_LIBRARIES ".rethread.libs"
/*
 * In a shared library, not loaded, zstd: what links it into a program (src/cc/shared.h). Its module as bitcode; its objects
 * without bitcode as one relocatable object, if there are any; and lines of text:
 *     rethread-library 1
 *     priority N             of its constructors: above those of the libraries that it needs
 *     symbolic               it was linked with -Bsymbolic...
 *     needed SONAME PATH     in the order of the link; PATH as it was then
 */
#define RT_SECTION_SHARED ".rethread.shared"
#define RT_SECTION_SHARED_BITCODE ".rethread.shared.bc"
#define RT_SECTION_SHARED_NATIVE ".rethread.shared.o"
/* What the names of all sections that are not loaded begin with. */
#define RT_SECTION_PREFIX ".rethread."
/*
 * Loaded, as part of the recorded program: 32-bit distances from the beginning of this section to each symbol, by number; 0
 * for those that are not in the program.
 */
#define RT_SECTION_PLACES "rethread_places"

#endif
