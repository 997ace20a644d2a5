#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/failure.h"

#include "rt/clock.h"
#include "rt/image.h"
#include "rt/real.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define STACK_SIZE (64u << 10)

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ};
#define NFATAL (sizeof fatal / sizeof *fatal)

static struct {
	bool installed;
	struct rt_failure *where; /* NULL: nowhere to write it */
	uint32_t (*current_thread)(void);
	void (*on_failure)(void);
	struct sigaction wanted[NFATAL]; /* what the target believes to be installed */
	const struct rt_handler_hooks *hooks; /* or NULL */
	uint32_t *ask_signal;                 /* what the tool is told, or NULL */
	void (*asked)(const void *context);
} state;

/* Of the fatal ones the least used. */
#define ASK_SIGNAL SIGSYS

static __thread void *alternate __attribute__((tls_model("initial-exec")));
/* Out of a backtrace that faults itself, while the thread makes one. */
static __thread sigjmp_buf *guard __attribute__((tls_model("initial-exec")));

/* ------------------------------------------------------------------ backtrace --------------- */

/* A backtrace under construction: of the failure, or of another thread then. */
struct frames {
	uint32_t *n;
	uint64_t *at;
};

struct walk {
	const struct frames *frames;
	uint64_t from;
	bool started;
};

static void add_frame(const struct frames *f, uint64_t address)
{
	f->at[*f->n] = rt_image_relative(address);
	/* Counted after it is there: the process may die here. */
	__atomic_store_n(f->n, *f->n + 1, __ATOMIC_RELEASE);
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
	struct walk *w = data;
	int exact = 0;
	uint64_t ip = _Unwind_GetIPInfo(context, &exact);

	/* The first frame is known beforehand and already added. */
	if (!w->started) {
		w->started = ip == w->from;
		return _URC_NO_REASON;
	}
	if (!ip || *w->frames->n >= RT_FRAMES)
		return _URC_END_OF_STACK;
	add_frame(w->frames, ip);
	return _URC_NO_REASON;
}

static void set_fault_signals(int how)
{
	uint64_t set = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);

	syscall(SYS_rt_sigprocmask, how, &set, NULL, sizeof set);
}

static void walk_stack(const struct frames *f, uint64_t from)
{
	struct walk w = {f, from, false};

	_Unwind_Backtrace(visit, &w);
}

/* A call of a wild pointer, which the unwinder knows nothing about, has its return address on top
 * of the stack. */
static void read_caller(const struct frames *f, uint64_t sp)
{
	if (*f->n == 1 && sp)
		add_frame(f, *(const uint64_t *)sp);
}

/* A damaged stack may make either of these fault: that ends it, not the capture. */
static void guarded(void (*collect)(const struct frames *, uint64_t), const struct frames *f,
		    uint64_t at)
{
	sigjmp_buf here;

	if (!sigsetjmp(here, 1)) {
		guard = &here;
		set_fault_signals(SIG_UNBLOCK);
		collect(f, at);
		set_fault_signals(SIG_BLOCK);
	}
	guard = NULL;
}

/* sp is the stack pointer where the fault was, or 0. */
static void backtrace_from(uint32_t *nframes, uint64_t *frames, uint64_t from, uint64_t sp)
{
	struct frames f = {nframes, frames};

	add_frame(&f, from);
	guarded(walk_stack, &f, from);
	guarded(read_caller, &f, sp);
}

static _Unwind_Reason_Code visit_nothing(struct _Unwind_Context *context, void *data)
{
	(void)context;
	(void)data;
	return _URC_NO_REASON;
}

/* ------------------------------------------------------------------ capturing --------------- */

static bool claim(uint32_t kind, int signal)
{
	struct rt_failure *f = state.where;
	uint32_t none = 0;

	if (!f || !__atomic_compare_exchange_n(&f->state, &none, 1, false, __ATOMIC_ACQ_REL,
					       __ATOMIC_ACQUIRE))
		return false;
	f->time = rt_clock();
	f->thread = state.current_thread();
	f->signal = signal;
	__atomic_store_n(&f->kind, kind, __ATOMIC_RELEASE);
	return true;
}

