/*
 * Code outside of the program that may matter: shared libraries of rethread's that are loaded (src/library/guard.c), and
 * libraries whose code threads run. Each is noted once, as a line of the file `libraries' beside the log:
 *     loaded PATH     a library of rethread's: what it does is not recorded
 *     twice PATH      the same, but its code is part of the program too
 *     thread PATH     a thread began in it
 *     own WHAT        threads that the C library makes itself
 */
#ifndef RETHREAD_RT_LIBRARIES_H
#define RETHREAD_RT_LIBRARIES_H

#pragma GCC visibility push(hidden)

/* A thread begins in this function, which is not the program's. */
void rt_libraries_thread(const void *routine);
/* The program asked that function to notify it of something; NULL: by a signal. */
struct sigevent;
void rt_libraries_notifies(const struct sigevent *how, const char *function);

#pragma GCC visibility pop

#endif
