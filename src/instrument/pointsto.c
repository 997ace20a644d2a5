#include "instrument/pointsto_build.h"

#include "instrument/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Steps of the solver (words of sets that are united, and edges): some seconds. */
static const uint64_t most_steps = 200000000;

/* ---------------------------------------------------------------- values ---------------------- */

/* Instructions whose result is their first operand's, or part of it. */
static bool is_same(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMGetElementPtr:
		return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMGetTypeKind(LLVMTypeOf(i)) && !is_number_on_null(i) &&
		       !pointer_by_distance(i);
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
	case LLVMExtractValue:
	case LLVMExtractElement:
		return true;
	default:
		return false;
	}
}

/* Is what makes the object there in every run? malloc may fail, operator new does not return then; weak symbols may be nothing. */
static bool never_fails(LLVMValueRef v)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nonnull", 7);
	if (LLVMIsAInstruction(v) && is_call(v))
		return LLVMGetCallSiteEnumAttribute(v, LLVMAttributeReturnIndex, kind) ||
		       (direct_callee(v) && LLVMGetEnumAttributeAtIndex(direct_callee(v), LLVMAttributeReturnIndex, kind));
	return !LLVMIsAGlobalValue(v) || LLVMGetLinkage(v) != LLVMExternalWeakLinkage;
}

uint32_t points_to_object(struct points_to *p, LLVMValueRef v)
{
	uint32_t object = map_get(&p->object, v);
	if (object)
		return object;
	object = inclusion_object(p->in);
	map_set(&p->object, v, object);
	if (never_fails(v))
		bits_add(&p->certain, object);
	if (!LLVMIsAFunction(v))
		return object;
	while (p->nfunction <= object) {
		if (p->nfunction == p->function_cap)
			p->function = pass_grow(p->function, &p->function_cap, sizeof *p->function);
		p->function[p->nfunction++] = NULL;
	}
	p->function[object] = v;
	return object;
}

static uint32_t new_node(struct points_to *p, LLVMValueRef v)
{
	uint32_t node = inclusion_node(p->in);
	map_set(&p->node, v, node);
	return node;
}

static uint32_t node_of_global(struct points_to *p, LLVMValueRef g)
{
	uint32_t node = map_get(&p->node, g);
	if (node)
		return node;
	node = new_node(p, g);
	inclusion_add(p->in, node, points_to_object(p, g));
	return node;
}

static uint32_t node_of_constant(struct points_to *p, LLVMValueRef v)
{
	while (LLVMIsAGlobalAlias(v))
		v = LLVMAliasGetAliasee(v);
	if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v))
		return node_of_global(p, v);
	if (LLVMIsAGlobalIFunc(v)) {
		uint32_t node = map_get(&p->node, v);
		node = node ? node : new_node(p, v);
		inclusion_add(p->in, node, OBJECT_WORLD);
		return node;
	}
	if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
		return node_of_constant(p, LLVMGetOperand(v, 0));
	if (!LLVMIsAConstantExpr(v) && !LLVMIsAConstantStruct(v) && !LLVMIsAConstantArray(v) && !LLVMIsAConstantVector(v))
		return 0;
	uint32_t node = map_get(&p->node, v);
	if (node)
		return node;
	node = new_node(p, v);
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		inclusion_copy(p->in, node_of_constant(p, LLVMGetOperand(v, (unsigned)i)), node);
	if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr && !is_no_address(v))
		inclusion_add(p->in, node, OBJECT_WORLD);
	return node;
}

uint32_t points_to_node(struct points_to *p, LLVMValueRef v)
{
	while (LLVMIsAInstruction(v) && is_same(v))
		v = LLVMGetOperand(v, 0);
	if (!LLVMIsAInstruction(v) && !LLVMIsAArgument(v))
		return node_of_constant(p, v);
	uint32_t node = map_get(&p->node, v);
	if (node || !carries_pointer(LLVMTypeOf(v)))
		return node;
	return new_node(p, v);
}

uint32_t points_to_returned(struct points_to *p, LLVMValueRef function)
{
	uint32_t node = map_get(&p->returned, function);
	if (node)
		return node;
	node = inclusion_node(p->in);
	map_set(&p->returned, function, node);
	return node;
}

