#include "exe/variables.h"

#include "exe/bitfields.h"

#include "base/sources.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct variable {
	const char *name, *linkage_name; /* the debug information's own; linkage_name may be NULL */
	Dwarf_Die type;
	bool split; /* its members are variables of their own: name.0, name.1, ... */
	Dwarf_Attribute location;
};

struct record {
	const char *name; /* NULL when it has none */
	Dwarf_Die die;
	uint64_t size;
	unsigned line;
};

struct local {
	const char *name;
	unsigned line;
	Dwarf_Die type;
};

struct variables {
	int fd;
	Dwarf *dwarf;
	vec(struct variable) all;
	vec(struct record) records; /* structures, classes, unions; found when first asked for */
	bool records_found;
	vec(struct local) locals; /* the same */
	bool locals_found;
};

/* ---------------------------------------------------------------- the index */

static bool reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, attribute, &a) && dwarf_formref_die(&a, to);
}

static const char *string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
}

static void note_variable(struct variables *v, Dwarf_Die *die)
{
	struct variable found = { .name = string(die, DW_AT_name), .linkage_name = string(die, DW_AT_linkage_name) };
	/* Local ones live in registers and frames; what has one place is what the symbol table knows. */
	Dwarf_Op *ops;
	size_t n;
	size_t first = 0; /* pieces that are nowhere may come before */
	bool is_static = dwarf_attr(die, DW_AT_location, &found.location) && !dwarf_getlocation(&found.location, &ops, &n) && n;
	while (is_static && first + 1 < n && ops[first].atom == DW_OP_piece)
		first++;
	is_static = is_static && (ops[first].atom == DW_OP_addr || ops[first].atom == DW_OP_addrx);
	for (size_t i = 0; is_static && i < n; i++)
		found.split |= ops[i].atom == DW_OP_piece;
	if (is_static && found.name && reference(die, DW_AT_type, &found.type))
		*vec_push(&v->all) = found;
}

static void note_record(struct variables *v, Dwarf_Die *die)
{
	Dwarf_Word size;
	int line = 0;
	if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_aggregate_size(die, &size))
		return;
	dwarf_decl_line(die, &line);
	*vec_push(&v->records) = (struct record){ dwarf_diename(die), *die, size, (unsigned)line };
}

static void note_local(struct variables *v, Dwarf_Die *die)
{
	struct local found = { .name = string(die, DW_AT_name) };
	Dwarf_Attribute a;
	Dwarf_Word line;
	if (!found.name || !dwarf_attr_integrate(die, DW_AT_decl_line, &a) || dwarf_formudata(&a, &line) || !reference(die, DW_AT_type, &found.type))
		return;
	found.line = (unsigned)line;
	*vec_push(&v->locals) = found;
}

/* Functions of a class are in it. */
static void note_nothing(struct variables *v, Dwarf_Die *die)
{
	(void)v, (void)die;
}

typedef void noted(struct variables *v, Dwarf_Die *die);

