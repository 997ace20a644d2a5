/* The interleaving that was found, for a reader: source lines in order, thread by thread, with what they saw. */
#include "cli/causes.h"
#include "cli/cli.h"
#include "cli/cycle.h"
#include "cli/freed.h"
#include "cli/in_short.h"
#include "cli/telling.h"
#include "cli/waits.h"
#include "cli/typed.h"
#include "trace/store.h"
#include "exe/twin.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Steps that are called what the program calls: sem_wait, free. */
static bool has_own_word(const char *kind)
{
	return !strcmp(kind, "call") || !strcmp(kind, "synchronization");
}

/* "reads x 4" in words; buffers: the memory model has them. */
static void describe(const json_t *root, const json_t *step, bool buffers, char *out, size_t size)
{
	const char *kind = text(step, "kind"), *object = text(step, "object"), *value = text(step, "value"), *is = *value ? " = " : "";
	const json_t *writer = json_object_get(step, "saw") ? step_numbered(root, number(step, "saw")) : NULL;
	if (!strcmp(kind, "read") && writer && is_free(writer)) /* what the allocator left there says nothing */
		snprintf(out, size, "reads %s, freed", object);
	else if (!strcmp(kind, "read"))
		snprintf(out, size, "reads %s%s%s", object, is, value);
	else if (is_free(step))
		snprintf(out, size, "%s %s", !strcmp(text(step, "what"), "free") ? "frees" : "reallocates",
			 *text(step, "owner") ? text(step, "owner") : object);
	else if (!strcmp(kind, "write") && json_object_get(step, "visible"))
		snprintf(out, size, "%s = %s becomes visible", object, value);
	else if (!strcmp(kind, "write"))
		snprintf(out, size, "%s %s%s%s", buffers ? "buffers" : "writes", object, is, value);
	else if (!strcmp(kind, "update"))
		snprintf(out, size, "updates %s%s%s", object, *value ? ": " : "", value);
	else if (!strcmp(kind, "end"))
		snprintf(out, size, "%s", json_is_true(json_object_get(step, "fails")) ? "FAILS" : "ends");
	else if (!strcmp(text(step, "what"), "blocks here") && *object)
		snprintf(out, size, "blocks on %s", object);
	else
		snprintf(out, size, "%s%s%s", has_own_word(kind) && *text(step, "what") ? text(step, "what") : kind, *object ? " " : "",
			 object);
}

/* ---------------------------------------------------------------- what it comes down to */

/* Did the reader's thread create the writer's between the two, and wait for its end? Then nothing else could have come of it. */
static bool is_child_between(const json_t *root, const json_t *before, const json_t *writer, const json_t *read)
{
	json_t *steps = json_object_get(root, "steps"), *s;
	size_t i;
	unsigned seen = 0;
	json_array_foreach(steps, i, s) {
		bool about = number(s, "step") > number(before, "step") && number(s, "step") < number(read, "step") &&
			     !strcmp(text(s, "thread"), text(read, "thread")) && !strcmp(text(s, "object"), text(writer, "thread"));
		seen += about && (!strcmp(text(s, "kind"), "create") || !strcmp(text(s, "kind"), "join"));
	}
	return seen == 2;
}

/* The last access of the thread to the same place before the step, if another thread wrote there since, which it need not have; or NULL. */
static json_t *look_before(const json_t *root, const json_t *read)
{
	json_t *steps = json_object_get(root, "steps"), *writer = NULL;
	for (size_t i = json_array_size(steps); i--;) {
		json_t *s = json_array_get(steps, i);
		if (number(s, "step") >= number(read, "step") || strcmp(text(s, "object"), text(read, "object")))
			continue;
		if (!strcmp(text(s, "thread"), text(read, "thread")))
			return writer && !is_child_between(root, s, writer, read) ? s : NULL;
		if (is_write(s) && !writer)
			writer = s;
	}
	return NULL;
}

/* By engine search: what the failure depends on is not known then. */
static bool is_guessed(const json_t *root)
{
	return json_is_true(json_object_get(root, "guessed"));
}

