#include "cli/cli.h"
#include "trace/exec.h"
#include "cli/hunt.h"
#include "cli/libraries.h"
#include "cli/margin.h"
#include "cli/run.h"
#include "trace/image.h"
#include "trace/store.h"
#include "exe/demangle.h"
#include "exe/report.h"
#include "exe/sections.h"
#include "exe/symbols.h"
#include "exe/unrecorded.h"

#include <rethread/instrument.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status when the program had to be ended: it has none of its own. The one of timeout(1). */
enum { STATUS_ENDED = 124 };

struct record {
	struct run_options run;
	const char *output;   /* -o, or NULL */
	bool quiet;           /* -q: no word about runs that went as they should */
	bool until_failure;
	long runs;
	long done;            /* runs so far, in repeat */
	off_t input_start;    /* of standard input, when it is a file */
	bool input_warned;    /* ... or a pipe, which was said */
	char *dir;            /* of the current run */
	int held;             /* its trace_hold */
	bool lost;            /* what makes it a trace could not be written */
	bool nothing;         /* the last run left nothing to keep: a runner, of whose programs none failed */
	struct exec_command other; /* what its process has become by exec; without argv: nothing else */
	char *twin;           /* scheme rw: the file's contents, which every trace gets */
	size_t twin_size;
	struct hunt *hunt;    /* of `rethread hunt', else NULL */
};

/* ---------------------------------------------------------------- arguments */

/* The schemes that the twin records. */
static bool is_rw(const char *s)
{
	return s && (!strcmp(s, "rw") || !strcmp(s, "rw:leap"));
}

static bool is_scheme(const char *s)
{
	return !strcmp(s, "base") || !strcmp(s, "path") || !strcmp(s, "path+sync") || is_rw(s);
}

/* Room for the log's header at least, and a number that the recorder takes. */
static bool is_size(const char *s)
{
	static const char units[] = "KMG";
	size_t digits = strspn(s, "0123456789");
	const char *unit = s[digits] ? strchr(units, toupper(s[digits])) : NULL;
	if (!digits || digits > 18 || (s[digits] && (!unit || s[digits + 1])))
		return false;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	uint64_t n = strtoull(s, NULL, 10);
	return n <= UINT64_MAX >> shift && n << shift >= RT_PAGE;
}

static void parse(const struct command *self, struct record *r, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},  {"scheme", required_argument, NULL, 's'},
		{"until-failure", no_argument, NULL, 'u'}, {"runs", required_argument, NULL, 'r'},
		{"timeout", required_argument, NULL, 't'}, {"max-log", required_argument, NULL, 'm'},
		{"fail-if", required_argument, NULL, 'f'}, {"quiet", no_argument, NULL, 'q'},
		{"no-env", no_argument, NULL, 'e'},	   {"no-output", no_argument, NULL, 'n'},
		{"all-values", no_argument, NULL, 'a'},
		{"shake", no_argument, NULL, 'S'},	   {"seed", required_argument, NULL, 'd'},
		{"children", no_argument, NULL, 'c'},	   {"help", no_argument, NULL, 'h'},
		{0},
	};
	for (int c; (c = getopt_long(argc, argv, "+o:qh", options, NULL)) != -1;) {
		switch (c) {
		case 'q':
			r->quiet = true;
			break;
		case 'e':
			r->run.no_env = true;
			break;
		case 'o':
			r->output = optarg;
			break;
		case 's':
			if (!is_scheme(optarg))
				usage_error(self, "there is no scheme `%s'; schemes: path+sync, path, base, rw, rw:leap", optarg);
			r->run.scheme = optarg;
			break;
		case 'u':
			r->until_failure = true;
			break;
		case 'r':
			r->runs = usage_number(self, "--runs", optarg, LONG_MAX);
			break;
		case 't':
			r->run.timeout = usage_number(self, "--timeout", optarg, 1000000000);
			break;
		case 'm':
			if (!is_size(optarg))
				usage_error(self, "--max-log takes bytes, at least 4096, or a number and K, M or G, not `%s'",
					    optarg);
			r->run.max_log = optarg;
			break;
		case 'f':
			if (!*optarg)
				usage_error(self, "--fail-if takes a command");
			r->run.fail_if = optarg;
			break;
		case 'n':
			r->run.no_output = true;
			break;
		case 'a':
			r->run.all_values = true;
			break;
		case 'd':
			if (!r->hunt)
				usage_error(self, "--seed is for `rethread hunt'");
			r->hunt->seed = (uint64_t)usage_number(self, "--seed", optarg, LONG_MAX);
			break;
		case 'S':
			r->run.shake = true;
			break;
		case 'c':
			r->run.runner = true;
			break;
		default:
			usage_option(self, c, argv);
		}
	}
	if (optind == argc)
		usage_error(self, "which program?");
	if (r->hunt && (r->run.shake || strcmp(r->run.scheme, "rw")))
		usage_error(self, "a hunt records scheme rw, and shakes in its own way");
	if (r->run.shake && !is_rw(r->run.scheme))
		usage_error(self, "--shake goes with --scheme rw or rw:leap");
	if (r->runs && !r->until_failure)
		usage_error(self, "--runs says how often --until-failure tries: give both");
	r->run.argv = argv + optind;
}

