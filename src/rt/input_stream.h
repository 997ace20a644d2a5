/*
 * A thread's stream of inputs (trace.h, struct rt_input): its chunks, and the record into which short ones are packed (packed.h).
 *
 * Invariants
 * - The eight bytes at `next` are zero, or the chunk ends there: what an entry that was given up left behind is no record.
 * - An open record of packed ones reaches to the end of its chunk, and nothing is behind it; closed, it ends behind its last entry.
 * - A window that is not the newest chunk is empty and has the same seq; that chunk has one record, which is being written.
 */
#ifndef RETHREAD_RT_INPUT_STREAM_H
#define RETHREAD_RT_INPUT_STREAM_H

#include <rethread/packed.h>

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct rt_self;
struct rt_batch;

struct rt_input_stream {
	uint8_t *at, *end;       /* where the next entry goes, and the end of the open record of packed ones; equal: there is none */
	struct rt_input *packed; /* that record, or NULL */
	struct rt_packed_state last;
	/* Cold. */
	char *next;              /* where the next record goes, when none is open */
	struct rt_chunk *chunk;  /* the newest, or NULL */
	struct rt_chunk *window; /* NULL: not yet; may be the newest */
	struct rt_batch *batch;  /* where the newest one comes from; NULL where it is mapped by itself */
	uint64_t seq;            /* of the chunk after the newest */
	uint64_t shift;          /* from addresses in the newest to offsets in the file, where it is for one large record; else 0 */
};

/* Is there room for an entry? */
static inline bool rt_inputs_have_room(const struct rt_input_stream *s)
{
	return s->end - s->at >= (ptrdiff_t)RT_PACKED_ENTRY;
}
/* If not, then after this; false once the log has ended. */
bool rt_inputs_open(struct rt_self *self);

/* Entries up to `end` are there. */
static inline void rt_inputs_packed(struct rt_input_stream *s, uint8_t *end)
{
	s->at = end;
	__atomic_store_n(&s->packed->result, (uint64_t)(end - (uint8_t *)(s->packed + 1)), __ATOMIC_RELEASE);
}

/*
 * Room for a record of its own, of that many bytes, or NULL once the log has ended; rt_inputs_done makes the record valid. Between the
 * two, `logging` is set.
 */
void *rt_inputs_room(struct rt_self *self, size_t size);
void rt_inputs_done(struct rt_self *self, uint32_t size);

/* The thread ends. */
void rt_inputs_leave(struct rt_self *self);

#pragma GCC visibility pop

#endif
