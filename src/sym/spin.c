/*
 * Busy waiting. A thread that reads one racy location again and again, each time to the same effect on its path, makes
 * millions of events that say the same thing. Of such reads the first and the last are enough: the
 * others are taken to read what the last one reads, and the last one takes the time stamps that it comes to along. That loses nothing: a read that only decides a branch like
 * the one before it can be moved to just behind that one, since the thread does nothing in between that others see.
 *
 * A read is the next round of such a wait when the last event of its thread is a read of the same place at the same site,
 * the last two rounds had the same branches and the same conditions, and the log says that this one will have the
 * same branches too. Then the last event becomes this read: it moves to its SAP, and its symbol is read again.
 * Rounds that compute something new from what they read are no busy waiting, and are left alone.
 */
#include "sym/engine.h"

/* A round that makes more conditions, or takes more branches, is none. */
enum { MOST_CONDITIONS = 4, MOST_BITS = 32 };

/* The round that began with the spin's read and ends now. */
static struct spin_round round_now(const struct ethread *t)
{
	const struct spin *s = &t->spin;
	uint64_t bits = t->path_bits - s->path_bits;
	return (struct spin_round){
		.symbol = s->value.e,
		.conditions = (uint32_t)s->conditions,
		.nconditions = (uint32_t)(t->conditions.n - s->conditions),
		.nbits = bits <= MOST_BITS ? (uint32_t)bits : 0,
		.bits = bits <= MOST_BITS ? t->recent_bits & ((1ull << bits) - 1) : 0,
	};
}

static bool same_round(const struct ethread *t, const struct spin_round *a, const struct spin_round *b)
{
	if (!a->nbits || a->nbits != b->nbits || a->bits != b->bits || a->nconditions != b->nconditions ||
	    a->nconditions > MOST_CONDITIONS)
		return false;
	const struct expr_pair symbol = { a->symbol, b->symbol };
	for (uint32_t i = 0; i < a->nconditions; i++) {
		const struct condition *c = &t->conditions.at[a->conditions + i].condition;
		const struct condition *d = &t->conditions.at[b->conditions + i].condition;
		if (c->kind != d->kind || (c->kind != CONDITION_PATH && c->kind != CONDITION_RECORDED) ||
		    !expr_same_but(engine.exprs, c->condition, d->condition, &symbol, 1))
			return false;
	}
	return true;
}

static bool is_same_read(const struct ethread *t, uint32_t site, const struct access *a)
{
	const struct spin *s = &t->spin;
	return site && s->site == site && s->address == a->address && s->size == a->size && s->event + 1 == t->events.n;
}

static void round_begins(struct ethread *t)
{
	t->spin.conditions = t->conditions.n;
	t->spin.path_bits = t->path_bits;
	t->spin.nexprs = expr_count(engine.exprs);
}

const struct event *spin_last(const struct ethread *t, uint32_t site, const struct access *a, struct slot *value)
{
	*value = t->spin.value;
	return is_same_read(t, site, a) && !t->spin.computes ? &t->events.at[t->spin.event] : NULL;
}

bool spin_read(struct ethread *t, uint32_t site, struct access *a)
{
	struct spin *s = &t->spin;
	if (!is_same_read(t, site, a) || s->computes || t->recall)
		return false;
	struct spin_round now = round_now(t);
	if (s->merged) {
		/* Conditions that are there already are not added again (condition_add). */
		s->computes = now.nconditions || expr_count(engine.exprs) != s->nexprs;
		if (s->computes || now.nbits != s->round.nbits || now.bits != s->round.bits)
			return false;
	} else if (!same_round(t, &now, &s->round)) {
		return false;
	}
	struct event *e = &t->events.at[s->event];
	/* What an update found, and nobody has looked at, was not the same for certain. */
	if (e->kind == EVENT_UPDATE && !s->merged && !now.nconditions)
		return false;
	if ((e->after != t->time && !s->merged) || t->piece_sap == t->saps ||
	    path_reader_peek(&t->path, now.nbits) != (int64_t)now.bits)
		return false;
	if (e->after != t->time) {
		e->after = t->time;
		e->before = 0;
		if (t->stamped > s->event)
			t->stamped = s->event;
	}
	e->sap = t->saps;
	e->run = ++engine.nevents;
	t->piece_sap = t->saps;
	t->pieces = 1;
	engine.symbols.at[expr_node(engine.exprs, s->value.e)->value].read.sap = t->saps;
	a->value = s->value;
	s->merged = true;
	round_begins(t);
	return true;
}

void spin_note(struct ethread *t, uint32_t site, const struct access *a)
{
	struct spin *s = &t->spin;
	bool again = site && s->site == site && s->address == a->address && s->size == a->size &&
		     s->event + 2 == t->events.n;
	if (!again)
		s->round = (struct spin_round){ 0 };
	else if (!s->merged)
		s->round = round_now(t);
	*s = (struct spin){ .site = site, .size = (uint32_t)a->size, .address = a->address, .event = t->events.n - 1,
			    .value = a->value, .round = s->round, .computes = again && s->computes };
	round_begins(t);
}
