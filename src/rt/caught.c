#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/caught.h"

#include "rt/failure.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const struct rt_caught_hooks *hooks;
static struct sigaction installed[NSIG]; /* the target's */
static char our_timer;                   /* its address is what a timer of ours sends along */

/* What waits, oldest first. Only the thread itself and handlers that interrupt it touch this, with all signals blocked. */
enum { QUEUE = 4 };
static __thread struct {
	struct {
		int signal;
		siginfo_t info;
	} at[QUEUE];
	ucontext_t context; /* where the last one came */
	bool busy;          /* with the queue: system calls that are made now are no place to run a handler */
	bool timed;
	int timer;
	uint64_t since; /* of the thread's own time: when the timer was set */
	int error;      /* errno as the target has it, while the runtime is at work */
} queue __attribute__((tls_model("initial-exec")));
__thread uint32_t rt_caught_waiting;

static uint64_t block(uint64_t set)
{
	uint64_t before = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, sizeof before);
	return before;
}

static void restore(uint64_t mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

static bool any_handler; /* handler was ever installed */

/* A mask never has SIGKILL in it. */
uint64_t rt_caught_block(void)
{
	return any_handler ? block(~0ull) : UINT64_MAX;
}

void rt_caught_unblock(uint64_t mask)
{
	if (mask != UINT64_MAX)
		restore(mask);
}

/* ------------------------------------------------------------------ patience ---------------- */

/* The processor's time that the thread has had: while it has none, no place can come. */
static uint64_t own_time(void)
{
	struct timespec t = {0, 0};

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool patience_is_over(void)
{
	return own_time() - queue.since >= RT_CAUGHT_PATIENCE;
}

/* The kernel sends the signal again, to this thread, until nothing waits. */
static void arm(int signal)
{
	struct sigevent e;
	struct itimerspec t = {{0, RT_CAUGHT_PATIENCE}, {0, RT_CAUGHT_PATIENCE}};

	if (queue.timed)
		return;
	memset(&e, 0, sizeof e);
	e.sigev_notify = SIGEV_THREAD_ID;
	e.sigev_signo = signal;
	e.sigev_value.sival_ptr = &our_timer;
	e._sigev_un._tid = (int)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &e, &queue.timer))
		return;
	queue.timed = true;
	queue.since = own_time();
	syscall(SYS_timer_settime, queue.timer, 0, &t, NULL);
}

static void disarm(void)
{
	if (queue.timed)
		syscall(SYS_timer_delete, queue.timer);
	queue.timed = false;
}

static bool is_ours(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &our_timer;
}

/* ------------------------------------------------------------------ running ----------------- */

/* The kernel is not asked to (failure.c): what it would put back is not what captures a failure. */
static void reset(int signal)
{
	struct sigaction by_default;

	memset(&by_default, 0, sizeof by_default);
	by_default.sa_handler = SIG_DFL;
	sigaction(signal, &by_default, NULL);
}

bool rt_caught_call(int signal, siginfo_t *info, void *context)
{
	struct sigaction a = installed[signal];

	if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN)
		return false;
	if (a.sa_flags & SA_RESETHAND)
		reset(signal);
	errno = queue.error;
	/* Whether it was installed with SA_SIGINFO or not, the processor's registers hold all three arguments. */
	a.sa_sigaction(signal, info, context);
	queue.error = errno;
	return true;
}

/*
 * What the runtime does around a handler does not change errno, but what the handler does, does: a program whose handlers
 * spoil it fails when it is recorded, too. Handlers can interrupt one another's runtime, so what was kept is put back.
 */
static int keep_errno(void)
{
	int outer = queue.error;

	queue.error = errno;
	return outer;
}

static void give_errno(int outer)
{
	errno = queue.error;
	queue.error = outer;
}

bool rt_caught_deliver(int signal, siginfo_t *info, void *context)
{
	int outer = keep_errno();
	bool is_there = rt_caught_call(signal, info, context);

	give_errno(outer);
	return is_there;
}

static uint64_t mask_of(int signal)
{
	uint64_t mask;

	memcpy(&mask, &installed[signal].sa_mask, sizeof mask);
	return installed[signal].sa_flags & SA_NODEFER ? mask : mask | 1ull << (signal - 1);
}

