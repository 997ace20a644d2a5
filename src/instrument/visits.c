#include "instrument/visits.h"

#include <stdlib.h>

struct visits {
	struct instruction {
		LLVMValueRef value;
		uint32_t next_call; /* of the same function; + 1 */
		uint32_t changes;   /* changes_for, before the last visit */
		bool due, quiet, by_memory, by_address;
	} *at; /* in the module's order */
	size_t n, cap;
	struct function {
		LLVMValueRef value;
		size_t first, end; /* of its instructions */
	} *functions;
	size_t nfunctions, functions_cap;
	struct map place; /* instruction: in `at`, + 1 */
	struct map calls; /* function: the last call of it, in `at`, + 1 */
	uint32_t changes; /* of memory */
	uint32_t results; /* of functions that became unknown */
	bool changed;
};

/* ---------------------------------------------------------------- what there is --------------- */

/* Does what is known of it depend on memory? Whether pointers are comparable does. */
static bool depends_on_memory(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore: /* whether it copies pointers */
		return LLVMIsALoadInst(LLVMGetOperand(i, 0));
	case LLVMLoad:
	case LLVMSub:
	case LLVMICmp:
		return true;
	default: /* of calls only those that are not the module's, but it takes as long to ask */
		return is_call(i);
	}
}

static void add_call(struct visits *v, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	struct instruction *i = &v->at[v->n - 1];
	i->by_address = !callee && !LLVMIsAInlineAsm(LLVMGetCalledValue(call));
	if (!callee || !is_instrumented(callee))
		return;
	i->next_call = map_get(&v->calls, callee);
	map_set(&v->calls, callee, (uint32_t)v->n);
}

static void add(struct visits *v, LLVMValueRef i, bool quiet)
{
	if (v->n == v->cap)
		v->at = pass_grow(v->at, &v->cap, sizeof *v->at);
	v->at[v->n++] = (struct instruction){.value = i, .quiet = quiet, .by_memory = !quiet && depends_on_memory(i)};
	map_set(&v->place, i, (uint32_t)v->n);
	if (is_call(i))
		add_call(v, i);
}

struct visits *visits_new(LLVMModuleRef m, bool (*is_quiet)(void *, LLVMValueRef), void *data)
{
	struct visits *v = pass_alloc(1, sizeof *v);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		if (v->nfunctions == v->functions_cap)
			v->functions = pass_grow(v->functions, &v->functions_cap, sizeof *v->functions);
		size_t first = v->n;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				add(v, i, is_quiet(data, i));
		v->functions[v->nfunctions++] = (struct function){f, first, v->n};
	}
	return v;
}

void visits_free(struct visits *v)
{
	map_free(&v->place);
	map_free(&v->calls);
	free(v->at);
	free(v->functions);
	free(v);
}

/* ---------------------------------------------------------------- what is due ----------------- */

void visits_begin(struct visits *v)
{
	for (size_t i = 0; i < v->n; i++)
		v->at[i].due = !v->at[i].quiet;
}

static void visit_users(struct visits *v, LLVMValueRef value)
{
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		uint32_t place = map_get(&v->place, user);
		if (!place)
			continue;
		v->at[place - 1].due = true;
		/* The number of a pointer is unknown from the start; differences of such, and what lies that far from somewhere, ask for the pointer. */
		LLVMOpcode op = LLVMGetInstructionOpcode(user);
		bool shifted = op == LLVMAdd && LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)); /* (p - 8) - q */
		bool number = LLVMIsAPtrToIntInst(value) || (LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd);
		if (op == LLVMPtrToInt || (LLVMIsAPtrToIntInst(value) && shifted) || (number && op == LLVMSub))
			visit_users(v, user);
	}
}

void visits_value(struct visits *v, LLVMValueRef value)
{
	v->changed = true;
	if (!LLVMIsAFunction(value)) {
		visit_users(v, value);
		return;
	}
	v->results++;
	for (uint32_t c = map_get(&v->calls, value); c; c = v->at[c - 1].next_call)
		v->at[c - 1].due = true;
}

void visits_memory(struct visits *v)
{
	v->changed = true;
	v->changes++;
}

/* A number that stays the same as long as nothing changes that no use tells of. Calls by address depend on results of any function. */
static uint32_t changes_for(const struct visits *v, const struct instruction *i)
{
	return i->by_address ? v->changes + v->results : i->by_memory ? v->changes : 0;
}

bool visits_go(struct visits *v, void (*visit)(void *, LLVMValueRef, LLVMValueRef), void *data)
{
	bool any = false;
	for (struct function *f = v->functions; f < v->functions + v->nfunctions; f++) {
		do {
			v->changed = false;
			for (struct instruction *i = v->at + f->first; i < v->at + f->end; i++) {
				uint32_t changes = changes_for(v, i);
				if (!i->due && i->changes == changes)
					continue;
				i->due = false;
				i->changes = changes;
				visit(data, f->value, i->value);
			}
			any |= v->changed;
		} while (v->changed);
	}
	return any;
}

bool visits_go_through(struct visits *v, void (*visit)(void *, LLVMValueRef, LLVMValueRef), void *data)
{
	v->changed = false;
	for (struct function *f = v->functions; f < v->functions + v->nfunctions; f++)
		for (size_t i = f->first; i < f->end; i++)
			visit(data, f->value, v->at[i].value);
	return v->changed;
}