/* Was the read told of before? */
static bool is_told(const json_t *root, const json_t *read)
{
	return is_told_as_freed(root, read) || (json_is_true(json_object_get(root, "hang")) && is_told_of_hang(root, read));
}

/* Of what stood in a block that was given back, the number says nothing. */
static void print_found(const json_t *root, const json_t *read, const json_t *writer)
{
	if (writer && is_free(writer))
		return;
	/* Of an update by engine search, only what it left is known. */
	printf(is_guessed(root) && is_write(read) ? "    it made %s of it\n" : "    it found %s\n", text(read, "value"));
}

static void print_writer(const json_t *root, const json_t *asked, const json_t *writer, const char *program)
{
	if (writer) {
		printf(is_free(writer) ? "    which thread %s had freed in %s\n" : "    which thread %s had written in %s\n",
		       text(writer, "thread"), text(writer, "function"));
		quote(writer, program);
	} else if (is_guessed(root)) {
		printf("    who had written that is not known\n");
	} else if (!json_is_true(json_object_get(asked, "last"))) { /* of what does not race, not all is known */
		printf("    which nobody had written: it is the initial value\n");
	} else if (json_is_true(json_object_get(asked, "unwritten"))) {
		printf("    which nobody is known to have written before\n");
	}
}

static void print_asked(const json_t *root, const json_t *asked, const char *program)
{
	json_t *read = step_numbered(root, number(asked, "step"));
	json_t *writer = step_numbered(root, number(read, "saw")), *next = json_object_get(asked, "next");
	if (!read || is_told(root, read))
		return;
	json_t *before = look_before(root, read);
	printf("  thread %s read %s%s%s:\n", text(read, "thread"), style.race, text(read, "object"), style.off);
	print_found(root, read, writer);
	quote(read, program);
	print_writer(root, asked, writer, program);
	json_t *midway = json_object_get(asked, "midway");
	if (midway && writer && !is_free(writer))
		printf("    thread %s had %s%s%s locked for that, and had not given it up yet\n", text(writer, "thread"), style.race,
		       text(midway, "object"), style.off);
	if (before && before != writer) {
		printf("    since thread %s had looked at it or written it last, another thread has written it\n",
		       text(read, "thread"));
		quote(before, program);
	}
	json_t *waited = json_object_get(asked, "waited");
	if (waited) {
		printf("    thread %s had looked at it before it waited, and %s when it came back\n", text(read, "thread"),
		       json_is_true(json_object_get(asked, "looked")) ? "did not go back to that" : "not again");
		quote(waited, program);
	}
	if (next) {
		printf("    thread %s %s it only afterwards\n", text(next, "thread"), is_free(next) ? "frees" : "writes");
		quote(next, program);
	}
	print_owner(root, read, program);
}

/* Insides of a container that nobody has written since the thread began: they only belong to what it does with it. */
static bool is_dull(const json_t *root, const json_t *read)
{
	json_t *steps = json_object_get(root, "steps"), *s;
	size_t i;
	if (!inside_of(read))
		return false;
	json_array_foreach(steps, i, s)
		if (!strcmp(text(s, "thread"), text(read, "thread")))
			return number(read, "saw") < number(s, "step");
	return false;
}

/* Is there one of these that is about more than insides of containers? */
static bool is_any_else(const json_t *root, bool last, const json_t *but)
{
	json_t *asked = json_object_get(root, "asked"), *one;
	size_t i;
	json_array_foreach(asked, i, one) {
		json_t *read = step_numbered(root, number(one, "step"));
		if (read && read != but && json_is_true(json_object_get(one, "last")) == last && !is_dull(root, read))
			return true;
	}
	return false;
}

/* Those that the failure depends on, or those that were only read last; insides of containers behind the others. */
static void print_all_asked(const json_t *root, bool last, const char *title, const char *program)
{
	json_t *asked = json_object_get(root, "asked"), *one;
	size_t i;
	bool any = false;
	for (int insides = 0; insides < 2; insides++)
		json_array_foreach(asked, i, one) {
			json_t *read = step_numbered(root, number(one, "step"));
			if (json_is_true(json_object_get(one, "last")) != last || !read || is_told(root, read) || (inside_of(read) != NULL) != insides ||
			    (is_dull(root, read) && is_any_else(root, last, read)))
				continue;
			if (!any)
				puts(title);
			any = true;
			print_asked(root, one, program);
		}
	if (any)
		putchar('\n');
}

