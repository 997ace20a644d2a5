/* The interleaving that was found, for a reader: source lines in order, thread by thread, with what they saw. */
#include "cli/cli.h"
#include "trace/store.h"
#include "exe/twin.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Colours, empty when the output is not a terminal. */
static struct {
	const char *thread, *race, *off;
} style = { "", "", "" };

static const char *text(json_t *step, const char *key)
{
	const char *s = json_string_value(json_object_get(step, key));
	return s ? s : "";
}

/* "reads x 4" in words. */
static void describe(json_t *step, char *out, size_t size)
{
	const char *kind = text(step, "kind"), *object = text(step, "object"), *value = text(step, "value");
	if (!strcmp(kind, "read"))
		snprintf(out, size, "reads %s = %s", object, value);
	else if (!strcmp(kind, "write"))
		snprintf(out, size, "writes %s = %s", object, value);
	else if (!strcmp(kind, "update"))
		snprintf(out, size, "updates %s: %s", object, value);
	else if (!strcmp(kind, "end"))
		snprintf(out, size, "%s", json_is_true(json_object_get(step, "fails")) ? "FAILS" : "ends");
	else
		snprintf(out, size, "%s %s", kind, object);
}

static void print_step(json_t *step)
{
	char what[256];
	describe(step, what, sizeof what);
	bool access = json_object_get(step, "value") != NULL;
	printf("    %-28s %-24s %s%s%s\n", text(step, "where"), text(step, "function"), access ? style.race : "",
	       what, access ? style.off : "");
}

static void print_interleaving(json_t *root)
{
	json_t *steps = json_object_get(root, "steps"), *step;
	const char *last = "";
	size_t i;
	json_array_foreach(steps, i, step) {
		const char *thread = text(step, "thread");
		if (strcmp(thread, last))
			printf("%sthread %s%s\n", style.thread, thread, style.off);
		last = thread;
		print_step(step);
	}
	json_int_t left_out = json_integer_value(json_object_get(root, "left_out"));
	if (left_out)
		printf("(%lld steps that are far from any change of thread are left out)\n", (long long)left_out);
}

static int explain(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;)
		usage_option(self, c, argv);
	if (argc - optind > 1)
		usage_error(self, "one trace at a time");
	struct error err;
	char *dir = traces_find(argv[optind], &err);
	struct trace *t = dir ? trace_open(dir, &err) : NULL;
	if (!t)
		die(EXIT_ERROR, "%s", err.text);
	char *path = xasprintf("%s/interleaving.json", t->dir);
	json_error_t why;
	if (access(path, R_OK))
		die(EXIT_ERROR, "%s has no interleaving yet: `rethread reproduce' finds one", t->dir);
	json_t *root = json_load_file(path, 0, &why);
	if (!root)
		die(EXIT_ERROR, "%s is damaged: %s; run `rethread reproduce' again", path, why.text);
	if (isatty(STDOUT_FILENO)) {
		style.thread = "\033[1m";
		style.race = "\033[33m";
		style.off = "\033[0m";
	}
	char failure[700];
	const char *thread = t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "?";
	failure_describe(t, &t->failure, thread, failure, sizeof failure);
	printf("%s: %s\n\n", t->program ? t->program : "?", failure);
	printf("An interleaving that fails this way: %lld events in %lld threads, %lld context switches, "
	       "memory model %s.\n\n",
	       (long long)json_integer_value(json_object_get(root, "events")),
	       (long long)json_integer_value(json_object_get(root, "threads")),
	       (long long)json_integer_value(json_object_get(root, "switches")), text(root, "model"));
	print_interleaving(root);
	json_decref(root);
	trace_free(t);
	return EXIT_DONE;
}

const struct command explain_command = {
	.name = "explain",
	.arguments = "[TRACE]",
	.summary = "show the interleaving that was found, as source lines",
	.details = "Prints the events of all threads in the order that replay enforces: synchronization and the\n"
		   "accesses that race, with the values they read and write.\n",
	.run = explain,
};
