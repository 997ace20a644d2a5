/*
 * Inside the checker (check.h).
 *
 *     check.c         the scan, the known orders, the conditions
 *     check_memory.c  memory and store buffers, what reads read
 *     check_sync.c    locks, semaphores, barriers and waits whose order is not known
 *
 * What returns bool is false when the order is refuted; violated() has written why then.
 */
#ifndef RETHREAD_MODEL_CHECK_INTERNAL_H
#define RETHREAD_MODEL_CHECK_INTERNAL_H

#include "model/check.h"

#define UNSEEN SIZE_MAX

struct stored {
	uint32_t event;
	uint64_t address, value;
	uint32_t size;
	bool known;
};

/* A lock, semaphore or barrier. */
struct object_state {
	enum sync_class class;
	uint64_t object;
	uint32_t owner;   /* thread + 1; 0: nobody writes */
	uint32_t depth;
	uint32_t readers;
	uint64_t tokens;  /* of a semaphore */
	uint64_t arrived; /* at a barrier */
};

/* A byte of memory: known once written or initialised. Open addressing by address; used marks a slot. */
struct cell {
	uint64_t address;
	uint8_t value;
	bool used, known;
};

struct checker {
	const struct execution *x;
	enum memory_model model;
	const struct step *steps;
	size_t nsteps;
	struct error *err;
	size_t *executed, *visible;        /* by event: index of the step, UNSEEN before */
	uint32_t *next;                    /* by thread: its next event */
	vec(struct stored) *buffer;        /* by thread: stores issued and not visible */
	bool *leads;                       /* by event: a known order starts at it */
	bool *created, *needs_create;      /* by thread */
	bool *ended;
	struct object_state *objects;
	size_t nobjects;
	uint64_t *leaves;                  /* by thread: so many must have arrived when it leaves its barrier */
	struct cell *cells;
	size_t cell_mask;
	uint64_t *values;                  /* by expression node */
	bool *has_value;
	uint64_t *symbols;
	bool *has_symbol;
};

/* Always false, with a sentence about the event. */
bool violated(struct checker *c, uint32_t event, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline bool buffers_stores(const struct checker *c, const struct event *e)
{
	return c->model != MEMORY_SC && e->kind == EVENT_WRITE;
}

/* check_memory.c: what memory holds before the first step. */
void check_load_initials(struct checker *c);
/* The value of an expression; false when it depends on a symbol that was not read yet. */
bool check_evaluate(struct checker *c, expr e, uint64_t *value);
/* The event reads memory: as its thread sees it, and as its expression says. */
bool check_read(struct checker *c, uint32_t event);
/* It writes, into its thread's store buffer where the model has one. */
void check_write(struct checker *c, uint32_t event);
/* The buffered store leaves its buffer. */
bool check_visible(struct checker *c, uint32_t event);
/* Is it one that waits until all stores of its thread are visible? */
bool check_drains(const struct checker *c, uint32_t event);

/* Pieces of one access or call, in the order of the execution, that do not overlap: the second may as well come first. */
bool check_may_swap(const struct checker *c, uint32_t first, uint32_t second);

/* check_sync.c: the objects that the events are about, for `objects`. */
void check_find_objects(struct checker *c);
bool check_lock(struct checker *c, uint32_t event);
bool check_unlock(struct checker *c, uint32_t event);
bool check_busy(struct checker *c, uint32_t event);
bool check_semaphore(struct checker *c, uint32_t event);
bool check_barrier(struct checker *c, uint32_t event);
/* After the scan: was every wait woken that came back, and none that hangs? */
bool check_waits(struct checker *c);

#endif
