/*
 * Reading a trace (include/rethread/trace.h, docs/FORMAT.md).
 *
 *     struct error err;
 *     struct trace *t = trace_open(dir, &err);          NULL and a sentence when damaged or foreign
 *     for (uint32_t i = 0; i < t->nthreads; i++) use(&t->threads[i]);
 *     trace_free(t);
 *
 * Everything is decoded and checked in trace_open; the struct holds plain arrays. Nothing in a file, however
 * damaged, makes the reader crash. A log that ends early, anywhere, is fine: what is complete is kept.
 */
#ifndef RETHREAD_TRACE_READER_H
#define RETHREAD_TRACE_READER_H

#include "base/base.h"

#include <rethread/instrument.h>
#include <rethread/trace.h>

/* An output: values of parameters, or the text that one led to. */
struct trace_shown {
	uint32_t site;
	uint32_t parameters; /* mask; text: number of the parameter */
	const char *bytes;   /* text: not terminated; values: read them with trace_shown_value */
	uint32_t size;
	bool text;
};

/*
 * Recorded values, in order, as they were, cut to 32 bits. A few of them may come billions of times, so there is no array of all: a run is values as they are
 * in at[], from run.at on, or `period` of them that come round.
 */
struct trace_values {
	uint64_t n;
	vec(uint32_t) at;
	vec(struct values_run {
		uint64_t first; /* number of its first value, from 0 */
		size_t at;
		uint32_t period; /* 0: they do not come round */
	}) runs;
};

struct trace_thread {
	struct rt_thread info;
	char *name;              /* ancestry: "1", "1:2", ... */
	uint64_t *path;          /* slots, as in the log: read them with path_reader */
	size_t npath;
	uint64_t nbits;          /* branch bits; beyond PATH_MEASURED words an estimate */
	struct rt_order *order;  /* scheme rw: in the order of the thread, but runs that began earlier may end later */
	size_t norder;
	struct rt_sync *sync;    /* in order */
	size_t nsync;
	uint64_t sync_bytes;     /* what the entries take in the log */
	struct rt_time *times;   /* in order */
	size_t ntimes;
	const struct rt_input **inputs; /* in order; followed by their pieces of memory */
	size_t ninputs;
	struct trace_shown *shown;      /* outputs, in order */
	size_t nshown;
	char *shown_bytes;
	char *input_bytes, *unpacked;
	struct trace_values values;
	struct rt_stack stack; /* where it was when another thread failed; without frames where that is not known */
};

struct trace {
	char *dir;
	struct rt_log_header header; /* failure included */
	struct trace_thread *threads; /* by number; main is 0 */
	uint32_t nthreads;
	/* From meta.json, written by `rethread record`; empty when that is missing. */
	char *program;        /* absolute path of the executable, as it was recorded */
	char *image;          /* the file to read it from: that one, or the trace's own (store.h) where it is another by now */
	char **argv;          /* NULL-terminated */
	char **environment;   /* NULL-terminated */
	char *cwd;
	char *fail_if;        /* the predicate command or NULL */
	struct rt_failure failure; /* the verdict: the log's own, or the tool's where that is later */
};

struct trace *trace_open(const char *dir, struct error *err);
void trace_free(struct trace *t);
/* The PID of a file called "log.PID", or 0. */
long trace_log_pid(const char *name);
/* The header of the log NAME in the folder, as far as it is one: for a look before the trace is read. */
bool trace_log_header(const char *dir, const char *name, struct rt_log_header *h);

/* Why the log is not all of the run, or NULL when it is. */
const char *trace_ends_early(const struct trace *t);

/* Was it recorded by the twin? Then the addresses of its failure are the twin's. */
static inline bool trace_is_rw(const struct trace *t)
{
	return t->header.scheme == RT_SCHEME_RW || t->header.scheme == RT_SCHEME_RW_LEAP;
}

/* Thread by ancestry, or NULL. */
const struct trace_thread *trace_thread_named(const struct trace *t, const char *name);

/*
 * A piece of memory that an input wrote: the next one after `at` (NULL: the first), its size in *size; NULL when
 * there are no more.
 */
