/*
 * Cases into which a formula falls: one for each way in which a few reads with many candidates can choose their writers. Together they are all of
 * it, since every read sees one of its candidates.
 */
#ifndef RETHREAD_CUBES_H
#define RETHREAD_CUBES_H

#include "model/formula.h"

/* Reads that make up a cube, at most. */
enum { CUBE_READS = 3 };

/* By piece numbers; cube i is a number in the mixed radix of how many candidates they have. */
struct cubes {
	uint32_t pieces[CUBE_READS];
	size_t npieces;
	size_t n;
};

/* So many cubes or somewhat more, where the problem has reads for that; *c has no cubes when there are fewer than two. */
void cubes_init(struct cubes *c, const struct problem *p, size_t wanted);
/* What is assumed in cube i: literals of f, CUBE_READS at most; how many. */
size_t cubes_literals(const struct cubes *c, const struct formula *f, size_t i, literal out[CUBE_READS]);

#endif
