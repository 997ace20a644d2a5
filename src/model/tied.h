/*
 * What is asked of the executor, and what it answers, when it looks for what something rests on (src/sym/ties.c, src/infer/rests.c): the files "ties" and "tied" of its state.
 */
#ifndef RETHREAD_TIED_H
#define RETHREAD_TIED_H

#include "base/base.h"

struct ties_asked {
	uint32_t thread;    /* by its number in the log */
	uint32_t write;     /* 1: what it writes at this SAP and address; 0: its failure */
	uint64_t from;      /* reads from this SAP on */
	uint64_t sap, address;
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
