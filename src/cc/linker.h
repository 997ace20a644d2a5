/*
 * The linker's command line, as clang's job gives it: what it says, and the files that it names.
 */
#ifndef RETHREAD_CC_LINKER_H
#define RETHREAD_CC_LINKER_H

#include "cc/job.h"

/* Index of an argument, or 0. */
size_t linker_find(const strings *argv, const char *arg);
/* Index of the output's name, or 0. */
size_t linker_output(const strings *argv);
void linker_set_output(strings *argv, const char *path);
/* Append an argument that consists of two parts. */
void linker_add(strings *argv, const char *prefix, const char *text);

/* Link native code, as if nobody had asked for LTO; the fat objects have both. Returns the exit status. */
int linker_run_plainly(const struct job *job);
/* The first complaint in what a link said, which is in the file `log'; malloc'ed, never empty. */
char *linker_complaint(const char *log);
/* For a second link of the same: take out what makes further files or prints something. */
void linker_drop_side_outputs(strings *argv);

/* A shared library on the command line: the arguments from `at' on, `n' of them, name it. */
struct linker_input {
	size_t at, n;
	char *path;
	char *name; /* what the output calls it when it needs it */
};
typedef vec(struct linker_input) linker_inputs;
/* In the order of the command line. */
linker_inputs linker_libraries(const strings *argv);
void linker_inputs_release(linker_inputs *inputs);

/* A file of that name in the folders of -L; malloc'ed path or NULL. */
char *linker_search(const strings *argv, const char *name);

#endif
