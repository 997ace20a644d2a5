#include "infer/slice.h"

#include "infer/told.h"
#include "model/tied.h"

#include <stdlib.h>
#include <string.h>

/* Steps that are followed backwards, and conditions that are looked at, at most: a reader looks at the end first. */
enum { FOLLOWED = 400, LOOKED_AT = 200 };

/* Reads of the failing thread's last line of which the most telling are chosen; lines before it that are looked at where it tells nothing. */
enum { LAST_READS = 16, LAST_LINES = 4 };

/* Reads that the failure is computed of of which the most telling are chosen. */
enum { TIED_LOOKED_AT = 16 };

/* Reads that are asked whether they came too early: each takes a look at all that follows. */
enum { EARLY_LOOKED_AT = 32 };

typedef vec(size_t) steps;

/* In longer orders nothing is looked for: memory is simulated byte by byte. */
#define LONGEST 2000000u

/* A byte of memory: the steps that wrote it last, as all see it. */
struct cell {
	uint64_t address;
	size_t writer; /* SLICE_NONE: nobody yet */
	bool used;
};

struct asked {
	size_t step;
	bool foreign; /* it saw a write of another thread */
	bool system;
	bool early;   /* find_early */
};

/* What the reads of a condition say of the failure: those that it is known to rest on say most, and the program's own more than those in system headers. */
enum telling { TELLS_LITTLE, TELLS_OWN, TELLS_TIED, TELLS_OWN_TIED };

struct slicer {
	struct slice *s;
	const struct execution *x;
	const struct linear *l;
	struct cell *cells;
	size_t mask;
	vec(size_t) *pending; /* by thread: writes that others do not see yet */
	size_t *step_of;      /* by event: where it is executed */
	size_t *created;      /* by thread: the step that created it; SLICE_NONE: it was there */
	uint32_t *reader;     /* by symbol: event + 1 */
	vec(size_t) queue;
	vec(struct asked) asked;
	enum telling telling; /* for telling_of */
	const uint8_t *how; /* by step: enum tied_how; NULL: not known */
	size_t tied[TIED_LOOKED_AT], ntied; /* the last reads that the failure is computed of, or led by */
};

static const struct event *event_of(const struct slicer *r, size_t step)
{
	return &r->x->events.at[r->l->steps.at[step].event];
}

static struct cell *cell_at(struct slicer *r, uint64_t address)
{
	size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & r->mask;
	while (r->cells[i].used && r->cells[i].address != address)
		i = (i + 1) & r->mask;
	if (!r->cells[i].used)
		r->cells[i] = (struct cell){address, SLICE_NONE, true};
	return &r->cells[i];
}

/* The newest write that the thread sees at the place. */
static size_t last_write(struct slicer *r, const struct event *e)
{
	for (size_t i = r->pending[e->thread].n; i-- > 0;)
		if (events_overlap(event_of(r, r->pending[e->thread].at[i]), e))
			return r->pending[e->thread].at[i];
	size_t newest = SLICE_NONE;
	for (unsigned k = 0; k < e->size; k++) {
		size_t writer = cell_at(r, e->object + k)->writer;
		if (writer != SLICE_NONE && (newest == SLICE_NONE || writer > newest))
			newest = writer;
	}
	return newest;
}

static void becomes_visible(struct slicer *r, const struct event *e, size_t writer)
{
	for (unsigned k = 0; k < e->size; k++)
		cell_at(r, e->object + k)->writer = writer;
	for (size_t i = 0; i < r->pending[e->thread].n; i++)
		if (r->pending[e->thread].at[i] == writer) {
			r->pending[e->thread].at[i] = r->pending[e->thread].at[--r->pending[e->thread].n];
			break;
		}
}

