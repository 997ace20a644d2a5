/* The names and values of an interleaving as the source has them, where the program's debug information tells. */
#ifndef RETHREAD_TYPED_H
#define RETHREAD_TYPED_H

#include <jansson.h>

/*
 * Changes "object" and "value" of all steps of an interleaving.json: `pos+24` to `pos.z`, the bits of a double to its
 * digits. What the debug information does not know stays as it is. "nameless" is then true where that is all memory, since the
 * program was built without -g, and some of what the steps access lies where only an address or a distance says.
 */
void name_as_source(json_t *interleaving, const char *program);

#endif