/* ---------------------------------------------------------------- instructions ---------------- */

static void move(struct points_to *p, LLVMValueRef i, int first, int end)
{
	uint32_t to = points_to_node(p, i);
	for (int k = first; to && k < end; k++)
		inclusion_copy(p->in, points_to_node(p, LLVMGetOperand(i, (unsigned)k)), to);
}

/* Untyped words and bytes may be a pointer that is copied. */
static bool may_be_pointer(LLVMValueRef access, LLVMValueRef value)
{
	return !is_number(LLVMTypeOf(value)) || llvm_may_copy_pointer(access);
}

static void add_load(struct points_to *p, LLVMValueRef i, LLVMValueRef value)
{
	uint32_t to = may_be_pointer(i, value) || p->makes_pointers ? points_to_node(p, value) : 0;
	if (to)
		inclusion_load(p->in, points_to_node(p, LLVMGetOperand(i, 0)), to, member_of(&p->members, i),
			       may_be_pointer(i, value));
}

/*
 * Single characters go from one place to another unchanged, not from or to a buffer in a structure: that may be somebody's own memcpy. Members
 * are not told by characters (members.h), so the whole is copied.
 */
static bool copies_bytes(struct points_to *p, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	return LLVMIsALoadInst(value) && member_of(&p->members, store) == MEMBER_BYTES && member_of(&p->members, value) == MEMBER_BYTES &&
	       !points_to_is_inside(LLVMGetOperand(store, 1)) && !points_to_is_inside(LLVMGetOperand(value, 0));
}

static void add_store(struct points_to *p, LLVMValueRef i, LLVMValueRef value, LLVMValueRef pointer)
{
	uint32_t from = points_to_node(p, value);
	if (from)
		inclusion_store(p->in, points_to_node(p, pointer), from, member_of(&p->members, i));
}

