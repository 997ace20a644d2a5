/*
 * What the log holds, decoded. Built as one JSON value; the text form prints the same value.
 */
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/show.h"
#include "cli/walk.h"
#include "exe/symbols.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct request {
	const char *trace;
	const char *thread; /* only this one, or NULL */
	const char *lines;  /* how many of each thread, "all", or NULL: none */
	const char *budget; /* seconds for walking the paths */
	bool bits;          /* paths as bits, too */
	bool json;
};

/* ---------------------------------------------------------------- the value */

static json_t *text(const char *s)
{
	json_t *j = json_string(s ? s : "?");
	return j ? j : json_string("?");
}

static json_t *sync_entries(const struct trace *t, const struct trace_thread *thread)
{
	json_t *list = json_array();
	for (size_t i = 0; i < thread->nsync; i++) {
		const struct rt_sync *s = &thread->sync[i];
		json_t *j;
		if (s->object >= RT_OBJECT_THREAD) {
			uint32_t other = s->object - RT_OBJECT_THREAD;
			j = json_pack("{s:s, s:o}", "what", s->order == 1 ? "create" : "join", "thread",
				      text(other < t->nthreads ? t->threads[other].name : "?"));
		} else {
			j = json_pack("{s:s, s:I, s:I}", "what", "acquire", "object", (json_int_t)s->object,
				      "order", (json_int_t)s->order);
		}
		if (s->object < RT_OBJECT_THREAD && !s->object)
			json_object_set_new(j, "what", json_string(s->result ? "failed" : "time"));
		if (s->result == RT_CANCELLED)
			json_object_set_new(j, "cancelled", json_true());
		else if (s->result)
			json_object_set_new(j, "result", json_integer((json_int_t)s->result));
		json_object_set_new(j, "op", json_integer((json_int_t)s->op));
		if (s->time)
			json_object_set_new(j, "time", json_integer((json_int_t)(s->time - t->header.start_time)));
		json_array_append_new(list, j);
	}
	return list;
}

/* The beginning of what was read, printable. */
static json_t *piece_value(const char *bytes, uint64_t size)
{
	char text_form[41];
	uint64_t n = size < sizeof text_form - 1 ? size : sizeof text_form - 1;
	for (uint64_t i = 0; i < n; i++)
		text_form[i] = bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '.';
	text_form[n] = 0;
	return json_pack("{s:I, s:o}", "size", (json_int_t)size, "begins", text(text_form));
}

/* Most functions return int, -1 for failure; the log has it without its sign. */
static json_int_t input_result(const struct rt_input *input)
{
	return input->result >> 31 == 1 ? (int32_t)input->result : (json_int_t)input->result;
}

/* The handler of a signal ran: where. */
static json_t *signal_entry(const struct rt_input *input, const struct rt_signal *s)
{
	static const char *const places[] = {
		[RT_SIGNAL_STEP] = "after a step or an input",
		[RT_SIGNAL_CALL] = "in a call",
		[RT_SIGNAL_PATH] = "at a branch",
		[RT_SIGNAL_FAULT] = "at the instruction that failed",
		[RT_SIGNAL_END] = "at the thread's end",
		[RT_SIGNAL_GATE] = "at a shared access point",
		[RT_SIGNAL_ANYWHERE] = "between two instructions: no place to tell came, so its path is not in the log",
	};
	const char *place = s->place && s->place < sizeof places / sizeof *places ? places[s->place] : "?";
	char name[32];
	signal_name((int)input->result, name, sizeof name);
	return json_pack("{s:s, s:s, s:i, s:s, s:I, s:I, s:i}", "function", "signal", "signal", name, "result",
			 (int)input->result, "place", place,
			 "steps", (json_int_t)s->steps, "words", (json_int_t)s->words, "bits", (int)s->bits);
}

