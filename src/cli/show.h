/*
 * What `info`, `ls` and `dump` say about a trace.
 */
#ifndef RETHREAD_SHOW_H
#define RETHREAD_SHOW_H

#include "trace/trace.h"

/* "path+sync", ...: names of enum rt_scheme. */
const char *scheme_name(uint32_t scheme);

/* The failing thread's ancestry, or "?". */
const char *failing_thread_name(const struct trace *t);

/* Seconds the run took, or a negative number when its end is not in the log. */
double trace_seconds(const struct trace *t);

/* Wall-clock time of the recording, local, "2024-11-15 11:22:33". */
void trace_when(const struct trace *t, char *text, size_t size);

/* Bytes of all files of the trace. */
uint64_t trace_bytes(const struct trace *t);

/* Open the trace the user means (trace/store.h) or die. */
struct trace *open_trace(const char *name);

/* n bytes as 2 n hexadecimal digits and an end. */
void hex(const uint8_t *bytes, size_t n, char *text);

#endif
