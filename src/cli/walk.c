#include "cli/walk.h"

#include "base/interrupt.h"
#include "exe/sections.h"

#include <rethread/instrument.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool can_walk(const struct trace *t, struct error *err)
{
	if (trace_is_rw(t))
		return fail(err, "a trace of scheme rw has no paths");
	if (t->header.scheme < RT_SCHEME_PATH)
		return fail(err, "scheme base records no paths");
	if (!*t->program)
		return fail(err, "the trace does not name its program");
	if (access(t->image, R_OK))
		return fail(err, "cannot read %s: %s", t->program, strerror(errno));
	if (!sections_has(t->image, RT_SECTION_BITCODE))
		return fail(err, "%s has no bitcode, and there is no companion", t->program);
	return true;
}

static bool run_walker(char **argv, struct error *err)
{
	char *program = tool_file("rethread-infer");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execv(program, argv);
		_exit(127);
	}
	free(program);
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (interrupt_signal())
			kill(pid, interrupt_signal());
	return status == 0 || fail(err, "rethread-infer failed");
}

/* There may be very many threads. */
static void index_by_name(json_t *paths)
{
	size_t i;
	json_t *thread, *by_name = json_object();
	json_array_foreach(json_object_get(paths, "threads"), i, thread) {
		const char *name = json_string_value(json_object_get(thread, "name"));
		if (name)
			json_object_set(by_name, name, thread);
	}
	json_object_set_new(paths, "by_name", by_name);
}

json_t *walk_paths(const struct trace *t, const char *lines, const char *budget, struct error *err)
{
	char *dir = can_walk(t, err) ? temp_dir(err) : NULL;
	if (!dir)
		return NULL;
	interrupt_catch();
	char *output = xasprintf("%s/paths.json", dir);
	char *argv[] = {"paths",    "--output",     output,	"--lines", (char *)lines,
			"--budget", (char *)budget, "--", t->dir,	   NULL};
	json_t *paths = run_walker(argv, err) ? json_load_file(output, 0, NULL) : NULL;
	const char *why = json_string_value(json_object_get(paths, "why"));
	if (paths && !json_array_size(json_object_get(paths, "threads"))) {
		fail(err, "%s", why && *why ? why : "the executor found none");
		json_decref(paths);
		paths = NULL;
	}
	if (paths)
		index_by_name(paths);
	remove_tree(dir, NULL);
	interrupt_end();
	interrupt_release();
	free(output);
	free(dir);
	return paths;
}

json_t *walk_thread(const json_t *paths, const char *name)
{
	return json_object_get(json_object_get(paths, "by_name"), name);
}

/* ---------------------------------------------------------------- as text */

static long long number(const json_t *j, const char *key)
{
	return (long long)json_integer_value(json_object_get(j, key));
}

static const char *get(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));
	return s ? s : "?";
}

/* Lines that follow each other in one function share a row: "worker at p.c:3 4 5". */
static void print_lines(const json_t *lines)
{
	size_t i, row = 0;
	json_t *entry, *last = NULL;
	json_array_foreach(lines, i, entry) {
		long long period = number(entry, "repeat");
		if (period) {
			const json_t *first = (long long)i < period ? NULL : json_array_get(lines, i - (size_t)period);
			printf("%s       so far from ", last ? "\n" : "");
			if (first)
				printf("line %lld of %s", number(first, "line"), get(first, "function"));
			else
				printf("a line before these");
			printf(": %lld times in all\n", number(entry, "times"));
			last = NULL;
			continue;
		}
		bool same = last && !strcmp(get(last, "function"), get(entry, "function")) &&
			    !strcmp(get(last, "file"), get(entry, "file"));
		if (same && row < 12) {
			printf(" %lld", number(entry, "line"));
			row++;
		} else {
			printf("%s  line %s at %s:%lld", last ? "\n" : "", get(entry, "function"), get(entry, "file"),
			       number(entry, "line"));
			row = 1;
		}
		last = entry;
	}
	if (last)
		putchar('\n');
}

void walk_print(const json_t *thread)
{
	size_t i;
	json_t *frame;
	printf("  %lld lines passed%s\n", number(thread, "passed"),
	       json_is_true(json_object_get(thread, "cut")) ? "; the last of them (--lines all prints all)" : "");
	print_lines(json_object_get(thread, "lines"));
	if (number(thread, "unsure"))
		printf("  it may have been killed before the last %lld of these: the log says nothing of them\n",
		       number(thread, "unsure"));
	json_array_foreach(json_object_get(thread, "stack"), i, frame)
		printf("  %s #%zu %s at %s:%lld\n", i ? "      " : "left at", i, get(frame, "function"), get(frame, "file"),
		       number(frame, "line"));
}
