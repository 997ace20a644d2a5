#include "solve/cubes.h"

static bool is_used(const struct cubes *c, uint32_t piece)
{
	for (size_t i = 0; i < c->npieces; i++)
		if (c->pieces[i] == piece)
			return true;
	return false;
}

/* The read with most candidates; of those with equally many the first. */
static uint32_t most_contended(const struct cubes *c, const struct problem *p)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < p->pieces.n; i++)
		if (p->pieces.at[i].count > 1 && !is_used(c, i) &&
		    (best == UINT32_MAX || p->pieces.at[i].count > p->pieces.at[best].count))
			best = i;
	return best;
}

void cubes_init(struct cubes *c, const struct problem *p, size_t wanted)
{
	*c = (struct cubes){.n = 1};
	while (c->n < wanted && c->npieces < CUBE_READS) {
		uint32_t piece = most_contended(c, p);
		if (piece == UINT32_MAX)
			break;
		c->pieces[c->npieces++] = piece;
		c->n *= p->pieces.at[piece].count;
	}
	if (c->n < 2)
		c->n = 0;
}

size_t cubes_literals(const struct cubes *c, const struct formula *f, size_t i, literal out[CUBE_READS])
{
	for (size_t k = 0; k < c->npieces; k++) {
		const struct piece *piece = &f->p->pieces.at[c->pieces[k]];
		out[k] = f->choices[piece->first + i % piece->count];
		i /= piece->count;
	}
	return c->npieces;
}
