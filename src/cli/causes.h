/* What `explain` says first: what was used after it had been freed, read before it was filled, came round again, or who came in between. */
#ifndef RETHREAD_CAUSES_H
#define RETHREAD_CAUSES_H

#include <jansson.h>

void print_causes(const json_t *root, const char *program);

#endif
