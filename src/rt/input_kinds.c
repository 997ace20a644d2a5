/* Helpers of inputs.def that are more than a line. Shared by both runtimes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/inputs.h"

#include <wchar.h>

static bool skip_set(struct rt_conversions *c)
{
	c->at += *c->at == '^';
	c->at += *c->at == ']';
	while (*c->at && *c->at != ']')
		c->at++;
	if (!*c->at)
		return false;
	c->at++;
	return true;
}

/* After the '%' of a conversion; false at the end of a broken format. *stores: it has a parameter. */
static bool parse(struct rt_conversions *c, bool *stores)
{
	*stores = true;
	c->length = 0;
	c->allocates = false;
	c->width = 0;
	if (*c->at == '*') {
		*stores = false;
		c->at++;
	}
	for (; *c->at >= '0' && *c->at <= '9'; c->at++)
		c->width = c->width * 10 + (size_t)(*c->at - '0');
	for (;; c->at++) {
		switch (*c->at) {
		case '\'':
			continue;
		case 'm':
			c->allocates = true;
			continue;
		case 'h':
			c->length = c->length == 'h' ? 'H' : 'h';
			continue;
		case 'l':
			c->length = c->length == 'l' ? 'L' : 'l';
			continue;
		case 'q':
		case 'L':
			c->length = 'L';
			continue;
		case 'j':
		case 'z':
		case 't':
			c->length = 'l';
			continue;
		default:
			break;
		}
		break;
	}
	c->kind = *c->at;
	if (!c->kind)
		return false;
	c->at++;
	if (c->kind == '%')
		*stores = false;
	return c->kind != '[' || skip_set(c);
}

bool rt_conversions_next(struct rt_conversions *c)
{
	bool stores;

	while (*c->at) {
		if (*c->at++ != '%')
			continue;
		if (!parse(c, &stores))
			return false;
		if (stores)
			return true;
	}
	return false;
}

size_t rt_conversion_size(const struct rt_conversions *c, const void *p)
{
	static const struct {
		char length;
		uint8_t integer, real;
	} sizes[] = {{'H', 1, 4}, {'h', 2, 4}, {0, 4, 4}, {'l', 8, 8}, {'L', 8, sizeof(long double)}};
	unsigned i = 0;

	if (c->allocates)
		return 0;
	while (sizes[i].length != c->length)
		i++;
	switch (c->kind) {
	case 's':
	case '[':
		return c->length == 'l' ? (wcslen(p) + 1) * sizeof(wchar_t) : strlen(p) + 1;
	case 'S':
		return (wcslen(p) + 1) * sizeof(wchar_t);
	case 'c':
		return (c->width ? c->width : 1) * (c->length == 'l' ? sizeof(wchar_t) : 1);
	case 'p':
		return sizeof(void *);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return sizes[i].real;
	default:
		return sizes[i].integer;
	}
}

size_t input_mapped(size_t n, int prot, int flags, int fd, off_t from)
{
	struct stat st;

	if ((flags & MAP_ANONYMOUS) || fd < 0 || !(prot & PROT_READ) ||
	    syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) || !S_ISREG(st.st_mode) ||
	    st.st_size <= from)
		return 0;
	return (size_t)(st.st_size - from) < n ? (size_t)(st.st_size - from) : n;
}
