/*
 * Recorded values, inside (engine.h has what others use).
 *
 *   recall.c            what a read read
 *   recall_addresses.c  what an address of the recorded run is here: `recorded` is its low 32 bits, as in the log
 *   blocks.c            blocks of memory by both addresses
 */
#ifndef RETHREAD_SYM_RECALL_H
#define RETHREAD_SYM_RECALL_H

#include "sym/engine.h"

enum {
	SMALL = 4096,   /* nothing lies below, nor so near to the end of what 32 bits hold */
	CANDIDATES = 4, /* so many are told apart */
};

/* What the address may be here; as many as CANDIDATES: or something else. */
size_t recall_candidates(uint32_t recorded, uint64_t own[CANDIDATES]);
/* Blocks that one recorded address stands for: in the next run they are one. */
void recall_share_blocks(const uint64_t *own, size_t n);

/* Is that of the program's own variables and functions? Where they lay is known. */
bool recall_in_program(uint64_t own);

/* Does the module only declare what is there? Where that lay is not known, also where it is the program's here: malloc, which the runtime defines. */
bool recall_is_declared(uint64_t own);

/* Addresses of libraries, which no block and no symbol tells: learnt from a read that does not race; 0: not known. */
void recall_learn(uint32_t recorded, uint64_t own);
uint64_t recall_learnt(uint32_t recorded);

/* A number, by all that is known; NULL is one. */
bool recall_is_small(uint32_t recorded);
/* ... by itself, whatever lies there. */
bool recall_looks_small(uint32_t recorded);
/* A block of the recorded run: some of its addresses may look like small numbers. */
void recall_note_low(uint32_t recorded, uint64_t size);
/* May a number of 64 bits have been an address of the recorded run? */
bool recall_may_be_address(uint64_t recorded);

/* A counter or a mark may be in the bits of a word that an address has no use for: above it, or below it. */
enum tag { TAG_NO_ADDRESS, TAG_ABOVE, TAG_BELOW };
enum { TAG_BITS = 16 };
#define ADDRESS_BITS ((1ull << 48) - 1)

/* The address in a word of 64 bits, and where in it. */
enum tag recall_address_in(uint64_t recorded, uint64_t *address);

/* How many synchronization objects may have shared their place with others (recall_check_place). */
size_t recall_unplaced(void);

#endif
