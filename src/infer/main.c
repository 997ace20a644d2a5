/*
 * rethread-infer: `rethread infer` and `rethread reproduce`. Opens the trace, lets the engines work that can do something with it
 * (engine_solve.c, engine_search.c), and keeps what the first of them finds.
 */
#include "base/interrupt.h"
#include "exe/twin.h"
#include "exe/unrecorded.h"
#include "infer/crew.h"
#include "infer/paths.h"
#include "infer/progress.h"
#include "infer/work.h"
#include "solve/solver.h"
#include "trace/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Engine search begins beside engine solve after so long, and with one processor when that has had its share. */
#define SEARCH_AFTER 5.0
#define SEARCH_AFTER_SHARE 0.25
#define SOLVE_SHARE 0.6

struct job {
	struct request request;
	struct trace *trace;
	char *twin;
	struct crew crew;
};

static void open_trace(struct job *j)
{
	struct error err;
	char *dir = traces_find(j->request.trace, &err);
	j->trace = dir ? trace_open(dir, &err) : NULL;
	if (!j->trace)
		die(EXIT_ERROR, "%s", err.text);
	if (j->trace->failure.kind == RT_FAIL_NONE && !trace_is_rw(j->trace)) /* an order can be followed to any end */
		die(EXIT_ERROR, "%s is the trace of a run that did not fail", j->trace->dir);
	j->twin = twin_extract(j->trace, j->trace->dir, &err);
	if (!j->twin)
		die(EXIT_ERROR, "%s", err.text);
}

static void run_engine(void *data, const struct crew_member *self)
{
	struct job *j = data;
	struct work w = { .request = &j->request, .trace = j->trace, .twin = j->twin, .dir = self->dir,
			  .start = solver_clock(), .seconds = self->seconds, .alone = j->crew.n == 1, .beside = self->beside,
			  .figures = { .engine = self->engine, .model = "" } };
	if (!strcmp(self->engine, "follow"))
		engine_follow(&w);
	if (!strcmp(self->engine, "search"))
		engine_search(&w);
	engine_solve(&w);
}

static void add(struct job *j, const char *engine, double after, double seconds)
{
	j->crew.members[j->crew.n++] =
		(struct crew_member){ .engine = engine, .after = after, .seconds = seconds, .run = run_engine };
}

/* Search comes soon enough to be of use, and late enough not to be in the way of what solve finds at once. */
static void add_both(struct job *j)
{
	double budget = j->request.budget, after = SEARCH_AFTER_SHARE * budget;
	bool together = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	if (!together)
		after = SOLVE_SHARE * budget;
	else if (after > SEARCH_AFTER)
		after = SEARCH_AFTER;
	add(j, "solve", 0, together ? budget : after);
	add(j, "search", after, budget - after);
}

static void choose_engines(struct job *j)
{
	const char *asked = j->request.engine;
	bool rw = trace_is_rw(j->trace), base = j->trace->header.scheme == RT_SCHEME_BASE;
	bool solve = !strcmp(asked, "solve"), search = !strcmp(asked, "search"), follow = !strcmp(asked, "follow");
	if ((rw && (solve || search)) || (!rw && follow))
		die(EXIT_USAGE, "engine %s does not work from a trace of this scheme", asked);
	if (base && !search && (solve || !j->request.prove))
		die(EXIT_ERROR, "scheme base records inputs but no paths, so there is nothing that engine solve could "
				"follow: record again with --scheme path+sync");
	if (rw)
		add(j, "follow", 0, j->request.budget);
	else if (search || base)
		add(j, "search", 0, j->request.budget);
	else if (solve || !j->request.prove)
		add(j, "solve", 0, j->request.budget);
	else
		add_both(j);
}

typedef bool put(const char *path, const void *data, size_t size, struct error *err);

static bool put_in_trace(const char *path, const void *data, size_t size, struct error *err)
{
	return replace_file(path, data, size, 0600, err); /* others may be reading the old one */
}

static bool put_out(const char *path, const void *data, size_t size, struct error *err)
{
	(void)path, (void)err;
	fwrite(data, 1, size, stdout);
	return true;
}

/* dir/from, if it is there, to where `put` brings it. */
static bool copy(const char *dir, const char *from, put *put, const char *to, struct error *err)
{
	char *path = xasprintf("%s/%s", dir, from), *data;
	size_t size;
	bool ok = true;
	if (!access(path, F_OK) && (ok = read_file(path, &data, &size, err))) {
		ok = put(to, data, size, err);
		free(data);
	}
	free(path);
	return ok;
}

static bool keep_result(const struct job *j, const struct crew_member *decided, struct error *err)
{
	char *schedule = xasprintf("%s/schedule", j->trace->dir);
	char *interleaving = xasprintf("%s/interleaving.json", j->trace->dir);
	const char *dir = decided->dir;
	bool found = decided->code == EXIT_DONE || decided->code == EXIT_UNSTEADY;
	bool ok = !found || (copy(dir, WORK_INTERLEAVING, put_in_trace, interleaving, err) &&
						 copy(dir, WORK_SCHEDULE, put_in_trace, schedule, err));
	ok = ok && (!j->request.json || copy(dir, WORK_FIGURES, write_file, j->request.json, err));
	ok = ok && copy(dir, "out", put_out, NULL, err);
	free(schedule);
	free(interleaving);
	return ok;
}

/* Addresses that stand for one object each take room, though hardly any memory (src/replay/heap.c, placed.c). */
static void limit_warn(void)
{
	const double gib = 1 << 30, enough = 20 * gib;
	struct rlimit limit;
	if (!getrlimit(RLIMIT_AS, &limit) && (double)limit.rlim_cur < enough)
		warn("address space is limited to %.1f GiB (ulimit -v): more may be found with %.0f GiB of it, most of which is only reserved",
		     (double)limit.rlim_cur / gib, enough / gib);
}

int main(int argc, char **argv)
{
	check_output_at_exit();
	umask(077); /* what goes into a trace is for its owner alone */
	if (argc && !strcmp(argv[0], "paths"))
		return paths_main(argc, argv);
	struct job j = { .request = request_parse(argc, argv) };
	struct crew_member *decided;
	open_trace(&j);
	choose_engines(&j);
	j.crew.budget = j.request.budget;
	j.crew.memory = j.request.memory ? j.request.memory : crew_memory_default();
	j.crew.data = &j;
	int code = crew_work(&j.crew, &decided);
	struct error err;
	bool kept = code >= 128 || keep_result(&j, decided, &err);
	if (code == EXIT_BUDGET || code == EXIT_ERROR) { /* these may be why */
		unrecorded_warn(j.trace->dir);
		limit_warn();
	}
	crew_release(&j.crew);
	interrupt_end();
	if (!kept)
		die(EXIT_ERROR, "%s", err.text);
	return code;
}
