/*
 * What the log holds, decoded. Built as JSON values; the text form (dump_text.h) prints the same.
 */
#include "cli/cli.h"
#include "cli/dump_text.h"
#include "cli/run.h"
#include "cli/show.h"
#include "cli/walk.h"
#include "exe/symbols.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MANY_LINES = 10000, /* more than anybody reads */
	FEW_BITS = 1024,    /* of a path, in the place of lines that are not to be had */
};

struct request {
	const char *trace;
	const char *thread; /* only this one, or NULL */
	const char *lines;  /* how many of each thread, "all", or NULL: none */
	const char *budget; /* seconds for walking the paths */
	bool bits;          /* paths as bits, too */
	bool json;
	uint64_t last;      /* of each list of each thread, so many; UINT64_MAX: all */
};

/* ---------------------------------------------------------------- the value */

/* How many of n come before those that are wanted. */
static uint64_t left_out(const struct request *r, uint64_t n)
{
	return n > r->last ? n - r->last : 0;
}

/* The same of the bits of a path. */
static uint64_t bits_left_out(const struct request *r, const json_t *lines, uint64_t n)
{
	bool few = r->lines && !lines && !r->bits && !r->json && r->last > FEW_BITS && n > FEW_BITS;
	return few ? n - FEW_BITS : left_out(r, n);
}

static json_t *text(const char *s)
{
	json_t *j = json_string(s ? s : "?");
	return j ? j : json_string("?");
}

static json_t *sync_entries(const struct trace *t, const struct trace_thread *thread, const struct request *r)
{
	json_t *list = json_array();
	for (size_t i = left_out(r, thread->nsync); i < thread->nsync; i++) {
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
		[RT_SIGNAL_LOST] = "at the instruction that failed; the path of its handler is not in the log",
	};
	const char *place = s->place && s->place < sizeof places / sizeof *places ? places[s->place] : "?";
	char name[32];
	signal_name((int)input->result, name, sizeof name);
	return json_pack("{s:s, s:s, s:i, s:s, s:I, s:I}", "function", "signal", "signal", name, "result",
			 (int)input->result, "place", place,
			 "steps", (json_int_t)s->steps, "bits", (json_int_t)s->bits);
}