static void run(struct slicer *r)
{
	size_t n = r->l->steps.n;
	for (size_t i = 0; i < n; i++)
		if (!r->l->steps.at[i].visible)
			r->step_of[r->l->steps.at[i].event] = i;
	bool *delayed = xcalloc(r->x->events.n + 1, sizeof *delayed);
	for (size_t i = 0; i < n; i++)
		delayed[r->l->steps.at[i].event] |= r->l->steps.at[i].visible;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = r->l->steps.at[i].event;
		const struct event *e = &r->x->events.at[number];
		if (r->l->steps.at[i].visible) {
			becomes_visible(r, e, r->step_of[number]);
			continue;
		}
		if (e->kind == EVENT_CREATE && e->object < r->x->threads.n)
			r->created[e->object] = i;
		if (told_reads(e))
			r->s->saw[i] = last_write(r, e);
		if (e->kind == EVENT_UPDATE && e->written)
			becomes_visible(r, e, i);
		else if (e->kind == EVENT_WRITE && delayed[number])
			*vec_push(&r->pending[e->thread]) = i;
		else if (e->kind == EVENT_WRITE)
			becomes_visible(r, e, i);
	}
	free(delayed);
}

/* ---- backwards ---- */

static void follow(struct slicer *r, size_t step)
{
	if (step == SLICE_NONE || r->s->matters[step])
		return;
	r->s->matters[step] = true;
	*vec_push(&r->queue) = step;
}

static bool is_failing(const struct slicer *r, const struct event *e)
{
	const struct execution_thread *t = &r->x->threads.at[e->thread];
	return t->count && r->x->events.at[t->first + t->count - 1].flags & EVENT_FAILS;
}

static bool is_same_line(const struct slicer *r, const struct event *a, const struct event *b)
{
	return !strcmp(r->x->sites.at[a->site].where, r->x->sites.at[b->site].where);
}

/* Does the failure rest on something that is read in the same line? Both may be asked for by one condition. */
static bool is_in_tied_line(const struct slicer *r, size_t step)
{
	for (size_t i = 0; i < r->ntied; i++)
		if (is_same_line(r, event_of(r, r->tied[i]), event_of(r, step)))
			return true;
	return false;
}

static void find_tied(struct slicer *r)
{
	for (size_t i = r->l->needed; r->how && i-- > 0 && r->ntied < TIED_LOOKED_AT;)
		if (r->how[i] & (TIED_BY_VALUE | TIED_BY_WAY))
			r->tied[r->ntied++] = i;
}

/* A read of the failing thread that its failure does not rest on. */
static bool is_beside(const struct slicer *r, size_t step)
{
	return r->how && !r->how[step] && is_failing(r, event_of(r, step)) && !is_in_tied_line(r, step);
}

/* Steps that a failure's own condition reads: those that saw another thread's write first, then the latest. */
static void add_asked(struct slicer *r, size_t step)
{
	size_t saw = r->s->saw[step];
	bool foreign = saw != SLICE_NONE && event_of(r, saw)->thread != event_of(r, step)->thread;
	if (r->s->matters[step] || is_beside(r, step))
		return;
	*vec_push(&r->asked) = (struct asked){step, foreign, event_of(r, step)->flags & EVENT_SYSTEM, false};
}

/* What is done with the step of a read that an expression depends on. */
typedef void visit(struct slicer *r, size_t step);

static void visit_reads(struct slicer *r, expr e, visit *does)
{
	const struct expr_node *nodes = expr_nodes(r->x->exprs);
	vec(expr) stack = {0}, seen = {0};
	if (e)
		*vec_push(&stack) = e;
	while (stack.n && seen.n < 1000) {
		expr at = stack.at[--stack.n];
		bool again = false;
		for (size_t i = 0; i < seen.n && !again; i++)
			again = seen.at[i] == at;
		if (again)
			continue;
		*vec_push(&seen) = at;
		const struct expr_node *n = &nodes[at];
		if (n->op == EXPR_SYM && n->value < r->x->nsymbols && r->reader[n->value])
			does(r, r->step_of[r->reader[n->value] - 1]);
		const expr below[] = {n->a, n->b, n->c};
		for (int i = 0; i < 3 && n->op != EXPR_SYM && n->op != EXPR_CONST; i++)
			if (below[i])
				*vec_push(&stack) = below[i];
	}
	vec_free(&stack);
	vec_free(&seen);
}

