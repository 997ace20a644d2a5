/*
 * Inputs in the twin, inside: an interposed function of inputs.def is one call, and the words of its line say what the call
 * brought, in the order of the record.
 *
 *     inputs.c           the functions themselves: is the call real, recorded, or given back?
 *     inputs_given.c     what a record brought, instead of the call
 *     inputs_recorded.c  a record of what the real call brought
 *     input_log.c        the records
 */
#ifndef RETHREAD_REPLAY_INPUTS_H
#define RETHREAD_REPLAY_INPUTS_H

#include "replay/recorder.h"
#include "rt/inputs.h"
#include "rt/input_record.h"

/* The call at hand. */
struct given {
	const struct rt_input *record;
	const char *at, *end; /* pieces of memory not given yet */
	/* What is recorded of it; all NULL when it is not. */
	struct twin_thread *recorder;
	uint16_t function;
	bool faults;          /* the recorded call did not come back: a fault ended the process in it */
	struct input_recording recording;
	enum { RECORD_SIZE, RECORD_BYTES, RECORD_LOST } phase;
	uint64_t stamp;
	int shows;            /* the file it writes to, when that may be standard output or error; else 0 */
	const struct iovec *pieces; /* what it writes there */
	size_t npieces;
	void *buffer;         /* the parameter that is a buffer to fill, or NULL */
	size_t buffer_size;
	void *bounce;         /* stands for `wanted`, the buffer, during the call, or NULL */
	void *wanted;
};

/* inputs_recorded.c: before the call, and after it; flags are those of inputs.def. What it brought is gone through twice: */
void record_call(struct given *g, unsigned flags);
void record_size(struct given *g, unsigned flags);  /* for the size of the record and which memory it is, */
void record_bytes(struct given *g, unsigned flags); /* then for the bytes. */
void record_end(struct given *g, uint16_t function, int error, uint64_t *result);
void record_cancelled(void *given); /* a cleanup: the thread was cancelled in the call */
/* Memory of the program that the call wrote; fresh: that nobody else knows yet. */
void record_out(struct given *g, const void *p, int64_t n);
void record_fresh(struct given *g, const void *p, int64_t n);
void record_vector(struct given *g, const struct iovec *v, size_t count, int64_t n);
void record_format(struct given *g, const char *format, va_list list, int n);
void record_mapped(void *given, uint64_t at, const void *bytes, size_t n);
void record_note(struct given *g, const void *p, uint64_t n);
void record_notes(struct given *g, const struct iovec *v, size_t count);
void record_buffer(struct given *g, const FILE *f);
void record_marks(struct given *g, const FILE *f);

/* inputs_given.c: the next piece of the record goes to that memory of the program. */
void give(struct given *g, void *to);
void give_fresh(struct given *g, void *to);
/* ... changing addresses of the recorded run to the twin's. */
void give_heard(struct given *g, void *to);
void give_heard_vector(struct given *g, const struct iovec *v, size_t count);
void give_events(struct given *g, struct epoll_event *to);
/* The next piece is where these words were in the recorded run. */
void give_note(struct given *g, const void *own);
void give_notes(struct given *g, const struct iovec *v, size_t count);
void give_buffer(struct given *g, FILE *f);
void give_marks(struct given *g, FILE *f);
void give_vector(struct given *g, const struct iovec *v, size_t count);
void give_mapped(struct given *g); /* what the call wrote to files that are mapped */
void give_format(struct given *g, const char *format, va_list list, int n);
void give_grown(struct given *g, char **at, size_t *size);
/* The call read that memory, unless the system found that it could not. */
void give_reads(const struct given *g, const void *from, int64_t size);
void give_reads_string(const struct given *g, const char *s);
void give_reads_vector(const struct given *g, const struct iovec *v, size_t count, int64_t n);
void give_shown(struct given *g, const void *from, int64_t n);
/* Standard output and error are real, but when the program is only interpreted. */
void show(int fd, const void *from, int64_t n);
void show_vector(int fd, const struct iovec *v, size_t count, int64_t n);
/* For single functions of the table: what they do instead of the call. */
ssize_t input_readlink(const char *path, char *to, size_t size);
void input_stream(FILE **f);
/* A named semaphore becomes one of the twin's own, of that value; the same one where the recorded run got the same. */
void input_semaphore(sem_t **s, int value);
void input_map(void **at, void *wanted, size_t n, int prot, int flags);
/* Bytes of mappings to write to that other processes may have, too. */
uint64_t input_shared_bytes(void);
void input_map_done(void *at, size_t n, int prot);

#endif
