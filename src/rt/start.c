/* Start and end of the recorder in a process: the file to read first. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/allocator.h"
#include "rt/clock.h"
#include "rt/command.h"
#include "rt/failure.h"
#include "rt/forked.h"
#include "rt/handlers.h"
#include "rt/log.h"
#include "rt/objects.h"
#include "rt/options.h"
#include "rt/path.h"
#include "rt/peers.h"
#include "rt/plain_mutex.h"
#include "rt/real.h"
#include "rt/self.h"
#include "rt/stacks.h"
#include "rt/shared_tags.h"
#include "rt/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The first and the last thing that a failure does. In between the unwinder runs, which calls
 * interposed functions (libgcc: pthread_once) that are none of the target's.
 */
static uint32_t current_thread(void)
{
	bool is_recorded = rt_self.active || (rt_self.paused && rt_self.thread);
	bool is_over = rt_self.thread == &rt_self.spare; /* the C library gives back what it kept for the thread */
	uint32_t number = is_recorded || is_over ? rt_self.number : RT_NOBODY;

	rt_self.paused = is_recorded;
	rt_self.active = false;
	return number;
}

static void failed(void)
{
	if (!rt_log.sealed)
		rt_stacks_collect(rt_log.header->failure.kind == RT_FAIL_DEADLOCK);
	rt_log_end(0);
	rt_self.active = rt_self.paused;
	rt_self.paused = false;
}

static struct rt_options options;

/* Of a process that the tool does not see end. */
static void note_status(int status)
{
	struct rt_failure *f = &rt_log.header->failure;
	uint32_t none = 0;

	if (!status || !(rt_forked_has_log() || options.command) ||
	    !__atomic_compare_exchange_n(&f->state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	f->kind = RT_FAIL_EXIT;
	f->status = status;
	f->thread = rt_self.number;
	f->time = rt_clock();
	__atomic_store_n(&f->state, 2, __ATOMIC_RELEASE);
}

static void note_exit(int status, const void *from)
{
	if (rt_self.peer)
		rt_log.header->exits = rt_self.peer->number + 1;
	note_status(status & 0xff);
	if ((status & 0xff || options.stacks) && !rt_log.sealed)
		rt_stacks_at_exit(from);
}

/* Registered before anything else is, so that it runs after all other handlers and destructors. */
static void at_exit(int status, void *unused)
{
	(void)unused;
	if (rt_caught_waiting && rt_self.active)
		rt_caught_run(RT_SIGNAL_END);
	note_exit(status, __builtin_return_address(0));
	rt_log_end(RT_LOG_ENDED);
}

/*
 * The log needs no end to be complete; only where everybody was is written. The child of a vfork, which is another process
 * in this one's memory, just goes.
 */
void _exit(int status)
{
	bool ours = rt_log.header && !rt_log.sealed && rt_log.header->pid == (uint32_t)syscall(SYS_getpid);

	if (ours)
		note_exit(status, __builtin_return_address(0));
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((alias("_exit"))) void _Exit(int status);

/* The child of a fork is a process of its own; the thread that forked is its main thread. */
void rt_fork_child(void)
{
	bool had_values = __rethread_values.at;

	if (rt_forked_goes_on())
		return;
	/* Threads that are not here any more may have had locks of the recorder, which leaving takes. */
	rt_tags_reset();
	rt_log_forget_pages();
	rt_self_leave();
	rt_objects_reset();
	if (rt_log_reopen()) {
		rt_failure_install(&rt_log.header->failure, current_thread, failed);
		rt_failure_ask(&rt_log.header->ask_signal, rt_stacks_asked);
		rt_threads_restart();
		if (!had_values)
			rt_values_forgo();
	} else {
		rt_failure_install(NULL, current_thread, failed);
	}
}

extern void *__libc_malloc(size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

/*
 * Since 2.34 the C library marks blocks that are given back by a random number, one for all; programs that use memory which
 * they have freed see it. Looked up in such a block, and the same in two of them: else there is none.
 */
static uint64_t freed_mark(void)
{
	enum { BLOCKS = 2, SIZE = 1000 }; /* few programs ask for as many bytes, and get what is left here */
	uint64_t *volatile blocks[BLOCKS], *volatile p;
	uint64_t mark[BLOCKS];

	if (!__libc_malloc || !__libc_free)
		return 0;
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (!(blocks[i] = __libc_malloc(SIZE)))
			return 0;
		blocks[i][1] = i;
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		p = blocks[i];
		__libc_free(p);
		mark[i] = p[1];
	}
	return mark[0] == mark[1] ? mark[0] : 0;
}

static const char *variable(char **environment, const char *name)
{
	size_t n = strlen(name);

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, n) && (*environment)[n] == '=')
			return *environment + n + 1;
	return NULL;
}

/*
 * `rethread record` has put our variable behind the program's own, as it is in a twin; a program that set others before it became this one
 * by exec, in their middle.
 */
static void move_behind(char **environment, const char *value)
{
	char *ours = NULL;

	for (; *environment; environment++) {
		size_t n = strlen(*environment);

		if (!ours && value >= *environment && value <= *environment + n)
			ours = *environment;
		if (ours)
			*environment = environment[1] ? environment[1] : ours;
	}
}

static void start(int argc, char **argv, char **environment)
{
	const char *text = variable(environment, "RETHREAD_OPTIONS");

	(void)argc;
	(void)argv;
	rt_real_init();
	/* Programs with more rights than their caller write no files where the caller says. */
	if (!text || getauxval(AT_SECURE))
		return;
	rt_options_parse(&options, text);
	if (options.scheme > RT_SCHEME_PATH_SYNC) {
		rt_say("nothing is recorded", "scheme rw is recorded by the twin, as `rethread record' starts it");
		return;
	}
	if (options.scheme == RT_SCHEME_OFF)
		return;
	rt_allocator_detach();
	rt_log.freed_mark = freed_mark();
	if (!rt_log_open(&options))
		return;
	if (rt_log.replaced || options.command) {
		rt_command_write();
		move_behind(environment, text);
	}
	rt_path_start();
	rt_values_start();
	on_exit(at_exit, NULL);
	__register_atfork(rt_fork_begins, rt_fork_ended, rt_fork_child, NULL);
	rt_self.paused = true;
	rt_failure_install(&rt_log.header->failure, current_thread, failed);
	rt_failure_ask(&rt_log.header->ask_signal, rt_stacks_asked);
	rt_handlers_start();
	rt_plain_mutexes_init(options.tries);
	rt_shared_tags_init();
	rt_threads_start();
}

/* Before the constructors of the program and of all its libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
									      char **) = start;