static json_t *input_entries(const struct trace_thread *thread)
{
	json_t *list = json_array();
	for (size_t i = 0; i < thread->ninputs; i++) {
		const struct rt_input *input = thread->inputs[i];
		const void *info;
		const struct rt_signal *s = trace_input_signal(input, &info);
		if (s) {
			json_array_append_new(list, signal_entry(input, s));
			continue;
		}
		if (input->error == RT_INPUT_CANCELLED) {
			json_array_append_new(list, json_pack("{s:s, s:b}", "function", trace_input_name(input), "cancelled", 1));
			continue;
		}
		json_t *pieces = json_array();
		uint64_t size;
		for (const char *at = NULL; (at = trace_input_piece(input, at, &size));)
			if (size)
				json_array_append_new(pieces, piece_value(at, size));
		json_array_append_new(list, json_pack("{s:s, s:I, s:i, s:o}", "function", trace_input_name(input),
						      "result", input_result(input), "errno",
						      (int)input->error, "wrote", pieces));
	}
	return list;
}

/* Outputs: the values of the parameters that were recorded, and the text that one led to. */
static json_t *output_entries(const struct trace_thread *thread)
{
	json_t *list = json_array();
	for (size_t i = 0; i < thread->nshown; i++) {
		const struct trace_shown *r = &thread->shown[i];
		json_t *values = json_array();
		uint32_t at = 0;
		for (uint64_t v; !r->text && trace_shown_value(r, &at, &v);)
			json_array_append_new(values, json_integer((json_int_t)v));
		json_t *entry = json_pack("{s:I, s:o}", "site", (json_int_t)r->site, "values", values);
		if (r->text)
			json_object_set_new(entry, "text", piece_value(r->bytes, r->size));
		json_array_append_new(list, entry);
	}
	return list;
}

static char *path_text(const struct trace_thread *thread)
{
	char *bits = xmalloc(thread->nbits + 1);
	struct path_reader r;
	path_reader_init(&r, thread->path, thread->npath);
	uint64_t n = 0;
	for (; n < thread->nbits; n++) {
		int64_t bit = path_reader_bits(&r, 1);
		if (bit < 0)
			break;
		bits[n] = (char)('0' + bit);
	}
	bits[n] = 0;
	return bits;
}

