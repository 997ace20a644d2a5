/* Whose turn it is: see conductor.h. */
#include "replay/conductor.h"

#include "replay/recorder.h"
#include "rt/log.h"
#include "rt/real.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	STEP_NS = 20,         /* what a SAP takes, in the conductor's time */
	SPINS = 300,          /* reads without a write, after which a thread is taken to wait for another */
	SPIN_STEPS = 500,     /* for how many steps others go first then */
	OFF_STEPS = 20000,    /* how many there are at least after the sketch was left */
	RANDOM_SWITCH = 20,   /* one in so many SAPs, under RT_POLICY_RANDOM */
	MOST_CHANGES = 16,
	TICK_MS = 5,
	TICKS_IN_CALL = 3,    /* without progress: the call blocks */
	TICKS_OUTSIDE = 60,   /* nobody comes back */
};

bool conductor_on;
struct rt_attempt *attempt;

static _Atomic uint32_t big_lock;
static struct actor *_Atomic running;
static bool reconsider;     /* somebody may have to run before the one that does */
static bool ignore_outside; /* who is in a call that blocks will not come back */
static uint64_t now_ns;     /* the conductor's own time */
static uint64_t most_steps;
static uint64_t changes[MOST_CHANGES];
static uint64_t lowest;     /* priority to be given next at a change */
static uint64_t random_state;

uint64_t conductor_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void lock(void)
{
	while (atomic_exchange_explicit(&big_lock, 1, memory_order_acquire))
		syscall(SYS_sched_yield);
}

static void unlock(void)
{
	atomic_store_explicit(&big_lock, 0, memory_order_release);
}

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

/* ---- the end of an attempt ---- */

_Noreturn static void over(enum rt_attempt_outcome outcome)
{
	attempt->outcome = outcome;
	if (!attempt->off)
		attempt->matched = sketch_matched();
	rt_log_end(0);
	_exit(125);
}

void conductor_leaves(struct actor *a, const char *format, ...)
{
	a->follower.off = true;
	reconsider = true;
	if (attempt->off)
		return;
	attempt->off = a->thread->number + 1;
	attempt->off_sap = a->thread->gate ? a->thread->gate->count : 0;
	attempt->off_step = attempt->steps;
	attempt->matched = sketch_matched();
	va_list ap;
	va_start(ap, format);
	vsnprintf(attempt->why, sizeof attempt->why, format, ap);
	va_end(ap);
	uint64_t n = attempt->nraces < RT_RACES ? attempt->nraces : RT_RACES;
	for (uint64_t i = 0; i < n; i++)
		attempt->near[i] = attempt->races[(attempt->nraces - n + i) % RT_RACES];
	attempt->nnear = (uint32_t)n;
	uint64_t more = 2 * attempt->steps < OFF_STEPS ? OFF_STEPS : 2 * attempt->steps;
	if (attempt->steps + more < most_steps)
		most_steps = attempt->steps + more;
}

/* The target's threads are all blocked: a failure like any other. */
_Noreturn static void hangs(void)
{
	char names[RT_MESSAGE_SIZE] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count() && n < sizeof names; i++) {
		const struct actor *a = actor_at(i);
		if (a && a->state != ACTOR_ENDED)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s ", a->thread->name);
	}
	struct rt_failure *f = recorder_failure();
	f->kind = RT_FAIL_DEADLOCK;
	snprintf(f->message, sizeof f->message, "%s", names);
	__atomic_store_n(&f->state, 2, __ATOMIC_RELEASE);
	twin_report->failure = *f;
	report_outcome(RT_REPLAY_FAILED, NULL, "every thread that is left is blocked: %s", names);
	over(RT_ATTEMPT_HUNG);
}

/* ---- who can run, and who does ---- */

static bool has_done(const struct wait *w)
{
	const struct twin_thread *t = w->thread->thread;
	return t && t->actor && (t->actor->state == ACTOR_ENDED || t->actor->done >= w->sap);
}

static bool can_run(const struct actor *a)
{
	switch (a->state) {
	case ACTOR_READY:
		return true;
	case ACTOR_ASLEEP:
		return now_ns >= a->until;
	case ACTOR_BLOCKED:
	case ACTOR_SIGNAL:
		return a->woken;
	case ACTOR_AWAITS:
		return has_done(a->wait);
	case ACTOR_TURN:
		return a->follower.off || object_of(a->object)->steps + 1 >= a->entry->order;
	case ACTOR_JOINS:
		return a->target->state == ACTOR_ENDED;
	default:
		return false;
	}
}

/* The lowest rank runs. */
static uint64_t rank(struct actor *a)
{
	switch (attempt->policy) {
	case RT_POLICY_TIME:
		return sketch_time(&a->follower);
	case RT_POLICY_PCT:
		return UINT64_MAX - a->priority;
	default:
		return conductor_random();
	}
}

static struct actor *find_state(enum actor_state state)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == state)
			return a;
	}
	return NULL;
}

static struct actor *find_timed(void)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->timed && (a->state == ACTOR_BLOCKED || a->state == ACTOR_SIGNAL))
			return a;
	}
	return NULL;
}

