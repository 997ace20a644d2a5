/* At each gate: see conductor.h. */
#include "replay/baton.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SPINS = 300,          /* reads without a write, after which a thread is taken to wait for another */
	SPIN_STEPS = 500,     /* for how many steps others go first then */
	LONG_TURN = 20000,    /* steps of one thread in a row, after which it may be waiting for another, too */
	RANDOM_SWITCH = 20,   /* one in so many SAPs, under RT_POLICY_RANDOM */
	MOST_CHANGES = 16,
};

bool conductor_on;

static uint64_t changes[MOST_CHANGES];
static uint64_t lowest;     /* priority to be given next at a change */

struct actor *actor_at(uint32_t number)
{
	struct twin_thread *t = twin_thread_at(number);
	return t ? t->actor : NULL;
}

struct actor *actor_self(void)
{
	struct twin_thread *t = twin_self();
	return t ? t->actor : NULL;
}

static void check_path(struct actor *a)
{
	for (;;) {
		unsigned n = (unsigned)(rt_tray_here(a->seen) - a->seen);
		enum sketch_place place = sketch_path(&a->follower, a->seen, n);
		if (place == SKETCH_ON) {
			a->follower.bits += n;
			a->seen += n;
			return;
		}
		if (place == SKETCH_OFF)
			conductor_leaves(a, "thread %s took another branch than recorded", a->thread->name);
		else if (sketch_fails(&a->follower))
			conductor_leaves(a, "thread %s went on where it failed", a->thread->name);
		else if (!sketch_has(RT_SKETCH_WHOLE) || sketch_has(RT_SKETCH_HANGS))
			a->follower.off = true;
		else
			conductor_give_way(a, ACTOR_HELD);
	}
}

void conductor_path(void)
{
	struct actor *a = conductor_on ? actor_self() : NULL;
	if (!a)
		return;
	baton_enter(a);
	check_path(a);
	a->seen = rt_tray_of(__rethread_path);
	conductor_reconsiders();
}

/* The waits of the schedule at this SAP. */
static void keep_waits(struct actor *a)
{
	struct twin_thread *t = a->thread;
	while (t->plan && t->next_point < t->plan->npoints && t->plan->points[t->next_point].sap <= t->gate->count) {
		const struct point *p = &t->plan->points[t->next_point++];
		for (uint32_t i = 0; i < p->waits; i++) {
			a->wait = schedule_wait(p->first_wait + i);
			if (!baton_has_done(a->wait))
				conductor_give_way(a, ACTOR_AWAITS);
		}
	}
}

static bool is_racy(uint32_t site)
{
	return site && site < RT_RACY_SITES && (attempt->racy[site / 8] >> site % 8 & 1);
}

/* Has nobody else had a turn for so long that others may be what it waits for? It may write, and take locks, as it waits. */
static bool goes_on_and_on(const struct actor *a)
{
	static const struct actor *last;
	static uint64_t since;
	bool so_long = a == last && attempt->steps - since > LONG_TURN;
	if (a != last || so_long)
		since = attempt->steps;
	last = a;
	return so_long;
}

static bool spins(struct actor *a, uint32_t kind)
{
	bool so_long = goes_on_and_on(a);
	a->idle = kind == RT_ACCESS_STORE ? 0 : a->idle + 1;
	bool guided = attempt->policy == RT_POLICY_TIME && !a->follower.off && sketch_time(&a->follower) != UINT64_MAX;
	if ((a->idle < SPINS && !so_long) || guided)
		return false;
	a->idle = 0;
	return true;
}

/* Does the policy have another one run here? */
static void consider(struct actor *a, uint32_t site, uint32_t kind)
{
	for (uint32_t i = 0; i < attempt->changes && i < MOST_CHANGES; i++)
		if (changes[i] == attempt->steps) {
			a->priority = lowest--;
			conductor_reconsiders();
		}
	if (attempt->policy == RT_POLICY_RANDOM)
		baton_set_reconsiders(!(conductor_random() % RANDOM_SWITCH));
	if (attempt->delays && is_racy(site) && !(conductor_random() % attempt->delays)) {
		conductor_sleep(a, (uint64_t)STEP_NS << (2 + conductor_random() % 10));
	} else if (spins(a, kind)) {
		if (attempt->policy == RT_POLICY_PCT)
			a->priority = lowest--;
		conductor_sleep(a, STEP_NS * SPIN_STEPS);
	} else if (baton_reconsiders()) {
		conductor_give_way(a, ACTOR_READY);
	}
}

