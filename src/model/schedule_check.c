/*
 * Does a schedule contradict itself? Every thread is played as far as its waits let it, as a replay would. A store that is
 * delayed is executed like any other here: what is found is a contradiction all the same.
 */
#include "model/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct player {
	const char *name;
	size_t first, end; /* its waits, sorted by SAP */
	size_t at;         /* the one that it stands at */
};

struct play {
	struct schedule_wait **waits; /* by thread, then SAP */
	size_t nwaits;
	vec(struct player) players;
};

static int by_sap(const void *p, const void *q)
{
	const struct schedule_wait *a = *(struct schedule_wait *const *)p, *b = *(struct schedule_wait *const *)q;
	int thread = strcmp(a->thread, b->thread);
	return thread ? thread : a->sap < b->sap ? -1 : a->sap > b->sap;
}

static void play_init(struct play *p, const struct schedule *s)
{
	*p = (struct play){.nwaits = s->waits.n, .waits = xcalloc(s->waits.n + 1, sizeof *p->waits)};
	for (size_t i = 0; i < s->waits.n; i++)
		p->waits[i] = &s->waits.at[i];
	if (s->waits.n)
		qsort(p->waits, s->waits.n, sizeof *p->waits, by_sap);
	for (size_t i = 0; i < s->waits.n; i++) {
		const char *name = p->waits[i]->thread;
		if (!p->players.n || strcmp(p->players.at[p->players.n - 1].name, name))
			*vec_push(&p->players) = (struct player){name, i, i, i};
		p->players.at[p->players.n - 1].end = i + 1;
	}
}

static int by_name(const void *name, const void *player)
{
	return strcmp(name, ((const struct player *)player)->name);
}

/* Who stands in the way of this wait: a thread that itself waits, at or before the SAP. NULL: nobody. */
static struct player *obstacle(const struct play *p, const struct schedule_wait *w)
{
	if (!p->players.n)
		return NULL;
	struct player *u = bsearch(w->other, p->players.at, p->players.n, sizeof *u, by_name);
	return u && u->at < u->end && p->waits[u->at]->sap <= w->other_sap ? u : NULL;
}

/* From one thread that cannot go on to the next, until one comes again: then once around. */
static bool tell_circle(const struct play *p, const struct player *from, struct error *err)
{
	for (size_t i = 0; i < p->players.n; i++)
		from = obstacle(p, p->waits[from->at]);
	char text[400] = "";
	size_t n = 0;
	const struct player *u = from;
	do {
		const struct schedule_wait *w = p->waits[u->at];
		n += (size_t)snprintf(text + n, sizeof text - n, "%sline %u: access %" PRIu64 " of thread %s after access %" PRIu64
				      " of thread %s", n ? "; " : "", w->line, w->sap, w->thread, w->other_sap, w->other);
		u = obstacle(p, w);
	} while (u != from && n < sizeof text);
	return fail(err, "waits that go round in a circle, so that nobody could go on: %s", text);
}

bool schedule_check(const struct schedule *s, struct error *err)
{
	if (s->delays.n && s->model == MEMORY_SC)
		return fail(err, "line %u delays a store, which there is none of under model sc", s->delays.at[0].line);
	struct play p;
	play_init(&p, s);
	const struct player *stuck = NULL;
	for (bool any = true; any;) {
		any = false;
		stuck = NULL;
		for (size_t i = 0; i < p.players.n; i++) {
			struct player *u = &p.players.at[i];
			for (; u->at < u->end && !obstacle(&p, p.waits[u->at]); u->at++)
				any = true;
			if (u->at < u->end)
				stuck = u;
		}
	}
	bool ok = !stuck || tell_circle(&p, stuck, err);
	free(p.waits);
	vec_free(&p.players);
	return ok;
}
