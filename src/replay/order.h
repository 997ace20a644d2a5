/* What the files of scheme rw's recorder share: its state for a thread, and the order of accesses (order.c). */
#ifndef RETHREAD_ORDER_H
#define RETHREAD_ORDER_H

#include "replay/library.h"
#include "replay/recorder.h"

#define FRESH 64u
#define CACHE 1024u
#define LOCATIONS (1u << 16)

struct recorder {
	struct rt_thread *thread; /* in the log; NULL: the log has ended */
	struct rt_order *next, *end;
	uint64_t seq;             /* of chunks */
	bool open;                /* between the halves of a gate */
	bool writes;
	bool large;               /* there is more to hold than `held` has */
	uint32_t nheld;
	struct rt_order *call;    /* entry of the call that goes on */
	const void *fresh[FRESH]; /* blocks that it allocated, the latest ones */
	uint32_t nfresh;
	struct library_call library; /* which one it is */
	const void *object;       /* of the step that goes on, logged when it is done; NULL: none */
	int result;
	struct rt_chunk *input;   /* of the newest inputs, or NULL */
	char *input_at;           /* where the next one goes */
	uint64_t input_seq;
	uint64_t chance;          /* random numbers */
	struct rt_order *reading[CACHE]; /* entries of runs of reads, by location */
	uint32_t held[LOCATIONS];        /* locations, growing */
};

/* `runs`: scheme leap, which logs runs of accesses by one thread instead of writes and who read them. False: no memory. */
bool order_init(bool runs);
uint32_t order_place(uint64_t granule);
/* The bytes' locations behind those that are to be held already. */
void order_add(struct recorder *r, const void *address, uint64_t size);
/* Nobody else gets at what was added: by its locations, or because there is nobody else. */
void order_hold(struct twin_thread *self);
/* What is held counts as touched by `sap`. */
void order_touch(struct twin_thread *self, uint64_t sap, bool writes);
/* It is no longer held; or its locks are given up, to be taken again with more by order_hold. Or touched, then released. */
void order_release(struct recorder *r);
void order_unlock(const struct recorder *r);
void order_note(struct twin_thread *self, uint64_t sap);
/* The object of the step at hand changes. */
void order_object(struct twin_thread *self, const void *object);

/* A signal among the inputs. */
void recorder_input_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place);

#endif