/* All variables, or all records. */
static void walk(struct variables *v, Dwarf_Die *parent, noted *variable, noted *record, unsigned depth)
{
	Dwarf_Die die;
	if (depth > 32 || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			if (variable)
				variable(v, &die);
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (record) {
				record(v, &die);
				walk(v, &die, variable, record, depth + 1);
			}
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			walk(v, &die, variable, record, depth + 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

/* Part of every program, but no source of its own: a name there is another variable than the program's. */
static bool is_of_runtime(Dwarf_Die *unit)
{
	const char *name = string(unit, DW_AT_name);
	return name && !strncmp(name, RT_SOURCE_PREFIX, strlen(RT_SOURCE_PREFIX));
}

static void walk_units(struct variables *v, noted *variable, noted *record)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	uint8_t type;
	while (!dwarf_get_units(v->dwarf, cu, &cu, NULL, &type, &unit, &sub))
		if (!is_of_runtime(&unit))
			walk(v, &unit, variable, record, 0);
}

struct variables *variables_open(const char *program)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (!dwarf) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct variables *v = xcalloc(1, sizeof *v);
	v->fd = fd;
	v->dwarf = dwarf;
	walk_units(v, note_variable, NULL);
	return v;
}

void variables_close(struct variables *v)
{
	if (!v)
		return;
	vec_free(&v->all);
	vec_free(&v->records);
	vec_free(&v->locals);
	dwarf_end(v->dwarf);
	close(v->fd);
	free(v);
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static bool begins_as(const char *name, const char *whole, size_t n)
{
	return name && !strncmp(name, whole, n) && !name[n];
}

/* `_ZZ4mainE5cache` or `_ZZ4mainE5cache_0` is `cache`, a static variable of a function of C++; the debug information has no other name of it. */
static bool is_local_of_cxx(const char *linkers, const char *name)
{
	char *ending = xasprintf("E%zu%s", strlen(name), name);
	const char *at = NULL, *next = strncmp(linkers, "_ZZ", 3) ? NULL : strstr(linkers, ending);
	for (; next; next = strstr(at + 1, ending))
		at = next;
	const char *rest = at ? at + strlen(ending) : NULL;
	free(ending);
	return rest && (!*rest || (*rest == '_' && is_number(rest + 1)));
}

/*
 * The linker's name of a static variable of a function is `function.name`; of one of several with the same name in
 * different files, or of a member of one that was split, `name.123`. A name that fits two variables fits none.
 */
static const struct variable *find(const struct variables *v, const char *name)
{
	const char *dot = strrchr(name, '.');
	const struct variable *local = NULL;
	for (size_t i = 0; i < v->all.n; i++) {
		const struct variable *x = &v->all.at[i];
		if (!strcmp(x->linkage_name ? x->linkage_name : x->name, name))
			return x;
	}
	for (size_t i = 0; i < v->all.n; i++) {
		const struct variable *x = &v->all.at[i];
		size_t n = dot ? (size_t)(dot - name) : 0;
		bool fits = !dot ? !x->linkage_name && is_local_of_cxx(name, x->name) : !strcmp(x->name, dot + 1) ||
			    (is_number(dot + 1) && (begins_as(x->name, name, n) || begins_as(x->linkage_name, name, n)));
		if (fits && local)
			return NULL;
		if (fits)
			local = x;
	}
	return local;
}

/* ---------------------------------------------------------------- variables that were split */

static bool symbol_address(const struct variables *v, const char *name, uint64_t *address)
{
	Elf *elf = dwarf_getelf(v->dwarf);
	GElf_Shdr header;
	GElf_Sym symbol;
	for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB ? elf_getdata(section, NULL) : NULL;
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			const char *its = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (its && !strcmp(its, name)) {
				*address = symbol.st_value;
				return true;
			}
		}
	}
	return false;
}

/* Reads a constant, or all bits of it the other way round: so -1 is written. How many operations that takes; 0: it is none. */
static size_t constant(const Dwarf_Op *op, size_t n, int64_t *value)
{
	bool literal = n && op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31;
	if (!n || !(literal || op->atom == DW_OP_constu || op->atom == DW_OP_consts || (op->atom >= DW_OP_const1u && op->atom <= DW_OP_const8s)))
		return 0;
	*value = literal ? op->atom - DW_OP_lit0 : (int64_t)op->number;
	if (n < 2 || op[1].atom != DW_OP_not)
		return 1;
	*value = ~*value;
	return 2;
}

/* Behind the address: is one bit kept there, of which the value is computed? */
static void find_shrunk(const Dwarf_Op *ops, size_t n, struct value_type *type)
{
	int64_t times, plus;
	size_t at = 2, used;
	if (n < 2 || ops[1].atom != DW_OP_deref_size || !(used = constant(ops + at, n - at, &times)) || (at += used) >= n || ops[at++].atom != DW_OP_mul)
		return;
	if (!(used = constant(ops + at, n - at, &plus)) || (at += used) + 1 >= n || ops[at].atom != DW_OP_plus || ops[at + 1].atom != DW_OP_stack_value)
		return;
	*type = (struct value_type){ .kind = VALUE_SHRUNK, .size = (unsigned)ops[1].number, .times = times, .plus = plus };
}

