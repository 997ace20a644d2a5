#include "cc/link.h"
#include "exe/sections.h"

#include <rethread/instrument.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Both runtimes define these in libc's place: shared libraries must find them in the program. */
static const char *const exported[] = {
#define X(name) #name,
#include <rethread/interposed.def>
#undef X
	"__assert_fail",
	"sigaction", "signal", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
};

bool link_is_link(const struct job *job)
{
	if (!job->argv.n)
		return false;
	const char *slash = strrchr(job->argv.at[0], '/');
	const char *name = slash ? slash + 1 : job->argv.at[0];
	return !strncmp(name, "ld.lld", 6);
}

/* Index of an argument in argv, or 0. */
static size_t find(const strings *argv, const char *arg)
{
	for (size_t i = 1; i < argv->n; i++)
		if (!strcmp(argv->at[i], arg))
			return i;
	return 0;
}

static size_t output_index(const strings *argv)
{
	size_t o = find(argv, "-o");
	return o && o + 1 < argv->n ? o + 1 : 0;
}

/* ---------------------------------------------------------------- the plain link */

/* Native code of the fat objects, as if nobody had asked for LTO. */
static struct job plain_job(const struct job *job)
{
	struct job plain = {.argv = strings_copy(&job->argv)};
	for (size_t i; (i = find(&plain.argv, "--fat-lto-objects"));)
		strings_remove(&plain.argv, i);
	return plain;
}

