/* operands.h. */
#include "instrument/operands.h"

#include <ctype.h>
#include <string.h>

const char *operands_skip(const char *s, const char *end, const char *what)
{
	while (s < end && *s && strchr(what, *s))
		s++;
	return s;
}

unsigned operands_bits(const char *s, const char *end)
{
	static const char letters[] = "bwkq";
	if (!s || end - s < 6 || s[0] != '$' || s[1] != '{' || !isdigit((unsigned char)s[2]) || s[3] != ':' || s[5] != '}')
		return 0;
	const char *letter = s[4] ? strchr(letters, s[4]) : NULL;
	return letter ? 8u << (letter - letters) : 0;
}

const char *operands_read(const char *s, const char *end, unsigned *number)
{
	bool sized = operands_bits(s, end);
	if (!s || s + 1 >= end || *s != '$' || (!sized && !isdigit((unsigned char)s[1])))
		return NULL;
	*number = (unsigned)(s[sized ? 2 : 1] - '0');
	return s + (sized ? 6 : 2);
}

static bool read_constraint(const char *s, size_t n, struct constraint *c)
{
	*c = (struct constraint){.tied = -1};
	c->output = n && *s == '=';
	c->indirect = memchr(s, '*', n) != NULL;
	c->accumulator = n >= 4 && !memcmp(s + n - 4, "{ax}", 4);
	if (n > 6 && !memcmp(s, "={@cc", 5) && s[n - 1] == '}')
		c->flag = condition_named(s + 5, n - 6);
	if (n == 1 && isdigit((unsigned char)*s))
		c->tied = *s - '0';
	return n && !memchr(s, '|', n) && (c->flag || !memchr(s, '@', n));
}

unsigned operands_of(LLVMValueRef call, struct constraint at[MOST_OPERANDS])
{
	size_t size;
	const char *s = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &size), *end = s + size;
	unsigned n = 0, arguments = 0;
	while (s < end && *s != '~') {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t length = (size_t)((comma ? comma : end) - s);
		if (n == MOST_OPERANDS || !read_constraint(s, length, &at[n]))
			return 0;
		if (!at[n].output || at[n].indirect) {
			if (arguments == LLVMGetNumArgOperands(call))
				return 0;
			at[n].index = arguments;
			at[n].argument = LLVMGetOperand(call, arguments++);
		}
		n++;
		s = comma ? comma + 1 : end;
	}
	return arguments == LLVMGetNumArgOperands(call) ? n : 0;
}

LLVMValueRef operands_input(const struct constraint *at, unsigned n, unsigned output)
{
	for (unsigned i = 0; i < n; i++)
		if (!at[i].output && !at[i].indirect &&
		    (at[i].tied == (int)output || (at[output].accumulator && at[i].accumulator)))
			return at[i].argument;
	return NULL;
}

bool is_machine_number(LLVMTypeRef type)
{
	return type && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 8 &&
	       LLVMGetIntTypeWidth(type) <= 64 && !(LLVMGetIntTypeWidth(type) & (LLVMGetIntTypeWidth(type) - 1));
}

LLVMTypeRef nth_result(LLVMTypeRef type, unsigned i)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : type;
}
