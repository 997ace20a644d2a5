/* Steps of synchronization under the conductor: in the recorded order, as far as the thread still follows the sketch. */
#include "replay/conductor.h"
#include "replay/interpose.h"
#include "rt/image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NOT_FAR = 32 }; /* SAPs */

/* What goes wrong may come long before the failure: others run for long where a thread stands between two accesses, or the failing one does. */
static void keep_older(const struct rt_trail *t)
{
	const struct actor *a = actor_at(t->thread);
	if (t->races || (a && a->state != ACTOR_ENDED && a->done < t->sap + NOT_FAR))
		attempt->older[attempt->nolder++ % RT_TRAIL] = *t;
}

/* A thread that only looks, and finds the same as it did, would in the end have nothing but that in the trail. */
static bool is_same_look(struct actor *a, uint32_t access)
{
	enum { LOOKS = sizeof a->looks / sizeof *a->looks, TIMES = 8 };
	uint64_t value = 0, place = (uint64_t)(uintptr_t)a->place;
	if (access != RT_ACCESS_LOAD || a->size > sizeof value) {
		a->nlooks = 0;
		return false;
	}
	memcpy(&value, a->place, a->size);
	for (uint32_t i = 0; i < a->nlooks && i < LOOKS; i++)
		if (a->looks[i].place == place && a->looks[i].value == value && a->looks[i].site == a->site)
			return ++a->looks[i].times > TIMES;
	uint32_t i = a->nlooks++ % LOOKS;
	a->looks[i].place = place;
	a->looks[i].value = value;
	a->looks[i].site = a->site;
	a->looks[i].times = 1;
	return false;
}

void conductor_trail(struct actor *a, uint32_t access)
{
	if (is_same_look(a, access)) {
		attempt->numbers++;
		return;
	}
	struct rt_trail *t = &attempt->trail[attempt->ntrail % RT_TRAIL];
	const void *at = access ? a->place : a->step_object;
	if (attempt->ntrail >= RT_TRAIL)
		keep_older(t);
	attempt->ntrail++;
	*t = (struct rt_trail){ .number = attempt->numbers++, .races = access && a->races, .thread = a->thread->number, .site = access ? a->site : 0, .sap = a->thread->gate->count, .kind = access,
				.address = rt_image_relative((uint64_t)(uintptr_t)at), .place = (uint64_t)(uintptr_t)at,
				.size = access ? (uint32_t)a->size : 0 };
	if (access && a->size <= sizeof t->value)
		memcpy(&t->value, at, a->size);
	if (access)
		return;
	snprintf(t->what, sizeof t->what, "%s", a->what);
	t->caller = a->caller ? rt_image_relative((uint64_t)(uintptr_t)a->caller) : 0;
}

void conductor_ran(const struct actor *a)
{
	uint64_t n = attempt->nruns;
	struct rt_run *last = n && n <= RT_RUNS ? &attempt->runs[n - 1] : NULL;
	struct rt_run now = { .thread = a->thread->number, .sap = a->thread->gate->count };
	if (last && last->thread == now.thread)
		*last = now;
	else if (n < RT_RUNS)
		attempt->runs[attempt->nruns++] = now;
	else
		attempt->nruns = RT_RUNS + 1;
}

void conductor_blocked(struct actor *a)
{
	if (a->state == ACTOR_SIGNAL)
		a->step_object = a->object;
	if (!a->what || (a->kind == STEP_NONE && a->state != ACTOR_SIGNAL))
		return;
	conductor_trail(a, RT_ACCESS_NONE);
	struct rt_trail *t = &attempt->trail[(attempt->ntrail - 1) % RT_TRAIL];
	t->blocked = 1;
	t->value = a->state == ACTOR_JOINS && a->target ? a->target->thread->number + 1 : 0;
}

void conductor_allocated(const void *p, size_t size, const void *caller)
{
	if (!attempt || !p)
		return;
	struct rt_block *b = &attempt->blocks[__atomic_fetch_add(&attempt->nblocks, 1, __ATOMIC_RELAXED) % RT_BLOCKS];
	*b = (struct rt_block){ .start = (uint64_t)(uintptr_t)p, .size = size, .caller = rt_image_relative((uint64_t)(uintptr_t)caller),
				.trail = attempt->numbers, .thread = twin_self_number() };
}

