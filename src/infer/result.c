#include "infer/result.h"

#include "exe/variables.h"
#include "infer/finds.h"
#include "infer/midway.h"
#include "model/check.h"

#include <jansson.h>
#include <rethread/schedule.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[EVENT_KIND_COUNT] = {
	[EVENT_START] = "start",   [EVENT_END] = "end",         [EVENT_READ] = "read",
	[EVENT_WRITE] = "write",   [EVENT_UPDATE] = "update",   [EVENT_FENCE] = "fence",
	[EVENT_CREATE] = "create", [EVENT_JOIN] = "join",       [EVENT_LOCK] = "lock",
	[EVENT_UNLOCK] = "unlock", [EVENT_WAIT] = "wait",       [EVENT_SIGNAL] = "signal",
	[EVENT_BROADCAST] = "broadcast", [EVENT_CALL] = "call", [EVENT_ORDERED] = "synchronization",
	[EVENT_POST] = "post",     [EVENT_TAKE] = "take",       [EVENT_EMPTY] = "finds none",
	[EVENT_BUSY] = "finds it held", [EVENT_ARRIVE] = "arrive", [EVENT_LEAVE] = "leave",
	[EVENT_HANG] = "waits for ever",
};

static const char *place_name(const struct execution *x, uint64_t address)
{
	const struct place_name *p = execution_place(x, address);
	return p ? p->name : "?";
}

/* Accesses are named by what they access, locks and other objects by where they are, threads by ancestry. */
static char *object_name(const struct execution *x, const struct event *e)
{
	switch (e->kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_UPDATE:
		return xstrdup(place_name(x, e->object));
	case EVENT_CREATE:
	case EVENT_JOIN:
		return xasprintf("%s", e->object < x->threads.n ? x->threads.at[e->object].name : "?");
	case EVENT_ORDERED:
		return xstrdup(place_name(x, e->object));
	default:
		return xstrdup(event_sync_class(e) || (e->kind == EVENT_CALL && e->object) ? place_name(x, e->object) : "");
	}
}

/* Words that are text are shown as such: at least three bytes, all of them printable. */
static bool as_text(uint64_t v, unsigned size, char *out)
{
	size_t n = 0;
	for (unsigned i = 0; i < size && size >= 3; i++) {
		char c = (char)(v >> (8 * i));
		if (c != '\n' && (c < ' ' || c > '~'))
			return false;
		if (c == '\n' || c == '"' || c == '\\')
			out[n++] = '\\';
		out[n++] = c == '\n' ? 'n' : c;
	}
	out[n] = 0;
	return n != 0;
}

/* Where programs, libraries and stacks are mapped: other numbers are rarely as large. */
static bool looks_like_address(uint64_t v, unsigned size)
{
	return size == 8 && v >> 44 && !(v >> 47);
}

/* Most numbers in programs are signed. */
static char *one_value(uint64_t v, unsigned size, bool is_float)
{
	if (is_float && (size == 4 || size == 8))
		return value_type_text(&(struct value_type){ .kind = VALUE_FLOAT, .size = size }, v);
	char text[2 * sizeof v + 1];
	if (size && as_text(v, size, text))
		return xasprintf("\"%s\"", text);
	if (looks_like_address(v, size))
		return xasprintf("%#llx", (unsigned long long)v);
	unsigned unused = size && size < sizeof v ? 64 - 8 * size : 0;
	return xasprintf("%lld", (long long)(v << unused) >> unused);
}

/* values: of all expressions. */
static char *value_text(const struct event *e, bool is_float, const uint64_t *values)
{
	if (e->kind != EVENT_READ && e->kind != EVENT_WRITE && e->kind != EVENT_UPDATE)
		return NULL;
	char *read = one_value(values[e->read], e->size, is_float),
	     *written = one_value(values[e->written], e->size, is_float);
	char *text = e->kind == EVENT_READ    ? xstrdup(read)
		     : e->kind == EVENT_WRITE ? xstrdup(written)
					      : xasprintf("%s -> %s", read, written);
	free(read);
	free(written);
	return text;
}

