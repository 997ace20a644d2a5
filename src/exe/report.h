/*
 * What the pass found in a program (RT_SECTION_REPORT, include/rethread/instrument.h), read back.
 *
 *     struct report r;
 *     if (!report_read(&r, program, &err)) ...
 *     for (size_t i = 0; i < r.lines.n; i++) if (report_is(&r.lines.at[i], "site")) ...
 *     report_release(&r);
 */
#ifndef RETHREAD_REPORT_H
#define RETHREAD_REPORT_H

#include "base/base.h"

enum { REPORT_FIELDS = 8 };

/* Fields that a line lacks are "". */
struct report_line {
	const char *field[REPORT_FIELDS];
};

struct report {
	char *text;
	vec(struct report_line) lines;
};

bool report_read(struct report *r, const char *program, struct error *err);
void report_release(struct report *r);

/* Is the line about this subject: site, branch, memory, external, total? */
bool report_is(const struct report_line *l, const char *subject);

#endif
