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
static enum twin_memory memory;
static uint32_t failure_points;

struct plan *schedule_plan(const char *name)
{
	for (uint32_t i = 0; i < nplans; i++)
		if (!strcmp(plans[i].name, name))
			return &plans[i];
	return NULL;
}

struct plan *schedule_plan_at(uint32_t index)
{
	return index < nplans ? &plans[index] : NULL;
}

const struct wait *schedule_wait(uint32_t index)
{
	return &waits[index];
}

enum twin_memory schedule_memory(void)
{
	return memory;
}

uint32_t schedule_failure_points(void)
{
	return failure_points;
}

/* The first point at or behind the SAP. */
static struct point *point_at(const struct plan *p, uint64_t sap)
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

struct point *schedule_point(const struct plan *p, uint64_t sap)
{
	struct point *at = point_at(p, sap);
	return at < p->points + p->npoints && at->sap == sap ? at : NULL;
}

/* ---- one line ---- */

enum line_kind { LINE_WAIT, LINE_DELAY, LINE_STOP, LINE_RESULT, LINE_SIGNAL, LINE_PLACE, LINE_LEFT, LINE_DISORDER, LINE_FAIL, LINE_NOTHING };

/* A SAP as a line names it: thread, number, what is expected there, and the comment about it. */
struct named {
	struct plan *thread;
	uint64_t sap;
	const char *site, *comment;
};

struct line {
	enum line_kind kind;
	struct named of, other;
	int result;
	uint64_t when;
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

static bool parse_named(char **words, uint32_t n, struct named *out)
{
	if (n < 2 || !(out->thread = plan_for(words[0])))
		return false;
	char *end;
	out->sap = strtoull(words[1], &end, 10);
	if (*end == '@' && end[1])
		out->site = end + 1;
	else if (*end)
		return false;
	return out->sap != 0;
}

static bool parse_memory(const char *name)
{
	static const char *const names[] = { [TWIN_SC] = "sc", [TWIN_TSO] = "tso", [TWIN_PSO] = "pso" };
	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i])) {
			memory = (enum twin_memory)i;
			return true;
		}
	return false;
}

static bool parse_words(char **words, uint32_t n, struct line *out)
{
	const char *kind = words[0];
	out->kind = LINE_NOTHING;
	if (!strcmp(kind, "module") || !strcmp(kind, "rethread-schedule"))
		return n == 2;
	if (!strcmp(kind, "model"))
		return n == 2 && parse_memory(words[1]);
	if (!parse_named(words + 1, n - 1, &out->of))
		return false;
	if (!strcmp(kind, "wait") || !strcmp(kind, "delay")) {
		out->kind = *kind == 'w' ? LINE_WAIT : LINE_DELAY;
		return n == 5 && parse_named(words + 3, 2, &out->other) && out->of.thread != out->other.thread;
	}
	if (!strcmp(kind, "signal") && n == 5) {
		out->kind = LINE_SIGNAL;
		out->result = atoi(words[3]);
		out->when = !strcmp(words[4], "step") ? RT_SIGNAL_AFTER_STEP : strtoull(words[4], NULL, 10);
		return out->result > 0 && out->result < NSIG;
	}
	if (!strcmp(kind, "result")) {
		out->kind = LINE_RESULT;
		out->result = n == 4 ? atoi(words[3]) : 0;
		return n == 4;
	}
	if (!strcmp(kind, "disorder")) {
		out->kind = LINE_DISORDER;
		out->result = n == 4 ? atoi(words[3]) : 0;
		return out->result > 0 && out->result < NSIG;
	}
	if (!strcmp(kind, "place")) {
		out->kind = LINE_PLACE;
		out->when = n == 4 ? strtoull(words[3], NULL, 16) : 0;
		return out->when && out->when <= UINT32_MAX;
	}
	if (!strcmp(kind, "left")) {
		out->kind = LINE_LEFT;
		out->when = n == 4 ? strtoull(words[3], NULL, 16) : 0;
		return out->when;
	}
	out->kind = !strcmp(kind, "stop") ? LINE_STOP : LINE_FAIL;
	return n == 3 && (out->kind == LINE_STOP || !strcmp(kind, "fail"));
}

/* "here | there": the source lines of the SAPs of a line. */
static void split_comment(char *comment, struct line *out)
{
	if (!comment)
		return;
	comment += strspn(comment, " \t");
	out->of.comment = *comment ? comment : NULL;
	char *bar = strstr(comment, " | ");
	if (bar) {
		*bar = 0;
		out->other.comment = bar + 3;
	}
}

static bool parse_line(char *text, struct line *out)
{
	char *words[6], *rest = text;
	uint32_t n = 0;
	memset(out, 0, sizeof *out);
	out->kind = LINE_NOTHING;
	char *comment = strchr(text, '#');
	if (comment)
		*comment++ = 0;
	for (char *w; n < 6 && (w = strtok_r(n ? NULL : text, " \t\r", &rest));)
		words[n++] = w;
	split_comment(comment, out);
	return !n || parse_words(words, n, out);
}

/* ---- the points of every thread ---- */

static int by_sap(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	return x->sap < y->sap ? -1 : x->sap > y->sap;
}

static void count_point(const struct named *s)
{
	if (s->thread)
		s->thread->cap++;
}

static void add_point(const struct named *s)
{
	if (s->thread)
		s->thread->points[s->thread->npoints++].sap = s->sap;
}