static struct actor *earliest_sleeper(void)
{
	struct actor *best = NULL;
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_ASLEEP && (!best || a->until < best->until))
			best = a;
	}
	return best;
}

/* A thread that waits for a signal that never came, although in the recorded run it went on: that needs no signal. */
static struct actor *find_spurious(void)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_SIGNAL && sketch_has(RT_SKETCH_SYNC) && !a->follower.off && a->follower.log &&
		    a->follower.ops < a->follower.log->sync_done)
			return a;
	}
	return NULL;
}

/*
 * Nobody can run. Something has to give way: time, the attempt's own waits, the recorded order, in this order. False: a
 * thread is in a call, and comes back from it.
 */
static bool make_way(void)
{
	struct actor *a;
	if (find_state(ACTOR_OUTSIDE) && !ignore_outside)
		return false;
	if ((a = earliest_sleeper())) {
		now_ns = a->until;
	} else if ((a = find_state(ACTOR_AWAITS))) {
		attempt->dropped++;
		a->state = ACTOR_READY;
	} else if ((a = find_timed())) {
		a->timed_out = a->woken = true;
	} else if ((a = find_spurious())) {
		a->woken = true;
	} else if ((a = find_state(ACTOR_TURN))) {
		conductor_leaves(a, "thread %s waits for its turn at a lock, which never comes", a->thread->name);
	} else if (attempt->off && (a = find_state(ACTOR_HELD))) {
		a->follower.off = true;
		a->state = ACTOR_READY;
	} else if (find_state(ACTOR_HELD)) {
		over(RT_ATTEMPT_STUCK);
	} else {
		hangs();
	}
	return true;
}

static struct actor *choose(void)
{
	for (;;) {
		struct actor *best = NULL;
		uint64_t lowest_rank = 0;
		for (uint32_t i = 0; i < twin_thread_count(); i++) {
			struct actor *a = actor_at(i);
			if (!a || !can_run(a))
				continue;
			uint64_t r = rank(a);
			if (!best || r < lowest_rank || (r == lowest_rank && a == running)) {
				best = a;
				lowest_rank = r;
			}
		}
		if (best || !make_way())
			return best;
	}
}