static json_t *step_json(const struct execution *x, const struct step *s, const uint64_t *values)
{
	const struct event *e = &x->events.at[s->event];
	const struct site_info *site = &x->sites.at[e->site];
	char *object = object_name(x, e), *value = value_text(e, site->is_float, values);
	json_t *step = json_pack("{s:s s:I s:s s:s s:s s:s s:s}", "thread", x->threads.at[e->thread].name, "sap",
				 (json_int_t)e->sap, "kind", kind_names[e->kind], "object", object, "where",
				 e->site ? site->where : "", "function", e->site ? site->function : "", "what",
				 e->site ? site->what : "");
	if (value) {
		json_object_set_new(step, "value", json_string(value));
		json_object_set_new(step, "size", json_integer(e->size));
		json_object_set_new(step, "site", json_integer(site->number));
	}
	if (e->flags & EVENT_FREES)
		json_object_set_new(step, "frees", json_true());
	if (e->flags & EVENT_FAILS)
		json_object_set_new(step, "fails", json_true());
	if (s->visible)
		json_object_set_new(step, "visible", json_true());
	free(object);
	free(value);
	return step;
}

/*
 * Very long orders are cut down to what is near a change of thread or the end: enough to be read, and small enough to be
 * kept.
 */
enum { LONG_ORDER = 100000, NEAR = 4, NEAR_END = 1000 };

static bool is_note(const struct execution *x, const struct step *s)
{
	return x->events.at[s->event].flags & EVENT_NOTE;
}

static bool *steps_to_show(const struct execution *x, const struct linear *l, const struct slice *s)
{
	bool *show = xcalloc(l->needed + 1, sizeof *show);
	for (size_t i = 0; i < l->needed; i++) {
		bool changes = i && x->events.at[l->steps.at[i].event].thread !=
					    x->events.at[l->steps.at[i - 1].event].thread;
		if (is_note(x, &l->steps.at[i])) {
			show[i] = s->matters[i];
			continue;
		}
		show[i] |= s->matters[i] || l->needed <= LONG_ORDER || i < NEAR_END || i + NEAR_END >= l->needed;
		for (size_t k = i > NEAR ? i - NEAR : 0; changes && k < i + NEAR && k < l->needed; k++)
			show[k] |= !is_note(x, &l->steps.at[k]);
	}
	for (size_t i = 0; i < l->needed; i++)
		show[i] &= !told_is_behind_text(&x->events.at[l->steps.at[i].event]);
	return show;
}

static bool write_step(FILE *f, json_t *step, bool first)
{
	bool ok = fputs(first ? "\n" : ",\n", f) >= 0 && !json_dumpf(step, f, 0);
	json_decref(step);
	return ok;
}

static bool is_own_block(const struct execution *x, const struct event *e)
{
	const struct place_name *place = execution_place(x, e->object);
	return place && place->block_size && place->allocated_by == e->thread;
}

/*
 * The failure depends on what this step reads, or a failing thread read it last: which step's write that was (-1: the initial value), and the next one of
 * another thread, in full, since that may come after the failure.
 */
