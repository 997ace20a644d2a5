/*
 * Numbers that the path tells: anchors.
 *
 *     size_t end = taken + BLOCK;        read once, from memory that threads share
 *     while (i < end && text[i] != ' ')  a million times
 *
 * Inference does not know `end`, so each `i < end` would be recorded. It costs less to record `end` itself, once: then all
 * that is computed from it is known. An anchor does that without anything new in the log: the number goes through a
 * function that branches on its digits and puts them together again from constants. Its branches are recorded like any other, and
 * what it returns is known as soon as the path is (recompute.c).
 *
 * Which numbers: those that are read, passed in or returned seldom, as far as loops tell, and decide branches that come often, also by way
 * of a thread's own memory: the text that a compressor reads byte by byte, and then sorts.
 */
#include "instrument/anchor_code.h"
#include "instrument/exact.h"
#include "instrument/frequency.h"
#include "instrument/pointsto.h"
#include "instrument/recompute.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAST_ROOTS = 4, MANY_ROOTS = 16, MOST_ROOTS = 64, /* of one branch, at most: in large programs fewer, because each takes a round */
};
/* How much more often than the number its branches have to come, for a gain. */
static const double worth = 20;
/* The same for numbers that come once a round of the outermost loops at most: they cost little even where they gain nothing. */
static const double worth_seldom = 4;

/* How much more a number of many digits costs. */
static const double many_digits = 5;

/* Instructions that are looked through while roots are tried, so that links of large programs do not take for ever. */
static const size_t most_tried = 1000000, most_looked = 6000000;

struct root {
	LLVMValueRef value;
	double frequency, gain;
	double worth; /* what it has to gain */
	double paid; /* by the branches that are known: its part of what they gain, in times of what it has to */
	bool repeats; /* it mostly is what it was in the round before */
	bool chosen, rejected;
};

/* A branch, and what it was not known for. */
struct wish {
	LLVMValueRef branch;
	uint32_t *roots;
	size_t n, cap;
	double frequency;
	bool known;
	bool hopeless; /* what it is not known for can be no anchor */
	bool kept;     /* is recorded even when it is known (progress.c): nothing is gained */
};

struct anchors {
	LLVMModuleRef module;
	struct sharing *sharing;
	struct recompute *known; /* with the roots that are chosen; NULL: not looked yet */
	struct frequencies frequencies;
	struct map chosen; /* roots */
	struct map number; /* value: its place in roots[], + 1 */
	struct root *roots;
	size_t nroots, roots_cap;
	struct wish *wishes;
	size_t nwishes, wishes_cap;
	struct map interposed, sites; /* as they will be numbered */
	size_t tries; /* how often all can be looked at again */
	size_t most_roots;
};

static double root_frequency(struct anchors *a, LLVMValueRef v)
{
	return LLVMIsAArgument(v) ? frequency_of_function(&a->frequencies, LLVMGetParamParent(v))
				  : frequency_of_block(&a->frequencies, LLVMGetInstructionParent(v));
}

/* ---------------------------------------------------------------- what would help ------------- */

/* Values that were asked about on the way. */
struct asked {
	LLVMValueRef at[24];
	size_t n;
};

/* Is the value used in arithmetic and comparisons only, also where it goes round a loop? */
static bool is_only_counted(LLVMValueRef v, struct asked *asked)
{
	for (size_t i = 0; i < asked->n; i++)
		if (asked->at[i] == v)
			return true;
	if (asked->n == sizeof asked->at / sizeof *asked->at)
		return false;
	asked->at[asked->n++] = v;
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMICmp: case LLVMSwitch: case LLVMGetElementPtr: case LLVMMul: case LLVMUDiv: case LLVMURem: case LLVMSDiv: case LLVMSRem:
			break;
		case LLVMAdd: case LLVMSub: case LLVMAnd: case LLVMOr: case LLVMShl: case LLVMLShr: case LLVMTrunc: case LLVMPHI:
			if (!is_only_counted(user, asked))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* An anchor would make the recorded run's address of it. */
static bool may_be_address(struct anchors *a, LLVMValueRef v)
{
	const struct bits *objects = points_to_some(a->sharing->points_to, v);
	if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 32 || pointer_is_distance(v))
		return false;
	if (objects && objects->n)
		return true;
	if (LLVMIsALoadInst(v) && !llvm_may_copy_pointer(v))
		return false;
	LLVMValueRef callee = LLVMIsAInstruction(v) && is_call(v) ? direct_callee(v) : NULL;
	return !(callee && !is_instrumented(callee)) && !is_only_counted(v, &(struct asked){0});
}

