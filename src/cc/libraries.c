#include "cc/libraries.h"

#include "cc/exported.h"
#include "cc/shared.h"
#include "exe/elf_file.h"
#include "exe/sections.h"

#include <rethread/instrument.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- where a library is */

static bool is_called(const char *path, const char *name)
{
	struct dynamic d;
	if (!dynamic_read(&d, path))
		return false;
	const char *slash = strrchr(path, '/');
	bool same = d.soname ? !strcmp(d.soname, name) : !strcmp(path, name) || (slash && !strcmp(slash + 1, name));
	dynamic_release(&d);
	return same;
}

/* PATH itself, if it is there and is the library of that name; takes it over. */
static char *accept(char *path, const char *name)
{
	if (!access(path, R_OK) && is_called(path, name))
		return path;
	free(path);
	return NULL;
}

static char *in_folder_of(const char *file, const char *rest, const char *name)
{
	const char *slash = strrchr(file, '/');
	return accept(xasprintf("%.*s%s/%s", slash ? (int)(slash - file) : 1, slash ? file : ".", rest, name), name);
}

/* Folders with colons between them; $ORIGIN is the folder of `user'. */
static char *in_run_path(const char *list, const char *user, const char *name)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	char *found = NULL, *copy = xstrdup(list), *rest = copy;
	for (char *dir; !found && (dir = strsep(&rest, ":"));) {
		size_t origin = 0;
		for (size_t i = 0; i < 2; i++)
			if (!strncmp(dir, origins[i], strlen(origins[i])))
				origin = strlen(origins[i]);
		found = origin ? in_folder_of(user, dir + origin, name) : accept(xasprintf("%s/%s", dir, name), name);
	}
	free(copy);
	return found;
}

/* Where the link of library `user' found it. */
static char *as_linked(const struct library *user, const char *name)
{
	char *soname, *path, *found = NULL;
	for (size_t at = 0; !found && shared_needed(user->text, &at, &soname, &path); free(soname)) {
		if (!strcmp(soname, name))
			found = accept(path, name);
		else
			free(path);
	}
	return found;
}

/* Of the command line, of the link of the library that needs it, then as the dynamic linker would look for it. */
static char *locate(const struct libraries *all, const struct library *user, const strings *argv, const char *name)
{
	for (size_t i = 0; i < all->inputs.n; i++)
		if (!strcmp(all->inputs.at[i].name, name))
			return xstrdup(all->inputs.at[i].path);
	char *found = NULL;
	if (user && user->text)
		found = as_linked(user, name);
	if (!found && strchr(name, '/'))
		return accept(xstrdup(name), name);
	if (!found && user && user->path && user->dynamic.runpath)
		found = in_run_path(user->dynamic.runpath, user->path, name);
	if (!found && user && user->path)
		found = in_folder_of(user->path, "", name);
	return found ? found : linker_search(argv, name);
}

/* ---------------------------------------------------------------- loading */

static bool has_mark(const char *path)
{
	struct dynamic d;
	if (!dynamic_read(&d, path))
		return false;
	bool has = dynamic_uses(&d, RT_LIBRARY_MARK);
	dynamic_release(&d);
	return has;
}

bool libraries_any_ours(const struct libraries *all)
{
	bool any = false;
	for (size_t i = 0; i < all->inputs.n; i++) {
		const char *path = all->inputs.at[i].path;
		if (sections_has(path, RT_SECTION_SHARED))
			any = true;
		else if (has_mark(path))
			warn("%s was stripped of its bitcode: what it does is not recorded; `rethread strip' moves the bitcode to "
			     "a file beside it, where it is found", path);
	}
	return any;
}

struct library *libraries_find(const struct libraries *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i]->names.n; k++)
			if (!strcmp(all->at[i]->names.at[k], name))
				return all->at[i];
	return NULL;
}

static struct library *find_file(const struct libraries *all, const char *path)
{
	struct stat file, other;
	for (size_t i = 0; path && !stat(path, &file) && i < all->n; i++)
		if (all->at[i]->path && !stat(all->at[i]->path, &other) && file.st_ino == other.st_ino &&
		    file.st_dev == other.st_dev)
			return all->at[i];
	return NULL;
}

/* Takes path over. */
static struct library *add(struct libraries *all, const char *name, char *path)
{
	struct library *l = find_file(all, path);
	size_t size;
	if (l) {
		strings_add(&l->names, name);
		free(path);
		return l;
	}
	l = xcalloc(1, sizeof *l);
	strings_add(&l->names, name);
	l->number = all->n;
	if (path && dynamic_read(&l->dynamic, path))
		l->path = path;
	else
		free(path);
	if (l->path)
		sections_read(l->path, RT_SECTION_SHARED, &l->text, &size, NULL);
	*vec_push(all) = l;
	return l;
}

static void load_needed(struct libraries *all, struct library *user, const struct dynamic *d, const strings *argv)
{
	for (size_t i = 0; i < d->needed.n; i++) {
		const char *name = d->needed.at[i];
		struct library *l = libraries_find(all, name);
		if (!l)
			l = add(all, name, locate(all, user, argv, name));
		if (user)
			*vec_push(&user->needs) = l->number;
	}
}

bool libraries_load(struct libraries *all, const strings *argv, const char *program)
{
	if (!dynamic_read(&all->program, program))
		return false;
	all->program_path = xstrdup(program);
	load_needed(all, NULL, &all->program, argv);
	for (size_t i = 0; i < all->n; i++)
		load_needed(all, all->at[i], &all->at[i]->dynamic, argv);
	return true;
}

