/*
 * The lines a thread passes, for `rethread dump`: entries in order, each a line or "the `period` entries before this one,
 * `count` times in all". Repetition is found as it arises: an entry that completes a copy of what stands right before
 * it takes the copy away. So loops, also nested ones, take as many entries as they have lines.
 */
#include "sym/engine.h"

#include <jansson.h>
#include <string.h>

enum { LOOK_BACK = 96 }; /* entries in which a repetition begins */

#define REPEAT (1ull << 63)
#define PERIOD(entry) ((size_t)((entry) >> 48 & 0x7fff))
#define COUNT(entry) ((entry) & 0xffffffffffff)

static uint64_t repeat(size_t period, uint64_t count)
{
	return REPEAT | (uint64_t)period << 48 | count;
}

/* Are the n entries that end before `a` and those that end before `b` the same? */
static bool same(const uint64_t *a, const uint64_t *b, size_t n)
{
	return !memcmp(a - n, b - n, n * sizeof *a);
}

/* How far before the last entry the next equal one is, beyond `distance`; more than LOOK_BACK when there is none. */
static size_t next_equal(const struct lines *l, size_t distance)
{
	size_t n = l->entries.n, most = n - 1 < LOOK_BACK + 1 ? n - 1 : LOOK_BACK + 1;
	const uint64_t *at = l->entries.at + n - 1, last = *at;
	/* Most entries have none, so that eight at once are asked. */
	while (distance + 8 <= most) {
		const uint64_t *p = at - distance - 8;
		if ((p[0] == last) | (p[1] == last) | (p[2] == last) | (p[3] == last) | (p[4] == last) | (p[5] == last) |
		    (p[6] == last) | (p[7] == last))
			break;
		distance += 8;
	}
	while (++distance <= most)
		if (*(at - distance) == last)
			return distance;
	return LOOK_BACK + 2;
}

/* Does no number among the n entries count entries before them? Else a copy of them says something else: there others come before. */
static bool is_whole(const uint64_t *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i] & REPEAT && PERIOD(entries[i]) > i)
			return false;
	return true;
}

/* Takes away the end of the list when it says again what stands before it; true when it did. */
static bool fold(struct lines *l)
{
	size_t n = l->entries.n;
	uint64_t *at = l->entries.at;
	for (size_t d = next_equal(l, 0); d <= LOOK_BACK + 1; d = next_equal(l, d)) {
		/* P, how often, P: one more. */
		size_t period = d - 1;
		uint64_t *mark = at + n - d;
		if (period && d + period <= n && *mark & REPEAT && PERIOD(*mark) == period && same(at + n, mark, period)) {
			*mark = repeat(period, COUNT(*mark) + 1);
			l->entries.n = n - period;
			return true;
		}
		/* P P: one P and its number. */
		period = d;
		if (period <= LOOK_BACK && 2 * period <= n && same(at + n, at + n - period, period) && is_whole(at + n - period, period)) {
			at[n - period] = repeat(period, 2);
			l->entries.n = n - period + 1;
			return true;
		}
	}
	return false;
}

/* The oldest half goes when there are twice as many as wanted; a number without what it counts says little but no harm. */
static void forget(struct lines *l, size_t most)
{
	if (l->entries.n < 2 * most || l->entries.n < 2 * LOOK_BACK)
		return;
	size_t n = l->entries.n - most;
	memmove(l->entries.at, l->entries.at + n, most * sizeof *l->entries.at);
	l->entries.n = most;
	l->forgotten = true;
}

/* How much of its log the thread has used; grows whenever it uses some. */
static uint64_t progress(const struct ethread *t)
{
	return path_reader_done(&t->path) + t->ops + t->next_input;
}

void host_line(struct ithread *thread, uint32_t position)
{
	struct ethread *t = ithread_data(thread);
	struct lines *l = &t->lines;
	if (!engine.most_lines)
		return;
	if (progress(t) != l->progress) {
		l->progress = progress(t);
		l->sure = l->passed;
	}
	l->passed++;
	*vec_push(&l->entries) = position;
	while (fold(l))
		;
	if (engine.most_lines != UINT64_MAX)
		forget(l, engine.most_lines);
}

/*
 * What the thread passed last, `lines` of them, it passes n times more: true when the end of the list is a repetition of as many, and
 * perhaps the begin of one more.
 */
bool lines_repeat(struct ethread *t, uint64_t lines, uint64_t n)
{
	struct lines *l = &t->lines;
	for (size_t after = 0; after <= lines && after < l->entries.n; after++) {
		size_t mark = l->entries.n - 1 - after;
		uint64_t *at = l->entries.at;
		if (!(at[mark] & REPEAT))
			continue;
		if (PERIOD(at[mark]) != lines || mark < lines || memcmp(at + mark - lines, at + mark + 1, after * sizeof *at))
			return false;
		at[mark] = repeat(lines, COUNT(at[mark]) + n);
		l->passed += n * lines;
		l->sure += n * lines;
		return true;
	}
	return false;
}

void lines_load(void)
{
	char *text;
	char *file = xasprintf("%s/lines", engine.config->state);
	if (read_file(file, &text, NULL, NULL)) {
		engine.most_lines = strtoull(text, NULL, 10);
		free(text);
	}
	free(file);
}

/* ---- writing ---- */

static json_t *place(const struct position *p)
{
	json_t *file = json_string(p->file), *function = json_string(p->function);
	return json_pack("{s:o, s:I, s:o}", "file", file ? file : json_string("?"), "line", (json_int_t)p->line,
			 "function", function ? function : json_string("?"));
}

static json_t *entry_value(uint64_t entry)
{
	if (entry & REPEAT)
		return json_pack("{s:I, s:I}", "repeat", (json_int_t)PERIOD(entry), "times", (json_int_t)COUNT(entry));
	struct position p;
	interp_place(engine.interp, (uint32_t)entry, &p);
	return place(&p);
}

static json_t *stack_value(const struct ethread *t)
{
	struct position frames[RT_FRAMES];
	unsigned n = ithread_stack(t->interp, frames, RT_FRAMES);
	json_t *list = json_array();
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, place(&frames[i]));
	return list;
}

static json_t *thread_value(const struct ethread *t)
{
	const struct lines *l = &t->lines;
	json_t *list = json_array();
	size_t first = l->entries.n > engine.most_lines ? l->entries.n - engine.most_lines : 0;
	for (size_t i = first; i < l->entries.n; i++)
		json_array_append_new(list, entry_value(l->entries.at[i]));
	bool certain = t->failed || (t->log && t->log->info.ended);
	return json_pack("{s:s, s:I, s:I, s:b, s:o, s:o}", "name", t->name, "passed", (json_int_t)l->passed, "unsure",
			 certain ? 0 : (json_int_t)(l->passed - l->sure), "cut", l->forgotten || first, "lines", list,
			 "stack", stack_value(t));
}

void lines_write(void)
{
	if (!engine.most_lines)
		return;
	json_t *threads = json_array();
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->log)
			json_array_append_new(threads, thread_value(engine.threads.at[i]));
	char *file = xasprintf("%s/paths.json", engine.config->state);
	if (json_dump_file(threads, file, JSON_COMPACT))
		engine_fatal("cannot write %s", file);
	json_decref(threads);
	free(file);
}
