#include "cc/shared.h"

#include "base/interrupt.h"
#include "cc/linker.h"
#include "cc/merge.h"
#include "cc/native.h"
#include "exe/dynamic.h"
#include "exe/sections.h"

#include <rethread/instrument.h>

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Constructors of programs and of ordinary objects have 101 and more. */
enum { FIRST_PRIORITY = 10, LAST_PRIORITY = 99 };

/* ---------------------------------------------------------------- the text */

unsigned shared_priority(const char *text)
{
	const char *at = strstr(text, "\npriority ");
	return at ? (unsigned)atoi(at + strlen("\npriority ")) : 0;
}

bool shared_needed(const char *text, size_t *at, char **soname, char **path)
{
	static const char word[] = "\nneeded ";
	const char *line = strstr(text + *at, word);
	if (!line)
		return false;
	line += strlen(word);
	size_t name = strcspn(line, " \n"), end = strcspn(line, "\n");
	*soname = xasprintf("%.*s", (int)name, line);
	*path = xasprintf("%.*s", name < end ? (int)(end - name - 1) : 0, line + name + (name < end));
	*at = (size_t)(line + end - text);
	return true;
}

bool shared_is_kept(const char *name)
{
	const char *list = getenv("RETHREAD_KEEP_SHARED");
	if (!list || !strcmp(list, "all"))
		return list;
	size_t length = name ? strlen(name) : 0;
	for (const char *at = list; name && at; at = strchr(at, ':')) {
		at += *at == ':';
		if (!strncmp(at, name, length) && strchr(":", at[length]))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- making it */

/* One more than that of any library which it needs. */
static unsigned choose_priority(const strings *argv, const struct dynamic *made)
{
	unsigned priority = FIRST_PRIORITY;
	linker_inputs inputs = linker_libraries(argv);
	for (size_t i = 0; i < inputs.n; i++) {
		char *text;
		size_t size;
		if (!dynamic_needs(made, inputs.at[i].name) ||
		    !sections_read(inputs.at[i].path, RT_SECTION_SHARED, &text, &size, NULL))
			continue;
		if (shared_priority(text) >= priority && shared_priority(text) < LAST_PRIORITY)
			priority = shared_priority(text) + 1;
		free(text);
	}
	linker_inputs_release(&inputs);
	return priority;
}

/* Files in the temporary directory. */
struct package {
	char *module, *native, *text, *trace;
};

/* The files that a line of the linker's --trace can name are looked at: libraries go to the text, objects to the list. */
static void look_at(const char *line, const struct dynamic *made, FILE *text, strings *objects)
{
	struct dynamic d;
	char path[PATH_MAX];
	if (!dynamic_read(&d, line)) {
		native_add(objects, line);
		return;
	}
	const char *slash = strrchr(line, '/');
	const char *names[] = {d.soname, d.soname ? NULL : line, d.soname || !slash ? NULL : slash + 1};
	for (size_t i = 0; i < 3; i++)
		if (names[i] && dynamic_needs(made, names[i]) && realpath(line, path))
			fprintf(text, "needed %s %s\n", names[i], path);
	dynamic_release(&d);
}

static bool is_symbolic(const strings *argv)
{
	for (size_t i = 1; i < argv->n; i++)
		if (!strncmp(argv->at[i], "-Bsymbolic", 10) || !strncmp(argv->at[i], "--Bsymbolic", 11))
			return true;
	return false;
}

/* Writes p->text, and p->native when there are such objects. */
static bool describe(const struct package *p, const struct job *job, const struct dynamic *made, unsigned priority,
		     const char *tmp, struct error *err)
{
	char *trace;
	size_t size;
	if (!read_file(p->trace, &trace, &size, err))
		return false;
	FILE *text = fopen(p->text, "w");
	if (!text) {
		free(trace);
		return fail(err, "cannot write %s", p->text);
	}
	fprintf(text, "rethread-library 1\npriority %u\n%s", priority, is_symbolic(&job->argv) ? "symbolic\n" : "");
	strings objects = {0};
	char *rest = trace;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line)
			look_at(line, made, text, &objects);
	bool ok = !fclose(text) || fail(err, "cannot write %s", p->text);
	ok = ok && (!objects.n || native_join(&objects, job->argv.at[0], tmp, p->native, err));
	strings_release(&objects);
	free(trace);
	return ok;
}

static bool carry(const struct package *p, const char *library, struct error *err)
{
	const struct new_section sections[] = {{RT_SECTION_SHARED, p->text},
					       {RT_SECTION_SHARED_BITCODE, p->module},
					       {RT_SECTION_SHARED_NATIVE, p->native}};
	return sections_append(library, sections, access(p->native, F_OK) ? 2 : 3, err);
}

/* False without an error when there is nothing to pack. */
static bool pack(const struct package *p, const struct job *job, const char *tmp, bool verbose, struct error *err)
{
	const char *library = job->argv.at[linker_output(&job->argv)];
	struct dynamic made;
	err->text[0] = 0;
	if (!dynamic_read(&made, library))
		return false; /* /dev/null */
	unsigned priority = choose_priority(&job->argv, &made);
	const struct merge m = {p->module, p->trace, priority};
	bool ok = merge_bitcode(&m, job, verbose, err);
	ok = ok && !access(p->module, F_OK) && describe(p, job, &made, priority, tmp, err) && carry(p, library, err);
	dynamic_release(&made);
	return ok;
}

static int link_with_guard(const struct job *job)
{
	struct job with = {.argv = strings_copy(&job->argv)};
	char *guard = tool_file("rethread_library.o");
	strings_insert(&with.argv, linker_output(&job->argv) + 1, guard);
	int status = linker_run_plainly(&with);
	free(guard);
	job_release(&with);
	return status;
}

int shared_link(const struct job *job, const char *tmp, bool verbose)
{
	if (shared_is_kept(NULL))
		return linker_run_plainly(job);
	int status = link_with_guard(job);
	if (status)
		return status;
	struct error err;
	struct package p = {xasprintf("%s/module.bc", tmp), xasprintf("%s/native.o", tmp), xasprintf("%s/text", tmp),
			    xasprintf("%s/trace", tmp)};
	if (!pack(&p, job, tmp, verbose, &err) && !interrupt_signal()) {
		if (err.text[0])
			warn("%s is an ordinary shared library, whose code is not recorded: %s",
			     job->argv.at[linker_output(&job->argv)], err.text);
		status = linker_run_plainly(job); /* without the guard */
	}
	free(p.module);
	free(p.native);
	free(p.text);
	free(p.trace);
	return status;
}
