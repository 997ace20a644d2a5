/* What calls do to memory, parameters and results, for recompute.c: of functions of the module, of the tables (exact.h, given.h), and of others. */
#include "instrument/exact.h"
#include "instrument/given.h"
#include "instrument/recompute_state.h"

#include <string.h>

void recompute_visit_arguments(struct recompute *r, LLVMValueRef call)
{
	if (map_get(&r->flagged, call))
		return;
	map_set(&r->flagged, call, 1);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (class_of(r->sharing, v) && !llvm_argument_only_read(call, i) && !points_to_leaves_alone(call, i))
			recompute_flag(r, anywhere(v), CLASS_UNKNOWN, cause_add(&r->causes, WHY_WRITTEN, call));
	}
}

/* May an address be in what is written there? Of shared memory more is known than what is unknown. */
static bool may_send_addresses(const struct recompute *r, LLVMValueRef pointer)
{
	const struct bits *objects = points_to_all(r->sharing->points_to, pointer);
	if (recompute_may_hold_pointers(r, anywhere(pointer)))
		return true;
	for (uint32_t o = 0; objects && bits_next(objects, &o); o++)
		if (points_to_holds(r->sharing->points_to, o, !points_to_is_own(r->sharing->points_to, o)))
			return true;
	return false;
}

/* What an input brings is in the log. Returns whether the result is. */
static bool visit_input(struct recompute *r, LLVMValueRef call, uint32_t line)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (!r->sends_addresses && given_notes(line, call, i) && may_send_addresses(r, v)) {
			r->sends_addresses = true;
			visits_memory(r->visits);
		}
		if (!class_of(r->sharing, v) || llvm_argument_only_read(call, i))
			continue;
		enum given_memory memory = given_memory(line, call, i);
		if (memory == GIVEN_UNKNOWN || (memory == GIVEN_HEARD && r->sends_addresses))
			recompute_flag(r, anywhere(v), CLASS_UNKNOWN, cause_add(&r->causes, WHY_WRITTEN, call));
		else if (!recompute_is_known(r, v))
			recompute_flag(r, anywhere(v), CLASS_UNKNOWN, recompute_cause_of(r, v));
	}
	return given_result(line);
}

static bool are_arguments_known(const struct recompute *r, LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (!recompute_is_known(r, LLVMGetOperand(call, i)))
			return false;
	return true;
}

/* The three below return whether the result is known. */
static bool visit_intrinsic(struct recompute *r, LLVMValueRef call, LLVMValueRef callee)
{
	if (name_begins(callee, "llvm.memcpy.") || name_begins(callee, "llvm.memmove."))
		recompute_visit_copy(r, call);
	else if (name_begins(callee, "llvm.memset."))
		recompute_visit_fill(r, call);
	else if (exact_intrinsic(callee))
		return are_arguments_known(r, call) && !llvm_is_relaxed_float(call);
	else if (!name_begins(callee, "llvm.lifetime.") && !llvm_call_without_memory(call))
		recompute_visit_arguments(r, call);
	return false;
}

static bool visit_inside(struct recompute *r, LLVMValueRef call, LLVMValueRef callee)
{
	unsigned fixed = LLVMCountParams(callee);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < fixed; i++)
		if (!recompute_is_known(r, LLVMGetOperand(call, i)))
			recompute_make_unknown(r, LLVMGetParam(callee, i), recompute_cause_of(r, LLVMGetOperand(call, i)));
	return !map_get(&r->unknown, callee);
}

/* Characters, and no structures, which are compared as a whole: of a size that is known. */
static bool reads_text(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return (!name_begins(callee, "memcmp") && !name_begins(callee, "bcmp")) || !LLVMIsAConstantInt(LLVMGetOperand(call, 2));
}

static bool reads_known(const struct recompute *r, LLVMValueRef call)
{
	uint32_t member = reads_text(call) ? MEMBER_BYTES : MEMBER_ANY;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		struct place at = {LLVMGetOperand(call, i), member};
		if (is_pointer_type(LLVMTypeOf(at.pointer)) && (!recompute_are_contents_known(r, at) || recompute_may_hold_pointers(r, at)))
			return false;
	}
	return are_arguments_known(r, call);
}

/* What a call that writes text makes it of, besides parameter `to`: the cause of the first that is not known; 0: all is. */
static uint32_t cause_of_text(struct recompute *r, LLVMValueRef call, unsigned to)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		struct place at = {LLVMGetOperand(call, i), MEMBER_BYTES};
		if (!recompute_is_known(r, at.pointer))
			return recompute_cause_of(r, at.pointer);
		if (i == to || !is_pointer_type(LLVMTypeOf(at.pointer)))
			continue;
		if (!recompute_are_contents_known(r, at))
			return recompute_cause_of_contents(r, at, call);
		if (recompute_may_hold_pointers(r, at))
			return cause_add(&r->causes, WHY_WRITTEN, call);
	}
	return 0;
}

