/*
 * Reads that came too early. A branch that the log has going another way than the guesses would says that the racy reads it depends
 * on found something else: mostly because the thread ran ahead of one who was to write first (a count of references
 * that was not the last one's yet). Where a run explains nothing, which may well come of that, the driver has such
 * reads wait in the next one (explorer_wait in src/infer/explore.c): until the place holds a value that is not known to be wrong, as far as the stamps
 * leave it open (await.c). A read that waited in vain came too late, if anything, and waits no more.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

/* A value that a read did not find; several of them for one read. */
struct early {
	struct forced_value read;
	uint64_t vain; /* 1: waiting did not help */
};

enum { MOST = 1 << 16, MOST_IN_BRANCH = 4 };

static vec(struct early) early; /* of earlier runs first, by read */
static size_t nloaded;

static int by_read(const void *p, const void *q)
{
	return memcmp(p, q, sizeof(struct forced_value));
}

static const struct forced_value *read_of(uint32_t symbol)
{
	return &engine.symbols.at[symbol].read;
}

static void note(const struct forced_value *read)
{
	bool again = early.n > nloaded && !by_read(&early.at[early.n - 1], read);
	if (!read->sap || again || early.n == MOST || bsearch(read, early.at, nloaded, sizeof *early.at, by_read))
		return;
	*vec_push(&early) = (struct early){ *read, 0 };
}

/* The symbols in the expression; more than n are not looked for. */
static size_t symbols_in(expr e, uint32_t *symbols, size_t n)
{
	enum { DEPTH = 64 };
	expr left[DEPTH] = { e };
	size_t found = 0, nleft = 1;
	while (nleft && found < n) {
		const struct expr_node *node = expr_node(engine.exprs, left[--nleft]);
		const expr operands[] = { node->a, node->b, node->c };
		if (node->op == EXPR_SYM)
			symbols[found++] = (uint32_t)node->value;
		for (size_t i = 0; i < 3 && nleft < DEPTH; i++)
			if (operands[i])
				left[nleft++] = operands[i];
	}
	return found;
}

void early_contradicted(struct ethread *t, expr condition)
{
	uint32_t symbols[MOST_IN_BRANCH];
	for (size_t n = symbols_in(condition, symbols, MOST_IN_BRANCH); n--;)
		if (engine.symbols.at[symbols[n]].thread == t) {
			note(read_of(symbols[n]));
			lulls_contradicted(t, engine.symbols.at[symbols[n]].address);
		}
}

/* What was noted of the read at hand, which would find `value`; NULL: nothing. */
static struct early *find(const struct ethread *t, uint64_t value)
{
	struct forced_value read = { t->log->info.number, t->piece_sap == t->saps ? t->pieces : 0, t->saps, value };
	return bsearch(&read, early.at, nloaded, sizeof *early.at, by_read);
}

static struct early *find_in_memory(const struct ethread *t, uint64_t address, unsigned size)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)(uintptr_t)address, size);
	return find(t, value);
}

void early_await(struct ethread *self, uint64_t address, unsigned size)
{
	if (!nloaded || !self->log)
		return;
	for (struct early *e; (e = find_in_memory(self, address, size)) && !e->vain;) {
		await_other(self, address, size, e->read.value);
		e->vain = find_in_memory(self, address, size) == e;
	}
}

void early_load(void)
{
	char *data, *path = xasprintf("%s/early", engine.config->state);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		early.at = (struct early *)data;
		early.n = early.cap = size / sizeof *early.at;
		nloaded = early.n;
	}
	free(path);
}

size_t early_finish(void)
{
	size_t found = early.n - nloaded;
	char *path = xasprintf("%s/early.next", engine.config->state);
	struct error err;
	qsort(early.at, early.n, sizeof *early.at, by_read);
	if (!write_file(path, early.at, early.n * sizeof *early.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return found;
}
