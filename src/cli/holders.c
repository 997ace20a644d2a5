#include "cli/holders.h"

#include "base/sources.h"
#include "cli/pointers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct held {
	const struct report_line *line;
	char *name; /* NULL: it was not asked for yet, or is not known */
	bool asked;
};

struct site {
	size_t held; /* + 1; 0: none */
	bool foreign;
};

struct holders {
	struct variables *v;
	vec(char *) variables; /* that are accessed, as symbols have them: "b@31" */
	vec(struct held) all;
	vec(struct site) sites; /* by number less 1 */
	vec(size_t) calls;      /* of `all`, by file and line */
};

/* ---- names ---- */

/* Where in it that is, is the library's affair; which element, nobody knows. */
static void shorten(char *name, bool any)
{
	char *plus = strchr(name, '+'), *index = any ? strrchr(name, '[') : NULL;
	if (plus)
		*plus = 0;
	if (index && (!plus || index < plus))
		index[1] = ']', index[2] = 0;
}

static char *in_variable(const struct holders *h, const struct report_line *l, uint64_t offset)
{
	return variables_member(h->v, l->field[6], offset, 0, &(struct value_type){0});
}

/* The variable that is the structure; NULL: there is none, or several. */
static const char *instance_of(const struct holders *h, const struct record_key *key)
{
	const char *found = NULL;
	for (size_t i = 0; i < h->variables.n; i++) {
		const char *one = variables_of_record(h->v, h->variables.at[i], key);
		if (one && found)
			return NULL;
		found = one ? one : found;
	}
	return found;
}

static char *in_structure(const struct holders *h, const struct report_line *l, const struct record_key *key, uint64_t offset)
{
	char *field = variables_field(h->v, key, offset, 0, &(struct value_type){0});
	const char *instance = *l->field[7] ? l->field[7] : instance_of(h, key), *owner = instance ? instance : l->field[6];
	bool library = !field || !strncmp(l->field[6], RT_REPORT_LIBRARY, strlen(RT_REPORT_LIBRARY));
	char *name = !library ? xasprintf("%s%s", owner, field) : *l->field[7] ? xstrdup(owner) : NULL;
	free(field);
	return name;
}

static const char *name_of(const struct holders *h, struct held *held)
{
	const struct report_line *l = held->line;
	unsigned long long offset, size;
	struct record_key key = {.name = l->field[6]};
	if (held->asked)
		return held->name;
	held->asked = true;
	/* That is never a block: what is called on a global std::atomic<std::shared_ptr> leads to blocks, which are not the variable. */
	if (!strncmp(l->field[5], "global:", 7) && strstr(l->field[5], ":is"))
		return NULL;
	if (sscanf(l->field[5], "global:%llu", &offset) == 1) {
		held->name = in_variable(h, l, offset);
	} else if (sscanf(l->field[5], "%llu:%llu:%u", &offset, &size, &key.line) == 3) {
		key.size = size;
		held->name = in_structure(h, l, &key, offset);
	}
	if (held->name)
		shorten(held->name, strstr(l->field[5], ":any"));
	return held->name;
}

uint64_t holders_element(const struct holders *h, const char *name)
{
	for (size_t i = 0; i < h->all.n; i++) {
		const char *of = h->all.at[i].name == name ? strstr(h->all.at[i].line->field[5], ":of:") : NULL;
		if (of)
			return strtoull(of + 4, NULL, 10);
	}
	return 0;
}

bool holders_itself(const struct holders *h, const char *name)
{
	for (size_t i = 0; i < h->all.n; i++)
		if (h->all.at[i].name == name && strstr(h->all.at[i].line->field[5], ":is"))
			return true;
	return false;
}

/* ---- lines ---- */

static int compare_lines(const struct report_line *l, const char *file, size_t length, unsigned line)
{
	int order = strncmp(l->field[4], file, length);
	order = order ? order : l->field[4][length] != 0;
	unsigned own = (unsigned)strtoul(l->field[2], NULL, 10);
	return order ? order : own < line ? -1 : own > line;
}

