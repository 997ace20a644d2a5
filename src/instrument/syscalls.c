/*
 * System calls that a program makes itself, by syscall(). The runtime makes its own the same way, so the function cannot be
 * interposed as others are: calls in the module are turned to functions of inputs.def instead. Futexes above all, of which
 * std::atomic's wait, std::latch and hand-written locks are made. What they wait for is an access of its own, so a wait is an
 * input that comes back some time.
 */
#include "instrument/pass.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>

static bool constant_operand(LLVMValueRef call, unsigned n, long *value)
{
	LLVMValueRef v = n < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, n) : NULL;
	if (!v || !LLVMIsAConstantInt(v))
		return false;
	*value = (long)LLVMConstIntGetSExtValue(v);
	return true;
}

static const char *futex_function(LLVMValueRef call)
{
	long operation;
	if (!constant_operand(call, 2, &operation))
		return "rethread_futex_wait";
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return "rethread_futex_wake";
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return "rethread_futex_wait";
	default:
		return NULL;
	}
}

/* NULL: the call stays what it is. */
static const char *function_for(LLVMValueRef call)
{
	long number;
	if (!constant_operand(call, 0, &number))
		return NULL;
	switch (number) {
	case SYS_futex:
		return futex_function(call);
	case SYS_gettid:
	case SYS_getpid:
	case SYS_getppid:
	case SYS_getrandom:
	case SYS_close:
	case SYS_getcpu:
	case SYS_clock_gettime:
	case SYS_getdents64:
	case SYS_mbind:
	case SYS_set_mempolicy:
	case SYS_membarrier:
	case SYS_ioprio_get:
	case SYS_ioprio_set:
	case SYS_sched_setattr:
	case SYS_sched_setaffinity:
	case SYS_memfd_create:
	case SYS_pidfd_open:
	case SYS_perf_event_open:
		return "rethread_syscall";
	default:
		return NULL;
	}
}

static void turn_to(LLVMModuleRef m, LLVMValueRef call, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, name);
	if (!f)
		f = LLVMAddFunction(m, name, LLVMGetCalledFunctionType(call));
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, f); /* the callee is the last operand */
}

void syscalls_turn(LLVMModuleRef m)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, "syscall");
	struct values calls = {0};
	if (!f || !LLVMIsDeclaration(f))
		return;
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAInstruction(user) && is_call(user) && direct_callee(user) == f)
			values_push(&calls, user);
	}
	for (size_t i = 0; i < calls.n; i++) {
		const char *name = function_for(calls.at[i]);
		if (name)
			turn_to(m, calls.at[i], name);
	}
	values_free(&calls);
}
