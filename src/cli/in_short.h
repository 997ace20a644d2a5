/* The first sentences of `explain`: what went wrong, before it is shown step by step. */
#ifndef RETHREAD_IN_SHORT_H
#define RETHREAD_IN_SHORT_H

#include "trace/trace.h"

#include <jansson.h>

/* Says nothing that what follows does not show; where no cause was found, that. */
void print_in_short(const json_t *root, const struct trace *t);

#endif
