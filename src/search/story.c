#include "search/story.h"

#include "exe/report.h"
#include "exe/symbols.h"
#include "exe/twin.h"
#include "search/recent.h"

#include <jansson.h>
#include <rethread/instrument.h>
#include <stdlib.h>
#include <string.h>

/* Steps have the numbers that the attempt gave them; of those before the `recent` ones most are lost. */
struct story {
	const struct rt_attempt *a;
	const struct trace *trace;
	const struct rt_trail **steps;
	uint64_t n, recent;
	vec(uint64_t) asked; /* places in the trail: the last reads of the thread that failed */
	bool *matters;       /* by place in the trail */
	struct report report;
	vec(struct site_line) sites; /* by number less 1 */
	struct symbols *symbols;
};

static const struct rt_trail *trail_at(const struct story *s, uint64_t i)
{
	return s->steps[i];
}

static json_int_t number_of(const struct story *s, uint64_t i)
{
	return (json_int_t)trail_at(s, i)->number;
}

/* Calls of interposed functions are in the report, too, but have no number. */
static void read_sites(struct story *s)
{
	for (size_t i = 0; i < s->report.lines.n; i++) {
		const struct report_line *l = &s->report.lines.at[i];
		if (report_is(l, "site") && strcmp(l->field[1], "synchronization") && strcmp(l->field[1], "input"))
			*vec_push(&s->sites) = (struct site_line){ l->field[3], l->field[4], atoi(l->field[2]) };
	}
}

/* ---- blocks of the heap ---- */

static uint64_t oldest_block(const struct story *s)
{
	return s->a->nblocks < RT_BLOCKS ? 0 : s->a->nblocks - RT_BLOCKS;
}

/* Is it the only one that has been there? */
static bool is_alone(const struct story *s, const struct rt_block *b)
{
	for (uint64_t i = oldest_block(s); i < s->a->nblocks; i++) {
		const struct rt_block *o = &s->a->blocks[i % RT_BLOCKS];
		if (o != b && o->size && o->start < b->start + b->size && b->start < o->start + o->size)
			return false;
	}
	return !oldest_block(s);
}

/* As src/sym/names.c has it; the names of blocks at one place differ. */
static char *block_name(const struct story *s, const struct rt_block *b)
{
	return is_alone(s, b) ? xasprintf("heap block %#llx", (unsigned long long)b->start)
			      : xasprintf("heap block %#llx.%llu", (unsigned long long)b->start, (unsigned long long)(b - s->a->blocks));
}

/* Who allocated it, or freed it, and where, if that was in the program's own code. */
static json_t *caller_json(const struct story *s, const struct rt_block *b)
{
	struct position p = { 0 };
	/* The instruction before the one that it returns to. */
	if (b->thread >= RT_ATTEMPT_THREADS || !*s->a->names[b->thread])
		return json_object();
	json_t *j = json_pack("{s:s}", "thread", s->a->names[b->thread]);
	if (!b->caller || !s->symbols || !symbols_find(s->symbols, b->caller - 1, &p) || !p.file || !p.line)
		return j;
	char *where = xasprintf("%s:%d", p.file, p.line);
	json_object_update_new(j, json_pack("{s:s s:s}", "where", where, "function", p.function));
	free(where);
	return j;
}

static json_t *block_json(const struct story *s, const struct rt_block *b)
{
	json_t *j = json_pack("{s:I s:I s:b}", "size", (json_int_t)b->size, "start", (json_int_t)b->start, "reused", !is_alone(s, b));
	json_object_update_new(j, caller_json(s, b));
	return j;
}

/* Those that steps of the trail are in. */
static json_t *blocks_json(const struct story *s)
{
	json_t *all = json_object();
	for (uint64_t i = 0; i < s->n; i++) {
		const struct rt_trail *t = trail_at(s, i);
		const struct rt_block *b = t->place ? trail_block(s->a, t->place, t->number) : NULL;
		char *name = b ? block_name(s, b) : NULL;
		if (b && !json_object_get(all, name))
			json_object_set_new(all, name, block_json(s, b));
		free(name);
	}
	return all;
}

static char *name_in_block(const struct story *s, const struct rt_trail *t)
{
	const struct rt_block *b = trail_block(s->a, t->place, t->number);
	if (!b)
		return NULL;
	char *block = block_name(s, b);
	char *name = t->place == b->start ? xstrdup(block) : xasprintf("%s+%llu", block, (unsigned long long)(t->place - b->start));
	free(block);
	return name;
}

