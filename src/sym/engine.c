#include "sym/engine.h"

#include "sym/sync.h"

#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine engine;
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

static char *state_file(const char *name)
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
	write_file(state_file("error"), text, strlen(text), NULL);
	_exit(124);
}

/* ---- threads ---- */

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

bool engine_path_used_up(const struct ethread *t)
{
	return !t->log || (path_reader_at_end(&t->path) && t->ops >= t->log->info.sync_done);
}

bool engine_log_used_up(const struct ethread *t)
{
	return engine_path_used_up(t) && (!t->log || t->next_input >= t->log->ninputs);
}

/* Is the end of this thread part of the failure; at_end: where the program itself would end. */
static bool is_failing_thread(const struct ethread *t, bool at_end)
{
	const struct rt_failure *f = &engine.trace->failure;
	if (!t->log)
		return false;
	switch (f->kind) {
	case RT_FAIL_NONE:
		return false;
	case RT_FAIL_DEADLOCK: /* everyone who is in the cycle */
		return t->log->info.waits_for != 0;
	case RT_FAIL_TIMEOUT: /* everyone who was not done */
		return !t->log->info.ended;
	case RT_FAIL_EXIT:
	case RT_FAIL_PREDICATE: /* whoever ended the process */
		return at_end && (!engine.trace->header.exits || t->log->info.number + 1 == engine.trace->header.exits);
	default:
		return at_end && t->log->info.number == f->thread;
	}
}

bool engine_exits(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	bool fails_there = (kind == RT_FAIL_ASSERT || kind == RT_FAIL_SIGNAL) && is_failing_thread(t, true);
	return t->log && (fails_there || !engine_log_used_up(t));
}

bool engine_may_be_over(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	bool has_to_arrive = is_failing_thread(t, true) && kind != RT_FAIL_DEADLOCK && kind != RT_FAIL_TIMEOUT;
	return engine_log_used_up(t) && !has_to_arrive && !(t->log && t->log->info.ended);
}

bool engine_blocking_fails(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	return (kind == RT_FAIL_DEADLOCK || kind == RT_FAIL_TIMEOUT) && is_failing_thread(t, false);
}

bool engine_goes_too_far(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	return (kind == RT_FAIL_ASSERT || kind == RT_FAIL_SIGNAL) && is_failing_thread(t, true) &&
	       !(engine.trace->header.flags & (RT_LOG_FULL | RT_LOG_CAP));
}

/* Nothing that the thread still does can be what the other one has seen: that has come to its end, and earlier. */
static bool is_past(const struct ethread *t, const struct ethread *other)
{
	if (!other->ended && !(engine_path_used_up(other) && other->wait != WAIT_NOTHING))
		return false;
	return !engine.trace->header.time_margin || other->time < t->time;
}

bool engine_goes_round(struct ethread *t)
{
	enum { LONG_ENOUGH = 16, MANY_WORDS = 1 << 14 };
	if (engine.trace->failure.kind != RT_FAIL_TIMEOUT || !t->log || t->log->info.waits_for)
		return false;
	/* What is soon done is done: it may work, and then wait for something. */
	if ((uint64_t)(t->path.end - t->path.slot) + t->path.run < MANY_WORDS)
		return false;
	/* Where the order of locks is not known, others may have waited for what it is yet to do. */
	if (!engine.lock_order && t->ops < t->log->info.sync_done)
		return false;
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i] != t && !is_past(t, engine.threads.at[i]))
			return false;
	return ++t->alone > LONG_ENOUGH;
}

bool engine_fails_in_call(const struct ethread *t)
{
	return engine.trace->failure.kind == RT_FAIL_SIGNAL && engine_log_used_up(t) && is_failing_thread(t, true);
}

void engine_thread_ends(struct ethread *t, bool at_failure)
{
	if (t->ended)
		return;
	t->ended = true;
	struct event *e = event_add(t, EVENT_END, t->number, 0);
	t->end = event_last(t);
	if (is_failing_thread(t, at_failure)) {
		t->failed = true;
		e->flags |= EVENT_FAILS;
	}
}

void engine_ends_here(struct ethread *t, bool counted)
{
	/* Another thread's failure came first: in the replay this one must not get as far. */
	if (counted && !is_failing_thread(t, true))
		t->saps--;
	engine_thread_ends(t, true);
}

_Noreturn void engine_thread_over(struct ethread *t)
{
	engine_thread_ends(t, false);
	baton_leave(t);
}

