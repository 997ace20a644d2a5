/*
 * What the search for who came in between (between.h) keeps of the order, for its two files: the pairs of accesses and what speaks for them (between.c), and what locks have to do
 * with one (between_locks.c).
 */
#ifndef RETHREAD_BETWEEN_FINDER_H
#define RETHREAD_BETWEEN_FINDER_H

#include "infer/between.h"
#include "infer/locks.h"
#include "infer/table.h"

/*
 * What speaks for a candidate. What the programs of bugs/ and eval/ have in common: the thread's two accesses belong
 * together for the programmer (near, in one function), other times nobody came in between, a lock that others take
 * is missing, and the failure depends on it. Found by comparing which candidate came first with what the bug is.
 */
enum {
	WORTH_RACE = 6,     /* no lock in common */
	WORTH_LOCK = 3,     /* one of the three goes without the place's lock */
	WORTH_GIVEN_UP = 3, /* all have a lock, which the thread gave up between its two */
	WORTH_FAILS = 5,    /* ... and the failure depends on the second; other times mostly nobody came in between */
	WORTH_SAME = 4,     /* ... and the other did what the thread then does, which had only looked before */
	WORTH_MATTERS = 6,  /* one of the three is in the slice */
	WORTH_THERE = 12,   /* of two in the same lines: the place is the one that the failure is found at */
	WORTH_FUNCTION = 2, /* both accesses are in one function */
	WORTH_LOST = 4,     /* what the other wrote is overwritten by somebody who has not seen it */
	WORTH_OVERTAKEN = 4, /* what the thread had found out was not true any more */
	WORTH_COUNTED = -10, /* updates, each whole by itself, and looks at them: what counts references does nothing else */
	WORTH_OWN = 4,      /* the thread reads what it has written for itself, and the other has written there in the same function */
	WORTH_DISOWNED = 10, /* the thread fails by what it finds where it keeps something of its own, however long ago it put that there */
	WORTH_RARE = 4,     /* at most; as much less for what happens all the time */
	WORTH_ENOUGH = 9,
	WORTH_NOTHING = -100,
	WORTH_ENOUGH_SECTIONS = 5, /* with WORTH_SAME: nothing else can tell that two sections belong together */
};

/* What is kept of an address: steps + 1 of the last write and read, and of the last by other threads than those. */
enum { WRITE, OTHER_WRITE, READ, OTHER_READ };
/* What is kept of a place and a thread: the last access, and the last that writes; steps + 1. */
enum { OWN, OWN_WRITE };
/* What is kept of a pair of lines. The last is an index into `found`, + 1. */
enum { UNDISTURBED, DISTURBED, BEST };

struct candidate {
	struct between b;
	uint64_t pair;
	int worth;
};

/* Events that created a thread and joined it; UINT32_MAX: none. */
struct life {
	uint32_t created, joined;
};

struct finder {
	const struct slice *s;
	const struct execution *x;
	const struct linear *l;
	struct table places; /* by address */
	struct table mine;   /* by address and thread */
	struct table pairs;  /* by two lines */
	struct table born;   /* by UNIT bytes of memory: the step that allocated it last, + 1 */
	uint64_t *symbols;   /* their values */
	uint64_t *values;    /* of all expressions; NULL: not known */
	struct locks_index locks;
	struct life *lives;     /* by thread */
	vec(struct candidate) found;
};

static inline const struct event *event_at(const struct finder *f, size_t step)
{
	return &f->x->events.at[f->l->steps.at[step].event];
}

/* Where it is in the source, as a number: the compiler unrolls loops, and sites of one line are the same to a reader. */
static inline uint64_t line_of(const struct finder *f, const struct event *e)
{
	uint64_t h = 1;
	for (const char *s = f->x->sites.at[e->site].where; *s; s++)
		h = table_mix(h ^ (unsigned char)*s);
	return h;
}

static inline bool reads(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_UPDATE;
}

static inline bool writes(const struct event *e)
{
	return e->kind == EVENT_WRITE || (e->kind == EVENT_UPDATE && e->written);
}

/* Does the failure depend on that read? */
static inline bool is_asked(const struct finder *f, size_t step)
{
	for (size_t i = 0; i < f->s->asked.n; i++)
		if (f->s->asked.at[i] == step)
			return true;
	return false;
}

/* What locks have to do with it, and what that is worth. */
int between_locks(struct finder *f, struct candidate *candidate);
/* Did the thread look in one line, and then do in another what the other thread had done there? */
bool between_acts_alike(const struct finder *f, const struct between *b);

#endif
