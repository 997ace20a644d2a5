/*
 * Inline assembly that the pass left (src/instrument/assembly.c, machine.c): text that does nothing, waits or is a fence, however it is
 * written. Everything else is refused.
 */
#include "sym/translate_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum effect { OTHER, NOTHING, FENCE };

struct piece {
	const char *at, *end;
};

/* The next instruction, or prefix, up to a semicolon or the end of the line; comments are none. */
static struct piece next_piece(const char **at, const char *end)
{
	struct piece p = {*at, *at};
	while (p.end < end && *p.end != ';' && *p.end != '\n' && *p.end != '#')
		p.end++;
	*at = p.end;
	while (*at < end && *p.end == '#' && **at != '\n')
		++*at;
	*at += *at < end;
	while (p.at < p.end && isspace((unsigned char)*p.at))
		p.at++;
	while (p.end > p.at && isspace((unsigned char)p.end[-1]))
		p.end--;
	return p;
}

/* Takes a word off, and the space behind it. */
static bool take(struct piece *p, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) || (p->at + n < p->end && isalnum((unsigned char)p->at[n])))
		return false;
	p->at += n;
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
	return true;
}

/* "$$0,-8 (%rsp)": nothing is added to what the stack pointer points to. */
static bool is_nothing_on_stack(struct piece p)
{
	char text[24];
	size_t n = 0;
	for (; p.at < p.end && n < sizeof text - 1; p.at++)
		if (!isspace((unsigned char)*p.at))
			text[n++] = *p.at;
	text[n] = 0;
	if (p.at < p.end || strncmp(text, "$$0", 3))
		return false;
	const char *s = text + 3 + (strncmp(text, "$$0x0", 5) ? 0 : 2);
	if (*s++ != ',')
		return false;
	s += strspn(s, "-x0123456789abcdef");
	return !strcmp(s, "(%rsp)") || !strcmp(s, "(%esp)");
}

/* A locked update that changes nothing: what compilers used for a fence before mfence. */
static bool is_locked_fence(struct piece p)
{
	static const char *const updates[] = {"addb", "addw", "addl", "addq", "orb", "orw", "orl", "orq", "xorl", "xorq", "subl", "subq"};
	for (size_t i = 0; i < sizeof updates / sizeof *updates; i++)
		if (take(&p, updates[i]))
			return is_nothing_on_stack(p);
	return false;
}

/* of what a prefix that stands alone belongs to as well */
static enum effect effect_of(struct piece p, const char **at, const char *end)
{
	static const char *const idle[] = {"nop", "pause", "lfence"}, *const fences[] = {"mfence", "sfence"};
	bool locked = take(&p, "lock"), repeated = !locked && take(&p, "rep");
	if (p.at == p.end && (locked || repeated))
		p = next_piece(at, end);
	if (locked)
		return is_locked_fence(p) ? FENCE : OTHER;
	if (repeated)
		return take(&p, "nop") && p.at == p.end ? NOTHING : OTHER;
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (take(&p, idle[i]))
			return p.at == p.end ? NOTHING : OTHER;
	for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
		if (take(&p, fences[i]))
			return p.at == p.end ? FENCE : OTHER;
	return p.at == p.end ? NOTHING : OTHER;
}

/* The most that one of its instructions does. */
static enum effect effect_of_text(const char *text, size_t n)
{
	enum effect all = NOTHING;
	const char *end = text + n;
	while (text < end) {
		struct piece p = next_piece(&text, end);
		enum effect e = effect_of(p, &text, end);
		if (e == OTHER)
			return OTHER;
		all = e == FENCE ? FENCE : all;
	}
	return all;
}

enum { MOST_RESULTS = 16 };

/* Which argument is tied to each result, as "=r,=*m,=r,*m,0,2,r" tells: an output in memory is an argument, too. False: not understood. */
static bool tied_arguments(LLVMValueRef i, LLVMValueRef tied[MOST_RESULTS], unsigned *results)
{
	size_t size;
	const char *s = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(i), &size), *end = s + size;
	unsigned of[MOST_RESULTS], operands = 0, arguments = 0; /* of: which result an output is */
	*results = 0;
	while (s < end && *s != '~') {
		const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma ? comma : end;
		bool indirect = memchr(s, '*', (size_t)(stop - s));
		if (*s == '=') {
			if (operands == MOST_RESULTS)
				return false;
			of[operands++] = indirect ? MOST_RESULTS : *results;
			if (!indirect)
				tied[(*results)++] = NULL;
		}
		if (*s != '=' || indirect) {
			if (arguments == LLVMGetNumArgOperands(i))
				return false;
			LLVMValueRef argument = LLVMGetOperand(i, arguments++);
			unsigned number = isdigit((unsigned char)*s) ? (unsigned)strtoul(s, NULL, 10) : operands;
			if (number < operands && of[number] < *results)
				tied[of[number]] = argument;
		}
		s = comma ? comma + 1 : end;
	}
	return true;
}

/* Text that does nothing and has tied operands, as in asm("" : "+r"(x), "+r"(y) : "r"(z)): the values pass through. */
static bool pass_through(struct tr *t, LLVMValueRef i)
{
	LLVMValueRef tied[MOST_RESULTS];
	unsigned slots = slots_of(t, LLVMTypeOf(i)), results, together = 0;
	if (!tied_arguments(i, tied, &results))
		return false;
	for (unsigned r = 0; r < results; r++) {
		if (!tied[r])
			return false;
		together += slots_of(t, LLVMTypeOf(tied[r]));
	}
	if (together != slots)
		return false;
	uint32_t site = site_of(t, i);
	if (site)
		emit(t, OP_PASS, 0, site, 0, 0);
	reg d = slots ? define(t, i) : 0;
	for (unsigned r = 0; r < results; r++) {
		const reg *from = value_regs(t, tied[r]);
		for (unsigned k = 0; k < slots_of(t, LLVMTypeOf(tied[r])); k++)
			emit(t, OP_MOV, 64, d++, from[k], 0);
	}
	return true;
}

void translate_asm(struct tr *t, LLVMValueRef i, LLVMValueRef callee)
{
	size_t n;
	const char *text = LLVMGetInlineAsmAsmString(callee, &n);
	enum effect e = effect_of_text(text, n);
	if (e == FENCE && !slots_of(t, LLVMTypeOf(i)))
		emit(t, OP_FENCE, 0, site_of(t, i), 0, 0);
	else if (e != NOTHING || !pass_through(t, i))
		cannot(t, "inline assembly \"%.*s\"", (int)(n < 100 ? n : 100), text);
}