/* ---- entry from native code ---- */

static void enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	if (!self)
		engine_fatal("%s is called on a thread that rethread did not see start",
			     interp_symbol_name(engine.interp, symbol));
	int was = engine_inside(1);
	unsigned nin, nout;
	interp_signature(engine.interp, symbol, &nin, &nout);
	struct slot arguments[nin + 1], results[nout + 1];
	for (unsigned i = 0; i < nin; i++)
		arguments[i] = (struct slot){ in[i], EXPR_NONE };
	if (!interp_call(self->interp, symbol, arguments, results))
		engine_thread_over(self);
	bool is_main = !strcmp(interp_symbol_name(engine.interp, symbol), "main") && !self->number;
	if (is_main && nout)
		shown_status(self, &results[0]);
	if (is_main && !engine_exits(self)) {
		/* Returning would end the process: the other threads go on to the end of their logs. */
		engine_thread_ends(self, true);
		engine_thread_over(self);
	}
	for (unsigned i = 0; i < nout; i++)
		out[i] = results[i].v;
	engine_inside(was);
}

/* ---- interposed calls: from the program's code into the engine and back ---- */

/* Back to the program: the step is done. */
static void leave(int was)
{
	if (self && self->signals)
		signals_at(self, RT_SIGNAL_STEP);
	engine_inside(was);
}

#define INSIDE(type, call)                \
	int was = engine_inside(1);       \
	type result = call;               \
	leave(was);               \
	return result

static int create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	INSIDE(int, sync_create(id, attr, routine, argument));
}

static int join(pthread_t id, void **value, const char *what)
{
	INSIDE(int, sync_join(id, value, what));
}

static int acquire(const void *object, const char *what)
{
	INSIDE(int, sync_acquire(object, what));
}

static int ordered(const void *object, enum rt_step step, const char *what)
{
	INSIDE(int, sync_ordered(object, step, what));
}

static int wait(const void *condition, const void *mutex, const char *what)
{
	INSIDE(int, sync_wait(condition, mutex, what));
}

static void signal_condition(const void *condition, bool all, const char *what)
{
	int was = engine_inside(1);
	sync_signal(condition, all, what);
	leave(was);
}

static enum rt_once once(const void *control)
{
	INSIDE(enum rt_once, sync_once(control));
}

static void release(const void *object, const char *what)
{
	int was = engine_inside(1);
	sync_release(object, what);
	leave(was);
}

static void plain(const char *what)
{
	int was = engine_inside(1);
	sync_plain(what);
	leave(was);
}

static void exit_thread(void *value)
{
	engine_inside(1);
	sync_exit(value);
}

static void jump(const void *buffer, int value)
{
	if (!self || !interp_jumps_to(buffer))
		return;
	engine_inside(1);
	self->native = NULL;
	interp_jump(self->interp, buffer, value);
}

static void cancel(pthread_t id)
{
	int was = engine_inside(1);
	sync_cancel(id);
	leave(was);
}

static int point(const char *what)
{
	INSIDE(int, sync_point(what));
}

static uint64_t place(uint64_t size, uint64_t align)
{
	int was = engine_inside(1);
	uint64_t at = self ? mirror_place(self, size, align) : 0;
	engine_inside(was);
	return at;
}

static const struct rt_input *input(uint32_t function, const char *what)
{
	INSIDE(const struct rt_input *, native_input(function, what));
}

static void input_done(void)
{
	leave(engine_inside(1));
}

static void reads(const void *from, uint64_t size)
{
	int was = engine_inside(1);
	native_reads(from, size);
	engine_inside(was);
}

static void writes(void *to, const void *bytes, uint64_t size)
{
	int was = engine_inside(1);
	native_writes(to, bytes, size);
	engine_inside(was);
}

static void shows(const void *from, const void *bytes, uint64_t size)
{
	int was = engine_inside(1);
	if (self)
		shown_bytes(self, 0, (uint64_t)(uintptr_t)from, bytes, size);
	engine_inside(was);
}

/* ---- exit handlers and thread-specific destructors: as in the recorded run, they run when a thread is done ---- */

static pthread_key_t at_end;

/* The process ends: also the first exit handler to be installed, so the last to run. */
static void leave_process(void)
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
	engine_thread_over(self);
}

