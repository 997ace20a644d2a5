/* What the failure depends on, as the file of the interleaving has it, for the first sentences of `explain`. */
#ifndef RETHREAD_CLI_ASKED_H
#define RETHREAD_CLI_ASKED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A read that the failure depends on, and who wrote what it found; NULL: nobody. */
struct asked {
	const json_t *of;
	json_t *read, *writer;
};

/* The next one of them, beginning with 0. */
bool asked_next(const json_t *root, size_t *i, struct asked *a);
/* How many references there are says nothing of why. */
bool asked_is_of_counts(const struct asked *a);
/* What a thread was given when it was created, and nobody changed: that it found it says nothing. */
bool asked_is_handed(const json_t *root, const struct asked *a);
/* Was the thread created behind the step? */
bool asked_is_created_since(const json_t *root, const char *thread, json_int_t step);
/* Threads are named by who created them. */
bool asked_is_ancestor(const char *thread, const char *of);

#endif
