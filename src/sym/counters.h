/*
 * Counters: values that grow by the same amount in each lap of a loop, as symbols for the length of one lap. From what the
 * lap made of them it can be told what later laps will make of them, and for how many laps: so they need not be
 * executed (laps.c).
 *
 * Counters are symbols of numbers that no racy read has (COUNTER_SYMBOL and up), fresh ones for each lap that is looked at. They must be
 * gone from everything that lasts: counters_put puts values in their place.
 */
#ifndef RETHREAD_COUNTERS_H
#define RETHREAD_COUNTERS_H

#include "base/base.h"
#include "sym/expr.h"

#define COUNTER_SYMBOL (UINT64_C(1) << 40)

struct counter {
	uint64_t value; /* when the lap began; at most 63 bits, or it is none */
	int64_t step;   /* from lap to lap */
};

struct counters {
	struct expr_arena *exprs;
	uint64_t symbol; /* of the first */
	expr first;      /* its expression: whatever came before mentions no counter */
	vec(struct counter) at;
};

/* From here on, expressions may mention the counters that are added next. */
void counters_begin(struct counters *c, struct expr_arena *exprs);
expr counters_add(struct counters *c, unsigned width, struct counter counter);

static inline bool counters_in(const struct counters *c, expr e)
{
	return c->at.n && e >= c->first;
}

/* e with the counters' values `laps` laps later (earlier, if negative) in their places. */
expr counters_put(const struct counters *c, expr e, int64_t laps);

/*
 * By how much e grows from lap to lap: after m laps, for every m up to *most, which is lowered where need be, its value is m * step
 * more than now, and still of its width. False: it cannot be told.
 */
bool counters_step(const struct counters *c, expr e, int64_t *step, uint64_t *most);

#endif
