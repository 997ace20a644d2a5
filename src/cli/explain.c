/* The interleaving that was found, for a reader: source lines in order, thread by thread, with what they saw. */
#include "cli/causes.h"
#include "cli/cli.h"
#include "cli/cycle.h"
#include "cli/freed.h"
#include "cli/in_short.h"
#include "cli/page.h"
#include "cli/steps.h"
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
enum { WHERE = 26, COLUMN = 30, COLUMNS_MOST = 4 };

static bool are_columns(const struct steps *v)
{
	return v->threads.n <= COLUMNS_MOST;
}

static void print_head(const struct steps *v)
{
	if (!are_columns(v))
		return;
	printf("  %-*s ", WHERE, "");
	for (size_t i = 0; i < v->threads.n; i++)
		printf("%sthread %-*s%s", style.thread, i + 1 < v->threads.n ? COLUMN - 7 : 0, v->threads.at[i], style.off);
	putchar('\n');
}

/* Without its folders when it is too long: those of system headers are. */
static const char *short_place(const char *where)
{
	const char *slash = strlen(where) > WHERE ? strrchr(where, '/') : NULL;
	return slash ? slash + 1 : where;
}

static void print_step(void *data, const struct steps *v, const struct shown_step *s)
{
	const char **last = data, *thread = text(s->step, "thread");
	char what[256];
	if (s->left_out)
		printf("  %-*s (%lld other step%s)\n", WHERE, "", (long long)s->left_out, s->left_out == 1 ? "" : "s");
	if (!are_columns(v) && strcmp(thread, *last))
		printf("%sthread %s%s\n", style.thread, thread, style.off);
	*last = thread;
	steps_describe(v, s->step, what, sizeof what);
	bool access = json_object_get(s->step, "value") != NULL;
	int indent = are_columns(v) ? (int)s->column * COLUMN : 0;
	const char *colour = json_object_get(s->step, "matters") ? style.race : access ? style.quote : "";
	printf("  %-*s %*s%s%s%s\n", WHERE, short_place(text(s->step, "where")), indent, "", colour, what, *colour ? style.off : "");
}

static void print_interleaving(json_t *root, bool all)
{
	struct steps v;
	const char *last = "";
	steps_init(&v, root, all);
	print_head(&v);
	steps_show(&v, print_step, &last);
	if (!v.all)
		printf("\nSteps that the failure does not depend on, or that come long before it, are left out; --all shows them.\n");
	if (json_is_true(json_object_get(root, "nameless")))
		printf("\nThe program was built without -g: variables and members have no names here but those of the linker.\n");
	steps_release(&v);
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
	name_as_source(root, t->image);
	place_failure(root, t);
	return root;
}

/* "/bin/bank: assertion failed in thread 1:2: ..." */
static char *failure_text(const struct trace *t)
{
	char failure[700];
	failure_describe(t, &t->failure, failing_thread(t), failure, sizeof failure);
	return xasprintf("%s: %s", t->program ? t->program : "?", failure);
}

static char *figures_text(const json_t *root)
{
	long long events = number(root, "events"), threads = number(root, "threads"), switches = number(root, "switches");
	return xasprintf("An interleaving that fails this way: %lld event%s in %lld thread%s, %lld context switch%s, memory model %s.", events,
			 plural((uint64_t)events, "s"), threads, plural((uint64_t)threads, "s"), switches, plural((uint64_t)switches, "es"), text(root, "model"));
}

/* All that is said before the steps are shown. */
static void print_causes_and_reads(json_t *root, const struct trace *t)
{
	print_in_short(root, t);
	print_cycle(root, t);
	print_hangs(root, t);
	print_causes(root, t->program);
	print_summary(root, t->program);
}

static void print_all(json_t *root, const struct trace *t, bool all)
{
	char *failure = failure_text(t), *figures = figures_text(root);
	choose_style();
	puts(failure);
	if (t->failure.kind == RT_FAIL_SIGNAL && *text(root, "failed_at")) /* an assertion's message says it */
		quote_place(text(root, "failed_at"), t->program);
	putchar('\n');
	print_causes_and_reads(root, t);
	printf("%s\n\n", figures);
	print_interleaving(root, all);
	free(failure);
	free(figures);
}

/* The same as a page with a picture. What is printed elsewhere goes into it. */
static void write_page(json_t *root, const struct trace *t, bool all, const char *file)
{
	char *said = NULL, *failure = failure_text(t), *figures = figures_text(root);
	size_t size;
	FILE *terminal = stdout;
	if (!(stdout = open_memstream(&said, &size)))
		die(EXIT_ERROR, "no memory");
	print_causes_and_reads(root, t);
	fclose(stdout);
	stdout = terminal;
	struct page page = { .title = failure, .said = said, .figures = figures, .program = t->program, .root = root, .all = all };
	struct error err;
	if (!page_write(&page, file, &err))
		die(EXIT_ERROR, "%s", err.text);
	free(said);
	free(failure);
	free(figures);
}

static int explain(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' }, { "html", required_argument, NULL, 'H' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	bool all = false;
	const char *html = NULL;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;)
		switch (c) {
		case 'a':
			all = true;
			break;
		case 'H':
			html = optarg;
			break;
		default:
			usage_option(self, c, argv);
		}
	if (argc - optind > 1)
		usage_error(self, "one trace at a time");
	struct error err;
	char *dir = traces_find(argv[optind], &err);
	struct trace *t = dir ? trace_open(dir, &err) : NULL;
	if (!t)
		die(EXIT_ERROR, "%s", err.text);
	json_t *root = load_interleaving(t);
	if (html)
		write_page(root, t, all, html);
	else
		print_all(root, t, all);
	json_decref(root);
	trace_free(t);
	free(dir);
	return EXIT_DONE;
}

const struct command explain_command = {
	.name = "explain",
	.arguments = "[--all] [--html FILE] [TRACE]",
	.summary = "show the interleaving that was found, as source lines",
	.details = "  --all             every step, also those that the failure does not depend on\n"
		   "  --html FILE       write it to a page with a picture: a lane for each thread, and who read what\n"
		   "                    another had written; the page needs nothing else, so it can be sent to others\n"
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
