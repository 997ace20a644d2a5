#include "infer/through.h"

#include <stdlib.h>
#include <string.h>

/* Accesses of a thread that are looked at for the pointer into a variable that it used; how far behind a pointer that may be, in bytes. */
enum { LOOKED_AT = 64, FAR = 4096 };

struct finder {
	const struct slice *s;
	const struct told *t;
	const uint64_t *values;
};

/* What the pointer led to: a block of the heap, or something in a variable. */
struct range {
	uint64_t start, size; /* 0: not known */
};

/* Where the variable of an address begins: its name is "frames+24". */
static uint64_t variable_start(const struct place_name *p)
{
	const char *plus = strrchr(p->name, '+');
	return p->address - (plus ? strtoull(plus + 1, NULL, 10) : 0);
}

/* In a variable, the pointer that the thread read not long ago, and that leads nearest before the place. */
static struct range range_of(const struct finder *f, size_t use)
{
	const struct event *e = told_event(f->t, use);
	const struct place_name *p = execution_place(&f->t->x, e->object);
	if (!p || p->block_size)
		return p ? (struct range){p->block, p->block_size} : (struct range){0};
	uint64_t low = variable_start(p), best = 0;
	unsigned looked = 0;
	for (size_t i = use; i-- > 0 && looked < LOOKED_AT;) {
		const struct event *r = told_event(f->t, i);
		if (r->thread != e->thread || !told_accesses(r))
			continue;
		looked++;
		uint64_t v = r->kind == EVENT_READ && r->size == 8 && r->read ? f->values[r->read] : 0;
		if (v >= low && v <= e->object && e->object - v < FAR && v > best)
			best = v;
	}
	return best ? (struct range){best, e->object - best + 1} : (struct range){0};
}

/* Has the thread not written the pointer itself since, and does it not stand there again? Who takes it away has it for himself. */
static bool is_gone(const struct finder *f, size_t got, size_t use)
{
	const struct event *pointer = told_event(f->t, got);
	uint64_t now = f->values[pointer->read];
	for (size_t i = got + 1; i < use; i++) {
		const struct event *e = told_event(f->t, i);
		if (!told_writes(e) || e->object != pointer->object)
			continue;
		if (e->thread == pointer->thread)
			return false;
		now = f->values[e->written];
	}
	return now != f->values[pointer->read];
}

/* Did the reader come there by a pointer that it read after the other had been replaced? */
static bool is_newer(const struct finder *f, size_t read, size_t gone, struct range r)
{
	size_t got, unused;
	stale_pointer(f->t, f->values, read, r.start, r.size, &got, &unused);
	return got != SLICE_NONE && got > gone;
}

static bool look_at(struct stale *out, const struct finder *f, size_t read, size_t write)
{
	size_t got, gone;
	if (write == SLICE_NONE || told_event(f->t, write)->kind != EVENT_WRITE || told_event(f->t, write)->thread == told_event(f->t, read)->thread)
		return false;
	struct range r = range_of(f, write);
	if (!r.size)
		return false;
	stale_pointer(f->t, f->values, write, r.start, r.size, &got, &gone);
	if (gone == SLICE_NONE || gone > read || told_event(f->t, got)->kind != EVENT_READ || !is_gone(f, got, write) || !is_newer(f, read, gone, r))
		return false;
	*out = (struct stale){.first = got, .other = gone, .second = write, .also = SLICE_NONE, .before = SLICE_NONE, .found = read, .given_up = UINT32_MAX, .certain = true};
	return true;
}

bool through_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	struct finder f = {s, t, values};
	bool found = false;
	for (size_t i = 0; i < s->asked.n && !found; i++) {
		size_t read = s->asked.at[i];
		found = read < t->l.needed && (look_at(out, &f, read, s->saw[read]) || look_at(out, &f, read, s->next[read]));
	}
	if (found)
		stale_find_lock(out, t);
	return found;
}