static char *object_name(const struct story *s, const struct rt_trail *t)
{
	uint64_t offset = 0;
	const char *name = t->address && s->symbols ? symbols_variable(s->symbols, t->address, &offset) : NULL;
	char *in_block = name || !t->place ? NULL : name_in_block(s, t);
	if (in_block)
		return in_block;
	if (!name) /* `explain` may know what lies there */
		return t->place ? xasprintf("memory %#llx", (unsigned long long)t->place) : xstrdup("");
	return offset ? xasprintf("%s+%llu", name, (unsigned long long)offset) : xstrdup(name);
}

/* As a signed number of its size. */
static long long value_of(const struct rt_trail *t)
{
	unsigned unused = t->size && t->size < 8 ? 64 - 8 * t->size : 0;
	return (long long)(t->value << unused) >> unused;
}

/* Addresses as src/infer/result.c has them. */
static bool is_address(const struct rt_trail *t)
{
	return t->size == 8 && t->value >> 44 && !(t->value >> 47);
}

static char *value_text(const struct rt_trail *t)
{
	return is_address(t) ? xasprintf("%#llx", (unsigned long long)t->value) : xasprintf("%lld", value_of(t));
}

static const struct site_line *site_line_of(const struct story *s, const struct rt_trail *t)
{
	static const struct site_line none = { "", "", 0 };
	return t->site && t->site <= s->sites.n ? &s->sites.at[t->site - 1] : &none;
}

static const char *thread_name(const struct story *s, const struct rt_trail *t)
{
	if (t->thread < RT_ATTEMPT_THREADS)
		return s->a->names[t->thread];
	/* A run of scheme rw is the attempt itself. */
	return trace_is_rw(s->trace) && t->thread < s->trace->nthreads ? s->trace->threads[t->thread].name : "?";
}

/* As sites have it: without the folder that the compiler was run in. */
static const char *short_file(const struct story *s, const char *file)
{
	for (size_t i = 0; i < s->sites.n; i++) {
		size_t n = strlen(s->sites.at[i].file), all = strlen(file);
		if (n && n < all && file[all - n - 1] == '/' && !strcmp(file + all - n, s->sites.at[i].file))
			return s->sites.at[i].file;
	}
	return file;
}

static json_t *step_json(const struct story *s, const struct rt_trail *t)
{
	static const char *const kinds[] = { "", "read", "write", "update", "fence" };
	const struct site_line *l = site_line_of(s, t);
	struct position p = { .function = "" };
	bool called = !t->kind && t->caller && s->symbols && symbols_find_own(s->symbols, t->caller - 1, &p) && p.file && p.line;
	char *where = called ? xasprintf("%s:%d", short_file(s, p.file), p.line) : l->line ? xasprintf("%s:%d", l->file, l->line) : xstrdup("");
	char *object = object_name(s, t), *value = t->kind && t->size <= 8 ? value_text(t) : NULL;
	json_t *step = json_pack("{s:s s:I s:s s:s s:s s:s s:s}", "thread",
				 thread_name(s, t), "sap", (json_int_t)t->sap, "kind",
				 t->kind ? kinds[t->kind % 5] : t->blocked ? "call" : t->what, "object", object, "where", where, "function",
				 called ? p.function : l->function, "what", t->blocked ? "blocks here" : "");
	if (value) {
		json_object_set_new(step, "value", json_string(value));
		json_object_set_new(step, "size", json_integer(t->size));
		json_object_set_new(step, "site", json_integer(t->site));
	}
	free(where);
	free(object);
	free(value);
	return step;
}

/* ---- what the failing thread read last ---- */

/* Reads that are told of; that are looked at for one that found another's write; accesses to its place. */
enum { MOST_ASKED = 4, LAST_READS = 16, MOST_OF_PLACE = 12 };

static bool overlap(const struct rt_trail *a, const struct rt_trail *b)
{
	return a->kind && b->kind && a->place < b->place + b->size && b->place < a->place + a->size;
}

static bool is_read(const struct rt_trail *t)
{
	return t->kind == RT_ACCESS_LOAD || t->kind == RT_ACCESS_UPDATE;
}

static bool is_write(const struct rt_trail *t)
{
	return t->kind == RT_ACCESS_STORE || t->kind == RT_ACCESS_UPDATE;
}

