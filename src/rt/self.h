/*
 * A recorded thread's own state, and what it appends to its streams.
 *
 * struct rt_self is thread-local and touched by its thread only. What runs per branch and per lock
 * is in here: a few loads and stores without a branch on whether a log is there, because the
 * pointers then lead to scratch memory.
 *
 * Invariants
 * - __rethread_path is never NULL: it leads into the thread's tray, or where nobody reads (path.c).
 * - active: the thread has a number and its interposed calls are recorded; then `thread` is not
 * NULL. Threads that the C library starts behind our back are never active, and nobody is while
 * paused.
 * - sync_end - sync >= RT_SYNC_ROOM: room for an entry. Both NULL when the order of synchronization is not
 * recorded, or its log has ended.
 */
#ifndef RETHREAD_RT_SELF_H
#define RETHREAD_RT_SELF_H

#include "rt/caught.h"
#include "rt/input_stream.h"

#include <rethread/instrument.h>
#include <rethread/sync.h>
#include <rethread/trace.h>

#include <stdbool.h>
#include <stddef.h>

#define rt_likely(x) __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

#define RT_CACHE_SIZE 8u

struct rt_object;
struct rt_batch;
struct rt_holding;
struct rt_peer;

/*
 * A stream's chunks. A signal handler may come between any two instructions of the thread, fill
 * chunks and return, so a chunk's memory stays mapped to the thread's end; the biggest is a window (trace.h).
 */
#define RT_CHUNK_SIZES 4u
struct rt_pieces {
	struct rt_chunk *chunk[RT_CHUNK_SIZES];
	struct rt_batch *first; /* where chunk[0] comes from, but where it is on the thread's first page */
	uint64_t seq; /* of the newest; in chunk[] it is the last one that is not NULL */
};

/* How many values there were since a time, and how many more than it allows, at most: of all, and of those that do not only go round. */
enum rt_pace { RT_PACE_ALL, RT_PACE_CHANGING, RT_PACES };
struct rt_paced {
	uint64_t since, n, more;
};

struct rt_self {
	/* Used for each tray that is full. */
	uint8_t *tray;          /* NULL: the path is not recorded */
	uint64_t *slot, *slots_end; /* of the log: the next one, and the chunk's end */
	uint64_t *run;          /* slot of the run of foretold words that goes on, or NULL */
	uint64_t context, words; /* of the last words: what follows on them; how many there are */
	uint64_t bits;          /* of those words */
	struct rt_path_stage stage; /* are they guessed at all? */
	uint64_t stamp_at;      /* how many there are at the next time stamp */
	uint32_t handlers;      /* signal handlers that are running at no place of the log (handlers.c) */
	bool handler_keeps;     /* what the one that runs has appended is in the tray, from `interrupted` on */
	/* Others. */
	struct rt_thread *thread;
	uint32_t number;
	uint32_t tid; /* kernel's id */
	bool active;
	bool paused;  /* the runtime itself is calling out: nothing of it belongs to the target */
	bool logging; /* an entry is being written: a signal handler that comes here too cannot log */
	uint8_t *sync, *sync_end; /* where the next entry goes, and the end of the chunk */
	uint64_t stamped;        /* when the last time stamp was made */
	uint32_t stamp_interval; /* words between two */
	uint64_t sync_stamped;   /* the same of locks: */
	uint32_t sync_interval, sync_left; /* entries from one to the next, and before the next */
	struct rt_time *time, *time_end; /* the next time stamp; equal: there is no room, or not yet */
	struct {
		const void *address;
		struct rt_object *object;
	} cache[RT_CACHE_SIZE];
	struct rt_holding *holdings; /* what it wrote into mutexes (tags.h); not NULL once it is active */
	uint8_t *interrupted;   /* where the code below all handlers appends */
	struct rt_values interrupted_values; /* the same of recorded values */
	struct rt_input_stream input;
	/* Of values: the tray; of the stream the next word, and the chunk's end; the count that goes on, or NULL. */
	uint32_t *value_tray, *value_slot, *value_slots_end, *value_run;
	bool often_ends;        /* what is read often is not recorded any more, or not much longer (rt_thread.often_over) */
	uint64_t values_since;  /* when it was last asked whether they are too many, in nanoseconds */
	uint64_t values_began;  /* when the first one came; 0: there is none */
	struct rt_paced values_paced[RT_PACES];
	/* Cold. */
	struct rt_peer *peer;
	uint32_t children; /* threads this one has created */
	struct rt_pieces path_pieces, sync_pieces, time_pieces, value_pieces;
	struct rt_sync_state sync_state;
	struct rt_signal *signal_record; /* of the handler that ran last, while input.seq is signal_seq */
	uint64_t signal_seq;
	char *shown, *shown_end; /* where the next output goes; equal: there is no chunk yet */
	struct rt_pieces shown_pieces;
	struct rt_thread spare; /* stands in for a thread record when the log has no room for one */
};
extern __thread struct rt_self rt_self __attribute__((tls_model("initial-exec")));

/*
 * A thread's first chunks, made by its creator before it starts, so that a thread that was created
 * is in the log however early the process dies. NULL when the log has ended. *batch: see log.h.
 */
struct rt_thread *rt_self_prepare(uint32_t number, uint32_t parent, uint32_t child, struct rt_batch **batch);

/* The calling thread becomes `peer`; its log is what was prepared for it. */
void rt_self_begin(struct rt_peer *peer);
/* It ended, but destructors may still run. */
void rt_self_ended(void);
/* Nothing more is recorded for the calling thread; its mappings are gone. */
void rt_self_leave(void);

/* The next chunk of a stream, or NULL when the log has ended; pieces->seq is that of the last one. */
struct rt_chunk *rt_self_chunk(struct rt_self *self, uint32_t stream, struct rt_pieces *pieces);

/* values.c: the calling thread's recorded values begin; end; end, and the log says so; go nowhere while a signal handler runs. */
void rt_values_start(void); /* when the log is open */
void rt_values_begin(struct rt_self *self);
void rt_values_end(const struct rt_self *self);
void rt_values_forgo(void);
struct rt_values rt_values_divert(void);

/* Append to the order of synchronization: the operation that is about to complete. Cold: changes
 * only. */
void rt_self_sync(struct rt_self *self, uint32_t object, uint64_t order, uint32_t result);
/* The same of a lock that was got, mostly at once. */
void rt_self_acquired(struct rt_self *self, uint32_t object, uint64_t order);
/* When the step at hand happened is worth knowing: it blocked, or (scheme path) is about to wake somebody up. Before rt_self_done. */
void rt_self_stamp(struct rt_self *self);

/* Room for an entry of outputs, or NULL once the log has ended. `logging` is set meanwhile. */
void *rt_self_shown_room(struct rt_self *self, size_t size);

/* What the thread does in between is not recorded. */
static inline void rt_self_pause(struct rt_self *self)
{
	self->paused = true;
	self->active = false;
}

static inline void rt_self_resume(struct rt_self *self)
{
	self->active = true;
	self->paused = false;
}

/* A synchronization operation of the calling thread is complete. */
static inline void rt_self_done(struct rt_self *self)
{
	self->thread->sync_done++;
	if (rt_unlikely(rt_caught_waiting))
		rt_caught_run(RT_SIGNAL_STEP);
}

#pragma GCC visibility pop

#endif
