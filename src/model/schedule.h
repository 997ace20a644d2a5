/*
 * The schedule (include/rethread/schedule.h): made from a checked total order, written and read as text.
 *
 * Only the waits that are not implied by program order, by other waits, or by creating and joining threads:
 * for two accesses to the same bytes, one a write, in different threads; for operations on the same
 * lock, condition variable, semaphore or barrier; and for every order the execution knows. Threads are stopped where the failure needs no more of them.
 * Under TSO and PSO a store that others see later than it is executed gets `delay` lines: after which SAPs of others.
 */
#ifndef RETHREAD_MODEL_SCHEDULE_H
#define RETHREAD_MODEL_SCHEDULE_H

#include "model/linear.h"

/* `site` is what the SAP is: the number of its site, or the name of an interposed function; empty: not known. */
struct schedule_wait {
	char thread[64], other[64];
	uint64_t sap, other_sap;
	char why[200]; /* comment */
	char site[40], other_site[40];
	uint32_t line; /* of the file that it was read from; 0: none */
};

struct schedule_point {
	char thread[64];
	uint64_t sap;
	int32_t result; /* of `result` lines; of `signal` and `disorder` lines: the signal */
	char site[40];
	uint64_t when;  /* of `signal` lines: 0, RT_SIGNAL_AFTER_STEP or bits of the path; of `place` lines: where; of `left` lines: the word */
};

struct schedule {
	char module[64]; /* hex */
	enum memory_model model;
	vec(struct schedule_wait) waits;
	vec(struct schedule_wait) delays; /* TSO, PSO: a store that is visible only after another SAP */
	vec(struct schedule_point) stops;
	vec(struct schedule_point) results;
	vec(struct schedule_point) signals; /* result is the signal */
	vec(struct schedule_point) places;  /* of blocks that share memory */
	vec(struct schedule_point) lefts;   /* what free leaves in blocks */
	vec(struct schedule_point) disorders; /* calls in which the C library finds its heap overwritten */
	vec(struct schedule_point) fails;
	uint32_t unenforced; /* orders inside one SAP that no line can express */
};

/* From a total order; module is left empty. */
void schedule_init(struct schedule *s, const struct memory *m, const struct linear *l);
void schedule_release(struct schedule *s);

bool schedule_write(const struct schedule *s, const char *path, struct error *err);
/* Reads and checks every line; the error names the line. */
bool schedule_read(struct schedule *s, const char *path, struct error *err);
/* Can it be kept to at all? False where waits go round in a circle, or stores are delayed under sc; the error names lines. */
bool schedule_check(const struct schedule *s, struct error *err);

#endif
