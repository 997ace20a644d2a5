#include "exe/report.h"

#include "exe/sections.h"

#include <rethread/instrument.h>

#include <string.h>

static void add_line(struct report *r, char *text)
{
	struct report_line *l = vec_push(&r->lines);
	for (size_t i = 0; i < REPORT_FIELDS; i++) {
		l->field[i] = text ? text : "";
		char *tab = text ? strchr(text, '\t') : NULL;
		if (tab)
			*tab++ = 0;
		text = tab;
	}
}

bool report_read(struct report *r, const char *program, struct error *err)
{
	size_t size;
	*r = (struct report){0};
	if (!sections_read(program, RT_SECTION_REPORT, &r->text, &size, err))
		return false;
	for (char *at = r->text, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		add_line(r, at);
	}
	return true;
}

void report_release(struct report *r)
{
	free(r->text);
	vec_free(&r->lines);
	r->text = NULL;
}

bool report_is(const struct report_line *l, const char *subject)
{
	return !strcmp(l->field[0], subject);
}