/* As the shell finds a program; malloc'ed absolute path or NULL. */
static char *find_program(const char *name)
{
	if (strchr(name, '/'))
		return realpath(name, NULL);
	const char *path = getenv("PATH");
	for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; p; p = strchr(p, ':')) {
		p += *p == ':';
		size_t n = strcspn(p, ":");
		char *try = xasprintf("%.*s/%s", (int)(n ? n : 1), n ? p : ".", name);
		struct stat st;
		char *found = NULL;
		if (!access(try, X_OK) && !stat(try, &st) && S_ISREG(st.st_mode))
			found = realpath(try, NULL);
		free(try);
		if (found)
			return found;
	}
	errno = ENOENT;
	return NULL;
}

/* As those that libtool puts in the place of programs which it has not installed yet. */
static bool is_script(const char *path)
{
	char head[2] = "";
	FILE *f = fopen(path, "re");
	bool is = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "#!", sizeof head);
	if (f)
		fclose(f);
	return is;
}

static void check_program(struct record *r)
{
	const char *name = r->run.argv[0];
	r->run.program = find_program(name);
	if (!r->run.program || access(r->run.program, X_OK)) {
		int error = errno;
		bool is_here = !strchr(name, '/') && !access(name, X_OK); /* as for a shell, that is not enough */
		die(EXIT_ERROR, is_here ? "cannot run %s: it is not in PATH; this folder's is ./%s" : "cannot run %s: %s", name,
		    is_here ? name : strerror(error));
	}
	if (sections_has(r->run.program, RT_SECTION_BITCODE)) {
		libraries_warn_changed(r->run.program);
		r->run.runner = false;
		return;
	}
	if (!r->run.runner && !is_script(r->run.program))
		die(EXIT_ERROR, "%s was not built by rethread: build it with `rethread cc' (or CC=rethread-cc), "
				"then record again; --children, if it starts programs that were", r->run.program);
	r->run.runner = true;
	if (is_rw(r->run.scheme))
		die(EXIT_ERROR, "%s was not built by rethread: scheme rw and `rethread hunt' need the program itself, which it starts", r->run.program);
}

static void load_twin(struct record *r)
{
	struct error err;
	uint8_t id[RT_BUILD_ID_SIZE];
	char *hex = xcalloc(2 * sizeof id + 1, 1);
	struct symbols *s = symbols_open(r->run.program, &err);
	if (!s || !sections_read(r->run.program, RT_SECTION_TWIN, &r->twin, &r->twin_size, &err))
		die(EXIT_ERROR, "%s", err.text);
	size_t n = symbols_build_id(s, id, sizeof id);
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	symbols_close(s);
	r->run.build_id = hex;
}

/* ---------------------------------------------------------------- one run */

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	size_t entries = 0;
	while (d && readdir(d))
		entries++;
	if (d)
		closedir(d);
	return entries <= 2;
}

static void make_trace_dir(struct record *r)
{
	struct error err;
	free(r->dir);
	r->dir = r->output ? xstrdup(r->output) : traces_new(r->run.argv[0], (unsigned long)r->done + 1);
	if (!make_dirs(r->dir, &err))
		die(EXIT_ERROR, "%s", err.text);
	if (!is_empty(r->dir))
		die(EXIT_ERROR, "%s exists and is not empty: give -o another directory", r->dir);
	char *absolute = realpath(r->dir, NULL);
	free(r->dir);
	r->dir = absolute;
	if (r->held >= 0)
		close(r->held);
	r->held = r->dir ? trace_hold(r->dir) : -1;
	if (!r->dir || strchr(r->dir, ','))
		die(EXIT_ERROR, "a trace cannot be in a directory with a comma in its name: %s; use -o",
		    r->dir ? r->dir : "?");
}

