/*
 * Inline assembly that does nothing but be seen: Valgrind knows its client requests (valgrind.h, which GLib and many others have) by a
 * register that is turned all the way round, and by one that is exchanged with itself. For a program that runs by itself they are what
 * the requests return by default. Registers are named in the text, so all that is asked of operands is that an output has an input.
 */
#include "instrument/idle.h"
#include "instrument/operands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A register's name, "%rdi", and where it ends; NULL when there is none. */
static const char *read_register(const char *s, const char *end, const char **name)
{
	if (s == end || *s != '%')
		return NULL;
	*name = s;
	for (s++; s < end && isalnum((unsigned char)*s);)
		s++;
	return s > *name + 1 ? s : NULL;
}

static const char *past_comma(const char *s, const char *end)
{
	s = operands_skip(s, end, " \t");
	return s < end && *s == ',' ? operands_skip(s + 1, end, " \t") : NULL;
}

/* What was turned, and how far in all; a text turns one register only. */
struct turned {
	const char *name;
	size_t length;
	unsigned long bits;
};

/* "rolq $$3, %rdi" */
static const char *read_rotation(const char *s, const char *end, struct turned *t)
{
	static const char mnemonic[] = "rolq";
	const char *name;
	char *after;
	size_t n = sizeof mnemonic - 1;
	if ((size_t)(end - s) <= n || memcmp(s, mnemonic, n))
		return NULL;
	s = operands_skip(s + n, end, " \t");
	if (end - s < 3 || s[0] != '$' || s[1] != '$' || !isdigit((unsigned char)s[2]))
		return NULL;
	t->bits += strtoul(s + 2, &after, 10);
	s = past_comma(after, end);
	const char *stop = s ? read_register(s, end, &name) : NULL;
	if (!stop || (t->name && (t->length != (size_t)(stop - name) || memcmp(t->name, name, t->length))))
		return NULL;
	t->name = name;
	t->length = (size_t)(stop - name);
	return stop;
}

/* "xchgq %rbx,%rbx": of 64 bits, since one of 32 clears the others */
static const char *read_exchange(const char *s, const char *end)
{
	static const char mnemonic[] = "xchgq";
	const char *a, *b;
	size_t n = sizeof mnemonic - 1;
	if ((size_t)(end - s) <= n || memcmp(s, mnemonic, n))
		return NULL;
	const char *after_a = read_register(operands_skip(s + n, end, " \t"), end, &a);
	s = after_a ? past_comma(after_a, end) : NULL;
	const char *after_b = s ? read_register(s, end, &b) : NULL;
	return after_b && after_b - b == after_a - a && !memcmp(a, b, (size_t)(after_b - b)) ? after_b : NULL;
}

static bool is_idle(LLVMValueRef assembly)
{
	size_t size;
	const char *s = LLVMGetInlineAsmAsmString(assembly, &size), *end = s + size;
	static const char between[] = "; \t\n";
	struct turned t = {0};
	bool any = false;
	for (s = operands_skip(s, end, between); s < end; s = operands_skip(s, end, between)) {
		const char *after = read_rotation(s, end, &t);
		if (!after && !(after = read_exchange(s, end)))
			return false;
		s = after;
		any = true;
	}
	return any && t.bits % 64 == 0;
}

bool idle_turn(LLVMValueRef call)
{
	struct constraint at[MOST_OPERANDS];
	unsigned n = is_idle(LLVMGetCalledValue(call)) ? operands_of(call, at) : 0;
	LLVMTypeRef type = LLVMTypeOf(call);
	/* One result, or none. */
	unsigned outputs = 0;
	for (unsigned i = 0; i < n; i++)
		outputs += at[i].output || at[i].indirect;
	if (!n || outputs > 1 || (outputs && (!at[0].output || at[0].indirect)))
		return false;
	LLVMValueRef value = outputs ? operands_input(at, n, 0) : NULL;
	if (outputs && (!value || LLVMTypeOf(value) != type))
		return false;
	if (value)
		LLVMReplaceAllUsesWith(call, value);
	LLVMInstructionEraseFromParent(call);
	return true;
}
