/*
 * What the pass found, for `rethread analyze` and for `rethread record`'s word on unknown functions: the section
 * RT_SECTION_REPORT, whose lines include/rethread/instrument.h describes.
 */
#include "base/sources.h"
#include "instrument/fields.h"
#include "instrument/holders.h"
#include "instrument/members.h"
#include "instrument/shared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- external functions ---------- */

static const struct {
	const char *name, *class;
} tables[] = {
#define INPUT(flags, type, name, ...) {#name, "input"},
#include <rethread/inputs.def>
#undef INPUT
#define X(name) {#name, "synchronization"},
#include <rethread/interposed.def>
#undef X
#define EXTERNAL(name, class, effects) {#name, #class},
#include <rethread/externals.def>
#undef EXTERNAL
};

const char *external_class(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(tables[i].name, name))
			return tables[i].class;
	return NULL;
}

static bool is_interposed(const char *class)
{
	return class && (!strcmp(class, "input") || !strcmp(class, "synchronization"));
}

/* Called, or its address taken: calls in `*calls`. */
static bool is_used(LLVMValueRef function, unsigned *calls)
{
	bool used = false;
	*calls = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAInstruction(user) && !is_instrumented(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
			continue; /* a resolver, which runs before there is anything to record */
		used = true;
		*calls += LLVMIsAInstruction(user) && is_call(user) && direct_callee(user) == function;
	}
	return used;
}

static void write_externals(FILE *f, LLVMModuleRef m)
{
	for (LLVMValueRef v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v)) {
		unsigned calls;
		size_t length;
		if (!LLVMIsDeclaration(v) || is_intrinsic(v) || name_begins(v, PASS_OWN_PREFIX) || !is_used(v, &calls))
			continue;
		const char *class = external_class(v);
		fprintf(f, "external\t%s\t%u\t%s\n", class ? class : "unknown", calls, LLVMGetValueName2(v, &length));
	}
}

/* ---------------------------------------------------------------- places ---------------------- */

/* A name as one field: no tab, no newline. */
static void write_field(FILE *f, const char *text, char end)
{
	for (const char *p = text && *text ? text : "?"; *p; p++)
		fputc((unsigned char)*p < ' ' ? '?' : *p, f);
	fputc(end, f);
}

static void write_place(FILE *f, const struct llvm_place *p, char end)
{
	fprintf(f, "%u\t", p->line);
	write_field(f, p->function, '\t');
	write_field(f, p->file, end);
}

/* "SUBJECT KIND LINE FUNCTION FILE" */
static void write_at(FILE *f, const char *subject, const char *kind, const struct llvm_place *p, char end)
{
	fprintf(f, "%s\t%s\t", subject, kind);
	write_place(f, p, end);
}

static void write_instruction(FILE *f, const char *subject, const char *kind, LLVMValueRef i)
{
	struct llvm_place p;
	llvm_place_of(i, &p);
	write_at(f, subject, kind, &p, '\n');
}

/* Sites are read by people: where they are in the program, rather than in a header of the system. */
static void write_own(FILE *f, const char *kind, LLVMValueRef i, char end)
{
	struct llvm_place p;
	llvm_own_place_of(i, is_system_source, &p);
	write_at(f, "site", kind, &p, end);
}

/* "held NUMBER LINE FUNCTION FILE WHERE NAME", and perhaps a local variable. */
static void write_held(FILE *f, size_t number, LLVMValueRef i, const struct holder *h)
{
	struct llvm_place p;
	size_t length;
	char kind[48];
	snprintf(kind, sizeof kind, "%s:of:%llu%s", h->any ? ":any" : "", (unsigned long long)h->element, h->itself ? ":is" : "");
	llvm_own_place_of(i, is_system_source, &p);
	fprintf(f, "held\t%zu\t", number);
	write_place(f, &p, '\t');
	if (h->variable) {
		fprintf(f, "global:%llu%s\t", (unsigned long long)h->offset, kind);
		write_field(f, LLVMGetValueName2(h->variable, &length), '\n');
		return;
	}
	fprintf(f, "%llu:%llu:%u%s\t", (unsigned long long)h->field.offset, (unsigned long long)h->field.size, h->field.line, kind);
	write_field(f, h->field.name, h->field.variable ? '\t' : '\n');
	if (h->field.variable)
		write_field(f, h->field.variable, '\n');
}

/* Whose memory it accesses, where what it accesses tells a reader nothing. */
static void write_holder(FILE *f, const struct numbering *n, size_t number, const struct fields *fields)
{
	struct field field;
	struct holder h;
	LLVMValueRef i = n->sites.at[number];
	bool allocates = n->kinds[number] == SITE_CALL && llvm_is_allocation(n->sharing->library, i);
	bool known = fields_find(fields, i, allocates, &field) && !field.of_library && !(field.is_array && field.is_local);
	if (!known && holders_find(fields, i, &h))
		write_held(f, number + 1, i, &h);
}

/* What is accessed in there is shown where the program calls it. */
static void write_called(FILE *f, LLVMValueRef call, const struct fields *fields)
{
	LLVMValueRef callee = direct_callee(call);
	struct holder h;
	if (callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) && llvm_is_in_file(callee, is_system_source) && holders_find_called(fields, call, &h))
		write_held(f, 0, call, &h);
}

