#include "infer/paths.h"

#include "base/interrupt.h"
#include "exe/twin.h"
#include "infer/explore.h"
#include "infer/revise.h"
#include "solve/infer.h"
#include "trace/store.h"

#include <getopt.h>
#include <jansson.h>
#include <string.h>

struct paths {
	const char *trace_name, *output;
	uint64_t most;
	double budget, start;
	struct trace *trace;
	char *twin, *dir;
};

static struct paths parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' }, { "lines", required_argument, NULL, 'l' },
		{ "budget", required_argument, NULL, 'b' }, { 0 },
	};
	struct paths p = { .most = 200, .budget = 60, .start = solver_clock() };
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'o')
			p.output = optarg;
		else if (c == 'l')
			p.most = strcmp(optarg, "all") ? strtoull(optarg, NULL, 10) : UINT64_MAX;
		else if (c == 'b')
			p.budget = strtod(optarg, NULL);
		else
			exit(EXIT_USAGE);
	}
	if (!p.output || argc - optind != 1 || !p.most)
		die(EXIT_USAGE, "rethread-infer paths is called by rethread dump");
	p.trace_name = argv[optind];
	return p;
}

static double left(const struct paths *p)
{
	double rest = p->budget - (solver_clock() - p->start);
	return rest > 0.01 ? rest : 0.01;
}

static bool is_right(const struct paths *p, const struct explore_stats *s)
{
	return !s->mismatches && !s->faults && (s->failed || p->trace->failure.kind == RT_FAIL_NONE);
}

/* Other values for the racy reads; false when there are none, or no time. */
static bool guess_again(const struct paths *p, struct explorer *e, struct execution *x, struct error *err)
{
	static const enum memory_model models[] = { MEMORY_SC, MEMORY_TSO };
	struct revised better = { 0 };
	enum infer_result result = INFER_NONE;
	for (size_t i = 0; i < 2 && result == INFER_NONE; i++) {
		struct infer_options options = infer_defaults();
		options.model = models[i];
		options.seconds = left(p);
		options.use_time = true;
		options.time_margin = p->trace->header.time_margin;
		fail(err, "the budget ended before guesses were found that lead along the recorded paths");
		revised_release(&better);
		better = (struct revised){ 0 };
		result = revise_values(x, true, &options, &better, err);
	}
	enum forced_before forced = FORCED_SAME;
	if (result == INFER_NONE)
		fail(err, "no values of racy reads lead along the recorded paths");
	bool ok = result == INFER_FOUND && forced_set(explorer_forced(e), x, better.symbols, &forced, err) &&
		  explorer_reorder(e, x, better.steps.at, better.steps.n, 0, err);
	if (ok && forced == FORCED_AGAIN)
		ok = forced_exclude(explorer_forced(e), x, better.symbols, err);
	if (ok && forced == FORCED_SAME)
		ok = fail(err, "what is known to race does not decide where the paths go");
	revised_release(&better);
	return ok;
}

/* True when the last run followed all paths to their ends. */
static bool walk(const struct paths *p, struct explorer *e, struct error *err)
{
	struct explore_stats stats = { 0 };
	for (;;) {
		struct execution x;
		if (explorer_run(e, left(p), &x, &stats, err) != EXPLORE_DONE)
			return false;
		bool right = is_right(p, &stats), again = !right && guess_again(p, e, &x, err);
		execution_release(&x);
		if (!again)
			return right;
	}
}

static bool write_result(const struct paths *p, bool complete, const struct error *why)
{
	char *found = xasprintf("%s/paths.json", p->dir);
	json_t *threads = json_load_file(found, 0, NULL);
	json_t *j = json_pack("{s:b, s:s, s:o}", "complete", complete && threads, "why", complete ? "" : why->text, "threads",
			      threads ? threads : json_array());
	bool ok = j && !json_dump_file(j, p->output, JSON_COMPACT);
	json_decref(j);
	free(found);
	return ok;
}

int paths_main(int argc, char **argv)
{
	struct error err = { "" };
	struct paths p = parse(argc, argv);
	interrupt_catch();
	char *dir = traces_find(p.trace_name, &err);
	p.trace = dir ? trace_open(dir, &err) : NULL;
	p.dir = p.trace ? temp_dir(&err) : NULL;
	if (!p.dir)
		die(EXIT_ERROR, "%s", err.text);
	p.twin = twin_extract(p.trace, p.trace->dir, &err);
	struct explorer *e = p.twin ? explorer_new_with_lines(p.trace, p.twin, p.dir, p.most, &err) : NULL;
	bool complete = e && walk(&p, e, &err);
	bool written = write_result(&p, complete, &err);
	if (e)
		explorer_free(e);
	remove_tree(p.dir, NULL);
	interrupt_end();
	if (!written)
		die(EXIT_ERROR, "cannot write %s", p.output);
	return EXIT_DONE;
}
