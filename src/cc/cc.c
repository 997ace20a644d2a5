/*
 * The wrapper's recipe: classify the command line, hand what compiles only to clang, take a link apart.
 */
#include "cc/cc.h"
#include "cc/job.h"
#include "cc/link.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options whose value is the next argument: that one is never an option itself. */
static const char *const with_value[] = {
	"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-e", "-B", "-F", "-MF", "-MT", "-MQ",
	"-include", "-imacros", "-isystem", "-idirafter", "-iquote", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-isysroot", "-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor",
	"-Xanalyzer", "-mllvm", "-target", "-arch", "-A", "-G", "--param", "-rpath", "-dumpbase", "-dumpdir",
	"-working-directory", "--sysroot", "-framework",
};

static bool is_one_of(const char *arg, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(arg, list[i]))
			return true;
	return false;
}
#define IS_ONE_OF(arg, list) is_one_of(arg, list, sizeof(list) / sizeof *(list))

enum mode {
	MODE_PREPROCESS, /* no code is made */
	MODE_COMPILE,    /* no link */
	MODE_SHOW,       /* -###: clang only says what it would do */
	MODE_LINK,       /* or something that only clang can tell: no input files, @file, ... */
};

/*
 * Takes the user's arguments over, all but those that would get in the way: another linker than lld and
 * ThinLTO, which has no whole program to work on.
 */
static enum mode take_arguments(strings *to, char **argv, bool *verbose)
{
	static const char *const preprocess[] = {"-E", "-M", "-MM", "-fsyntax-only"};
	static const char *const compile[] = {"-c", "-S"};
	enum mode mode = MODE_LINK;
	for (size_t i = 0; argv[i]; i++) {
		const char *arg = argv[i];
		if (IS_ONE_OF(arg, with_value)) {
			strings_add(to, arg);
			if (argv[i + 1])
				strings_add(to, argv[++i]);
			continue;
		}
		if (!strcmp(arg, "-###"))
			mode = MODE_SHOW;
		else if (mode > MODE_PREPROCESS && IS_ONE_OF(arg, preprocess))
			mode = MODE_PREPROCESS;
		else if (mode > MODE_COMPILE && IS_ONE_OF(arg, compile))
			mode = MODE_COMPILE;
		else if (!strcmp(arg, "-v") || !strcmp(arg, "--verbose"))
			*verbose = true;
		if (!strncmp(arg, "-fuse-ld=", 9) && strcmp(arg, "-fuse-ld=lld")) {
			warn("%s is ignored: only lld can load the instrumentation pass", arg);
			continue;
		}
		if (!strcmp(arg, "-flto=thin")) {
			warn("%s is ignored: the whole-program analysis needs full LTO", arg);
			continue;
		}
		strings_add(to, arg);
	}
	return mode;
}

/* Options that go first, so that the user's own come later and win. */
static void add_own_options(strings *args, enum mode mode)
{
	if (mode == MODE_PREPROCESS)
		return;
	strings_add(args, "--start-no-unused-arguments");
	strings_add(args, "-gline-tables-only");
	strings_add(args, "-flto");
	strings_add(args, "-ffat-lto-objects");
	if (mode != MODE_COMPILE)
		strings_add(args, "-fuse-ld=lld");
	strings_add(args, "--end-no-unused-arguments");
}

static int exec_clang(strings *args)
{
	char **argv = strings_end(args);
	execvp(argv[0], argv);
	die(EXIT_ERROR, "cannot run %s: %s; RETHREAD_CC and RETHREAD_CXX name another", argv[0],
	    strerror(errno));
}

static const char *clang_name(bool cxx)
{
	const char *name = getenv(cxx ? "RETHREAD_CXX" : "RETHREAD_CC");
	if (name && *name)
		return name;
	return cxx ? "clang++-19" : "clang-19";
}

/* The jobs up to the linker's, then the link. Returns the exit status. */
static int run_jobs(struct jobs *jobs, const char *tmp, bool verbose)
{
	size_t n = jobs->list.n;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	fputs(jobs->remarks, stderr);
	for (size_t i = 0; verbose && i < n; i++)
		job_print(&jobs->list.at[i]);
	int status = jobs_run(jobs->list.at, n - 1, cpus > 1 ? (unsigned)cpus : 1, false);
	if (!status)
		status = link_program(&jobs->list.at[n - 1], tmp, verbose);
	return status;
}

static int compile_and_link(strings *args, bool verbose)
{
	struct error err;
	struct jobs jobs = {0};
	job_signals_catch();
	char *tmp = temp_dir(&err);
	if (!tmp)
		die(EXIT_ERROR, "%s", err.text);
	int status = 0;
	bool asked = jobs_ask(&jobs, strings_end(args), tmp, &err);
	bool is_link = asked && jobs.list.n && link_is_link(&jobs.list.at[jobs.list.n - 1]);
	if (is_link)
		status = run_jobs(&jobs, tmp, verbose);
	jobs_release(&jobs);
	remove_tree(tmp, NULL);
	free(tmp);
	if (job_signal()) {
		signal(job_signal(), SIG_DFL);
		raise(job_signal());
	}
	if (!asked && err.text[0])
		die(EXIT_ERROR, "%s", err.text);
	/* --version, -print-*, no input files, an error of the user's: clang says it best. */
	return is_link ? status : exec_clang(args);
}

int cc_main(int argc, char **argv, bool cxx)
{
	(void)argc;
	strings user = {0}, args = {0};
	bool verbose = false;
	enum mode mode = take_arguments(&user, argv + 1, &verbose);
	strings_add(&args, clang_name(cxx));
	add_own_options(&args, mode);
	for (size_t i = 0; i < user.n; i++)
		strings_add(&args, user.at[i]);
	strings_release(&user);
	int status = mode == MODE_LINK ? compile_and_link(&args, verbose) : exec_clang(&args);
	strings_release(&args);
	return status;
}