static int by_line(const void *a, const void *b)
{
	const struct report_line *x = *(const struct report_line *const *)a, *y = *(const struct report_line *const *)b;
	return compare_lines(x, y->field[4], strlen(y->field[4]), (unsigned)strtoul(y->field[2], NULL, 10));
}

/* All that is called on something in the line is called on the same. */
static const char *name_at(struct holders *h, const char *where)
{
	const char *colon = strrchr(where, ':'), *name = NULL;
	unsigned line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	size_t low = 0, high = h->calls.n;
	while (line && low < high) {
		size_t mid = (low + high) / 2;
		if (compare_lines(h->all.at[h->calls.at[mid]].line, where, (size_t)(colon - where), line) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; line && low < h->calls.n && !compare_lines(h->all.at[h->calls.at[low]].line, where, (size_t)(colon - where), line); low++) {
		const char *one = name_of(h, &h->all.at[h->calls.at[low]]);
		if (!one || (name && strcmp(one, name)))
			return NULL;
		name = one;
	}
	return name;
}

const char *holders_name(struct holders *h, uint64_t site, const char *where)
{
	const struct site *s = site && site <= h->sites.n ? &h->sites.at[site - 1] : NULL;
	if (s && s->held)
		return name_of(h, &h->all.at[s->held - 1]);
	return !s || s->foreign ? name_at(h, where) : NULL;
}

/* ---- all of it ---- */

static void read_line(struct holders *h, const struct report_line *l)
{
	/* Calls of interposed functions are in the report, too, but have no number. */
	if (report_is(l, "site") && strcmp(l->field[1], "synchronization") && strcmp(l->field[1], "input"))
		*vec_push(&h->sites) = (struct site){.foreign = is_system_source(l->field[4])};
	if (!report_is(l, "held"))
		return;
	uint64_t site = strtoull(l->field[1], NULL, 10);
	*vec_push(&h->all) = (struct held){.line = l};
	if (!site)
		*vec_push(&h->calls) = h->all.n - 1;
	else if (site <= h->sites.n)
		h->sites.at[site - 1].held = h->all.n;
}

static void sort_calls(struct holders *h)
{
	vec(const struct report_line *) lines = {0};
	for (size_t i = 0; i < h->calls.n; i++)
		*vec_push(&lines) = h->all.at[h->calls.at[i]].line;
	if (lines.n)
		qsort(lines.at, lines.n, sizeof *lines.at, by_line);
	for (size_t i = 0; i < lines.n; i++) {
		*vec_push(&h->all) = (struct held){.line = lines.at[i]};
		h->calls.at[i] = h->all.n - 1;
	}
	vec_free(&lines);
}

/* "heap block 0x40" is no variable. */
static void read_variables(struct holders *h, const json_t *interleaving)
{
	size_t i;
	json_t *step;
	json_array_foreach(json_object_get(interleaving, "steps"), i, step) {
		const char *object = json_string_value(json_object_get(step, "object"));
		char *name = NULL;
		bool known = !object || !*object || strchr(object, ' ') || !strncmp(object, "0x", 2);
		if (!known)
			place_parse(object, &name);
		for (size_t k = 0; !known && k < h->variables.n; k++)
			known = !strcmp(h->variables.at[k], name);
		if (known)
			free(name);
		else
			*vec_push(&h->variables) = name;
	}
}

struct holders *holders_new(const struct report *report, struct variables *v, const json_t *interleaving)
{
	struct holders *h = xcalloc(1, sizeof *h);
	h->v = v;
	read_variables(h, interleaving);
	for (size_t i = 0; i < report->lines.n; i++)
		read_line(h, &report->lines.at[i]);
	sort_calls(h);
	return h;
}

void holders_free(struct holders *h)
{
	for (size_t i = 0; i < h->all.n; i++)
		free(h->all.at[i].name);
	for (size_t i = 0; i < h->variables.n; i++)
		free(h->variables.at[i]);
	vec_free(&h->variables);
	vec_free(&h->all);
	vec_free(&h->sites);
	vec_free(&h->calls);
	free(h);
}