/* The distinct SAPs of each plan, sorted. */
static bool collect_points(const struct line *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		count_point(&lines[i].of), count_point(&lines[i].other);
	for (uint32_t i = 0; i < nplans; i++) {
		plans[i].points = twin_pages((plans[i].cap + 1) * sizeof(struct point));
		if (!plans[i].points)
			return false;
	}
	for (uint32_t i = 0; i < n; i++)
		add_point(&lines[i].of), add_point(&lines[i].other);
	for (uint32_t i = 0; i < nplans; i++) {
		struct plan *p = &plans[i];
		qsort(p->points, p->npoints, sizeof *p->points, by_sap);
		uint32_t kept = 0;
		for (uint32_t j = 0; j < p->npoints; j++)
			if (!kept || p->points[kept - 1].sap != p->points[j].sap)
				p->points[kept++] = p->points[j];
		p->npoints = kept;
	}
	return true;
}

static void describe_point(const struct named *s)
{
	if (!s->thread)
		return;
	struct point *at = point_at(s->thread, s->sap);
	if (s->site)
		at->site = s->site;
	if (s->comment)
		at->comment = s->comment;
}

static bool names_serial, has_disorder;

bool schedule_has_disorder(void)
{
	return has_disorder;
}

bool schedule_names_serial(void)
{
	return names_serial;
}

static void apply_line(const struct line *l)
{
	struct point *at = point_at(l->of.thread, l->of.sap);
	switch (l->kind) {
	case LINE_WAIT:
		at->waits++;
		break;
	case LINE_DELAY:
		at->delays++;
		break;
	case LINE_STOP:
		at->stop = true;
		break;
	case LINE_RESULT:
		at->forced = true;
		at->result = l->result;
		names_serial |= l->result == PTHREAD_BARRIER_SERIAL_THREAD;
		break;
	case LINE_SIGNAL:
		at->signal = l->result;
		at->when = l->when;
		break;
	case LINE_PLACE:
		at->place = (uint32_t)l->when;
		break;
	case LINE_LEFT:
		at->left = l->when;
		break;
	case LINE_DISORDER:
		at->disorder = l->result;
		has_disorder = true;
		break;
	case LINE_FAIL:
		at->fails = true;
		failure_points++;
		break;
	default:
		break;
	}
	if (l->other.thread)
		point_at(l->other.thread, l->other.sap)->announce = true;
	describe_point(&l->of);
	describe_point(&l->other);
}

static void place_waits(const struct line *lines, uint32_t n)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < nplans; i++)
		for (uint32_t j = 0; j < plans[i].npoints; j++) {
			struct point *at = &plans[i].points[j];
			at->first_wait = next;
			at->first_delay = next + at->waits;
			next += at->waits + at->delays;
			at->waits = at->delays = 0;
		}
	for (uint32_t i = 0; i < n; i++) {
		if (!lines[i].other.thread)
			continue;
		struct point *at = point_at(lines[i].of.thread, lines[i].of.sap);
		uint32_t k = lines[i].kind == LINE_WAIT ? at->first_wait + at->waits++
							: at->first_delay + at->delays++;
		waits[k] = (struct wait){ lines[i].other.thread, lines[i].other.sap };
		nwaits += lines[i].kind == LINE_WAIT;
	}
}

static bool build(const struct line *lines, uint32_t n)
{
	waits = twin_pages((n + 1) * sizeof *waits);
	if (!waits || !collect_points(lines, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		apply_line(&lines[i]);
	place_waits(lines, n);
	return true;
}

/* ---- the file ---- */

static char *read_text(const char *path, char *message, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st)) {
		snprintf(message, size, "cannot read the schedule %s: %s", path, strerror(errno));
		return NULL;
	}
	char *text = twin_pages((size_t)st.st_size + 1);
	off_t got = 0;
	for (ssize_t n = 1; text && got < st.st_size && n > 0; got += n)
		n = read(fd, text + got, (size_t)(st.st_size - got));
	close(fd);
	if (!text || got != st.st_size || strncmp(text, "rethread-schedule 1", 19)) {
		snprintf(message, size, "%s is not a schedule this version reads", path);
		return NULL;
	}
	return text;
}

/* The lines that say something; *n of them. */
static struct line *read_lines(const char *path, char *text, uint32_t *n, char *message, size_t size)
{
	uint32_t count = 1, number = 0;
	for (char *p = text; *p; p++)
		count += *p == '\n';
	struct line *lines = twin_pages(count * sizeof *lines);
	plans_cap = 2 * count;
	plans = twin_pages(plans_cap * sizeof *plans);
	if (!lines || !plans) {
		snprintf(message, size, "no memory for the schedule %s", path);
		return NULL;
	}
	bool delays = false;
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		number++;
		if (!parse_line(line, &lines[*n])) {
			snprintf(message, size, "%s:%u: not a line of a schedule: %.200s", path, number, line);
			return NULL;
		}
		delays |= lines[*n].kind == LINE_DELAY;
		*n += lines[*n].kind != LINE_NOTHING;
	}
	if (delays && memory == TWIN_SC) {
		snprintf(message, size, "%s delays stores, which there are none of under model sc", path);
		return NULL;
	}
	return lines;
}

bool schedule_load(const char *path, char *message, size_t size)
{
	char *text = read_text(path, message, size);
	uint32_t n = 0;
	struct line *lines = text ? read_lines(path, text, &n, message, size) : NULL;
	if (!lines)
		return false;
	if (!build(lines, n)) {
		snprintf(message, size, "no memory for the schedule %s", path);
		return false;
	}
	twin_report->waits_total = nwaits;
	return true;
}