static json_t *asked_json(const struct execution *x, const struct linear *l, const struct slice *s, size_t step, bool last,
			  const uint64_t *values, bool behind)
{
	json_t *asked = json_pack("{s:I s:b s:b}", "step", (json_int_t)step, "last", last, "behind", behind);
	if (last && s->last_rests)
		json_object_set_new(asked, "rests", json_true());
	bool looked = false, still = false;
	size_t waited = midway_wait(x, l, s, step, values, &looked, &still);
	if (waited != SLICE_NONE) {
		json_object_set_new(asked, "waited", step_json(x, &l->steps.at[waited], values));
		json_object_set_new(asked, "looked", json_boolean(looked));
		json_object_set_new(asked, "still", json_boolean(still));
	}
	uint32_t lock = midway_lock(x, l, s, step);
	if (lock != NO_LOCK)
		json_object_set_new(asked, "midway", json_pack("{s:s}", "object", place_name(x, lock)));
	bool readers = false;
	lock = midway_missing(x, l, s, step, &readers);
	if (lock != NO_LOCK)
		json_object_set_new(asked, "missing", json_pack("{s:s s:b}", "object", place_name(x, lock), "readers", readers));
	/* Of what does not race, not all may be known; nor what a thread did to a block of its own. */
	if (s->saw[step] == SLICE_NONE && last && !x->notes_lost && (s->next[step] != SLICE_NONE || !is_own_block(x, &x->events.at[l->steps.at[step].event])))
		json_object_set_new(asked, "unwritten", json_true());
	if (s->next[step] != SLICE_NONE)
		json_object_set_new(asked, "next", step_json(x, &l->steps.at[s->next[step]], values));
	return asked;
}

/* The step with its number, how many came before that are no notes, and its part in the failure. */
static json_t *told_step(const struct execution *x, const struct linear *l, const struct slice *s, size_t i, size_t before,
			 const uint64_t *values)
{
	const struct event *e = &x->events.at[l->steps.at[i].event];
	json_t *step = step_json(x, &l->steps.at[i], values);
	json_object_set_new(step, "step", json_integer((json_int_t)i));
	json_object_set_new(step, "before", json_integer((json_int_t)before));
	if (e->flags & EVENT_NOTE)
		json_object_set_new(step, "note", json_true());
	if ((e->kind == EVENT_READ || e->kind == EVENT_UPDATE) && !l->steps.at[i].visible)
		json_object_set_new(step, "saw", json_integer(s->saw[i] == SLICE_NONE ? -1 : (json_int_t)s->saw[i]));
	if (s->matters[i])
		json_object_set_new(step, "matters", json_true());
	return step;
}

/* The lock that an event is about. */
static json_t *lock_json(const struct execution *x, uint32_t event)
{
	char *object = object_name(x, &x->events.at[event]);
	const struct event *e = &x->events.at[event];
	json_t *j = json_pack("{s:s s:s}", "object", object, "where", e->site ? x->sites.at[e->site].where : "");
	free(object);
	return j;
}

static json_t *apart_json(const struct execution *x, const uint32_t by[2])
{
	return json_pack("[{s:s} {s:s}]", "object", place_name(x, by[0]), "object", place_name(x, by[1]));
}

static json_t *between_json(const struct execution *x, const struct between *b)
{
	json_t *j = json_pack("{s:I s:I s:I s:I}", "first", (json_int_t)b->first, "other", (json_int_t)b->other, "second",
			      (json_int_t)b->second, "undisturbed", (json_int_t)b->undisturbed);
	if (b->overtaken == OTHER_WAY)
		json_object_set_new(j, "overtaken", json_true());
	if (b->lock != UINT32_MAX) {
		json_object_set_new(j, "lock", lock_json(x, b->lock));
		json_object_set_new(j, "unlocked", json_integer((json_int_t)b->unlocked));
		json_object_set_new(j, "as_reader", json_boolean(b->as_reader));
	}
	if (b->apart)
		json_object_set_new(j, "apart", apart_json(x, b->apart_by));
	json_object_set_new(j, "bare", json_boolean(b->bare));
	if (b->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(x, b->given_up));
	return j;
}

static json_t *allocation_json(const struct execution *x, uint32_t site, uint32_t thread)
{
	const struct site_info *at = &x->sites.at[site];
	return json_pack("{s:s s:s s:s}", "where", at->where, "function", at->function, "thread", x->threads.at[thread].name);
}

