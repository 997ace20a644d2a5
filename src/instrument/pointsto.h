/*
 * Which objects a pointer may lead to, and which of them more than one thread may reach: a finer answer than the classes of shared.c,
 * by inclusion (inclusion.h) and with members told apart. A structure of a thread's own that has a pointer to something shared
 * stays that thread's own, and so do other things that it leads to; what allocation functions return is another object for each
 * call. Where the program is too large for that nothing is known, and the classes are all there is.
 *
 * Objects are variables, results of allocations, functions; they are numbered.
 */
#ifndef RETHREAD_POINTSTO_H
#define RETHREAD_POINTSTO_H

#include "instrument/inclusion.h"
#include "instrument/shared.h"

struct points_to;
struct points_to *points_to_new(LLVMModuleRef m, struct sharing *s);
void points_to_free(struct points_to *p);

/* All objects that the pointer may lead to; NULL: not known, or not all of them. */
const struct bits *points_to_all(const struct points_to *p, LLVMValueRef pointer);
/* Those of them that are known; may be NULL, too. */
const struct bits *points_to_some(const struct points_to *p, LLVMValueRef pointer);
/* Nobody but the thread that made it, or nobody at all while there are several threads, writes the member where the pointer leads. */
bool points_to_own(const struct points_to *p, LLVMValueRef pointer, uint32_t member);
/* May it lead to what one thread has made, and another has now? */
bool points_to_handed(const struct points_to *p, LLVMValueRef pointer);
/* Is it a number in the place of a pointer, whatever it comes from? */
bool points_to_nothing(const struct points_to *p, LLVMValueRef pointer);
/* Is it NULL only where the program says so, and not because an allocation failed? */
bool points_to_never_fails(const struct points_to *p, LLVMValueRef pointer);
/* points_to_own of an object as a whole; of at least one of its members: what others write to the rest is known to nobody. */
bool points_to_is_own(const struct points_to *p, uint32_t object);
bool points_to_has_own(const struct points_to *p, uint32_t object);
/* May the object hold an address, as far as the module's own stores tell? outside: also one that comes from outside of it. */
bool points_to_holds(const struct points_to *p, uint32_t object, bool outside);
/* Functions of the module that it may call by address: found(data, function) for each. False: it may call others as well. */
bool points_to_callees(const struct points_to *p, LLVMValueRef call, void (*found)(void *data, LLVMValueRef function), void *data);
/* The same of a pointer that is handed on. */
bool points_to_functions(const struct points_to *p, LLVMValueRef pointer, void (*found)(void *data, LLVMValueRef function), void *data);
/*
 * Of int pthread_create(&id, attributes, start, argument) and thrd_create(&id, start, argument): which operand is the function. The next one
 * is what it is given. 0: another call.
 */
unsigned points_to_thread_start(LLVMValueRef call);
/* Does it start a std::thread, whose state is where operand 1 leads? */
bool points_to_starts_state(LLVMValueRef call);
/* Functions of the module that then may be called with that state: found(data, function) for each. */
void points_to_states(const struct points_to *p, LLVMValueRef call, void (*found)(void *data, LLVMValueRef function), void *data);
/*
 * Of a call of code outside: does it leave alone what is in memory where operand i leads? What a thread is given; and of locks and their kin, what a call
 * does to the lock is nobody's business but theirs. (Of the state of a std::thread there is nothing left, in any run.)
 */
bool points_to_leaves_alone(LLVMValueRef call, unsigned i);
/* Does it register a destructor, operand 0, which is given operand 1 at the end? */
bool points_to_registers(LLVMValueRef call);
/*
 * Is the function of the module called by nobody but calls that name it, or for which points_to_callees does, and those that create threads
 * (points_to_thread_start) or register it (points_to_registers)? Not by other code.
 */
bool points_to_called_here(const struct points_to *p, LLVMValueRef function);
/* Do threads begin with it, or does something outside call it that it was registered with? */
bool points_to_is_started(const struct points_to *p, LLVMValueRef function);
uint32_t points_to_objects(const struct points_to *p);
/*
 * Objects that allocation functions have made where this one is what they made: found(data, object). What is so of this one is so of
 * them; where others reach this one, the other way as well.
 */
void points_to_each_clone(const struct points_to *p, uint32_t object, void (*found)(void *data, uint32_t clone), void *data);

/* The other way round: adds what these are clones of. An allocation function has the one for what its callers have as the other. */
void points_to_originals(const struct points_to *p, const struct bits *objects, struct bits *out);

/* What the instruction accesses in its objects (members.h). */
uint32_t points_to_member(struct points_to *p, LLVMValueRef access);
bool points_to_is_number(struct points_to *p, LLVMValueRef access); /* member_is_number */
bool points_to_members_alias(const struct points_to *p, uint32_t a, uint32_t b);

#endif
