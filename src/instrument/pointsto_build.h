/* Inside of the points-to analysis: pointsto.c, pointsto_calls.c, pointsto_written.c. */
#ifndef RETHREAD_POINTSTO_BUILD_H
#define RETHREAD_POINTSTO_BUILD_H

#include "instrument/pointsto.h"
#include "instrument/vtables.h"

enum object_flag {
	SHARED = 1,  /* more than one thread may reach it */
	WRITTEN = 2, /* while there are several threads: all of it, as far as is known */
};

/* What to do for each object that a node turns out to hold. */
enum called_kind {
	CALLED_HERE,   /* the node is that of a pointer to a function: parameters and result */
	CALLED_THREAD, /* the same, of a thread that is created */
	CALLED_AT_EXIT, /* of a destructor at the end */
	CALLED_STATE,  /* the node is what the state of a std::thread holds: its virtual table is looked for */
	CALLED_MADE,   /* the node is what an allocation function returns: each call makes an object of its own */
};

struct called {
	enum called_kind kind;
	LLVMValueRef call;
	unsigned argument; /* of those two: the parameter that is passed on */
	uint32_t object, node; /* CALLED_MADE: that object, and who has it; CALLED_STATE: what leads to the state */
	struct bits done;  /* objects */
};

struct points_to {
	struct sharing *sharing;
	struct inclusion *in;
	struct members members;
	struct vtables *vtables;
	struct map node;     /* value: its node */
	struct map returned; /* function: the node of what it returns */
	struct map object;   /* variable, function, allocation: its object */
	struct map further;  /* function with ...: the object where further parameters are */
	struct bits areas;   /* those objects */
	struct map started;  /* functions that threads may begin with, or that are registered for the end; with what they are given there */
	struct called *calls; /* by the numbers that inclusion_call is given */
	size_t ncalls, calls_cap;
	uint32_t from_outside; /* a node: something of the world's */
	uint32_t passed_on; /* a node: what threads are given when they are created */
	uint32_t handed;    /* a node: what changes hands then: whoever gave it has it no longer */
	uint32_t carriers;  /* a node: where the pointers to that lie until then */
	LLVMValueRef *function; /* by object: the function that it is, or NULL */
	uint8_t *flags;		/* by object: enum object_flag */
	size_t nfunction, function_cap, nflags;
	struct bits handed_on; /* objects that somebody may have got that way */
	struct bits shared; /* objects that are SHARED, and WRITTEN or have members that are */
	/* Members that are written while there are several threads, of objects that are not WRITTEN. */
	struct written {
		uint32_t member;
		uint32_t next; /* of the same object, + 1 */
	} *written;
	size_t nwritten, written_cap;
	uint32_t *first_written; /* by object, + 1 */
	struct bits certain; /* objects whose making does not fail */
	struct clone {
		uint32_t of, object, next; /* next: of the same one, + 1 */
		bool united; /* others reach the original: it holds what the clone does, too */
	} *clones;
	size_t nclones, clones_cap;
	uint32_t *first_clone; /* by object, + 1 */
	uint32_t *original;    /* by object: what it is a clone of; 0: it is none */
	bool any_united;
	bool makes_pointers; /* of numbers that are loaded */
	bool short_addresses; /* addresses are shortened to 32 bits */
	bool complete;
};

/* What holds the value; 0 where no pointer can be in it. */
uint32_t points_to_node(struct points_to *p, LLVMValueRef v);
uint32_t points_to_returned(struct points_to *p, LLVMValueRef function);
/* The object that is made by, or is, v. */
uint32_t points_to_object(struct points_to *p, LLVMValueRef v);
/* Into the middle of an object, at a place that is known: a buffer in a structure, mostly. */
bool points_to_is_inside(LLVMValueRef pointer);
void points_to_add_call(struct points_to *p, LLVMValueRef call);
/* For inclusion.h. */
void points_to_called(void *data, uint32_t call, uint32_t object);
void points_to_outside(void *data, uint32_t object);
/* pointsto_written.c: once the sets are complete, who writes what while there are several threads. */
void points_to_find_written(struct points_to *p, LLVMModuleRef m);
/* The member of what the pointer leads to, where the instruction may run while there are several threads. */
void points_to_flag_written(struct points_to *p, LLVMValueRef instruction, LLVMValueRef pointer, uint32_t member);
/* What the call may write to. */
void points_to_flag_call(struct points_to *p, LLVMValueRef call);

/* pointsto_numbers.c: which numbers may be addresses. */
/* Is the pointer made of a number that may be an address, of which nobody knows where it leads? */
bool points_to_is_from_outside(const struct points_to *p, LLVMValueRef inttoptr);
/* Are addresses made numbers of 32 bits? Hashes do that, too. */
bool points_to_shortens_addresses(LLVMModuleRef m);
/*
 * Does the program make pointers of numbers that it loaded or was given? If not, numbers in memory, as their types tell, are none, whatever
 * was copied there: the length of a string is copied together with the pointer beside it.
 */
bool points_to_makes_pointers(const struct points_to *p, LLVMModuleRef m);
/*
 * In a program that makes no pointers of numbers: a number whatever it is made of, which was in the place of a pointer, or may have been, as far as types
 * tell. The capacity of a string that is doubled; a character that is added up. What is wider than a pointer may be two that are copied.
 */
bool points_to_is_only_number(LLVMValueRef i);

#endif