void engine_thread_returns(void)
{
	signals_at(self, RT_SIGNAL_END);
	pthread_setspecific(at_end, (void *)1);
}

/* ---- start ---- */

/* In the replay the thread must not get as far: this fault would come first. */
static void ends_before_fault(struct ethread *t)
{
	bool is_event = t->events.n && t->events.at[t->events.n - 1].sap == t->saps;
	if (t->saps && !is_event)
		t->saps--;
	engine_thread_ends(t, false);
	ithread_stop(t->interp);
}

/*
 * A guess may lead a thread to a bad address before the race that misled it is known; the thread stops
 * there, and the next run knows better. Where the recorded failure is that fault, it is the failure.
 */
static void on_fault(int signal_number)
{
	if (!self || !self->interp)
		_exit(124);
	if (self->signals && signals_fault(self, signal_number))
		return;
	engine_inside(1); /* it may have been in native code, which it does not come back from */
	bool recorded = engine.trace->failure.kind == RT_FAIL_SIGNAL &&
			engine.trace->failure.signal == signal_number && engine_log_used_up(self) &&
			is_failing_thread(self, true);
	/* What comes after the end of its log may well be bad: the recorded run was over when another thread failed. */
	if (!recorded && engine_may_be_over(self)) {
		ends_before_fault(self);
		return;
	}
	if (!recorded) {
		struct position p;
		ithread_position(self->interp, &p);
		if (!engine.faults++)
			snprintf(engine.first_fault, sizeof engine.first_fault, "%s:%u (%s), thread %s", p.file, p.line,
				 p.function, self->name);
		guess_refute(self);
	}
	engine_thread_ends(self, recorded);
	ithread_stop(self->interp);
}

static void catch_faults(void)
{
	stack_t stack = { .ss_sp = xmalloc(65536), .ss_size = 65536 };
	sigaltstack(&stack, NULL);
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGABRT, &action, NULL); /* libraries give up by themselves: std::terminate, a pure virtual function */
}

static void read_known(void)
{
	char *data;
	size_t size;
	if (!read_file(state_file("racy"), &data, &size, NULL))
		return;
	for (size_t i = 0; i + sizeof(struct range) <= size; i += sizeof(struct range))
		memcpy(vec_push(&engine.known), data + i, sizeof(struct range));
	free(data);
}

static bool is_unmarked(void)
{
	char *path = xasprintf("%s/unmarked", engine.config->state);
	bool unmarked = !access(path, F_OK);
	free(path);
	return unmarked;
}

static void read_barriers(void)
{
	char *data;
	size_t size;
	if (!read_file(state_file("barriers"), &data, &size, NULL))
		return;
	for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
		memcpy(vec_push(&engine.open_barriers), data + i, sizeof(uint64_t));
	free(data);
}

const struct rt_engine *rethread_engine_start(const struct rt_engine_config *config)
{
	static const struct rt_engine api = {
		.abi = RT_ABI,      .enter = enter, .create = create, .join = join,
		.acquire = acquire, .release = release, .ordered = ordered, .plain = plain,
		.wait = wait,       .signal = signal_condition,
		.once = once,       .exit = exit_thread, .jump = jump, .leave = leave_process, .input = input, .input_done = input_done, .reads = reads, .writes = writes,
		.shows = shows,
		.cancel = cancel,   .point = point,       .place = place,
	};
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
	engine.lock_order = engine.trace->header.scheme == RT_SCHEME_PATH_SYNC;
	engine.freed_mark = engine.trace->header.freed_mark ? engine.trace->header.freed_mark : RT_FREED_MARK;
	engine.site_index = xcalloc(config->module->nsites + 1, sizeof *engine.site_index);
	*vec_push(&engine.sites) = (struct site_info){ .where = "?", .what = "?", .function = "?" };
	engine.unmarked = is_unmarked();
	read_known();
	read_barriers();
	guess_load();
	early_load();
	quiet_load();
	lines_load();
	time_load();
	recall_load();
	mirror_load();
	turns_load();
	engine.races = races_new(engine.known.at, engine.known.n);
	self = engine_thread_new(NULL);
	atexit(leave_process);
	pthread_key_create(&at_end, after_destructors);
	catch_faults();
	return &api;
}

/* ---- the end of the run ---- */

