/*
 * Places that race although no run has met two threads there yet. A thread whose branch goes against what it has just read is stopped, or goes astray, and
 * what it would have raced with later is not found before that one place is known: of a thousand futures each run would find one more. So where
 * the instruction that read it reads places that race elsewhere, what was read counts as one of them. If it is none, that costs a symbol.
 */
#include "sym/engine.h"

#include <stdlib.h>

static bool *meets_races; /* by site of the module: it has read something that races */

void suspect_read(struct ethread *t, uint32_t site, uint64_t address, unsigned size, bool racy)
{
	if (!site)
		return;
	if (!meets_races)
		meets_races = xcalloc(engine.config->module->nsites + 1, sizeof *meets_races);
	if (racy) {
		meets_races[site] = true;
		return;
	}
	t->last_reads[1] = t->last_reads[0]; /* a branch may compare two */
	t->last_reads[0] = (struct last_read){ address, size, site };
}

void suspect_mismatch(struct ethread *t)
{
	for (size_t i = 0; i < sizeof t->last_reads / sizeof *t->last_reads; i++) {
		const struct last_read *r = &t->last_reads[i];
		if (r->site && meets_races[r->site])
			races_suspect(engine.races, r->address, r->size);
	}
}
