#include "rt/deadlock.h"

#include "rt/async.h"
#include "rt/failure.h"

#include <string.h>

#define LONGEST 64u /* threads in a cycle that is looked for */

struct step {
	struct rt_peer *thread;
	uint32_t waits_for, wait_count;
};

/*
 * Who the mutex belongs to, or NULL. The C library keeps the kernel's id of the owner in the mutex;
 * the object remembers the thread's number. A thread that has just acquired it may not have written
 * the number yet, but such a thread is running.
 */
static struct rt_peer *holder(const pthread_mutex_t *m, const struct rt_object *o)
{
	uint32_t owner = __atomic_load_n(&o->owner, __ATOMIC_ACQUIRE);
	int tid = __atomic_load_n(&m->__data.__owner, __ATOMIC_ACQUIRE);
	struct rt_peer *p = owner == RT_NOBODY ? NULL : rt_peer(owner);

	return p && tid && p->tid == (uint32_t)tid ? p : NULL;
}

/* What `p` waits for at the moment, and who could end that; NULL when it does not wait. */
static struct rt_peer *follow(struct rt_peer *p, struct step *s)
{
	struct rt_peer *next;
	uint32_t count = __atomic_load_n(&p->wait_count, __ATOMIC_SEQ_CST);

	s->thread = p;
	s->wait_count = count;
	s->waits_for = __atomic_load_n(&p->waits_for, __ATOMIC_SEQ_CST);
	if (!s->waits_for)
		return NULL;
	/* Joining is left by a thread that is cancelled; any wait is, asynchronously. */
	if ((s->waits_for & RT_OBJECT_THREAD || rt_async_is_used()) && __atomic_load_n(&p->cancelled, __ATOMIC_SEQ_CST))
		return NULL;
	if (s->waits_for & RT_OBJECT_THREAD)
		next = rt_peer(s->waits_for & ~RT_OBJECT_THREAD);
	else
		next = holder(__atomic_load_n(&p->waits_on, __ATOMIC_RELAXED),
			      __atomic_load_n(&p->waits_object, __ATOMIC_RELAXED));
	/* What was read belongs to one wait only if it is still the same. */
	return __atomic_load_n(&p->wait_count, __ATOMIC_SEQ_CST) == count ? next : NULL;
}

/* The cycle that `first` is in, as steps; 0 when it is in none. */
static unsigned cycle(struct rt_peer *first, struct step *steps)
{
	struct rt_peer *p = first;

	for (unsigned n = 0; n < LONGEST; n++) {
		p = follow(p, &steps[n]);
		if (!p)
			return 0;
		if (p == first)
			return n + 1;
	}
	return 0;
}

static bool same(const struct step *a, const struct step *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (a[i].thread != b[i].thread || a[i].waits_for != b[i].waits_for ||
		    a[i].wait_count != b[i].wait_count)
			return false;
	return true;
}

/* ------------------------------------------------------------------ saying it --------------- */

struct text {
	char at[RT_MESSAGE_SIZE];
	size_t n;
};

static void put(struct text *t, const char *s)
{
	while (*s && t->n < sizeof t->at - 1)
		t->at[t->n++] = *s++;
	t->at[t->n] = 0;
}

static void put_number(struct text *t, uint32_t n)
{
	char digits[12] = "";
	char *d = digits + sizeof digits - 1;

	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	put(t, d);
}

/* One clause per thread, the lowest number first, so that the same cycle always reads the same. */
static void describe(struct text *t, const struct step *steps, unsigned n)
{
	unsigned first = 0;
	char name[128];

	for (unsigned i = 1; i < n; i++)
		if (steps[i].thread->number < steps[first].thread->number)
			first = i;
	for (unsigned i = 0; i < n; i++) {
		const struct step *s = &steps[(first + i) % n];
		const struct step *next = &steps[(first + i + 1) % n];

		put(t, i ? ", thread " : "thread ");
		put(t, rt_peer_name(s->thread, name, sizeof name));
		if (s->waits_for & RT_OBJECT_THREAD) {
			put(t, " waits for the end of thread ");
		} else {
			put(t, " waits for mutex ");
			put_number(t, s->waits_for);
			put(t, " held by thread ");
		}
		put(t, rt_peer_name(next->thread, name, sizeof name));
	}
}

static void look(struct rt_self *self, const void *from)
{
	struct step once[LONGEST], again[LONGEST];
	unsigned n = cycle(self->peer, once);
	struct text t = {.n = 0};

	if (!n || cycle(self->peer, again) != n || !same(once, again, n))
		return;
	describe(&t, once, n);
	rt_failure_report(RT_FAIL_DEADLOCK, 0, t.at, from);
}

/* ------------------------------------------------------------------ publishing -------------- */

static void publish(struct rt_self *self, uint32_t waits_for)
{
	struct rt_peer *p = self->peer;

	self->thread->waits_for = waits_for;
	/* Sequentially consistent: published before anybody else's wait is looked at. */
	__atomic_store_n(&p->wait_count, p->wait_count + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&p->waits_for, waits_for, __ATOMIC_SEQ_CST);
}

void rt_blocks_on_mutex(struct rt_self *self, const pthread_mutex_t *m, const void *from)
{
	struct rt_object *o = rt_object(self, m);

	if (!o)
		return;
	__atomic_store_n(&self->peer->waits_on, m, __ATOMIC_RELAXED);
	__atomic_store_n(&self->peer->waits_object, o, __ATOMIC_RELAXED);
	publish(self, o->number);
	look(self, from);
}

void rt_blocks_on_thread(struct rt_self *self, struct rt_peer *other, const void *from)
{
	publish(self, RT_OBJECT_THREAD + other->number);
	look(self, from);
}

void rt_unblocked(struct rt_self *self)
{
	self->thread->waits_for = 0;
	__atomic_store_n(&self->peer->waits_for, 0, __ATOMIC_RELEASE);
}
