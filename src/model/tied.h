/*
 * What is asked of the executor, and what it answers, when it looks for what something rests on (src/sym/ties.c, src/infer/rests.c): the files "ties" and "tied" of its state.
 */
#ifndef RETHREAD_TIED_H
#define RETHREAD_TIED_H

#include "base/base.h"

/*
 * What its failure rests on, or something that it wrote; whether it would have come there, as far as the branches tell that it is under, if reads had found
 * other values, which stand behind what is asked: the answer has a read if not, and none if so.
 */
enum ties_what { TIES_FAILURE, TIES_IF };

/* Another value of a read. */
struct ties_value {
	uint64_t sap, address, value;
};
typedef vec(struct ties_value) ties_values;

struct ties_asked {
	uint32_t thread;    /* by its number in the log */
	uint32_t what;      /* enum ties_what */
	uint64_t from;      /* reads from this SAP on */
	uint64_t sap;       /* what it wrote there to the address below; 0: its failure */
	uint64_t address;
};

/*
 * By what was computed of it; by where it led: an address of what was read besides, or a branch that chose a value; by a branch without which the thread would not have come
 * there.
 */
enum tied_how { TIED_BY_VALUE = 1, TIED_BY_WAY = 2, TIED_BY_BRANCH = 4 };

/* A read that it rests on. */
struct tied {
	uint64_t sap, address;
	uint32_t size;
	uint32_t how;       /* enum tied_how, any of them */
};
typedef vec(struct tied) tied_list;

#endif