static void follow_asked(struct slicer *r, size_t step)
{
	add_asked(r, step);
	if (!is_beside(r, step))
		follow(r, step);
}

static bool is_tied(const struct slicer *r, size_t step)
{
	return r->how && r->how[step] & (TIED_BY_VALUE | TIED_BY_WAY | TIED_BY_BRANCH);
}

static void count_telling(struct slicer *r, size_t step)
{
	bool own = !(event_of(r, step)->flags & EVENT_SYSTEM), tied = is_tied(r, step);
	enum telling is = tied ? (own ? TELLS_OWN_TIED : TELLS_TIED) : own ? TELLS_OWN : TELLS_LITTLE;
	if (is > r->telling)
		r->telling = is;
}

/* Does it depend on a read of the program's own code? On one that the failure rests on? */
static enum telling telling_of(struct slicer *r, expr e)
{
	r->telling = TELLS_LITTLE;
	visit_reads(r, e, count_telling);
	return r->telling;
}

static int by_interest(const void *p, const void *q)
{
	const struct asked *a = p, *b = q;
	if (a->system != b->system)
		return a->system ? 1 : -1;
	if (a->early != b->early)
		return a->early ? -1 : 1;
	if (a->foreign != b->foreign)
		return a->foreign ? -1 : 1;
	return a->step > b->step ? -1 : a->step < b->step;
}

/* The next write of another thread, for a read that was asked for. */
static void look_ahead(struct slice *s, const struct execution *x, const struct linear *l, size_t step)
{
	const struct event *e = &x->events.at[l->steps.at[step].event];
	for (size_t i = step + 1; i < l->steps.n && s->next[step] == SLICE_NONE; i++) {
		const struct event *w = &x->events.at[l->steps.at[i].event];
		if (w->thread != e->thread && w->written && !l->steps.at[i].visible && events_overlap(w, e))
			s->next[step] = i;
	}
}

/* Did the thread read at one place what another had put there, and at this one, in the same line, nothing of the kind, which another puts there next in the line of the first? */
static bool is_early(const struct slicer *r, const struct asked *a, const struct asked *of)
{
	return of->foreign && is_same_line(r, event_of(r, a->step), event_of(r, of->step)) &&
	       is_same_line(r, event_of(r, r->s->next[a->step]), event_of(r, r->s->saw[of->step]));
}

/* Of parts that are added up, the one that was not there yet says most: the latest such read. */
static void find_early(struct slicer *r)
{
	struct asked *early = NULL;
	size_t looked = 0;
	bool foreign = false;
	for (size_t i = 0; i < r->asked.n; i++)
		foreign |= r->asked.at[i].foreign;
	for (size_t i = 0; foreign && i < r->asked.n && looked < EARLY_LOOKED_AT; i++) {
		struct asked *a = &r->asked.at[i];
		if (a->foreign)
			continue;
		looked++;
		look_ahead(r->s, r->x, r->l, a->step);
		bool any = false;
		for (size_t k = 0; r->s->next[a->step] != SLICE_NONE && k < r->asked.n && !any; k++)
			any = is_early(r, a, &r->asked.at[k]);
		if (any && (!early || a->step > early->step))
			early = a;
	}
	if (early)
		early->early = true;
}

static void choose_asked(struct slicer *r)
{
	find_early(r);
	if (r->asked.n)
		qsort(r->asked.at, r->asked.n, sizeof *r->asked.at, by_interest);
	for (size_t i = 0; i < r->asked.n && i < SLICE_ASKED; i++)
		*vec_push(&r->s->asked) = r->asked.at[i].step;
}

static bool has_symbols(const struct execution *x, expr e)
{
	return !expr_is_const(x->exprs, e, NULL);
}

static bool is_of_failing(const struct execution *x, const struct condition *c)
{
	const struct execution_thread *t = &x->threads.at[x->events.at[c->event].thread];
	return t->count && (x->events.at[t->first + t->count - 1].flags & EVENT_FAILS) && c->kind != CONDITION_LEARNED &&
	       has_symbols(x, c->condition);
}