static bool same_line(const struct story *s, const struct rt_trail *a, const struct rt_trail *b)
{
	const struct site_line *x = site_line_of(s, a), *y = site_line_of(s, b);
	return x->line == y->line && !strcmp(x->file, y->file);
}

/* Can the read have found what the write left? Calls write memory as well (calloc), and are not in the trail. */
static bool left_it(const struct rt_trail *write, const struct rt_trail *read)
{
	bool same = write->place == read->place && write->size == read->size && read->size <= sizeof read->value;
	return !same || read->kind != RT_ACCESS_LOAD || write->value == read->value;
}

/* Between steps of which one is older, a write to the place may be lost; but not between the two of a race. */
static bool none_lost(const struct story *s, uint64_t k, uint64_t i)
{
	return k >= s->recent || (i < s->recent && trail_at(s, k)->races && trail_at(s, i)->races);
}

/* The write that the read i saw; UINT64_MAX: none in the trail. */
static uint64_t seen_by(const struct story *s, uint64_t i)
{
	for (uint64_t k = i; k--;)
		if (is_write(trail_at(s, k)) && overlap(trail_at(s, k), trail_at(s, i)))
			return none_lost(s, k, i) && left_it(trail_at(s, k), trail_at(s, i)) ? k : UINT64_MAX;
	return UINT64_MAX;
}

/* It matters, and so does what was done to the same place shortly before. */
static void ask(struct story *s, uint64_t read)
{
	*vec_push(&s->asked) = read;
	s->matters[read] = true;
	for (uint64_t k = read, n = 0; k-- && n < MOST_OF_PLACE;)
		if (overlap(trail_at(s, k), trail_at(s, read)))
			s->matters[k] = true, n++;
}

/* Is the step in the line that failed? Paths may be longer in the one than in the other. */
static bool is_where_it_failed(const struct story *s, const struct trace *t, const struct rt_trail *step)
{
	struct position p = { .function = "" };
	struct symbols *program = trace_is_rw(t) ? s->symbols : symbols_open(t->image, NULL); /* the one that failed */
	const struct site_line *x = site_line_of(s, step);
	bool there = program && failure_site(program, &t->failure, &p) && p.file && p.line == x->line;
	size_t n = strlen(x->file), all = there ? strlen(p.file) : 0;
	there = there && n <= all && !strcmp(p.file + all - n, x->file);
	if (program != s->symbols)
		symbols_close(program);
	return there;
}

/* Behind the last read of the thread, of the last few, that found what another had written: what only the thread itself writes, or nobody, is not why it failed. The end: there is none, or it read last in the line that failed. */
static uint64_t behind_foreign_read(const struct story *s, const struct trace *t, const char *name)
{
	unsigned looked = 0;
	for (uint64_t i = s->n; i-- && looked < LAST_READS;) {
		if (strcmp(thread_name(s, trail_at(s, i)), name) || !is_read(trail_at(s, i)))
			continue;
		if (!looked && is_where_it_failed(s, t, trail_at(s, i)))
			break;
		uint64_t seen = seen_by(s, i);
		if (seen != UINT64_MAX && strcmp(thread_name(s, trail_at(s, seen)), name))
			return i + 1;
		looked++;
	}
	return s->n;
}

/* The reads in the line that the thread read last in. A thread that is blocked failed by none. */
static void ask_last_reads(struct story *s, const struct trace *t)
{
	const char *name = t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "";
	if (t->failure.kind == RT_FAIL_DEADLOCK || t->failure.kind == RT_FAIL_TIMEOUT)
		return;
	for (uint64_t i = behind_foreign_read(s, t, name); i-- && s->asked.n < MOST_ASKED;) {
		const struct rt_trail *step = trail_at(s, i);
		if (strcmp(thread_name(s, step), name))
			continue;
		if (s->asked.n && (!same_line(s, step, trail_at(s, s->asked.at[0])) || (is_read(step) && step->site == trail_at(s, s->asked.at[0])->site)))
			break; /* another line, or an earlier round of it */
		if (is_read(step))
			ask(s, i);
	}
}

static json_t *asked_json(const struct story *s)
{
	json_t *all = json_array();
	for (size_t i = s->asked.n; i--;)
		json_array_append_new(all, json_pack("{s:I}", "step", number_of(s, s->asked.at[i])));
	return all;
}

/* ---- who came in between ---- */

