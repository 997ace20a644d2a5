#include "exe/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <rethread/instrument.h>
#include <rethread/trace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE ".note.gnu.build-id"

/* Is it one of ours, which are moved? */
static bool is_moved(const struct elf *e, const Elf64_Shdr *s)
{
	return s->sh_name < e->names_size && !strncmp(e->names + s->sh_name, RT_SECTION_PREFIX, strlen(RT_SECTION_PREFIX));
}

static size_t count_moved(const struct elf *e)
{
	size_t n = 0;
	for (size_t i = 1; i < e->header.e_shnum; i++)
		n += is_moved(e, &e->sections[i]);
	return n;
}

/* ---------------------------------------------------------------- where it is */

static char *beside(const char *program)
{
	return xasprintf("%s.rethread", program);
}

/* DIR/xx/yyyy.rethread */
static char *by_id(const char *dir, const uint8_t *id, size_t n)
{
	char hex[2 * RT_BUILD_ID_SIZE + 1] = "";
	for (size_t i = 1; i < n; i++)
		snprintf(hex + 2 * (i - 1), 3, "%02x", id[i]);
	return xasprintf("%s/%02x/%s.rethread", dir, id[0], hex);
}

static char *user_dir(void)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (data && *data)
		return xasprintf("%s/rethread/debug", data);
	return xasprintf("%s/.local/share/rethread/debug", home ? home : "");
}

char *companion_path(const char *program, bool store, struct error *err)
{
	struct elf e;
	uint8_t id[RT_BUILD_ID_SIZE];
	if (!elf_open(&e, program, O_RDONLY, err))
		return NULL;
	size_t n = elf_build_id(&e, id, sizeof id);
	elf_close(&e);
	if (!n) {
		fail(err, "%s has no build-id, by which its companion would be found", program);
		return NULL;
	}
	if (!store)
		return beside(program);
	char *dir = user_dir(), *path = by_id(dir, id, n);
	free(dir);
	return path;
}

static bool is_companion(struct elf *c, const char *path, const uint8_t *id, size_t n, const char *section)
{
	uint8_t its[RT_BUILD_ID_SIZE];
	if (!elf_open(c, path, O_RDONLY, NULL))
		return false;
	if (elf_find(c, section) && elf_build_id(c, its, sizeof its) == n && !memcmp(id, its, n))
		return true;
	elf_close(c);
	return false;
}

bool companion_open(struct elf *e, const char *section, struct error *err)
{
	uint8_t id[RT_BUILD_ID_SIZE];
	size_t n = elf_build_id(e, id, sizeof id);
	char *user = user_dir();
	char *places[] = {beside(e->path), n ? by_id(user, id, n) : NULL,
			  n ? by_id("/usr/lib/debug/.build-id", id, n) : NULL};
	const char *program = e->path;
	elf_close(e);
	bool found = false;
	for (size_t i = 0; i < 3; i++) {
		found = found || (n && is_companion(e, places[i], id, n, section));
		if (found && e->path == places[i])
			e->path = program; /* what messages name, and outlives this */
		free(places[i]);
	}
	free(user);
	if (!found)
		fail(err, "%s has no section %s, and there is no companion file with its build-id (%s.rethread): build it "
			  "with rethread cc; `rethread strip' moves the section to a companion, strip(1) loses it",
		     program, section, program);
	return found;
}

/* ---------------------------------------------------------------- stripping */

static bool copy_section(const struct elf *from, struct elf *to, const char *name, struct error *err)
{
	const Elf64_Shdr *s = elf_find(from, name);
	if (!s)
		return fail(err, "%s has no section %s: nothing to move", from->path, name);
	char *data = s->sh_size <= from->size ? xmalloc(s->sh_size) : NULL;
	Elf64_Shdr copy = {.sh_type = s->sh_type, .sh_addralign = s->sh_addralign, .sh_size = s->sh_size};
	bool ok = (data && elf_get(from, data, s->sh_size, s->sh_offset)) ||
		  fail(err, "the section %s of %s is damaged", name, from->path);
	ok = ok && elf_append_section(to, name, copy, data, err);
	free(data);
	return ok;
}

