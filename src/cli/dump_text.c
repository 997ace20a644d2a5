/* dump_text.h. */
#include "cli/dump_text.h"
#include "cli/walk.h"

#include <stdio.h>
#include <string.h>

static const char *get(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));
	return s ? s : "?";
}

static long long number(const json_t *j, const char *key)
{
	return (long long)json_integer_value(json_object_get(j, key));
}

static void print_backtrace(const json_t *frames)
{
	size_t i;
	json_t *frame;
	json_array_foreach(frames, i, frame) {
		printf("  #%zu %s", i, get(frame, "function"));
		if (json_object_get(frame, "file"))
			printf(" at %s:%lld", get(frame, "file"), number(frame, "line"));
		printf("\n");
	}
}

static void print_failure(const json_t *failure)
{
	if (json_is_null(failure)) {
		printf("no failure\n");
		return;
	}
	printf("failure: %s\n  in thread %s\n", get(failure, "what"), get(failure, "thread"));
	print_backtrace(json_object_get(failure, "backtrace"));
}

/* The path in groups of eight branches, eight groups a line, of which the first is branch `first`. */
static void print_path(const char *bits, long long first)
{
	size_t n = strlen(bits);
	for (size_t i = 0; i < n; i++) {
		if (i % 64 == 0)
			printf("%s  path %-8lld ", i ? "\n" : "", first + (long long)i);
		else if (i % 8 == 0)
			putchar(' ');
		putchar(bits[i]);
	}
	if (n)
		putchar('\n');
}

static void print_sync(const json_t *s)
{
	printf("  sync %-8lld %s", number(s, "op"), get(s, "what"));
	if (json_object_get(s, "thread"))
		printf(" thread %s", get(s, "thread"));
	else if (number(s, "object"))
		printf(" object %lld, its step %lld", number(s, "object"), number(s, "order"));
	if (json_object_get(s, "result"))
		printf(", result %lld", number(s, "result"));
	if (json_object_get(s, "cancelled"))
		printf(", cancelled");
	putchar('\n');
}

static void print_input(const json_t *s)
{
	if (json_object_get(s, "place")) {
		printf("  signal %s: its handler ran %s (after step %lld, bit %lld of its path)\n", get(s, "signal"),
		       get(s, "place"), number(s, "steps"), number(s, "bits"));
		return;
	}
	if (json_object_get(s, "cancelled")) {
		printf("  input %s, cancelled\n", get(s, "function"));
		return;
	}
	printf("  input %s = %lld", get(s, "function"), number(s, "result"));
	size_t i;
	json_t *piece;
	json_array_foreach(json_object_get(s, "wrote"), i, piece)
		printf(", %lld bytes \"%s\"", number(piece, "size"), get(piece, "begins"));
	putchar('\n');
}

static void print_output(const json_t *s)
{
	size_t i;
	json_t *v;
	printf("  output at site %lld:", number(s, "site"));
	json_array_foreach(json_object_get(s, "values"), i, v)
		printf(" %lld", (long long)json_integer_value(v));
	if (json_object_get(s, "text"))
		printf(" \"%s\"", get(json_object_get(s, "text"), "begins"));
	putchar('\n');
}

static void print_list(const json_t *thread, const char *key, const char *what, void print(const json_t *entry))
{
	long long n = number(json_object_get(thread, "left_out"), key);
	if (n)
		printf("  (%lld earlier %s left out)\n", n, what);
	size_t i;
	json_t *entry;
	json_array_foreach(json_object_get(thread, key), i, entry)
		print(entry);
}

void dump_print_thread(const json_t *thread, bool bits)
{
	printf("thread %s: %lld branches, %lld synchronization operations, %s\n", get(thread, "name"),
	       number(thread, "branches"), number(thread, "sync_operations"),
	       json_is_true(json_object_get(thread, "ended")) ? "ended" : "alive at the end");
	const json_t *lines = json_object_get(thread, "lines");
	if (lines)
		walk_print(lines);
	if (!lines || bits)
		print_path(get(thread, "path"), number(json_object_get(thread, "left_out"), "path"));
	if (json_object_get(thread, "backtrace")) {
		printf("  at the moment of the failure it was here:\n");
		print_backtrace(json_object_get(thread, "backtrace"));
	}
	print_list(thread, "sync", "synchronizations", print_sync);
	print_list(thread, "inputs", "inputs", print_input);
	print_list(thread, "outputs", "outputs", print_output);
}

void dump_print_head(const json_t *j)
{
	printf("trace %s, scheme %s%s\n", get(j, "trace"), get(j, "scheme"),
	       json_is_true(json_object_get(j, "complete")) ? "" : ", incomplete: the log ends early");
	printf("program %s\n", get(j, "program"));
	print_failure(json_object_get(j, "failure"));
}
