/* Shared by both runtimes, since it calls nothing but their functions in the target's place. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/async.h"

#include "rt/real.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* The same in every run: a schedule names it. */
#define CANCEL_SIGNAL SIGRTMAX

static bool installed; /* a thread asked for it */
static __thread bool asynchronous __attribute__((tls_model("initial-exec")));

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	if (asynchronous)
		pthread_testcancel();
}

static bool is_ours(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == on_signal;
}

/* Not in the place of a handler of the target's: cancellation is deferred then. */
static void install(void)
{
	struct sigaction a, was;

	memset(&a, 0, sizeof a);
	a.sa_sigaction = on_signal;
	a.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&a.sa_mask);
	if (!sigaction(CANCEL_SIGNAL, NULL, &was) && was.sa_handler == SIG_DFL && !sigaction(CANCEL_SIGNAL, &a, NULL))
		__atomic_store_n(&installed, true, __ATOMIC_RELEASE);
}

int pthread_setcanceltype(int type, int *old)
{
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (!asynchronous)
		return 0;
	if (!rt_async_is_used())
		install();
	/* What was asked before happens at once. */
	pthread_testcancel();
	return 0;
}

bool rt_async_is_used(void)
{
	return __atomic_load_n(&installed, __ATOMIC_ACQUIRE);
}

void rt_async_tell(pthread_t handle)
{
	struct sigaction a;

	if (rt_async_is_used() && !sigaction(CANCEL_SIGNAL, NULL, &a) && is_ours(&a))
		rt_real.pthread_kill(handle, CANCEL_SIGNAL);
}