/* The last condition of a failing thread: of the last few, the first one that tells most; what is in system headers tells less than the program's own code. */
static const struct condition *last_condition(struct slicer *r)
{
	const enum telling most = r->how ? TELLS_OWN_TIED : TELLS_OWN;
	const struct condition *last = NULL;
	enum telling best = TELLS_LITTLE;
	size_t looked = 0;
	for (size_t i = r->x->conditions.n; i-- > 0 && looked < LOOKED_AT && best < most;) {
		const struct condition *c = &r->x->conditions.at[i];
		if (!is_of_failing(r->x, c))
			continue;
		enum telling is = telling_of(r, c->condition);
		if (!last || is > best)
			last = c;
		if (is > best)
			best = is;
		looked++;
	}
	return last;
}

/* What the failure depends on; and what the program showed, where that is the failure. */
static void ask(struct slicer *r)
{
	const struct execution *x = r->x;
	for (size_t i = 0; i < x->conditions.n; i++) {
		const struct condition *c = &x->conditions.at[i];
		if (c->kind == CONDITION_OUTPUT && has_symbols(x, c->condition))
			visit_reads(r, c->condition, follow_asked);
	}
	const struct condition *last = last_condition(r);
	if (last)
		visit_reads(r, last->condition, follow_asked);
	choose_asked(r);
}

static bool is_asked(const struct slicer *r, size_t step)
{
	for (size_t i = 0; i < r->s->asked.n; i++)
		if (r->s->asked.at[i] == step)
			return true;
	return false;
}

/* Is what the failure's condition asks for read in that line? */
static bool is_asked_in(const struct slicer *r, const struct event *e)
{
	for (size_t i = 0; i < r->s->asked.n; i++)
		if (is_same_line(r, e, event_of(r, r->s->asked.at[i])))
			return true;
	return false;
}

/* How telling a last read is: which write of another thread it saw, as late as can be. */
static size_t told_by(const struct slicer *r, size_t step)
{
	size_t saw = r->s->saw[step];
	return saw != SLICE_NONE && event_of(r, saw)->thread != event_of(r, step)->thread ? saw + 1 : 0;
}

/* Leaves out the one of which least can be said. */
static void drop_dullest(const struct slicer *r, size_t *steps, size_t *n)
{
	size_t dullest = 0;
	for (size_t i = 1; i < *n; i++)
		if (told_by(r, steps[i]) <= told_by(r, steps[dullest]))
			dullest = i;
	memmove(&steps[dullest], &steps[dullest + 1], (--*n - dullest) * sizeof *steps);
}

/*
 * What a failing thread read in the line in which it read last before a step, and the condition does not tell of: it was certain, or recorded. Where the condition is
 * about that line, what does not race tells less; so does what headers of the system read for themselves. Returns where that line begins; 0: nothing is before it.
 */
static size_t last_line(const struct slicer *r, size_t end, steps *found, bool is_last)
{
	const struct event *last = NULL;
	uint32_t first_site = 0;
	bool known = false;
	while (end-- > 0 && found->n < LAST_READS) {
		const struct event *e = event_of(r, end);
		if (!is_failing(r, e) || !told_reads(e) || (last && last->thread != e->thread))
			continue;
		if (last && (!is_same_line(r, last, e) || e->site == first_site))
			return end + 1; /* another line, or an earlier round of it */
		known = last ? known : is_asked_in(r, e);
		first_site = last ? first_site : e->site;
		last = e;
		if (e->flags & EVENT_ACCOUNT || is_asked(r, end) || is_beside(r, end) || (!is_last && r->how && !r->how[end]) || (e->flags & EVENT_NOTE ? known : e->flags & EVENT_SYSTEM))
			continue;
		*vec_push(found) = end;
	}
	return 0;
}

