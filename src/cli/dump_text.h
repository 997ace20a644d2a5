/*
 * The text form of what `rethread dump` shows: prints the values that dump.c makes.
 */
#ifndef RETHREAD_DUMP_TEXT_H
#define RETHREAD_DUMP_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* The trace, its program and its failure. */
void dump_print_head(const json_t *trace);

/* bits: the path as well where its lines are known. */
void dump_print_thread(const json_t *thread, bool bits);

#endif
