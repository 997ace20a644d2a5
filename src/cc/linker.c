#include "cc/linker.h"

#include "exe/dynamic.h"

#include <string.h>
#include <unistd.h>

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

size_t linker_find(const strings *argv, const char *arg)
{
	for (size_t i = 1; i < argv->n; i++)
		if (!strcmp(argv->at[i], arg))
			return i;
	return 0;
}

size_t linker_output(const strings *argv)
{
	size_t o = linker_find(argv, "-o");
	return o && o + 1 < argv->n ? o + 1 : 0;
}

void linker_set_output(strings *argv, const char *path)
{
	size_t o = linker_output(argv);
	free(argv->at[o]);
	argv->at[o] = xstrdup(path);
}

void linker_add(strings *argv, const char *prefix, const char *text)
{
	char *s = xasprintf("%s%s", prefix, text);
	strings_add(argv, s);
	free(s);
}

/* ---------------------------------------------------------------- links */

int linker_run_plainly(const struct job *job)
{
	struct job plain = {.argv = strings_copy(&job->argv), .output = job->output};
	for (size_t i; (i = linker_find(&plain.argv, "--fat-lto-objects"));)
		strings_remove(&plain.argv, i);
	int status = jobs_run(&plain, 1, 1, false);
	job_release(&plain);
	return status;
}

char *linker_complaint(const char *log)
{
	static const char *const words[] = {"error: ", "rethread: ", "PLEASE submit a bug report"};
	char *text, *found = NULL;
	size_t size;
	if (!read_file(log, &text, &size, NULL))
		return xstrdup("the linker did not start");
	for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++) {
		const char *line = strstr(text, words[i]);
		if (line)
			found = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
	}
	free(text);
	return found ? found : xstrdup("the linker failed without a word");
}

void linker_drop_side_outputs(strings *argv)
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
			if (begins(argv->at[i], prefixes[k]))
				drop = 1;
		if (IS_ONE_OF(argv->at[i], words))
			drop = 1;
		if (IS_ONE_OF(argv->at[i], pairs) && i + 1 < argv->n)
			drop = 2;
		for (size_t d = 0; d < drop; d++)
			strings_remove(argv, i);
		i -= drop > 0;
	}
}

/* ---------------------------------------------------------------- libraries */

/* Options whose value is the next argument, which is no input then. */
static const char *const with_value[] = {
	"-o", "--output", "-m", "-soname", "--soname", "-h", "-rpath", "--rpath", "-R", "-rpath-link", "--rpath-link",
	"-dynamic-linker", "--dynamic-linker", "-I", "-z", "-T", "--script", "-e", "--entry", "-u", "--undefined",
	"-y", "--trace-symbol", "-Map", "--Map", "--version-script", "--dynamic-list", "-plugin", "--plugin",
	"-plugin-opt", "--plugin-opt", "-mllvm", "--mllvm", "-init", "--init", "-fini", "--fini", "-f", "--auxiliary",
	"-F", "--filter", "--wrap", "--defsym", "--sysroot", "--dependency-file", "--reproduce", "-O", "-a",
	"--just-symbols", "--exclude-libs", "--export-dynamic-symbol", "--hash-style", "--sort-section",
	"--section-start", "--retain-symbols-file", "--image-base", "--format", "-b",
};

static const char *sysroot(const strings *argv)
{
	for (size_t i = 1; i < argv->n; i++)
		if (begins(argv->at[i], "--sysroot="))
			return argv->at[i] + strlen("--sysroot=");
	return "";
}

/* The folder that an option -L at *i names, or NULL; *i is moved to its last word. */
static const char *library_dir(const strings *argv, size_t *i)
{
	const char *arg = argv->at[*i];
	if (begins(arg, "--library-path="))
		return arg + strlen("--library-path=");
	if (begins(arg, "-L") && arg[2])
		return arg + 2;
	if ((!strcmp(arg, "-L") || !strcmp(arg, "--library-path")) && *i + 1 < argv->n)
		return argv->at[++*i];
	return NULL;
}