/* Was something that was read last read in the line that failed? Paths may be longer in the one than in the other. */
static bool is_read_where_it_failed(const json_t *root)
{
	json_t *asked = json_object_get(root, "asked"), *one;
	const char *failed = text(root, "failed_at");
	size_t i;
	json_array_foreach(asked, i, one) {
		const char *where = text(step_numbered(root, number(one, "step")), "where");
		size_t n = strlen(where), all = strlen(failed);
		if (json_is_true(json_object_get(one, "last")) && n && n <= all && !strcmp(failed + all - n, where))
			return true;
	}
	return false;
}

/* Where a run failed in no line of its own, by its exit status, what was read last says something only if that is known to rest on it. */
static bool is_last_telling(const json_t *root)
{
	return *text(root, "failed_at") || json_object_get(json_array_get(json_object_get(root, "asked"), 0), "rests");
}

static void print_summary(const json_t *root, const char *program)
{
	static const char *const last = "What the failing thread read last:";
	bool in_a_line = is_last_telling(root), first = is_read_where_it_failed(root);
	if (in_a_line && first)
		print_all_asked(root, true, last, program);
	print_all_asked(root, false, is_guessed(root) ? last : "What the failure depends on:", program);
	if (in_a_line && !first)
		print_all_asked(root, true, last, program);
}

/* ---------------------------------------------------------------- the steps */

/* Wide enough for "updates queue+8: 3 -> 4"; so many threads fit side by side. */
enum { WHERE = 26, COLUMN = 30, COLUMNS_MOST = 4, SHORT = 60 };

/* So many more that are alike are too many. */
enum { ALIKE = 4 };

/* Without its folders when it is too long: those of system headers are. */
static const char *short_place(const char *where)
{
	const char *slash = strlen(where) > WHERE ? strrchr(where, '/') : NULL;
	return slash ? slash + 1 : where;
}

struct view {
	const json_t *root;
	bool all;                /* every step */
	json_int_t from;         /* every step from this one on */
	vec(const char *) threads; /* of the steps that are shown, in order of appearance */
	bool columns;
	bool buffers;            /* stores become visible later than they happen */
};

/* What matters for the failure, and how it ends; everything when that is not much. */
static bool is_shown(const struct view *v, const json_t *step)
{
	return v->all || number(step, "step") >= v->from || json_object_get(step, "matters") ||
	       json_object_get(step, "fails");
}

static size_t column_of(const struct view *v, const char *thread)
{
	for (size_t i = 0; i < v->threads.n; i++)
		if (!strcmp(v->threads.at[i], thread))
			return i;
	return SIZE_MAX;
}

static void plan_view(struct view *v, const json_t *root, bool all)
{
	json_t *steps = json_object_get(root, "steps"), *step;
	size_t i;
	json_int_t last = number(json_array_get(steps, json_array_size(steps) - 1), "step");
	v->root = root;
	v->buffers = strcmp(text(root, "model"), "sc") != 0;
	v->all = all || json_array_size(steps) <= SHORT;
	/* Where the order of locks is all there is, the end is what there is to see. */
	v->from = json_array_size(json_object_get(root, "asked")) && !is_guessed(root) ? last + 1 : last - SHORT / 2;
	json_array_foreach(steps, i, step)
		if (is_shown(v, step) && column_of(v, text(step, "thread")) == SIZE_MAX)
			*vec_push(&v->threads) = text(step, "thread");
	v->columns = v->threads.n <= COLUMNS_MOST;
}