static int link_plainly(const struct job *job)
{
	struct job plain = plain_job(job);
	int status = jobs_run(&plain, 1, 1, false);
	job_release(&plain);
	return status;
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

static void add_runtime(strings *argv, const char *archive)
{
	size_t at = runtime_place(argv);
	char *path = tool_file(archive);
	const char *const words[] = {"--push-state", "--whole-archive", path, "--pop-state"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		strings_insert(argv, at + i, words[i]);
	free(path);
}

static void add_text(strings *to, const char *prefix, const char *text)
{
	char *s = xasprintf("%s%s", prefix, text);
	strings_add(to, s);
	free(s);
}

/* What the user asked of the linker besides the program belongs to one link only. */
static void drop_side_outputs(strings *argv)
{
	static const char *const prefixes[] = {
		"-Map=", "--Map=", "--dependency-file=", "--reproduce=", "--time-trace", "--why-extract=",
		"--print-archive-stats=", "--symbol-ordering-file-out=", "--save-temps", "-save-temps",
		"-plugin-opt=save-temps", "--lto-obj-path=", "-plugin-opt=obj-path=",
		"--plugin-opt=save-temps", "--plugin-opt=obj-path=",
	};
	static const char *const words[] = {"-M", "--print-map", "-t", "--trace", "--verbose",
					    "--print-gc-sections", "--print-icf-sections", "--cref"};
	static const char *const pairs[] = {"-Map", "--Map", "--dependency-file", "--reproduce"};
	for (size_t i = 1; i < argv->n; i++) {
		size_t drop = 0;
		for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
			if (!strncmp(argv->at[i], prefixes[k], strlen(prefixes[k])))
				drop = 1;
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			if (!strcmp(argv->at[i], words[k]))
				drop = 1;
		for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
			if (!strcmp(argv->at[i], pairs[k]) && i + 1 < argv->n)
				drop = 2;
		for (size_t d = 0; d < drop; d++)
			strings_remove(argv, i);
		i -= drop > 0;
	}
}

struct links {
	char *log[2], *hash[2], *bitcode, *twin, *report; /* in tmp */
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
	for (size_t m = 0; m < 2; m++) {
		l->log[m] = xasprintf("%s/%s.log", tmp, modes[m]);
		l->hash[m] = xasprintf("%s/%s.hash", tmp, modes[m]);
		l->job[m] = (struct job){.argv = strings_copy(&job->argv), .output = l->log[m]};
		strings *argv = &l->job[m].argv, *env = &l->job[m].environment;
		if (m == 1) {
			drop_side_outputs(argv);
			size_t o = output_index(argv);
			free(argv->at[o]);
			argv->at[o] = xstrdup(l->twin);
		}
		add_runtime(argv, archives[m]);
		add_text(argv, "--load-pass-plugin=", plugin);
		strings_add(argv, "--build-id=sha1");
		for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
			add_text(argv, "--export-dynamic-symbol=", exported[i]);
		add_text(env, "RETHREAD_PASS=", modes[m]);
		add_text(env, "RETHREAD_PASS_HASH=", l->hash[m]);
		if (m == 0) {
			add_text(env, "RETHREAD_PASS_BITCODE=", l->bitcode);
			add_text(env, "RETHREAD_PASS_REPORT=", l->report);
		}
	}
	l->output = l->job[0].argv.at[output_index(&l->job[0].argv)];
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
}

static void print_log(const char *path)
{
	char *text;
	size_t n;
	if (!read_file(path, &text, &n, NULL))
		return;
	fwrite(text, 1, n, stderr);
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

static int carry_sections(const struct links *l)
{
	struct stat st;
	if (stat(l->output, &st) || !S_ISREG(st.st_mode))
		return 0; /* /dev/null */
	struct error err;
	const struct new_section sections[] = {{RT_SECTION_BITCODE, l->bitcode},
					       {RT_SECTION_TWIN, l->twin},
					       {RT_SECTION_REPORT, l->report}};
	if (sections_append(l->output, sections, sizeof sections / sizeof *sections, &err))
		return 0;
	unlink(l->output);
	warn("%s", err.text);
	return EXIT_ERROR;
}

/*
 * One of the two failed. Most often the program is at fault, and the plain link says how without any
 * word about us; or there is no bitcode at all, and the plain link is all there is to do.
 */
static int link_failed(const struct links *l, const struct job *job)
{
	int status = link_plainly(job);
	if (status)
		return status;
	if (access(l->hash[0], F_OK)) {
		warn("%s has no object made by rethread cc in it: linked without instrumentation", l->output);
		return 0;
	}
	print_log(l->log[l->job[0].status ? 0 : 1]);
	unlink(l->output);
	warn("%s links, but not with the %s of rethread: this is a defect of rethread", l->output,
	     l->job[0].status ? "recorder" : "twin");
	return l->job[0].status ? l->job[0].status : l->job[1].status;
}

static int link_twice(const struct job *job, const char *tmp, bool verbose)
{
	struct links l = {0};
	links_init(&l, job, tmp);
	for (size_t m = 0; verbose && m < 2; m++)
		job_print(&l.job[m]);
	int status = jobs_run(l.job, 2, 2, true);
	if (job_signal()) {
		links_release(&l);
		return status;
	}
	if (status) {
		status = link_failed(&l, job);
	} else if (access(l.hash[0], F_OK)) {
		status = link_failed(&l, job);
	} else if (!same_hash(&l)) {
		unlink(l.output);
		warn("the recorded program and its twin were made from different modules: the pass is "
		     "not deterministic, which is a defect of rethread or of another plugin");
		status = EXIT_ERROR;
	} else {
		print_log(l.log[0]);
		status = carry_sections(&l);
	}
	links_release(&l);
	return status;
}

int link_program(const struct job *job, const char *tmp, bool verbose)
{
	const strings *argv = &job->argv;
	bool library = find(argv, "-shared") || find(argv, "-r") || find(argv, "--relocatable");
	if (library || !output_index(argv))
		return link_plainly(job);
	if (!find(argv, "-dynamic-linker")) {
		warn("%s is linked statically, where the recorder cannot stand in for libc's functions: "
		     "linked without instrumentation; link it dynamically to record it",
		     argv->at[output_index(argv)]);
		return link_plainly(job);
	}
	return link_twice(job, tmp, verbose);
}
