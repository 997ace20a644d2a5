/*
 * Memory that functions outside of the module touch, for scheme rw: those of externals.def, whose parameters a gate hands
 * on. What is known before the call is held while it lasts; what only the call can tell counts as touched when it is done.
 */
#include "replay/library.h"

#include "replay/recorder.h"
#include "rt/effects.h"

#include <string.h>

enum library_class { PURE, MEMORY, COPIES, FILLS, OUTPUT, ENDS, SLEEPS, ALLOCATES, CALLS_BACK };

static const struct {
	enum library_class class;
	const char *effects;
} functions[] = {
#define EXTERNAL(name, class, effects) { class, effects },
#include <rethread/externals.def>
#undef EXTERNAL
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

#define UNKNOWN_LENGTH 128u   /* held of a string whose length the call decides */
#define LONGEST_BUFFER 65536u /* and of a buffer with a limit */

uint64_t library_output;

static const char *effects_of(uint32_t line)
{
	switch (functions[line - 1].class) {
	case COPIES:
		return "r1=2 w0=2";
	case FILLS:
		return "w0=2";
	default:
		return functions[line - 1].effects;
	}
}

static uint64_t word(const struct library_call *c, int i)
{
	return i >= 0 && (uint64_t)i < c->nparameters ? c->parameters[i] : 0;
}

static uint64_t string_size(const struct library_call *c, const struct effect *e, const char *at)
{
	if (e->first < 0)
		return strlen(at) + 1;
	uint64_t most = word(c, e->first), n = strnlen(at, most);
	return n < most ? n + 1 : n;
}

/* Bytes that will be written, or more. */
static uint64_t written_before(const struct library_call *c, const struct effect *e)
{
	const char *source = (const char *)word(c, 1);
	switch (e->measure) {
	case 's': /* strcpy, strcat; sprintf has a format there */
		return UNKNOWN_LENGTH + (source ? strlen(source) : 0);
	case '$':
		return word(c, 1) < LONGEST_BUFFER ? word(c, 1) : LONGEST_BUFFER;
	default:
		return 0;
	}
}

static uint64_t measure(const struct library_call *c, const struct effect *e)
{
	switch (e->measure) {
	case 's':
		return string_size(c, e, (const char *)word(c, (int)e->parameter));
	case '=':
		return word(c, e->first) * (e->second < 0 ? 1 : word(c, e->second));
	case 'k':
		return (uint64_t)e->first;
	default:
		return 0;
	}
}

/* ---- printf ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Strings among the parameters behind the format. */
static void touch_format(struct twin_thread *self, const struct library_call *c, unsigned format)
{
	const char *p = (const char *)word(c, (int)format);
	int next = (int)format + 1;
	recorder_touches(self, p, strlen(p) + 1, false);
	while ((p = strchr(p, '%'))) {
		uint64_t most = UINT64_MAX;
		p++;
		while (*p && strchr("-+ #0'I", *p))
			p++;
		if (*p == '*')
			p++, next++;
		while (is_digit(*p))
			p++;
		if (*p == '$') /* numbered parameters: rare, and in any order */
			return;
		if (*p == '.') {
			most = 0;
			if (*++p == '*')
				p++, most = (uint64_t)(int)word(c, next++);
			while (is_digit(*p))
				most = most * 10 + (uint64_t)(*p++ - '0');
		}
		bool wide = false;
		while (*p && strchr("hlqjzLt", *p))
			wide |= *p++ == 'l';
		if (!*p)
			return;
		const char *s = *p == 's' && !wide ? (const char *)word(c, next) : NULL;
		if (s) {
			uint64_t n = strnlen(s, most);
			recorder_touches(self, s, n < most ? n + 1 : n, false);
		}
		next += *p != '%' && *p != 'm';
		p++;
	}
}

/* A node of so many bytes, and those that it points to. */
static void touch_nodes(struct twin_thread *self, const void *node, uint64_t size)
{
	const uint64_t *words = node;
	recorder_touches(self, node, size, true);
	for (uint64_t i = 0; i < size / sizeof *words; i++)
		if (words[i] >= 0x10000 && words[i] < 1ull << 47)
			recorder_touches(self, (const void *)words[i], size, true);
}

/* ---- the halves of a call ---- */

void library_begins(struct twin_thread *self, const struct library_call *c)
{
	if (!c->line || c->line > FUNCTIONS)
		return;
	const char *effects = effects_of(c->line);
	for (struct effect e; effect_next(&effects, &e);) {
		const void *at = (const void *)word(c, (int)e.parameter);
		if (!at)
			continue;
		if (e.kind == 'r' && e.measure == 'p')
			touch_format(self, c, e.parameter);
		else if (e.kind == 'h' && e.measure == 'n')
			touch_nodes(self, at, (uint64_t)e.first);
		else if (e.kind == 'r' || e.kind == 'h' || (e.kind == 'w' && (e.measure == '=' || e.measure == 'k')))
			recorder_touches(self, at, measure(c, &e), e.kind != 'r');
		else if (e.kind == 'w')
			recorder_touches(self, at, written_before(c, &e), true);
	}
	if (functions[c->line - 1].class == OUTPUT)
		recorder_touches(self, &library_output, sizeof library_output, true);
}

void library_ends(struct twin_thread *self, const struct library_call *c)
{
	if (!c->line || c->line > FUNCTIONS)
		return;
	const char *effects = effects_of(c->line);
	for (struct effect e; effect_next(&effects, &e);) {
		const void *at = (const void *)word(c, (int)e.parameter);
		if (at && (e.kind == 'o' || (e.kind == 'w' && e.measure == 's')))
			recorder_touches(self, at, measure(c, &e), true);
	}
}
