/*
 * Where a program's shared libraries are: a twin runs from another directory than the program, so what the program's
 * run path says of $ORIGIN is told to the loader by LD_LIBRARY_PATH.
 */
#ifndef RETHREAD_ORIGIN_H
#define RETHREAD_ORIGIN_H

/*
 * The variable's setting, "LD_LIBRARY_PATH=...", for a twin of `program`, with `before`, what the variable has already (or
 * NULL), behind it. malloc'ed; NULL when the program's run path does not speak of $ORIGIN.
 */
char *origin_setting(const char *program, const char *before);

#endif
