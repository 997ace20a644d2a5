/* The names and values of an interleaving as the source has them, where the program's debug information tells. */
#ifndef RETHREAD_TYPED_H
#define RETHREAD_TYPED_H

#include <jansson.h>

/*
 * Changes "object" and "value" of all steps of an interleaving.json: `pos+24` to `pos.z`, the bits of a double to its
 * digits. What the debug information does not know stays as it is.
 */
void name_as_source(json_t *interleaving, const char *program);

#endif
