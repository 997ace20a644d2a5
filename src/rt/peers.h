/*
 * What threads of this process know of each other: a record per thread number that is never freed,
 * and the way from a pthread_t to it. Cold: creating, joining, blocking.
 *
 * Invariants
 * - rt_peer(n) of a thread that was created is not NULL and stays valid to the end of the process.
 * - A pthread_t leads to at most one peer, the newest: the C library reuses the values of threads
 * that were joined, or detached and gone.
 * - waits_for, waits_on, wait_count and reads are written by the peer's own thread only; wait_count grows
 * with each wait, so equal counts mean the same wait.
 */
#ifndef RETHREAD_RT_PEERS_H
#define RETHREAD_RT_PEERS_H

#include <rethread/trace.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum { RT_READ_LOCKS = 8 };
enum rt_wait { RT_WAITS_MUTEX, RT_WAITS_READ, RT_WAITS_WRITE };

struct rt_peer {
	uint32_t number, parent, child; /* as in struct rt_thread */
	uint32_t tid;                   /* 0 until it runs */
	struct rt_thread *thread;       /* what was prepared in the log for its start, or NULL */
	struct rt_batch *batch;         /* where that page comes from */
	void *(*routine)(void *);
	void *argument;
	uint64_t mask; /* of signals, that it has to begin with (caught.h) */
	bool registered;
	bool over;      /* its log is unmapped, `thread` too */
	bool cancelled; /* somebody called pthread_cancel for it */
	pthread_t handle;
	struct rt_peer *next; /* with the same hash of handle */
	/* What the thread is blocked on: object number as in rt_thread.waits_for, lock, peer. */
	uint32_t waits_for;
	uint32_t wait_count;
	enum rt_wait waits_how;
	const void *waits_on;
	struct rt_object *waits_object;
	/* Locks that it holds for reading, NULL where there is none; of more than these nothing is known. */
	const pthread_rwlock_t *reads[RT_READ_LOCKS];
	struct rt_holding *holdings; /* tags.h, or NULL */
	struct rt_stack *stack; /* where its backtrace goes, or NULL (stacks.h) */
};

/* A record with the next number, or one whose thread could not be started; NULL when there are too
 * many. */
struct rt_peer *rt_peer_new(uint32_t parent, uint32_t child);
/* The thread could not be started: its number and log go to the next one. */
void rt_peer_unused(struct rt_peer *p);
/* By number, or NULL. */
struct rt_peer *rt_peer(uint32_t number);
/* Numbers that were ever given to a thread are below. */
uint32_t rt_peer_count(void);

/*
 * Both the creator, once it has the handle, and the created thread, before it runs, call this; the
 * first counts. So whoever learns the handle finds the peer, at the latest when a join has
 * returned.
 */
void rt_peer_register(struct rt_peer *p, pthread_t handle);
struct rt_peer *rt_peer_find(pthread_t handle);
/* The thread was joined: its handle may be reused. */
void rt_peer_forget(struct rt_peer *p);

/* "1:2:1" into text, cut off when it does not fit; returns text. */
char *rt_peer_name(const struct rt_peer *p, char *text, size_t size);

/* Are all but the main thread? */
bool rt_peers_are_over(void);

/* In the child after fork: nobody is known. */
void rt_peers_reset(void);

#pragma GCC visibility pop

#endif
