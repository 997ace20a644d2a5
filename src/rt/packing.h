/*
 * A record of an input in the recorder. Most are short, and packed (packed.h) as the pieces of memory come; when one turns out to be too
 * long, the pieces are gone through twice more, for a record of its own (input_record.h).
 *
 *     if (packing_begin(self, &k))
 *             do
 *                     input_put(&k.recording, p, n);
 *             while (packing_goes_on(self, &k));
 */
#ifndef RETHREAD_RT_PACKING_H
#define RETHREAD_RT_PACKING_H

#include "rt/input_record.h"
#include "rt/log.h"
#include "rt/self.h"

struct packing {
	uint32_t what; /* RT_PACKED_OF; one word, as one that was written in halves is slow to read */
	bool timed; /* the first piece is a time stamp, */
	bool packs; /* the first pass is at hand */
	uint64_t result, time;
	struct input_recording recording;
};

/* A signal handler that comes while an entry is being written cannot log. */
static inline bool packing_starts(struct rt_self *self)
{
	if (rt_unlikely(self->logging)) {
		rt_log_drop();
		return false;
	}
	self->logging = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static inline void packing_ends(struct rt_self *self)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->logging = false;
}

/* All but the pieces; the longest of it is shorter than an entry. */
static inline __attribute__((always_inline)) void packing_head(struct packing *k, const struct rt_input_stream *s)
{
	const struct rt_packed_state *last = &s->last;
	uint8_t head = 0, *at = s->at + 1;

	if (rt_unlikely(k->what != last->what)) {
		head = RT_PACKED_CALL;
		at = input_number(input_number(at, k->what & 0xffff), k->what >> 16);
	}
	if (k->result && k->result == last->result) {
		head |= RT_PACKED_AGAIN;
	} else if (k->result) {
		head |= RT_PACKED_RESULT;
		at = input_number(at, k->result);
	}
	if (k->timed && k->time) {
		head |= RT_PACKED_TIME;
		/* Stamps only grow: another processor's clock may be a little behind. */
		if (k->time <= last->time)
			k->time = last->time + 1;
		at = input_number(at, k->time - last->time);
	} else if (k->timed) {
		head |= RT_PACKED_TIMELESS;
	}
	k->recording.head = head;
	k->recording.entry = at;
	k->recording.entry_end = s->at + RT_PACKED_ENTRY;
}

static inline __attribute__((always_inline)) bool packing_begin(struct rt_self *self, struct packing *k)
{
	if (!packing_starts(self))
		return false;
	if (rt_unlikely(!rt_inputs_have_room(&self->input) && !rt_inputs_open(self))) {
		rt_log_drop();
		packing_ends(self);
		return false;
	}
	k->packs = true;
	packing_head(k, &self->input);
	return true;
}

/* After a pass in which it was not packed: is there another one? */
bool packing_own(struct rt_self *self, struct packing *k) __attribute__((visibility("hidden")));

static inline __attribute__((always_inline)) bool packing_goes_on(struct rt_self *self, struct packing *k)
{
	struct rt_input_stream *s = &self->input;

	if (rt_unlikely(!k->recording.entry))
		return packing_own(self, k);
	*s->at = k->recording.head;
	s->last.what = k->what;
	s->last.result = k->result;
	if (k->timed && k->time)
		s->last.time = k->time;
	rt_inputs_packed(s, k->recording.entry);
	packing_ends(self);
	return false;
}

#endif
