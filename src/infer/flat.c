#include "infer/flat.h"

#include <stdlib.h>
#include <string.h>

/* By event: at which step others see it, if that is another one than where it is executed; else SLICE_NONE. */
static size_t *find_visible(const struct told *t, bool *any)
{
	size_t *visible = xmalloc((t->x.events.n + 1) * sizeof *visible);
	memset(visible, 0xff, (t->x.events.n + 1) * sizeof *visible);
	for (size_t i = 0; i < t->l.steps.n; i++)
		if (t->l.steps.at[i].visible) {
			visible[t->l.steps.at[i].event] = i;
			*any = true;
		}
	return visible;
}

static bool is_left_out(const struct told *t, const struct slice *s, const size_t *visible, size_t step)
{
	const struct step *at = &t->l.steps.at[step];
	if (at->visible)
		return false;
	if (visible[at->event] != SLICE_NONE)
		return true;
	size_t saw = s->saw[step], seen = saw == SLICE_NONE ? SLICE_NONE : visible[t->l.steps.at[saw].event];
	return seen != SLICE_NONE && seen > step;
}

/* Steps of the order as steps of the flat one. */
static size_t forth(const size_t *to, size_t step)
{
	return step == SLICE_NONE ? SLICE_NONE : to[step];
}

static void put_slice(struct flat *f, const struct told *t, const struct slice *s, const size_t *to)
{
	size_t n = f->told.l.steps.n;
	f->slice.saw = xmalloc((n + 1) * sizeof *f->slice.saw);
	f->slice.next = xmalloc((n + 1) * sizeof *f->slice.next);
	f->slice.matters = xcalloc(n + 1, sizeof *f->slice.matters);
	for (size_t i = 0; i < n; i++) {
		f->slice.saw[i] = forth(to, s->saw[f->back[i]]);
		f->slice.next[i] = forth(to, s->next[f->back[i]]);
	}
	for (size_t i = 0; i < t->l.steps.n; i++)
		if (s->matters[i] && to[i] != SLICE_NONE)
			f->slice.matters[to[i]] = true;
	for (size_t i = 0; i < s->asked.n; i++) {
		if (to[s->asked.at[i]] == SLICE_NONE)
			continue;
		*vec_push(&f->slice.asked) = to[s->asked.at[i]];
		f->slice.last_reads += i < s->last_reads;
	}
}

bool flat_init(struct flat *f, const struct told *t, const struct slice *s)
{
	bool any = false;
	size_t *visible = find_visible(t, &any), *to = xmalloc((t->l.steps.n + 1) * sizeof *to);
	*f = (struct flat){.told = *t, .back = xmalloc((t->l.steps.n + 1) * sizeof *f->back)};
	f->told.l.steps = (__typeof__(f->told.l.steps)){0};
	f->told.l.needed = SIZE_MAX;
	for (size_t i = 0; any && i < t->l.steps.n; i++) {
		if (i == t->l.needed)
			f->told.l.needed = f->told.l.steps.n;
		to[i] = SLICE_NONE;
		if (is_left_out(t, s, visible, i))
			continue;
		to[i] = f->told.l.steps.n;
		f->back[to[i]] = i;
		*vec_push(&f->told.l.steps) = (struct step){t->l.steps.at[i].event, false};
	}
	if (f->told.l.needed > f->told.l.steps.n)
		f->told.l.needed = f->told.l.steps.n;
	for (size_t i = 0; any && i < t->l.steps.n; i++) /* a store is where it is seen */
		if (visible[t->l.steps.at[i].event] != SLICE_NONE)
			to[i] = to[visible[t->l.steps.at[i].event]];
	if (any)
		put_slice(f, t, s, to);
	else
		free(f->back);
	free(visible);
	free(to);
	return any;
}

void flat_release(struct flat *f)
{
	slice_release(&f->slice);
	vec_free(&f->told.l.steps);
	free(f->back);
}
