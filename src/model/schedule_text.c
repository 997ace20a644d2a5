/* A schedule as text: include/rethread/schedule.h. */
#include "model/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <rethread/schedule.h>
#include <stdlib.h>
#include <string.h>

static void put_sap(FILE *f, const char *thread, uint64_t sap, const char *site)
{
	fprintf(f, " %s %" PRIu64 "%s%s", thread, sap, *site ? "@" : "", site);
}

static void put_pair(FILE *f, const char *word, const struct schedule_wait *w)
{
	fputs(word, f);
	put_sap(f, w->thread, w->sap, w->site);
	put_sap(f, w->other, w->other_sap, w->other_site);
	fprintf(f, w->why[0] ? " # %s\n" : "\n", w->why);
}

static void put_point(FILE *f, const char *word, const struct schedule_point *p)
{
	fputs(word, f);
	put_sap(f, p->thread, p->sap, p->site);
}

bool schedule_write(const struct schedule *s, const char *path, struct error *err)
{
	FILE *f = fopen(path, "we");
	if (!f)
		return fail(err, "cannot write %s: %s", path, strerror(errno));
	fprintf(f, "rethread-schedule %d\n", RT_SCHEDULE_VERSION);
	if (s->module[0])
		fprintf(f, "module %s\n", s->module);
	fprintf(f, "model %s\n", memory_model_name(s->model));
	for (size_t i = 0; i < s->waits.n; i++)
		put_pair(f, "wait", &s->waits.at[i]);
	for (size_t i = 0; i < s->delays.n; i++)
		put_pair(f, "delay", &s->delays.at[i]);
	for (size_t i = 0; i < s->results.n; i++) {
		put_point(f, "result", &s->results.at[i]);
		fprintf(f, " %d\n", s->results.at[i].result);
	}
	for (size_t i = 0; i < s->stops.n; i++) {
		put_point(f, "stop", &s->stops.at[i]);
		fputc('\n', f);
	}
	for (size_t i = 0; i < s->fails.n; i++) {
		put_point(f, "fail", &s->fails.at[i]);
		fputc('\n', f);
	}
	bool bad = ferror(f);
	if (fclose(f) || bad)
		return fail(err, "cannot write %s: %s", path, strerror(errno));
	return true;
}

/* -------------------------------------------------- reading ------------------------------ */

/* 1, 1:2, 1:2:14: numbers separated by colons. */
static bool is_thread_name(const char *s)
{
	if (*s < '1' || *s > '9')
		return false;
	for (; *s; s++)
		if (!((*s >= '0' && *s <= '9') || (*s == ':' && s[1] >= '1' && s[1] <= '9')))
			return false;
	return true;
}

/* A number, then perhaps @ and the site. */
static bool parse_sap(const char *s, uint64_t *out, char site[40])
{
	char *end;
	errno = 0;
	*out = strtoull(s, &end, 10);
	if (*end == '@' && end[1] && strlen(end + 1) < 40)
		strcpy(site, end + 1);
	else if (*end)
		return false;
	return *s >= '0' && *s <= '9' && !errno;
}

static bool set_thread(char out[64], const char *word)
{
	if (!is_thread_name(word) || strlen(word) >= 64)
		return false;
	strcpy(out, word);
	return true;
}

static bool parse_pair(char **words, size_t n, struct schedule_wait *w)
{
	*w = (struct schedule_wait){0};
	return n == 5 && set_thread(w->thread, words[1]) && parse_sap(words[2], &w->sap, w->site) && w->sap &&
	       set_thread(w->other, words[3]) && parse_sap(words[4], &w->other_sap, w->other_site) &&
	       w->other_sap && strcmp(w->thread, w->other) != 0;
}

static bool parse_point(char **words, size_t n, size_t wanted, struct schedule_point *p)
{
	*p = (struct schedule_point){0};
	return n == wanted && set_thread(p->thread, words[1]) && parse_sap(words[2], &p->sap, p->site);
}

static bool parse_result(char **words, size_t n, struct schedule_point *p)
{
	char *end;
	if (!parse_point(words, n, 4, p) || !p->sap)
		return false;
	p->result = (int32_t)strtol(words[3], &end, 10);
	return *words[3] && !*end;
}

static bool parse_words(struct schedule *s, char **words, size_t n)
{
	const char *kind = words[0];
	struct schedule_wait w;
	struct schedule_point p;
	if (!strcmp(kind, "wait") && parse_pair(words, n, &w)) {
		*vec_push(&s->waits) = w;
		return true;
	}
	if (!strcmp(kind, "delay") && parse_pair(words, n, &w)) {
		*vec_push(&s->delays) = w;
		return true;
	}
	if (!strcmp(kind, "stop") && parse_point(words, n, 3, &p) && p.sap) {
		*vec_push(&s->stops) = p;
		return true;
	}
	if (!strcmp(kind, "fail") && parse_point(words, n, 3, &p)) {
		*vec_push(&s->fails) = p;
		return true;
	}
	if (!strcmp(kind, "result") && parse_result(words, n, &p)) {
		*vec_push(&s->results) = p;
		return true;
	}
	if (!strcmp(kind, "module") && n == 2 && strlen(words[1]) < sizeof s->module) {
		strcpy(s->module, words[1]);
		return true;
	}
	return !strcmp(kind, "model") && n == 2 && memory_model_parse(words[1], &s->model);
}

/* The comment of a wait line is kept. */
static void keep_comment(struct schedule *s, const char *kind, const char *comment)
{
	if (!comment)
		return;
	comment += strspn(comment, " \t");
	if (!strcmp(kind, "wait"))
		snprintf(s->waits.at[s->waits.n - 1].why, sizeof s->waits.at->why, "%s", comment);
	if (!strcmp(kind, "delay"))
		snprintf(s->delays.at[s->delays.n - 1].why, sizeof s->delays.at->why, "%s", comment);
}

static bool parse_line(struct schedule *s, char *line, size_t number, struct error *err)
{
	char *words[6], *rest = line;
	size_t n = 0;
	char *comment = strchr(line, '#');
	if (comment)
		*comment++ = 0;
	for (char *w; n < 6 && (w = strtok_r(n ? NULL : line, " \t\r", &rest));)
		words[n++] = w;
	if (!n)
		return true;
	if (number == 1) {
		if (n == 2 && !strcmp(words[0], "rethread-schedule") && !strcmp(words[1], "1"))
			return true;
		return fail(err, "line 1: this is no schedule of version %d", RT_SCHEDULE_VERSION);
	}
	if (!parse_words(s, words, n))
		return fail(err, "line %zu: \"%s\" is not understood", number, words[0]);
	keep_comment(s, words[0], comment);
	return true;
}

bool schedule_read(struct schedule *s, const char *path, struct error *err)
{
	char *data;
	size_t size, number = 0;
	struct error why = {{0}};
	*s = (struct schedule){0};
	if (!read_file(path, &data, &size, err))
		return false;
	bool ok = size != 0 || fail(&why, "it is empty");
	for (char *line = data, *next; ok && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		ok = parse_line(s, line, ++number, &why);
	}
	free(data);
	if (ok)
		return true;
	schedule_release(s);
	return fail(err, "cannot use %s: %s", path, why.text);
}
