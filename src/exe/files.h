/* Where the sources of a program are, by its debug information. */
#ifndef RETHREAD_FILES_H
#define RETHREAD_FILES_H

/*
 * The file that a compiler was given by this name, perhaps relative to a folder where it ran ("./lib/queue.h"). malloc'ed; NULL when
 * there is none, or no debug information.
 */
char *source_file(const char *program, const char *name);

#endif
