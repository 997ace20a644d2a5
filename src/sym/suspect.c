/*
 * Places that race although no run has met two threads there yet. A thread whose branch goes against what it has just read is stopped, or goes astray, and
 * what it would have raced with later is not found before that one place is known: of a thousand futures each run would find one more. So where
 * the instruction that read it reads places that race elsewhere, what was read counts as one of them. If it is none, that costs a symbol.
 *
 * That finds the places of one moment: the nodes of a queue come one after the other, and each is another place. An instruction of which that was so in
 * several runs is distrusted from then on: whatever it reads counts as racing, at once, so that no branch goes against it.
 */
#include "sym/engine.h"

#include <stdlib.h>

/* In so many runs it may have been what a branch went against. */
enum { TRUSTED_RUNS = 3 };

/* By site of the module. */
static struct suspicion {
	bool meets_races; /* it has read something that races */
	bool now;         /* suspected in this run */
	uint32_t runs;    /* in so many before */
} *suspicions;

static struct suspicion *suspicion_of(uint32_t site)
{
	if (!suspicions)
		suspicions = xcalloc(engine.config->module->nsites + 1, sizeof *suspicions);
	return &suspicions[site];
}

bool suspect_read(struct ethread *t, uint32_t site, uint64_t address, unsigned size, bool racy)
{
	if (!site)
		return racy;
	struct suspicion *s = suspicion_of(site);
	s->meets_races |= racy;
	if (racy)
		return true;
	if (s->runs >= TRUSTED_RUNS) {
		races_suspect(engine.races, address, size);
		return true;
	}
	t->last_reads[1] = t->last_reads[0]; /* a branch may compare two */
	t->last_reads[0] = (struct last_read){ address, size, site };
	return false;
}

void suspect_mismatch(struct ethread *t)
{
	for (size_t i = 0; i < sizeof t->last_reads / sizeof *t->last_reads; i++) {
		const struct last_read *r = &t->last_reads[i];
		if (!r->site || !suspicion_of(r->site)->meets_races)
			continue;
		races_suspect(engine.races, r->address, r->size);
		suspicion_of(r->site)->now = true;
	}
}

void suspect_load(void)
{
	char *data, *path = xasprintf("%s/suspects", engine.config->state);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		const uint32_t *runs = (const uint32_t *)data;
		for (uint32_t site = 0; site < size / sizeof *runs && site <= engine.config->module->nsites; site++)
			suspicion_of(site)->runs = runs[site];
		free(data);
	}
	free(path);
}

void suspect_finish(void)
{
	if (!suspicions)
		return;
	size_t n = engine.config->module->nsites + 1;
	uint32_t *runs = xcalloc(n, sizeof *runs);
	for (size_t site = 0; site < n; site++)
		runs[site] = suspicions[site].runs + suspicions[site].now;
	struct error err;
	if (!write_file(engine_state_file("suspects"), runs, n * sizeof *runs, &err))
		engine_fatal("%s", err.text);
	free(runs);
}