static void add_instruction(struct points_to *p, LLVMValueRef f, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		inclusion_add(p->in, points_to_node(p, i), points_to_object(p, i));
		break;
	case LLVMLoad:
		add_load(p, i, i);
		break;
	case LLVMStore:
		add_store(p, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
		if (copies_bytes(p, i))
			inclusion_move(p->in, points_to_node(p, LLVMGetOperand(i, 1)),
				       points_to_node(p, LLVMGetOperand(LLVMGetOperand(i, 0), 0)));
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		for (int k = 1; k < LLVMGetNumOperands(i); k++)
			add_store(p, i, LLVMGetOperand(i, (unsigned)k), LLVMGetOperand(i, 0));
		add_load(p, i, i);
		break;
	case LLVMInsertValue:
	case LLVMInsertElement:
	case LLVMShuffleVector:
		move(p, i, 0, 2);
		break;
	case LLVMSelect:
		move(p, i, 1, 3);
		break;
	case LLVMGetElementPtr: /* a vector of addresses from one */
		if (!is_same(i))
			move(p, i, 0, is_number_on_null(i) ? LLVMGetNumOperands(i) : 1);
		if (is_number_on_null(i))
			inclusion_add(p->in, points_to_node(p, i), OBJECT_WORLD);
		if (pointer_by_distance(i))
			inclusion_copy(p->in, points_to_node(p, pointer_by_distance(i)), points_to_node(p, i));
		break;
	case LLVMPHI:
		move(p, i, 0, LLVMGetNumOperands(i));
		break;
	case LLVMPtrToInt:
		if (!pointer_only_differs(i))
			move(p, i, 0, 1);
		break;
	case LLVMIntToPtr: /* of numbers that nobody knows: addresses from outside */
		move(p, i, 0, 1);
		if (points_to_is_from_outside(p, i))
			inclusion_add(p->in, points_to_node(p, i), OBJECT_WORLD);
		break;
	case LLVMShl: case LLVMLShr: case LLVMAShr: case LLVMMul: case LLVMUDiv: /* rounded to a multiple, or packed */
	case LLVMZExt: case LLVMSExt:
		if (p->makes_pointers || !points_to_is_only_number(i))
			move(p, i, 0, LLVMGetNumOperands(i));
		break;
	case LLVMAdd: case LLVMSub: case LLVMAnd: case LLVMOr: case LLVMXor:
	case LLVMTrunc:
		move(p, i, 0, LLVMGetNumOperands(i));
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		points_to_add_call(p, i);
		break;
	case LLVMRet:
		if (LLVMGetNumOperands(i))
			inclusion_copy(p->in, points_to_node(p, LLVMGetOperand(i, 0)), points_to_returned(p, f));
		break;
	case LLVMLandingPad:
	case LLVMVAArg:
		inclusion_add(p->in, points_to_node(p, i), OBJECT_WORLD);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- globals --------------------- */

static bool is_local(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool is_constant(LLVMValueRef g)
{
	return LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g);
}

/*
 * What C++ says of a type (std::type_info), and its name. A std::function has its address in the place of what was captured, for a moment: but for what is said here, it would seem
 * that the function goes on from there to the virtual table of std::type_info, and to anything.
 */
static bool is_type_info(LLVMValueRef g)
{
	return name_begins(g, "_ZTI") || name_begins(g, "_ZTS");
}

/* Code, and what no code writes to: virtual tables, also those of libraries. */
static bool is_never_written(LLVMValueRef v)
{
	return LLVMIsAFunction(v) || LLVMIsGlobalConstant(v) || name_begins(v, "_ZTV") || is_type_info(v);
}

static void add_variable(struct points_to *p, LLVMValueRef g)
{
	uint32_t object = points_to_object(p, g);
	const char *section = LLVMGetSection(g);
	bool outside = LLVMIsDeclaration(g) || !is_local(g) || LLVMIsExternallyInitialized(g) || (section && *section);
	if (is_never_written(g))
		inclusion_seal(p->in, object);
	if (is_type_info(g))
		return;
	if (outside && !is_constant(g))
		inclusion_add(p->in, inclusion_world(p->in), object);
	LLVMValueRef value = LLVMGetInitializer(g);
	uint32_t from = value ? node_of_constant(p, value) : 0;
	if (from)
		inclusion_copy(p->in, from, inclusion_cell(p->in, object, MEMBER_ANY));
	/* What others see of it leads on. */
	if (outside && from)
		inclusion_copy(p->in, from, inclusion_world(p->in));
}

static void add_function(struct points_to *p, LLVMValueRef f)
{
	if (is_intrinsic(f))
		return;
	uint32_t object = points_to_object(p, f);
	inclusion_seal(p->in, object);
	if (is_instrumented(f) && !is_local(f))
		inclusion_add(p->in, inclusion_world(p->in), object);
}

static void add_module(struct points_to *p, LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		add_variable(p, g);
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m); a; a = LLVMGetNextGlobalAlias(a))
		if (!is_local(a))
			inclusion_copy(p->in, node_of_constant(p, a), inclusion_world(p->in));
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i; i = LLVMGetNextGlobalIFunc(i))
		inclusion_copy(p->in, node_of_constant(p, LLVMGetGlobalIFuncResolver(i)), inclusion_world(p->in));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		add_function(p, f);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				add_instruction(p, f, i);
}

/* ---------------------------------------------------------------- who shares ------------------ */

struct sharer {
	struct points_to *p;
	uint32_t *todo;
	size_t n, cap;
};

static void share(void *data, uint32_t object)
{
	struct sharer *s = data;
	if (s->p->flags[object] & SHARED)
		return;
	s->p->flags[object] |= SHARED;
	if (s->n == s->cap)
		s->todo = pass_grow(s->todo, &s->cap, sizeof *s->todo);
	s->todo[s->n++] = object;
}

static void share_handed(void *data, uint32_t object)
{
	struct sharer *s = data;
	if (bits_has(inclusion_set(s->p->in, s->p->handed), object))
		share(s, object);
}

/* What changes hands is shared all the same where something else leads to it: somebody has kept a pointer, or may have. */
static void share_kept(struct sharer *s)
{
	const struct bits *carriers = inclusion_set(s->p->in, s->p->carriers), *handed = inclusion_set(s->p->in, s->p->handed);
	for (uint32_t o = 0; handed && handed->n && o < s->p->nflags; o++)
		if (!bits_has(carriers, o) && !bits_has(handed, o))
			inclusion_each_held(s->p->in, o, share_handed, s);
}