static void print_step(const struct view *v, json_t *step)
{
	char what[256];
	describe(v->root, step, v->buffers, what, sizeof what);
	bool access = json_object_get(step, "value") != NULL;
	int indent = v->columns ? (int)column_of(v, text(step, "thread")) * COLUMN : 0;
	const char *colour = json_object_get(step, "matters") ? style.race : access ? style.quote : "";
	printf("  %-*s %*s%s%s%s\n", WHERE, short_place(text(step, "where")), indent, "", colour, what, *colour ? style.off : "");
}

static void print_head(const struct view *v)
{
	if (!v->columns)
		return;
	printf("  %-*s ", WHERE, "");
	for (size_t i = 0; i < v->threads.n; i++)
		printf("%sthread %-*s%s", style.thread, i + 1 < v->threads.n ? COLUMN - 7 : 0, v->threads.at[i], style.off);
	putchar('\n');
}

static void print_left_out(json_int_t n)
{
	if (n > 0)
		printf("  %-*s (%lld other step%s)\n", WHERE, "", (long long)n, n == 1 ? "" : "s");
}

/* It says nothing that the step before it does not: another word of a block that is freed, or the end of a thread that is blocked. */
static bool says_nothing(const json_t *step, const json_t *before)
{
	if (!before || strcmp(text(step, "thread"), text(before, "thread")))
		return false;
	return (is_free(step) && is_free(before) && number(step, "sap") == number(before, "sap") &&
		!strcmp(text(step, "owner"), text(before, "owner"))) ||
	       (!strcmp(text(step, "kind"), "end") && is_blocked(before));
}

/* Does the same line do the same to the same place? */
static bool is_alike(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "thread", "kind", "object", "where" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(text(a, keys[i]), text(b, keys[i])))
			return false;
	return json_object_get(a, "value") && json_object_get(b, "value") && !json_object_get(a, "visible") == !json_object_get(b, "visible");
}

/* A thread that counts, or looks again and again: of many steps that are alike the first and the last are shown. Where that last one is; else `first`. */
static size_t last_alike(const struct view *v, json_t *steps, size_t first)
{
	size_t last = first, n = 0;
	for (size_t i = first + 1; i < json_array_size(steps); i++) {
		json_t *step = json_array_get(steps, i);
		if (!is_shown(v, step))
			continue;
		if (!is_alike(json_array_get(steps, first), step))
			break;
		last = i;
		n++;
	}
	return n >= ALIKE ? last : first;
}

static void print_interleaving(json_t *root, bool all)
{
	json_t *steps = json_object_get(root, "steps"), *step;
	struct view v = { 0 };
	const char *last = "";
	size_t i, until = 0; /* steps before that are left out */
	json_int_t expected = 0;
	plan_view(&v, root, all);
	print_head(&v);
	json_array_foreach(steps, i, step) {
		if (!is_shown(&v, step) || i < until)
			continue;
		if (!all && i > until)
			until = last_alike(&v, steps, i);
		const char *thread = text(step, "thread");
		json_int_t before = number(step, json_object_get(step, "before") ? "before" : "step");
		print_left_out(before - expected);
		expected = before + !json_object_get(step, "note");
		if (says_nothing(step, json_array_get(steps, i - 1)))
			continue;
		if (!v.columns && strcmp(thread, last))
			printf("%sthread %s%s\n", style.thread, thread, style.off);
		last = thread;
		print_step(&v, step);
	}
	if (!v.all)
		printf("\nSteps that the failure does not depend on, or that come long before it, are left out; --all shows them.\n");
	vec_free(&v.threads);
}

static const char *failing_thread(const struct trace *t)
{
	return t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "?";
}

/* "failed_at" of the interleaving, and the place of the step that fails: what is no access has none of its own. */
static void place_failure(json_t *root, const struct trace *t)
{
	json_t *steps = json_object_get(root, "steps"), *last = NULL;
	if (t->failure.kind != RT_FAIL_ASSERT && t->failure.kind != RT_FAIL_SIGNAL)
		return;
	char *where = t->program ? cycle_where(t, failing_thread(t)) : xstrdup("");
	for (size_t i = json_array_size(steps); *where && i-- && !last;)
		if (json_object_get(json_array_get(steps, i), "fails") &&
		    !strcmp(text(json_array_get(steps, i), "thread"), failing_thread(t)))
			last = json_array_get(steps, i);
	if (last && !*text(last, "where"))
		json_object_set_new(last, "where", json_string(where));
	json_object_set_new(root, "failed_at", json_string(where));
	free(where);
}

