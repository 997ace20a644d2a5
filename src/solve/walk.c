#include "solve/walk.h"

#include "solve/dead.h"
#include "solve/machine.h"
#include "solve/solver.h"
#include "solve/way.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* How often the clock is looked at, in steps. */
enum { CLOCK_STEPS = 4096 };

/* Dead ends that the first rounds may meet, and the number of tastes; there is one more where it is known how the executor ran. */
enum { FIRST_PATIENCE = 1000, TASTES = 5, TASTE_AS_RUN = TASTES };

/* In one of so many turns through all tastes a large problem is looked at without trust. */
enum { TRUST_TURNS = 4 };

/* In one of so many the pieces of an access may be parted. */
enum { PARTED_TURNS = 3 };

/* Stores that a thread may have in its buffer, at first; real buffers hold some fifty. */
enum { FIRST_BUFFER = 4, LAST_BUFFER = 64 };

/* A choice that can be made in a state. */
struct choice {
	uint32_t node;
	int64_t rank; /* larger: earlier */
};

/*
 * A state on the way: its choices are choices[first .. first + count), `next` is the one to try. reason: the memory that
 * the choices tried so far failed on.
 */
struct frame {
	struct machine_mark mark;
	size_t path;
	uint32_t first, count, next;
	bool tainted; /* an excluded answer lies behind it: not dead */
	struct machine_atoms reason;
	uint64_t asleep;
};

struct walk {
	const struct problem *p;
	struct walk_options o;
	struct machine *m; /* NULL: there is something that it cannot run */
	struct machine_mark start;
	struct dead *dead, *own_dead; /* own: or NULL, it is shared */
	vec(uint32_t) path; /* nodes in the order they were run */
	vec(struct frame) frames;
	vec(struct choice) choices;
	uint64_t random;
	unsigned taste;
	uint64_t patience; /* dead ends left in this round, */
	size_t furthest;   /* and the most steps that it came to */
	bool whole;        /* nobody comes between the pieces of an access or a call in this round; then nothing is proven */
	bool has_pieces;   /* and there are such, and that has not led nowhere yet */
	bool wrong_later;  /* the last wrong step was so in a piece after its first */
	bool jumps;        /* over choices that have nothing to do with a dead end; then nothing is proven */
	bool trusts;       /* as machine_trust says; likewise */
	bool distrusts;    /* that has led nowhere */
	struct machine_atoms reason; /* of the last dead end */
	bool *failed;      /* by node, with jumps: was chosen and led to a dead end in this round */
	uint64_t asleep;   /* chains whose next step was tried here and failed: not before others touch the same memory */
	double deadline;
	const volatile bool *stop;
	bool over;
	bool interrupted, ok; /* in the middle of a round, which goes on with `ok` */
	bool exhausted;     /* all was searched */
	bool contradiction; /* a condition is false whatever is read */
	struct way way;     /* while it trusts */
	uint32_t loosened;  /* how often less was taken for granted, or writes swapped */
	bool gave_way;      /* it was brief */
	uint64_t limit;     /* patience of the rounds to come */
	uint32_t buffer;    /* most stores in a buffer */
	vec(uint32_t *) excluded;
	struct walk_figures figures;
};

/* -------------------------------------------------- dead states -------------------------- */

/* With larger buffers, and with less taken for granted, other states are dead, and with jumps or trust some that are not. */
static struct machine_hash key(const struct walk *w)
{
	struct machine_hash h = machine_hash(w->m);
	h.b ^= w->whole;
	h.a ^= (w->trusts ? (uint64_t)w->loosened << 40 : 0) ^ ((uint64_t)w->buffer << 2 | (uint64_t)w->trusts << 1 | w->jumps);
	return h;
}

/* -------------------------------------------------- steps -------------------------------- */

