/*
 * Which reads may race with a write: one of the same memory, as far as points-to classes, objects, types and named
 * variables tell, while there are several threads, where not both hold a lock. See addresses.h.
 */
#include "instrument/addresses.h"

#include "instrument/access.h"
#include "instrument/parallel.h"
#include "instrument/pointsto.h"
#include "instrument/shared.h"

#include <stdlib.h>

struct may_race {
	struct sharing *sharing;
	struct parallel *parallel;
	struct locked *locked;
	struct map first; /* class: its first write in `writes`, + 1 */
	/* All writes of which the same is known. */
	struct write {
		struct access access;
		bool anywhere;     /* not all objects are known */
		struct bits objects, originals;
		uint32_t next; /* of the same class, + 1 */
	} *writes;
	size_t nwrites, cap;
};

static struct access describe(struct may_race *r, LLVMValueRef i, LLVMValueRef pointer, LLVMTypeRef type)
{
	struct access a = access_describe(r->sharing, i, pointer, type);
	a.locked = locked_is(r->locked, i, !LLVMIsALoadInst(i));
	return a;
}

/* What is known of the access so far, of this one or one like it. */
static struct write *write_like(struct may_race *r, const struct access *a)
{
	uint32_t first = map_get(&r->first, (const void *)(uintptr_t)(a->class + 1));
	for (uint32_t w = first; w; w = r->writes[w - 1].next)
		if (access_same(&r->writes[w - 1].access, a))
			return &r->writes[w - 1];
	if (r->nwrites == r->cap)
		r->writes = pass_grow(r->writes, &r->cap, sizeof *r->writes);
	r->writes[r->nwrites++] = (struct write){.access = *a, .next = first};
	map_set(&r->first, (const void *)(uintptr_t)(a->class + 1), (uint32_t)r->nwrites);
	return &r->writes[r->nwrites - 1];
}

static void add_write(struct may_race *r, const struct access *a, LLVMValueRef pointer)
{
	struct write *w = write_like(r, a);
	const struct bits *objects = points_to_all(r->sharing->points_to, pointer);
	w->anywhere |= !objects;
	if (objects && bits_unite(&w->objects, objects))
		points_to_originals(r->sharing->points_to, objects, &w->originals);
}

/* Does the write go to other objects than these? */
static bool is_elsewhere(const struct write *w, const struct bits *objects, const struct bits *originals)
{
	return objects && !w->anywhere && !bits_intersect(objects, &w->objects) && !bits_intersect(originals, &w->objects) &&
	       !bits_intersect(objects, &w->originals);
}

static bool is_constant(LLVMValueRef pointer)
{
	LLVMValueRef object = address_base(pointer);
	return LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object);
}

/*
 * A function from outside may write through its arguments. Those of the C library that LLVM knows write bytes, not
 * pointers; those of the C++ runtime, of its threads and condition variables, and those that do not return, write
 * nothing of the program's.
 */
static void add_outside_writes(struct may_race *r, LLVMValueRef call, LLVMValueRef callee)
{
	if (llvm_library_knows(r->sharing->library, callee) || llvm_only_reads(call) || llvm_does_not_return(call) ||
	    name_begins(callee, "__cxa_") || name_begins(callee, "_ZNSt6thread") ||
	    name_begins(callee, "_ZNSt18condition_variable"))
		return;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || llvm_argument_only_read(call, i) ||
		    is_constant(v))
			continue;
		struct access a = describe(r, call, v, NULL);
		add_write(r, &a, v);
	}
}

static void add_writes(struct may_race *r, const struct map *interposed, LLVMValueRef i)
{
	struct access a;
	LLVMValueRef callee, pointer;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
		pointer = LLVMGetOperand(i, 1);
		a = describe(r, i, pointer, LLVMTypeOf(LLVMGetOperand(i, 0)));
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		pointer = LLVMGetOperand(i, 0);
		a = describe(r, i, pointer, LLVMTypeOf(LLVMGetOperand(i, 1)));
		break;
	case LLVMCall:
	case LLVMInvoke:
		callee = direct_callee(i);
		if (callee && !is_intrinsic(callee) && !is_instrumented(callee) && !map_get(interposed, callee))
			add_outside_writes(r, i, callee);
		if (!callee || !name_begins(callee, "llvm.mem"))
			return;
		pointer = LLVMGetOperand(i, 0);
		a = describe(r, i, pointer, NULL);
		/* Where memory is cleared it mostly is about to be used for the first time. */
		if (name_begins(callee, "llvm.memset") && !a.object)
			return;
		break;
	default:
		return;
	}
	if (!llvm_is_new_at(r->sharing->library, pointer, i))
		add_write(r, &a, pointer);
}

struct may_race *may_race_analyze(LLVMModuleRef m, struct sharing *sharing, const struct map *interposed)
{
	struct may_race *r = pass_alloc(1, sizeof *r);
	*r = (struct may_race){
		.sharing = sharing,
		.parallel = parallel_analyze(m, NULL),
		.locked = locked_analyze(m),
	};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (parallel_is(r->parallel, i))
					add_writes(r, interposed, i);
	}
	return r;
}

enum race may_race_with(struct may_race *r, LLVMValueRef read, LLVMTypeRef type)
{
	enum race race = RACE_NONE;
	LLVMValueRef pointer = LLVMGetOperand(read, 0);
	struct access a = describe(r, read, pointer, type);
	if (!parallel_is(r->parallel, read) || access_is_vtable(&a) || !sharing_access_may_be_shared(r->sharing, read, pointer))
		return RACE_NONE;
	const struct bits *objects = points_to_all(r->sharing->points_to, pointer);
	struct bits originals = {0};
	if (objects)
		points_to_originals(r->sharing->points_to, objects, &originals);
	for (uint32_t n = map_get(&r->first, (const void *)(uintptr_t)(a.class + 1)); n && race != RACE_FREE;) {
		const struct write *w = &r->writes[n - 1];
		bool locked = a.locked && w->access.locked;
		if (!(locked && race == RACE_LOCKED) && access_may_alias(&a, &w->access) && !is_elsewhere(w, objects, &originals))
			race = locked ? RACE_LOCKED : RACE_FREE;
		n = w->next;
	}
	bits_free(&originals);
	return race;
}

void may_race_free(struct may_race *r)
{
	parallel_free(r->parallel);
	locked_free(r->locked);
	map_free(&r->first);
	for (size_t i = 0; i < r->nwrites; i++) {
		bits_free(&r->writes[i].objects);
		bits_free(&r->writes[i].originals);
	}
	free(r->writes);
	free(r);
}