/*
 * From what all threads know to all that it leads to. A function that says to return what nobody else knows (__attribute__((malloc)))
 * may still have it in a list of its own, or take it from there.
 */
static void find_shared(struct points_to *p, LLVMModuleRef m)
{
	struct sharer s = {.p = p};
	for (uint32_t o = 0; o < p->nflags; o++)
		if (inclusion_flags(p->in, o) & OBJECT_OUTSIDE)
			share(&s, o);
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (!is_constant(g) && !LLVMIsThreadLocal(g))
			share(&s, map_get(&p->object, g));
	const struct bits *passed = inclusion_set(p->in, p->passed_on);
	for (uint32_t o = 0; bits_next(passed, &o); o++)
		share(&s, o);
	share_kept(&s);
	while (s.n) {
		uint32_t object = s.todo[--s.n];
		inclusion_each_held(p->in, object, share, &s);
		points_to_each_clone(p, object, share, &s);
	}
	free(s.todo);
}

/* What is put in such a clone is found by way of the list. True: the sets are to be completed again. */
static bool unite_shared_clones(struct points_to *p)
{
	bool any = false;
	for (size_t i = 0; i < p->nclones; i++) {
		struct clone *c = &p->clones[i];
		if (!c->united && (p->flags[c->of] & SHARED)) {
			inclusion_inherit(p->in, c->object, c->of);
			c->united = p->any_united = any = true;
		}
	}
	return any;
}

/* ---------------------------------------------------------------- start, end, answers --------- */

static void note_clones(struct points_to *p)
{
	free(p->first_clone);
	free(p->original);
	p->first_clone = pass_alloc(p->nflags, sizeof *p->first_clone);
	p->original = pass_alloc(p->nflags, sizeof *p->original);
	for (size_t i = 0; i < p->nclones; i++) {
		p->original[p->clones[i].object] = p->clones[i].of;
		p->clones[i].next = p->first_clone[p->clones[i].of];
		p->first_clone[p->clones[i].of] = (uint32_t)i + 1;
	}
}

static void find_handed(struct points_to *p)
{
	const struct bits *handed = inclusion_set(p->in, p->handed);
	bits_unite(&p->handed_on, handed);
	points_to_originals(p, handed, &p->handed_on);
}

struct points_to *points_to_new(LLVMModuleRef m, struct sharing *s)
{
	struct points_to *p = pass_alloc(1, sizeof *p);
	p->sharing = s;
	p->in = inclusion_new(&p->members, &(struct inclusion_calls){points_to_called, points_to_outside, p});
	p->vtables = vtables_new(m);
	p->passed_on = inclusion_node(p->in);
	p->handed = inclusion_node(p->in);
	p->carriers = inclusion_node(p->in);
	p->from_outside = inclusion_node(p->in);
	inclusion_add(p->in, p->from_outside, OBJECT_WORLD);
	p->short_addresses = points_to_shortens_addresses(m);
	p->makes_pointers = points_to_makes_pointers(p, m);
	add_module(p, m);
	do {
		p->complete = inclusion_solve(p->in, most_steps);
		p->nflags = inclusion_objects(p->in);
		free(p->flags);
		p->flags = pass_alloc(p->nflags, sizeof *p->flags);
		if (!p->complete)
			return p;
		note_clones(p);
		find_shared(p, m);
	} while (unite_shared_clones(p));
	find_handed(p);
	parallel_refine(s->parallel, m, p);
	points_to_find_written(p, m);
	return p;
}

void points_to_free(struct points_to *p)
{
	inclusion_free(p->in);
	members_free(&p->members);
	vtables_free(p->vtables);
	map_free(&p->node);
	map_free(&p->returned);
	map_free(&p->object);
	map_free(&p->started);
	map_free(&p->further);
	bits_free(&p->areas);
	for (size_t i = 0; i < p->ncalls; i++)
		bits_free(&p->calls[i].done);
	free(p->calls);
	free(p->function);
	free(p->flags);
	free(p->clones);
	free(p->first_clone);
	free(p->original);
	bits_free(&p->handed_on);
	bits_free(&p->shared);
	bits_free(&p->certain);
	free(p->written);
	free(p->first_written);
	free(p);
}

