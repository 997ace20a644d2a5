/*
 * What a failure rests on (ties.c). In such a run nothing is a symbol but what the thread that is asked for has read; ties_read is its expression. ties_branch,
 * ties_address: false in any other run. When it comes to what is asked for, the process ends.
 */
#ifndef RETHREAD_TIES_H
#define RETHREAD_TIES_H

#include "sym/interp.h"

struct ethread;

void ties_load(void);
bool ties_on(void);
expr ties_read(struct ethread *t, const struct access *a);
bool ties_branch(struct ethread *t, expr e);
bool ties_address(struct ethread *t, const struct slot *s);
/* A branch goes another way than it would by its value: that is an error, but where it rests on what was read in a lap that was left out. False in any other run. */
bool ties_strays(struct ethread *t);
void ties_wrote(struct ethread *t, const struct access *a);
void ties_status(struct ethread *t, expr status);
void ties_failed(struct ethread *t);
/* What a function from outside made, of all that was read since the mark, and of its parameters. EXPR_NONE in any other run. */
size_t ties_mark(void);
expr ties_made(struct ethread *t, size_t mark, const struct native_call *c, uint64_t value, unsigned size);
/* The call shows its parameters. */
void ties_shown(struct ethread *t, const struct native_call *c);

#endif