static json_t *between_json(struct story *s)
{
	struct between b;
	json_t *j = json_object();
	if (trail_between(&(struct trail){s->steps, s->n, s->recent, s->matters, s->sites.at, s->sites.n, s->a}, &b)) {
		s->matters[b.first] = s->matters[b.other] = s->matters[b.second] = true;
		json_object_set_new(j, "first", json_integer(number_of(s, b.first)));
		json_object_set_new(j, "other", json_integer(number_of(s, b.other)));
		json_object_set_new(j, "second", json_integer(number_of(s, b.second)));
		json_object_set_new(j, "undisturbed", json_integer((json_int_t)b.undisturbed));
		if (b.lock != UINT32_MAX) {
			char *object = object_name(s, trail_at(s, b.lock));
			json_object_set_new(j, "lock", json_pack("{s:s}", "object", *object ? object : "a lock"));
			json_object_set_new(j, "unlocked", json_integer(number_of(s, b.unlocked)));
			free(object);
		}
	}
	return j;
}

/* ---- pointers ---- */

/* Values that are addresses of variables, by their text, as src/infer/result.c has them. */
static json_t *places_json(const struct story *s)
{
	json_t *all = json_object();
	uint64_t loaded = 0, offset;
	for (uint64_t i = 0; i < s->n && !loaded; i++)
		loaded = trail_at(s, i)->address ? trail_at(s, i)->place - trail_at(s, i)->address : 0;
	for (uint64_t i = 0; i < s->n && loaded && s->symbols; i++) {
		const struct rt_trail *t = trail_at(s, i);
		char *text = t->kind && is_address(t) ? value_text(t) : NULL;
		const char *name = text && t->value > loaded ? symbols_variable(s->symbols, t->value - loaded, &offset) : NULL;
		char *place = !name ? NULL : offset ? xasprintf("%s+%llu", name, (unsigned long long)offset) : xstrdup(name);
		if (place)
			json_object_set_new(all, text, json_string(place));
		free(place);
		free(text);
	}
	return all;
}

/* ---- what else went wrong ---- */

static int by_address(const void *p, const void *q)
{
	const struct place_name *a = p, *b = q;
	return a->address < b->address ? -1 : a->address > b->address;
}

typedef vec(struct place_name) names;

/* Of the places of the last steps, where one block has been there only; to be freed. */
static names name_places(const struct story *s)
{
	names all = {0}, once = {0};
	for (uint64_t i = s->recent; i < s->n; i++) {
		const struct rt_trail *t = trail_at(s, i);
		const struct rt_block *b = t->kind ? trail_block(s->a, t->place, t->number) : NULL;
		if (!t->kind || (b && !is_alone(s, b)))
			continue;
		char *object = object_name(s, t);
		struct place_name *p = vec_push(&all);
		*p = (struct place_name){.address = t->place, .block = b ? b->start : 0, .block_size = b ? b->size : 0};
		snprintf(p->name, sizeof p->name, "%s", object);
		free(object);
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_address);
	for (size_t i = 0; i < all.n; i++)
		if (!i || all.at[i].address != all.at[i - 1].address)
			*vec_push(&once) = all.at[i];
	vec_free(&all);
	return once;
}

/* Its steps matter, and have numbers. */
static json_t *steps_json(struct story *s, const char *const *keys, const size_t *steps, size_t n)
{
	json_t *j = json_object();
	for (size_t i = 0; i < n; i++) {
		if (steps[i] == SLICE_NONE)
			continue;
		s->matters[steps[i]] = true;
		json_object_set_new(j, keys[i], json_integer(number_of(s, steps[i])));
	}
	return j;
}

/* lock: a step that took the lock, or gave it up; UINT32_MAX: none. */
static void set_find(struct story *s, json_t *root, const char *key, const char *const *keys, const size_t *steps, size_t n, uint32_t lock)
{
	json_t *j = steps_json(s, keys, steps, n);
	char *object = lock != UINT32_MAX ? object_name(s, trail_at(s, lock)) : NULL;
	if (object)
		json_object_set_new(j, "given_up", json_pack("{s:s}", "object", *object ? object : "a lock"));
	json_object_set_new(root, key, j);
	free(object);
}