static void wake(struct actor *a)
{
	atomic_fetch_add(&a->turn, 1);
	syscall(SYS_futex, &a->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Under the lock. */
static void pass_on(const struct actor *self)
{
	struct actor *next = choose();
	atomic_store(&running, next);
	reconsider = false;
	if (next && next != self)
		wake(next);
}

static void await_turn(struct actor *self)
{
	for (;;) {
		uint32_t seen = atomic_load(&self->turn);
		if (atomic_load(&running) == self)
			break;
		syscall(SYS_futex, &self->turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	self->state = ACTOR_READY;
}

void conductor_give_way(struct actor *self, enum actor_state state)
{
	lock();
	self->state = state;
	pass_on(self);
	unlock();
	await_turn(self);
}

/* The baton may have been taken from a thread that was in a call. */
static void enter(struct actor *self)
{
	if (atomic_load(&running) == self)
		return;
	lock();
	if (atomic_load(&running) != self) {
		self->state = ACTOR_READY;
		ignore_outside = false;
		if (!atomic_load(&running))
			pass_on(self);
	}
	unlock();
	await_turn(self);
}

void conductor_reconsiders(void)
{
	reconsider = true;
}

void conductor_wakes(void)
{
	lock();
	ignore_outside = false;
	unlock();
}

/* ---- at a gate ---- */

static void check_path(struct actor *a)
{
	for (;;) {
		enum sketch_place place = sketch_path(&a->follower, *__rethread_path);
		if (place == SKETCH_ON)
			return;
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

static __thread uint64_t path_words; /* that are complete */

void __rethread_path_room(void)
{
	struct actor *a = conductor_on ? actor_self() : NULL;
	if (a) {
		int saved = errno;
		enter(a);
		check_path(a);
		sketch_word(&a->follower, *__rethread_path);
		reconsider = true;
		errno = saved;
	}
	*__rethread_path = RT_PATH_EMPTY;
	path_words++;
}

uint64_t path_complete(void)
{
	return path_words;
}

void __rethread_path_full(void)
{
	__rethread_path_room();
	if (twin_mode == TWIN_REPLAY)
		gate_path(path_words);
}

/* The waits of the schedule at this SAP. */
static void keep_waits(struct actor *a)
{
	struct twin_thread *t = a->thread;
	while (t->plan && t->next_point < t->plan->npoints && t->plan->points[t->next_point].sap <= t->gate->count) {
		const struct point *p = &t->plan->points[t->next_point++];
		for (uint32_t i = 0; i < p->waits; i++) {
			a->wait = schedule_wait(p->first_wait + i);
			if (!has_done(a->wait))
				conductor_give_way(a, ACTOR_AWAITS);
		}
	}
}

void conductor_sleep(struct actor *a, uint64_t ns)
{
	a->until = now_ns + ns;
	conductor_give_way(a, ACTOR_ASLEEP);
}

static bool is_racy(uint32_t site)
{
	return site && site < RT_RACY_SITES && (attempt->racy[site / 8] >> site % 8 & 1);
}

static bool spins(struct actor *a, uint32_t kind)
{
	a->idle = kind == RT_ACCESS_STORE ? 0 : a->idle + 1;
	bool guided = attempt->policy == RT_POLICY_TIME && !a->follower.off && sketch_time(&a->follower) != UINT64_MAX;
	if (a->idle < SPINS || guided)
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
			reconsider = true;
		}
	if (attempt->policy == RT_POLICY_RANDOM)
		reconsider = !(conductor_random() % RANDOM_SWITCH);
	if (attempt->delays && is_racy(site) && !(conductor_random() % attempt->delays)) {
		conductor_sleep(a, (uint64_t)STEP_NS << (2 + conductor_random() % 10));
	} else if (spins(a, kind)) {
		if (attempt->policy == RT_POLICY_PCT)
			a->priority = lowest--;
		conductor_sleep(a, STEP_NS * SPIN_STEPS);
	} else if (reconsider) {
		conductor_give_way(a, ACTOR_READY);
	}
}

static void take_step(void)
{
	now_ns += STEP_NS;
	if (++attempt->steps > most_steps)
		over(attempt->off ? RT_ATTEMPT_OFF : RT_ATTEMPT_STEPS);
}

bool conductor_before(struct twin_thread *self, uint32_t site, uint32_t kind, const char *what, const void *address,
		      uint64_t size, int *result)
{
	struct actor *a = self->actor;
	if (!a)
		return false;
	enter(a);
	a->in_call = false;
	a->done = self->gate->count - 1;
	a->site = site;
	take_step();
	check_path(a);
	keep_waits(a);
	/* Steps whose order was recorded come when it is their turn. */
	if (!what || conducted_kind(what) == STEP_NONE || !sketch_has(RT_SKETCH_SYNC))
		consider(a, site, kind);
	else if (reconsider)
		conductor_give_way(a, ACTOR_READY);
	if (what)
		return conducted_begin(a, what, address, result);
	a->shared = false;
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
	if (self->actor)
		conflicts_access(self->actor, self->actor->site, address, size, false);
}

void conductor_after(struct twin_thread *self)
{
	struct actor *a = self->actor;
	if (!a)
		return;
	if (a->in_call)
		enter(a);
	a->in_call = false;
	a->done = self->gate->count;
	if (a->shared)
		conductor_trail(a, a->access);
	a->shared = false;
	if (a->kind != STEP_NONE)
		conducted_end(a);
}

void conductor_result(struct twin_thread *self, int result)
{
	if (self->actor)
		self->actor->result = result;
}

/* ---- threads ---- */

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
		atomic_store(&running, a);
	}
	if (!a->follower.log && sketch_has(RT_SKETCH_WHOLE) && sketch_has(RT_SKETCH_PATH))
		a->state = ACTOR_HELD; /* the recorded run did not have it */
	reconsider = true;
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
	t->actor->path = &__rethread_path;
	await_turn(t->actor);
}

void conductor_ends(struct twin_thread *t)
{
	struct actor *a = t->actor;
	if (!a)
		return;
	enter(a);
	lock();
	sketch_word(&a->follower, **a->path);
	a->state = ACTOR_ENDED;
	a->path = NULL;
	a->done = UINT64_MAX;
	pass_on(a);
	unlock();
}

/* ---- calls that block ---- */

static void *monitor(void *unused)
{
	(void)unused;
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000 * 1000 };
	uint64_t last = 0;
	for (unsigned idle = 0;;) {
		syscall(SYS_nanosleep, &tick, NULL);
		uint64_t now = __atomic_load_n(&attempt->steps, __ATOMIC_RELAXED);
		idle = now == last ? idle + 1 : 0;
		last = now;
		if (idle < TICKS_IN_CALL)
			continue;
		lock();
		struct actor *a = atomic_load(&running);
		if (a && a->in_call && a->thread->tid && twin_thread_asleep(a->thread)) {
			a->state = ACTOR_OUTSIDE;
			pass_on(NULL);
			idle = 0;
		} else if (!a && idle >= TICKS_OUTSIDE) {
			ignore_outside = true;
			pass_on(NULL);
			idle = 0;
		}
		unlock();
	}
	return NULL;
}

/* ---- start ---- */

static bool open_attempt(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	long p = fd < 0 ? -1 : syscall(SYS_mmap, NULL, sizeof *attempt, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (fd >= 0)
		syscall(SYS_close, fd);
	attempt = p == -1 ? NULL : (struct rt_attempt *)p;
	return attempt && attempt->magic == RT_ATTEMPT_MAGIC;
}

bool conductor_start(const char *sketch, const char *attempt_path)
{
	if (!open_attempt(attempt_path) || !sketch_open(sketch) || !conflicts_start())
		return false;
	random_state = attempt->seed;
	most_steps = attempt->most;
	lowest = MOST_CHANGES + 500000;
	for (uint32_t i = 0; i < attempt->changes && i < MOST_CHANGES; i++)
		changes[i] = 1 + conductor_random() % (attempt->length ? attempt->length : 1);
	conductor_on = true;
	twin_helper(monitor);
	return true;
}
