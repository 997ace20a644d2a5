/*
 * Memory of the recorded run, here: where its blocks lay (blocks.c), which of them had the same place one after the other
 * (mirror.c, turns.c), and what reads that decide addresses read there (recall.c; inside: recall.h). Each has a part that is loaded
 * at the start, from what earlier runs of the executor learnt, and one that is kept at the end (*_load, *_finish).
 */
#ifndef RETHREAD_SYM_REUSED_H
#define RETHREAD_SYM_REUSED_H

#include "sym/engine.h"

/* blocks.c: a block that the recorded run had at one address, and this one has at another. */
void block_on_heap(uint32_t recorded, uint64_t own, uint64_t size);
void block_at_place(uint32_t recorded, uint64_t own, uint64_t size); /* on the stack, or mapped */
/* What may lie here of what lay there: up to `most` addresses, the newest first; then those that are the ends of blocks. */
size_t blocks_at(uint32_t recorded, uint64_t *own, size_t most);
/* Where the recorded run had what now lies at `own`. */
bool block_recorded(uint64_t own, uint32_t *recorded);
/* Did any block lie at an address with these bits? */
bool blocks_end_in(uint32_t bits, uint32_t mask);

/* An allocation's name (turns.c). */
struct allocation {
	uint64_t thread, value; /* how many values the thread had before it */
};

/* mirror.c. The thread allocates; 0: memory anywhere will do. */
uint64_t mirror_place(struct ethread *self, uint64_t size, uint64_t align);
/*
 * Did the recorded run get no memory from malloc, for a size that depends on what was read (a length where something else lay)? Then that was more than a machine
 * has, whatever it is guessed to be, and the call fails here, too.
 */
void mirror_lacks_room(struct ethread *self, struct native_call *c);
/*
 * The allocating call of `name` is over, whose block was given a place. The memory that it filled, which holds what it held before
 * again, and what it is to hold now (the caller frees that).
 */
void mirror_called(struct ethread *self, const char *name, struct range *filled, char **bytes);
/* A block is freed, at the SAP at hand. */
void mirror_freed(struct ethread *self, uint64_t start, const char *what);
/* The newest block there was freed before the last event of the thread. */
void mirror_order_freed(struct ethread *self, uint64_t start);
/* Blocks that the C library keeps for the thread, which gave them back, as far as they have a place; none where one was given back by two threads. */
size_t mirror_kept(const struct ethread *self, uint64_t *starts, size_t most);
/* In the next run the block at `own` shares memory: it is used after it was freed, or without being ordered with that. */
void mirror_share(uint64_t own);
/* The thread reads what nobody has written: left by the block before, perhaps. */
void mirror_unwritten(uint64_t own);
/* Does an allocating function leave memory as it is? Else the block was filled, at some place of its own. */
bool mirror_leaves_memory(const char *name);
void mirror_filled(uint64_t start);
/* Where a block's memory ends: shared memory is laid out as the C library's, which gives a little more than was asked for. */
uint64_t mirror_end(uint64_t start, uint64_t size);
bool mirror_has(uint64_t own);
/* Which allocation the newest block that begins there is of; false: none that has a place. */
bool mirror_name(uint64_t start, struct allocation *name);
bool mirror_can_go(const struct ethread *t);
void mirror_load(void);
/* At the end: how much was learnt that only another run can make use of; what keeps this run from proving anything. */
size_t mirror_finish(void);
size_t mirror_doubtful(void);

/*
 * turns.c. The allocation at hand. May it have its memory, as far as earlier runs have learnt who had it before? A block was
 * freed. The block `late` has memory that `early` had to have first; false: that is known, or the other way round, and did not help.
 */
struct allocation turns_name(const struct ethread *t);
bool turns_have_come(const struct ethread *t);
void turns_freed(struct allocation early);
bool turns_learn(struct allocation late, struct allocation early);
void turns_load(void);
/* At the end: how much was learnt that only another run can make use of. */
size_t turns_finish(void);

/*
 * left.c: what free leaves in the first word of a block that has a place; false: nothing is known of that but what is always so. Before a thread uses what it
 * read at an address: is that the one word, and something else than memory holds?
 */
bool left_known(uint64_t start, uint64_t *word);
/* Can this be the lower half of what was left in the block? */
bool left_may_be(uint64_t start, uint32_t recorded);
void left_read(uint64_t address, uint64_t recorded, unsigned size);
void left_load(void);
/* At the end: how much was learnt that only another run can make use of. */
size_t left_finish(void);

/* recall.c: the value that comes next, of an allocation; 0: not known. */
uint32_t recall_next(const struct ethread *self);
/* recall.c: recorded values. Before the access at hand of `address`: let others run whom it has heard of. */
void recall_await(struct ethread *self, uint64_t address, unsigned size);
/* It read *s: from memory, or a symbol; corrected to what the log says. */
void recall_value(struct ethread *self, struct slot *s, unsigned size);
/*
 * A name for the place that is the same for all that lay there in the recorded run, where memory was reused, as far as
 * that is known.
 */
uint64_t recall_place(uint64_t own);
/* Can the recorded word be told, an address above all? */
bool recall_knows(uint32_t recorded);
void recall_load(void);
/* A synchronization object was found at the place: if that is no variable's nor known from the log, its order is in doubt. */
void recall_check_place(uint64_t place);
/* At the end: how many addresses were taken to be one thing and turned out to have been several, or may have been. */
size_t recall_doubtful(void);
/* At the end of a run that left a recorded path: addresses that stand for several blocks by now are to be shared by these. */
void recall_share(void);
/* ... and how many blocks only another run will know from its beginning, which it has to: their addresses look like numbers. */
size_t recall_finish(void);

#endif