/* Did a thread that created the reader's, or created one that did, write it before? Who else was running by then need not have come first. */
static bool is_handed(const struct slicer *r, size_t saw, uint32_t thread)
{
	for (size_t at; (at = r->created[thread]) != SLICE_NONE && saw < at; thread = event_of(r, at)->thread)
		if (event_of(r, saw)->thread == event_of(r, at)->thread)
			return true;
	return false;
}

/* Does one of them race, or find what another thread wrote that was not there from the beginning? That is seldom why it failed. */
static bool tells(const struct slicer *r, const steps *found)
{
	bool any = false;
	for (size_t i = 0; i < found->n && !any; i++) {
		const struct event *e = event_of(r, found->at[i]);
		any = !(e->flags & EVENT_NOTE) || (told_by(r, found->at[i]) && !is_handed(r, r->s->saw[found->at[i]], e->thread));
	}
	return any;
}

/* Where nothing else is known, and the last line tells nothing, one of those before it may: the compiler reads what it needs sooner. */
static void ask_last_reads(struct slicer *r)
{
	steps found = {0}, before = {0};
	size_t end = last_line(r, r->l->needed, &found, true);
	for (unsigned i = 0; i < LAST_LINES && end && found.n && !r->s->asked.n && !tells(r, &found); i++) {
		before.n = 0;
		end = last_line(r, end, &before, false);
		/* An earlier round of the line did not fail. */
		if (!tells(r, &before) || (is_same_line(r, event_of(r, before.at[0]), event_of(r, found.at[0])) && event_of(r, before.at[0])->object == event_of(r, found.at[0])->object))
			continue;
		vec_free(&found);
		found = before;
		before = (steps){0};
	}
	vec_free(&before);
	while (found.n > SLICE_ASKED)
		drop_dullest(r, found.at, &found.n);
	for (size_t i = 0; i < found.n; i++)
		r->s->last_rests |= is_tied(r, found.at[i]);
	if (!r->s->last_rests && !r->s->asked.n && r->ntied)
		found.n = 0; /* a message shows what was read again */
	for (size_t i = 0; i < found.n; i++)
		follow(r, found.at[i]);
	r->s->last_reads = found.n;
	for (size_t i = 0; i < r->s->asked.n; i++)
		*vec_push(&found) = r->s->asked.at[i];
	vec_free(&r->s->asked);
	for (size_t i = 0; i < found.n; i++)
		*vec_push(&r->s->asked) = found.at[i];
	vec_free(&found);
}

/* What the failure is computed of, where nothing else is asked for. */
static void ask_tied(struct slicer *r)
{
	for (size_t i = r->l->needed; r->how && !r->s->asked.n && i-- > 0 && r->asked.n < TIED_LOOKED_AT;)
		if (r->how[i] & TIED_BY_VALUE && told_reads(event_of(r, i)) && !(event_of(r, i)->flags & EVENT_ACCOUNT))
			follow_asked(r, i);
	if (!r->s->asked.n)
		choose_asked(r);
}

static long line_number(const struct site_info *site)
{
	const char *colon = strrchr(site->where, ':');
	return colon ? atol(colon + 1) : 0;
}

/* Both are in one function, and the branch stands behind the event: it was in an earlier round, or an earlier call. */
static bool is_of_earlier_round(const struct execution *x, const struct condition *c, const struct event *e)
{
	const struct site_info *branch = &x->sites.at[c->site], *at = &x->sites.at[e->site];
	return !strcmp(branch->function, at->function) && line_number(branch) > line_number(at);
}