static void set_recent(struct story *s, json_t *root, bool between)
{
	struct recent r;
	names known = name_places(s);
	struct trail t = {s->steps, s->n, s->recent, s->matters, s->sites.at, s->sites.n, s->a};
	bool found = recent_find(&r, &t, known.at, known.n, s->asked.at, s->asked.n, between);
	vec_free(&known);
	if (!found)
		return;
	const size_t again[] = {r.again.read, r.again.behind, r.again.away, r.again.back, r.again.changed, r.again.swapped},
		     stale[] = {r.stale.first, r.stale.other, r.stale.second, r.stale.also, r.stale.before, r.stale.found},
		     undone[] = {r.undone.first, r.undone.other, r.undone.seen, r.undone.second}, passed[] = {r.passed.first, r.passed.then, r.passed.other, r.passed.second},
		     published[] = {r.published.shown, r.published.seen, r.published.read, r.published.led};
	if (r.came_again)
		set_find(s, root, "again", (const char *const[]){"read", "behind", "away", "back", "changed", "swapped"}, again, 6, UINT32_MAX);
	if (r.was_stale)
		set_find(s, root, "stale", (const char *const[]){"first", "other", "second", "also", "before", "found"}, stale, 6, r.stale.given_up);
	if (r.was_undone)
		set_find(s, root, "undone", (const char *const[]){"first", "other", "seen", "second"}, undone, 4, r.undone.given_up);
	if (r.was_passed)
		set_find(s, root, "passed", (const char *const[]){"first", "then", "other", "second"}, passed, 4, r.passed.given_up);
	if (r.was_passed)
		json_object_set_new(json_object_get(root, "passed"), "in_order", json_integer((json_int_t)r.passed.in_order));
	if (r.was_stale && r.stale.copied)
		json_object_set_new(json_object_get(root, "stale"), "copied", json_true());
	if (r.too_early) {
		set_find(s, root, "published", (const char *const[]){"shown", "seen", "read", "led"}, published, 4, r.published.given_up);
		json_object_set_new(json_object_get(root, "published"), "filled", step_json(s, trail_at(s, r.published.filled)));
	}
	/* What is certain leaves nothing else to say. */
	if (r.came_again || r.was_stale || r.was_passed)
		json_object_set_new(root, "between", json_object());
}

/* ---- who waits for ever ---- */

static json_t *hangs_json(struct story *s)
{
	json_t *all = json_array();
	for (uint64_t i = 0; i < s->n; i++) {
		const struct rt_trail *t = trail_at(s, i);
		if (!t->blocked)
			continue;
		s->matters[i] = true;
		json_t *j = json_pack("{s:I s:b}", "step", number_of(s, i), "condition", strstr(t->what, "cond_") != NULL);
		if (t->value)
			json_object_set_new(j, "joins", json_string(thread_name(s, &(struct rt_trail){ .thread = (uint32_t)t->value - 1 })));
		/* Who waits for another's end is what came of it. */
		if (t->value)
			json_array_append_new(all, j);
		else
			json_array_insert_new(all, 0, j);
	}
	return all;
}

/* Who does not wait, but goes round. */
static void add_spins(struct story *s, json_t *all)
{
	const struct trail t = {s->steps, s->n, s->recent, s->matters, s->sites.at, s->sites.n, s->a};
	bool blocked[RT_ATTEMPT_THREADS] = {false};
	for (uint64_t i = 0; i < s->n; i++)
		if (trail_at(s, i)->blocked && trail_at(s, i)->thread < RT_ATTEMPT_THREADS)
			blocked[trail_at(s, i)->thread] = true;
	for (uint32_t thread = 0; thread < s->a->nthreads && thread < RT_ATTEMPT_THREADS; thread++) {
		struct spin f;
		if (blocked[thread] || !recent_spins(&f, &t, thread))
			continue;
		const size_t steps[] = {f.read, f.read, f.is, f.missed, f.looked, f.told};
		json_t *j = steps_json(s, (const char *const[]){"step", "read", "is", "missed", "looked", "told"}, steps, 6);
		json_object_set_new(j, "spins", json_true());
		if (f.missed != SLICE_NONE || f.told != SLICE_NONE)
			json_array_insert_new(all, 0, j);
		else
			json_array_append_new(all, j);
	}
}

/* ---- what was used after it had been freed ---- */

/* When the block was freed that has the place of an access, at a step of the trail; NULL: it was not. */
static const struct rt_block *freed_at(const struct story *s, const struct rt_block *b, uint64_t step)
{
	for (uint64_t i = s->a->nblocks; i-- > oldest_block(s);) {
		const struct rt_block *f = &s->a->blocks[i % RT_BLOCKS];
		if (f == b)
			return NULL;
		if (!f->size && f->start == b->start && f->trail <= step)
			return f;
	}
	return NULL;
}