static bool overlap(const struct machine_atoms *a, const struct machine_atoms *b)
{
	for (int i = 0; i < MACHINE_ATOM_WORDS; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

static uint64_t chain_bit(const struct walk *w, uint32_t chain)
{
	return w->jumps && chain < 64 ? UINT64_C(1) << chain : 0;
}

/* Who sleeps because of memory that the node touches is awake again. */
static void wake_others(struct walk *w, uint32_t node)
{
	struct machine_atoms touched = {{0}};
	machine_touches(w->m, node, &touched);
	for (uint32_t c = 0; c < machine_chains(w->m); c++) {
		struct machine_atoms wanted = {{0}};
		if (!(w->asleep & chain_bit(w, c)))
			continue;
		machine_touches(w->m, machine_next(w->m, c), &wanted);
		if (overlap(&touched, &wanted))
			w->asleep &= ~chain_bit(w, c);
	}
}

static void add_step(struct walk *w, uint32_t node)
{
	way_step(&w->way, w->path.n, node);
	*vec_push(&w->path) = node;
}

static const struct event *event_of(const struct walk *w, uint32_t node)
{
	return &w->p->m->x->events.at[w->p->m->event_of[node]];
}

/* Are both pieces of one access or call? A copy in the program has a gate for each word: these are of what replay cannot part. */
static bool is_of_one_sap(const struct event *a, const struct event *b)
{
	return a->sap && a->sap == b->sap && a->thread == b->thread && a->kind == b->kind &&
	       (a->kind == EVENT_READ || a->kind == EVENT_WRITE);
}

/* The piece that is to be run right after this one, which its chain has just run; or NONE. */
static uint32_t next_piece(const struct walk *w, uint32_t node)
{
	uint32_t chain = w->p->m->chain[node], next = w->whole ? machine_next(w->m, chain) : NONE;
	return next != NONE && is_of_one_sap(event_of(w, node), event_of(w, next)) && machine_can(w->m, chain) ? next : NONE;
}

static bool has_pieces(const struct problem *p)
{
	const struct execution *x = p->m->x;
	for (size_t i = 1; i < x->events.n; i++)
		if (is_of_one_sap(&x->events.at[i - 1], &x->events.at[i]) && p->m->chain[i - 1] == p->m->chain[i])
			return true;
	return false;
}

/* The pieces after the first, as long as what they read is right. */
static enum stepped run_pieces(struct walk *w, uint32_t node, enum stepped step)
{
	w->wrong_later = false;
	for (node = next_piece(w, node); node != NONE && step != STEP_WRONG; node = next_piece(w, node)) {
		add_step(w, node);
		enum stepped one = machine_step(w->m, node);
		w->wrong_later = one == STEP_WRONG;
		step = one == STEP_DEAD ? step : one; /* wrong if the last is, else live if any is */
	}
	return step;
}

static enum stepped run(struct walk *w, uint32_t node)
{
	uint32_t second = machine_second(w->m, node);
	if (++w->figures.steps % CLOCK_STEPS == 0)
		w->over = solver_clock() > w->deadline || (w->stop && *w->stop);
	add_step(w, node);
	enum stepped step = machine_step(w->m, node);
	if (second != NONE) {
		add_step(w, second);
		machine_step(w->m, second);
	}
	if (w->asleep)
		wake_others(w, node);
	return run_pieces(w, node, step);
}

static void undo(struct walk *w, struct machine_mark mark, size_t path)
{
	machine_undo(w->m, mark);
	w->path.n = path;
	way_back(&w->way, path);
}

static bool is_held(const struct walk *w, uint32_t node)
{
	return machine_writes(w->m, node) && way_holds(&w->way, w->p, w->m, node);
}

/* And so are the pieces that come with it: they follow in the execution's order, in which a chain's nodes are. */
static bool is_local(const struct walk *w, uint32_t node)
{
	bool local = machine_is_local(w->m, node);
	uint32_t chain = w->p->m->chain[node];
	for (uint32_t next = node + 1; local && w->whole && next < w->p->m->nnodes; next++) {
		if (w->p->m->chain[next] != chain || !is_of_one_sap(event_of(w, node), event_of(w, next)))
			break;
		local = machine_is_local(w->m, next);
	}
	return local;
}

/*
 * Runs what loses nothing on this chain. False: a dead end, the next read can never become right. *moved: something was run.
 */
static bool run_ahead(struct walk *w, uint32_t chain, bool *moved)
{
	while (machine_can(w->m, chain) && !(w->asleep & chain_bit(w, chain))) {
		uint64_t asleep = w->asleep;
		uint32_t node = machine_next(w->m, chain);
		bool reads = machine_reads(w->m, node);
		bool local = is_local(w, node);
		if (is_held(w, node))
			return true;
		if (machine_writes(w->m, node) && machine_is_doomed(w->m, node)) {
			w->reason = (struct machine_atoms){{0}};
			machine_touches(w->m, node, &w->reason);
			return false;
		}
		if (!local && (!reads || machine_writes(w->m, node)))
			return true;
		struct machine_mark mark = machine_mark(w->m);
		size_t path = w->path.n;
		enum stepped step = run(w, node);
		if (step == STEP_WRONG || (step == STEP_LIVE && !local)) {
			undo(w, mark, path);
			w->asleep = asleep;
			if (step != STEP_WRONG || w->wrong_later || machine_has_hope(w->m, node))
				return true;
			w->reason = (struct machine_atoms){{0}};
			machine_touches(w->m, node, &w->reason);
			return false;
		}
		*moved = true;
	}
	return true;
}

static bool run_all_ahead(struct walk *w)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t c = 0; c < machine_chains(w->m); c++)
			if (!run_ahead(w, c, &moved))
				return false;
	}
	return true;
}

