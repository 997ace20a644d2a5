/* What `explain` tells an interleaving with: its JSON objects, and the lines of source that they name. */
#ifndef RETHREAD_TELLING_H
#define RETHREAD_TELLING_H

#include <jansson.h>
#include <stdbool.h>

/* Colours, empty when the output is not a terminal. */
struct style {
	const char *thread, *race, *quote, *off;
};
extern struct style style;
void choose_style(void);

/* "" and 0 for what is not there. */
const char *text(const json_t *step, const char *key);
json_int_t number(const json_t *j, const char *key);
/* The step with this number, or NULL: it may have been left out. */
json_t *step_numbered(const json_t *root, json_int_t wanted);
/* Memory that is given back counts as written: what the allocator leaves there is not the program's. */
bool is_free(const json_t *step);
bool is_write(const json_t *step);
/* Was it found by engine search? What the failure depends on is not known then. */
bool is_guessed(const json_t *root);
/* Is it about a member that libstdc++ keeps to itself (jobs._M_cur)? Then where that begins, else NULL. */
const char *inside_of(const json_t *step);
/* What a thread did with memory: "read", "wrote", "updated", "freed". */
const char *deed(const json_t *step);

/* "      bugs/bank.c:33  balance += amount;", and the same of a step. */
void quote_place(const char *where, const char *program);
void quote(const json_t *step, const char *program);
/* Which block the step's name begins with; once for all that come from there. */
void print_owner(const json_t *root, const json_t *step, const char *program);

#endif