static void put_twin(struct record *r)
{
	struct error err;
	free((char *)r->run.twin);
	r->run.twin = xasprintf("%s/twin", r->dir);
	if (!replace_file(r->run.twin, r->twin, r->twin_size, 0700, &err))
		die(EXIT_ERROR, "%s", err.text);
}

/* A log may fill the disk: what meta.json will need is put aside before. */
static char *reserve_room(const struct record *r)
{
	size_t size = 16 << 10;
	for (char **e = environ; *e; e++)
		size += strlen(*e) + 16;
	for (char **a = r->run.argv; *a; a++)
		size += strlen(*a) + 16;
	char *path = xasprintf("%s/reserved", r->dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0) {
		posix_fallocate(fd, 0, (off_t)size);
		close(fd);
	}
	return path;
}

static void drop_run(const struct record *r)
{
	struct error err;
	if (!remove_tree(r->dir, &err))
		warn("%s", err.text);
}

static void one_run(struct record *r, struct run_result *result)
{
	struct error err;
	make_trace_dir(r);
	if (r->twin)
		put_twin(r);
	if (r->hunt && !hunt_prepare(r->hunt, r->dir, (unsigned long)r->done, &err))
		die(EXIT_ERROR, "%s", err.text);
	char *reserved = reserve_room(r);
	bool ran = run_recorded(&r->run, r->dir, result, &err);
	unlink(reserved);
	free(reserved);
	if (!ran)
		die(EXIT_ERROR, "%s", err.text);
	exec_release(&r->other);
	bool other = exec_read(&r->other, r->dir, result->pid);
	exec_forget(r->dir);
	r->done++;
	r->nothing = r->run.runner && !result->logged;
	if (r->nothing)
		return;
	/* The program has run, and its status is handed on all the same. */
	r->lost = !run_write_meta(&r->run, r->dir, result, other ? &r->other : NULL, &err);
	if (r->lost && r->until_failure && result->failure.kind == RT_FAIL_NONE)
		die(EXIT_ERROR, "%s", err.text); /* later runs would be for nothing */
	if (r->lost)
		warn("there is no trace of this run: %s", err.text);
	else if (!r->until_failure || result->failure.kind != RT_FAIL_NONE)
		trace_keep_image(r->dir, other ? r->other.program : r->run.program);
	if (r->hunt)
		hunt_finish(r->hunt, r->dir, result->failure.kind != RT_FAIL_NONE);
}

static void progress(const struct record *r, bool last)
{
	if (!isatty(2) || r->quiet)
		return;
	fprintf(stderr, "\r\033[Krethread: run %ld/%ld, no failure yet", r->done, r->runs);
	if (last)
		fputs("\r\033[K", stderr);
}

/*
 * Every run is to find the same standard input. A file is read again from where it stood; what a run took from a pipe is
 * gone, and the reader is told.
 */
static void rewind_input(struct record *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	struct stat st;
	if (!r->until_failure || fstat(STDIN_FILENO, &st))
		return;
	if (S_ISREG(st.st_mode) && !r->done)
		r->input_start = lseek(STDIN_FILENO, 0, SEEK_CUR);
	else if (S_ISREG(st.st_mode))
		lseek(STDIN_FILENO, r->input_start, SEEK_SET);
	if ((S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) && !r->input_warned && poll(&in, 1, 0) > 0 && in.revents & POLLIN) {
		warn("standard input is a pipe: what one run reads of it the next ones do not find; give it as a file (< FILE)");
		r->input_warned = true;
	}
}

/* ---------------------------------------------------------------- the end */

/* Functions that the link found and that no table has: what they bring in is not in the log. A library can have hundreds. */
static void warn_unknown(const struct record *r)
{
	enum { NAMED = 8 };
	struct report report;
	struct error err;
	char *names = xstrdup("");
	size_t n = 0;
	if (!report_read(&report, r->other.argv ? r->other.program : r->run.program, &err))
		return; /* the program is of an earlier version */
	for (size_t i = 0; i < report.lines.n; i++) {
		const struct report_line *l = &report.lines.at[i];
		if (!report_is(l, "external") || strcmp(l->field[1], "unknown") || n++ >= NAMED)
			continue;
		char *name = demangle(l->field[3]), *more = xasprintf("%s%s%s", names, *names ? ", " : "", name);
		free(name);
		free(names);
		names = more;
	}
	if (n > NAMED)
		warn("what these functions from outside do to shared memory, and what they bring in, is not recorded: %s, and %zu more, which `rethread analyze' names",
		     names, n - NAMED);
	else if (n)
		warn("what these functions from outside do to shared memory, and what they bring in, is not recorded: %s", names);
	free(names);
	report_release(&report);
}

