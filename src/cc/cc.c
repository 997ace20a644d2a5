/*
 * The wrapper's recipe: classify the command line, hand what compiles only to clang, take a link apart.
 */
#include "cc/cc.h"
#include "base/interrupt.h"
#include "cc/job.h"
#include "cc/link.h"
#include "cc/response.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options whose value is the next argument: that one is never an option itself. */
static const char *const with_value[] = {
	"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-e", "-B", "-F", "-MF", "-MT", "-MQ",
	"-include", "-imacros", "-isystem", "-idirafter", "-iquote", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-isysroot", "-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor",
	"-Xanalyzer", "-mllvm", "-target", "-arch", "-A", "-G", "--param", "-rpath", "-dumpbase", "-dumpdir",
	"-working-directory", "--sysroot", "-framework", "-MJ", "-include-pch", "--serialize-diagnostics",
	"-serialize-diagnostics", "-cxx-isystem", "-stdlib++-isystem", "-iwithsysroot", "-iframework", "-ivfsoverlay",
	"-Xarch_host", "-Xopenmp-target", "-mthread-model", "--output", "--include", "--language", "--define-macro",
	"--undefine-macro", "--include-directory", "--library-directory", "--for-linker", "--for-assembler", "-Tbss", "-Tdata", "-Ttext",
};

enum mode {
	MODE_PREPROCESS, /* nothing to instrument is made */
	MODE_COMPILE,    /* no link */
	MODE_SHOW,       /* -###: clang only says what it would do */
	MODE_LINK,       /* or something that only clang can tell: no input files, --version, ... */
};

struct wrapper {
	enum mode mode;
	bool verbose;
	const char *sanitizer; /* one that leaves no room for a recorder, or NULL */
	bool slim;       /* objects are bitcode only */
	strings user;    /* the user's arguments */
	strings ignored; /* those that are not passed on */
};

/* Do we have a better idea than this option? Why, or NULL. */
static const char *objection(const char *arg)
{
	if ((!strncmp(arg, "-fuse-ld=", 9) && strcmp(arg, "-fuse-ld=lld")) || !strncmp(arg, "--ld-path=", 10))
		return "only lld can load the instrumentation pass";
	if (!strcmp(arg, "-flto=thin") || !strcmp(arg, "-fno-fat-lto-objects"))
		return "the whole-program analysis needs full LTO, other tools ordinary objects";
	return NULL;
}

/* An option that ends all work before the link, or changes it altogether. */
static void note_mode(struct wrapper *w, const char *arg)
{
	static const char *const preprocess[] = {"-E", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "--precompile"};
	static const char *const compile[] = {"-c", "-S"};
	if (!strcmp(arg, "-###"))
		w->mode = MODE_SHOW;
	else if (w->mode > MODE_PREPROCESS && IS_ONE_OF(arg, preprocess))
		w->mode = MODE_PREPROCESS;
	else if (w->mode > MODE_COMPILE && IS_ONE_OF(arg, compile))
		w->mode = MODE_COMPILE;
	else if (!strcmp(arg, "-v") || !strcmp(arg, "--verbose"))
		w->verbose = true;
}

/*
 * Sanitizers. Some stand in for the functions of libc that the recorder stands in for, or have to follow all memory. Others work, but clang 19
 * instruments the native code of fat objects twice, so that it has to come from the bitcode.
 */
static void note_sanitizer(struct wrapper *w, const char *arg)
{
	static const char *const without_us[] = {"thread", "memory", "hwaddress", "dataflow", "memtag"};
	static const char *const twice[] = {"address", "fuzzer"};
	bool on = !strncmp(arg, "-fsanitize=", 11), off = !strncmp(arg, "-fno-sanitize=", 14);
	for (size_t i = 0; i < sizeof without_us / sizeof *without_us; i++)
		if (on && strstr(arg, without_us[i]))
			w->sanitizer = without_us[i];
	if (off && w->sanitizer && (strstr(arg, w->sanitizer) || !strcmp(arg, "-fno-sanitize=all")))
		w->sanitizer = NULL;
	for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
		if (on && strstr(arg, twice[i]))
			w->slim = true;
	if (!strncmp(arg, "-fsanitize-coverage=", 20))
		w->slim = true;
}