static void complete(void)
{
	__atomic_store_n(&state.where->state, 2, __ATOMIC_RELEASE);
	state.on_failure();
}

void rt_failure_backtrace_from(uint32_t *nframes, uint64_t *frames, const void *from)
{
	uint64_t before;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &before, sizeof before);
	backtrace_from(nframes, frames, (uint64_t)from, 0);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

bool rt_failure_report(uint32_t kind, int signal, const char *message, const void *from)
{
	if (!claim(kind, signal))
		return false;
	strncpy(state.where->message, message, RT_MESSAGE_SIZE - 1);
	rt_failure_backtrace_from(&state.where->nframes, state.where->frames,
				  from ? from : __builtin_return_address(0));
	complete();
	return true;
}

static void stop_point(const void *context, uint64_t *ip, uint64_t *sp)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	*ip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	*sp = (uint64_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	*ip = u->uc_mcontext.pc;
	*sp = 0;
#endif
}

void rt_failure_backtrace(uint32_t *nframes, uint64_t *frames, const void *context)
{
	uint64_t ip, sp;

	stop_point(context, &ip, &sp);
	backtrace_from(nframes, frames, ip, 0);
}

/* Another thread is writing; let it finish, it will end the process. */
static void wait_for_writer(void)
{
	struct timespec ms = {0, 1000000};

	for (int i = 0;
	     i < 1000 && state.where && __atomic_load_n(&state.where->state, __ATOMIC_ACQUIRE) == 1;
	     i++)
		syscall(SYS_nanosleep, &ms, NULL);
}

/* The same signal again, with the default action; it strikes when the handler returns. */
static void take_its_course(int signal, siginfo_t *info)
{
	struct sigaction by_default;
	long pid = syscall(SYS_getpid), tid = syscall(SYS_gettid);

	memset(&by_default, 0, sizeof by_default);
	by_default.sa_handler = SIG_DFL;
	rt_real.sigaction(signal, &by_default, NULL);
	if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, info))
		syscall(SYS_tgkill, pid, tid, signal);
}

/* The thread's last fault that the target handled. */
static __thread struct {
	siginfo_t info;
	uint64_t ip, sp;
	bool over; /* its handler is not under way */
} fault __attribute__((tls_model("initial-exec")));
static int faulting; /* the thread whose that is, of all */

