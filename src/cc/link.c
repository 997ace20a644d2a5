#include "cc/link.h"

#include "base/interrupt.h"
#include "cc/exported.h"
#include "cc/linker.h"
#include "cc/relocatable.h"
#include "cc/response.h"
#include "cc/shared.h"
#include "cc/substitute.h"
#include "exe/sections.h"

#include <rethread/instrument.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool link_is_link(const struct job *job)
{
	if (!job->argv.n)
		return false;
	const char *slash = strrchr(job->argv.at[0], '/');
	const char *name = slash ? slash + 1 : job->argv.at[0];
	return !strncmp(name, "ld.lld", 6);
}

/* ---------------------------------------------------------------- the two links */

/* Where the runtime goes: before the libraries that clang adds itself, since it needs libc. */
static size_t runtime_place(const strings *argv)
{
	static const char *const libraries[] = {"-lgcc", "-lgcc_s", "-lc", "-lclang_rt.builtins"};
	size_t place = argv->n;
	for (size_t i = 1; i < argv->n; i++) {
		for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
			if (!strcmp(argv->at[i], libraries[k]) && i < place)
				place = i;
	}
	while (place > 1 && !strcmp(argv->at[place - 1], "--as-needed"))
		place--;
	return place;
}

/* Is there a library to walk stacks with? With -nodefaultlibs or -nostdlib it is the user who names libraries. */
static bool has_unwinder(const strings *argv)
{
	static const char *const unwinders[] = {"-lgcc_s", "-lgcc_eh", "-lunwind", "-l:libunwind.so", "-l:libunwind.a"};
	for (size_t i = 0; i < sizeof unwinders / sizeof *unwinders; i++)
		if (linker_find(argv, unwinders[i]))
			return true;
	return false;
}

static void add_runtime(strings *argv, const char *archive)
{
	bool needs_unwinder = !has_unwinder(argv);
	size_t at = runtime_place(argv);
	char *path = tool_file(archive);
	const char *const words[] = {"--push-state", "--whole-archive", path, "--no-whole-archive", "-lgcc_s", "--pop-state"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], "-lgcc_s") || needs_unwinder)
			strings_insert(argv, at++, words[i]);
	free(path);
}

/* Does it name the library whose functions our archives have, too? */
static bool is_replaced(const char *arg)
{
	const char *slash = strrchr(arg, '/');
	const char *name = slash ? slash + 1 : arg;
	return !strcmp(arg, "-lstdc++") || !strncmp(name, "libstdc++.", 10) || !strncmp(name, "libc.so", 7);
}

/* Before the libraries that have them as well, so that it is ours that they come from, if the program needs them; but behind
 * all that is the program's, which may have a qsort of its own in an archive. */
static void add_containers(strings *argv)
{
	static const char *const archives[] = {"librethread_strings.a", "librethread_containers.a"};
	size_t at = runtime_place(argv);
	for (size_t i = 1; i < at; i++)
		if (i != linker_output(argv) && is_replaced(argv->at[i]))
			at = i;
	strings_insert(argv, at++, "--push-state");
	strings_insert(argv, at++, "--no-whole-archive");
	for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
		char *path = tool_file(archives[i]);
		strings_insert(argv, at++, path);
		free(path);
	}
	strings_insert(argv, at, "--pop-state");
	linker_add(argv, "--exclude-libs=", archives[0]);
}

/*
 * Functions that the program has because its templates need them (std::string since C++20) or because our archives have them, and libstdc++
 * as well. The linker exports such, so that the library would call the program's; then anything might come in as a parameter, and
 * all strings, maps and lists would count as shared. Here each keeps its own, which do the same. Patterns name functions only: variables stay one.
 */