/* Takes the user's arguments over, all but those that would get in the way. */
static void take_arguments(struct wrapper *w, const strings *from)
{
	w->mode = MODE_LINK;
	for (size_t i = 1; i < from->n; i++) {
		const char *arg = from->at[i];
		if (IS_ONE_OF(arg, with_value)) {
			strings_add(&w->user, arg);
			if (i + 1 < from->n)
				strings_add(&w->user, from->at[++i]);
			continue;
		}
		note_mode(w, arg);
		note_sanitizer(w, arg);
		strings_add(objection(arg) ? &w->ignored : &w->user, arg);
	}
	if (w->sanitizer) {
		if (w->mode == MODE_LINK)
			warn("what is linked with -fsanitize=%s is not instrumented: leave that out to record it", w->sanitizer);
		w->mode = MODE_PREPROCESS;
	}
	/* Objects that the user wants without bitcode are so, but the link is ours. */
	for (size_t i = w->user.n; w->mode == MODE_LINK && i-- > 0;) {
		if (strcmp(w->user.at[i], "-fno-lto"))
			continue;
		strings_remove(&w->user, i);
		strings_add(&w->ignored, "-fno-lto");
	}
	for (size_t i = 0; w->mode == MODE_LINK && i < w->ignored.n; i++) {
		const char *why = objection(w->ignored.at[i]);
		warn("%s is ignored: %s", w->ignored.at[i], why ? why : "the instrumentation pass runs in LTO");
	}
}

/* Options that go first, so that the user's own come later and win. */
static void add_own_options(strings *args, enum mode mode, bool slim)
{
	if (mode == MODE_PREPROCESS)
		return;
	strings_add(args, "--start-no-unused-arguments");
	strings_add(args, "-gline-tables-only");
	strings_add(args, "-flto");
	strings_add(args, slim ? "-fno-fat-lto-objects" : "-ffat-lto-objects");
	if (mode != MODE_COMPILE)
		strings_add(args, "-fuse-ld=lld");
	strings_add(args, "--end-no-unused-arguments");
}

/* Clang is asked for its jobs where it sees no terminal; the user's own options come later. */
static void add_colours(strings *args)
{
	const char *term = getenv("TERM");
	if (isatty(STDERR_FILENO) && term && strcmp(term, "dumb"))
		strings_add(args, "-fcolor-diagnostics");
}

static int exec_clang(strings *args)
{
	char **argv = strings_end(args);
	execvp(argv[0], response_shorten(argv));
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

/* What the compiler said goes to files: of several, one after the other speaks, as if one had run after the other. */
static void collect(struct job *job, const char *tmp, size_t number)
{
	job->output = xasprintf("%s/%zu.err", tmp, number);
	job->printed = xasprintf("%s/%zu.out", tmp, number);
}

static void pass_on(const char *path, FILE *to)
{
	char *text;
	size_t size;
	if (!read_file(path, &text, &size, NULL))
		return;
	fwrite(text, 1, size, to);
	fflush(to);
	free(text);
}

/* The jobs up to the linker's. Clang goes on with other sources when one has errors. */
static int compile(struct job *jobs, size_t n, const char *tmp)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	for (size_t i = 0; n > 1 && i < n; i++)
		collect(&jobs[i], tmp, i);
	int status = jobs_run(jobs, n, cpus > 1 ? (unsigned)cpus : 1, true);
	for (size_t i = 0; n > 1 && i < n; i++) {
		pass_on(jobs[i].printed, stdout);
		pass_on(jobs[i].output, stderr);
	}
	return status;
}

/* The jobs up to the linker's, then the link. Returns the exit status. */
static int run_jobs(struct jobs *jobs, const char *tmp, bool verbose)
{
	size_t n = jobs->list.n;
	fputs(jobs->remarks, stderr);
	for (size_t i = 0; verbose && i < n; i++)
		job_print(&jobs->list.at[i]);
	int status = compile(jobs->list.at, n - 1, tmp);
	if (!status)
		status = link_program(&jobs->list.at[n - 1], tmp, verbose);
	return status;
}

static int compile_and_link(strings *args, bool verbose)
{
	struct error err;
	struct jobs jobs = {0};
	interrupt_catch();
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
	interrupt_end();
	if (!asked && err.text[0])
		die(EXIT_ERROR, "%s", err.text);
	/* --version, -print-*, no input files, an error of the user's: clang says it best. */
	return is_link ? status : exec_clang(args);
}

int cc_main(int argc, char **argv, bool cxx)
{
	strings all = {0}, args = {0};
	struct wrapper w = {0};
	for (int i = 0; i < argc; i++)
		strings_add(&all, argv[i]);
	response_expand(&all);
	take_arguments(&w, &all);
	strings_add(&args, clang_name(cxx));
	add_own_options(&args, w.mode, w.slim);
	if (w.mode == MODE_LINK)
		add_colours(&args);
	for (size_t i = 0; i < w.user.n; i++)
		strings_add(&args, w.user.at[i]);
	int status = w.mode == MODE_LINK ? compile_and_link(&args, w.verbose) : exec_clang(&args);
	strings_release(&all);
	strings_release(&w.user);
	strings_release(&w.ignored);
	strings_release(&args);
	return status;
}
