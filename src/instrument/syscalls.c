/*
 * System calls that a program makes itself, by syscall(). The runtime makes its own the same way, so the function cannot be
 * interposed as others are: calls in the module are turned to functions of inputs.def instead. Futexes above all, of which
 * std::atomic's wait, std::latch and hand-written locks are made. What they wait for is an access of its own, so a wait is an
 * input that comes back some time. Those that the C library has a function for, which passes its parameters on as they are, become calls of that: what it does
 * to memory, and that what is mapped has to lie where it lay, is known by its name.
 */
#include "instrument/pass.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
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

/* Those that bring in a number, or what input_syscall_size tells, and change nothing in the program's memory besides. */
static const long inputs[] = {
	SYS_gettid, SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getpgid, SYS_getsid,
	SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_capset, SYS_umask,
	SYS_getrandom, SYS_getcpu, SYS_clock_gettime, SYS_getdents64, SYS_memfd_create, SYS_pidfd_open, SYS_perf_event_open,
#ifdef SYS_eventfd /* newer machines have the second one only */
	SYS_eventfd, SYS_epoll_create, SYS_inotify_init, SYS_dup2,
#endif
	SYS_eventfd2, SYS_epoll_create1, SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_timerfd_create,
	SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_flock, SYS_fsync, SYS_fdatasync, SYS_syncfs, SYS_sync_file_range,
	SYS_fallocate, SYS_renameat2,
	SYS_mbind, SYS_set_mempolicy, SYS_mlock2, SYS_membarrier, SYS_ioprio_get, SYS_ioprio_set, SYS_getpriority,
	SYS_setpriority, SYS_seccomp, SYS_sched_yield, SYS_sched_setattr, SYS_sched_setaffinity, SYS_sched_setscheduler,
};

/* NULL: the call stays what it is. */
static const char *function_for(LLVMValueRef call)
{
	long number;
	if (!constant_operand(call, 0, &number))
		return NULL;
	if (number == SYS_futex)
		return futex_function(call);
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		if (inputs[i] == number)
			return "rethread_syscall";
	return NULL;
}

/* A function of the C library's, and what it takes and returns: pointer, size or offset, number of 32 bits. */
struct same_function {
	long number;
	const char *name, *takes;
	char returns;
};

static const struct same_function same[] = {
	{SYS_mmap, "mmap", "psiiis", 'p'},     {SYS_munmap, "munmap", "ps", 'i'}, {SYS_mprotect, "mprotect", "psi", 'i'},
	{SYS_madvise, "madvise", "psi", 'i'},  {SYS_read, "read", "ips", 's'},    {SYS_write, "write", "ips", 's'},
	{SYS_tgkill, "tgkill", "iii", 'i'},    {SYS_kill, "kill", "ii", 'i'},     {SYS_lseek, "lseek", "isi", 's'},
	{SYS_prctl, "prctl", "issss", 'i'},
};

static const struct same_function *same_as(LLVMModuleRef m, LLVMValueRef call)
{
	long number;
	if (!LLVMIsACallInst(call) || !constant_operand(call, 0, &number))
		return NULL;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		if (same[i].number != number || LLVMGetNumArgOperands(call) < 1 + strlen(same[i].takes))
			continue;
		/* The program's own function of that name may be what makes the call. */
		LLVMValueRef f = LLVMGetNamedFunction(m, same[i].name);
		return f && !LLVMIsDeclaration(f) ? NULL : &same[i];
	}
	return NULL;
}

static LLVMTypeRef type_of_letter(LLVMContextRef c, char letter)
{
	return letter == 'p' ? LLVMPointerTypeInContext(c, 0) : letter == 's' ? LLVMInt64TypeInContext(c) : LLVMInt32TypeInContext(c);
}

static LLVMValueRef converted(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef to)
{
	LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(v)), kind = LLVMGetTypeKind(to);
	if (from == LLVMPointerTypeKind)
		return kind == LLVMPointerTypeKind ? v : LLVMBuildPtrToInt(b, v, to, "");
	return kind == LLVMPointerTypeKind ? LLVMBuildIntToPtr(b, v, to, "") : LLVMBuildIntCast2(b, v, to, true, "");
}

static void become(LLVMModuleRef m, LLVMValueRef call, const struct same_function *s)
{
	LLVMContextRef c = LLVMGetModuleContext(m);
	LLVMTypeRef types[6];
	LLVMValueRef args[6];
	unsigned n = (unsigned)strlen(s->takes);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMPositionBuilderBefore(b, call);
	for (unsigned i = 0; i < n; i++) {
		types[i] = type_of_letter(c, s->takes[i]);
		args[i] = converted(b, LLVMGetOperand(call, i + 1), types[i]);
	}
	LLVMTypeRef type = LLVMFunctionType(type_of_letter(c, s->returns), types, n, false);
	LLVMValueRef f = LLVMGetNamedFunction(m, s->name);
	LLVMValueRef result = LLVMBuildCall2(b, type, f ? f : LLVMAddFunction(m, s->name, type), args, n, "");
	LLVMReplaceAllUsesWith(call, converted(b, result, LLVMTypeOf(call)));
	LLVMInstructionEraseFromParent(call);
	LLVMDisposeBuilder(b);
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
		const struct same_function *s = same_as(m, calls.at[i]);
		const char *name = s ? NULL : function_for(calls.at[i]);
		if (s)
			become(m, calls.at[i], s);
		else if (name)
			turn_to(m, calls.at[i], name);
	}
	values_free(&calls);
}