static const char own_functions[] = "{ local:\n"
	"_ZNSt7__cxx1112basic_stringI[cw]St11char_traitsI*; _ZNKSt7__cxx1112basic_stringI[cw]St11char_traitsI*;\n"
	"_ZStplI[cw]St11char_traitsI*; _ZSt*_Rb_tree_*; _ZNSt8__detail15_List_node_base*; _ZNKSt8__detail20_Prime_rehash_policy*;\n};\n";

/* A program with a script of its own says itself what it exports; the linker takes one without a version only. */
static void keep_own_functions(strings *argv, const char *script)
{
	for (size_t i = 0; i < argv->n; i++)
		if (strstr(argv->at[i], "-version-script"))
			return;
	if (write_file(script, own_functions, sizeof own_functions - 1, NULL))
		linker_add(argv, "--version-script=", script);
}

struct links {
	char *log[2], *hash[2], *printed, *bitcode, *twin, *report, *script; /* in tmp */
	struct job job[2];                       /* record, twin */
	const char *output;                      /* of the recorded program: in job[0].argv */
};

static void links_init(struct links *l, const struct job *job, const char *tmp)
{
	static const char *const modes[] = {"record", "twin"};
	static const char *const archives[] = {"librethread_rt.a", "librethread_twin.a"};
	char *plugin = tool_file("librethread_pass.so");
	l->bitcode = xasprintf("%s/module.bc", tmp);
	l->twin = xasprintf("%s/twin", tmp);
	l->report = xasprintf("%s/report", tmp);
	l->printed = xasprintf("%s/printed", tmp);
	l->script = xasprintf("%s/own.version", tmp);
	for (size_t m = 0; m < 2; m++) {
		l->log[m] = xasprintf("%s/%s.log", tmp, modes[m]);
		l->hash[m] = xasprintf("%s/%s.hash", tmp, modes[m]);
		l->job[m] = (struct job){.argv = strings_copy(&job->argv),
					  .environment = strings_copy(&job->environment),
					  .output = l->log[m]};
		strings *argv = &l->job[m].argv, *env = &l->job[m].environment;
		if (m == 1) {
			linker_drop_side_outputs(argv);
			linker_set_output(argv, l->twin);
		}
		add_runtime(argv, archives[m]);
		if (!shared_is_kept("libstdc++.so.6"))
			add_containers(argv);
		keep_own_functions(argv, l->script);
		linker_add(argv, "--load-pass-plugin=", plugin);
		strings_add(argv, "--build-id=sha1");
		/* clang's own -O0 without LTO makes its code so too; lld would take twice the time here. */
		if (linker_find(argv, "-plugin-opt=O0"))
			strings_add(argv, "--lto-CGO0");
		/* In functions of more blocks than this, CodeGenPrepare looks again only at those that changed. LLVM's limit is 10000; what is
		 * instrumented has so many that it took a quarter of the code generator's time. */
		strings_add(argv, "-mllvm");
		strings_add(argv, "-cgpp-huge-func=100");
		for (size_t i = 0; exported_symbol(i); i++)
			linker_add(argv, "--export-dynamic-symbol=", exported_symbol(i));
		linker_add(env, "RETHREAD_PASS=", modes[m]);
		linker_add(env, "RETHREAD_PASS_HASH=", l->hash[m]);
		if (m == 0) {
			linker_add(env, "RETHREAD_PASS_BITCODE=", l->bitcode);
			linker_add(env, "RETHREAD_PASS_REPORT=", l->report);
		}
	}
	l->job[0].printed = l->printed; /* a map, a trace of files */
	l->output = l->job[0].argv.at[linker_output(&l->job[0].argv)];
	free(plugin);
}

static void links_release(struct links *l)
{
	for (size_t m = 0; m < 2; m++) {
		job_release(&l->job[m]);
		free(l->log[m]);
		free(l->hash[m]);
	}
	free(l->bitcode);
	free(l->twin);
	free(l->report);
	free(l->printed);
	free(l->script);
}

static void print_file(const char *path, FILE *to)
{
	char *text;
	size_t n;
	if (!read_file(path, &text, &n, NULL))
		return;
	fwrite(text, 1, n, to);
	free(text);
}