/* -------------------------------------------------- choices ------------------------------ */

static uint64_t next_random(struct walk *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random >> 16;
}

static uint32_t thread_of(const struct walk *w, uint32_t node)
{
	return w->p->m->x->events.at[w->p->m->event_of[node]].thread;
}

/* Tastes: the executor's order; who is wanted by others and then who runs already; the guessed order; the same with some chance. */
static int64_t rank(struct walk *w, uint32_t node, int32_t merit)
{
	uint32_t running = w->path.n ? thread_of(w, w->path.at[w->path.n - 1]) : NONE;
	int64_t guess = w->o.guess ? -(int64_t)w->o.guess[node] : 0, stay = thread_of(w, node) == running;
	int64_t chance = (int64_t)(next_random(w) & 0xffff);
	switch (w->taste) {
	case TASTE_AS_RUN:
		return -(int64_t)w->o.as_run[node];
	case 0:
		return ((int64_t)merit * 4 + stay) * (INT64_C(1) << 40) + guess;
	case 1:
		return guess;
	case 2:
		return (merit * 4 + stay * 2) * (INT64_C(1) << 20) + chance;
	case 3:
		return stay * ((chance & 15) != 0) * (INT64_C(1) << 20) + chance;
	default:
		return (merit * 4 + stay) * 16 + chance % 64;
	}
}

static bool is_right(struct walk *w, uint32_t node)
{
	struct machine_mark mark = machine_mark(w->m);
	bool right = machine_step(w->m, node) != STEP_WRONG;
	for (uint32_t piece = node; right && (piece = next_piece(w, piece)) != NONE;)
		right = machine_step(w->m, piece) != STEP_WRONG;
	machine_undo(w->m, mark);
	return right;
}

static uint32_t find_choices(struct walk *w)
{
	size_t first = w->choices.n;
	for (uint32_t c = 0; c < machine_chains(w->m); c++) {
		if (!machine_can(w->m, c) || w->asleep & chain_bit(w, c))
			continue;
		uint32_t node = machine_next(w->m, c);
		int32_t merit = machine_writes(w->m, node) ? machine_merit(w->m, node) : 0;
		if (merit == INT32_MIN || is_held(w, node) || (machine_reads(w->m, node) && (!machine_is_wanted(w->m, node) || !is_right(w, node))))
			continue;
		struct choice choice = {node, rank(w, node, merit)};
		if (w->failed && w->failed[node]) /* it was too early: as late as can be, rather than a little later each time */
			choice.rank = INT64_MIN / 2 + choice.rank / 4;
		if (way_leads(&w->way, w->path.n, node))
			choice.rank = INT64_MAX;
		size_t i = w->choices.n;
		vec_push(&w->choices);
		for (; i > first && w->choices.at[i - 1].rank < choice.rank; i--)
			w->choices.at[i] = w->choices.at[i - 1];
		w->choices.at[i] = choice;
	}
	return (uint32_t)(w->choices.n - first);
}

/* -------------------------------------------------- the search --------------------------- */

/* What the threads stand before. */
static void add_next(const struct walk *w, struct machine_atoms *atoms)
{
	for (uint32_t c = 0; c < machine_chains(w->m); c++) {
		uint32_t node = machine_next(w->m, c);
		if (node != NONE)
			machine_touches(w->m, node, atoms);
	}
}