static json_t *input_entries(const struct trace_thread *thread, const struct request *r)
{
	json_t *list = json_array();
	for (size_t i = left_out(r, thread->ninputs); i < thread->ninputs; i++) {
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
static json_t *output_entries(const struct trace_thread *thread, const struct request *r)
{
	json_t *list = json_array();
	for (size_t i = left_out(r, thread->nshown); i < thread->nshown; i++) {
		const struct trace_shown *shown = &thread->shown[i];
		json_t *values = json_array();
		uint32_t at = 0;
		for (uint64_t v; !shown->text && trace_shown_value(shown, &at, &v);)
			json_array_append_new(values, json_integer((json_int_t)v));
		json_t *entry = json_pack("{s:I, s:o}", "site", (json_int_t)shown->site, "values", values);
		if (shown->text)
			json_object_set_new(entry, "text", piece_value(shown->bytes, shown->size));
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *path_text(const struct trace_thread *thread, uint64_t first)
{
	uint64_t n = 0;
	char *bits = xmalloc(thread->nbits - first + 1);
	struct path_reader reader;
	path_reader_init(&reader, thread->path, thread->npath);
	for (uint64_t i = 0; i < thread->nbits; i++) {
		int64_t bit = path_reader_bits(&reader, 1);
		if (bit < 0)
			break;
		if (i >= first)
			bits[n++] = (char)('0' + bit);
	}
	bits[n] = 0;
	json_t *j = text(bits);
	free(bits);
	return j;
}

/* How much of each list `--last` leaves out. */
static json_t *left_out_value(const struct trace_thread *thread, const struct request *r, uint64_t bits)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "path", (json_int_t)bits, "sync",
			 (json_int_t)left_out(r, thread->nsync), "inputs", (json_int_t)left_out(r, thread->ninputs),
			 "outputs", (json_int_t)left_out(r, thread->nshown));
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

/* Programs get the path always, people when it has no lines or they ask for it: a character for each branch is much. */
static bool shows_path(const struct request *r, const json_t *lines)
{
	return r->json || r->bits || !lines;
}

static json_t *thread_value(const struct trace *t, const struct trace_thread *thread, const struct request *r,
			    const json_t *paths, struct symbols *symbols)
{
	json_t *lines = walk_thread(paths, thread->name);
	uint64_t bits = bits_left_out(r, lines, thread->nbits);
	json_t *path = shows_path(r, lines) ? path_text(thread, bits) : json_string("");
	json_t *j = json_pack("{s:o, s:I, s:I, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "name", text(thread->name), "number",
			      (json_int_t)thread->info.number, "tid", (json_int_t)thread->info.tid, "ended",
			      (int)thread->info.ended, "sync_operations", (json_int_t)thread->info.sync_done,
			      "branches", (json_int_t)thread->nbits, "values", (json_int_t)thread->values.n, "path", path,
			      "sync", sync_entries(t, thread, r), "inputs", input_entries(thread, r), "outputs",
			      output_entries(thread, r));
	if (r->last != UINT64_MAX || bits)
		json_object_set_new(j, "left_out", left_out_value(thread, r, bits));
	if (lines)
		json_object_set(j, "lines", lines);
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

/* Everything but the threads. */
static json_t *trace_value(const struct trace *t, struct symbols *symbols)
{
	json_t *argv = json_array();
	for (size_t i = 0; t->argv && t->argv[i]; i++)
		json_array_append_new(argv, text(t->argv[i]));
	return json_pack("{s:o, s:o, s:o, s:s, s:b, s:o}", "trace", text(t->dir), "program", text(t->program), "argv", argv,
			 "scheme", scheme_name(t->header.scheme), "complete",
			 !trace_ends_early(t), "failure", failure_value(t, symbols));
}

/* ---------------------------------------------------------------- the command */

static struct symbols *open_symbols(const struct trace *t)
{
	struct error err;
	char *twin = xasprintf("%s/twin", t->dir);
	const char *image = trace_is_rw(t) ? twin : t->image;
	struct symbols *symbols = *image ? symbols_open(image, &err) : NULL;
	free(twin);
	if (!symbols)
		warn("%s: the backtrace has no names", *image ? err.text : "the trace does not name its program");
	return symbols;
}

/* NULL: not wanted, or not to be had. */
static json_t *find_lines(const struct trace *t, const struct request *r)
{
	struct error err;
	json_t *paths = r->lines ? walk_paths(t, r->lines, r->budget, &err) : NULL;
	const char *why = json_string_value(json_object_get(paths, "why"));
	if (r->lines && !paths)
		warn("paths are bits, not source lines%s: %s",
		     r->bits || r->json ? "" : ", the last of them (--bits: all)", err.text);
	else if (paths && !json_is_true(json_object_get(paths, "complete")))
		warn("the lines may end early or be wrong: %s", why ? why : "?");
	return paths;
}

/* Somebody who looks at a terminal is told before very much comes. */
static void warn_of_length(const struct trace *t, const struct request *r, const json_t *paths)
{
	uint64_t lines = 0;
	for (uint32_t i = 0; i < t->nthreads; i++) {
		const struct trace_thread *thread = &t->threads[i];
		if (!is_wanted(r, thread))
			continue;
		const json_t *walked = walk_thread(paths, thread->name);
		uint64_t bits = shows_path(r, walked) ? thread->nbits - bits_left_out(r, walked, thread->nbits) : 0;
		lines += thread->nsync - left_out(r, thread->nsync) + thread->ninputs - left_out(r, thread->ninputs) +
			 thread->nshown - left_out(r, thread->nshown) + bits / 64;
	}
	if (lines > MANY_LINES && isatty(STDOUT_FILENO))
		warn("about %llu lines follow; --last N shows the last N of each kind, --thread NAME one thread's, rethread info what there is",
		     (unsigned long long)lines);
}

/* One thread after the other, since all of them may be more than memory holds. */
static void show_text(const struct trace *t, const struct request *r, const json_t *paths, struct symbols *symbols)
{
	json_t *head = trace_value(t, symbols);
	dump_print_head(head);
	json_decref(head);
	for (uint32_t i = 0; i < t->nthreads; i++) {
		if (!is_wanted(r, &t->threads[i]))
			continue;
		json_t *thread = thread_value(t, &t->threads[i], r, paths, symbols);
		dump_print_thread(thread, r->bits);
		json_decref(thread);
	}
}

static void show_json(const struct trace *t, const struct request *r, const json_t *paths, struct symbols *symbols)
{
	json_t *j = trace_value(t, symbols), *threads = json_array();
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (is_wanted(r, &t->threads[i]))
			json_array_append_new(threads, thread_value(t, &t->threads[i], r, paths, symbols));
	json_object_set_new(j, "threads", threads);
	json_dumpf(j, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(j);
}

static struct request parse(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},	  {"lines", required_argument, NULL, 'l'},
		{"no-lines", no_argument, NULL, 'n'},	  {"thread", required_argument, NULL, 't'},
		{"budget", required_argument, NULL, 'b'}, {"bits", no_argument, NULL, 'B'},
		{"last", required_argument, NULL, 'L'},	  {"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request r = {.lines = "100", .budget = "60", .last = UINT64_MAX};
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
		case 'L':
			r.last = (uint64_t)usage_number(self, "--last", optarg, 1000000000);
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
	if (trace_ends_early(t))
		warn("the log ends early: %s", trace_ends_early(t));
	struct symbols *symbols = open_symbols(t);
	json_t *paths = find_lines(t, &r);
	warn_of_length(t, &r, paths);
	(r.json ? show_json : show_text)(t, &r, paths, symbols);
	json_decref(paths);
	symbols_close(symbols);
	trace_free(t);
	return EXIT_DONE;
}

const struct command dump_command = {
	.name = "dump",
	.arguments = "[TRACE] [--lines N|all] [--no-lines] [--thread NAME] [--last N] [--bits] [--budget SEC] [--json]",
	.summary = "what the log holds: paths, synchronization, inputs, the failure with backtraces",
	.details = "  --lines N         the last N source lines of each thread, a repeated part counting once\n"
		   "                    (default 100); all: every one\n"
		   "  --no-lines        do not walk the paths, which takes the program and as long as executing it takes\n"
		   "  --thread NAME     this thread only\n"
		   "  --last N          of each thread the last N synchronizations, inputs, outputs and bits only\n"
		   "  --bits            the recorded bits of the paths, too\n"
		   "  --budget SEC      for walking the paths (default 60)\n"
		   "  --json            for programs\n"
		   "\n"
		   "A thread is left where its log ends: at its failure, at its end, or at the first branch or operation\n"
		   "that it did not live to see.\n",
	.run = dump,
};