static void write_racy(const struct range *found, size_t nfound)
{
	size_t n = engine.known.n + nfound;
	struct range *all = xmalloc((n + 1) * sizeof *all);
	if (engine.known.n)
		memcpy(all, engine.known.at, engine.known.n * sizeof *all);
	if (nfound)
		memcpy(all + engine.known.n, found, nfound * sizeof *all);
	struct error err;
	if (!write_file(state_file("racy"), all, n * sizeof *all, &err))
		engine_fatal("%s", err.text);
}

static void write_barriers(void)
{
	struct error err;
	if (!write_file(state_file("barriers"), engine.open_barriers.at,
			engine.open_barriers.n * sizeof *engine.open_barriers.at, &err))
		engine_fatal("%s", err.text);
}

/* Threads that were ended before all that they did was done: what is left out may be what somebody else has seen. */
static size_t cut_short(void)
{
	size_t n = 0;
	for (size_t i = 0; i < engine.threads.n; i++)
		n += !engine_log_used_up(engine.threads.at[i]) || engine.threads.at[i]->left_going;
	return n;
}

static void write_status(size_t found)
{
	uint64_t saps = 0, instructions = 0, events = 0;
	bool failed = false;
	size_t doubts = engine.assumptions.n + recall_doubtful() + mirror_doubtful() + unordered_doubtful() + text_doubtful() + cut_short();
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *t = engine.threads.at[i];
		saps += t->saps;
		instructions += ithread_instructions(t->interp);
		events += t->events.n;
		failed |= t->failed;
	}
	json_t *status = json_pack(
		"{s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:b s:s s:s s:s s:s}", "found", (json_int_t)found, "early", (json_int_t)early_finish(), "racy",
		(json_int_t)engine.known.n, "saps", (json_int_t)saps, "instructions", (json_int_t)instructions,
		"events", (json_int_t)events, "symbols", (json_int_t)engine.symbols.n, "mismatches",
		(json_int_t)engine.mismatches, "assumptions", (json_int_t)doubts, "faults",
		(json_int_t)engine.faults, "refuted", (json_int_t)engine.refuted, "failed", failed,
		"first_mismatch", engine.first_mismatch, "first_fault", engine.first_fault, "numbers", numbers_made(), "possible_numbers",
		numbers_possible());
	/* Where everyone was left, for a reader of RETHREAD_KEEP=1. */
	json_t *threads = json_array();
	for (size_t i = 0; status && i < engine.threads.n; i++) {
		const struct ethread *t = engine.threads.at[i];
		struct position p;
		ithread_position(t->interp, &p);
		char at[200];
		snprintf(at, sizeof at, "%s:%u %s", p.file ? p.file : "?", p.line, p.function ? p.function : "?");
		json_array_append_new(threads, json_pack("{s:s s:s s:I s:I s:I s:i s:I s:b}", "name", t->name, "at", at, "saps",
							 (json_int_t)t->saps, "operations", (json_int_t)t->ops,
							 "recorded", (json_int_t)(t->log ? t->log->info.sync_done : 0),
							 "wait", (int)t->last_wait, "order",
							 (json_int_t)t->wait_order, "log_used_up",
							 engine_log_used_up(t)));
	}
	if (status)
		json_object_set_new(status, "threads", threads);
	if (!status || json_dump_file(status, state_file("status.json"), JSON_INDENT(1)))
		engine_fatal("cannot write %s", state_file("status.json"));
}

/* Cancelled where the log does not say it: what its cleanup handlers did is lost, and with it all that depends on that. */
static void check_cancelled(const struct ethread *t)
{
	if (t->cancelled && t->log && t->log->info.ended && !engine_log_used_up(t))
		engine_fatal("thread %s was cancelled in a call that is neither synchronization nor an input: which is not in the log",
			     t->name);
}

_Noreturn void engine_finish(void)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		check_cancelled(engine.threads.at[i]);
	for (size_t i = 0; i < engine.threads.n; i++)
		engine_thread_ends(engine.threads.at[i], false); /* blocked where its log ends */
	if (engine.mismatches || engine.faults)
		recall_share();
	size_t nfound, learnt = sync_finish() + mirror_finish() + turns_finish() + recall_finish() + quiet_finish();
	const struct range *found = races_found(engine.races, &nfound);
	guess_finish(nfound == 0 && !learnt);
	struct error err;
	if (!events_write(state_file("execution"), &err))
		engine_fatal("%s", err.text);
	write_racy(found, nfound);
	lines_write();
	write_barriers();
	write_status(nfound + learnt);
	_exit(0);
}
