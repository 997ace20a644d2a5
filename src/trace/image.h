/*
 * The program as it was recorded. A trace keeps it as the file `program`: as another name of the same file (a hard link), which takes no
 * room and stays what it is when the program is built again, or else as a copy. So a trace can be used after that, and elsewhere.
 */
#ifndef RETHREAD_TRACE_IMAGE_H
#define RETHREAD_TRACE_IMAGE_H

#define TRACE_IMAGE "program"

/* Where neither is possible, or a copy would be large, the trace has none: it is of use as long as the program is where it was. */
void trace_keep_image(const char *dir, const char *program);

/* The file to read the recorded program from: itself, or what the trace keeps where that is no longer the same file. Malloc'ed. */
char *trace_image(const char *dir, const char *program);

#endif
