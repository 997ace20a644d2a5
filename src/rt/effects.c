#include "rt/effects.h"

static int number(const char **p)
{
	if (**p < '0' || **p > '9')
		return -1;
	int n = 0;
	while (**p >= '0' && **p <= '9')
		n = n * 10 + *(*p)++ - '0';
	return n;
}

bool effect_next(const char **effects, struct effect *e)
{
	const char *p = *effects;
	while (*p == ' ')
		p++;
	if (!*p)
		return false;
	*e = (struct effect){ .kind = *p++, .first = -1, .second = -1 };
	e->parameter = (unsigned)number(&p);
	e->measure = *p++;
	e->first = number(&p);
	if (*p == '*') {
		p++;
		e->second = number(&p);
	}
	*effects = p;
	return true;
}
