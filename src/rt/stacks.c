#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/stacks.h"

#include "rt/failure.h"
#include "rt/log.h"
#include "rt/peers.h"
#include "rt/real.h"
#include "rt/self.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Chunks are reserved a page at a time. */
#define CHUNK 1024u
#define GROUP (RT_PAGE / CHUNK)
_Static_assert(sizeof(struct rt_chunk) + sizeof(struct rt_stack) <= CHUNK, "a backtrace has room in its chunk");

static struct {
	bool survives;
	uint32_t asked, answered;
	uint32_t over; /* nobody waits for answers any more */
} stacks;

static void sleep_ms(void)
{
	struct timespec ms = {0, 1000000};

	syscall(SYS_nanosleep, &ms, NULL);
}

static void hold(void)
{
	for (int i = 0; i < 2 * RT_STACKS_PATIENCE; i++)
		sleep_ms();
}

/* ------------------------------------------------------------------ who answers ------------- */

static void answer(struct rt_self *self, const void *context)
{
	struct rt_stack *stack = __atomic_exchange_n(&self->peer->stack, NULL, __ATOMIC_ACQ_REL);
	bool was_active = self->active;

	if (!stack)
		return;
	/* The unwinder calls interposed functions. */
	if (was_active)
		rt_self_pause(self);
	rt_failure_backtrace(&stack->nframes, stack->frames, context);
	if (was_active)
		rt_self_resume(self);
	__atomic_fetch_add(&stacks.answered, 1, __ATOMIC_ACQ_REL);
	if (!stacks.survives)
		hold();
}

static void asked(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)signal;
	(void)info;
	if (rt_self.peer && !__atomic_load_n(&stacks.over, __ATOMIC_ACQUIRE))
		answer(&rt_self, context);
	errno = saved;
}

/* ------------------------------------------------------------------ who asks ---------------- */

/* What the kernel says of a thread, "" when it does not. */
static void read_about(uint32_t tid, const char *file, char *text, size_t size)
{
	char path[64] = "/proc/self/task/", digits[12] = "";
	char *d = digits + sizeof digits - 1;
	long n = -1;
	int fd;

	do
		*--d = (char)('0' + tid % 10);
	while (tid /= 10);
	strcat(path, d);
	strcat(path, file);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, text, size - 1);
		syscall(SYS_close, fd);
	}
	text[n > 0 ? n : 0] = 0;
}

