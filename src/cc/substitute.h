/*
 * Programs that use shared libraries of ours (shared.h) are linked with the libraries' code instead of the libraries, so that
 * analysis, recorder and twin see all of it.
 *
 * What the dynamic linker would have loaded is found from a plain link of the program. The code of a library takes the library's place
 * on the command line, followed by what it needs itself; the first definition of a symbol wins, as it does at run time. A library stays
 * shared, with a warning, when
 *   - a library that was not built by rethread cc needs it: its code would be there twice;
 *   - the program may load it by name, with dlopen;
 *   - it defines a function of libc's for which the runtimes stand in;
 *   - it was linked with -Bsymbolic and defines what others define too.
 * Of a symbol with several versions the default one is taken, as the linker would.
 * RETHREAD_KEEP_SHARED (shared.h) keeps libraries shared without a warning.
 */
#ifndef RETHREAD_CC_SUBSTITUTE_H
#define RETHREAD_CC_SUBSTITUTE_H

#include "cc/job.h"

struct substitution {
	struct job job;  /* the link to do instead; no arguments: there is nothing to substitute */
	char *list;      /* a file in tmp: contents of RT_SECTION_LIBRARIES */
	char *names;     /* of the libraries, with colons between them */
};

/* Returns the exit status of the plain link: not 0 when the program does not link, which was said then. */
int substitute(struct substitution *s, const struct job *job, const char *tmp, bool verbose);
void substitution_release(struct substitution *s);

#endif
