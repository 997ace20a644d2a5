#include "sym/engine.h"
#include "sym/ties.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine engine;
/* In the place of stdin, in the engine's own libjansson (Makefile). */
__attribute__((visibility("hidden"))) void *rethread_no_stream;
static __thread struct ethread *self;

struct ethread *engine_self(void)
{
	return self;
}

void engine_self_set(struct ethread *t)
{
	self = t;
}

int engine_inside(int inside)
{
	int *at = engine.config->engine_heap(), was = *at;
	*at = inside;
	return was;
}

char *engine_state_file(const char *name)
{
	return xasprintf("%s/%s", engine.config->state, name);
}

/* The run cannot go on: says why where the driver looks, and ends the process. */
_Noreturn void engine_fatal(const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	write_file(engine_state_file("error"), text, strlen(text), NULL);
	_exit(124);
}

struct ethread *engine_thread_new(struct ethread *parent)
{
	struct ethread *t = xcalloc(1, sizeof *t);
	t->number = (uint32_t)engine.threads.n;
	if (parent)
		snprintf(t->name, sizeof t->name, "%.50s:%u", parent->name, ++parent->children);
	else
		strcpy(t->name, "1");
	t->log = trace_thread_named(engine.trace, t->name);
	path_reader_init(&t->path, t->log ? t->log->path : NULL, t->log ? t->log->npath : 0);
	for (size_t i = 0; t->log && i < t->log->ninputs; i++)
		t->signals |= t->log->inputs[i]->function == RT_INPUT_SIGNAL;
	t->interp = ithread_new(engine.interp, t);
	vclock_tick(&t->clock, t->number);
	t->time = t->log ? t->log->info.start_time : parent ? parent->time : 0;
	*vec_push(&engine.threads) = t;
	event_add(t, EVENT_START, t->number, 0);
	return t;
}

void engine_thread_ends(struct ethread *t, bool at_failure)
{
	if (t->ended)
		return;
	t->ended = true;
	struct event *e = event_add(t, EVENT_END, t->number, 0);
	t->end = event_last(t);
	if (engine_is_failing(t, at_failure)) {
		ties_failed(t);
		t->failed = true;
		e->flags |= EVENT_FAILS;
	}
}

void engine_ends_here(struct ethread *t, bool counted)
{
	/* Another thread's failure came first: in the replay this one must not get as far. */
	if (counted && !engine_is_failing(t, true))
		t->saps--;
	engine_thread_ends(t, true);
}

_Noreturn void engine_thread_over(struct ethread *t)
{
	engine_thread_ends(t, false);
	t->over = true;
	baton_leave(t);
}

/* Exit handlers and thread-specific destructors: as in the recorded run, they run when a thread is done. */
static pthread_key_t at_end;

/* The process ends: also the first exit handler to be installed, so the last to run. */
void engine_leave_process(void)
{
	if (!self)
		return;
	engine_inside(1);
	signals_at(self, RT_SIGNAL_END);
	engine_thread_ends(self, true);
	engine_thread_over(self);
}

/* Runs among the destructors, in every round of them, and is the end of the thread in the last. */
static void after_destructors(void *round)
{
	uintptr_t n = (uintptr_t)round;
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(at_end, (void *)(n + 1)))
		return;
	engine_inside(1);
	if (engine_fails_as_it_ends(self))
		outside_fails_as_it_ends(self);
	engine_thread_ends(self, engine_fails_as_it_ends(self));
	engine_thread_over(self);
}

void engine_thread_returns(void)
{
	signals_at(self, RT_SIGNAL_END);
	pthread_setspecific(at_end, (void *)1);
}

/* What failed is native code, which may have been called by the executor, or by the C library as the thread ends. */
static _Noreturn void stop(struct ethread *t)
{
	if (t->over)
		engine_fatal("the engine itself failed when thread %s was over: the program's native code may have destroyed its memory",
			     t->name);
	if (ithread_runs(t->interp))
		ithread_stop(t->interp);
	engine_thread_over(t);
}

/* In the replay the thread must not get as far: this fault would come first. */
static _Noreturn void ends_before_fault(struct ethread *t)
{
	bool is_event = t->events.n && t->events.at[t->events.n - 1].sap == t->saps;
	if (t->saps && !is_event)
		t->saps--;
	engine_thread_ends(t, false);
	stop(t);
}

