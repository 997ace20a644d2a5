/* What `rethread record' says about shared libraries. */
#ifndef RETHREAD_CLI_LIBRARIES_H
#define RETHREAD_CLI_LIBRARIES_H

/* Warns of libraries whose code is part of the program and that were built anew since. */
void libraries_warn_changed(const char *program);

#endif
