/* The twin's first constructor: reads RETHREAD_TWIN and sets the mode up. */
#include "replay/conductor.h"
#include "replay/inputs.h"
#include "replay/interpose.h"
#include "replay/recorder.h"
#include "rt/allocator.h"
#include "rt/failure.h"
#include "rt/real.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum twin_mode twin_mode;
const struct rt_engine *twin_engine;
const char *twin_program = "";
int __rethread_infer;

struct setting {
	char mode[16], schedule[512], report[512], engine[512], trace[512], code[512], state[512], timeout[16], log[512], sketch[512],
		attempt[512], build[64], program[512], shake[16], hangs[16], line[16];
};

#define FIELD(name) { #name, offsetof(struct setting, name), sizeof((struct setting *)0)->name }
static const struct {
	const char *key;
	size_t offset, size;
} fields[] = {
	FIELD(mode), FIELD(schedule), FIELD(report), FIELD(engine),
	FIELD(trace), FIELD(code), FIELD(state), FIELD(timeout), FIELD(log), FIELD(build),
	FIELD(sketch), FIELD(attempt),
	FIELD(program), FIELD(shake), FIELD(hangs), FIELD(line),
};

static void complain(const char *what, const char *value)
{
	dprintf(STDERR_FILENO, "rethread: " RT_TWIN_VARIABLE ": %s%s\n", what, value);
}

static bool parse(const char *text, struct setting *s)
{
	while (*text) {
		size_t key = strcspn(text, "=,"), length = text[key] == '=' ? strcspn(text + key + 1, ",") : 0;
		bool known = false;
		for (size_t i = 0; i < sizeof fields / sizeof *fields && !known; i++)
			if (strlen(fields[i].key) == key && !memcmp(text, fields[i].key, key)) {
				if (length >= fields[i].size) {
					complain("value too long for ", fields[i].key);
					return false;
				}
				memcpy((char *)s + fields[i].offset, text + key + 1, length);
				known = true;
			}
		if (!known) {
			complain("unknown key in ", text);
			return false;
		}
		text += key + (text[key] == '=') + length;
		text += *text == ',';
	}
	return true;
}

static void on_failure(void)
{
	report_outcome(RT_REPLAY_FAILED, twin_own(), "%s", twin_report->failure.message);
}

/* What the mode replay has, and record may have: a report, a schedule, inputs of a recorded run. */
static void open_files(const struct setting *s)
{
	char message[RT_MESSAGE_SIZE];
	if (*s->report)
		report_open(s->report);
	if (*s->schedule && !schedule_load(s->schedule, message, sizeof message)) {
		report_outcome(RT_REPLAY_ERROR, NULL, "%s", message);
		complain(message, "");
		_exit(125);
	}
	if (schedule_has_disorder())
		disorder_watch();
	if (*s->log)
		input_log_open(s->log);
}

static void start_replay(const struct setting *s)
{
	open_files(s);
	twin_mode = TWIN_REPLAY;
	int seconds = atoi(s->timeout);
	watchdog_start(seconds > 0 ? (unsigned)seconds : 30);
	shake_start((uint32_t)strtoul(s->shake, NULL, 10));
	if (*s->hangs == '1')
		watchdog_expects_no_end();
}

static void start_record(const struct setting *s, const char *options)
{
	open_files(s);
	if (schedule_memory() != TWIN_SC) {
		report_outcome(RT_REPLAY_ERROR, NULL, "a recording's schedule is under model sc");
		complain("a recording's schedule is under model sc", "");
		_exit(125);
	}
	if (!options || !recorder_start(options, s->build))
		return;
	twin_mode = TWIN_RECORD;
	twin_program = s->program;
	recorder_shake(*s->shake == '1');
	if (*s->attempt) {
		if (conductor_start(s->sketch, s->attempt))
			return;
		complain("cannot make the attempt ", s->attempt);
		_exit(125);
	}
	int seconds = atoi(s->timeout);
	watchdog_start(seconds > 0 ? (unsigned)seconds : UINT32_MAX / 20); /* else whoever records ends it */
}

static void start_infer(const struct setting *s)
{
	*heap_engine() = 1;
	void *library = dlopen(s->engine, RTLD_NOW | RTLD_LOCAL);
	rt_engine_start_fn *start_engine =
		library ? (rt_engine_start_fn *)dlsym(library, "rethread_engine_start") : NULL;
	if (!start_engine) {
		const char *why = dlerror();
		char path[600];
		snprintf(path, sizeof path, "%s/error", s->state);
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		dprintf(fd, "cannot load the engine: %s", why ? why : "it is not one");
		_exit(125);
	}
	static char trace[512], code[512], state[512];
	strcpy(trace, s->trace);
	strcpy(code, s->code);
	strcpy(state, s->state);
	static struct rt_engine_config config;
	config = (struct rt_engine_config){ RT_ABI, &__rethread_twin_module, trace, code, state,
					    rt_real.pthread_create, rt_real.pthread_join, heap_engine,
					    heap_block, heap_marks, signals_deliver, input_shared_bytes };
	heap_start();
	twin_engine = start_engine(&config);
	if (!twin_engine)
		_exit(125);
	*heap_engine() = 0;
	twin_mode = TWIN_INFER;
	__rethread_infer = 1;
}

void __rethread_enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	twin_engine->enter(symbol, in, out);
}

/* getenv does not work yet this early: the C library has not been told of the environment. */
static const char *variable(char **env, const char *name)
{
	size_t n = strlen(name);
	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

/*
 * The recorded program had one variable of ours, behind its own: programs that walk over their environment, to write a title there, do as many
 * rounds again. Ours is the last.
 */
static void hide_second(char **env)
{
	size_t n = 0;
	if (!variable(env, "RETHREAD_OPTIONS"))
		return;
	while (env[n])
		n++;
	if (n && !strncmp(env[n - 1], RT_TWIN_VARIABLE "=", sizeof RT_TWIN_VARIABLE))
		env[n - 1] = NULL;
}

static void start(int argc, char **argv, char **env)
{
	(void)argc, (void)argv;
	rt_real_init();
	static struct setting s;
	const char *text = variable(env, RT_TWIN_VARIABLE);
	if (text)
		hide_second(env);
	if (text && !parse(text, &s))
		_exit(125);
	if (!strcmp(s.mode, "serve")) {
		static char setting[4096];
		serve(atoi(s.line), setting, sizeof setting);
		memset(&s, 0, sizeof s);
		if (!parse(setting, &s))
			_exit(125);
	}
	if (text)
		rt_allocator_detach();
	if (!strcmp(s.mode, "replay"))
		start_replay(&s);
	else if (!strcmp(s.mode, "record"))
		start_record(&s, variable(env, "RETHREAD_OPTIONS"));
	else if (!strcmp(s.mode, "infer")) {
		/* Loading the engine initialises the C library, with this environment. */
		environ = env;
		start_infer(&s);
	}
	else if (*s.mode) {
		complain("unknown mode ", s.mode);
		_exit(125);
	}
	if (twin_mode != TWIN_FREE)
		signals_start();
	if (twin_mode == TWIN_INFER)
		return;
	interpose_start();
	interpose_thread(twin_thread_add(NULL));
	if (twin_mode == TWIN_REPLAY)
		rt_failure_install(&twin_report->failure, twin_self_number, on_failure);
}

/* Before every constructor of the program and of its libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = start;

__attribute__((destructor)) static void ended(void)
{
	gate_no_further();
	report_outcome(RT_REPLAY_ENDED, NULL, "the program ended without failing");
}