/* Return addresses point behind the call; exact: the first address is the instruction itself. */
static json_t *backtrace(const uint64_t *frames, uint32_t n, bool exact, struct symbols *symbols)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n && i < RT_FRAMES; i++) {
		struct position p = {.function = "?"};
		if (!frames[i]) {
			json_array_append_new(list, json_pack("{s:s}", "function", "(outside of the program)"));
			continue;
		}
		if (symbols)
			symbols_find(symbols, frames[i] - !(exact && i == 0), &p);
		json_t *j = json_pack("{s:I, s:o}", "address", (json_int_t)frames[i], "function", text(p.function));
		if (p.file) {
			json_object_set_new(j, "file", text(p.file));
			json_object_set_new(j, "line", json_integer(p.line));
		}
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *thread_value(const struct trace *t, const struct trace_thread *thread, const json_t *paths,
			    struct symbols *symbols)
{
	char *bits = path_text(thread);
	json_t *j = json_pack("{s:o, s:I, s:I, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "name", text(thread->name), "number",
			      (json_int_t)thread->info.number, "tid", (json_int_t)thread->info.tid, "ended",
			      (int)thread->info.ended, "sync_operations", (json_int_t)thread->info.sync_done,
			      "branches", (json_int_t)thread->nbits, "values", (json_int_t)thread->nvalues,
			      "path", text(bits), "sync",
			      sync_entries(t, thread), "inputs", input_entries(thread), "outputs",
			      output_entries(thread));
	free(bits);
	if (walk_thread(paths, thread->name))
		json_object_set(j, "lines", walk_thread(paths, thread->name));
	if (thread->stack.nframes)
		json_object_set_new(j, "backtrace", backtrace(thread->stack.frames, thread->stack.nframes, true, symbols));
	return j;
}

static json_t *failure_value(const struct trace *t, struct symbols *symbols)
{
	const struct rt_failure *f = &t->failure;
	if (f->kind == RT_FAIL_NONE)
		return json_null();
	char *line = failure_line(f);
	json_t *j = json_pack("{s:s, s:o, s:o, s:o}", "kind", failure_kind_name(f->kind), "what", text(line),
			      "thread", text(failing_thread_name(t)), "backtrace",
			      backtrace(f->frames, f->nframes, f->kind == RT_FAIL_SIGNAL, symbols));
	if (f->kind == RT_FAIL_SIGNAL || f->kind == RT_FAIL_ASSERT)
		json_object_set_new(j, "signal", json_integer(f->signal));
	if (f->kind == RT_FAIL_SIGNAL && f->address != RT_NO_ADDRESS)
		json_object_set_new(j, "address", json_integer((json_int_t)f->address));
	if (f->kind == RT_FAIL_EXIT)
		json_object_set_new(j, "status", json_integer(f->status));
	free(line);
	return j;
}

static bool is_wanted(const struct request *r, const struct trace_thread *thread)
{
	bool started = thread->info.tid || !thread->info.number; /* the log of the next thread is prepared beforehand */
	return started && (!r->thread || !strcmp(r->thread, thread->name));
}

static json_t *threads_value(const struct trace *t, const struct request *r, struct symbols *symbols)
{
	struct error err;
	json_t *threads = json_array(), *paths = r->lines ? walk_paths(t, r->lines, r->budget, &err) : NULL;
	const char *why = json_string_value(json_object_get(paths, "why"));
	if (r->lines && !paths)
		warn("paths are bits, not source lines: %s", err.text);
	else if (paths && !json_is_true(json_object_get(paths, "complete")))
		warn("the lines may end early or be wrong: %s", why ? why : "?");
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (is_wanted(r, &t->threads[i]))
			json_array_append_new(threads, thread_value(t, &t->threads[i], paths, symbols));
	json_decref(paths);
	return threads;
}

static json_t *trace_value(const struct trace *t, const struct request *r)
{
	struct error err;
	char *twin = xasprintf("%s/twin", t->dir);
	const char *image = trace_is_rw(t) ? twin : t->program;
	struct symbols *symbols = image ? symbols_open(image, &err) : NULL;
	free(twin);
	if (!symbols)
		warn("%s: the backtrace has no names", t->program ? err.text : "the trace names no program");
	json_t *threads = threads_value(t, r, symbols), *argv = json_array();
	for (size_t i = 0; t->argv && t->argv[i]; i++)
		json_array_append_new(argv, text(t->argv[i]));
	json_t *j = json_pack("{s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "trace", text(t->dir), "program",
			      text(t->program), "argv", argv, "scheme", scheme_name(t->header.scheme), "complete",
			      !(t->header.flags & (RT_LOG_FULL | RT_LOG_CAP)), "failure",
			      failure_value(t, symbols), "threads", threads);
	symbols_close(symbols);
	return j;
}

/* ---------------------------------------------------------------- as text */

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

/* The path in groups of eight branches, eight groups a line. */
static void print_path(const char *bits)
{
	size_t n = strlen(bits);
	for (size_t i = 0; i < n; i++) {
		if (i % 64 == 0)
			printf("%s  path %-8zu ", i ? "\n" : "", i);
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

static void print_thread(const json_t *thread, bool bits)
{
	printf("thread %s: %lld branches, %lld synchronization operations, %s\n", get(thread, "name"),
	       number(thread, "branches"), number(thread, "sync_operations"),
	       json_is_true(json_object_get(thread, "ended")) ? "ended" : "alive at the end");
	const json_t *lines = json_object_get(thread, "lines");
	if (lines)
		walk_print(lines);
	if (!lines || bits)
		print_path(get(thread, "path"));
	if (json_object_get(thread, "backtrace")) {
		printf("  at the moment of the failure it was here:\n");
		print_backtrace(json_object_get(thread, "backtrace"));
	}
	size_t i;
	json_t *s;
	json_array_foreach(json_object_get(thread, "sync"), i, s)
		print_sync(s);
	json_array_foreach(json_object_get(thread, "inputs"), i, s) {
		if (json_object_get(s, "place")) {
			printf("  signal %s: its handler ran %s (after step %lld, word %lld, bit %lld)\n", get(s, "signal"),
			       get(s, "place"), number(s, "steps"), number(s, "words"), number(s, "bits"));
			continue;
		}
		if (json_object_get(s, "cancelled")) {
			printf("  input %s, cancelled\n", get(s, "function"));
			continue;
		}
		printf("  input %s = %lld", get(s, "function"), number(s, "result"));
		size_t k;
		json_t *piece;
		json_array_foreach(json_object_get(s, "wrote"), k, piece)
			printf(", %lld bytes \"%s\"", number(piece, "size"), get(piece, "begins"));
		putchar('\n');
	}
	json_array_foreach(json_object_get(thread, "outputs"), i, s) {
		size_t k;
		json_t *v;
		printf("  output at site %lld:", number(s, "site"));
		json_array_foreach(json_object_get(s, "values"), k, v)
			printf(" %lld", (long long)json_integer_value(v));
		if (json_object_get(s, "text"))
			printf(" \"%s\"", get(json_object_get(s, "text"), "begins"));
		putchar('\n');
	}
}

static void print_text(const json_t *j, bool bits)
{
	printf("trace %s, scheme %s%s\n", get(j, "trace"), get(j, "scheme"),
	       json_is_true(json_object_get(j, "complete")) ? "" : ", incomplete: the log ends early");
	printf("program %s\n", get(j, "program"));
	print_failure(json_object_get(j, "failure"));
	size_t i;
	json_t *thread;
	json_array_foreach(json_object_get(j, "threads"), i, thread)
		print_thread(thread, bits);
}

static struct request parse(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},	  {"lines", required_argument, NULL, 'l'},
		{"no-lines", no_argument, NULL, 'n'},	  {"thread", required_argument, NULL, 't'},
		{"budget", required_argument, NULL, 'b'}, {"bits", no_argument, NULL, 'B'},
		{"help", no_argument, NULL, 'h'},	  {0},
	};
	struct request r = {.lines = "100", .budget = "60"};
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		switch (c) {
		case 'j':
			r.json = true;
			break;
		case 'l':
			if (strcmp(optarg, "all"))
				usage_number(self, "--lines", optarg, 1000000000);
			r.lines = optarg;
			break;
		case 'n':
			r.lines = NULL;
			break;
		case 't':
			r.thread = optarg;
			break;
		case 'b':
			usage_number(self, "--budget", optarg, 1000000);
			r.budget = optarg;
			break;
		case 'B':
			r.bits = true;
			break;
		default:
			usage_option(self, c, argv);
		}
	}
	if (argc - optind > 1)
		usage_error(self, "one trace at a time");
	r.trace = argv[optind];
	return r;
}

