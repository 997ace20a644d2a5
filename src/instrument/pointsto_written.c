/*
 * The points-to analysis: what is written while there are several threads, by members of objects. A structure that threads share mostly has members that
 * are set before there are any, and never again: the pointer to a buffer, its size, what somebody was told to do.
 */
#include "instrument/parallel.h"
#include "instrument/pointsto_build.h"

#include <string.h>

static bool has_written(const struct points_to *p, uint32_t object, uint32_t member)
{
	for (uint32_t w = p->first_written[object]; w; w = p->written[w - 1].next)
		if (p->written[w - 1].member == member)
			return true;
	return p->flags[object] & WRITTEN;
}

/* Returns whether that is new. */
static bool flag_object(struct points_to *p, uint32_t object, uint32_t member)
{
	if (has_written(p, object, member))
		return false;
	if (member == MEMBER_ANY) {
		p->flags[object] |= WRITTEN;
		return true;
	}
	if (p->nwritten == p->written_cap)
		p->written = pass_grow(p->written, &p->written_cap, sizeof *p->written);
	p->written[p->nwritten++] = (struct written){member, p->first_written[object]};
	p->first_written[object] = (uint32_t)p->nwritten;
	return true;
}

void points_to_flag_written(struct points_to *p, LLVMValueRef i, LLVMValueRef pointer, uint32_t member)
{
	if (!parallel_is(p->sharing->parallel, i))
		return;
	const struct bits *set = inclusion_set(p->in, points_to_node(p, pointer));
	for (uint32_t o = 0; bits_next(set, &o); o++)
		flag_object(p, o, member);
}

/* Others have the place of a variable when its function returns: not that of main's own, where main is alone at its end. */
static bool is_given_up(const struct points_to *p, LLVMValueRef alloca)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(alloca);
	LLVMValueRef f = LLVMGetBasicBlockParent(b);
	return b != LLVMGetEntryBasicBlock(f) || !parallel_is_alone_behind(p->sharing->parallel, f);
}

/* Not all that is volatile is found by types: who knows who looks there. */
static void flag_volatile(struct points_to *p, LLVMValueRef store)
{
	const struct bits *set = inclusion_set(p->in, points_to_node(p, LLVMGetOperand(store, 1)));
	for (uint32_t o = 0; bits_next(set, &o); o++)
		flag_object(p, o, MEMBER_ANY);
}

static void flag_writes(struct points_to *p, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
		if (LLVMGetVolatile(i))
			flag_volatile(p, i);
		else
			points_to_flag_written(p, i, LLVMGetOperand(i, 1), member_of(&p->members, i));
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		points_to_flag_written(p, i, LLVMGetOperand(i, 0), member_of(&p->members, i));
		break;
	case LLVMAlloca:
		if (is_given_up(p, i))
			flag_object(p, map_get(&p->object, i), MEMBER_ANY);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		points_to_flag_call(p, i);
		break;
	default:
		break;
	}
}

struct cloning {
	struct points_to *p;
	uint32_t of;
};

/* What is written of an object is written of its clones. */
static void flag_clone(void *data, uint32_t clone)
{
	struct cloning *c = data;
	struct points_to *p = c->p;
	bool changed = p->flags[c->of] & WRITTEN && flag_object(p, clone, MEMBER_ANY);
	for (uint32_t w = p->first_written[c->of]; w; w = p->written[w - 1].next)
		changed |= flag_object(p, clone, p->written[w - 1].member);
	if (changed)
		points_to_each_clone(p, clone, flag_clone, &(struct cloning){p, clone});
}

void points_to_find_written(struct points_to *p, LLVMModuleRef m)
{
	p->first_written = pass_alloc(p->nflags, sizeof *p->first_written);
	for (uint32_t o = 0; o < p->nflags; o++)
		if (inclusion_flags(p->in, o) & OBJECT_OUTSIDE || bits_has(&p->areas, o))
			p->flags[o] |= WRITTEN;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				flag_writes(p, i);
	for (uint32_t o = 0; o < p->nflags; o++)
		points_to_each_clone(p, o, flag_clone, &(struct cloning){p, o});
	for (uint32_t o = 0; o < p->nflags; o++)
		if (p->flags[o] & SHARED && (p->flags[o] & WRITTEN || p->first_written[o]))
			bits_add(&p->shared, o);
}