static char *existing(char *path)
{
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* The linker looks into each folder for NAME, then for OTHER when that is not NULL. */
static char *search(const strings *argv, const char *name, const char *other)
{
	char *found = NULL;
	for (size_t i = 1; i < argv->n && !found; i++) {
		const char *dir = library_dir(argv, &i);
		if (!dir)
			continue;
		const char *root = dir[0] == '=' ? sysroot(argv) : "";
		dir += dir[0] == '=';
		found = existing(xasprintf("%s%s/%s", root, dir, name));
		if (!found && other)
			found = existing(xasprintf("%s%s/%s", root, dir, other));
	}
	return found;
}

char *linker_search(const strings *argv, const char *name)
{
	return search(argv, name, NULL);
}

/* What -lNAME stands for: as the linker, a static library is found too. */
static char *find_library(const strings *argv, const char *name, bool only_static)
{
	if (name[0] == ':')
		return linker_search(argv, name + 1);
	char *shared = xasprintf("lib%s.so", name), *archive = xasprintf("lib%s.a", name);
	char *found = only_static ? search(argv, archive, NULL) : search(argv, shared, archive);
	free(shared);
	free(archive);
	return found;
}

/* -Bstatic, -Bdynamic and their synonyms, with --push-state and --pop-state. */
struct link_state {
	bool only_static[64];
	unsigned depth;
};

static void follow_state(struct link_state *s, const char *arg)
{
	static const char *const to_static[] = {"-Bstatic", "--Bstatic", "-dn", "-non_shared", "-static", "--static"};
	static const char *const to_dynamic[] = {"-Bdynamic", "--Bdynamic", "-dy", "-call_shared"};
	if (IS_ONE_OF(arg, to_static))
		s->only_static[s->depth] = true;
	else if (IS_ONE_OF(arg, to_dynamic))
		s->only_static[s->depth] = false;
	else if (!strcmp(arg, "--push-state") && s->depth + 1 < 64) {
		s->only_static[s->depth + 1] = s->only_static[s->depth];
		s->depth++;
	} else if (!strcmp(arg, "--pop-state") && s->depth) {
		s->depth--;
	}
}

/* The library that -l at i names, or NULL; *n is the number of its words. */
static const char *library_name(const strings *argv, size_t i, size_t *n)
{
	const char *arg = argv->at[i];
	*n = 1;
	if (begins(arg, "--library="))
		return arg + strlen("--library=");
	if (begins(arg, "-l") && arg[2])
		return arg + 2;
	if ((!strcmp(arg, "-l") || !strcmp(arg, "--library")) && i + 1 < argv->n) {
		*n = 2;
		return argv->at[i + 1];
	}
	return NULL;
}

/* Takes path over. */
static void add_library(linker_inputs *inputs, size_t at, size_t n, char *path, bool by_option)
{
	struct dynamic d;
	if (!path || !dynamic_read(&d, path)) {
		free(path);
		return;
	}
	const char *slash = strrchr(path, '/');
	const char *name = d.soname ? d.soname : by_option && slash ? slash + 1 : path;
	*vec_push(inputs) = (struct linker_input){at, n, path, xstrdup(name)};
	dynamic_release(&d);
}

linker_inputs linker_libraries(const strings *argv)
{
	linker_inputs inputs = {0};
	struct link_state state = {0};
	for (size_t i = 1; i < argv->n; i++) {
		const char *arg = argv->at[i];
		size_t n;
		const char *name = library_name(argv, i, &n);
		follow_state(&state, arg);
		if (name) {
			add_library(&inputs, i, n, find_library(argv, name, state.only_static[state.depth]), true);
			i += n - 1;
		} else if (!library_dir(argv, &i)) {
			if (IS_ONE_OF(arg, with_value))
				i++;
			else if (arg[0] != '-')
				add_library(&inputs, i, 1, xstrdup(arg), false);
		}
	}
	return inputs;
}

void linker_inputs_release(linker_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		free(inputs->at[i].path);
		free(inputs->at[i].name);
	}
	vec_free(inputs);
}
