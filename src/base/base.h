/*
 * What every part of the offline tool uses: errors, memory, growing arrays, files.
 *
 * Errors. A function that can fail takes a `struct error *` as its last parameter, fills it with one
 * sentence (what, where, what to do next) and returns false or NULL; `die` is for the commands only and
 * ends the process with a documented exit code. Memory exhaustion ends the process.
 * Runtime code (src/rt, src/replay) does not use this header.
 */
#ifndef RETHREAD_BASE_H
#define RETHREAD_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct error {
	char text[1024];
};

/* Fill `err` (may be NULL); always returns false, so that `return fail(err, ...)` reads well. */
bool fail(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Exit codes of all commands that do not end with the target's own status. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_NO_INTERLEAVING = 1, /* reproduce: proven that none explains the log; replay: not reproduced */
	EXIT_USAGE = 2,
	EXIT_BUDGET = 3,
	EXIT_ERROR = 4, /* an error that is neither of these: missing file, damaged trace, ... */
	EXIT_UNSTEADY = 5, /* reproduce: it fails as recorded, but not in every replay */
};

/* "rethread: MESSAGE" on stderr, then exit(code). */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "rethread: warning: MESSAGE" on stderr. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on a process that ends without having written all of its standard output (the disk is full) says so, and ends with EXIT_ERROR. */
void check_output_at_exit(void);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
/* The ending of a word for more than one, unless n is 1: printf("%u wait%s", n, plural(n, "s")). */
static inline const char *plural(uint64_t n, const char *ending)
{
	return n == 1 ? "" : ending;
}

char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A growing array of T:  struct { T *at; size_t n, cap; } v = {0};
 *     *vec_push(&v) = value;   vec_free(&v);
 */
#define vec(T)            \
	struct {          \
		T *at;    \
		size_t n; \
		size_t cap; \
	}
#define vec_push(v)                                                                              \
	((v)->n == (v)->cap                                                                      \
		 ? (void)((v)->at = vec_grow((v)->at, &(v)->cap, sizeof *(v)->at))               \
		 : (void)0,                                                                      \
	 &(v)->at[(v)->n++])
#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)
void *vec_grow(void *at, size_t *cap, size_t size);

/* Is the text in the list, which is an array? */
bool is_one_of(const char *text, const char *const *list, size_t n);
#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof(list) / sizeof *(list))

/* "SIGUSR1", "SIGRTMIN+1", "signal 99". */
void signal_name(int signal, char *text, size_t size);

/* Whole files. read_file's result is malloc'ed and NUL-terminated beyond its length. */
bool read_file(const char *path, char **data, size_t *size, struct error *err);
bool write_file(const char *path, const void *data, size_t size, struct error *err);
/* A file for others to find: it is there whole or as it was before, whatever happens meanwhile. */
bool replace_file(const char *path, const void *data, size_t size, unsigned mode, struct error *err);
/* mkdir -p, mode 0700. */
bool make_dirs(const char *path, struct error *err);
/* rm -r of a directory this tool made; missing is no error. */
bool remove_tree(const char *path, struct error *err);
/* A new private directory under $TMPDIR, or under /tmp where that is no directory; malloc'ed name. */
char *temp_dir(struct error *err);

/*
 * Where the tool's own files are: runtimes, plugin, engine. In a build tree the folder of the executable;
 * installed, PREFIX/lib/rethread; RETHREAD_LIBDIR overrides. Malloc'ed path of `name` in it.
 */
char *tool_file(const char *name);

#endif