static json_t *freed_json(const struct execution *x, const struct freed *f)
{
	json_t *j = json_pack("{s:I s:I s:I s:b}", "use", (json_int_t)f->use, "freed", (json_int_t)f->freed, "size", (json_int_t)f->size, "twice",
			      f->twice);
	if (f->allocated_at)
		json_object_set_new(j, "allocated", allocation_json(x, f->allocated_at, f->allocated_by));
	if (f->again_at)
		json_object_set_new(j, "again", allocation_json(x, f->again_at, f->again_by));
	if (f->got != SLICE_NONE)
		json_object_set_new(j, "got", json_integer((json_int_t)f->got));
	if (f->gone != SLICE_NONE)
		json_object_set_new(j, "gone", json_integer((json_int_t)f->gone));
	if (f->lock != UINT32_MAX)
		json_object_set_new(j, "lock", lock_json(x, f->lock));
	return j;
}

/* What fills it may come after the failure, so that is told in full. */
static json_t *published_json(const struct told *t, const struct published *p, const uint64_t *values)
{
	json_t *j = json_pack("{s:I s:I s:I s:o s:I}", "shown", (json_int_t)p->shown, "seen", (json_int_t)p->seen, "read", (json_int_t)p->read, "filled",
			 step_json(&t->x, &t->l.steps.at[p->filled], values), "in_time", (json_int_t)p->in_time);
	if (p->led != SLICE_NONE)
		json_object_set_new(j, "led", json_integer((json_int_t)p->led));
	if (p->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(&t->x, p->given_up));
	return j;
}

/* What is usual may come after the failure, so that is told in full. */
static json_t *halfway_json(const struct told *t, const struct halfway *h, const uint64_t *values)
{
	json_t *j = json_pack("{s:I s:I s:I s:o s:I s:b s:b}", "wrote", (json_int_t)h->wrote, "seen", (json_int_t)h->seen, "read", (json_int_t)h->read, "usual",
			      step_json(&t->x, &t->l.steps.at[h->usual], values), "times", (json_int_t)h->times, "in_turns", h->in_turns, "by_all", h->by_all);
	if (h->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(&t->x, h->given_up));
	return j;
}

static json_t *acted_json(const struct execution *x, const struct acted *a)
{
	json_t *j = json_pack("{s:I s:I s:I}", "first", (json_int_t)a->first, "other", (json_int_t)a->other, "act", (json_int_t)a->act);
	if (a->computed)
		json_object_set_new(j, "computed", json_true());
	if (a->late)
		json_object_update_new(j, json_pack("{s:I s:I}", "second", (json_int_t)a->second, "alike", (json_int_t)a->alike));
	if (a->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(x, a->given_up));
	return j;
}

static bool write_asked(FILE *f, const struct execution *x, const struct linear *l, const struct slice *s,
			const uint64_t *values)
{
	bool ok = fputs("\n], \"asked\": [", f) >= 0;
	size_t n = 0;
	for (size_t k = 0; ok && k < s->asked.n; k++)
		if (s->asked.at[k] < l->needed)
			ok = write_step(f, asked_json(x, l, s, s->asked.at[k], k < s->last_reads, values, k >= s->asked.n - s->behind), n++ == 0);
	return ok;
}

typedef vec(const struct event *) births;

static int by_object(const void *p, const void *q)
{
	const struct event *a = *(const struct event *const *)p, *b = *(const struct event *const *)q;
	return a->object < b->object ? -1 : a->object > b->object;
}

/* Allocations of memory that was used before, by address; to be freed. */
static births find_births(const struct execution *x)
{
	births all = {0};
	for (size_t i = 0; i < x->notes.n; i++)
		if (x->notes.at[i].flags & EVENT_ALLOCATES)
			*vec_push(&all) = &x->notes.at[i];
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	return all;
}

/* Were several blocks allocated there, one after the other? */
static bool is_reused(const births *all, const struct place_name *p)
{
	enum { FAR = 1 << 16 }; /* larger ones that begin before it are not looked for */
	size_t low = 0, high = all->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (all->at[mid]->object + FAR < p->block)
			low = mid + 1;
		else
			high = mid;
	}
	unsigned n = 0;
	for (; low < all->n && all->at[low]->object < p->block + p->block_size && n < 2; low++)
		n += all->at[low]->object + all->at[low]->before > p->block;
	return n > 1;
}