const void *trace_input_piece(const struct rt_input *input, const void *at, uint64_t *size);
/* May the call have woken other threads, at or after *time, or heard of them, before *time (inputs.def)? */
enum trace_input_time { TRACE_INPUT_TIMELESS, TRACE_INPUT_WAKES, TRACE_INPUT_HEARS };
enum trace_input_time trace_input_time(const struct rt_input *input, uint64_t *time);
/* Where a signal's handler ran, and its siginfo_t; NULL when the record is of something else. */
const struct rt_signal *trace_input_signal(const struct rt_input *input, const void **info);
/* Name of the function (inputs.def), or "?". */
const char *trace_input_name(const struct rt_input *input);
/* A function whose numbers are for the kernel alone (inputs.def, BLIND)? */
bool trace_input_is_blind(const char *function);
/* For trace_open: find the records in t->input_bytes; those below `full` must be complete. False when damaged. */
bool trace_inputs_index(struct trace_thread *t, size_t size, size_t full);

/* The next value of an output, or false when there are no more; *at is 0 at first. */
bool trace_shown_value(const struct trace_shown *s, uint32_t *at, uint64_t *value);
/* For trace_open: appends the entries of one chunk; false when damaged. */
bool trace_shown_index(struct trace_thread *t, const char *bytes, size_t size);

/* Value i < v->n. */
uint32_t trace_values_at(const struct trace_values *v, uint64_t i);
/* The first value from which on what is read often has none. */
static inline uint64_t trace_often_end(const struct trace_thread *t)
{
	return t->info.often_over ? t->info.often_over - 1 : UINT64_MAX;
}
/* How many values from there on, `most` at most, are each the same as the one so many before: quick where they come round. back <= from. */
uint64_t trace_values_repeat(const struct trace_values *v, uint64_t from, uint64_t back, uint64_t most);
/*
 * For trace_open: the entries, until there are `complete` values, or as many as there are; *used words. False when damaged. And those in the tray, behind
 * them.
 */
bool trace_values_decode(struct trace_values *v, const uint32_t *words, size_t n, uint64_t complete, size_t *used);
void trace_values_add(struct trace_values *v, const uint32_t *tray, size_t n);
void trace_values_free(struct trace_values *v);

/* Reads the bits of a path in the order they were appended. */
struct path_reader {
	const uint64_t *slot, *end; /* of the log: the next one */
	uint64_t word;              /* bits of the current word, the last one lowest */
	unsigned left;              /* how many of them are left */
	uint64_t run;               /* foretold words still to come */
	uint64_t context;           /* of the last words */
	uint64_t words, begun;      /* so far, the current one included: words, and their bits */
	struct rt_path_stage stage;
	uint64_t table[RT_PATH_TABLE];
};
void path_reader_init(struct path_reader *r, const uint64_t *slots, size_t nslots);
/* The next n <= 32 bits as a number, most significant first; -1 when the log ends before them. */
int64_t path_reader_bits(struct path_reader *r, unsigned n);
/* The same without reading them; cheap but at the end of a word. */
int64_t path_reader_peek(const struct path_reader *r, unsigned n);
/* How often the n <= 64 bits come again from here on, `most` times at most; going past them. */
uint64_t path_reader_repeats(const struct path_reader *r, uint64_t bits, unsigned n, uint64_t most);
void path_reader_skip(struct path_reader *r, uint64_t n);
/* How many bits have been read. */
uint64_t path_reader_done(const struct path_reader *r);
/* Have all bits been read? */
bool path_reader_at_end(const struct path_reader *r);

#define PATH_MEASURED (1u << 22)
/*
 * For trace_open: how many of the slots hold that many words, or as many as there are, which *words is then; a run that goes on
 * beyond them is shortened. And their bits. False when damaged.
 */
bool path_measure(uint64_t *slots, size_t size, uint64_t *words, size_t *nslots, uint64_t *nbits);
/* The words that so many bytes of a tray are: how many. */
size_t path_pack(const uint8_t *bytes, size_t n, uint64_t *words);
#define PATH_TRAY_WORDS ((RT_TRAY + RT_TRAY_SPARE) / RT_PATH_WORD + 2)

#endif
