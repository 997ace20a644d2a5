/* What the runtimes define in the C library's place. */
#ifndef RETHREAD_CC_EXPORTED_H
#define RETHREAD_CC_EXPORTED_H

#include "base/base.h"

/* The i-th symbol that shared libraries must find in the program; NULL at the end. */
const char *exported_symbol(size_t i);
/* Does a runtime define it? Also for what only the program itself must find: the functions of the heap. */
bool exported_is_ours(const char *symbol);

#endif
