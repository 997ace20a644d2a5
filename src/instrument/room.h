/*
 * What the code of a function does to the tray (include/rethread/instrument.h), and where.
 *
 * The pointer into the tray is kept in a register, and need not be advanced for each byte: it may be behind by an offset that is known
 * at each place, so that an append is one store. Where ways with different offsets meet it is advanced by the
 * difference; before it is asked whether the tray is full, it is up to date.
 */
#ifndef RETHREAD_INSTRUMENT_ROOM_H
#define RETHREAD_INSTRUMENT_ROOM_H

#include "instrument/pass.h"

enum room_what {
	ROOM_ADVANCE, /* the pointer, by `offset`, which may be negative */
	ROOM_ASK,     /* is the tray full? The pointer is up to date */
	ROOM_SAVE,    /* the pointer + `offset` goes to memory: what comes next may append, or return */
	ROOM_APPEND,  /* the bytes of the branch, or of the block on an edge, that `at` ends */
};

/* Steps before one instruction are in the order in which they are done. */
struct room_step {
	enum room_what what;
	int offset;      /* of an append: behind which the bytes go */
	LLVMValueRef at; /* before this instruction; on the way to its successor `edge`, when that is not negative */
	int edge;
};

struct room_plan {
	struct room_step *at;
	size_t n, cap;
};

/* `bits`: how many bytes blocks append at their end. */
void room_make_plan(LLVMValueRef function, const struct map *bits, struct room_plan *plan);

#endif
