/*
 * What a function of the printf family reads besides its format: the strings, and where the parameters come as a va_list the
 * list's own words, which hold expressions like any memory.
 */
#include "sym/engine.h"

#include <string.h>

/* A conversion. `stars` parameters (widths, precisions) come before its own. */
struct conversion {
	unsigned stars, slots;
	bool is_string, is_real;
	bool precision_is_star;
	uint64_t precision; /* UINT64_MAX: none */
};

static const char *skip_number(const char *p, uint64_t *n, unsigned *stars)
{
	if (*p == '*') {
		(*stars)++;
		return p + 1;
	}
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		*n = *n * 10 + (uint64_t)(*p - '0');
	return p;
}

/* The first conversion at or after p, or NULL; numbered parameters (%1$s) are none. Returns what is behind it. */
static const char *next_conversion(const char *p, struct conversion *v)
{
	uint64_t width;
	*v = (struct conversion){ .slots = 1, .precision = UINT64_MAX };
	while ((p = strchr(p, '%')) && p[1] == '%')
		p += 2;
	if (!p)
		return NULL;
	p += 1 + strspn(p + 1, "-+ #0'I");
	p = skip_number(p, &width, &v->stars);
	if (*p == '$')
		return NULL;
	if (*p == '.') {
		unsigned before = v->stars;
		p = skip_number(p + 1, &v->precision, &v->stars);
		v->precision_is_star = v->stars > before;
	}
	bool is_wide = false;
	for (; *p && strchr("hlqjzLt", *p); p++) {
		is_wide |= *p == 'l';
		if (*p == 'L')
			v->slots = 2; /* long double */
	}
	v->is_string = *p == 's' && !is_wide;
	v->is_real = *p && strchr("aAeEfFgG", *p);
	if (*p == 'm')
		v->slots = 0;
	return *p ? p + 1 : NULL;
}

static void set_precision(struct conversion *v, uint64_t star)
{
	v->precision = (int32_t)star < 0 ? UINT64_MAX : star & INT32_MAX;
}

static void read_string(struct ethread *self, uint32_t site, uint64_t at, uint64_t precision, bool decides)
{
	uint64_t n = strnlen((const char *)(uintptr_t)at, precision);
	native_uses(self, site, at, n + (n < precision), decides);
}

void format_reads(struct ethread *self, const struct native_call *c, unsigned format, uint32_t read, bool decides)
{
	const char *p = (const char *)(uintptr_t)c->in[format].v;
	struct conversion v;
	for (unsigned i = format + 1; (p = next_conversion(p, &v)) && i < c->nin; i += v.slots) {
		i += v.stars;
		if (v.precision_is_star && i <= c->nin)
			set_precision(&v, c->in[i - 1].v);
		uint64_t at = i < c->nin ? c->in[i].v : 0;
		if (v.is_string && at && !(i < 32 && (read >> i & 1)))
			read_string(self, c->site, at, v.precision, decides);
	}
}

/* ---- va_list ---- */

/* As machine code has it (struct varargs in interp_internal.h). */
struct list {
	uint32_t general, vector;
	uint64_t overflow, saved;
};

/* Where the next parameter is. */
static uint64_t next_parameter(struct list *l, const struct conversion *v)
{
	enum { GENERAL_END = 6 * 8, VECTOR_END = GENERAL_END + 8 * 16 };
	bool is_long = v->slots == 2; /* always in memory, aligned */
	if (is_long)
		l->overflow = (l->overflow + 15) & ~UINT64_C(15);
	else if (v->is_real && l->vector < VECTOR_END)
		return l->saved + (l->vector += 16) - 16;
	else if (!v->is_real && l->general < GENERAL_END)
		return l->saved + (l->general += 8) - 8;
	return (l->overflow += 8 * v->slots) - 8 * v->slots;
}

/* Reads the parameter, and says what it is taken for. */
static uint64_t read_parameter(struct ethread *self, uint32_t site, struct list *l, const struct conversion *v, bool decides)
{
	uint64_t at = next_parameter(l, v), value;
	native_uses(self, site, at, 8 * v->slots, decides);
	memcpy(&value, (const void *)(uintptr_t)at, sizeof value);
	return value;
}

void format_reads_list(struct ethread *self, const struct native_call *c, unsigned format, bool decides)
{
	static const struct conversion star = { .slots = 1 };
	const char *p = (const char *)(uintptr_t)c->in[format].v;
	struct conversion v;
	struct list l;
	if (format + 1 >= c->nin)
		return;
	memcpy(&l, (const void *)(uintptr_t)c->in[format + 1].v, sizeof l);
	while ((p = next_conversion(p, &v))) {
		uint64_t last = 0;
		for (unsigned i = 0; i < v.stars; i++)
			last = read_parameter(self, c->site, &l, &star, decides);
		if (v.precision_is_star)
			set_precision(&v, last);
		if (!v.slots)
			continue;
		/* A string's address is used, whatever becomes of its text. */
		uint64_t value = read_parameter(self, c->site, &l, &v, decides || v.is_string);
		if (v.is_string && value)
			read_string(self, c->site, value, v.precision, decides);
	}
}