/* A number that comes into being here, and can go through an anchor. */
static bool can_be_root(struct anchors *a, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 || may_be_address(a, v))
		return false;
	if (LLVMIsAArgument(v) || LLVMIsALoadInst(v) || LLVMIsAAtomicRMWInst(v) || pointer_is_distance(v))
		return true;
	if (!LLVMIsAInstruction(v) || !is_call(v) || LLVMIsACallBrInst(v) || llvm_is_musttail(v))
		return false;
	return !direct_callee(v) || !exact_in_sign_only(direct_callee(v));
}

/* Several numbers in one, or a hash: nearly all digits of it count, while those of sizes and indices are few. */
static bool has_many_digits(LLVMValueRef v)
{
	for (LLVMUseRef u = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 ? LLVMGetFirstUse(v) : NULL; u; u = LLVMGetNextUse(u))
		if (LLVMGetInstructionOpcode(LLVMGetUser(u)) == LLVMLShr && LLVMGetOperand(LLVMGetUser(u), 0) == v)
			return true;
	return false;
}

static bool is_one_place(struct anchors *a, LLVMValueRef pointer, uint32_t depth, int steps);

/* Is it read in each round of a loop from the same place, which the loop does not write by the same name? A load that the optimiser could not move out of it. */
static bool is_read_again(struct anchors *a, LLVMValueRef load, uint32_t depth, int steps)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer &&
		    map_get(&a->frequencies.depth, LLVMGetInstructionParent(user)) >= depth)
			return false;
	}
	return is_one_place(a, pointer, depth, steps);
}

/* In loops of this depth (frequencies.depth). */
static bool is_one_place(struct anchors *a, LLVMValueRef pointer, uint32_t depth, int steps)
{
	if (!LLVMIsAInstruction(pointer) || map_get(&a->frequencies.depth, LLVMGetInstructionParent(pointer)) < depth)
		return true;
	if (!steps)
		return false;
	if (LLVMIsALoadInst(pointer))
		return is_read_again(a, pointer, depth, steps - 1);
	if (LLVMGetInstructionOpcode(pointer) != LLVMGetElementPtr)
		return false;
	for (int i = LLVMGetNumOperands(pointer); i--;)
		if (!is_one_place(a, LLVMGetOperand(pointer, (unsigned)i), depth, steps - 1))
			return false;
	return true;
}

static bool repeats(struct anchors *a, LLVMValueRef v)
{
	uint32_t depth = LLVMIsALoadInst(v) ? map_get(&a->frequencies.depth, LLVMGetInstructionParent(v)) : 0;
	return depth > 1 && is_read_again(a, v, depth, 6);
}

/* What a root has to gain: more than it costs. Of one that repeats itself that is the branch that says so. */
static double worth_of(const struct root *r)
{
	double most = (r->frequency > FREQUENCY_LAP ? worth : worth_seldom) * (has_many_digits(r->value) ? many_digits : 1);
	return r->frequency * (r->repeats ? 1 + most / FREQUENCY_LAP : most);
}

static uint32_t root_number(struct anchors *a, LLVMValueRef v)
{
	uint32_t n = map_get(&a->number, v);
	if (n)
		return n - 1;
	if (a->nroots == a->roots_cap)
		a->roots = pass_grow(a->roots, &a->roots_cap, sizeof *a->roots);
	struct root r = {.value = v, .frequency = root_frequency(a, v), .repeats = repeats(a, v)};
	r.worth = worth_of(&r);
	a->roots[a->nroots++] = r;
	map_set(&a->number, v, (uint32_t)a->nroots);
	return (uint32_t)a->nroots - 1;
}

static void find_wishes(struct anchors *a)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(a->module); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			if (!is_branch(end))
				continue;
			if (a->nwishes == a->wishes_cap)
				a->wishes = pass_grow(a->wishes, &a->wishes_cap, sizeof *a->wishes);
			a->wishes[a->nwishes++] = (struct wish){.branch = end, .frequency = frequency_of_block(&a->frequencies, b)};
		}
	}
}

