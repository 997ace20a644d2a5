#include "rt/deadlock.h"

#include "rt/async.h"
#include "rt/failure.h"
#include "rt/tags.h"

#include <string.h>

#define LONGEST 64u      /* threads in a cycle that is looked for */
#define MOST_HOLDERS 16u /* readers of one lock that are looked at */
#define MOST_VISITS 4096u

struct step {
	struct rt_peer *thread;
	uint32_t waits_for, wait_count;
	enum rt_wait how;
};

/*
 * Who the mutex belongs to, or NULL. The C library keeps the kernel's id of the owner in the mutex;
 * the tag or the object remembers the thread's number. A thread that has just acquired it may not have written
 * the number yet, but such a thread is running.
 */
static struct rt_peer *holder(const pthread_mutex_t *m, const struct rt_object *o)
{
	uint32_t owner = rt_is_tagged(m) ? rt_tag_owner(m) : __atomic_load_n(&o->owner, __ATOMIC_ACQUIRE);
	int tid = __atomic_load_n(&m->__data.__owner, __ATOMIC_ACQUIRE);
	struct rt_peer *p = owner ? rt_peer(owner - 1) : NULL;

	return p && tid && p->tid == (uint32_t)tid ? p : NULL;
}

/* Does the thread hold the lock for reading? */
static bool is_reader(const struct rt_peer *p, const pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < RT_READ_LOCKS; i++)
		if (__atomic_load_n(&p->reads[i], __ATOMIC_ACQUIRE) == l)
			return true;
	return false;
}

/*
 * Who has the read-write lock that `p` waits for: a writer, whose id the C library keeps, or else readers, if it is
 * they who are in the way. (Who asks for a lock that it has for writing is told so, and does not wait.)
 */
static unsigned rwlock_holders(const struct rt_peer *p, struct rt_peer **next)
{
	const pthread_rwlock_t *l = __atomic_load_n(&p->waits_on, __ATOMIC_RELAXED);
	bool writes = __atomic_load_n(&p->waits_how, __ATOMIC_RELAXED) == RT_WAITS_WRITE;
	uint32_t writer = (uint32_t)__atomic_load_n(&l->__data.__cur_writer, __ATOMIC_ACQUIRE);
	unsigned n = 0;

	if (writer ? writer == p->tid : !writes)
		return 0;
	for (uint32_t i = 0, count = rt_peer_count(); i < count && n < MOST_HOLDERS; i++) {
		struct rt_peer *other = rt_peer(i);

		if (other && !other->over && (writer ? other->tid == writer : is_reader(other, l)))
			next[n++] = other;
	}
	return n;
}

/* What `p` waits for at the moment, and who could end that; 0 when it does not wait. */
static unsigned follow(struct rt_peer *p, struct step *s, struct rt_peer **next)
{
	unsigned n;
	uint32_t count = __atomic_load_n(&p->wait_count, __ATOMIC_SEQ_CST);

	s->thread = p;
	s->wait_count = count;
	s->waits_for = __atomic_load_n(&p->waits_for, __ATOMIC_SEQ_CST);
	s->how = __atomic_load_n(&p->waits_how, __ATOMIC_RELAXED);
	if (!s->waits_for)
		return 0;
	/* Joining is left by a thread that is cancelled; any wait is, asynchronously. */
	if ((s->waits_for & RT_OBJECT_THREAD || rt_async_is_used()) && __atomic_load_n(&p->cancelled, __ATOMIC_SEQ_CST))
		return 0;
	if (!(s->waits_for & RT_OBJECT_THREAD) && s->how != RT_WAITS_MUTEX) {
		n = rwlock_holders(p, next);
	} else {
		next[0] = s->waits_for & RT_OBJECT_THREAD ? rt_peer(s->waits_for & ~RT_OBJECT_THREAD)
							   : holder(__atomic_load_n(&p->waits_on, __ATOMIC_RELAXED),
								    __atomic_load_n(&p->waits_object, __ATOMIC_RELAXED));
		n = next[0] != NULL;
	}
	/* What was read belongs to one wait only if it is still the same. */
	return __atomic_load_n(&p->wait_count, __ATOMIC_SEQ_CST) == count ? n : 0;
}

/* Threads that are looked at in one search, and the cycle so far. */
struct search {
	struct rt_peer *first;
	struct step *steps;
	unsigned visits;
};

/* The length of a cycle that goes on from `p`, its step n; 0 when there is none. */
static unsigned cycle_from(struct search *s, struct rt_peer *p, unsigned n)
{
	struct rt_peer *next[MOST_HOLDERS];

	for (; n < LONGEST && s->visits++ < MOST_VISITS; n++) {
		unsigned found = follow(p, &s->steps[n], next);

		for (unsigned i = 0; i < found; i++)
			if (next[i] == s->first)
				return n + 1;
		for (unsigned i = 0; i + 1 < found; i++) {
			unsigned length = cycle_from(s, next[i], n + 1);

			if (length)
				return length;
		}
		if (!found)
			return 0;
		p = next[found - 1];
	}
	return 0;
}

/* The cycle that `first` is in, as steps; 0 when it is in none. */
static unsigned cycle(struct rt_peer *first, struct step *steps)
{
	struct search s = {first, steps, 0};

	return cycle_from(&s, first, 0);
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
			put(t, s->how == RT_WAITS_MUTEX ? " waits for mutex " : " waits for read-write lock ");
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

static void blocks_on(struct rt_self *self, const void *lock, enum rt_wait how, const void *from)
{
	struct rt_object *o = rt_object(self, lock);

	if (!o)
		return;
	__atomic_store_n(&self->peer->waits_how, how, __ATOMIC_RELAXED);
	__atomic_store_n(&self->peer->waits_on, lock, __ATOMIC_RELAXED);
	__atomic_store_n(&self->peer->waits_object, o, __ATOMIC_RELAXED);
	publish(self, o->number);
	look(self, from);
}

void rt_blocks_on_mutex(struct rt_self *self, const pthread_mutex_t *m, const void *from)
{
	blocks_on(self, m, RT_WAITS_MUTEX, from);
}

void rt_blocks_on_rwlock(struct rt_self *self, const pthread_rwlock_t *l, bool writes, const void *from)
{
	blocks_on(self, l, writes ? RT_WAITS_WRITE : RT_WAITS_READ, from);
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