const struct bits *points_to_some(const struct points_to *p, LLVMValueRef pointer)
{
	if (!p->complete)
		return NULL;
	/* Looks it up, or makes one that is empty: no change that matters. */
	uint32_t node = points_to_node((struct points_to *)p, pointer);
	return node ? inclusion_set(p->in, node) : NULL;
}

const struct bits *points_to_all(const struct points_to *p, LLVMValueRef pointer)
{
	const struct bits *set = points_to_some(p, pointer);
	return set && set->n && !bits_has(set, OBJECT_WORLD) ? set : NULL;
}

bool points_to_handed(const struct points_to *p, LLVMValueRef pointer)
{
	const struct bits *set = points_to_some(p, pointer);
	return set && bits_intersect(set, &p->handed_on);
}

bool points_to_nothing(const struct points_to *p, LLVMValueRef pointer)
{
	const struct bits *set = points_to_some(p, pointer);
	return p->complete && (!set || !set->n);
}

bool points_to_never_fails(const struct points_to *p, LLVMValueRef pointer)
{
	const struct bits *set = points_to_all(p, pointer);
	struct bits others = {0};
	if (set)
		bits_minus(set, &p->certain, &others);
	bool any = others.n;
	bits_free(&others);
	return set && !any;
}

struct holding {
	bool outside, any;
};

static void note_held(void *data, uint32_t object)
{
	struct holding *h = data;
	h->any |= h->outside || object != OBJECT_WORLD;
}

bool points_to_holds(const struct points_to *p, uint32_t object, bool outside)
{
	struct holding h = {.outside = outside};
	inclusion_each_held(p->in, object, note_held, &h);
	return h.any;
}

/* call: that it is for, or NULL. */
static bool find_functions(const struct points_to *p, LLVMValueRef pointer, LLVMValueRef call, void (*found)(void *data, LLVMValueRef function), void *data)
{
	const struct bits *set = points_to_some(p, pointer);
	bool inside = points_to_all(p, pointer);
	for (uint32_t o = 0; set && bits_next(set, &o); o++) {
		LLVMValueRef f = o < p->nfunction ? p->function[o] : NULL;
		if (f && call && !vtables_fit(p->vtables, call, f))
			continue;
		if (f && is_instrumented(f))
			found(data, f);
		else if (f)
			inside = false;
	}
	return inside;
}

bool points_to_functions(const struct points_to *p, LLVMValueRef pointer, void (*found)(void *data, LLVMValueRef function), void *data)
{
	return find_functions(p, pointer, NULL, found, data);
}

bool points_to_callees(const struct points_to *p, LLVMValueRef call, void (*found)(void *data, LLVMValueRef function), void *data)
{
	return find_functions(p, LLVMGetCalledValue(call), call, found, data);
}

bool points_to_called_here(const struct points_to *p, LLVMValueRef function)
{
	uint32_t object = map_get(&p->object, function);
	return p->complete && object && is_local(function) && !inclusion_flags(p->in, object);
}

bool points_to_is_started(const struct points_to *p, LLVMValueRef function)
{
	return map_get(&p->started, function);
}

uint32_t points_to_objects(const struct points_to *p)
{
	return (uint32_t)p->nflags;
}

void points_to_each_clone(const struct points_to *p, uint32_t object, void (*found)(void *data, uint32_t clone), void *data)
{
	for (uint32_t c = p->complete ? p->first_clone[object] : 0; c; c = p->clones[c - 1].next)
		found(data, p->clones[c - 1].object);
	for (size_t i = 0; p->any_united && i < p->nclones; i++)
		if (p->clones[i].united && p->clones[i].object == object)
			found(data, p->clones[i].of);
}

void points_to_originals(const struct points_to *p, const struct bits *objects, struct bits *out)
{
	for (uint32_t o = 0; bits_next(objects, &o); o++)
		for (uint32_t of = p->original[o]; of && bits_add(out, of);)
			of = p->original[of];
}

uint32_t points_to_member(struct points_to *p, LLVMValueRef access)
{
	return member_of(&p->members, access);
}

bool points_to_is_number(struct points_to *p, LLVMValueRef access)
{
	return member_is_number(&p->members, access);
}

bool points_to_members_alias(const struct points_to *p, uint32_t a, uint32_t b)
{
	return members_alias(&p->members, a, b);
}