/* What decided that the event's thread came there: its last condition before. Those that name the event itself are of branches behind it. */
static void follow_path(struct slicer *r, uint32_t event)
{
	const struct execution *x = r->x;
	uint32_t thread = x->events.at[event].thread;
	size_t low = 0, high = x->conditions.n; /* they are by thread, in program order */
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (x->conditions.at[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && x->events.at[x->conditions.at[low - 1].event].thread == thread && !is_of_earlier_round(x, &x->conditions.at[low - 1], &x->events.at[event]))
		visit_reads(r, x->conditions.at[low - 1].condition, follow);
}

static void go_back(struct slicer *r)
{
	for (size_t i = 0; i < r->queue.n && i < FOLLOWED; i++) {
		size_t step = r->queue.at[i];
		const struct event *e = event_of(r, step);
		if (told_reads(e))
			follow(r, r->s->saw[step]);
		if (e->written) {
			visit_reads(r, e->written, follow);
			follow_path(r, r->l->steps.at[step].event);
		}
	}
}

void slice_ask(struct slice *s, const struct execution *x, const struct linear *l, size_t step)
{
	for (size_t i = 0; i < s->asked.n; i++)
		if (s->asked.at[i] == step)
			return;
	*vec_push(&s->asked) = step;
	s->behind++;
	s->matters[step] = true;
	if (s->saw[step] != SLICE_NONE)
		s->matters[s->saw[step]] = true;
	look_ahead(s, x, l, step);
}

/* Is anything of the program's own known that the failure is computed of, or led by? Else what is known says little. */
static const uint8_t *worth_asking(const uint8_t *how, const struct execution *x, const struct linear *l)
{
	bool any = false;
	for (size_t i = 0; how && i < l->needed && !any; i++)
		any = how[i] & (TIED_BY_VALUE | TIED_BY_WAY) && !(x->events.at[l->steps.at[i].event].flags & EVENT_SYSTEM);
	return any ? how : NULL;
}

void slice_init(struct slice *s, const struct execution *x, const struct linear *l)
{
	slice_init_tied(s, x, l, NULL);
}

void slice_init_tied(struct slice *s, const struct execution *x, const struct linear *l, const uint8_t *how)
{
	size_t n = l->steps.n, bytes = 16;
	*s = (struct slice){0};
	s->saw = xmalloc((n + 1) * sizeof *s->saw);
	s->next = xmalloc((n + 1) * sizeof *s->next);
	memset(s->saw, 0xff, (n + 1) * sizeof *s->saw);
	memset(s->next, 0xff, (n + 1) * sizeof *s->next);
	s->matters = xcalloc(n + 1, sizeof *s->matters);
	if (n > LONGEST)
		return;
	for (size_t i = 0; i < x->events.n; i++)
		bytes += x->events.at[i].size;
	struct slicer r = {.s = s, .x = x, .l = l, .mask = 1, .how = worth_asking(how, x, l)};
	while (r.mask < 2 * bytes)
		r.mask *= 2;
	r.cells = xcalloc(r.mask, sizeof *r.cells);
	r.mask--;
	r.pending = xcalloc(x->threads.n + 1, sizeof *r.pending);
	r.step_of = xmalloc((x->events.n + 1) * sizeof *r.step_of);
	memset(r.step_of, 0xff, (x->events.n + 1) * sizeof *r.step_of);
	r.created = xmalloc((x->threads.n + 1) * sizeof *r.created);
	memset(r.created, 0xff, (x->threads.n + 1) * sizeof *r.created);
	r.reader = xcalloc(x->nsymbols + 1, sizeof *r.reader);
	for (uint32_t e = 0; e < x->events.n; e++)
		if (told_reads(&x->events.at[e]) && expr_node(x->exprs, x->events.at[e].read)->op == EXPR_SYM)
			r.reader[expr_node(x->exprs, x->events.at[e].read)->value] = e + 1;
	run(&r);
	find_tied(&r);
	ask(&r);
	ask_last_reads(&r);
	ask_tied(&r);
	go_back(&r);
	for (size_t i = 0; i < s->asked.n; i++)
		look_ahead(s, x, l, s->asked.at[i]);
	for (size_t t = 0; t < x->threads.n; t++)
		vec_free(&r.pending[t]);
	free(r.cells);
	free(r.pending);
	free(r.step_of);
	free(r.created);
	free(r.reader);
	vec_free(&r.queue);
	vec_free(&r.asked);
}

void slice_release(struct slice *s)
{
	free(s->saw);
	free(s->next);
	free(s->matters);
	vec_free(&s->asked);
}