/* By the beginning of their names: heap blocks that are in an order, who allocated them where, how large they are. */
static bool write_blocks(FILE *f, const struct execution *x)
{
	json_t *blocks = json_object();
	births all = find_births(x);
	for (size_t i = 0; i < x->names.n; i++) {
		const struct place_name *p = &x->names.at[i];
		const struct site_info *at = &x->sites.at[p->allocated_at];
		char *name = xstrdup(p->name);
		name[strcspn(name, "+")] = 0;
		if (p->block_size && !json_object_get(blocks, name)) {
			json_t *b = json_pack("{s:I s:I}", "size", (json_int_t)p->block_size, "start", (json_int_t)p->block);
			if (is_reused(&all, p) || (x->notes_lost && p->block >= RT_MIRROR))
				json_object_set_new(b, "reused", json_true());
			if (p->allocated_at)
				json_object_update_new(b, json_pack("{s:I s:s s:s s:s}", "site", (json_int_t)at->number, "where", at->where,
								    "function", at->function, "thread",
								    x->threads.at[p->allocated_by].name));
			json_object_set_new(blocks, name, b);
		}
		free(name);
	}
	vec_free(&all);
	bool ok = fputs(", \"blocks\": ", f) >= 0 && !json_dumpf(blocks, f, 0);
	json_decref(blocks);
	return ok;
}

/* Values that are addresses of variables and functions, by their text. */
static void note_place(json_t *places, const struct execution *x, const struct event *e, const uint64_t *values)
{
	const uint64_t both[] = {values[e->read], values[e->written]};
	for (int i = 0; i < 2; i++) {
		const struct place_name *p = looks_like_address(both[i], e->size) ? execution_place(x, both[i]) : NULL;
		if (!p || p->block_size || !strncmp(p->name, "0x", 2))
			continue;
		char *text = one_value(both[i], e->size, false);
		json_object_set_new(places, text, json_string(p->name));
		free(text);
	}
}

static bool write_outside(FILE *f, const char *text)
{
	json_t *outside = json_string(text);
	bool ok = fputs(", \"outside\": ", f) >= 0 && !json_dumpf(outside, f, JSON_ENCODE_ANY);
	json_decref(outside);
	return ok;
}

static bool write_places(FILE *f, const json_t *places)
{
	return fputs(", \"places\": ", f) >= 0 && !json_dumpf(places, f, 0);
}

/* What is written through an old pointer may come after the failure, so that is told in full. */
static json_t *stale_json(const struct told *t, const struct stale *s, const uint64_t *values)
{
	const struct execution *x = &t->x;
	json_t *j = json_pack("{s:I s:I s:I}", "first", (json_int_t)s->first, "other", (json_int_t)s->other, "second", (json_int_t)s->second);
	uint32_t by[2];
	if (s->also != SLICE_NONE)
		json_object_set_new(j, "also", json_integer((json_int_t)s->also));
	if (s->also != SLICE_NONE && midway_apart(x, &t->l, s->second, s->also, by))
		json_object_set_new(j, "apart", apart_json(x, by));
	if (s->found != SLICE_NONE) {
		json_object_set_new(j, "found", json_integer((json_int_t)s->found));
		json_object_set_new(j, "wrote", step_json(x, &t->l.steps.at[s->second], values));
	}
	if (s->rests)
		json_object_set_new(j, "rests", json_true());
	if (s->copied)
		json_object_set_new(j, "copied", json_true());
	if (s->before != SLICE_NONE)
		json_object_set_new(j, "before", json_integer((json_int_t)s->before));
	if (s->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(x, s->given_up));
	return j;
}

static json_t *again_json(const struct again *a)
{
	return json_pack("{s:I s:I s:I s:I s:I s:I}", "read", (json_int_t)a->read, "behind", (json_int_t)a->behind, "away", (json_int_t)a->away, "back",
			 (json_int_t)a->back, "changed", (json_int_t)a->changed, "swapped", (json_int_t)a->swapped);
}