void libraries_release(struct libraries *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct library *l = all->at[i];
		dynamic_release(&l->dynamic);
		vec_free(&l->needs);
		strings_release(&l->names);
		free(l->path);
		free(l->text);
		free(l);
	}
	vec_free(all);
	dynamic_release(&all->program);
	free(all->program_path);
	linker_inputs_release(&all->inputs);
}

/* ---------------------------------------------------------------- choosing */

bool libraries_takes_in(const struct library *l)
{
	return l->text && !l->kept;
}

/* Why: who or what it is because of, and what about that. */
static void keep(struct library *l, const char *who, const char *why)
{
	l->kept = true;
	warn("%s stays a shared library, and what it does is not recorded: %s%s", l->names.at[0], who, why);
}

static bool asked_to_keep(const struct library *l)
{
	const char *slash = l->path ? strrchr(l->path, '/') : NULL;
	for (size_t i = 0; i < l->names.n; i++)
		if (shared_is_kept(l->names.at[i]))
			return true;
	return slash && shared_is_kept(slash + 1);
}

/* A symbol that the runtimes define, too, for all of the process; or NULL. */
static const char *stands_in(const struct library *l)
{
	for (size_t i = 0; i < l->dynamic.symbols.n; i++)
		if (l->dynamic.symbols.at[i].defined && exported_is_ours(l->dynamic.symbols.at[i].name))
			return l->dynamic.symbols.at[i].name;
	return NULL;
}

/* A symbol that the library, which finds its own definition first, shares with somebody else; or NULL. */
static const char *contested(const struct libraries *all, const struct library *l)
{
	bool symbolic = l->dynamic.symbolic || strstr(l->text, "\nsymbolic\n");
	for (size_t i = 0; symbolic && i < l->dynamic.symbols.n; i++) {
		const struct dynamic_symbol *s = &l->dynamic.symbols.at[i];
		if (!s->defined || !s->strong)
			continue;
		if (dynamic_defines(&all->program, s->name))
			return s->name;
		for (size_t k = 0; k < all->n; k++)
			if (all->at[k] != l && libraries_takes_in(all->at[k]) && dynamic_defines(&all->at[k]->dynamic, s->name))
				return s->name;
	}
	return NULL;
}

bool libraries_may_load(const struct libraries *all)
{
	static const char *const names[] = {"dlopen", "dlmopen", "dlsym", "dlvsym"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (dynamic_uses(&all->program, names[i]))
			return true;
		for (size_t k = 0; k < all->n; k++)
			if (libraries_takes_in(all->at[k]) && dynamic_uses(&all->at[k]->dynamic, names[i]))
				return true;
	}
	return false;
}

static bool mentions(const char *path, const char *text)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false;
	const Elf64_Shdr *s = elf_find(&e, ".rodata");
	char *data = s && s->sh_size <= e.size ? xmalloc(s->sh_size + 1) : NULL;
	bool found = data && elf_get(&e, data, s->sh_size, s->sh_offset) && memmem(data, s->sh_size, text, strlen(text));
	free(data);
	elf_close(&e);
	return found;
}

/* Who may load the library by its name, so that its code would be there twice; or NULL. */
static const char *loader(const struct libraries *all, const struct library *l)
{
	const char *slash = strrchr(l->names.at[0], '/'), *name = slash ? slash + 1 : l->names.at[0];
	const char *end = strstr(name, ".so"), *found = NULL;
	if (!end || !libraries_may_load(all) || shared_is_kept("none"))
		return NULL;
	char *stem = xasprintf("%.*s", (int)(end - name) + 3, name);
	if (mentions(all->program_path, stem))
		found = "the program";
	for (size_t i = 0; i < all->n && !found; i++)
		if (libraries_takes_in(all->at[i]) && mentions(all->at[i]->path, stem))
			found = all->at[i]->names.at[0];
	free(stem);
	return found;
}

/* What a shared library needs has to be a shared library. Returns whether there is more to keep now. */
static bool keep_needed(struct libraries *all, const struct library *user)
{
	bool more = false;
	for (size_t i = 0; i < user->needs.n && !libraries_takes_in(user); i++) {
		struct library *l = all->at[user->needs.at[i]];
		if (!libraries_takes_in(l))
			continue;
		keep(l, user->names.at[0], user->text ? " needs it, which stays one too"
						      : " needs it, which was not built with rethread cc");
		more = true;
	}
	return more;
}

/* For reasons of its own. */
static void keep_if_needed(const struct libraries *all, struct library *l, bool verbose)
{
	if (asked_to_keep(l)) {
		l->kept = true;
		if (verbose)
			fprintf(stderr, "rethread: %s stays a shared library: RETHREAD_KEEP_SHARED says so\n", l->names.at[0]);
		return;
	}
	const char *symbol = contested(all, l), *own = stands_in(l), *who = loader(all, l);
	if (symbol)
		keep(l, symbol, ", which is defined elsewhere too");
	else if (own)
		keep(l, own, ", in whose place rethread puts its own");
	else if (who)
		keep(l, who, " uses dlopen and has its name in it, and the code must not be there twice; RETHREAD_KEEP_SHARED=none if it is "
			     "not loaded so");
}

bool libraries_choose(struct libraries *all, bool verbose)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i]->text)
			keep_if_needed(all, all->at[i], verbose);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < all->n; i++)
			more = keep_needed(all, all->at[i]) || more;
	}
	size_t left = 0;
	for (size_t i = 0; i < all->n; i++)
		left += libraries_takes_in(all->at[i]);
	return left;
}
