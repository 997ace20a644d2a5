/*
 * Which locations race: happens-before over what the interpreted threads access (FastTrack's epochs, with a
 * frontier of writes instead of the last one). A location that races is found in one run of the executor
 * and is known from its start in the next (design §5.2).
 *
 * A location is a range of bytes that has always been accessed as a whole; partial overlaps split it.
 * A race is two accesses, one a write, by different threads, neither ordered before the other by the vector
 * clocks given.
 */
#ifndef RETHREAD_RACE_H
#define RETHREAD_RACE_H

#include "base/base.h"

struct races; /* opaque */

struct range {
	uint64_t address;
	uint64_t size;
};

/* `known` ranges are racy from the start. */
struct races *races_new(const struct range *known, size_t nknown);
void races_free(struct races *r);
/* Is any of the bytes in such a range? */
bool races_is_known(const struct races *r, uint64_t address, uint64_t size);

/*
 * Who accesses. clock[u] is what the thread knows of thread u (nclock entries, more are 0), its own entry is its own time.
 * One that has strayed from its recorded path computes with wrong values: it may be where it never was.
 */
struct racer {
	uint32_t thread;
	bool strayed;
	uint32_t nclock;
	const uint32_t *clock;
};

/*
 * The bytes are accessed. Returns whether any of them was known to race from the start;
 * *fresh is then the number of ranges (in races_fresh) of those bytes that nobody had accessed before.
 */
bool races_access(struct races *r, struct racer who, uint64_t address, uint64_t size, bool write, size_t *fresh);
const struct range *races_fresh(const struct races *r);
/* Did that access race with another one (also where races are known)? Did it touch memory that had been given back? */
bool races_raced(const struct races *r);
bool races_hit_freed(const struct races *r);
/* Was the byte last written by this thread, as far as it is known whom that races with? */
bool races_is_own(struct races *r, uint32_t thread, uint64_t address);
/* Which bits of a value, that lies within 8 aligned bytes, were accessed, and never without the rest of it. */
uint64_t races_never_apart(struct races *r, uint64_t address, unsigned size);
/* Did it read bytes that nobody had written? Touch some that nobody had touched? */
bool races_unwritten(const struct races *r);
bool races_untouched(const struct races *r);
/* The bytes, all of which have been accessed, are given back; or are part of a new block. */
void races_give_back(struct races *r, uint64_t address, uint64_t size);
void races_take_again(struct races *r, uint64_t address, uint64_t size);

/* Ranges found to race in this run that were not known; and those of which only threads say so that had strayed. */
const struct range *races_found(const struct races *r, size_t *count);
const struct range *races_doubtful(const struct races *r, size_t *count);
/* Accessed before, the bytes are taken for some that race: found, unless that is known. */
void races_suspect(struct races *r, uint64_t address, uint64_t size);

#endif
