/*
 * The steps of an interleaving that `explain` shows: which, in which order, and in which words. What is done with them is the caller's.
 *
 *     steps_init(&v, root, false);
 *     steps_show(&v, print_step, data);
 *     steps_release(&v);
 */
#ifndef RETHREAD_CLI_STEPS_H
#define RETHREAD_CLI_STEPS_H

#include "base/base.h"

#include <jansson.h>

struct steps {
	const json_t *root;
	bool whole;                /* the user wants every step */
	bool all;                  /* there are so few that all are shown */
	json_int_t from;           /* every step from this one on */
	vec(const char *) threads; /* of the steps that are shown, in order of appearance */
	bool buffers;              /* stores become visible later than they happen */
};

struct shown_step {
	const json_t *step;
	size_t column;       /* its thread's place among the threads */
	json_int_t left_out; /* how many steps before it are not shown */
};

/* What the failure depends on, and how it ends; everything when that is not much, or when `all` is wanted. */
void steps_init(struct steps *v, const json_t *root, bool all);
void steps_release(struct steps *v);

typedef void steps_shown(void *data, const struct steps *v, const struct shown_step *s);
void steps_show(const struct steps *v, steps_shown *shown, void *data);

/* SIZE_MAX: the thread has no step that is shown. */
size_t steps_column(const struct steps *v, const char *thread);
/* "reads x = 4". */
void steps_describe(const struct steps *v, const json_t *step, char *out, size_t size);

#endif