static int dump(const struct command *self, int argc, char **argv)
{
	struct request r = parse(self, argc, argv);
	struct trace *t = open_trace(r.trace);
	if (r.thread && !trace_thread_named(t, r.thread))
		die(EXIT_USAGE, "the trace has no thread %s", r.thread);
	json_t *j = trace_value(t, &r);
	if (r.json) {
		json_dumpf(j, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	} else {
		print_text(j, r.bits);
	}
	json_decref(j);
	trace_free(t);
	return EXIT_DONE;
}

const struct command dump_command = {
	.name = "dump",
	.arguments = "[TRACE] [--lines N|all] [--no-lines] [--thread NAME] [--bits] [--budget SEC] [--json]",
	.summary = "what the log holds: paths, synchronization, inputs, the failure with backtraces",
	.details = "  --lines N         the last N source lines of each thread, a repeated part counting once\n"
		   "                    (default 100); all: every one\n"
		   "  --no-lines        do not walk the paths, which takes the program and as long as executing it takes\n"
		   "  --thread NAME     this thread only\n"
		   "  --bits            the recorded bits of the paths, too\n"
		   "  --budget SEC      for walking the paths (default 60)\n"
		   "  --json            for programs\n"
		   "\n"
		   "A thread is left where its log ends: at its failure, at its end, or at the first branch or operation\n"
		   "that it did not live to see.\n",
	.run = dump,
};
