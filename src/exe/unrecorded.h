/* Libraries whose code ran in a recorded run and is not in its log (docs/FORMAT.md, `libraries`). */
#ifndef RETHREAD_UNRECORDED_H
#define RETHREAD_UNRECORDED_H

/* A warning of each that matters in the trace `dir`. */
void unrecorded_warn(const char *dir);
/* The file of the first one, malloc'ed; NULL when there is none. */
char *unrecorded_first(const char *dir);

#endif
