#include "infer/lost.h"

#include "infer/table.h"

/* Writes whose pointers are looked for, at most: each takes a way back through the steps. */
enum { LOOKED_AT = 200 };

/* By word of memory: who reads it later, where that matters, thread + 1, or MANY; does a read of it matter? */
enum { LATER, MATTERS };
#define MANY SIZE_MAX

struct finder {
	const struct slice *s;
	const struct told *t;
	const uint64_t *values;
	struct table words;
};

/* Copies read other sizes than who writes a member. */
static uint64_t word_of(const struct event *e)
{
	return e->object / 8 + 1;
}

static const struct place_name *block_of(const struct finder *f, const struct event *e)
{
	const struct place_name *p = execution_place(&f->t->x, e->object);
	return p && p->block_size ? p : NULL;
}

/* Does the failure ask for the same member of a block that the pointer led to later? */
static bool is_asked_elsewhere(const struct finder *f, const struct stale *l)
{
	uint64_t place = told_event(f->t, l->first)->object, member = told_event(f->t, l->second)->object - block_of(f, told_event(f->t, l->second))->block;
	for (size_t k = 0; k < f->s->asked.n; k++) {
		const struct event *asked = told_event(f->t, f->s->asked.at[k]);
		const struct place_name *p = block_of(f, asked);
		if (!p || asked->object - p->block != member || f->s->asked.at[k] < l->other)
			continue;
		for (size_t i = l->other; i < f->s->asked.at[k]; i++) {
			const struct event *e = told_event(f->t, i);
			if (e->kind == EVENT_WRITE && e->object == place && f->values[e->written] - p->block < p->block_size)
				return true;
		}
	}
	return false;
}

/* The last read of the word by the thread that replaced the pointer, between the thread's two steps. Who takes a pointer away himself (a list's head) has it for himself. */
static bool was_looked_at(const struct finder *f, struct stale *l)
{
	const struct event *got = told_event(f->t, l->first), *use = told_event(f->t, l->second);
	uint32_t other = told_event(f->t, l->other)->thread;
	l->before = SLICE_NONE;
	for (size_t i = l->first + 1; i < l->second; i++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread == got->thread && told_writes(e) && e->object == got->object)
			return false;
		if (e->thread == other && told_reads(e) && word_of(e) == word_of(use))
			l->before = i;
	}
	return l->before != SLICE_NONE;
}

static bool is_lost(struct stale *l, const struct finder *f, size_t use)
{
	const struct place_name *p = block_of(f, told_event(f->t, use));
	*l = (struct stale){.second = use, .also = SLICE_NONE, .found = SLICE_NONE, .given_up = UINT32_MAX, .certain = true};
	stale_pointer(f->t, f->values, use, p->block, p->block_size, &l->first, &l->other);
	return l->other != SLICE_NONE && !told_writes(told_event(f->t, l->first)) && was_looked_at(f, l) && (f->s->matters[l->before] || is_asked_elsewhere(f, l));
}

/* Is the word in a block, and does the failure depend on it, or on the same member of another block? */
static bool may_matter(struct finder *f, const struct event *e)
{
	const struct place_name *p = block_of(f, e), *q;
	bool may = p && table_at(&f->words, word_of(e))[MATTERS];
	for (size_t k = 0; p && !may && k < f->s->asked.n; k++) {
		const struct event *asked = told_event(f->t, f->s->asked.at[k]);
		may = (q = block_of(f, asked)) && q->block != p->block && asked->object - q->block == e->object - p->block;
	}
	return may;
}

bool lost_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	struct finder f = {s, t, values, {0}};
	bool found = false;
	unsigned looked = 0;
	for (size_t i = 0; i < t->l.needed; i++)
		if (s->matters[i] && told_reads(told_event(f.t, i)))
			table_at(&f.words, word_of(told_event(f.t, i)))[MATTERS] = true;
	for (size_t i = t->l.needed; i-- > 0 && !found && looked < LOOKED_AT;) {
		const struct event *e = told_event(f.t, i);
		if (t->l.steps.at[i].visible || (!told_reads(e) && !told_writes(e)))
			continue;
		size_t *later = &table_at(&f.words, word_of(e))[LATER];
		bool frees = event_is_by_free(&t->x, e); /* what the allocator leaves there is for nobody */
		if (e->kind == EVENT_WRITE && !frees && (!*later || *later == e->thread + 1) && may_matter(&f, e)) {
			looked++;
			found = is_lost(out, &f, i);
		}
		later = &table_at(&f.words, word_of(e))[LATER];
		if (told_reads(e) && s->matters[i])
			*later = *later && *later != e->thread + 1 ? MANY : e->thread + 1;
	}
	table_release(&f.words);
	if (found)
		stale_find_lock(out, t);
	return found;
}