static bool same_hash(const struct links *l)
{
	char *hash[2] = {NULL, NULL};
	size_t n[2] = {0, 0};
	bool same = true;
	for (size_t m = 0; m < 2; m++)
		same = read_file(l->hash[m], &hash[m], &n[m], NULL) && same;
	same = same && n[0] && n[0] == n[1] && !memcmp(hash[0], hash[1], n[0]);
	free(hash[0]);
	free(hash[1]);
	return same;
}

/* libraries: the file with the contents of RT_SECTION_LIBRARIES, or NULL. */
static int carry_sections(const struct links *l, const char *libraries)
{
	struct stat st;
	if (stat(l->output, &st) || !S_ISREG(st.st_mode))
		return 0; /* /dev/null */
	struct error err;
	const struct new_section sections[] = {{RT_SECTION_BITCODE, l->bitcode},
					       {RT_SECTION_TWIN, l->twin},
					       {RT_SECTION_REPORT, l->report},
					       {RT_SECTION_LIBRARIES, libraries}};
	if (sections_append(l->output, sections, libraries ? 4 : 3, &err))
		return 0;
	unlink(l->output);
	warn("%s", err.text);
	return EXIT_ERROR;
}

/* Both links. Their exit status; 0 without l->hash[0]: there is no bitcode in the program. */
static int link_both(struct links *l, const struct job *job, const char *tmp, bool verbose)
{
	links_init(l, job, tmp);
	for (size_t m = 0; verbose && m < 2; m++)
		job_print(&l->job[m]);
	if (verbose) /* after that, since clang, too, prints commands that can be run as they are */
		linker_add(&l->job[0].environment, "RETHREAD_PASS_TIMES=", "1");
	return jobs_run(l->job, 2, 2, true);
}

static int finish(const struct links *l, const char *libraries)
{
	if (same_hash(l)) {
		print_file(l->log[0], stderr);
		print_file(l->printed, stdout);
		return carry_sections(l, libraries);
	}
	unlink(l->output);
	warn("the recorded program and its twin were made from different modules: the pass is "
	     "not deterministic, which is a defect of rethread or of another plugin");
	return EXIT_ERROR;
}

/* Did the link fail because the program defines what we define? Then it is said. */
static bool is_contested(const char *log, const char *output)
{
	static const char word[] = "duplicate symbol: ";
	char *why = linker_complaint(log), *name = strstr(why, word);
	if (name)
		warn("%s defines %s itself, in whose place the runtimes of rethread put their own: linked without instrumentation; leave "
		     "its own out to record it", output, name + strlen(word));
	free(why);
	return name;
}

/* A linker that has no room for its output has none for a word about it either: the log is in the same folder. */
static bool lacked_room(const struct job *failed)
{
	struct stat log;
	char *why = linker_complaint(failed->output);
	bool said = strstr(why, strerror(ENOSPC));
	free(why);
	return said || (failed->status != 128 + SIGKILL && !stat(failed->output, &log) && !log.st_size);
}

/*
 * One of the two failed. Most often the program is at fault, and the plain link says how without any
 * word about us; or there is no bitcode at all, and the plain link is all there is to do.
 */