/* Did anything since the frame touch what the dead end is about? */
static bool is_to_blame(const struct walk *w, const struct frame *f)
{
	struct machine_atoms touched = {{0}};
	for (size_t i = f->path; i < w->path.n; i++)
		machine_touches(w->m, w->path.at[i], &touched);
	return overlap(&touched, &w->reason);
}

static void add_atoms(struct machine_atoms *to, const struct machine_atoms *from)
{
	for (int i = 0; i < MACHINE_ATOM_WORDS; i++)
		to->bits[i] |= from->bits[i];
}

/*
 * From a dead end back to the last choice that may be to blame and has another way to go; false: there is none. With
 * jumps, choices since which nothing touched the memory that the dead end is about are passed over: whatever is
 * done there, the threads come to stand before the same reads again, with the same values.
 */
static bool go_back(struct walk *w)
{
	while (w->frames.n) {
		struct frame *f = &w->frames.at[w->frames.n - 1];
		bool jumps = w->jumps && (w->p->m->model == MEMORY_SC || !way_is_loose(&w->way, f->path));
		bool blamed = !jumps || is_to_blame(w, f);
		undo(w, f->mark, f->path);
		if (blamed) {
			add_atoms(&f->reason, &w->reason);
			w->asleep = f->asleep;
			if (w->failed && f->next)
				w->failed[w->choices.at[f->first + f->next - 1].node] = true;
			for (uint32_t i = 0; i < f->next; i++)
				w->asleep |= chain_bit(w, w->p->m->chain[w->choices.at[f->first + i].node]);
			if (f->next < f->count)
				return true;
			w->reason = f->reason;
			add_next(w, &w->reason);
			if (!f->tainted && !f->asleep)
				dead_add(w->dead, key(w));
		}
		w->choices.n = f->first;
		w->frames.n--;
	}
	return false;
}

/* A new state: where to go from here, or a dead end (false). */
static bool enter(struct walk *w)
{
	if (!run_all_ahead(w))
		return false;
	if (machine_is_done(w->m))
		return true;
	if (dead_has(w->dead, key(w)))
		return false;
	w->figures.states++;
	uint32_t first = (uint32_t)w->choices.n, count = find_choices(w);
	*vec_push(&w->frames) = (struct frame){machine_mark(w->m), w->path.n, first, count, 0, false, {{0}},
					       w->asleep};
	if (!count) {
		w->reason = (struct machine_atoms){{0}};
		add_next(w, &w->reason);
	}
	return true;
}

static bool has_way(const struct walk *w)
{
	const struct frame *f = &w->frames.at[w->frames.n - 1];
	return f->next < f->count;
}

static bool is_excluded(struct walk *w)
{
	size_t size = w->p->pieces.n * sizeof(uint32_t);
	bool excluded = false;
	for (size_t i = 0; i < w->excluded.n && !excluded; i++)
		excluded = !memcmp(w->excluded.at[i], machine_seen(w->m), size);
	for (size_t i = 0; excluded && i < w->frames.n; i++)
		w->frames.at[i].tainted = true;
	return excluded;
}

/* Further than ever in this round: worth as many dead ends, but no more than it began with. Long ways have many. */
static void earn_patience(struct walk *w)
{
	if (w->path.n <= w->furthest)
		return;
	w->patience += w->path.n - w->furthest;
	if (w->patience > w->limit)
		w->patience = w->limit;
	w->furthest = w->path.n;
}

/* Goes on from so many steps of the way, or fewer. */
static void go_to(struct walk *w, size_t to)
{
	struct frame first = {.mark = w->start}, *f = &first;
	while (w->frames.n) {
		f = &w->frames.at[--w->frames.n];
		if (f->path <= to && f->path <= w->way.same)
			break;
		f = &first;
	}
	undo(w, f->mark, f->path);
	w->choices.n = f->first;
	w->asleep = f->asleep;
	w->loosened++;
	if (w->failed)
		memset(w->failed, 0, w->p->m->nnodes * sizeof *w->failed);
}

/* Goes back to where less is taken for granted; false: it is enough. */
static bool loosen(struct walk *w)
{
	size_t to = way_loosen(&w->way, w->p, w->m);
	if (to != SIZE_MAX)
		go_to(w, to);
	return to != SIZE_MAX;
}

