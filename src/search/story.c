#include "search/story.h"

#include "exe/report.h"
#include "exe/symbols.h"
#include "exe/twin.h"

#include <jansson.h>
#include <rethread/instrument.h>
#include <stdlib.h>
#include <string.h>

struct site_line {
	const char *function, *file;
	int line;
};

struct story {
	const struct rt_attempt *a;
	struct report report;
	vec(struct site_line) sites; /* by number less 1 */
	struct symbols *symbols;
};

/* Calls of interposed functions are in the report, too, but have no number. */
static void read_sites(struct story *s)
{
	for (size_t i = 0; i < s->report.lines.n; i++) {
		const struct report_line *l = &s->report.lines.at[i];
		if (report_is(l, "site") && strcmp(l->field[1], "synchronization") && strcmp(l->field[1], "input"))
			*vec_push(&s->sites) = (struct site_line){ l->field[3], l->field[4], atoi(l->field[2]) };
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static char *object_name(const struct story *s, const struct rt_trail *t)
{
	uint64_t offset = 0;
	const char *name = t->address && s->symbols ? symbols_variable(s->symbols, t->address, &offset) : NULL;
	if (!name)
		return xstrdup(t->kind ? "memory" : "");
	return offset ? xasprintf("%s+%llu", name, (unsigned long long)offset) : xstrdup(name);
}

/* As a signed number of its size. */
static long long value_of(const struct rt_trail *t)
{
	unsigned unused = t->size && t->size < 8 ? 64 - 8 * t->size : 0;
	return (long long)(t->value << unused) >> unused;
}

static json_t *step_json(const struct story *s, const struct rt_trail *t)
{
	static const char *const kinds[] = { "", "read", "write", "update", "fence" };
	struct site_line none = { "", "", 0 };
	const struct site_line *l = t->site && t->site <= s->sites.n ? &s->sites.at[t->site - 1] : &none;
	char *where = l->line ? xasprintf("%s:%d", base_name(l->file), l->line) : xstrdup("");
	char *object = object_name(s, t), *value = t->kind && t->size <= 8 ? xasprintf("%lld", value_of(t)) : NULL;
	json_t *step = json_pack("{s:s s:I s:s s:s s:s s:s s:s}", "thread",
				 t->thread < RT_ATTEMPT_THREADS ? s->a->names[t->thread] : "?", "sap", (json_int_t)t->sap, "kind",
				 t->kind ? kinds[t->kind % 5] : t->what, "object", object, "where", where, "function", l->function,
				 "what", "");
	if (value) {
		json_object_set_new(step, "value", json_string(value));
		json_object_set_new(step, "size", json_integer(t->size));
	}
	free(where);
	free(object);
	free(value);
	return step;
}

static json_t *failure_json(const struct story *s, const struct trace *t)
{
	struct position p = { .function = "" };
	struct symbols *program = symbols_open(t->program, NULL);
	if (!program || !failure_site(program, &t->failure, &p))
		p = (struct position){ .function = "" };
	char *where = p.file && p.line ? xasprintf("%s:%d", base_name(p.file), p.line) : xstrdup("");
	const char *thread = t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "1";
	json_t *step = json_pack("{s:s s:I s:s s:s s:s s:s s:s s:b}", "thread", thread, "sap", (json_int_t)s->a->steps, "kind", "end",
				 "object", "", "where", where, "function", p.function, "what", "", "fails", 1);
	free(where);
	symbols_close(program);
	return step;
}

static unsigned count_switches(json_t *steps)
{
	unsigned n = 0;
	for (size_t i = 1; i < json_array_size(steps); i++)
		n += strcmp(json_string_value(json_object_get(json_array_get(steps, i), "thread")),
			    json_string_value(json_object_get(json_array_get(steps, i - 1), "thread"))) != 0;
	return n;
}

bool story_write(const struct rt_attempt *a, const struct trace *t, const char *twin, const char *path, struct error *err)
{
	struct story s = { .a = a, .symbols = symbols_open(twin, NULL) };
	if (report_read(&s.report, t->program, NULL))
		read_sites(&s);
	uint64_t n = a->ntrail < RT_TRAIL ? a->ntrail : RT_TRAIL;
	json_t *steps = json_array();
	for (uint64_t i = 0; i < n; i++)
		json_array_append_new(steps, step_json(&s, &a->trail[(a->ntrail - n + i) % RT_TRAIL]));
	bool at_a_place = t->failure.kind == RT_FAIL_ASSERT || t->failure.kind == RT_FAIL_SIGNAL;
	if (at_a_place)
		json_array_append_new(steps, failure_json(&s, t));
	json_t *root = json_pack("{s:s s:I s:I s:I s:o}", "model", "sc", "events", (json_int_t)json_array_size(steps), "threads",
				 (json_int_t)a->nthreads, "switches", (json_int_t)count_switches(steps), "steps", steps);
	bool ok = !json_dump_file(root, path, JSON_INDENT(1)) || fail(err, "cannot write %s", path);
	json_decref(root);
	report_release(&s.report);
	vec_free(&s.sites);
	symbols_close(s.symbols);
	return ok;
}