static int link_failed(const struct links *l, const struct job *job, const char *tmp)
{
	int status = linker_run_plainly(job);
	if (status)
		return status;
	if (access(l->hash[0], F_OK)) {
		/* Without bitcode the pass, which defines what the runtime needs, did not run. */
		char *why = linker_complaint(l->log[0]);
		if (!strstr(why, "__rethread_") && l->job[0].status)
			warn("%s cannot be linked with LTO: linked without instrumentation: %s", l->output, why);
		else
			warn("%s has no object made by rethread cc (without -fno-lto) in it: linked without instrumentation", l->output);
		free(why);
		return 0;
	}
	const struct job *failed = &l->job[l->job[0].status ? 0 : 1];
	if (is_contested(failed->output, l->output))
		return 0;
	unlink(l->output);
	if (lacked_room(failed)) {
		warn("%.*s has no room for what a link makes beside %s: make some, or set TMPDIR to a folder with more",
		     (int)(strrchr(tmp, '/') - tmp), tmp, l->output);
		return EXIT_ERROR;
	}
	print_file(failed->output, stderr);
	if (failed->status == 128 + SIGKILL)
		warn("somebody killed the linker of %s: is there too little memory?", l->output);
	else
		warn("%s links, but not with the %s of rethread: this is a defect of rethread", l->output,
		     l->job[0].status ? "recorder" : "twin");
	return failed->status;
}

static int link_twice(const struct job *job, const char *tmp, bool verbose)
{
	struct links l = {0};
	int status = link_both(&l, job, tmp, verbose);
	if (!interrupt_signal())
		status = status || access(l.hash[0], F_OK) ? link_failed(&l, job, tmp) : finish(&l, NULL);
	links_release(&l);
	return status;
}

/* With the code of libraries in the program; where that fails, which should not happen, without. */
static int link_substituted(const struct substitution *s, const struct job *job, const char *tmp, bool verbose)
{
	struct links l = {0};
	int status = link_both(&l, &s->job, tmp, verbose);
	bool linked = !status;
	if (linked && !interrupt_signal())
		status = finish(&l, s->list);
	char *why = linked ? NULL : linker_complaint(l.log[l.job[0].status ? 0 : 1]);
	links_release(&l);
	if (!linked && !interrupt_signal()) {
		warn("%s: what shared libraries do (%s) is not recorded, because their code cannot be linked into the program: %s",
		     job->argv.at[linker_output(&job->argv)], s->names, why);
		status = link_twice(job, tmp, verbose);
	}
	free(why);
	return status;
}

static int link_instrumented(const struct job *job, const char *tmp, bool verbose)
{
	struct substitution s;
	int status = substitute(&s, job, tmp, verbose);
	if (!status && !interrupt_signal())
		status = s.job.argv.n ? link_substituted(&s, job, tmp, verbose) : link_twice(job, tmp, verbose);
	substitution_release(&s);
	return status;
}

static bool any_contains(const strings *argv, const char *text)
{
	for (size_t i = 1; i < argv->n; i++)
		if (strstr(argv->at[i], text))
			return true;
	return false;
}

/* Why a program cannot be recorded, what to do included; or NULL. */
static const char *obstacle(const strings *argv)
{
	if (!linker_find(argv, "-dynamic-linker"))
		return "linked statically, where the recorder cannot stand in for libc's functions: link it dynamically to record it";
	if (!linker_find(argv, "-lc") && !any_contains(argv, "/libc.so"))
		return "linked without the C library, which the recorder needs";
	return NULL;
}

int link_program(struct job *job, const char *tmp, bool verbose)
{
	strings *argv = &job->argv;
	response_expand(argv);
	if (!linker_output(argv) || linker_find(argv, "--version") || linker_find(argv, "--help"))
		return linker_run_plainly(job);
	const char *output = argv->at[linker_output(argv)];
	if (linker_find(argv, "-m") && !linker_find(argv, "elf_x86_64")) {
		warn("%s is for another processor than x86-64: linked without instrumentation", output);
		return linker_run_plainly(job);
	}
	if (linker_find(argv, "-r") || linker_find(argv, "--relocatable"))
		return relocatable_link(job, tmp, verbose);
	if (linker_find(argv, "-shared") || linker_find(argv, "--shared") || linker_find(argv, "-Bshareable"))
		return shared_link(job, tmp, verbose);
	if (obstacle(argv)) {
		warn("%s is not instrumented, because it is %s", output, obstacle(argv));
		return linker_run_plainly(job);
	}
	return link_instrumented(job, tmp, verbose);
}