/* An ELF file without anything but the null section and the names of sections. */
static bool create_empty(struct elf *e, const char *path, const Elf64_Ehdr *like, struct error *err)
{
	static const char names[] = "\0.shstrtab";
	*e = (struct elf){.path = path, .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
	if (e->fd < 0)
		return fail(err, "cannot write %s: %s", path, strerror(errno));
	e->header = *like;
	e->header.e_type = ET_REL;
	e->header.e_entry = e->header.e_phoff = 0;
	e->header.e_phnum = e->header.e_phentsize = 0;
	e->header.e_shnum = 2;
	e->header.e_shstrndx = 1;
	e->size = sizeof e->header;
	e->sections = xcalloc(2, sizeof *e->sections);
	e->sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1};
	e->names_size = sizeof names;
	e->names = xmalloc(sizeof names);
	memcpy(e->names, names, sizeof names);
	return true;
}

static bool write_companion(const struct elf *program, const char *path, struct error *err)
{
	struct elf c;
	if (!create_empty(&c, path, &program->header, err))
		return false;
	bool ok = copy_section(program, &c, NOTE, err);
	for (size_t i = 1; i < program->header.e_shnum && ok; i++)
		if (is_moved(program, &program->sections[i]))
			ok = copy_section(program, &c, program->names + program->sections[i].sh_name, err);
	ok = ok && elf_finish(&c, err);
	elf_close(&c);
	return ok;
}

/* How much of the file is the program's without our sections, its names of sections and its table of them. */
static uint64_t end_of_program(const struct elf *e, size_t nsections, struct error *err)
{
	uint64_t end = sizeof e->header;
	for (size_t i = 1; i < nsections; i++) {
		const Elf64_Shdr *s = &e->sections[i];
		if (i != e->header.e_shstrndx && s->sh_type != SHT_NOBITS && s->sh_offset + s->sh_size > end)
			end = s->sh_offset + s->sh_size;
	}
	for (size_t i = 0; i < e->header.e_phnum; i++) {
		Elf64_Phdr p;
		if (!elf_get(e, &p, sizeof p, e->header.e_phoff + i * sizeof p)) {
			fail(err, "%s is damaged", e->path);
			return 0;
		}
		if (p.p_offset + p.p_filesz > end)
			end = p.p_offset + p.p_filesz;
	}
	return end;
}

static bool copy_start(const struct elf *from, const char *path, uint64_t size, struct error *err)
{
	char *data = xmalloc(size);
	bool ok = (elf_get(from, data, size, 0) || fail(err, "cannot read %s", from->path)) &&
		  write_file(path, data, size, err);
	free(data);
	return ok;
}

/* The program without our sections, which are the last of its table. */
static bool write_stripped(const struct elf *program, const char *path, struct error *err)
{
	size_t n = program->header.e_shnum - count_moved(program);
	for (size_t i = 1; i < n; i++)
		if (is_moved(program, &program->sections[i]))
			return fail(err, "the sections of %s were moved around by another tool: objcopy --remove-section "
					 "takes them out", program->path);
	uint64_t end = end_of_program(program, n, err);
	if (!end || end > program->size || !copy_start(program, path, end, err))
		return false;
	struct elf s = *program;
	s.path = path;
	s.fd = open(path, O_RDWR | O_CLOEXEC);
	s.size = end;
	s.header.e_shnum = (Elf64_Half)n;
	bool ok = s.fd >= 0 ? elf_finish(&s, err) : fail(err, "cannot write %s: %s", path, strerror(errno));
	struct stat st;
	if (ok && (fstat(program->fd, &st) || fchmod(s.fd, st.st_mode & 07777)))
		ok = fail(err, "cannot make %s executable: %s", path, strerror(errno));
	if (s.fd >= 0)
		close(s.fd);
	return ok;
}

bool companion_strip(const char *program, const char *companion, struct error *err)
{
	struct elf e;
	uint8_t id[RT_BUILD_ID_SIZE];
	if (!elf_open(&e, program, O_RDONLY, err))
		return false;
	char *new_program = xasprintf("%s.tmp%d", program, (int)getpid());
	char *new_companion = xasprintf("%s.tmp%d", companion, (int)getpid());
	bool ok = elf_build_id(&e, id, sizeof id) ||
		  fail(err, "%s has no build-id, by which its companion would be found", program);
	ok = ok && (count_moved(&e) || fail(err, "%s has no section %s...: nothing to move", program, RT_SECTION_PREFIX)) &&
	     write_companion(&e, new_companion, err) && write_stripped(&e, new_program, err);
	elf_close(&e);
	if (ok && (rename(new_companion, companion) || rename(new_program, program)))
		ok = fail(err, "cannot rename %s and %s: %s", new_companion, new_program, strerror(errno));
	if (!ok) {
		unlink(new_program);
		unlink(new_companion);
	}
	free(new_program);
	free(new_companion);
	return ok;
}
