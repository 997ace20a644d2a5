/* Threads and the process in the log of scheme rw. */
#include "replay/order.h"
#include "rt/clock.h"
#include "rt/failure.h"
#include "rt/forked.h"
#include "rt/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For log.c, which is the recorder's too; the header gets the twin's hash. */
const struct rt_record_module __rethread_record_module = { .abi = RT_ABI };

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

/* ---- threads ---- */

void recorder_lock(void)
{
	rt_real.pthread_mutex_lock(&adding);
}

void recorder_unlock(void)
{
	rt_real.pthread_mutex_unlock(&adding);
}

void recorder_thread(struct twin_thread *t, const struct twin_thread *parent)
{
	struct rt_chunk part = { .size = RT_PAGE, .thread = t->number, .stream = RT_STREAM_THREAD };
	struct rt_chunk *chunk = rt_log_reserve(&part, 1, NULL);
	struct recorder *r = twin_pages(sizeof *r);
	if (!r || !chunk) {
		rt_log_drop();
		return;
	}
	r->thread = (struct rt_thread *)(chunk + 1);
	*r->thread = (struct rt_thread){ .number = t->number, .parent = parent ? parent->number : t->number,
					 .child = parent ? parent->children : 0 };
	t->recorder = r;
}

void recorder_thread_begins(struct twin_thread *t)
{
	if (!t->recorder)
		return;
	t->recorder->thread->tid = (uint32_t)t->tid;
	t->recorder->thread->start_time = rt_clock();
}

void recorder_thread_ends(struct twin_thread *t)
{
	if (!t->recorder)
		return;
	if (t->recorder->open)
		recorder_after(t, t->gate->count);
	t->recorder->thread->end_time = rt_clock();
	t->recorder->thread->ended = 1;
}

/* ---- the process ---- */

static void failed(void)
{
	twin_report->failure = rt_log.header->failure;
	report_outcome(RT_REPLAY_FAILED, twin_own(), "%s", rt_log.header->failure.message);
	rt_log_end(0);
}

static void note_exit(void)
{
	const struct twin_thread *self = twin_own();
	if (self)
		rt_log.header->exits = self->number + 1;
}

static void at_exit(void)
{
	note_exit();
	rt_log_end(RT_LOG_ENDED);
}

/* In every mode: the twin has no other. The child of a vfork, which is another process in this one's memory, just goes. */
void _exit(int status)
{
	if (twin_mode == TWIN_INFER && !*heap_engine())
		twin_engine->leave();
	if (twin_mode == TWIN_RECORD && rt_log.header->pid == (uint32_t)syscall(SYS_getpid))
		note_exit();
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((alias("_exit"))) void _Exit(int status);

/* The child is not recorded. */
static void in_child(void)
{
	rt_failure_install(NULL, twin_self_number, failed);
	twin_mode = TWIN_FREE;
	__rethread_gate.next = UINT64_MAX;
	__rethread_gate.signal = 0;
}

static void set_build_id(const char *hex)
{
	uint8_t *id = rt_log.header->build_id;
	memset(id, 0, RT_BUILD_ID_SIZE);
	for (unsigned i = 0; i < RT_BUILD_ID_SIZE && hex[2 * i] && hex[2 * i + 1]; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], 0 };
		id[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

bool recorder_start(const char *options, const char *build_id)
{
	static struct rt_options o;
	rt_options_parse(&o, options);
	bool leap = o.scheme == RT_SCHEME_RW_LEAP;
	if ((o.scheme != RT_SCHEME_RW && !leap) || !order_init(leap) || !rt_log_open(&o))
		return false;
	memcpy(rt_log.header->module_hash, __rethread_twin_module.hash, sizeof rt_log.header->module_hash);
	set_build_id(build_id);
	atexit(at_exit);
	__register_atfork(NULL, NULL, in_child, NULL);
	rt_failure_install(&rt_log.header->failure, twin_self_number, failed);
	return true;
}

struct rt_failure *recorder_failure(void)
{
	return &rt_log.header->failure;
}