static json_t *load_interleaving(const struct trace *t)
{
	char *path = xasprintf("%s/interleaving.json", t->dir);
	json_error_t why;
	if (access(path, R_OK) && trace_is_rw(t))
		die(EXIT_ERROR, "%s has nothing to explain: what `rethread hunt' found is explained once `rethread reproduce' has followed it, "
				"and of `record --scheme rw' only the order is known; `rethread replay --gdb' shows it",
		    t->dir);
	if (access(path, R_OK))
		die(EXIT_ERROR, "%s has no interleaving yet: `rethread reproduce' finds one", t->dir);
	json_t *root = json_load_file(path, 0, &why);
	if (!root)
		die(EXIT_ERROR, "%s is damaged: %s; run `rethread reproduce' again", path, why.text);
	free(path);
	json_object_set_new(root, "hang", json_boolean(t->failure.kind == RT_FAIL_TIMEOUT));
	name_as_source(root, t->program);
	place_failure(root, t);
	return root;
}

static void print_failure(const json_t *root, const struct trace *t)
{
	char failure[700];
	failure_describe(t, &t->failure, failing_thread(t), failure, sizeof failure);
	printf("%s: %s\n", t->program ? t->program : "?", failure);
	if (t->failure.kind == RT_FAIL_SIGNAL && *text(root, "failed_at")) /* an assertion's message says it */
		quote_place(text(root, "failed_at"), t->program);
	putchar('\n');
}

static void print_figures(const json_t *root)
{
	long long events = number(root, "events"), threads = number(root, "threads"), switches = number(root, "switches");
	printf("An interleaving that fails this way: %lld event%s in %lld thread%s, %lld context switch%s, "
	       "memory model %s.\n\n",
	       events, plural((uint64_t)events, "s"), threads, plural((uint64_t)threads, "s"), switches, plural((uint64_t)switches, "es"),
	       text(root, "model"));
}

static int explain(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	bool all = false;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (c != 'a')
			usage_option(self, c, argv);
		all = true;
	}
	if (argc - optind > 1)
		usage_error(self, "one trace at a time");
	struct error err;
	char *dir = traces_find(argv[optind], &err);
	struct trace *t = dir ? trace_open(dir, &err) : NULL;
	if (!t)
		die(EXIT_ERROR, "%s", err.text);
	json_t *root = load_interleaving(t);
	choose_style();
	print_failure(root, t);
	print_in_short(root, t);
	print_cycle(root, t);
	print_hangs(root, t);
	print_causes(root, t->program);
	print_summary(root, t->program);
	print_figures(root);
	print_interleaving(root, all);
	json_decref(root);
	trace_free(t);
	free(dir);
	return EXIT_DONE;
}

const struct command explain_command = {
	.name = "explain",
	.arguments = "[--all] [TRACE]",
	.summary = "show the interleaving that was found, as source lines",
	.details = "  --all             every step, also those that the failure does not depend on\n"
		   "\n"
		   "First what went wrong, in a sentence or two. Then what was used after it had been freed, or freed twice; or what\n"
		   "was read before it was filled; or who came in between two accesses of a thread that belong together, where that\n"
		   "is likely to be the cause; or of a deadlock who waits for whom. Next the reads that the failure depends on, with\n"
		   "the writes that they saw; then the steps that lead there, in the order that replay enforces: synchronization and\n"
		   "the accesses that race, with the values they read and write. Where it is not known what the failure depends on\n"
		   "(of some that hunt or engine search found), the last reads of the thread that failed come first.\n"
		   "\n"
		   "Thread 1:2 is the second one that thread 1, the main thread, created. Memory in the heap is named by type and\n"
		   "member (edition.price; node#2.next where there are several) if the program was built with -g.\n",
	.run = explain,
};
