/* The log file as it lies on the disk, for trace_open: its header, its chunks, and the streams they hold. */
#ifndef RETHREAD_LOG_FILE_H
#define RETHREAD_LOG_FILE_H

#include "trace/trace.h"

/* One chunk of the file, as far as it is there. */
struct piece {
	uint32_t thread, stream;
	uint64_t seq;
	bool window;
	bool cut; /* its end is not there */
	const char *payload;
	size_t size;
};

struct log {
	const char *path;
	const char *data;
	size_t size;
	uint64_t reach; /* where chunks end, one that was still being written included */
	bool cut;   /* something may be missing at the ends of streams */
	bool timed; /* there are time stamps */
	vec(struct piece) pieces;
};

/* Fails with a sentence that names the file, and what is wrong where. */
bool log_damaged(const struct log *l, struct error *err, const char *what, uint64_t where);
bool log_header(const struct log *l, struct rt_log_header *h, struct error *err);
/* All chunks, in the order of the file; then by thread, stream and seq, without copies that are not needed. */
bool log_pieces(struct log *l, struct error *err);
void log_sort(struct log *l);
bool is_same_stream(const struct piece *a, const struct piece *b);

/* streams.c: the threads of t, and what the pieces say of each. */
bool log_streams(struct log *l, struct trace *t, struct error *err);

#endif