/* What it accesses, where that is known. */
static void write_site(FILE *f, const struct numbering *n, size_t number, const struct fields *fields)
{
	struct field field;
	LLVMValueRef i = n->sites.at[number];
	bool allocates = n->kinds[number] == SITE_CALL && llvm_is_allocation(n->sharing->library, i);
	bool known = fields_find(fields, i, allocates, &field);
	write_own(f, site_kind_names[n->kinds[number]], i, known ? '\t' : '\n');
	if (!known)
		return;
	if (field.is_array) {
		fprintf(f, "%s:%llu\t", field.is_local ? "local" : "array", (unsigned long long)field.size);
		write_field(f, field.text, '\n');
		return;
	}
	fprintf(f, "%llu:%llu:%u\t", (unsigned long long)field.offset, (unsigned long long)field.size, field.line);
	fputs(field.of_library ? RT_REPORT_LIBRARY : "", f);
	write_field(f, field.name, field.variable ? '\t' : '\n');
	if (field.variable)
		write_field(f, field.variable, '\n');
}

static void write_memory(FILE *f, const struct numbering *n, const char *kind, LLVMValueRef object, const char *name)
{
	struct llvm_place p;
	llvm_place_of(object, &p);
	fprintf(f, "memory\t%s\t%s\t", kind, sharing_may_be_shared(n->sharing, object, MEMBER_ANY) ? "shared" : "private");
	write_field(f, p.name && *p.name ? p.name : name, '\t');
	write_place(f, &p, '\n');
}

static void write_variables(FILE *f, LLVMModuleRef m, const struct numbering *n)
{
	for (LLVMValueRef v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v)) {
		size_t length;
		const char *name = LLVMGetValueName2(v, &length);
		if (!LLVMIsDeclaration(v) && !LLVMIsGlobalConstant(v) && !name_begins(v, "llvm."))
			write_memory(f, n, LLVMIsThreadLocal(v) ? "thread-local" : "global", v, name);
	}
}

/* "branch recorded LINE FUNCTION FILE WHY WHERE"; WHERE is the line of the cause if that is another one. */
static void write_recorded(FILE *f, const struct numbering *n, LLVMValueRef branch)
{
	struct llvm_place p, at = {0};
	uint32_t number = map_get(&n->why, branch);
	struct cause cause = number ? n->causes.at[number - 1] : (struct cause){WHY_PROGRESS, branch};
	llvm_place_of(branch, &p);
	fprintf(f, "branch\trecorded\t%u\t", p.line);
	write_field(f, p.function, '\t');
	write_field(f, p.file, '\t');
	write_field(f, cause_text(&cause), '\t');
	if (LLVMIsAInstruction(cause.root))
		llvm_place_of(cause.root, &at);
	if (at.line && p.file && at.file && strcmp(at.file, p.file))
		fprintf(f, "%s:%u", at.file, at.line);
	else if (at.line && at.line != p.line)
		fprintf(f, "line %u", at.line);
	fputc('\n', f);
}

static void write_one(FILE *f, const struct numbering *n, LLVMValueRef i, const struct fields *fields)
{
	size_t length;
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	if (LLVMIsAAllocaInst(i)) {
		write_memory(f, n, "stack", i, LLVMGetValueName2(i, &length));
	} else if (callee && LLVMIsDeclaration(callee)) {
		const char *class = external_class(callee);
		if (is_interposed(class))
			write_own(f, class, i, '\n');
		else if (llvm_is_allocation(n->sharing->library, i))
			write_memory(f, n, "heap", i, LLVMGetValueName2(callee, &length));
	} else if (callee) {
		write_called(f, i, fields);
	}
	if (is_branch(i) && LLVMGetMetadata(i, n->known_kind))
		write_instruction(f, "branch", "known", i);
	else if (is_branch(i))
		write_recorded(f, n, i);
}

static void write_code(FILE *f, LLVMModuleRef m, const struct numbering *n, const struct fields *fields)
{
	for (LLVMValueRef v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v)) {
		if (!is_instrumented(v))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(v); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				write_one(f, n, i, fields);
	}
}

void report_write(const char *path, LLVMModuleRef m, const struct numbering *n)
{
	FILE *f = fopen(path, "w");
	if (!f)
		pass_die("cannot write %s: %s", path, strerror(errno));
	struct fields *fields = fields_new(m);
	for (size_t i = 0; i < n->sites.n; i++)
		write_site(f, n, i, fields);
	for (size_t i = 0; i < n->sites.n; i++)
		write_holder(f, n, i, fields);
	write_code(f, m, n, fields);
	fields_free(fields);
	write_variables(f, m, n);
	write_externals(f, m);
	fprintf(f,
		"total\tfunctions\t%u\ntotal\tbranches\t%zu\ntotal\tknown\t%u\ntotal\tsites\t%zu\n"
		"total\taccesses\t%u\ntotal\tshared\t%u\ntotal\tvalues\t%zu\n",
		n->nfunctions, n->branches.n + n->counted.n, n->nknown, n->sites.n, n->naccesses, n->nshared,
		n->recorded.n);
	bool ok = !ferror(f);
	if (fclose(f) != 0 || !ok)
		pass_die("cannot write %s: %s", path, strerror(errno));
}
