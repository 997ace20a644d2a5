/* A schedule as text: include/rethread/schedule.h. */
#include "model/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <rethread/schedule.h>
#include <signal.h>
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

static void put_signal(FILE *f, const struct schedule_point *p)
{
	char name[32];
	signal_name(p->result, name, sizeof name);
	put_point(f, "signal", p);
	fprintf(f, " %d ", p->result);
	if (p->when && p->when != RT_SIGNAL_AFTER_STEP)
		fprintf(f, "%" PRIu64, p->when);
	else
		fputs(p->when ? "step" : "next", f);
	fprintf(f, " # %s\n", name);
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
	for (size_t i = 0; i < s->signals.n; i++)
		put_signal(f, &s->signals.at[i]);
	for (size_t i = 0; i < s->places.n; i++) {
		put_point(f, "place", &s->places.at[i]);
		fprintf(f, " %" PRIx64 "\n", s->places.at[i].when);
	}
	for (size_t i = 0; i < s->lefts.n; i++) {
		put_point(f, "left", &s->lefts.at[i]);
		fprintf(f, " %" PRIx64 "\n", s->lefts.at[i].when);
	}
	for (size_t i = 0; i < s->disorders.n; i++) {
		put_point(f, "disorder", &s->disorders.at[i]);
		fprintf(f, " %d\n", s->disorders.at[i].result);
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

void schedule_release(struct schedule *s)
{
	vec_free(&s->waits);
	vec_free(&s->delays);
	vec_free(&s->stops);
	vec_free(&s->results);
	vec_free(&s->signals);
	vec_free(&s->places);
	vec_free(&s->lefts);
	vec_free(&s->disorders);
	vec_free(&s->fails);
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
static bool parse_sap(const char *s, uint64_t *out, char site[40], struct error *err)
{
	char *end;
	errno = 0;
	*out = strtoull(s, &end, 10);
	bool number = *s >= '0' && *s <= '9' && !errno;
	if (number && *end == '@' && end[1] && strlen(end + 1) < 40)
		strcpy(site, end + 1);
	else if (!number || *end)
		return fail(err, "\"%s\" is no access: a number, and perhaps @ and a site", s);
	return true;
}

static bool parse_thread(char out[64], const char *word, struct error *err)
{
	if (!is_thread_name(word) || strlen(word) >= 64)
		return fail(err, "\"%s\" is no thread: they are called 1, 1:1, 1:2, 1:2:1", word);
	strcpy(out, word);
	return true;
}

static bool from_one(uint64_t sap, struct error *err)
{
	return sap || fail(err, "accesses are counted from 1");
}

static bool parse_pair(char **words, struct schedule_wait *w, struct error *err)
{
	*w = (struct schedule_wait){0};
	return parse_thread(w->thread, words[1], err) && parse_sap(words[2], &w->sap, w->site, err) &&
	       parse_thread(w->other, words[3], err) && parse_sap(words[4], &w->other_sap, w->other_site, err) &&
	       from_one(w->sap, err) && from_one(w->other_sap, err) &&
	       (strcmp(w->thread, w->other) || fail(err, "thread %s would wait for itself", w->thread));
}

static bool parse_point(char **words, struct schedule_point *p, struct error *err)
{
	*p = (struct schedule_point){0};
	return parse_thread(p->thread, words[1], err) && parse_sap(words[2], &p->sap, p->site, err);
}

/* ---- one function for each kind of line ---- */

static bool parse_wait(struct schedule *s, char **words, struct error *err)
{
	return parse_pair(words, vec_push(&s->waits), err);
}

static bool parse_delay(struct schedule *s, char **words, struct error *err)
{
	return parse_pair(words, vec_push(&s->delays), err);
}

static bool parse_stop(struct schedule *s, char **words, struct error *err)
{
	struct schedule_point *p = vec_push(&s->stops);
	return parse_point(words, p, err) && from_one(p->sap, err);
}

static bool parse_fail(struct schedule *s, char **words, struct error *err)
{
	return parse_point(words, vec_push(&s->fails), err);
}

static bool parse_result(struct schedule *s, char **words, struct error *err)
{
	char *end;
	struct schedule_point *p = vec_push(&s->results);
	if (!parse_point(words, p, err) || !from_one(p->sap, err))
		return false;
	p->result = (int32_t)strtol(words[3], &end, 10);
	return (*words[3] && !*end) || fail(err, "\"%s\" is no result: a number, as errno has them", words[3]);
}

static bool parse_signal(struct schedule *s, char **words, struct error *err)
{
	char *end;
	struct schedule_point *p = vec_push(&s->signals);
	if (!parse_point(words, p, err) || !from_one(p->sap, err))
		return false;
	p->result = (int32_t)strtol(words[3], &end, 10);
	if (*end || p->result <= 0 || p->result >= NSIG)
		return fail(err, "\"%s\" is not the number of a signal", words[3]);
	if (!strcmp(words[4], "next"))
		return true;
	p->when = !strcmp(words[4], "step") ? RT_SIGNAL_AFTER_STEP : strtoull(words[4], &end, 10);
	return (p->when && !*end) || fail(err, "\"%s\" is none of next, step, or a number of words", words[4]);
}

static bool parse_place(struct schedule *s, char **words, struct error *err)
{
	char *end;
	struct schedule_point *p = vec_push(&s->places);
	if (!parse_point(words, p, err) || !from_one(p->sap, err))
		return false;
	p->when = strtoull(words[3], &end, 16);
	return (!*end && p->when && p->when <= UINT32_MAX) ||
	       fail(err, "\"%s\" is no place: the lower half of an address, in hexadecimal", words[3]);
}

static bool parse_left(struct schedule *s, char **words, struct error *err)
{
	char *end;
	struct schedule_point *p = vec_push(&s->lefts);
	if (!parse_point(words, p, err) || !from_one(p->sap, err))
		return false;
	p->when = strtoull(words[3], &end, 16);
	return (!*end && p->when) || fail(err, "\"%s\" is no word, in hexadecimal", words[3]);
}

static bool parse_disorder(struct schedule *s, char **words, struct error *err)
{
	char *end;
	struct schedule_point *p = vec_push(&s->disorders);
	if (!parse_point(words, p, err) || !from_one(p->sap, err))
		return false;
	p->result = (int32_t)strtol(words[3], &end, 10);
	return (!*end && p->result > 0 && p->result < NSIG) || fail(err, "\"%s\" is not the number of a signal", words[3]);
}

static bool parse_module(struct schedule *s, char **words, struct error *err)
{
	if (strlen(words[1]) >= sizeof s->module)
		return fail(err, "this is longer than the hash of a module");
	strcpy(s->module, words[1]);
	return true;
}

static bool parse_model(struct schedule *s, char **words, struct error *err)
{
	return memory_model_parse(words[1], &s->model) || fail(err, "\"%s\" is none of sc, tso, pso", words[1]);
}

static const struct kind {
	const char *form; /* the first word is its name */
	size_t words;
	bool (*parse)(struct schedule *s, char **words, struct error *err);
} kinds[] = {
	{"wait THREAD ACCESS THREAD ACCESS", 5, parse_wait}, {"delay THREAD ACCESS THREAD ACCESS", 5, parse_delay},
	{"stop THREAD ACCESS", 3, parse_stop},               {"result THREAD ACCESS RESULT", 4, parse_result},
	{"fail THREAD ACCESS", 3, parse_fail},               {"module HASH", 2, parse_module},
	{"model MODEL", 2, parse_model},                     {"signal THREAD ACCESS SIGNAL WHEN", 5, parse_signal},
	{"place THREAD ACCESS ADDRESS", 4, parse_place},     {"left THREAD ACCESS WORD", 4, parse_left},
	     {"disorder THREAD ACCESS SIGNAL", 4, parse_disorder},
};

static bool parse_words(struct schedule *s, char **words, size_t n, struct error *err)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct kind *k = &kinds[i];
		size_t length = strcspn(k->form, " ");
		if (strlen(words[0]) != length || strncmp(words[0], k->form, length))
			continue;
		return n == k->words ? k->parse(s, words, err) : fail(err, "such a line is: %s", k->form);
	}
	return fail(err, "\"%s\" is none of wait, delay, stop, result, signal, place, left, disorder, fail, module, model", words[0]);
}

/* The comment of a wait line is kept, and its number. */
static void keep_comment(struct schedule *s, const char *kind, const char *comment, size_t number)
{
	struct schedule_wait *w = !strcmp(kind, "wait")    ? &s->waits.at[s->waits.n - 1]
				  : !strcmp(kind, "delay") ? &s->delays.at[s->delays.n - 1]
							   : NULL;
	if (w)
		w->line = (uint32_t)number;
	if (w && comment)
		snprintf(w->why, sizeof w->why, "%s", comment + strspn(comment, " \t"));
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
	struct error why = {{0}};
	if (!parse_words(s, words, n, &why))
		return fail(err, "line %zu: %s", number, why.text);
	keep_comment(s, words[0], comment, number);
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