static void report(const struct record *r, const struct run_result *result)
{
	const struct rt_failure *f = &result->failure;
	if (!result->logged)
		warn("%s wrote no log: was it started without its runtime, or is the disk full?",
		     r->run.program);
	else if (result->log.flags & (RT_LOG_FULL | RT_LOG_CAP))
		warn("the log ends early: %s",
		     result->log.flags & RT_LOG_CAP ? "--max-log was reached"
		     : result->log.flags & RT_LOG_BARRED ? "the program forbade the system calls that writing it takes (seccomp)" : "the disk is full");
	char *what = failure_line(f);
	char run[48] = "", child[64] = "";
	if (r->until_failure)
		snprintf(run, sizeof run, "run %ld: ", r->done);
	if (result->log.flags & RT_LOG_CHILD)
		snprintf(child, sizeof child, "process %d, which was forked: ", (int)result->pid);
	else if (result->started)
		snprintf(child, sizeof child, "%.40s, process %d: ", r->other.argv ? r->other.argv[0] : "?", (int)result->pid);
	if (!r->quiet) {
		warn_unknown(r);
		unrecorded_warn(r->dir);
		fprintf(stderr, "rethread: %s%s%s\nrethread: trace: %s\n", run, child, what, r->dir);
	}
	free(what);
}

/* End as the program did: same status, same signal. more: the search for a failure was not over. */
static int end_alike(const struct run_result *result, bool more)
{
	uint32_t kind = result->failure.kind;
	bool by_itself = result->started && WIFEXITED(result->status); /* a runner, when one of its processes was ended */
	if ((kind == RT_FAIL_DEADLOCK || kind == RT_FAIL_TIMEOUT) && !by_itself)
		return STATUS_ENDED;
	/* A signal between two runs of --until-failure is for us; so is one that ends the search when the run itself ended well. */
	bool ours = run_signal() && (!result->interrupted || (more && !result->status));
	if (!ours && !WIFSIGNALED(result->status))
		return WEXITSTATUS(result->status);
	int sig = ours ? run_signal() : WTERMSIG(result->status);
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none); /* the core worth having is the program's */
	signal(sig, SIG_DFL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, sig);
	fflush(NULL);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + sig;
}

/* A runner has left nothing to keep: that is no failure where it ended well, and several were recorded. */
static void check_started(const struct record *r, const struct run_result *result)
{
	if (result->started && result->failure.kind == RT_FAIL_NONE)
		return;
	drop_run(r);
	if (!result->started)
		die(EXIT_ERROR, "%s is no program built by rethread, and none took its place (exec) or was started by it: record the one that matters",
		    r->run.program);
	char *what = failure_line(&result->failure);
	if (result->failure.kind == RT_FAIL_PREDICATE)
		die(EXIT_ERROR, "%s: %u programs were recorded, and which one is to blame is not known: record it by itself", what, result->started);
	warn("%s: %s, but none of the %u recorded processes failed: nothing is kept", r->run.program, what, result->started);
	exit(end_alike(result, false));
}

static int record_as(const struct command *self, struct record r, int argc, char **argv)
{
	struct run_result result;
	r.held = -1;
	parse(self, &r, argc, argv);
	check_program(&r);
	if (is_rw(r.run.scheme))
		load_twin(&r);
	if (!r.runs)
		r.runs = r.until_failure ? 10000 : 1;
	r.run.margin = margin_measure();
	r.run.umask = umask(077);
	run_catch_signals();
	for (;;) {
		rewind_input(&r);
		/* Threads that try for locks take them in other orders than those that sleep: failures may need either. */
		r.run.patient = r.done % 2;
		one_run(&r, &result);
		if (r.nothing && !result.interrupted)
			check_started(&r, &result);
		bool last = result.failure.kind != RT_FAIL_NONE || run_signal() || result.interrupted || r.done == r.runs;
		if (r.until_failure)
			progress(&r, last);
		if (last)
			break;
		drop_run(&r);
	}
	if (r.until_failure && result.failure.kind == RT_FAIL_NONE) {
		drop_run(&r);
		if (!r.quiet)
			fprintf(stderr, "rethread: no failure in %ld run%s; no trace is kept\n", r.done,
			r.done == 1 ? "" : "s");
		if (!r.quiet && !is_rw(r.run.scheme) && !run_signal())
			fprintf(stderr, "rethread: `rethread hunt' chooses the order of the threads itself, and may find it sooner\n");
		if (!r.quiet && is_rw(r.run.scheme) && !r.hunt && !run_signal())
			fprintf(stderr, "rethread: under scheme %s one access happens at a time: a failure that needs store buffers "
					"(TSO, PSO) comes under path+sync or path only\n", r.run.scheme);
	} else if (r.nothing) {
		drop_run(&r);
		if (!r.quiet && result.started)
			fprintf(stderr, "rethread: %u processes were recorded, and none failed; no trace is kept\n", result.started);
	} else if (!r.lost) {
		traces_set_latest(r.dir);
		report(&r, &result);
	}
	free(r.dir);
	free(r.run.program);
	exec_release(&r.other);
	free(r.twin);
	free((char *)r.run.twin);
	free((char *)r.run.build_id);
	return end_alike(&result, r.until_failure && r.done < r.runs);
}

