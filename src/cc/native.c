#include "cc/native.h"

#include "cc/archive.h"
#include "exe/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Part of every link: clang adds them again where the code goes. */
static bool is_clangs_own(const char *file)
{
	static const char *const names[] = {"crt1.o", "Scrt1.o", "gcrt1.o", "crti.o", "crtn.o", "crtbegin", "crtend",
					    "libgcc.a(", "libgcc_eh.a(", "libc_nonshared.a(", "libclang_rt.", "clang_rt."};
	size_t archive = strcspn(file, "(");
	char *path = xasprintf("%.*s", (int)archive, file);
	char *name = xasprintf("%s%s", base_name(path), file[archive] ? "(" : "");
	bool own = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		own = own || !strncmp(name, names[i], strlen(names[i]));
	free(path);
	free(name);
	return own;
}

/* ---------------------------------------------------------------- members of archives */

/* "ARCHIVE(MEMBER)" -> both, malloc'ed; false for anything else. */
static bool split_member(const char *file, char **archive, char **member)
{
	size_t n = strlen(file);
	const char *open = strrchr(file, '(');
	if (!open || file[n - 1] != ')')
		return false;
	*archive = xasprintf("%.*s", (int)(open - file), file);
	*member = xasprintf("%.*s", (int)(file + n - 1 - open - 1), open + 1);
	return true;
}

/* The file that a member of a thin archive is; malloc'ed. */
static char *file_of(const struct archive *a, const char *name)
{
	const char *slash = strrchr(a->path, '/');
	if (name[0] == '/' || !slash)
		return xstrdup(name);
	return xasprintf("%.*s/%s", (int)(slash - a->path), a->path, name);
}

/* The members of that name are added to the files, as TO.N where they are none. The linker names folders only in thin archives, and not always. */
static bool extract(const char *archive, const char *member, const char *to, strings *files, struct error *err)
{
	struct archive a;
	struct member m;
	size_t before = files->n;
	if (!archive_open(&a, archive, err))
		return false;
	bool ok = true;
	while (ok && archive_next(&a, &m)) {
		if (strcmp(m.name, member) && strcmp(base_name(m.name), member))
			continue;
		char *path = a.thin ? file_of(&a, m.name) : xasprintf("%s.%zu", to, files->n);
		ok = a.thin || write_file(path, m.data, m.size, err);
		strings_add(files, path);
		free(path);
	}
	archive_close(&a);
	return ok && (files->n > before || fail(err, "%s has no member %s", archive, member));
}

/* ---------------------------------------------------------------- what is native */

static bool is_native(const char *path)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false;
	bool native = e.header.e_type == ET_REL && !elf_find(&e, ".llvm.lto");
	elf_close(&e);
	return native;
}

void native_add(strings *objects, const char *file)
{
	bool is_member = access(file, R_OK) && file[strlen(file) - 1] == ')';
	/* Members are looked into when all are known (native_join). */
	if (!is_clangs_own(file) && (is_member || is_native(file)))
		strings_add(objects, file);
}

static bool has_constructors(const char *path)
{
	struct elf e;
	bool has = false;
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false;
	for (size_t i = 1; i < e.header.e_shnum; i++) {
		const char *name = e.sections[i].sh_name < e.names_size ? e.names + e.sections[i].sh_name : "";
		has = has || !strncmp(name, ".init_array", 11) || !strncmp(name, ".fini_array", 11) ||
		      !strncmp(name, ".ctors", 6) || !strncmp(name, ".dtors", 6);
	}
	elf_close(&e);
	return has;
}

bool native_unpack(const strings *objects, const char *tmp, strings *files, struct error *err)
{
	char *to = xasprintf("%s/member", tmp);
	bool ok = true;
	for (size_t i = 0; i < objects->n && ok; i++) {
		char *archive, *member;
		if (!access(objects->at[i], R_OK)) {
			strings_add(files, objects->at[i]);
		} else if (split_member(objects->at[i], &archive, &member)) {
			ok = extract(archive, member, to, files, err);
			free(archive);
			free(member);
		}
	}
	for (size_t i = files->n; i-- > 0;)
		if (!is_native(files->at[i]))
			strings_remove(files, i);
	free(to);
	return ok;
}

bool native_join(const strings *objects, const char *linker, const char *tmp, const char *to, struct error *err)
{
	strings files = {0};
	bool ok = native_unpack(objects, tmp, &files, err);
	for (size_t i = 0; i < files.n && ok; i++)
		if (has_constructors(files.at[i]))
			ok = fail(err, "%s was not made by rethread cc and has constructors, whose order would change",
				  objects->n == 1 ? objects->at[0] : base_name(files.at[i]));
	if (ok && files.n) {
		struct job join = {0};
		const char *const words[] = {linker, "-m", "elf_x86_64", "-r", "-o", to};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			strings_add(&join.argv, words[i]);
		for (size_t i = 0; i < files.n; i++)
			strings_add(&join.argv, files.at[i]);
		ok = !jobs_run(&join, 1, 1, false) || fail(err, "its objects without bitcode cannot be joined");
		job_release(&join);
	}
	strings_release(&files);
	return ok;
}
