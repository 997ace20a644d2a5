/* First sentences about objects of C++ that are handed from thread to thread. */
#ifndef RETHREAD_CLI_IN_SHORT_OBJECTS_H
#define RETHREAD_CLI_IN_SHORT_OBJECTS_H

#include "cli/words.h"

/* False: that is not it, and nothing was said. */
bool say_destroyed(struct words *w, const json_t *root);
bool say_unfinished(struct words *w, const json_t *root);
bool say_handed_exception(struct words *w, const json_t *root);

#endif