static int record(const struct command *self, int argc, char **argv)
{
	return record_as(self, (struct record){0}, argc, argv);
}

static int hunt(const struct command *self, int argc, char **argv)
{
	struct hunt h = {.seed = 1};
	return record_as(self, (struct record){.hunt = &h, .until_failure = true,
					       .run = {.scheme = "rw", .attempt = true, .timeout = 60}}, argc, argv);
}

const struct command hunt_command = {
	.name = "hunt",
	.arguments = "[-o DIR] [--runs N] [--seed N] [--timeout SEC] [--fail-if CMD] [--no-env] [-q]\n"
		     "                     [--] PROG ARGS...",
	.summary = "look for failures that nobody has seen yet",
	.details =
		"  --runs N          at most N runs (default 10000); the first failing one is kept\n"
		"  --seed N          another number, other runs (default 1)\n"
		"  --timeout SEC     a run that takes longer has failed (default 60)\n"
		"  -o DIR, --fail-if CMD, --no-env, -q: as for `rethread record'\n"
		"\n"
		"Runs the twin with one thread at a time, under random priorities with few changes (PCT) and delays\n"
		"at places that were seen to race. The order of all accesses is recorded: `rethread reproduce' follows\n"
		"it. Memory is sequentially consistent. Exit status as of `rethread record'.\n",
	.run = hunt,
};

const struct command record_command = {
	.name = "record",
	.arguments = "[-o DIR] [--scheme S] [--until-failure [--runs N]] [--timeout SEC]\n"
		     "                       [--max-log SIZE] [--fail-if CMD] [--no-env] [--no-output] [--all-values]\n"
		     "                       [--children] [--shake] [-q] [--] PROG ARGS...",
	.summary = "run a program and keep the log of its run",
	.details =
		"  -o, --output DIR  the trace goes to DIR (default: the folder of `rethread ls')\n"
		"  --scheme S        what is recorded: path+sync (default), path, base; rw or rw:leap: the order\n"
		"                    of all shared accesses, by running the twin in the program's place\n"
		"  --until-failure   repeat, and keep the first failing run only; each run reads the same\n"
		"                    standard input when it is a file\n"
		"  --runs N          ... at most N times (default 10000)\n"
		"  --timeout SEC     a run that takes longer has failed\n"
		"  --children        PROG is no program built by rethread, but starts some (a test runner): when it\n"
		"                    fails, the trace is of the one that failed; without saying for scripts\n"
		"  --max-log SIZE    bytes, or with K, M, G: the log ends there, the program goes on\n"
		"  --shake           scheme rw: threads give way at random, so that races come out sooner\n"
		"  --fail-if CMD     shell command that gets the run's output on its standard input and\n"
		"                    exits 0 when the run is bad\n"
		"  --no-env          keep only variables of the environment that the system's libraries need (PATH,\n"
		"                    LANG, ...): the others may be secrets. A program that reads others may not replay\n"
		"  -q, --quiet       say nothing but warnings about the log itself\n"
		"  --no-output       values that the program shows are not recorded; failures that only show\n"
		"                    there then take longer to reproduce\n"
		"  --all-values      record racy values that decide addresses even where they are so many that\n"
		"                    the program gets slower\n"
		"\n"
		"A run fails by a fatal signal, an assertion, a non-zero exit status, a deadlock, the\n"
		"timeout, or --fail-if. The exit status is the program's own, and it dies by the same\n"
		"signal; 124 when it was ended for a deadlock or the timeout. Of a program that goes into\n"
		"the background the process that goes on counts, and is waited for.\n",
	.run = record,
};