enum step_kind conducted_kind(const char *what)
{
	static const struct {
		const char *name;
		enum step_kind kind;
	} kinds[] = {
		{ "pthread_mutex_unlock", STEP_RELEASE },  { "pthread_spin_unlock", STEP_RELEASE },
		{ "pthread_mutex_", STEP_ACQUIRE },        { "pthread_spin_", STEP_ACQUIRE },
		{ "pthread_cond_signal", STEP_PLAIN },     { "pthread_cond_broadcast", STEP_PLAIN },
		{ "pthread_cond_", STEP_ACQUIRE },         { "pthread_rwlock_", STEP_ORDERED },
		{ "sem_", STEP_ORDERED },                  { "pthread_barrier_", STEP_ORDERED },
		{ "pthread_once", STEP_PLAIN },            { "pthread_", STEP_PLAIN },
		{ "funlockfile", STEP_RELEASE },           { "flockfile", STEP_ACQUIRE },
		{ "ftrylockfile", STEP_ACQUIRE },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(what, kinds[i].name, strlen(kinds[i].name)))
			return kinds[i].kind;
	return STEP_NONE;
}

/* The run ended while the thread was creating another, which had begun already. */
static bool creates(const struct actor *a, const char *what)
{
	char child[64];
	snprintf(child, sizeof child, "%.50s:%u", a->thread->name, a->thread->children + 1);
	return !strcmp(what, "pthread_create") && a->follower.ops == a->follower.log->sync_done && sketch_knows(child);
}

/* The thread does more steps than it was recorded with. */
static void check_end(struct actor *a, const char *what)
{
	struct follower *f = &a->follower;
	if (f->log && creates(a, what))
		return;
	bool may_try = sketch_fails(f) || sketch_has(RT_SKETCH_HANGS);
	while (!f->off && f->log && sketch_has(RT_SKETCH_SYNC) && f->ops >= f->log->sync_done + may_try) {
		if (may_try)
			conductor_leaves(a, "thread %s went on where it failed", a->thread->name);
		else if (!sketch_has(RT_SKETCH_WHOLE))
			f->off = true;
		else
			conductor_give_way(a, ACTOR_HELD);
	}
}

/* Recorded objects are counted by their numbers, which stand for addresses in the table: nothing lies as low as that. */
static struct object *recorded_object(uint32_t number)
{
	return object_of((const void *)(uintptr_t)number);
}

static uint64_t *steps_of(struct object *o)
{
	return &(o->number ? recorded_object(o->number) : o)->steps;
}

bool conducted_is_due(const struct actor *a)
{
	return a->follower.off || recorded_object(a->entry->object)->steps + 1 >= a->entry->order;
}

static void becomes(struct object *o, uint32_t number)
{
	uint64_t so_far = o->number ? 0 : o->steps;
	o->number = number;
	*steps_of(o) += so_far;
}

/* Memory that is used again is used for other objects here than it was in the recorded run. Variables are what they were. */
static void await_order(struct actor *a, const void *address)
{
	const struct rt_sync *e = a->entry;
	if (!e || !address || e->object >= RT_OBJECT_THREAD || (a->kind != STEP_ACQUIRE && a->kind != STEP_ORDERED))
		return;
	struct object *o = object_of(address);
	if (o->number && o->number != e->object && rt_image_relative((uint64_t)(uintptr_t)address)) {
		conductor_leaves(a, "thread %s takes another lock than recorded", a->thread->name);
		return;
	}
	if (o->number != e->object)
		becomes(o, e->object);
	a->object = address;
	while (!conducted_is_due(a))
		conductor_give_way(a, ACTOR_TURN);
}

bool conducted_begin(struct actor *a, const char *what, const void *address, int *result)
{
	a->kind = conducted_kind(what);
	a->what = what;
	a->caller = step_caller;
	a->in_call = a->kind == STEP_NONE;
	a->result = 0;
	a->step_object = address;
	a->entry = NULL;
	if (a->kind == STEP_NONE)
		return false;
	if (a->thread->releases)
		a->kind = STEP_RELEASE;
	check_end(a, what);
	if (!a->follower.off)
		a->entry = sketch_step(&a->follower);
	if (a->entry && !a->entry->object) {
		*result = (int)a->entry->result;
		a->kind = STEP_PLAIN;
		return true;
	}
	await_order(a, address);
	return false;
}

void conducted_end(struct actor *a)
{
	struct object *o = a->step_object && a->kind != STEP_PLAIN ? object_of(a->step_object) : NULL;
	a->follower.ops++;
	a->idle = 0;
	conductor_reconsiders();
	if (o)
		conductor_trail(a, RT_ACCESS_NONE);
	if (o && a->kind != STEP_RELEASE && (!a->result || a->result == EOWNERDEAD || a->entry)) {
		++*steps_of(o);
		conflicts_acquire(a, o);
	}
	if (o && a->kind != STEP_ACQUIRE)
		conflicts_release(a, o);
	if (o)
		conductor_touch(a->step_object);
	a->kind = STEP_NONE;
	const struct follower *f = &a->follower;
	while (!f->off && f->log && sketch_has(RT_SKETCH_SYNC) && sketch_has(RT_SKETCH_WHOLE) && f->ops > f->log->sync_done &&
	       !sketch_fails(f) && !sketch_has(RT_SKETCH_HANGS))
		conductor_give_way(a, ACTOR_HELD);
}
