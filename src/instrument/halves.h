/*
 * The two halves of a gate as functions of the module, for sites where code in line is not worth its price.
 *
 * In line, a gate makes five blocks of one, and the code generator's time grows faster than a function's blocks: of a
 * `main` with 1,300 sites the twin took seven times as long as the program without us. A call leaves one block and saves all
 * general registers, but not those for floating point, and takes about a nanosecond more. So loops with few sites, and
 * functions with few outside of loops, where nearly all time is spent when the program runs, have gates in line.
 */
#ifndef RETHREAD_INSTRUMENT_HALVES_H
#define RETHREAD_INSTRUMENT_HALVES_H

#include "instrument/pass.h"

/* Where there are more sites than this, in one loop or in a function outside of its loops, what they do is called. */
struct in_line {
	size_t loop, outside;
};

/* For each site, in module order, whether what it does is called; by index, malloc'ed. To be asked before any code is added. */
bool *halves_called(const struct values *sites, struct in_line most);

/*
 * A function of SLOW_PATH's type, called like it: it runs slow_path(...) when what `ask` builds at its begin is true, and
 * returns its third parameter, if it has any, when not.
 */
LLVMValueRef half_function(LLVMModuleRef m, const char *name, LLVMValueRef slow_path,
			   LLVMValueRef (*ask)(void *, LLVMBuilderRef), void *data);

#endif
