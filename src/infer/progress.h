/*
 * What the user sees while inference works: on a terminal a status line that is overwritten, else nothing; and
 * one line per finished phase. All on stderr.
 */
#ifndef RETHREAD_PROGRESS_H
#define RETHREAD_PROGRESS_H

/* Overwrites the status line. */
void progress_status(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line that stays. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
