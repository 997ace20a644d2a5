/*
 * How entries of the order of synchronization (trace.h, struct rt_sync) are packed in the log, for both sides.
 *
 * An entry is a byte that is not 0, then numbers in groups of seven bits, lowest first, the highest bit set in all but a
 * number's last byte. The first byte is written last, so an entry is there as a whole or not at all:
 *
 *     0x80 | RT_SYNC_RESULT (a result follows) | kind | slot
 *     the operation, less the one of the entry before
 *     RT_SYNC_NUMBER, RT_SYNC_THREAD: the object's or the thread's number
 *     the order; for kinds of objects that are in the table less the one that is there. RT_SYNC_FAILED has none: it is 1
 *     the result, if it is not 0
 *     the time, less the last one before it, in units of RT_SYNC_TICK, or 0 for an entry that has none; not in logs without time
 *     (time_margin is 0)
 *
 * Both sides keep a small table of objects and their last orders, by the lowest bits of the object's number: one that is there
 * is named by its slot. A chunk begins with an empty state, so that it can be read on its own; entries do not straddle chunks, and
 * what is left at a chunk's end is less than RT_SYNC_ROOM bytes of zeros.
 */
#ifndef RETHREAD_SYNC_H
#define RETHREAD_SYNC_H

#include <rethread/trace.h>

#define RT_SYNC_ROOM 48u /* more than any entry takes */
#define RT_SYNC_TICK 16u
#define RT_SYNC_SLOTS 16u

enum rt_sync_kind {
	RT_SYNC_SLOT = 0x00,   /* the object in table[slot] */
	RT_SYNC_NUMBER = 0x10, /* an object by number */
	RT_SYNC_THREAD = 0x20, /* RT_OBJECT_THREAD + a number */
	RT_SYNC_FAILED = 0x30, /* object 0, order 1 */
	RT_SYNC_KINDS = 0x30,
	RT_SYNC_RESULT = 0x40,
};

/* Zeroed at the begin of a chunk. */
struct rt_sync_state {
	uint64_t op, ticks; /* of the entry before, of the last one that had a time */
	struct {
		uint64_t order;
		uint32_t object;
	} table[RT_SYNC_SLOTS];
};

static inline uint8_t *rt_sync_put(uint8_t *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (uint8_t)(n | 0x80);
	*at++ = (uint8_t)n;
	return at;
}

/* NULL when the number does not end before `end`, or is too long. */
static inline const uint8_t *rt_sync_get(const uint8_t *at, const uint8_t *end, uint64_t *n)
{
	*n = 0;
	for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
		*n |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80))
			return at;
	}
	return 0;
}

static inline uint32_t rt_sync_kind(const struct rt_sync_state *s, const struct rt_sync *e)
{
	uint32_t slot = e->object % RT_SYNC_SLOTS;

	if (!e->object)
		return RT_SYNC_FAILED;
	if (e->object & RT_OBJECT_THREAD)
		return RT_SYNC_THREAD;
	return s->table[slot].object == e->object ? RT_SYNC_SLOT | slot : RT_SYNC_NUMBER;
}

/*
 * Writes all but the first byte, which is returned in *head for the caller to store; returns the size. There must be
 * RT_SYNC_ROOM bytes.
 */
static inline uint32_t rt_sync_pack(struct rt_sync_state *s, const struct rt_sync *e, int timed, uint8_t *bytes,
				    uint8_t *head)
{
	uint32_t kind = rt_sync_kind(s, e), slot = e->object % RT_SYNC_SLOTS;
	uint64_t now = e->time / RT_SYNC_TICK, ticks = !e->time ? 0 : now > s->ticks ? now - s->ticks : 1;
	uint8_t *at = rt_sync_put(bytes + 1, e->op - s->op);

	if (kind == RT_SYNC_NUMBER || kind == RT_SYNC_THREAD)
		at = rt_sync_put(at, e->object & ~RT_OBJECT_THREAD);
	if (kind != RT_SYNC_FAILED)
		at = rt_sync_put(at, (kind & RT_SYNC_KINDS) == RT_SYNC_SLOT ? e->order - s->table[slot].order : e->order);
	if (e->result)
		at = rt_sync_put(at, e->result);
	if (timed)
		at = rt_sync_put(at, ticks);
	if (kind != RT_SYNC_FAILED && kind != RT_SYNC_THREAD) {
		s->table[slot].object = e->object;
		s->table[slot].order = e->order;
	}
	s->op = e->op;
	s->ticks += ticks;
	*head = (uint8_t)(0x80 | kind | (e->result ? RT_SYNC_RESULT : 0));
	return (uint32_t)(at - bytes);
}

/* The entry at `bytes`, whose first byte is not 0; its size, or 0 when there is no whole entry. */
static inline uint32_t rt_sync_unpack(struct rt_sync_state *s, struct rt_sync *e, int timed, const uint8_t *bytes,
				      const uint8_t *end)
{
	uint32_t kind = *bytes & RT_SYNC_KINDS, slot = *bytes % RT_SYNC_SLOTS;
	uint64_t op, object = 0, order = 1, result = 0, ticks = 0;
	const uint8_t *at = rt_sync_get(bytes + 1, end, &op);

	if (kind == RT_SYNC_NUMBER || kind == RT_SYNC_THREAD)
		at = rt_sync_get(at, end, &object);
	if (kind != RT_SYNC_FAILED)
		at = rt_sync_get(at, end, &order);
	if (*bytes & RT_SYNC_RESULT)
		at = rt_sync_get(at, end, &result);
	if (timed)
		at = rt_sync_get(at, end, &ticks);
	if (!at || !(*bytes & 0x80) || object >= RT_OBJECT_THREAD || result > UINT32_MAX)
		return 0;
	if (kind == RT_SYNC_SLOT) {
		object = s->table[slot].object;
		order += s->table[slot].order;
	}
	e->object = (uint32_t)object | (kind == RT_SYNC_THREAD ? RT_OBJECT_THREAD : 0);
	e->op = s->op += op;
	e->order = order;
	e->result = (uint32_t)result;
	e->time = ticks ? (s->ticks += ticks) * RT_SYNC_TICK : 0;
	if (kind == RT_SYNC_SLOT || kind == RT_SYNC_NUMBER) {
		s->table[object % RT_SYNC_SLOTS].object = (uint32_t)object;
		s->table[object % RT_SYNC_SLOTS].order = order;
	}
	return (uint32_t)(at - bytes);
}

#endif