/* The debug information has the pieces in order, each with its address if there is one. Where in the variable is the piece with this symbol? */
static bool piece_offset(const struct variables *v, const struct variable *x, const char *name, uint64_t *offset, struct value_type *type)
{
	uint64_t wanted, at = 0;
	Dwarf_Attribute location = x->location, address;
	Dwarf_Op *ops;
	size_t n;
	bool here = false;
	if (!symbol_address(v, name, &wanted) || dwarf_getlocation(&location, &ops, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr found = ops[i].number;
		if (ops[i].atom == DW_OP_addr || (ops[i].atom == DW_OP_addrx && !dwarf_getlocation_attr(&location, &ops[i], &address) && !dwarf_formaddr(&address, &found)))
			here = found == wanted, here ? find_shrunk(&ops[i], n - i, type) : (void)0;
		if (ops[i].atom != DW_OP_piece)
			continue;
		*offset = at;
		if (here)
			return true;
		at += ops[i].number;
	}
	return false;
}

/* ---------------------------------------------------------------- down to a member */

/* What is left of a name when typedefs and qualifiers are taken off. */
static bool plain_type(Dwarf_Die *type)
{
	for (int i = 0; i < 32; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!reference(type, DW_AT_type, type))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

struct place {
	char name[160];
	Dwarf_Die type;
	uint64_t offset; /* into it */
	size_t reserved; /* of the name: where a last part that begins with _ begins, after the first byte; 0: it does not */
	bool pointed;    /* VARIABLES_POINTED */
	struct value_type bits; /* ... of bit-fields, where it ends in those */
	bool ends;
	bool whole;      /* it has a name already, and its insides add nothing: a std::atomic */
};

static void append(struct place *p, const char *format, const char *text, uint64_t number)
{
	size_t n = strlen(p->name);
	if (text)
		snprintf(p->name + n, sizeof p->name - n, format, text);
	else
		snprintf(p->name + n, sizeof p->name - n, format, number);
}

static bool holds(Dwarf_Die *type, uint64_t offset, unsigned size)
{
	Dwarf_Word bytes;
	return !dwarf_aggregate_size(type, &bytes) && offset + (size ? size : 1) <= bytes;
}

/* The last member of a structure that is allocated as large as needed. */
static bool is_open_array(Dwarf_Die *type)
{
	Dwarf_Word bytes;
	return dwarf_tag(type) == DW_TAG_array_type && (dwarf_aggregate_size(type, &bytes) || !bytes);
}

/* A class whose members are told elsewhere: std::condition_variable. */
static bool is_only_declared(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	bool declared = false;
	return dwarf_attr(type, DW_AT_declaration, &a) && !dwarf_formflag(&a, &declared) && declared;
}

/* Names that nobody but the library may use: those that begin with _, and the `c` of a std::queue. */
static bool is_hidden(Dwarf_Die *class, Dwarf_Die *member, const char *name)
{
	Dwarf_Attribute a;
	Dwarf_Word access = dwarf_tag(class) == DW_TAG_class_type ? DW_ACCESS_private : DW_ACCESS_public;
	const char *file = dwarf_decl_file(member);
	if (*name == '_')
		return true;
	if (dwarf_attr(member, DW_AT_accessibility, &a))
		dwarf_formudata(&a, &access);
	return access != DW_ACCESS_public && file && is_system_source(file);
}

/* What library classes are made of inside is left out, but for the last part: `orders._M_finish` for `orders._M_impl._M_finish`. */
static void append_member(struct place *p, const char *name)
{
	if (*name == '_' && p->reserved)
		p->name[p->reserved - 1] = 0;
	p->reserved = *name == '_' ? strlen(p->name) + 1 : 0;
	append(p, ".%s", name, 0);
}

/* Classes around one value, which is what they are to a reader. */
static bool is_whole(Dwarf_Die *type)
{
	static const char *const names[] = { "atomic<", "__atomic_base<", "atomic_flag", "unique_ptr<" };
	const char *name = string(type, DW_AT_name);
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Where a member or base class begins, and its type. False: it is neither, or the object itself says where it is (a virtual base). */
static bool member_place(Dwarf_Die *member, Dwarf_Word *start, Dwarf_Die *type)
{
	int tag = dwarf_tag(member);
	Dwarf_Attribute a;
	*start = 0;
	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_bitfield(member) || !reference(member, DW_AT_type, type))
		return false;
	return !(dwarf_attr(member, DW_AT_data_member_location, &a) && dwarf_formudata(&a, start)) && plain_type(type);
}

/* Into the member or base class that has all of the access; the last such one, since members may lie in the padding of a base class. */
static bool into_member(struct place *p, unsigned size)
{
	char *bits = size && !p->pointed ? bitfields_at(&p->type, p->offset, size, &p->bits) : NULL;
	if (bits) {
		append(p, ".%s", bits, 0);
		free(bits);
		p->offset = 0;
		p->ends = true;
		return false;
	}
	Dwarf_Die member, found, type, found_type;
	Dwarf_Word start, found_start = 0;
	bool any = false;
	for (bool more = !dwarf_child(&p->type, &member); more; more = !dwarf_siblingof(&member, &member)) {
		if (!member_place(&member, &start, &type) || start > p->offset || (any && start <= found_start) ||
		    (!holds(&type, p->offset - start, size) && !is_open_array(&type) && !(start == p->offset && is_only_declared(&type))))
			continue;
		any = true;
		found = member;
		found_type = type;
		found_start = start;
	}
	const char *name = any && dwarf_tag(&found) == DW_TAG_member ? string(&found, DW_AT_name) : NULL;
	bool hidden = any && name && is_hidden(&p->type, &found, name);
	if (!any || (hidden && !size))
		return false;
	p->whole |= is_whole(&p->type);
	if (name && !p->whole && (*name == '_' || !hidden))
		append_member(p, name);
	p->type = found_type;
	p->offset -= found_start;
	return true;
}

static bool into_element(struct place *p, unsigned size)
{
	Dwarf_Die element = p->type;
	Dwarf_Word bytes;
	if (!reference(&element, DW_AT_type, &element) || !plain_type(&element) || dwarf_aggregate_size(&element, &bytes) || !bytes)
		return false;
	/* Of several dimensions all but the last are steps over whole rows. */
	vec(uint64_t) counts = { 0 };
	Dwarf_Die range;
	for (bool more = !dwarf_child(&p->type, &range); more; more = !dwarf_siblingof(&range, &range)) {
		Dwarf_Attribute a;
		Dwarf_Word count = 1;
		if (dwarf_attr(&range, DW_AT_count, &a))
			dwarf_formudata(&a, &count);
		else if (dwarf_attr(&range, DW_AT_upper_bound, &a) && !dwarf_formudata(&a, &count))
			count++;
		*vec_push(&counts) = count;
	}
	bool inside = p->offset % bytes + size <= bytes;
	for (size_t i = 0; inside && i < counts.n; i++) {
		uint64_t row = bytes;
		for (size_t k = i + 1; k < counts.n; k++)
			row *= counts.at[k];
		append(p, "[%" PRIu64 "]", NULL, p->offset / row);
		p->offset %= row;
	}
	vec_free(&counts);
	p->type = inside ? element : p->type;
	return inside;
}

static bool step_down(struct place *p, unsigned size)
{
	if (p->pointed && !p->offset && dwarf_tag(&p->type) != DW_TAG_array_type)
		return false;
	switch (dwarf_tag(&p->type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return into_member(p, size);
	case DW_TAG_array_type:
		return into_element(p, size);
	default:
		return false;
	}
}

static struct value_type kind_of(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0, size = 0;
	struct value_type t = { .kind = VALUE_UNKNOWN };
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_array_type:
		return t;
	default:
		if (dwarf_aggregate_size(type, &size) || size > 8)
			return t;
	}
	t.size = (unsigned)size;
	if (dwarf_tag(type) == DW_TAG_pointer_type || dwarf_tag(type) == DW_TAG_reference_type)
		t.kind = VALUE_POINTER;
	_Static_assert(sizeof t.of >= sizeof *type, "a type fits");
	if (dwarf_tag(type) == DW_TAG_enumeration_type) {
		t.kind = VALUE_ENUM;
		memcpy(t.of, type, sizeof *type);
	}
	if (dwarf_tag(type) != DW_TAG_base_type || !dwarf_attr(type, DW_AT_encoding, &a) || dwarf_formudata(&a, &encoding))
		return t;
	if (encoding == DW_ATE_float && (size == 4 || size == 8))
		t.kind = VALUE_FLOAT;
	else if (encoding == DW_ATE_boolean)
		t.kind = VALUE_BOOL;
	else if (encoding == DW_ATE_unsigned)
		t.kind = VALUE_UNSIGNED;
	return t;
}

static bool is_text(Dwarf_Die array)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0;
	Dwarf_Die element;
	if (dwarf_tag(&array) != DW_TAG_array_type || !reference(&array, DW_AT_type, &element) || !plain_type(&element) || dwarf_tag(&element) != DW_TAG_base_type)
		return false;
	return dwarf_attr(&element, DW_AT_encoding, &a) && !dwarf_formudata(&a, &encoding) && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

/* The name, with what the access is of. */
static char *member_text(struct place *p, unsigned size, struct value_type *type)
{
	for (int i = 0; i < 32 && step_down(p, size); i++)
		;
	struct value_type t = p->ends ? p->bits : kind_of(&p->type);
	if (!p->offset && t.size == size)
		*type = t;
	if (size > 1 && size <= 8 && !p->ends && is_text(p->type))
		*type = (struct value_type){ .kind = VALUE_TEXT, .size = size };
	if (p->offset)
		append(p, "+%" PRIu64, NULL, p->offset);
	return xstrdup(p->name);
}

char *variables_member(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type)
{
	*type = (struct value_type){ .kind = VALUE_UNKNOWN };
	const struct variable *x = v ? find(v, name) : NULL;
	if (!x)
		return NULL;
	struct place p = { .type = x->type, .offset = offset, .pointed = size == VARIABLES_POINTED };
	size = p.pointed ? 0 : size;
	append(&p, "%s", x->name, 0);
	uint64_t piece = 0;
	if (x->split && strrchr(name, '.') && !piece_offset(v, x, name, &piece, type)) /* which member that is, nothing tells */
		return xstrdup(p.name);
	p.offset += piece;
	Dwarf_Attribute location = x->location;
	Dwarf_Op *ops;
	size_t n;
	if (!x->split && !offset && !dwarf_getlocation(&location, &ops, &n))
		find_shrunk(ops, n, type);
	if (!plain_type(&p.type))
		return NULL;
	if (is_only_declared(&p.type)) /* how large it is, nothing tells either */
		return p.offset ? xasprintf("%s+%llu", p.name, (unsigned long long)p.offset) : xstrdup(p.name);
	if (!holds(&p.type, p.offset, size))
		return NULL;
	struct value_type shrunk = *type;
	char *text = member_text(&p, size, type);
	shrunk.truth = type->kind == VALUE_BOOL;
	if (shrunk.kind == VALUE_SHRUNK && shrunk.size == size)
		*type = shrunk;
	return text;
}

/* A header may be in several units, and a function there several times. */
static bool is_same_type(Dwarf_Die a, Dwarf_Die b)
{
	const char *one = dwarf_diename(&a), *other = dwarf_diename(&b);
	return a.addr == b.addr || (one && other && !strcmp(one, other));
}

/* The local variable "queue@12"; NULL: there is none, or several of different types. */
static const struct local *find_local(struct variables *v, const char *name)
{
	const char *at = strrchr(name, '@');
	unsigned line = at ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
	const struct local *found = NULL;
	if (!v || !line)
		return NULL;
	if (!v->locals_found)
		walk_units(v, note_local, note_nothing);
	v->locals_found = true;
	for (size_t i = 0; i < v->locals.n; i++) {
		const struct local *l = &v->locals.at[i];
		if (l->line != line || !begins_as(l->name, name, (size_t)(at - name)))
			continue;
		if (found && !is_same_type(found->type, l->type))
			return NULL;
		found = l;
	}
	return found;
}

char *variables_local(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type)
{
	const struct local *found = find_local(v, name);
	*type = (struct value_type){ .kind = VALUE_UNKNOWN };
	struct place p = { .offset = offset, .pointed = size == VARIABLES_POINTED };
	size = p.pointed ? 0 : size;
	if (!found)
		return NULL;
	p.type = found->type;
	append(&p, "%s", found->name, 0);
	return plain_type(&p.type) && holds(&p.type, offset, size) ? member_text(&p, size, type) : NULL;
}

const char *variables_of_record(struct variables *v, const char *name, const struct record_key *key)
{
	const struct local *l = find_local(v, name);
	const struct variable *x = v && !l ? find(v, name) : NULL;
	Dwarf_Die type = l ? l->type : x ? x->type : (Dwarf_Die){ 0 };
	Dwarf_Word size;
	int line = 0;
	if ((!l && !x) || !plain_type(&type) || dwarf_aggregate_size(&type, &size) || size != key->size || dwarf_decl_line(&type, &line) || (unsigned)line != key->line)
		return NULL;
	const char *own = dwarf_diename(&type);
	return own && strcmp(own, key->name) ? NULL : l ? l->name : x->name;
}

static void find_records(struct variables *v)
{
	if (!v->records_found)
		walk_units(v, NULL, note_record);
	v->records_found = true;
}

bool variables_known(struct variables *v)
{
	if (!v)
		return false;
	find_records(v);
	return v->all.n || v->records.n;
}

/* NULL: there is none like that. */
static const struct record *find_record(struct variables *v, const struct record_key *key)
{
	if (v)
		find_records(v);
	for (size_t i = 0; v && i < v->records.n; i++) {
		const struct record *r = &v->records.at[i];
		if (r->line == key->line && r->size == key->size && (!r->name || !strcmp(r->name, key->name)))
			return r;
	}
	return NULL;
}

char *variables_field(struct variables *v, const struct record_key *key, uint64_t offset, unsigned size, struct value_type *type)
{
	*type = (struct value_type){ .kind = VALUE_UNKNOWN };
	const struct record *r = find_record(v, key);
	if (!r || !(offset + (size ? size : 1) <= r->size || step_down(&(struct place){ .type = r->die, .offset = offset }, size)))
		return NULL;
	struct place p = { .type = r->die, .offset = offset };
	return member_text(&p, size, type);
}

/* What a class of libstdc++ has room for, by its parameter: __aligned_buffer<Order>. */
static bool has_room_for(Dwarf_Die *type, Dwarf_Die *kept)
{
	const char *name = string(type, DW_AT_name);
	Dwarf_Die child;
	if (!name || strncmp(name, "__aligned_buffer<", 17))
		return false;
	for (bool more = !dwarf_child(type, &child); more; more = !dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
			return reference(&child, DW_AT_type, kept) && plain_type(kept);
	return false;
}

static bool find_kept(Dwarf_Die *type, Dwarf_Die *kept, uint64_t *offset, unsigned depth)
{
	Dwarf_Die member, of;
	Dwarf_Word start;
	if (has_room_for(type, kept))
		return true;
	if (!depth || (dwarf_tag(type) != DW_TAG_class_type && dwarf_tag(type) != DW_TAG_structure_type))
		return false;
	for (bool more = !dwarf_child(type, &member); more; more = !dwarf_siblingof(&member, &member))
		if (member_place(&member, &start, &of) && find_kept(&of, kept, offset, depth - 1)) {
			*offset += start;
			return true;
		}
	return false;
}

bool variables_kept(struct variables *v, const struct record_key *key, struct record_key *kept, uint64_t *offset)
{
	enum { DEPTH = 4 };
	const struct record *r = find_record(v, key);
	Dwarf_Die die = r ? r->die : (Dwarf_Die){ 0 }, inside;
	Dwarf_Word size;
	int line = 0;
	*offset = 0;
	if (!r || !find_kept(&die, &inside, offset, DEPTH) || !dwarf_diename(&inside) || dwarf_aggregate_size(&inside, &size))
		return false;
	if (dwarf_tag(&inside) != DW_TAG_class_type && dwarf_tag(&inside) != DW_TAG_structure_type && dwarf_tag(&inside) != DW_TAG_union_type)
		return false;
	dwarf_decl_line(&inside, &line);
	*kept = (struct record_key){ dwarf_diename(&inside), (unsigned)line, size };
	return true;
}
