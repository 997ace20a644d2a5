#include "base/interrupt.h"
#include "cli/cli.h"
#include "cli/gdb.h"
#include "cli/show.h"
#include "model/schedule.h"
#include "trace/store.h"
#include "exe/twin.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay {
	const char *trace;    /* the user's word for it, or NULL */
	const char *schedule; /* NULL: the trace's own */
	long runs;
	long timeout;
	bool verbose;
	bool shake;
	bool gdb;
	const char *gdb_batch; /* file of gdb commands, or NULL */
};

static void parse(const struct command *self, struct replay *r, int argc, char **argv)
{
	static const struct option options[] = {
		{"runs", required_argument, NULL, 'n'},     {"timeout", required_argument, NULL, 't'},
		{"schedule", required_argument, NULL, 's'}, {"verbose", no_argument, NULL, 'v'},
		{"shake", no_argument, NULL, 'S'},          {"gdb", no_argument, NULL, 'g'},
		{"gdb-batch", required_argument, NULL, 'b'}, {"help", no_argument, NULL, 'h'},
		{0},
	};
	for (int c; (c = getopt_long(argc, argv, "n:vh", options, NULL)) != -1;) {
		switch (c) {
		case 'n':
			r->runs = usage_number(self, "-n", optarg, LONG_MAX);
			break;
		case 't':
			r->timeout = usage_number(self, "--timeout", optarg, 1000000);
			break;
		case 's':
			r->schedule = optarg;
			break;
		case 'v':
			r->verbose = true;
			break;
		case 'S':
			r->shake = true;
			break;
		case 'g':
			r->gdb = true;
			break;
		case 'b':
			r->gdb_batch = optarg;
			break;
		default:
			usage_option(self, c, argv);
		}
	}
	if (argc - optind > 1)
		usage_error(self, "one trace at a time");
	r->trace = argv[optind];
}

/* Absolute, since the twin runs in the recorded directory. */
static char *find_schedule(const struct replay *r, const struct trace *t)
{
	char *named = r->schedule ? xstrdup(r->schedule) : xasprintf("%s/schedule", t->dir);
	char *path = realpath(named, NULL);
	if (!path && r->schedule)
		die(EXIT_ERROR, "there is no schedule %s", named);
	if (!path)
		die(EXIT_ERROR, "%s has no schedule yet: `rethread reproduce' finds one", t->dir);
	free(named);
	return path;
}

static bool has_thread(const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (!strcmp(t->threads[i].name, name))
			return true;
	return false;
}

/* A schedule that somebody has written: mistakes in it are said before anything runs. */
static void check_schedule(const struct trace *t, const char *path)
{
	struct schedule s;
	struct error err;
	char module[2 * RT_HASH_SIZE + 1];
	if (!schedule_read(&s, path, &err))
		die(EXIT_ERROR, "%s", err.text);
	if (!schedule_check(&s, &err))
		die(EXIT_ERROR, "cannot use %s: %s", path, err.text);
	hex(t->header.module_hash, RT_HASH_SIZE, module);
	if (s.module[0] && strcmp(s.module, module))
		die(EXIT_ERROR, "cannot use %s: it is for a program of module %s, but the recorded one is %s", path, s.module, module);
	for (size_t i = 0; i < s.waits.n; i++)
		if (!has_thread(t, s.waits.at[i].thread) || !has_thread(t, s.waits.at[i].other)) {
			const struct schedule_wait *w = &s.waits.at[i];
			fprintf(stderr, "rethread: %s:%u: the recorded run had no thread %s\n", path, w->line,
				has_thread(t, w->thread) ? w->other : w->thread);
		}
	schedule_release(&s);
}

static int replay(const struct command *self, int argc, char **argv)
{
	struct replay r = {.runs = 1, .timeout = 30};
	struct error err;
	parse(self, &r, argc, argv);
	char *dir = traces_find(r.trace, &err);
	struct trace *t = dir ? trace_open(dir, &err) : NULL;
	if (!t)
		die(EXIT_ERROR, "%s", err.text);
	char *schedule = find_schedule(&r, t), *twin = twin_extract(t, t->dir, &err);
	if (!twin)
		die(EXIT_ERROR, "%s", err.text);
	if (r.schedule)
		check_schedule(t, schedule);
	if (r.gdb || r.gdb_batch)
		return gdb_replay(t, twin, schedule, r.gdb_batch);
	long reproduced = 0;
	bool quiet = r.runs > 1 && !r.verbose;
	char *why = NULL;
	interrupt_catch();
	for (long i = 0; i < r.runs; i++) {
		struct replay_result result;
		if (!twin_replay(t, twin, schedule, (unsigned)r.timeout, r.shake ? (unsigned)i + 1 : 0, quiet, &result, &err))
			die(EXIT_ERROR, "%s", err.text);
		interrupt_end();
		reproduced += result.reproduced;
		if (!result.reproduced && !why)
			why = xasprintf("run %ld: %s", i + 1, result.why);
	}
	if (why)
		printf("%s\n", why);
	printf("reproduced %ld/%ld\n", reproduced, r.runs);
	free(why);
	free(schedule);
	free(twin);
	trace_free(t);
	free(dir);
	return reproduced == r.runs ? EXIT_DONE : EXIT_NO_INTERLEAVING;
}

const struct command replay_command = {
	.name = "replay",
	.arguments = "[TRACE] [-n N] [--timeout SEC] [--schedule FILE] [--shake] [-v] [--gdb] [--gdb-batch FILE]",
	.summary = "the recorded failure again, as often as wanted",
	.details = "  -n, --runs N      so many times (default 1)\n"
		   "  --timeout SEC     a replay that takes longer has not reproduced (default 30)\n"
		   "  --schedule FILE   another schedule than the one `rethread reproduce' found\n"
		   "  --shake           threads are late at random: what the schedule leaves to chance shows\n"
		   "  -v, --verbose     show the program's output also with -n\n"
		   "  --gdb             in gdb, stopped just before the failing operation; `rethread threads' and\n"
		   "                    `rethread schedule' are gdb commands there\n"
		   "  --gdb-batch FILE  the same without asking: gdb runs to that stop, then does what FILE says\n"
		   "\n"
		   "Prints `reproduced k/N', and why the first run that did not. Exit status: 0 when every\n"
		   "run failed with the recorded signature, else 1; 4 for an error.\n",
	.run = replay,
};