/* Of the thread that failed, the last access to such memory. */
static json_t *freed_json(struct story *s, const struct trace *t)
{
	const char *name = t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "";
	for (uint64_t i = s->n; i--;) {
		const struct rt_trail *step = trail_at(s, i);
		const struct rt_block *b = step->kind && !strcmp(thread_name(s, step), name) ? trail_block(s->a, step->place, step->number) : NULL;
		const struct rt_block *f = b ? freed_at(s, b, step->number) : NULL;
		json_t *by = f ? caller_json(s, f) : NULL;
		if (by && json_object_size(by)) {
			s->matters[i] = true;
			json_t *j = json_pack("{s:I s:I s:o}", "use", number_of(s, i), "size", (json_int_t)b->size, "by", by);
			json_t *allocated = caller_json(s, b);
			json_object_set_new(j, "allocated", json_object_size(allocated) ? allocated : json_null());
			return j;
		}
		json_decref(by);
	}
	return json_object();
}

/* ---- writing it ---- */

static json_t *numbered_json(const struct story *s, uint64_t i)
{
	json_t *step = step_json(s, trail_at(s, i));
	uint64_t seen = is_read(trail_at(s, i)) && s->matters[i] ? seen_by(s, i) : UINT64_MAX;
	json_object_set_new(step, "step", json_integer(number_of(s, i)));
	json_object_set_new(step, "saw", json_integer(seen == UINT64_MAX ? -1 : number_of(s, seen)));
	if (s->matters[i])
		json_object_set_new(step, "matters", json_true());
	return step;
}

static json_t *failure_json(const struct story *s, const struct trace *t)
{
	struct position p = { .function = "" };
	struct symbols *program = trace_is_rw(t) ? s->symbols : symbols_open(t->image, NULL); /* the one that failed */
	if (!program || !failure_site(program, &t->failure, &p))
		p = (struct position){ .function = "" };
	char *where = p.file && p.line ? xasprintf("%s:%d", p.file, p.line) : xstrdup("");
	const char *thread = t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "1";
	json_t *step = json_pack("{s:s s:I s:s s:s s:s s:s s:s s:b}", "thread", thread, "sap", (json_int_t)s->a->steps, "kind", "end",
				 "object", "", "where", where, "function", p.function, "what", "", "fails", 1);
	json_object_set_new(step, "step", json_integer((json_int_t)s->a->numbers));
	free(where);
	if (program != s->symbols)
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
	struct story s = { .a = a, .trace = t, .symbols = symbols_open(twin, NULL) };
	if (report_read(&s.report, t->image, NULL))
		read_sites(&s);
	s.steps = trail_read(s.a, &s.n, &s.recent);
	s.matters = xcalloc(s.n + 1, sizeof *s.matters);
	ask_last_reads(&s, t);
	json_t *freed = freed_json(&s, t), *between = between_json(&s), *steps = json_array(), *causes = json_object();
	if (!json_object_size(freed))
		set_recent(&s, causes, json_object_size(between));
	json_t *hangs = hangs_json(&s);
	if (t->failure.kind == RT_FAIL_TIMEOUT)
		add_spins(&s, hangs);
	for (uint64_t i = 0; i < s.n; i++)
		json_array_append_new(steps, numbered_json(&s, i));
	bool at_a_place = t->failure.kind == RT_FAIL_ASSERT || t->failure.kind == RT_FAIL_SIGNAL;
	if (at_a_place)
		json_array_append_new(steps, failure_json(&s, t));
	json_t *root = json_pack("{s:s s:I s:I s:I s:b s:o s:o s:o}", "model", "sc", "events", (json_int_t)json_array_size(steps), "threads",
				 (json_int_t)a->nthreads, "switches", (json_int_t)count_switches(steps), "guessed", 1, "asked",
				 asked_json(&s), "between", between, "steps", steps);
	json_object_set_new(root, "blocks", blocks_json(&s));
	json_object_set_new(root, "freed", freed);
	json_object_set_new(root, "hangs", hangs);
	json_object_set_new(root, "places", places_json(&s));
	json_object_update_new(root, causes);
	bool ok = !json_dump_file(root, path, JSON_INDENT(1)) || fail(err, "cannot write %s", path);
	json_decref(root);
	report_release(&s.report);
	vec_free(&s.sites);
	vec_free(&s.asked);
	free(s.matters);
	free(s.steps);
	symbols_close(s.symbols);
	return ok;
}