_Noreturn void engine_faults(struct ethread *t, bool recorded)
{
	/* What comes after the end of its log may well be bad: the recorded run was over when another thread failed. */
	if (!recorded && engine_may_be_over(t))
		ends_before_fault(t);
	if (!recorded) {
		struct position p;
		ithread_position(t->interp, &p);
		if (!engine.faults++)
			snprintf(engine.first_fault, sizeof engine.first_fault, "%s:%u (%.80s), thread %s", p.file, p.line,
				 p.function, t->name);
		guess_refute(t);
	}
	engine_thread_ends(t, recorded);
	stop(t);
}

/*
 * A guess may lead a thread to a bad address before the race that misled it is known; the thread stops
 * there, and the next run knows better. Where the recorded failure is that fault, it is the failure.
 */
static void on_fault(int signal_number)
{
	if (!self || !self->interp)
		_exit(124);
	bool ends = false;
	if (self->signals && signals_fault(self, signal_number, &ends))
		return;
	engine_inside(1); /* it may have been in native code, which it does not come back from */
	bool recorded = ends ||
			(engine.trace->failure.kind == RT_FAIL_SIGNAL && engine.trace->failure.signal == signal_number &&
			 engine_log_used_up(self) && engine_is_failing(self, true));
	engine_faults(self, recorded);
}

static void catch_faults(void)
{
	stack_t stack = { .ss_sp = xmalloc(65536), .ss_size = 65536 };
	sigaltstack(&stack, NULL);
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	/* Libraries give up by themselves: std::terminate, a pure virtual function (SIGABRT), traps (SIGILL, SIGTRAP). */
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigaction(faults[i], &action, NULL);
}

static void read_known(void)
{
	char *data;
	size_t size;
	if (!read_file(engine_state_file("racy"), &data, &size, NULL))
		return;
	for (size_t i = 0; i + sizeof(struct range) <= size; i += sizeof(struct range))
		memcpy(vec_push(&engine.known), data + i, sizeof(struct range));
	free(data);
}

static void read_barriers(void)
{
	char *data;
	size_t size;
	if (!read_file(engine_state_file("barriers"), &data, &size, NULL))
		return;
	for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
		memcpy(vec_push(&engine.open_barriers), data + i, sizeof(uint64_t));
	free(data);
}

const struct rt_engine *rethread_engine_start(const struct rt_engine_config *config)
{
	struct error err;
	engine.config = config;
	if (config->abi != RT_ABI)
		engine_fatal("the twin and the engine are of different versions; link the program again");
	engine.trace = trace_open(config->trace, &err);
	if (!engine.trace)
		engine_fatal("%s", err.text);
	if (memcmp(engine.trace->header.module_hash, config->module->hash, RT_HASH_SIZE))
		engine_fatal("the trace is from another build of the program");
	engine.exprs = expr_arena_new();
	engine.interp = interp_new(config->code, config->module->symbols, config->module->nsymbols,
				   config->module->tls_address, engine.exprs, &err);
	if (!engine.interp)
		engine_fatal("%s", err.text);
	engine.free = trace_is_rw(engine.trace);
	engine.lock_order = engine.trace->header.scheme == RT_SCHEME_PATH_SYNC || engine.free;
	engine.freed_mark = engine.trace->header.freed_mark ? engine.trace->header.freed_mark : RT_FREED_MARK;
	engine.site_index = xcalloc(config->module->nsites + 1, sizeof *engine.site_index);
	*vec_push(&engine.sites) = (struct site_info){ .where = "?", .what = "?", .function = "?" };
	read_known();
	read_barriers();
	guess_load();
	early_load();
	suspect_load();
	quiet_load();
	lulls_load();
	lines_load();
	time_load();
	recall_load();
	mirror_load();
	turns_load();
	inside_load();
	left_load();
	ties_load();
	unmapped_load();
	engine.races = races_new(engine.known.at, engine.known.n);
	for (size_t i = 0; i < engine.known.n; i++)
		interp_watch(engine.interp, engine.known.at[i].address);
	self = engine_thread_new(NULL);
	atexit(engine_leave_process);
	pthread_key_create(&at_end, after_destructors);
	catch_faults();
	return engine_calls();
}