/* Each branch that is not known, with the roots that are chosen, wants one more: the one that it is said to be unknown for. */
static void look_again(struct anchors *a)
{
	if (a->known)
		recompute_again(a->known);
	else
		a->known = recompute_new(a->module, a->sharing, &a->chosen);
	struct recompute *r = a->known;
	for (size_t i = 0; i < a->nwishes; i++) {
		struct wish *w = &a->wishes[i];
		LLVMValueRef condition = LLVMGetOperand(w->branch, 0);
		w->known = recompute_knows(r, condition);
		LLVMValueRef root = w->known ? NULL : recompute_root(r, condition);
		w->hopeless = !w->known && (!root || !can_be_root(a, root));
		if (!root || w->hopeless || w->n >= a->most_roots)
			continue;
		uint32_t n = root_number(a, root);
		bool is_new = !a->roots[n].chosen && !a->roots[n].rejected;
		for (size_t k = 0; k < w->n; k++)
			is_new &= w->roots[k] != n;
		if (!is_new)
			continue;
		if (w->n == w->cap)
			w->roots = pass_grow(w->roots, &w->cap, sizeof *w->roots);
		w->roots[w->n++] = n;
	}
}

/* Which branches would be recorded all the same, because a loop has to leave a mark in each round, if there were an anchor for all that can have one. */
static void find_kept(struct anchors *a)
{
	struct map known = {0};
	for (size_t i = 0; i < a->nwishes; i++)
		if (!a->wishes[i].hopeless)
			map_set(&known, a->wishes[i].branch, 1);
	progress_keep(a->module, &a->interposed, &a->sites, &known);
	for (size_t i = 0; i < a->nwishes; i++)
		a->wishes[i].kept = !a->wishes[i].hopeless && !map_get(&known, a->wishes[i].branch);
	map_free(&known);
}

static double gain_of(const struct wish *w)
{
	return w->kept || w->hopeless ? 0 : w->frequency;
}

/* ---------------------------------------------------------------- which are worth it ---------- */

/* What each root might gain, if it were all that its branches lack; those that might gain enough are chosen. */
static bool choose_more(struct anchors *a)
{
	bool more = false;
	for (size_t i = 0; i < a->nroots; i++)
		a->roots[i].gain = 0;
	for (size_t i = 0; i < a->nwishes; i++)
		for (size_t k = 0; k < a->wishes[i].n; k++)
			a->roots[a->wishes[i].roots[k]].gain += gain_of(&a->wishes[i]);
	for (size_t i = 0; i < a->nroots; i++) {
		struct root *r = &a->roots[i];
		if (r->chosen || r->rejected || r->gain < r->worth)
			continue;
		r->chosen = true;
		map_set(&a->chosen, r->value, 1);
		more = true;
	}
	return more;
}

/* How often branches come that are known. */
static double known_branches(struct anchors *a)
{
	double sum = 0;
	for (size_t i = 0; i < a->nwishes; i++)
		sum += a->wishes[i].known ? gain_of(&a->wishes[i]) : 0;
	return sum;
}

static void note_chosen(struct anchors *a)
{
	map_free(&a->chosen);
	for (size_t i = 0; i < a->nroots; i++)
		if (a->roots[i].chosen)
			map_set(&a->chosen, a->roots[i].value, 1);
}

static void set_chosen(struct anchors *a, struct root *r, bool chosen)
{
	r->chosen = chosen;
	note_chosen(a);
}

/* How much the branch gains for each of what its roots have to. */
static double payment(const struct anchors *a, const struct wish *w)
{
	double cost = 0;
	for (size_t k = 0; k < w->n; k++)
		cost += a->roots[w->roots[k]].chosen ? a->roots[w->roots[k]].worth : 0;
	return cost > 0 ? gain_of(w) / cost : 0;
}

/* A branch that needs several roots pays all of those that it named, and one that is not known in spite of them pays none. */
static void find_paid(struct anchors *a)
{
	for (size_t i = 0; i < a->nroots; i++)
		a->roots[i].paid = 0;
	for (size_t i = 0; i < a->nwishes; i++) {
		const struct wish *w = &a->wishes[i];
		double paid = w->known ? payment(a, w) : 0;
		for (size_t k = 0; k < w->n; k++)
			a->roots[w->roots[k]].paid += paid;
	}
}

