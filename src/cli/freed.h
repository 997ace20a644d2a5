/* Of an interleaving: memory that was used after it had been freed, or freed twice. */
#ifndef RETHREAD_CLI_FREED_H
#define RETHREAD_CLI_FREED_H

#include <jansson.h>
#include <stdbool.h>

/* Prints who did that where, who had freed and allocated the block, and how the thread came by the pointer; nothing where nothing is known. */
void print_freed(const json_t *root, const char *program);
/* Was that told of the memory that the step reads? */
bool is_told_as_freed(const json_t *root, const json_t *step);

#endif