/* The first that waits is taken out. False: none does. */
static bool take(int *signal, siginfo_t *info)
{
	uint64_t mask = block(~0ull);
	bool any = rt_caught_waiting;

	if (any) {
		*signal = queue.at[0].signal;
		*info = queue.at[0].info;
		memmove(&queue.at[0], &queue.at[1], sizeof queue.at[0] * (QUEUE - 1));
		rt_caught_waiting--;
	}
	if (!rt_caught_waiting)
		disarm();
	restore(mask);
	return any;
}

void rt_caught_run(uint32_t place)
{
	int outer = keep_errno(), signal;
	siginfo_t info;
	ucontext_t context = queue.context;

	queue.busy = true;
	while (rt_caught_waiting && take(&signal, &info)) {
		uint64_t mask = block(mask_of(signal));

		queue.busy = false;
		hooks->run(signal, &info, &context, place);
		queue.busy = true;
		restore(mask);
	}
	queue.busy = false;
	give_errno(outer);
}

/* ------------------------------------------------------------------ catching ---------------- */

/*
 * Is the thread in a system call that has not done anything: it was interrupted, or is still to be made? One that is over
 * has: then the handler comes after it.
 */
static bool is_in_call(const ucontext_t *u)
{
#if defined(__x86_64__)
	const uint8_t *ip = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP];

	return (ip[-2] == 0x0f && ip[-1] == 0x05 && u->uc_mcontext.gregs[REG_RAX] == -EINTR) ||
	       (ip[0] == 0x0f && ip[1] == 0x05);
#elif defined(__aarch64__)
	const uint32_t *ip = (const uint32_t *)u->uc_mcontext.pc;

	return (ip[-1] == 0xd4000001 && (int64_t)u->uc_mcontext.regs[0] == -EINTR) || ip[0] == 0xd4000001;
#endif
}

static bool is_fault(int signal, const siginfo_t *info)
{
	return info->si_code > 0 && info->si_code != SI_KERNEL &&
	       (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
		signal == SIGSYS);
}

/* False: there is no room. */
static bool wait_in_queue(int signal, const siginfo_t *info, const ucontext_t *context)
{
	uint64_t mask = block(~0ull);
	bool room = rt_caught_waiting < QUEUE;

	for (uint32_t i = 0; i < rt_caught_waiting; i++)
		if (queue.at[i].signal == signal && signal < SIGRTMIN) {
			restore(mask);
			return true;
		}
	if (room) {
		queue.at[rt_caught_waiting].signal = signal;
		queue.at[rt_caught_waiting].info = *info;
		queue.context = *context;
		queue.context.uc_mcontext.fpregs = NULL;
		arm(signal);
		room = queue.timed;
		rt_caught_waiting += room;
	}
	restore(mask);
	return room;
}

static void caught(int signal, siginfo_t *info, void *context)
{
	int outer = keep_errno();
	/* abort does not come back for it. */
	enum rt_caught_when when = hooks->when((is_in_call(context) || signal == SIGABRT) && !queue.busy);

	if (when == RT_CAUGHT_PLAINLY) {
		if (!is_ours(info))
			rt_caught_call(signal, info, context);
	} else if (is_fault(signal, info))
		hooks->run(signal, info, context, RT_SIGNAL_FAULT);
	else if (is_ours(info) && when == RT_CAUGHT_NOW)
		rt_caught_run(RT_SIGNAL_CALL);
	else if (is_ours(info) && when == RT_CAUGHT_LATER && patience_is_over())
		rt_caught_run(RT_SIGNAL_ANYWHERE);
	else if (is_ours(info))
		; /* it will come again */
	else if (when == RT_CAUGHT_NOW) {
		rt_caught_run(RT_SIGNAL_CALL);
		hooks->run(signal, info, context, RT_SIGNAL_CALL);
	} else if (!wait_in_queue(signal, info, context)) {
		hooks->run(signal, info, context, RT_SIGNAL_ANYWHERE);
	}
	give_errno(outer);
}

/* ------------------------------------------------------------------ installing -------------- */

static struct sigaction *installed_for(int signal)
{
	return &installed[signal];
}

static void (*replacement(int signal))(int, siginfo_t *, void *)
{
	(void)signal;
	any_handler = true;
	return caught;
}

void rt_caught_start(const struct rt_caught_hooks *h)
{
	static struct rt_handler_hooks handler_hooks;

	hooks = h;
	handler_hooks = (struct rt_handler_hooks){h->ignores, h->pretends, installed_for, replacement};
	rt_failure_handlers(&handler_hooks);
}
