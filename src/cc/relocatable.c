#include "cc/relocatable.h"

#include "base/interrupt.h"
#include "cc/linker.h"
#include "cc/merge.h"
#include "cc/native.h"
#include "exe/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* As in LLVM's ELF.h: what clang gives the section of a fat object. */
enum { SECTION_TYPE_LTO = 0x6fff4c0c };

/* Sets *file to the first object without bitcode, malloc'ed, or to NULL. */
static bool find_native(const char *trace, char **file, const char *tmp, struct error *err)
{
	char *text, *line;
	size_t size;
	if (!read_file(trace, &text, &size, err))
		return false;
	strings objects = {0}, files = {0};
	for (char *rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			native_add(&objects, line);
	bool ok = native_unpack(&objects, tmp, &files, err);
	*file = ok && files.n ? xstrdup(files.at[0]) : NULL;
	strings_release(&objects);
	strings_release(&files);
	free(text);
	return ok;
}

static bool add_bitcode(const char *object, const char *module, struct error *err)
{
	struct elf e;
	char *data;
	size_t size;
	if (!read_file(module, &data, &size, err))
		return false;
	bool ok = elf_open(&e, object, O_RDWR, err);
	if (ok) {
		Elf64_Shdr s = {.sh_type = SECTION_TYPE_LTO, .sh_flags = SHF_EXCLUDE, .sh_addralign = 1, .sh_size = size};
		ok = elf_append_section(&e, ".llvm.lto", s, data, err) && elf_finish(&e, err);
		elf_close(&e);
	}
	free(data);
	return ok;
}

/* False without an error when no object has bitcode. */
static bool make_fat(const struct merge *m, const struct job *job, const char *tmp, bool verbose, struct error *err)
{
	char *native = NULL;
	err->text[0] = 0;
	if (!merge_bitcode(m, job, verbose, err) || access(m->module, F_OK) || !find_native(m->trace, &native, tmp, err))
		return false;
	if (native) {
		fail(err, "%s has no bitcode", native);
		free(native);
		return false;
	}
	return add_bitcode(job->argv.at[linker_output(&job->argv)], m->module, err);
}

int relocatable_link(const struct job *job, const char *tmp, bool verbose)
{
	int status = linker_run_plainly(job);
	if (status)
		return status;
	struct error err;
	char *module = xasprintf("%s/module.bc", tmp), *trace = xasprintf("%s/trace", tmp);
	const struct merge m = {module, trace, 0};
	if (!make_fat(&m, job, tmp, verbose, &err) && err.text[0] && !interrupt_signal())
		warn("what is in %s will not be recorded: %s", job->argv.at[linker_output(&job->argv)], err.text);
	free(module);
	free(trace);
	return 0;
}
