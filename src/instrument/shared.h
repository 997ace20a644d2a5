/* Inside of the sharing analysis: shared.c and calls.c. */
#ifndef RETHREAD_SHARED_H
#define RETHREAD_SHARED_H

#include "instrument/classes.h"
#include "instrument/pass.h"

struct sharing {
	struct classes *classes;
	struct map of; /* instruction, argument, variable, function: its class */
	struct llvm_library *library;
	struct parallel *parallel;
	struct points_to *points_to;
};

/* What the value points to; CLASS_NONE for values that carry no pointer. */
uint32_t class_of(struct sharing *s, LLVMValueRef v);
void unify_values(struct sharing *s, LLVMValueRef a, LLVMValueRef b);
/* May values of the type be, or contain, a pointer or a part of one? */
bool carries_pointer(LLVMTypeRef type);
/* An integer or double, or a vector of them: most likely no pointer. */
bool is_number(LLVMTypeRef type);

/* Is the number, made of a pointer, used for differences and comparisons only? */
bool pointer_only_differs(LLVMValueRef ptrtoint);
/* A number that is made a pointer, and is none to anything: NULL, which the optimiser writes like that at times, MAP_FAILED and their kin. */
bool is_no_address(LLVMValueRef inttoptr);
/* (char *)0 + number: a number that is made a pointer in another way. */
bool is_number_on_null(LLVMValueRef getelementptr);
/* The pointer that a number is made of; or NULL. */
LLVMValueRef pointer_of_number(LLVMValueRef v);
/* p + (q - p): q, as std::string has it where it does not know which of two texts lies first; else NULL. */
LLVMValueRef pointer_by_distance(LLVMValueRef getelementptr);
/* Is it the distance of two pointers, and used as a number only: how much is in a vector? */
bool pointer_is_distance(LLVMValueRef v);
/* The object a pointer is computed from by address arithmetic alone. */
LLVMValueRef address_base(LLVMValueRef pointer);

/* The instruction writes to memory of the class: that counts while there are several threads. */
void flag_written(struct sharing *s, LLVMValueRef i, uint32_t class);
void add_call(struct sharing *s, LLVMValueRef call);
/* scanf or the like: writes where what comes after the text leads. */
bool is_scan(LLVMValueRef callee);

/* plugin.cpp: what LLVM knows of library functions. */
struct llvm_library;
struct llvm_library *llvm_library_new(LLVMModuleRef m);
void llvm_library_free(struct llvm_library *l);
/* A function of the C or C++ library that LLVM knows; its attributes are then complete. */
bool llvm_library_knows(struct llvm_library *l, LLVMValueRef function);
/* Returns memory that nobody else knows. */
bool llvm_returns_fresh(LLVMValueRef call);
/* Known to be malloc, calloc, operator new or the like / realloc or the like / free or the like. */
bool llvm_is_allocation(struct llvm_library *l, LLVMValueRef call);
/* Does the pointer lead to memory that was allocated in the same function and that nobody else knows yet? */
bool llvm_is_new_at(struct llvm_library *l, LLVMValueRef pointer, LLVMValueRef instruction);
bool llvm_is_reallocation(struct llvm_library *l, LLVMValueRef call);
bool llvm_is_deallocation(struct llvm_library *l, LLVMValueRef call);
bool llvm_only_reads(LLVMValueRef call);
bool llvm_argument_not_captured(LLVMValueRef call, unsigned i);
bool llvm_argument_only_read(LLVMValueRef call, unsigned i);
/* May the load, store or atomic move a pointer? False when strict aliasing says: a number. */
bool llvm_may_copy_pointer(LLVMValueRef access);

/* The one object that the pointer leads into, through arithmetic and phis; itself when there is none such. */
LLVMValueRef llvm_object_of(LLVMValueRef pointer);
/* Calls `found` for each local variable, used in its function only and as a whole, that may be read before it was written. */
void llvm_uninitialised(LLVMValueRef function, void (*found)(void *data, LLVMValueRef alloca), void *data);
/* Can the value not be made of memory that nobody has written, or of other poison? */
bool llvm_is_never_undefined(LLVMValueRef value);
/* Is the shift's amount always less than the width? */
bool llvm_shifts_in_range(LLVMValueRef shift);
/* Floating point that the compiler may compute in more than one way. */
bool llvm_is_relaxed_float(LLVMValueRef instruction);

#endif
