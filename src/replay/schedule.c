/*
 * The schedule inside the twin: read once at start-up into per-thread lists of points (schedule.h). The tool
 * has its own reader; this one has no memory to allocate but pages and stops at the first error.
 */
#include "replay/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct plan *plans;
static uint32_t nplans, plans_cap;
static struct wait *waits;
static uint32_t nwaits;

struct plan *schedule_plan(const char *name)
{
	for (uint32_t i = 0; i < nplans; i++)
		if (!strcmp(plans[i].name, name))
			return &plans[i];
	return NULL;
}

const struct wait *schedule_wait(uint32_t index)
{
	return &waits[index];
}

uint32_t schedule_wait_count(void)
{
	return nwaits;
}

/* One line as read; the waits are spread over the points once all lines are known. */
struct line {
	struct plan *thread, *other;
	uint64_t sap, other_sap;
	enum { LINE_WAIT, LINE_STOP, LINE_RESULT } kind;
	int result;
};

static struct plan *plan_for(const char *name)
{
	struct plan *p = schedule_plan(name);
	if (p || nplans == plans_cap || strlen(name) >= sizeof p->name)
		return p;
	p = &plans[nplans++];
	strcpy(p->name, name);
	return p;
}

static struct point *point_at(struct plan *p, uint64_t sap)
{
	uint32_t low = 0, high = p->npoints;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (p->points[mid].sap < sap)
			low = mid + 1;
		else
			high = mid;
	}
	return &p->points[low];
}

static int by_sap(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	return x->sap < y->sap ? -1 : x->sap > y->sap;
}

static bool parse_line(const char *text, struct line *out, bool *skip)
{
	char t[64], u[64];
	unsigned long long n, m;
	memset(out, 0, sizeof *out);
	*skip = false;
	if (sscanf(text, "wait %63s %llu %63s %llu", t, &n, u, &m) == 4) {
		*out = (struct line){ plan_for(t), plan_for(u), n, m, LINE_WAIT, 0 };
		return out->thread && out->other && out->thread != out->other && n && m;
	}
	if (sscanf(text, "stop %63s %llu", t, &n) == 2) {
		*out = (struct line){ plan_for(t), NULL, n, 0, LINE_STOP, 0 };
		return out->thread && n;
	}
	int r;
	if (sscanf(text, "result %63s %llu %d", t, &n, &r) == 3) {
		*out = (struct line){ plan_for(t), NULL, n, 0, LINE_RESULT, r };
		return out->thread && n;
	}
	*skip = true;
	return !*text || *text == '#' || !strncmp(text, "module ", 7) || !strncmp(text, "model ", 6) ||
	       !strncmp(text, "fail ", 5) || !strncmp(text, "rethread-schedule 1", 19);
}

/* Collect the distinct SAPs of each plan, sorted; then attach waits in order of points. */
static bool build(struct line *lines, uint32_t n)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < n; i++) {
		lines[i].thread->cap++;
		if (lines[i].other)
			lines[i].other->cap++, total++;
	}
	waits = twin_pages((total + 1) * sizeof *waits);
	for (uint32_t i = 0; i < nplans; i++) {
		plans[i].points = twin_pages((plans[i].cap + 1) * sizeof(struct point));
		if (!plans[i].points)
			return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct plan *p = lines[i].thread, *q = lines[i].other;
		p->points[p->npoints++].sap = lines[i].sap;
		if (q)
			q->points[q->npoints++].sap = lines[i].other_sap;
	}
	for (uint32_t i = 0; i < nplans; i++) {
		struct plan *p = &plans[i];
		qsort(p->points, p->npoints, sizeof *p->points, by_sap);
		uint32_t kept = 0;
		for (uint32_t j = 0; j < p->npoints; j++)
			if (!kept || p->points[kept - 1].sap != p->points[j].sap)
				p->points[kept++] = p->points[j];
		p->npoints = kept;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct point *at = point_at(lines[i].thread, lines[i].sap);
		if (lines[i].kind == LINE_STOP)
			at->stop = true;
		else if (lines[i].kind == LINE_RESULT)
			at->forced = true, at->result = lines[i].result;
		else
			at->waits++, point_at(lines[i].other, lines[i].other_sap)->announce = true;
	}
	for (uint32_t i = 0; i < nplans; i++)
		for (uint32_t j = 0; j < plans[i].npoints; j++) {
			struct point *at = &plans[i].points[j];
			at->first_wait = nwaits;
			nwaits += at->waits;
			at->waits = 0;
		}
	for (uint32_t i = 0; i < n; i++)
		if (lines[i].other) {
			struct point *at = point_at(lines[i].thread, lines[i].sap);
			waits[at->first_wait + at->waits++] =
				(struct wait){ lines[i].other, lines[i].other_sap };
		}
	return waits != NULL;
}

bool schedule_load(const char *path, char *message, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st)) {
		snprintf(message, size, "cannot read the schedule %s: %s", path, strerror(errno));
		return false;
	}
	char *text = twin_pages((size_t)st.st_size + 1);
	ssize_t got = text ? read(fd, text, (size_t)st.st_size) : -1;
	close(fd);
	if (got != st.st_size || memcmp(text, "rethread-schedule 1", st.st_size < 19 ? (size_t)st.st_size : 19)) {
		snprintf(message, size, "%s is not a schedule this version reads", path);
		return false;
	}
	uint32_t count = 1;
	for (char *p = text; *p; p++)
		count += *p == '\n';
	struct line *lines = twin_pages(count * sizeof *lines);
	plans_cap = 2 * count;
	plans = twin_pages(plans_cap * sizeof *plans);
	if (!lines || !plans) {
		snprintf(message, size, "no memory for the schedule %s", path);
		return false;
	}
	uint32_t n = 0, number = 0;
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		number++;
		bool skip;
		if (!parse_line(line, &lines[n], &skip)) {
			snprintf(message, size, "%s:%u: not a line of a schedule: %.200s", path, number, line);
			return false;
		}
		n += !skip;
	}
	if (!build(lines, n)) {
		snprintf(message, size, "no memory for the schedule %s", path);
		return false;
	}
	twin_report->waits_total = nwaits;
	return true;
}
