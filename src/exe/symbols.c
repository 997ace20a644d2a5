#include "exe/symbols.h"

#include "base/sources.h"

#include "exe/demangle.h"

#include <rethread/instrument.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;    /* NULL when there is none */
	Dwarf_Addr bias; /* of libdwfl's made-up load address */
	char **names;    /* of functions that the symbol table calls otherwise */
	size_t nnames;
};

/* Never looks for separate debug files by network or path: what the link made is in the file. */
static int no_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_open(const char *path, struct error *err)
{
	struct symbols *s = xcalloc(1, sizeof *s);
	s->dwfl = dwfl_begin(&callbacks);
	s->module = s->dwfl ? dwfl_report_offline(s->dwfl, path, path, -1) : NULL;
	if (!s->module) {
		fail(err, "cannot read the symbols of %s: %s", path, dwfl_errmsg(-1));
		symbols_close(s);
		return NULL;
	}
	dwfl_report_end(s->dwfl, NULL, NULL);
	if (!dwfl_module_getelf(s->module, &s->bias))
		s->bias = 0;
	Dwarf_Addr bias;
	s->dwarf = dwfl_module_getdwarf(s->module, &bias);
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	if (s->dwfl)
		dwfl_end(s->dwfl);
	for (size_t i = 0; i < s->nnames; i++)
		free(s->names[i]);
	free(s->names);
	free(s);
}

/*
 * The compilation unit of an address (in the file's own terms). Every unit is asked for its ranges:
 * clang writes no .debug_aranges, and without that libdw has no index.
 */
static bool find_unit(struct symbols *s, Dwarf_Addr address, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die sub;
	uint8_t type;
	while (s->dwarf && !dwarf_get_units(s->dwarf, cu, &cu, NULL, &type, unit, &sub)) {
		if (dwarf_tag(unit) == DW_TAG_compile_unit && dwarf_haspc(unit, address) > 0)
			return true;
	}
	return false;
}

/* The innermost function, inlined ones included; NULL when the debug information has none. */
static const char *function_at(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Die *scopes = NULL;
	const char *name = NULL;
	int n = dwarf_getscopes(unit, address, &scopes);
	for (int i = 0; i < n && !name; i++) {
		int tag = dwarf_tag(&scopes[i]);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		Dwarf_Attribute attribute;
		if (dwarf_attr_integrate(&scopes[i], DW_AT_name, &attribute))
			name = dwarf_formstring(&attribute);
	}
	free(scopes);
	return name;
}

/* How long the symbol is without the mark of a function's version (instrument.h). */
static size_t plain_length(const char *symbol)
{
	static const char *const versions[] = {RT_WITH_VALUES, RT_WITHOUT_VALUES};
	size_t n = strlen(symbol);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		size_t behind = strlen(versions[i]);
		if (n > behind && !strcmp(symbol + n - behind, versions[i]))
			return n - behind;
	}
	return n;
}

/* What the symbol's function is called in the source. */
static const char *plain_name(struct symbols *s, const char *symbol)
{
	if (!symbol)
		return NULL;
	char *plain = xasprintf("%.*s", (int)plain_length(symbol), symbol);
	s->names = xrealloc(s->names, (s->nnames + 1) * sizeof *s->names);
	s->names[s->nnames++] = demangle(plain);
	free(plain);
	return s->names[s->nnames - 1];
}

bool symbols_find(struct symbols *s, uint64_t address, struct position *p)
{
	Dwarf_Die unit;
	const char *name = NULL;
	*p = (struct position){.function = "?"};
	if (find_unit(s, address, &unit)) {
		Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
		name = function_at(&unit, address);
		if (line && !dwarf_lineno(line, &p->line))
			p->file = dwarf_linesrc(line, NULL, NULL);
	}
	if (!name)
		name = plain_name(s, dwfl_module_addrname(s->module, address + s->bias));
	if (name)
		p->function = name;
	return name || p->file;
}

/* Where an inlined function is called. False: it is none, or that is not known. */
static bool call_of(Dwarf_Die *unit, Dwarf_Die *scope, struct position *p)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;
	if (dwarf_tag(scope) != DW_TAG_inlined_subroutine || !dwarf_attr(scope, DW_AT_call_file, &attribute) || dwarf_formudata(&attribute, &file) ||
	    !dwarf_attr(scope, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) || dwarf_getsrcfiles(unit, &files, &n) || file >= n)
		return false;
	p->file = dwarf_filesrc(files, file, NULL, NULL);
	p->line = (int)line;
	return true;
}

typedef bool is_wanted(const struct position *p, const struct position *what);

/* Finds the position, or the nearest one that it is inlined into, which is wanted; the outermost when none is. */
static bool find_outwards(struct symbols *s, uint64_t address, struct position *p, is_wanted *wanted, const struct position *what)
{
	Dwarf_Die unit, *innermost = NULL, *scopes = NULL;
	bool found = symbols_find(s, address, p);
	int n = found && !wanted(p, what) && find_unit(s, address, &unit) ? dwarf_getscopes(&unit, address, &innermost) : 0;
	n = n > 0 ? dwarf_getscopes_die(&innermost[0], &scopes) : 0; /* what it is inlined into, not where it is defined */
	for (int i = 0; i < n && !wanted(p, what); i++) {
		if (!call_of(&unit, &scopes[i], p))
			continue;
		for (int k = i + 1; k < n; k++) {
			Dwarf_Attribute name;
			int tag = dwarf_tag(&scopes[k]);
			if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
				continue;
			if (dwarf_attr_integrate(&scopes[k], DW_AT_name, &name))
				p->function = dwarf_formstring(&name);
			break;
		}
	}
	free(innermost);
	free(scopes);
	return found;
}

static bool is_own(const struct position *p, const struct position *what)
{
	(void)what;
	return !p->file || !is_system_source(p->file);
}

bool symbols_find_own(struct symbols *s, uint64_t address, struct position *p)
{
	return find_outwards(s, address, p, is_own, NULL);
}

static bool is_line(const struct position *p, const struct position *what)
{
	return p->line == what->line && p->function && what->function && !strcmp(p->function, what->function);
}

bool symbols_is_at(struct symbols *s, uint64_t address, const struct position *what)
{
	struct position p;
	return find_outwards(s, address, &p, is_line, what) && is_line(&p, what);
}

bool symbols_same_function(struct symbols *s, uint64_t address, struct symbols *other, uint64_t other_address)
{
	const char *a = dwfl_module_addrname(s->module, address + s->bias);
	const char *b = dwfl_module_addrname(other->module, other_address + other->bias);
	return a && b && plain_length(a) == plain_length(b) && !strncmp(a, b, plain_length(a));
}

const char *symbols_variable(struct symbols *s, uint64_t address, uint64_t *offset)
{
	GElf_Sym symbol;
	GElf_Off within = 0;
	const char *name = dwfl_module_addrinfo(s->module, address + s->bias, &within, &symbol, NULL, NULL, NULL);
	*offset = within;
	return name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT ? name : NULL;
}

size_t symbols_build_id(struct symbols *s, uint8_t *to, size_t size)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(s->module, &bits, &address);
	if (n <= 0)
		return 0;
	memcpy(to, bits, (size_t)n < size ? (size_t)n : size);
	return (size_t)n;
}
