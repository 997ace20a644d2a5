/*
 * The log file of this process (include/rethread/trace.h): one file, a header page, chunks.
 *
 * Only the cold path is here: opening, reserving chunks, ending. What is in a chunk is written by
 * its thread through the mapping. Nothing here allocates, exits, or changes errno; system calls are
 * made directly, so that a target that defines its own mmap or open is not re-entered.
 *
 * Invariants
 * - rt_log.header is NULL when nothing is recorded, else the mapped header page.
 * - The file is at least header->size long, all of it backed by disk space; chunks (some of them RT_STREAM_SPARE) follow each
 * other without gaps, and only the last one may be without its chunk header (death while it was
 * being reserved): reserving, mapping and filling the chunk header are one critical section.
 * - Once RT_LOG_FULL or RT_LOG_CAP is set, no chunk is reserved any more. Once it is sealed nothing takes rt_log.lock, whose holder blocks
 *   signals by a system call.
 */
#ifndef RETHREAD_RT_LOG_H
#define RETHREAD_RT_LOG_H

#include "rt/options.h"

#include <rethread/trace.h>

#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct rt_log {
	struct rt_log_header *header;
	uint32_t scheme;
	bool time;
	uint32_t values; /* recorded: enum rt_values_kept */
	bool output; /* record what is shown */
	/* Cold from here on. */
	uint64_t max;
	uint64_t margin; /* of time stamps */
	uint64_t freed_mark; /* for the header */
	dev_t device;
	ino_t inode;
	int fd;
	uint32_t lock;
	bool sealed;     /* no system call is made for it any more */
	bool replaced;   /* the process had a log already: it has become another program */
	char dir[4096];  /* absolute */
	char path[4128]; /* DIR/log.PID */
};
extern struct rt_log rt_log;

/* Open the log of the calling process in the options' directory; false (and said on stderr) when
 * that fails. */
bool rt_log_open(const struct rt_options *o);

/* In the child after fork: let go of the parent's log and open one of its own in the same
 * directory. */
bool rt_log_reopen(void);

/*
 * Or go on with a copy of the parent's (log_copy.c). rt_log_copy makes it, before the fork, and returns its descriptor, or -1;
 * rt_log_adopt maps all that is mapped of the parent's log again, at the same addresses.
 */
int rt_log_copy(void);
bool rt_log_adopt(int copy);

/* For log_copy.c: the parent's file is not ours any more; a new file; is it there; make room in it; map it, or NULL. */
void rt_log_let_go(void);
bool rt_log_create(void);
bool rt_log_has_file(void);
bool rt_log_grow(uint64_t offset, uint64_t size);
void *rt_log_map(void *where, size_t size, int flags, int fd, uint64_t offset);

/*
 * Reserve and map consecutive chunks. Of each part the caller sets size, thread, stream and seq;
 * the chunk headers are written here. *offset, unless NULL, is where the first is in the file. NULL once
 * the log has ended: the reason is in header->flags.
 */
void *rt_log_reserve(struct rt_chunk *parts, unsigned count, uint64_t *offset);
/* The same for who has rt_log.lock. */
void *rt_log_extend(struct rt_chunk *parts, unsigned count, uint64_t *offset);
/* Write to what is reserved without touching its pages, each of which would take a fault; false when that does not work. */
bool rt_log_write(const void *data, size_t size, uint64_t offset);

/*
 * A page for a thread or a stream to begin with, divided into these parts (log_pages.c). *batch is where it comes from: for rt_log_page_over, when
 * nobody uses it any more.
 */
struct rt_batch;
void *rt_log_page(struct rt_chunk *parts, unsigned count, struct rt_batch **batch);
void rt_log_page_over(struct rt_batch *batch);
/* In the child after fork: what was mapped ahead is its parent's, and nobody is at work on the log. */
void rt_log_forget_pages(void);

void rt_log_unmap(void *at, size_t size);

/*
 * The window (trace.h) is full, or so much of it, whole pages: its contents go to a chunk of their own, and it is empty, for the next number. False once
 * the log has ended; then it is as it was.
 */
bool rt_log_turn(struct rt_chunk *window, size_t full);

/*
 * The program is about to forbid system calls, of which those for the log may be some: the log ends here, and what is mapped of it is still
 * written. rt_log_unseal: it was not forbidden after all.
 */
void rt_log_seal(void);
void rt_log_unseal(void);

/* An event could not be written. */
void rt_log_drop(void);
/* Says something about the whole log: RT_LOG_*. */
void rt_log_set_flags(uint32_t flags);

/* Stamps that lie closer together than their margin say no more than fewer would: how many steps to go until the next one. */
static inline uint32_t rt_stamp_interval(uint32_t n, uint32_t least, uint32_t most, uint64_t elapsed)
{
	if (elapsed < rt_log.margin / 2)
		return n < most ? n * 2 : n;
	return elapsed > rt_log.margin && n > least ? n / 2 : n;
}

/* The end, normal or failing: end_time and end_ns, and these flags. */
void rt_log_end(uint32_t flags);

/*
 * A lock for cold paths: blocks all signals, so that a handler in the same thread cannot meet it,
 * and waits by yielding. `saved` keeps the signal mask.
 */
struct rt_guard {
	uint64_t mask;
	int error;
	bool inner; /* in another one, which has blocked them */
};
void rt_guard_lock(uint32_t *lock, struct rt_guard *saved);
void rt_guard_unlock(uint32_t *lock, const struct rt_guard *saved);

/* Zeroed anonymous memory that is never given back; NULL when there is none. */
void *rt_pages(size_t size);

#pragma GCC visibility pop

#endif
