#include "instrument/given.h"

#include <ctype.h>
#include <string.h>

enum { NOTE_MAX = 64 }; /* INPUT_NOTE_MAX in rt/inputs.h, whose headers are those of the C library */
enum { FORKS = 1 };
/* The other flags of the table. */
enum { BLOCKS = 0, DEEP = 0, WAKES = 0, HEARS = 0, QUICK = 0, BLIND = 0 };

/* A line as it is written: what it says of memory names parameters. */
struct given {
	const char *name, *type, *parameters, *after;
	int flags;
};
static const struct given lines[] = {
#define INPUT(flags, type, name, parameters, call, before, after) {#name, #type, #parameters, #after, flags},
#include <rethread/inputs.def>
#undef INPUT
};

uint32_t given_line(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i].name, name))
			return i + 1;
	return 0;
}

/* Returns twice: what belongs to whom is the runtime's affair. */
bool given_result(uint32_t line)
{
	const struct given *g = &lines[line - 1];
	return !strchr(g->type, '*') && !(g->flags & FORKS);
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *at, const char *name, size_t length)
{
	return !strncmp(at, name, length) && !is_of_name(at[length]);
}

/* The name of a parameter is the last word before a comma; *length 0: there is none such. */
static const char *parameter_name(const struct given *g, unsigned n, size_t *length)
{
	const char *at = g->parameters + 1;
	*length = 0;
	/* Commas in the types of functions would be counted. */
	if (strpbrk(at, "()") != strrchr(at, ')'))
		return NULL;
	for (; n; n--) {
		at = strchr(at, ',');
		if (!at)
			return NULL;
		at++;
	}
	const char *end = at + strcspn(at, ",)");
	while (end > at && end[-1] == ' ')
		end--;
	for (at = end; is_of_name(at[-1]);)
		at--;
	*length = (size_t)(end - at);
	return at;
}

/* Where the line says `verb` of the parameter: behind its name. NULL: it does not, or of other parameters only. */
static const char *said_of(const struct given *g, unsigned n, const char *verb)
{
	size_t length, verb_length = strlen(verb);
	const char *name = parameter_name(g, n, &length);
	for (const char *at = g->after; name && length && (at = strstr(at, verb)); at += verb_length)
		if ((at == g->after || !is_of_name(at[-1])) && is_name(at + verb_length, name, length))
			return at + verb_length + length;
	return NULL;
}

/* The argument of that name. */
static LLVMValueRef argument_named(const struct given *g, LLVMValueRef call, const char *name)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		size_t length;
		const char *at = parameter_name(g, i, &length);
		if (at && length == strlen(name) && !strncmp(at, name, length))
			return LLVMGetOperand(call, i);
	}
	return NULL;
}

static bool is_constant(LLVMValueRef v, uint64_t *n)
{
	if (!v || !LLVMIsAConstantInt(v))
		return false;
	*n = LLVMConstIntGetZExtValue(v);
	return true;
}

/* size: what the line says of how much was written, up to the end of the line. Is that all of it? */
static bool is_all(const struct given *g, LLVMValueRef call, const char *size)
{
	static const char *const guesses[] = {"input_ioctl_size", "input_fcntl_size", "input_syscall_size"};
	size_t length = strcspn(size, ";");
	uint64_t element;
	for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
		const char *at = strstr(size, guesses[i]);
		if (at && at < size + length)
			return false;
	}
	const char *elements = strstr(size, "result * size");
	if (elements && elements < size + length)
		return is_constant(argument_named(g, call, "size"), &element) && element == 1;
	return true;
}

enum given_memory given_memory(uint32_t line, LLVMValueRef call, unsigned argument)
{
	const struct given *g = &lines[line - 1];
	const char *exactly = said_of(g, argument, "OUT("), *heard = said_of(g, argument, "OUT_HEARD(");
	const char *size = exactly ? exactly : heard;
	if (!size || *size != ',' || !is_all(g, call, size))
		return GIVEN_UNKNOWN;
	return exactly ? GIVEN_EXACTLY : GIVEN_HEARD;
}

bool given_notes(uint32_t line, LLVMValueRef call, unsigned argument)
{
	const struct given *g = &lines[line - 1];
	const char *note = said_of(g, argument, "NOTE(");
	uint64_t n;
	if (!note)
		return false;
	/* NOTE(p, n) */
	return strncmp(note, ", n)", 4) || !is_constant(argument_named(g, call, "n"), &n) || (n <= NOTE_MAX && n % sizeof(void *) == 0);
}

bool given_hands_on(uint32_t line)
{
	return strstr(lines[line - 1].after, "NOTE(") != NULL;
}