/* Goes back to where two writes came the wrong way round; false: there are none. */
static bool swap(struct walk *w)
{
	size_t to = way_swap(&w->way);
	if (to != SIZE_MAX)
		go_to(w, to);
	return to != SIZE_MAX;
}

/* Back, or when that leads nowhere, *anew from somewhere with less taken for granted; false: there is nothing left to try. */
static bool leave_dead_end(struct walk *w, bool *anew)
{
	bool stuck = w->trusts && way_ends(&w->way, w->p, w->m, w->path.at, w->path.n);
	*anew = stuck && swap(w);
	if (*anew)
		return true;
	if (stuck && w->way.level && w->o.brief && !w->gave_way) /* a little less did not help */
		w->over = w->gave_way = true;
	*anew = stuck && loosen(w);
	if (*anew || go_back(w))
		return true;
	*anew = w->trusts && (swap(w) || loosen(w));
	return *anew;
}

/* One round: depth first until all is run, all is searched, or patience is over. */
static enum walk_result run_round(struct walk *w)
{
	bool ok = w->interrupted ? w->ok : enter(w);
	w->interrupted = false;
	while (!w->over) {
		earn_patience(w);
		if (ok && machine_is_done(w->m)) {
			if (!is_excluded(w))
				return WALK_FOUND;
			memset(&w->reason, 0xff, sizeof w->reason);
			ok = false;
		}
		if (!ok && w->patience-- == 0)
			return WALK_UNDECIDED;
		w->figures.dead_ends += !ok;
		bool anew = false;
		if (!(ok && has_way(w)) && !leave_dead_end(w, &anew))
			return WALK_NONE;
		if (anew) {
			ok = enter(w);
			continue;
		}
		struct frame *f = &w->frames.at[w->frames.n - 1];
		if (run(w, w->choices.at[f->first + f->next++].node) != STEP_WRONG) {
			ok = enter(w);
		} else { /* a condition on more than this memory */
			memset(&w->reason, 0xff, sizeof w->reason);
			ok = false;
		}
	}
	w->interrupted = true;
	w->ok = ok;
	return WALK_UNDECIDED;
}

static uint64_t first_patience(const struct walk *w)
{
	return w->o.steady ? UINT64_MAX / 2 : FIRST_PATIENCE;
}

static void begin_anew(struct walk *w)
{
	if (w->own_dead)
		dead_clear(w->own_dead);
	w->limit = first_patience(w);
}

static void trust(struct walk *w, bool trusts)
{
	if (trusts != w->trusts)
		machine_trust(w->m, trusts);
	machine_limit_buffers(w->m, trusts ? LAST_BUFFER : w->buffer); /* few stores are delayed, but those for long */
	if (trusts) {
		way_begin(&w->way, w->p, w->m);
		w->loosened++;
	} else if (w->trusts) {
		way_end(&w->way, w->m);
	}
	w->trusts = trusts;
}

/* Nothing was found with buffers of this size: what was dead is not dead with larger ones. */
static void grow_buffers(struct walk *w)
{
	w->buffer = w->buffer < LAST_BUFFER ? w->buffer * 4 : UINT32_MAX;
	machine_limit_buffers(w->m, w->buffer);
	begin_anew(w);
}

/* Rounds after which all tastes have had their turn. */
static unsigned turns(const struct walk *w)
{
	return w->o.as_run ? TASTES + 1 : TASTES;
}

static unsigned choose_taste(const struct walk *w)
{
	uint64_t turn = w->figures.rounds % turns(w);
	bool as_run = w->o.as_run && (w->o.steady || !turn);
	return as_run ? TASTE_AS_RUN : (unsigned)((turn + w->o.seed) % TASTES);
}

static void begin_round(struct walk *w)
{
	w->frames.n = w->choices.n = 0;
	w->asleep = 0;
	if (w->failed)
		memset(w->failed, 0, w->p->m->nnodes * sizeof *w->failed);
	undo(w, w->start, 0);
	/* Replay cannot part pieces, so that orders in which nobody does are looked for first; but not only. */
	w->whole = w->has_pieces && (w->figures.rounds / turns(w) + 1) % PARTED_TURNS;
	w->taste = choose_taste(w);
	w->figures.rounds++;
	w->patience = w->limit;
	w->furthest = 0;
	trust(w, w->p->large && !w->distrusts && (w->figures.rounds / turns(w) + 1) % TRUST_TURNS);
}