static uint64_t read_hex(const char *s)
{
	uint64_t n = 0;

	for (;; s++) {
		if (*s >= '0' && *s <= '9')
			n = n << 4 | (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			n = n << 4 | (uint64_t)(*s - 'a' + 10);
		else if (*s != 'x')
			return n;
	}
}

static bool blocks(uint32_t tid, int signal)
{
	char text[4096];
	const char *mask;

	read_about(tid, "/status", text, sizeof text);
	mask = strstr(text, "SigBlk:\t");
	return !mask || (read_hex(mask + 8) >> (signal - 1) & 1);
}

/* The fields are the call's number and its parameters; or the thread is running. */
static bool would_notice(uint32_t tid)
{
	char text[256];
	const char *field[5] = {text};
	long number = 0;

	read_about(tid, "/syscall", text, sizeof text);
	for (unsigned i = 1; i < 5; i++) {
		field[i] = strchr(field[i - 1], ' ');
		if (!field[i]) /* it runs, or nothing is known */
			return stacks.survives || !*text;
		field[i]++;
	}
	for (const char *d = text; *d >= '0' && *d <= '9'; d++)
		number = number * 10 + (*d - '0');
	/* To be held in a call is no harm, but a signal is what this one returns. */
	if (!stacks.survives)
		return number == SYS_rt_sigtimedwait;
	/* The fourth parameter is until when it waits. */
	return number != SYS_futex || read_hex(field[4]);
}

static bool can_ask(const struct rt_peer *p, int signal)
{
	return p->tid && p->tid != rt_self.tid && p->thread && !__atomic_load_n(&p->over, __ATOMIC_ACQUIRE) &&
	       !blocks(p->tid, signal) && !would_notice(p->tid);
}

static void ask(struct rt_peer **group, unsigned n, int signal)
{
	struct rt_chunk parts[GROUP];
	char *at;

	memset(parts, 0, sizeof parts);
	for (unsigned i = 0; i < n; i++) {
		parts[i].size = i + 1 < n ? CHUNK : RT_PAGE - i * CHUNK;
		parts[i].thread = group[i]->number;
		parts[i].stream = RT_STREAM_STACK;
	}
	at = n ? rt_log_reserve(parts, n, NULL) : NULL;
	for (unsigned i = 0; at && i < n; i++) {
		struct rt_chunk *chunk = (struct rt_chunk *)(at + i * CHUNK);

		__atomic_store_n(&group[i]->stack, (struct rt_stack *)(chunk + 1), __ATOMIC_RELEASE);
		stacks.asked += !syscall(SYS_tgkill, syscall(SYS_getpid), group[i]->tid, signal);
	}
}

static void ask_all(int signal)
{
	struct rt_peer *group[GROUP], *p;
	unsigned n = 0;

	for (uint32_t i = 0; i < rt_log.header->nthreads; i++) {
		p = rt_peer(i);
		if (p && can_ask(p, signal))
			group[n++] = p;
		if (n == GROUP) {
			ask(group, n, signal);
			n = 0;
		}
	}
	ask(group, n, signal);
}

/* A signal that the target has no action for, with ours; 0: there is none. */
static int take_signal(struct sigaction *was)
{
	struct sigaction ours;

	memset(&ours, 0, sizeof ours);
	ours.sa_sigaction = asked;
	ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigfillset(&ours.sa_mask);
	/* What damage in the stack gives. */
	sigdelset(&ours.sa_mask, SIGSEGV);
	sigdelset(&ours.sa_mask, SIGBUS);
	for (int s = SIGRTMAX; s >= SIGRTMIN; s--)
		if (!rt_real.sigaction(s, NULL, was) && was->sa_handler == SIG_DFL && !(was->sa_flags & SA_SIGINFO) &&
		    !rt_real.sigaction(s, &ours, NULL))
			return s;
	return 0;
}

/* NULL: no room. */
static struct rt_stack *own_stack(const struct rt_peer *p)
{
	struct rt_chunk part = {.size = RT_PAGE, .thread = p->number, .stream = RT_STREAM_STACK};
	struct rt_chunk *chunk = p->thread ? rt_log_reserve(&part, 1, NULL) : NULL;

	return chunk ? (struct rt_stack *)(chunk + 1) : NULL;
}

void rt_stacks_collect(bool survives)
{
	struct sigaction was;
	int signal = take_signal(&was);
	bool all = false;

	if (!signal)
		return;
	stacks.survives = survives;
	stacks.asked = stacks.answered = stacks.over = 0;
	ask_all(signal);
	for (int i = 0; i < RT_STACKS_PATIENCE && !all; i++) {
		all = __atomic_load_n(&stacks.answered, __ATOMIC_ACQUIRE) == stacks.asked;
		if (!all)
			sleep_ms();
	}
	__atomic_store_n(&stacks.over, 1, __ATOMIC_RELEASE);
	/* A late one must not meet the default action, which is to end the process. */
	if (all)
		rt_real.sigaction(signal, &was, NULL);
}

/* By its context, in a signal's handler, or from a return address on. */
static void show_all(const void *context, const void *from)
{
	struct rt_self *self = &rt_self;
	bool was_active = self->active;
	struct rt_stack *own;

	/* A failure has collected them, or does. */
	if (rt_log.header->failure.state)
		return;
	if (was_active)
		rt_self_pause(self);
	own = self->peer && !self->peer->over ? own_stack(self->peer) : NULL;
	if (own && context)
		rt_failure_backtrace(&own->nframes, own->frames, context);
	else if (own)
		rt_failure_backtrace_from(&own->nframes, own->frames, from);
	rt_stacks_collect(false);
	__atomic_store_n(&rt_log.header->stacks, 1, __ATOMIC_RELEASE);
	if (context)
		hold();
	if (was_active)
		rt_self_resume(self);
}

void rt_stacks_asked(const void *context)
{
	show_all(context, NULL);
}

void rt_stacks_at_exit(const void *from)
{
	show_all(NULL, from);
}