void rt_failure_faulted(const siginfo_t *info, const void *context)
{
	fault.info = *info;
	stop_point(context, &fault.ip, &fault.sp);
	fault.over = false;
	__atomic_store_n(&faulting, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

void rt_failure_fault_over(bool jumped)
{
	fault.over = true;
	if (jumped && __atomic_load_n(&faulting, __ATOMIC_ACQUIRE) == (int)syscall(SYS_gettid))
		__atomic_store_n(&faulting, 0, __ATOMIC_RELEASE);
}

/*
 * A signal that the process sent itself. If it stands for a fault in another thread, that comes to its end there: either its handler
 * returns to the instruction, which fails again, or it does something else, which has 0.2 s to end the process.
 */
static void let_fault_come(void)
{
	struct timespec ms = {0, 1000000};
	int who = __atomic_load_n(&faulting, __ATOMIC_ACQUIRE);

	for (int i = 0; i < 200 && who && who != (int)syscall(SYS_gettid); i++)
		syscall(SYS_nanosleep, &ms, NULL);
}

static bool is_about_memory(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

static bool is_question(int signal, const siginfo_t *info)
{
	return signal == ASK_SIGNAL && info->si_code == SI_QUEUE && info->si_value.sival_int == RT_ASK_VALUE && state.asked;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	uint64_t ip, sp;

	if (guard)
		siglongjmp(*guard, 1);
	if (is_question(signal, info)) {
		state.asked(context);
		errno = saved;
		return;
	}
	bool is_sent = info->si_code <= 0 && info->si_pid == (pid_t)syscall(SYS_getpid) && is_about_memory(signal);
	if (is_sent)
		let_fault_come();
	if (claim(RT_FAIL_SIGNAL, signal)) {
		const siginfo_t *about = info;

		stop_point(context, &ip, &sp);
		if (is_sent && fault.info.si_signo == signal && (!fault.over || ip == fault.ip))
			about = &fault.info, ip = fault.ip, sp = fault.sp;
		if (about->si_code > 0 && is_about_memory(signal))
			state.where->address = signal == SIGSEGV && about->si_code == SI_KERNEL ? RT_NO_ADDRESS
												: (uint64_t)about->si_addr;
		backtrace_from(&state.where->nframes, state.where->frames, ip, sp);
		complete();
	} else {
		wait_for_writer();
	}
	take_its_course(signal, info);
	errno = saved;
}

/* ------------------------------------------------------------------ handlers ---------------- */

static int fatal_index(int signal)
{
	for (unsigned i = 0; i < NFATAL; i++)
		if (fatal[i] == signal)
			return (int)i;
	return -1;
}

static struct sigaction our_action(void)
{
	struct sigaction a;

	memset(&a, 0, sizeof a);
	a.sa_sigaction = handler;
	a.sa_flags = SA_SIGINFO | SA_ONSTACK;
	for (unsigned i = 0; i < NFATAL; i++)
		sigaddset(&a.sa_mask, fatal[i]);
	return a;
}

static bool is_ours(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == handler;
}

static bool is_no_function(rt_sighandler f)
{
	return f == SIG_DFL || f == SIG_IGN || f == SIG_ERR;
}

static int change_action(int i, const struct sigaction *new_action, struct sigaction *old)
{
	struct sigaction ours = our_action(), was, believed = state.wanted[i];
	const struct sigaction *set = new_action;
	int result;

	if (new_action && !(new_action->sa_flags & SA_SIGINFO) && new_action->sa_handler == SIG_DFL)
		set = &ours;
	result = rt_real.sigaction(fatal[i], set, &was);
	if (result)
		return result;
	if (new_action)
		state.wanted[i] = *new_action;
	if (new_action && fatal[i] == ASK_SIGNAL && state.ask_signal)
		*state.ask_signal = set == &ours ? ASK_SIGNAL : 0;
	if (old)
		*old = is_ours(&was) ? believed : was;
	return 0;
}

void rt_failure_handlers(const struct rt_handler_hooks *hooks)
{
	state.hooks = hooks;
}

static int set_action(int signal, const struct sigaction *new_action, struct sigaction *old)
{
	int i = state.installed ? fatal_index(signal) : -1;

	rt_real_init();
	return i < 0 ? rt_real.sigaction(signal, new_action, old)
		     : change_action(i, new_action, old);
}

int sigaction(int signal, const struct sigaction *new_action, struct sigaction *old)
{
	const struct rt_handler_hooks *hooks = state.hooks;
	struct sigaction before, ours;
	int result;

	if (!hooks || signal <= 0 || signal >= NSIG || hooks->ignores())
		return set_action(signal, new_action, old);
	before = *hooks->installed(signal);
	if (new_action) {
		ours = *new_action;
		*hooks->installed(signal) = *new_action;
		if (!is_no_function(ours.sa_handler))
			ours.sa_sigaction = hooks->replacement(signal), ours.sa_flags = (ours.sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
	}
	result = hooks->pretends(signal) ? 0 : set_action(signal, new_action ? &ours : NULL, old);
	if (result && new_action)
		*hooks->installed(signal) = before;
	/* What the kernel has is not what the target believes. */
	if (!result && old && (hooks->pretends(signal) || old->sa_sigaction == hooks->replacement(signal)))
		*old = before;
	return result;
}

rt_sighandler signal(int signal, rt_sighandler function)
{
	struct sigaction a, old;

	memset(&a, 0, sizeof a);
	a.sa_handler = function;
	a.sa_flags = SA_RESTART;
	sigemptyset(&a.sa_mask);
	if (signal > 0 && signal < NSIG)
		sigaddset(&a.sa_mask, signal);
	return sigaction(signal, &a, &old) ? SIG_ERR : old.sa_handler;
}

void rt_failure_install(struct rt_failure *where, uint32_t (*current_thread)(void),
			void (*on_failure)(void))
{
	struct sigaction ours = our_action(), was;
	bool first = !state.installed;

	state.current_thread = current_thread;
	state.on_failure = on_failure;
	state.where = where;
	if (!first)
		return;
	state.installed = true;
	/* The unwinder's own first-time work must not happen in a handler. */
	_Unwind_Backtrace(visit_nothing, NULL);
	for (unsigned i = 0; i < NFATAL; i++)
		if (!rt_real.sigaction(fatal[i], NULL, &was) && was.sa_handler == SIG_DFL)
			rt_real.sigaction(fatal[i], &ours, NULL);
}

void rt_failure_ask(uint32_t *signal, void (*asked)(const void *context))
{
	struct sigaction a;

	state.ask_signal = signal;
	state.asked = asked;
	*signal = !rt_real.sigaction(ASK_SIGNAL, NULL, &a) && is_ours(&a) ? ASK_SIGNAL : 0;
}

/* ------------------------------------------------------------------ alternate stacks -------- */

static int kernel_stack(const stack_t *new_stack, stack_t *old)
{
	return (int)syscall(SYS_sigaltstack, new_stack, old);
}

/* Ours, where the target has none, is none to it. */
int sigaltstack(const stack_t *new_stack, stack_t *old)
{
	int result = kernel_stack(new_stack, old);

	if (!result && old && alternate && old->ss_sp == alternate)
		*old = (stack_t){.ss_flags = SS_DISABLE};
	return result;
}

/*
 * One stack of a thread that ended is kept for the next thread; making one costs as much as the thread's log does. The
 * kernel may still be using it only if its thread is, and that has let go of it.
 */
static void *kept;

static void *take_stack(void)
{
	void *stack = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQ_REL);
	long at;

	if (stack)
		return stack;
	at = syscall(SYS_mmap, NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	return at == -1 ? NULL : (void *)at;
}

static void leave_stack(void *stack)
{
	void *other = __atomic_exchange_n(&kept, stack, __ATOMIC_ACQ_REL);

	if (other)
		syscall(SYS_munmap, other, STACK_SIZE);
}

void rt_failure_thread(void)
{
	int saved = errno;
	stack_t there, ours;
	void *at;

	if (!alternate && state.installed && !kernel_stack(NULL, &there) &&
	    (there.ss_flags & SS_DISABLE)) {
		at = take_stack();
		memset(&ours, 0, sizeof ours);
		ours.ss_sp = at;
		ours.ss_size = STACK_SIZE;
		if (at && !kernel_stack(&ours, NULL))
			alternate = at;
		else if (at)
			leave_stack(at);
	}
	errno = saved;
}

void rt_failure_thread_end(void)
{
	int saved = errno;
	stack_t there, none;

	if (alternate && !kernel_stack(NULL, &there)) {
		memset(&none, 0, sizeof none);
		none.ss_flags = SS_DISABLE;
		if (there.ss_sp == alternate && kernel_stack(&none, NULL)) {
			errno = saved;
			return;
		}
		leave_stack(alternate);
		alternate = NULL;
	}
	errno = saved;
}

/* ------------------------------------------------------------------ assert ------------------ */

struct text {
	char *at, *end;
};

static void put(struct text *t, const char *s)
{
	while (*s && t->at < t->end)
		*t->at++ = *s++;
	*t->at = 0;
}

static void put_line(struct text *t, unsigned line)
{
	char digits[12] = "";
	char *d = digits + sizeof digits - 1;

	do
		*--d = (char)('0' + line % 10);
	while (line /= 10);
	put(t, d);
}

/* The message before the C library says it, so that the log has it should saying it fail. */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
	char message[RT_MESSAGE_SIZE];
	struct text t = {message, message + sizeof message - 1};
	int saved = errno;

	rt_real_init();
	put(&t, file);
	put(&t, ":");
	put_line(&t, line);
	put(&t, ": ");
	if (function) {
		put(&t, function);
		put(&t, ": ");
	}
	put(&t, expression);
	rt_failure_report(RT_FAIL_ASSERT, SIGABRT, message, __builtin_return_address(0));
	errno = saved;
	rt_real.__assert_fail(expression, file, line, function);
	__builtin_unreachable();
}