static bool visit_writer(struct recompute *r, LLVMValueRef call, unsigned to)
{
	uint32_t cause = cause_of_text(r, call, to);
	if (cause)
		recompute_flag_once(r, call, anywhere(LLVMGetOperand(call, to)), CLASS_UNKNOWN, cause);
	return !cause;
}

/* Allocates, and copies text there. */
static bool is_duplicate(LLVMValueRef callee)
{
	size_t length;
	return strstr(LLVMGetValueName2(callee, &length), "dup") != NULL;
}

static bool visit_outside(struct recompute *r, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	uint32_t input = callee ? map_get(&r->inputs, callee) : 0;
	if (input)
		return visit_input(r, call, input);
	if (callee && exact_reader(call))
		return reads_known(r, call);
	if (callee && exact_function(callee))
		return are_arguments_known(r, call);
	unsigned to;
	if (callee && exact_writer(call, &to))
		return visit_writer(r, call, to);
	if (llvm_is_deallocation(r->sharing->library, call))
		return false;
	/* A block that grows keeps what is in it; the pointer may be another one. */
	if (llvm_is_reallocation(r->sharing->library, call)) {
		recompute_flag(r, anywhere(call), CLASS_MOVES, 0);
		return are_arguments_known(r, call);
	}
	recompute_visit_arguments(r, call);
	if (!llvm_is_allocation(r->sharing->library, call))
		return false;
	if (callee && is_duplicate(callee) && !reads_known(r, call))
		recompute_flag(r, anywhere(call), CLASS_UNKNOWN, cause_add(&r->causes, WHY_WRITTEN, call));
	/* A new object: the pointer is known as such. What is in it nobody may read before writing it. */
	return true;
}

struct by_address {
	struct recompute *r;
	LLVMValueRef call;
	bool any, unknown; /* results */
};

static void visit_one(void *data, LLVMValueRef function)
{
	struct by_address *b = data;
	b->any = true;
	if (LLVMGlobalGetValueType(function) == LLVMGetCalledFunctionType(b->call)) {
		b->unknown |= !visit_inside(b->r, b->call, function);
		return;
	}
	b->unknown = true;
	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		LLVMValueRef p = LLVMGetParam(function, i), v = i < LLVMGetNumArgOperands(b->call) ? LLVMGetOperand(b->call, i) : NULL;
		if (!v || LLVMTypeOf(v) != LLVMTypeOf(p))
			recompute_make_unknown(b->r, p, cause_add(&b->r->causes, WHY_PARAMETER, p));
		else if (!recompute_is_known(b->r, v))
			recompute_make_unknown(b->r, p, recompute_cause_of(b->r, v));
	}
}

struct started {
	struct recompute *r;
	LLVMValueRef argument, call;
};

static void visit_started(void *data, LLVMValueRef function)
{
	struct started *s = data;
	if (LLVMCountParams(function))
		recompute_make_unknown(s->r, LLVMGetParam(function, 0), recompute_cause_of(s->r, s->argument));
}

/* A thread is given what its creator knows, and so is a destructor that is registered for the end. */
static void visit_start(struct recompute *r, LLVMValueRef call, unsigned start)
{
	struct started s = {.r = r, .argument = LLVMGetOperand(call, start + 1)};
	if (!recompute_is_known(r, s.argument))
		points_to_functions(r->sharing->points_to, LLVMGetOperand(call, start), visit_started, &s);
}

static void visit_state(void *data, LLVMValueRef function)
{
	struct started *s = data;
	if (LLVMCountParams(function))
		recompute_make_unknown(s->r, LLVMGetParam(function, 0), recompute_cause_of_contents(s->r, anywhere(s->argument), s->call));
}

/* So is a std::thread, whose state it is that it finds. */
static void visit_state_start(struct recompute *r, LLVMValueRef call)
{
	struct started s = {.r = r, .argument = LLVMGetOperand(call, 1), .call = call};
	if (!recompute_is_known(r, s.argument) || !recompute_are_contents_known(r, anywhere(s.argument)))
		points_to_states(r->sharing->points_to, call, visit_state, &s);
}

static bool visit_by_address(struct recompute *r, LLVMValueRef call)
{
	struct by_address b = {.r = r, .call = call};
	bool inside = points_to_callees(r->sharing->points_to, call, visit_one, &b);
	if (!inside)
		recompute_visit_arguments(r, call);
	return inside && b.any && !b.unknown && recompute_is_known(r, LLVMGetCalledValue(call));
}

bool recompute_visit_call(struct recompute *r, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (callee && is_intrinsic(callee))
		return visit_intrinsic(r, call, callee);
	if (callee && is_instrumented(callee))
		return visit_inside(r, call, callee);
	if (callee && points_to_thread_start(call))
		visit_start(r, call, points_to_thread_start(call));
	if (points_to_starts_state(call))
		visit_state_start(r, call);
	if (callee && points_to_registers(call)) {
		visit_start(r, call, 0);
		return false;
	}
	if (callee || LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return visit_outside(r, call);
	return visit_by_address(r, call);
}