static int by_paid(const void *x, const void *y)
{
	const struct root *a = *(struct root *const *)x, *b = *(struct root *const *)y;
	if (a->paid != b->paid)
		return a->paid < b->paid ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Is less lost without all of these than they cost? They are left out then. */
static bool leave_out(struct anchors *a, struct root **roots, size_t n, double *known)
{
	double cost = 0;
	for (size_t i = 0; i < n; i++) {
		roots[i]->chosen = false;
		cost += roots[i]->worth;
	}
	note_chosen(a);
	look_again(a);
	double rest = known_branches(a);
	bool left = *known - rest < cost;
	for (size_t i = 0; i < n; i++)
		roots[i]->chosen = !left;
	if (left)
		*known = rest;
	return left;
}

/* All of them, or else each half. */
static void leave_out_most(struct anchors *a, struct root **roots, size_t n, double *known)
{
	if (!n || !a->tries)
		return;
	a->tries--;
	if (leave_out(a, roots, n, known) || n == 1)
		return;
	leave_out_most(a, roots, n / 2, known);
	leave_out_most(a, roots + n / 2, n - n / 2, known);
}

/*
 * Those that are not paid for. A branch names only what was not chosen when it asked, so they may be needed all the same: what is lost without them
 * is looked at, of as many at a time as can be.
 */
static void settle(struct anchors *a)
{
	struct root **order = pass_alloc(a->nroots, sizeof *order);
	size_t n = 0;
	find_paid(a);
	for (size_t i = 0; i < a->nroots; i++)
		if (a->roots[i].chosen && a->roots[i].paid < 1)
			order[n++] = &a->roots[i];
	qsort(order, n, sizeof *order, by_paid);
	double known = known_branches(a);
	leave_out_most(a, order, n, &known);
	free(order);
	note_chosen(a);
	look_again(a);
}

static int by_frequency(const void *x, const void *y)
{
	const struct root *a = *(struct root *const *)x, *b = *(struct root *const *)y;
	if (a->frequency != b->frequency)
		return a->frequency < b->frequency ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Those without which as much is known, or nearly, are left out: the dearest are tried first. */
static void reject(struct anchors *a)
{
	struct root **order = pass_alloc(a->nroots, sizeof *order);
	size_t n = 0;
	for (size_t i = 0; i < a->nroots; i++)
		if (a->roots[i].chosen)
			order[n++] = &a->roots[i];
	qsort(order, n, sizeof *order, by_frequency);
	double known = known_branches(a);
	for (size_t i = 0; i < n && i < a->tries; i++) {
		set_chosen(a, order[i], false);
		look_again(a);
		double rest = known_branches(a);
		if (known - rest >= order[i]->worth)
			set_chosen(a, order[i], true);
		else
			known = rest;
	}
	free(order);
}

/*
 * Roots are added as long as branches might become known by them; what they really gain shows when one is left out again. A branch is
 * not known before all that it depends on is, so that the first half only hopes.
 */
static void choose(struct anchors *a)
{
	look_again(a);
	find_kept(a);
	while (choose_more(a))
		look_again(a);
	find_kept(a);
	for (size_t i = 0; i < a->nroots; i++)
		a->roots[i].rejected = true; /* nothing more is wished for */
	settle(a);
	reject(a);
}

static size_t most_roots(LLVMModuleRef m, size_t tries)
{
	size_t rounds = most_looked / (module_size(m) + 1);
	if (tries >= MANY_ROOTS)
		return MOST_ROOTS;
	return rounds < LEAST_ROOTS ? LEAST_ROOTS : rounds < MANY_ROOTS ? rounds : MANY_ROOTS;
}

void anchors_turn(LLVMModuleRef m)
{
	struct sharing *sharing = sharing_analyze(m);
	struct anchors a = {.module = m, .sharing = sharing};
	a.tries = most_tried / (module_size(m) + 1);
	a.most_roots = most_roots(m, a.tries);
	frequencies_find(&a.frequencies, m, sharing->points_to);
	number_foresee(m, sharing, &a.interposed, &a.sites);
	find_wishes(&a);
	choose(&a);
	recompute_free(a.known);
	for (size_t i = 0; i < a.nroots; i++)
		if (a.roots[i].chosen)
			anchor_insert(m, a.roots[i].value, a.roots[i].repeats);
	sharing_free(sharing);
	frequencies_free(&a.frequencies);
	map_free(&a.chosen);
	map_free(&a.number);
	map_free(&a.interposed);
	map_free(&a.sites);
	free(a.roots);
	for (size_t i = 0; i < a.nwishes; i++)
		free(a.wishes[i].roots);
	free(a.wishes);
}