/* Rounds of each taste in turn, with ever more patience. One that was interrupted by the clock goes on. */
static enum walk_result run_rounds(struct walk *w)
{
	while (!w->over) {
		if (!w->interrupted)
			begin_round(w);
		enum walk_result r = run_round(w);
		if (w->interrupted)
			break;
		if (r == WALK_NONE && w->whole) {
			w->has_pieces = false;
			begin_anew(w);
			continue;
		}
		if (r == WALK_NONE && w->buffer != UINT32_MAX) {
			grow_buffers(w);
			continue;
		}
		w->exhausted = r == WALK_NONE;
		if (w->exhausted && (w->jumps || w->trusts)) { /* no proof; when no taste finds anything, it is looked at more closely */
			if (w->figures.rounds > turns(w)) {
				if (!w->p->large)
					return WALK_UNDECIDED;
				bool jumped = w->jumps;
				w->distrusts = !jumped;
				w->jumps = false;
				begin_anew(w);
				if (jumped && w->o.brief && !w->gave_way) {
					w->gave_way = true;
					return WALK_UNDECIDED;
				}
			}
			continue;
		}
		if (r != WALK_UNDECIDED)
			return w->exhausted && (w->excluded.n || w->p->large) ? WALK_UNDECIDED : r;
		if (w->figures.rounds % turns(w) == 0)
			w->limit *= 4;
	}
	w->exhausted = false;
	return WALK_UNDECIDED;
}

struct walk *walk_new(const struct problem *p, const struct walk_options *o)
{
	struct error err;
	struct walk *w = xcalloc(1, sizeof *w);
	*w = (struct walk){.p = p, .o = *o, .random = 0x9e3779b97f4a7c15 * (2 * (uint64_t)o->seed + 1),
			  .jumps = !o->steady && (o->jumps || p->large), .distrusts = o->steady};
	w->limit = first_patience(w);
	w->m = machine_new(p, o->impossible, &w->contradiction, &err);
	if (!w->m)
		return w;
	w->start = machine_mark(w->m);
	w->has_pieces = !p->large && has_pieces(p);
	if (w->jumps)
		w->failed = xcalloc(p->m->nnodes + 1, sizeof *w->failed);
	if (w->jumps)
		w->limit += p->m->nnodes / 8;
	w->buffer = p->m->model == MEMORY_SC ? UINT32_MAX : FIRST_BUFFER;
	machine_limit_buffers(w->m, w->buffer);
	if (!o->dead)
		w->own_dead = dead_new(o->table);
	w->dead = o->dead ? o->dead : w->own_dead;
	return w;
}

enum walk_result walk_run(struct walk *w, double seconds, const volatile bool *stop)
{
	double start = solver_clock();
	if (!w->m)
		return w->contradiction ? WALK_NONE : WALK_UNDECIDED;
	w->deadline = start + seconds;
	w->stop = stop;
	w->over = false;
	enum walk_result r = run_rounds(w);
	w->figures.seconds += solver_clock() - start;
	return r == WALK_NONE && machine_is_free(w->m) ? WALK_UNDECIDED : r;
}

void walk_exclude(struct walk *w, const uint32_t *seen)
{
	size_t size = w->p->pieces.n * sizeof *seen;
	uint32_t *copy = xmalloc(size + 1);
	memcpy(copy, seen, size);
	*vec_push(&w->excluded) = copy;
}

bool walk_is_exhausted(const struct walk *w)
{
	return w->exhausted;
}

const struct walk_figures *walk_figures(const struct walk *w)
{
	return &w->figures;
}

const uint32_t *walk_nodes(const struct walk *w)
{
	return w->path.at;
}

const uint32_t *walk_seen(const struct walk *w)
{
	return machine_seen(w->m);
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	machine_free(w->m);
	for (size_t i = 0; i < w->excluded.n; i++)
		free(w->excluded.at[i]);
	vec_free(&w->excluded);
	dead_free(w->own_dead);
	way_release(&w->way);
	free(w->failed);
	vec_free(&w->path);
	vec_free(&w->frames);
	vec_free(&w->choices);
	free(w);
}