static json_t *undone_json(const struct execution *x, const struct undone *u)
{
	json_t *j = json_pack("{s:I s:I s:I s:I}", "first", (json_int_t)u->first, "other", (json_int_t)u->other, "seen", (json_int_t)u->seen, "second",
			      (json_int_t)u->second);
	if (u->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(x, u->given_up));
	return j;
}

static json_t *passed_json(const struct execution *x, const struct passed *p)
{
	json_t *j = json_pack("{s:I s:I s:I s:I s:I}", "first", (json_int_t)p->first, "then", (json_int_t)p->then, "other", (json_int_t)p->other, "second",
			      (json_int_t)p->second, "in_order", (json_int_t)p->in_order);
	if (p->given_up != UINT32_MAX)
		json_object_set_new(j, "given_up", lock_json(x, p->given_up));
	return j;
}

static json_t *overposted_json(const struct overposted *o)
{
	return json_pack("{s:I s:I s:I}", "before", (json_int_t)o->before, "post", (json_int_t)o->post, "take", (json_int_t)o->take);
}

static json_t *buffered_json(const struct buffered *b)
{
	return json_pack("{s:[I I] s:[I I]}", "stores", (json_int_t)b->store[0], (json_int_t)b->store[1], "reads", (json_int_t)b->read[0], (json_int_t)b->read[1]);
}

static json_t *hangs_json(const struct execution *x, const hangs *all)
{
	json_t *j = json_array();
	for (size_t i = 0; i < all->n; i++) {
		const struct hang *h = &all->at[i];
		json_t *one = json_pack("{s:I s:b s:b s:b}", "step", (json_int_t)h->blocked, "condition", h->on_condition, "lost", h->lost, "never",
					h->never);
		if (h->condition)
			json_object_set_new(one, "object", json_string(place_name(x, h->condition)));
		if (h->joins != UINT32_MAX)
			json_object_set_new(one, "joins", json_string(x->threads.at[h->joins].name));
		if (h->spins)
			json_object_set_new(one, "spins", json_true());
		if (h->unchanged)
			json_object_set_new(one, "unchanged", json_true());
		const struct {
			const char *key;
			size_t step;
		} steps[] = {{"signal", h->signal}, {"other", h->other}, {"woke", h->woke}, {"is", h->is}, {"missed", h->missed}, {"woken", h->woken}, {"over", h->over}, {"looked", h->looked}, {"told", h->told}, {"wanted", h->wanted}, {"read", h->read}, {"wrote", h->wrote}, {"freed", h->freed}, {"last", h->last}, {"taken", h->taken}, {"taker", h->taker}};
		for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
			if (steps[k].step != SLICE_NONE)
				json_object_set_new(one, steps[k].key, json_integer((json_int_t)steps[k].step));
		json_array_append_new(j, one);
	}
	return j;
}

static bool write_finds(FILE *f, const struct finds *d)
{
	const struct execution *x = &d->told.x;
	return write_asked(f, x, &d->told.l, &d->slice, d->values) && fputs("\n], \"between\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_BETWEEN ? between_json(x, &d->between) : json_object(), true) && fputs(", \"freed\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_FREED ? freed_json(x, &d->freed) : json_object(), true) && fputs(", \"stale\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_STALE ? stale_json(&d->told, &d->stale, d->values) : json_object(), true) && fputs(", \"again\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_AGAIN ? again_json(&d->again) : json_object(), true) && fputs(", \"buffered\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_BUFFERED ? buffered_json(&d->buffered) : json_object(), true) && fputs(", \"published\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_PUBLISHED ? published_json(&d->told, &d->published, d->values) : json_object(), true) && fputs(", \"halfway\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_HALFWAY ? halfway_json(&d->told, &d->halfway, d->values) : json_object(), true) && fputs(", \"undone\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_UNDONE ? undone_json(x, &d->undone) : json_object(), true) && fputs(", \"passed\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_PASSED ? passed_json(x, &d->passed) : json_object(), true) && fputs(", \"acted\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_ACTED ? acted_json(x, &d->acted) : json_object(), true) && fputs(", \"overposted\": ", f) >= 0 &&
	       write_step(f, d->found & CAUSE_OVERPOSTED ? overposted_json(&d->overposted) : json_object(), true) && fputs(", \"hangs\": ", f) >= 0 &&
	       write_step(f, hangs_json(x, &d->hangs), true) && write_blocks(f, x);
}

