/*
 * Memory that functions outside of the module touch, for scheme rw: those of externals.def, whose parameters a gate hands
 * on. It is all held while the call lasts, so that a call is one step as others see it. Where it cannot be told before
 * the call, the call is made alone.
 */
#include "replay/library.h"

#include "replay/recorder.h"
#include "rt/effects.h"

#include <stdlib.h>
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

#define LONGEST_BUFFER 65536u /* held of a buffer with a limit, but no more than that */
#define LONGEST_NUMBER 512u   /* as printf shows one; long double can be longer when it is huge */

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

/* What a call touches, as it is found: held for a thread, or only counted. */
struct extent {
	struct twin_thread *self; /* NULL: only counted */
	uint64_t hash;
};

static void touch(struct extent *x, const void *at, uint64_t size, bool writes)
{
	x->hash = (x->hash ^ (uint64_t)(uintptr_t)at) * 0x9e3779b97f4a7c15ull;
	x->hash = (x->hash ^ x->hash >> 29 ^ size) * 0xbf58476d1ce4e5b9ull;
	if (x->self)
		recorder_touches(x->self, at, size, writes);
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

static uint64_t measure(const struct library_call *c, const struct effect *e)
{
	switch (e->measure) {
	case 's':
	case 'v':
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

static uint64_t digits(const char **p)
{
	uint64_t n = 0;
	while (is_digit(**p))
		n = n * 10 + (uint64_t)(*(*p)++ - '0');
	return n;
}

/* Strings among the parameters behind the format are read. Returns how long the text is, or more. */
static uint64_t touch_format(struct extent *x, const struct library_call *c, unsigned format)
{
	const char *p = (const char *)word(c, (int)format);
	int next = (int)format + 1;
	uint64_t length = strlen(p) + 1;
	touch(x, p, length, false);
	while ((p = strchr(p, '%'))) {
		uint64_t most = UINT64_MAX, wide = 0;
		bool is_long = false;
		p++;
		while (*p && strchr("-+ #0'I", *p))
			p++;
		if (*p == '*')
			p++, wide = (uint64_t)labs((int)word(c, next++));
		else
			wide = digits(&p);
		if (*p == '$') /* numbered parameters: rare, and in any order */
			return length + LONGEST_BUFFER;
		if (*p == '.') {
			p++;
			if (*p == '*')
				p++, most = (uint64_t)(int)word(c, next++);
			else
				most = digits(&p);
		}
		while (*p && strchr("hlqjzLt", *p))
			is_long |= *p++ == 'l';
		if (!*p)
			return length;
		const char *s = *p == 's' && !is_long ? (const char *)word(c, next) : NULL;
		uint64_t n = s ? strnlen(s, most) : LONGEST_NUMBER + (most < LONGEST_BUFFER ? most : 0);
		if (s)
			touch(x, s, n < most ? n + 1 : n, false);
		length += n > wide ? n : wide;
		next += *p != '%' && *p != 'm';
		p++;
	}
	return length;
}

/* A node of so many bytes, and those that it points to. */
static void touch_nodes(struct extent *x, const void *node, uint64_t size)
{
	const uint64_t *words = node;
	touch(x, node, size, true);
	for (uint64_t i = 0; i < size / sizeof *words; i++)
		if (words[i] >= 0x10000 && words[i] < 1ull << 47)
			touch(x, (const void *)words[i], size, true);
}

/* A std::string: the object, and its text where that is elsewhere; made: nothing was there before. */
static void touch_text(struct extent *x, const void *object, bool made, bool writes)
{
	struct {
		const char *data;
		uint64_t length, local[2];
	} t;
	touch(x, object, sizeof t, writes);
	memcpy(&t, object, sizeof t);
	if (!made && (t.data < (const char *)object || t.data >= (const char *)object + sizeof t))
		touch(x, t.data, t.length + 1, writes);
}

/* ---- what is written ---- */

/* Is what is there already read? Then the rest comes behind it. */
static bool appends(const char *effects, unsigned parameter)
{
	for (struct effect e; effect_next(&effects, &e);)
		if (e.kind == 'r' && e.parameter == parameter)
			return true;
	return false;
}

/* Bytes that will be, or more; `shown` is the length of what printf has to say. */
static uint64_t measure_written(const struct library_call *c, const struct effect *e, uint64_t shown)
{
	const char *at = (const char *)word(c, (int)e->parameter), *source = (const char *)word(c, 1);
	switch (e->measure) {
	case 's': /* strcpy, strcat, and sprintf, which has no parameter 1 that is its source */
		if (shown)
			return shown;
		return (appends(effects_of(c->line), e->parameter) ? strlen(at) : 0) + (source ? strlen(source) : 0) + 1;
	case '$':
		return word(c, 1) < LONGEST_BUFFER ? word(c, 1) : LONGEST_BUFFER;
	default:
		return measure(c, e);
	}
}

static void find_extent(struct extent *x, const struct library_call *c)
{
	const char *effects = effects_of(c->line);
	uint64_t shown = 0;
	for (struct effect e; effect_next(&effects, &e);) {
		const void *at = (const void *)word(c, (int)e.parameter);
		if (!at)
			continue;
		if (e.measure == 'b')
			touch_text(x, at, e.kind == 'c', e.kind != 'r');
		else if (e.kind == 'r' && e.measure == 'p')
			shown = touch_format(x, c, e.parameter);
		else if (e.kind == 'h' && e.measure == 'n')
			touch_nodes(x, at, (uint64_t)e.first);
		else if (e.kind == 'r' || e.kind == 'h')
			touch(x, at, measure(c, &e), e.kind == 'h');
		else if (e.kind == 'w')
			touch(x, at, measure_written(c, &e, shown), true);
	}
	if (functions[c->line - 1].class == OUTPUT)
		touch(x, &library_output, sizeof library_output, true);
}

/* ---- the halves of a call ---- */

static bool is_known(const struct library_call *c)
{
	return c->line && c->line <= FUNCTIONS;
}

bool library_reaches_anything(const struct library_call *c)
{
	if (!is_known(c))
		return c->line != 0;
	const char *effects = effects_of(c->line);
	for (struct effect e; effect_next(&effects, &e);)
		if (e.kind == 'a' || e.measure == '%')
			return true;
	return false;
}

uint64_t library_begins(struct twin_thread *self, const struct library_call *c)
{
	struct extent x = { .self = self };
	if (is_known(c))
		find_extent(&x, c);
	return x.hash;
}

uint64_t library_extent(const struct library_call *c)
{
	struct extent x = { 0 };
	if (is_known(c))
		find_extent(&x, c);
	return x.hash;
}

void library_ends(struct twin_thread *self, const struct library_call *c)
{
	if (!is_known(c))
		return;
	const char *effects = effects_of(c->line);
	for (struct effect e; effect_next(&effects, &e);) {
		const void *at = (const void *)word(c, (int)e.parameter);
		if (at && e.kind == 'o')
			recorder_touches(self, at, measure(c, &e), true);
	}
}