bool conductor_before(struct twin_thread *self, uint32_t site, uint32_t kind, const char *what, const void *address,
		      uint64_t size, int *result)
{
	struct actor *a = self->actor;
	if (!a)
		return false;
	baton_enter(a);
	a->in_call = false;
	a->done = self->gate->count - 1;
	a->site = site;
	attempt_step();
	check_path(a);
	keep_waits(a);
	/* Steps whose order was recorded come when it is their turn. */
	if (!what || conducted_kind(what) == STEP_NONE || !sketch_has(RT_SKETCH_SYNC))
		consider(a, site, kind);
	else if (baton_reconsiders())
		conductor_give_way(a, ACTOR_READY);
	if (what)
		return conducted_begin(a, what, address, result);
	a->shared = a->races = false;
	a->alone = NULL;
	a->place = address;
	a->size = size;
	a->access = kind;
	if (kind == RT_ACCESS_NONE || kind >> RT_ACCESS_LIBRARY)
		a->in_call = true;
	else
		conflicts_access(a, site, address, size, kind != RT_ACCESS_LOAD);
	return false;
}

void conductor_source(struct twin_thread *self, const void *address, uint64_t size)
{
	struct actor *a = self->actor;
	if (!a)
		return;
	uint64_t *target = a->alone;
	a->alone = NULL;
	conflicts_access(a, a->site, address, size, false);
	if (a->alone)
		memcpy(a->alone, address, size);
	a->alone = target;
}

void conductor_after(struct twin_thread *self)
{
	struct actor *a = self->actor;
	if (!a)
		return;
	if (a->in_call)
		baton_enter(a);
	a->in_call = false;
	a->done = self->gate->count;
	conductor_ran(a);
	if (a->alone)
		memcpy(a->alone, a->place, a->size);
	a->alone = NULL;
	if (a->shared)
		conductor_trail(a, a->access);
	else
		attempt->numbers++;
	a->shared = false;
	if (a->kind != STEP_NONE)
		conducted_end(a);
}

void conductor_result(struct twin_thread *self, int result)
{
	if (self->actor)
		self->actor->result = result;
}

void conductor_thread(struct twin_thread *t, struct twin_thread *parent)
{
	struct actor *a = twin_pages(sizeof *a);
	if (!a)
		return;
	a->thread = t;
	a->priority = MOST_CHANGES + 1000000 + conductor_random() % 1000000;
	sketch_follow(&a->follower, t->name);
	if (parent && parent->actor) {
		memcpy(a->clock, parent->actor->clock, sizeof a->clock);
		if (parent->number < CONDUCTED_THREADS && parent->gate)
			a->clock[parent->number] = parent->gate->count;
	} else {
		baton_begin(a);
	}
	if (!a->follower.log && sketch_has(RT_SKETCH_WHOLE) && sketch_has(RT_SKETCH_PATH))
		a->state = ACTOR_HELD; /* the recorded run did not have it */
	conductor_reconsiders();
	t->actor = a;
	if (t->number < RT_ATTEMPT_THREADS) {
		memcpy(attempt->names[t->number], t->name, sizeof t->name);
		attempt->nthreads = t->number + 1;
	}
}

void conductor_begins(struct twin_thread *t)
{
	if (!t->actor)
		return;
	t->actor->seen = __rethread_path;
	baton_await(t->actor);
}

void conductor_ends(struct twin_thread *t)
{
	struct actor *a = t->actor;
	if (!a)
		return;
	baton_enter(a);
	a->follower.bits += (uint64_t)(rt_tray_here(a->seen) - a->seen);
	conductor_gives_up(t);
	baton_leave(a);
}

bool conductor_start(const char *sketch, const char *attempt_path)
{
	if (!attempt_open(attempt_path) || !sketch_open(sketch) || !conflicts_start())
		return false;
	lowest = MOST_CHANGES + 500000;
	for (uint32_t i = 0; i < attempt->changes && i < MOST_CHANGES; i++)
		changes[i] = 1 + conductor_random() % (attempt->length ? attempt->length : 1);
	conductor_on = true;
	baton_start();
	return true;
}