/* ---------------------------------------------------------------- calls ----------------------- */

bool points_to_leaves_alone(LLVMValueRef call, unsigned i)
{
	LLVMValueRef callee = direct_callee(call);
	static const char *const kinds[] = {
		"_ZNSt6thread6_StateD", "pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_spin_", "pthread_barrier_", "sem_", "mtx_", "cnd_", "_ZNSt18condition_variable",
	};
	static const char *const waits[] = {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"};
	if (!callee)
		return false;
	if (points_to_starts_state(call))
		return i == 1;
	if (points_to_thread_start(call))
		return i == points_to_thread_start(call) + 1;
	if (i)
		return i == 1 && IS_NAMED(callee, waits);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (name_begins(callee, kinds[k]))
			return true;
	return false;
}

static void flag_outside_call(struct points_to *p, LLVMValueRef call)
{
	if (llvm_is_reallocation(p->sharing->library, call))
		points_to_flag_written(p, call, call, MEMBER_ANY);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && !llvm_argument_only_read(call, i) && !points_to_leaves_alone(call, i))
			points_to_flag_written(p, call, v, MEMBER_ANY);
	}
}

static void ignore(void *data, LLVMValueRef function)
{
	(void)data;
	(void)function;
}

void points_to_flag_call(struct points_to *p, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call), accessed[2];
	if (!callee || !is_intrinsic(callee)) {
		/* Calls of functions of the module write what these write. */
		bool inside = callee ? is_instrumented(callee) : !LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && points_to_callees(p, call, ignore, NULL);
		if (!inside)
			flag_outside_call(p, call);
	} else if (name_begins(callee, "llvm.memcpy.") || name_begins(callee, "llvm.memmove.") || name_begins(callee, "llvm.memset.")) {
		points_to_flag_written(p, call, LLVMGetOperand(call, 0), MEMBER_ANY);
	} else if (name_begins(callee, "llvm.lifetime.")) { /* others may have its place before and after */
		points_to_flag_written(p, call, LLVMGetOperand(call, 1), MEMBER_ANY);
	} else if (name_begins(callee, "llvm.va_") || accessed_pointers(call, accessed)) {
		for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
			if (points_to_node(p, LLVMGetOperand(call, i)) && !is_number(LLVMTypeOf(LLVMGetOperand(call, i))))
				points_to_flag_written(p, call, LLVMGetOperand(call, i), MEMBER_ANY);
	}
}

/* ---------------------------------------------------------------- answers --------------------- */

bool points_to_is_own(const struct points_to *p, uint32_t object)
{
	return !bits_has(&p->shared, object);
}

bool points_to_has_own(const struct points_to *p, uint32_t object)
{
	return (p->flags[object] & (SHARED | WRITTEN)) != (SHARED | WRITTEN);
}

static bool is_member_own(const struct points_to *p, uint32_t object, uint32_t member)
{
	if (points_to_is_own(p, object))
		return true;
	if (member == MEMBER_ANY || p->flags[object] & WRITTEN)
		return false;
	for (uint32_t w = p->first_written[object]; w; w = p->written[w - 1].next)
		if (members_are_alike(&p->members, p->written[w - 1].member, member))
			return false;
	return true;
}

bool points_to_own(const struct points_to *p, LLVMValueRef pointer, uint32_t member)
{
	const struct bits *set = points_to_all(p, pointer);
	if (!set || !bits_intersect(set, &p->shared))
		return set;
	if (member == MEMBER_ANY)
		return false;
	for (uint32_t o = 0; bits_next(set, &o); o++)
		if (!is_member_own(p, o, member))
			return false;
	return true;
}