bool result_write_interleaving(enum memory_model model, const struct linear *l, uint64_t *symbols, const struct rests_source *source, const char *path,
			       struct error *err)
{
	const struct execution *x = source->x;
	struct finds d;
	finds_init(&d, l, symbols, source);
	const struct linear *told = &d.told.l;
	bool *show = steps_to_show(&d.told.x, told, &d.slice);
	size_t shown = 0, events = 0;
	FILE *f = fopen(path, "we");
	bool ok = f && fprintf(f, "{\"model\": \"%s\", \"events\": %zu, \"threads\": %zu, \"switches\": %u, \"steps\": [",
			       memory_model_name(model), l->needed, x->threads.n, l->switches) > 0;
	json_t *places = json_object();
	for (size_t i = 0; ok && i < told->needed; i++) {
		if (show[i])
			note_place(places, &d.told.x, &d.told.x.events.at[told->steps.at[i].event], d.values);
		if (show[i])
			ok = write_step(f, told_step(&d.told.x, told, &d.slice, i, events, d.values), shown++ == 0);
		events += !is_note(&d.told.x, &told->steps.at[i]);
	}
	ok = ok && write_finds(f, &d) && write_places(f, places) && write_outside(f, source->stats->outside) && fprintf(f, ", \"alone\": %s, \"left_out\": %zu}\n", d.alone ? "true" : "false", told->needed - shown) > 0;
	if (f && fclose(f))
		ok = false;
	json_decref(places);
	free(show);
	finds_release(&d);
	return ok || fail(err, "cannot write %s: %m", path);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

bool result_write_figures(const struct figures *f, const char *path, struct error *err)
{
	const struct explore_stats *e = &f->explore;
	const struct infer_stats *s = &f->infer;
	json_t *j = json_object();
	json_object_set_new(j, "outcome", json_string(f->outcome));
	json_object_set_new(j, "engine", json_string(f->engine));
	json_object_set_new(j, "memory_model", json_string(f->model));
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "executor_runs", e->runs },        { "racy_locations", e->racy },
		{ "saps", e->saps },                 { "instructions", e->instructions },
		{ "events", e->events },             { "symbols", e->symbols },
		{ "assumptions", e->assumptions },   { "mismatches", e->mismatches },
		{ "threads", s->threads },           { "conditions", s->conditions },
		{ "reads", s->reads },               { "racy_reads", s->racy_reads },
		{ "writer_candidates", s->candidates }, { "variables", s->variables },
		{ "constraints", s->constraints },   { "rounds", s->rounds },
		{ "candidates", s->answers },        { "context_switches", s->switches },
		{ "preemptions", s->preemptions },   { "fewest_switches_proven", s->fewest },
		{ "switches_at_least", s->least },
		{ "parts", s->parts },
		{ "waits", s->waits },               { "replays", f->replays },
		{ "revisions", f->revisions },       { "attempts", f->attempts },
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		json_object_set_new(j, numbers[i].key, number(numbers[i].value));
	json_object_set_new(j, "symbolic_seconds", json_real(e->seconds));
	json_object_set_new(j, "solve_seconds",
			    json_real(s->build_seconds + s->solve_seconds + s->check_seconds));
	json_object_set_new(j, "replay_seconds", json_real(f->replay_seconds));
	json_object_set_new(j, "seconds", json_real(f->seconds));
	bool ok = !json_dump_file(j, path, JSON_INDENT(1)) || fail(err, "cannot write %s", path);
	json_decref(j);
	return ok;
}
