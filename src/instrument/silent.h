/* Ways of branches that append nothing: see silent.c. */
#ifndef RETHREAD_INSTRUMENT_SILENT_H
#define RETHREAD_INSTRUMENT_SILENT_H

#include "instrument/pass.h"

/*
 * Chooses recorded branches whose likelier way shall append nothing, makes that way their first, and marks them with
 * PASS_SILENT_METADATA. To be called when all else has its metadata.
 */
void silent_choose(LLVMModuleRef m, const struct numbering *n);

#endif
