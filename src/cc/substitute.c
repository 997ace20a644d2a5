#include "cc/substitute.h"

#include "cc/libraries.h"
#include "cc/linker.h"
#include "cc/shared.h"
#include "exe/elf_file.h"
#include "exe/sections.h"

#include <rethread/instrument.h>
#include <rethread/trace.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Take a section out of a library, to FILE; false when it has none or it cannot be written. */
static bool take(const struct library *l, const char *section, const char *file, struct error *err)
{
	char *data;
	size_t size;
	if (!sections_read(l->path, section, &data, &size, err))
		return false;
	bool ok = write_file(file, data, size, err);
	free(data);
	return ok;
}

static void add_shared(strings *to, const struct library *l)
{
	strings_add(to, "--push-state");
	strings_add(to, "--no-as-needed");
	if (l->path)
		strings_add(to, l->path);
	else
		linker_add(to, "-l:", l->names.at[0]);
	strings_add(to, "--pop-state");
}

/* The code of a library, and after it what it needs, as far as that is not there yet. */
static bool add_code(strings *to, struct libraries *all, struct library *l, const char *tmp, struct error *err)
{
	vec(struct library *) queue = {0};
	*vec_push(&queue) = l;
	bool ok = true;
	for (size_t i = 0; i < queue.n && ok; i++) {
		l = queue.at[i];
		if (l->placed)
			continue;
		l->placed = true;
		if (!libraries_takes_in(l)) {
			add_shared(to, l);
			continue;
		}
		char *module = xasprintf("%s/library%zu.bc", tmp, l->number), *native = xasprintf("%s/library%zu.o", tmp, l->number);
		ok = take(l, RT_SECTION_SHARED_BITCODE, module, err);
		strings_add(to, module);
		if (sections_has(l->path, RT_SECTION_SHARED_NATIVE)) {
			ok = ok && take(l, RT_SECTION_SHARED_NATIVE, native, err);
			strings_add(to, native);
		}
		free(module);
		free(native);
		for (size_t k = 0; k < l->needs.n; k++)
			*vec_push(&queue) = all->at[l->needs.at[k]];
	}
	vec_free(&queue);
	return ok;
}

/* The command line with code in the place of libraries. */
static bool replace(strings *to, const strings *argv, struct libraries *all, const char *tmp, struct error *err)
{
	bool ok = true;
	size_t next = 0;
	for (size_t i = 0; i < argv->n && ok; i++) {
		const struct linker_input *input = next < all->inputs.n ? &all->inputs.at[next] : NULL;
		if (!input || input->at != i) {
			strings_add(to, argv->at[i]);
			continue;
		}
		struct library *l = libraries_find(all, input->name);
		if (l && libraries_takes_in(l)) {
			ok = add_code(to, all, l, tmp, err);
		} else {
			for (size_t k = 0; k < input->n; k++)
				strings_add(to, argv->at[i + k]);
		}
		i += input->n - 1;
		next++;
	}
	strings_add(to, "--allow-multiple-definition");
	return ok;
}

/* Libraries that are loaded while the program runs may use symbols of those that are part of it now. */
static bool export_symbols(strings *argv, const struct libraries *all, const char *tmp, struct error *err)
{
	char *path = xasprintf("%s/exports", tmp);
	FILE *file = fopen(path, "w");
	bool ok = file || fail(err, "cannot write %s", path);
	if (ok) {
		fputs("{\n", file);
		for (size_t i = 0; i < all->n; i++)
			for (size_t k = 0; libraries_takes_in(all->at[i]) && k < all->at[i]->dynamic.symbols.n; k++)
				if (all->at[i]->dynamic.symbols.at[k].defined)
					fprintf(file, "%s;\n", all->at[i]->dynamic.symbols.at[k].name);
		fputs("};\n", file);
		ok = !fclose(file) || fail(err, "cannot write %s", path);
		linker_add(argv, "--export-dynamic-symbol-list=", path);
	}
	free(path);
	return ok;
}

static void print_absolute(FILE *file, const char *path)
{
	char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
	while (here && !strncmp(path, "./", 2))
		path += 2;
	fprintf(file, "%s%s%s\n", here ? here : "", here ? "/" : "", path);
	free(here);
}

/* The contents of RT_SECTION_LIBRARIES, and the names. */
static bool list_libraries(struct substitution *s, const struct libraries *all, const char *tmp, struct error *err)
{
	s->list = xasprintf("%s/libraries", tmp);
	s->names = xstrdup("");
	FILE *file = fopen(s->list, "w");
	if (!file)
		return fail(err, "cannot write %s", s->list);
	for (size_t i = 0; i < all->n; i++) {
		const struct library *l = all->at[i];
		struct elf e;
		uint8_t id[RT_BUILD_ID_SIZE];
		if (!libraries_takes_in(l) || !elf_open(&e, l->path, O_RDONLY, NULL))
			continue;
		size_t n = elf_build_id(&e, id, sizeof id);
		elf_close(&e);
		for (size_t k = 0; k < n; k++)
			fprintf(file, "%02x", id[k]);
		fputs(n ? " " : "- ", file);
		print_absolute(file, l->path);
		for (size_t k = 0; k < l->names.n; k++) {
			char *names = xasprintf("%s%s%s", s->names, *s->names ? ":" : "", l->names.at[k]);
			free(s->names);
			s->names = names;
		}
	}
	return !fclose(file) || fail(err, "cannot write %s", s->list);
}

static bool make_job(struct substitution *s, const strings *argv, struct libraries *all, const char *tmp, struct error *err)
{
	bool ok = replace(&s->job.argv, argv, all, tmp, err);
	if (ok && libraries_may_load(all))
		ok = export_symbols(&s->job.argv, all, tmp, err);
	ok = ok && list_libraries(s, all, tmp, err);
	if (ok)
		linker_add(&s->job.environment, "RETHREAD_PASS_LIBRARIES=", s->names);
	return ok;
}

/* What it says is said again by the link that counts, unless it fails. */
static int link_to(const struct job *job, const char *path, const char *tmp)
{
	char *log = xasprintf("%s/plain.log", tmp), *text;
	struct job plain = {.argv = strings_copy(&job->argv), .output = log};
	size_t size;
	linker_drop_side_outputs(&plain.argv);
	linker_set_output(&plain.argv, path);
	int status = linker_run_plainly(&plain);
	if (status && read_file(log, &text, &size, NULL)) {
		fwrite(text, 1, size, stderr);
		free(text);
	}
	job_release(&plain);
	free(log);
	return status;
}

int substitute(struct substitution *s, const struct job *job, const char *tmp, bool verbose)
{
	*s = (struct substitution){0};
	struct libraries all = {.inputs = linker_libraries(&job->argv)};
	int status = 0;
	struct error err;
	if (!shared_is_kept(NULL) && libraries_any_ours(&all)) {
		char *plain = xasprintf("%s/plain", tmp);
		status = link_to(job, plain, tmp);
		if (!status && libraries_load(&all, &job->argv, plain) && libraries_choose(&all, verbose) &&
		    !make_job(s, &job->argv, &all, tmp, &err)) {
			warn("the shared libraries stay what they are and are not recorded: %s", err.text);
			substitution_release(s);
		}
		unlink(plain);
		free(plain);
	}
	if (verbose && s->names)
		fprintf(stderr, "rethread: linked in: %s\n", s->names);
	libraries_release(&all);
	return status;
}

void substitution_release(struct substitution *s)
{
	job_release(&s->job);
	free(s->list);
	free(s->names);
	*s = (struct substitution){0};
}
