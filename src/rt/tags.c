#include "rt/tags.h"

#include "rt/clock.h"
#include "rt/interpose.h"
#include "rt/peers.h"

enum { HOLDINGS = 1 << RT_HOLDINGS_BITS, AT_ONCE = 16 };

/* The holdings of one thread, or of nobody any more. */
struct set {
	struct rt_holding at[HOLDINGS];
	struct set *next;
};

struct rt_holding rt_no_holdings[HOLDINGS];
uint32_t rt_tags_secret;

static struct {
	uint32_t lock;
	struct set *first;
} unused;

void rt_tags_reset(void)
{
	unused.lock = 0;
	rt_tags_secret = (uint32_t)(rt_clock() * 0x9e3779b97f4a7c15ull >> 32);
}

uint32_t rt_tag_owner(const pthread_mutex_t *m)
{
	const struct rt_tag *tag = (const struct rt_tag *)&m->__data.__list;

	if (__atomic_load_n(&tag->key, __ATOMIC_ACQUIRE) != rt_tag_key(m))
		return 0;
	return __atomic_load_n(&tag->owner, __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------------------------ what objects know ------- */

static void add_user(struct rt_object *o, uint32_t user)
{
	/* Whoever acquires it without a tag sees that somebody else had it. */
	o->owner = 0;
	__atomic_store_n(&o->tagged, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < RT_USERS; i++) {
		uint32_t nobody = 0;

		if (__atomic_compare_exchange_n(&o->users[i], &nobody, user, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	__atomic_store_n(&o->crowded, true, __ATOMIC_RELEASE);
}

static void remove_user(struct rt_object *o, uint32_t user)
{
	for (unsigned i = 0; i < RT_USERS; i++)
		if (__atomic_load_n(&o->users[i], __ATOMIC_RELAXED) == user)
			__atomic_store_n(&o->users[i], 0, __ATOMIC_RELEASE);
}

static void raise_to(uint64_t *order, uint64_t to)
{
	uint64_t old = __atomic_load_n(order, __ATOMIC_RELAXED);

	while (old < to && !__atomic_compare_exchange_n(order, &old, to, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
}

static uint64_t order_held(const struct rt_peer *p, const void *address)
{
	const struct rt_holding *all = p ? __atomic_load_n(&p->holdings, __ATOMIC_ACQUIRE) : NULL;
	const struct rt_holding *h = all ? all + rt_holding_place(address) : NULL;

	if (!h || __atomic_load_n(&h->address, __ATOMIC_ACQUIRE) != address)
		return 0;
	return __atomic_load_n(&h->order, __ATOMIC_ACQUIRE);
}

/* Holdings first: who lets go of one tells the object before. */
uint64_t rt_tags_order(struct rt_object *o)
{
	uint64_t most = 0, told;

	if (__atomic_load_n(&o->crowded, __ATOMIC_ACQUIRE)) {
		for (uint32_t i = 0, count = rt_peer_count(); i < count; i++)
			if ((told = order_held(rt_peer(i), o->address)) > most)
				most = told;
	} else {
		for (unsigned i = 0; i < RT_USERS; i++) {
			uint32_t user = __atomic_load_n(&o->users[i], __ATOMIC_ACQUIRE);

			if (user && (told = order_held(rt_peer(user - 1), o->address)) > most)
				most = told;
		}
	}
	told = __atomic_load_n(&o->order, __ATOMIC_ACQUIRE);
	return told > most ? told : most;
}

void rt_tags_give_back(struct rt_object *o)
{
	raise_to(&o->order, rt_tags_order(o));
}

/* ------------------------------------------------------------------ holdings ---------------- */

static struct set *new_sets(void)
{
	struct set *s = rt_pages(AT_ONCE * sizeof *s);

	for (unsigned i = 0; s && i + 1 < AT_ONCE; i++)
		s[i].next = &s[i + 1];
	return s;
}

static bool take_set(struct rt_self *self)
{
	struct rt_guard saved;
	struct set *s;

	rt_guard_lock(&unused.lock, &saved);
	s = unused.first ? unused.first : new_sets();
	if (s)
		unused.first = s->next;
	rt_guard_unlock(&unused.lock, &saved);
	if (!s)
		return false;
	self->holdings = s->at;
	__atomic_store_n(&self->peer->holdings, s->at, __ATOMIC_RELEASE);
	return true;
}

static void let_go(struct rt_self *self, struct rt_holding *h)
{
	if (!h->address)
		return;
	raise_to(&h->object->order, h->order);
	remove_user(h->object, self->number + 1);
	__atomic_store_n(&h->address, NULL, __ATOMIC_RELEASE);
}

__attribute__((noinline, cold)) struct rt_holding *rt_tags_hold(struct rt_self *self, const void *address)
{
	struct rt_object *o = rt_object(self, address);
	struct rt_holding *h;

	if (!o || (self->holdings == rt_no_holdings && !take_set(self)))
		return NULL;
	h = rt_holding(self, address);
	let_go(self, h);
	add_user(o, self->number + 1);
	h->order = 0;
	h->object = o;
	__atomic_store_n(&h->address, address, __ATOMIC_RELEASE);
	return h;
}

void rt_tags_leave(struct rt_self *self)
{
	struct rt_guard saved;
	struct set *s = (struct set *)(void *)self->holdings;

	if (!self->holdings || self->holdings == rt_no_holdings)
		return;
	for (unsigned i = 0; i < HOLDINGS; i++)
		let_go(self, &s->at[i]);
	self->holdings = rt_no_holdings;
	__atomic_store_n(&self->peer->holdings, NULL, __ATOMIC_RELEASE);
	rt_guard_lock(&unused.lock, &saved);
	s->next = unused.first;
	unused.first = s;
	rt_guard_unlock(&unused.lock, &saved);
}

/* ------------------------------------------------------------------ steps ------------------- */

/* The tag is lost: the order goes on from where it was, and nobody had it last. */
static __attribute__((noinline, cold)) void write_tag(struct rt_tag *tag, struct rt_object *o)
{
	o->owner = 0;
	tag->order = rt_tags_order(o);
	tag->owner = 0;
	__atomic_store_n(&tag->key, rt_tag_key(o->address), __ATOMIC_RELEASE);
}

void rt_tag_acquired(struct rt_self *self, pthread_mutex_t *m, int result)
{
	struct rt_tag *tag = rt_tag(m);
	struct rt_holding *h = rt_holding(self, m);
	uint32_t me = self->number + 1;

	if (rt_unlikely(h->address != m) && !(h = rt_tags_hold(self, m))) {
		rt_log_drop();
		rt_self_done(self);
		return;
	}
	if (rt_unlikely(tag->key != rt_tag_key(m) || (tag->owner == me && h->order && h->order != tag->order)))
		write_tag(tag, h->object);
	h->order = ++tag->order;
	if (tag->owner != me || result) {
		tag->owner = me;
		if (rt_unlikely(result))
			rt_self_sync(self, h->object->number, h->order, (uint32_t)result);
		else
			rt_self_acquired(self, h->object->number, h->order);
	}
	rt_self_done(self);
}

__attribute__((noinline, cold)) void rt_tag_unrecorded(pthread_mutex_t *m)
{
	struct rt_object *o = rt_object_find(m);
	struct rt_tag *tag = rt_tag(m);

	rt_log_drop();
	if (!o)
		return;
	if (tag->key != rt_tag_key(m))
		write_tag(tag, o);
	tag->owner = 0;
	raise_to(&o->order, ++tag->order);
	__atomic_store_n(&o->tagged, true, __ATOMIC_RELAXED);
}
