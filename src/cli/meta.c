/* What `rethread record` adds to a trace when the run is over: meta.json (docs/FORMAT.md). */
#include "cli/run.h"

#include "trace/exec.h"
#include "exe/twin.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {
	[RT_FAIL_NONE] = "none",         [RT_FAIL_ASSERT] = "assert",   [RT_FAIL_SIGNAL] = "signal",
	[RT_FAIL_EXIT] = "exit",         [RT_FAIL_DEADLOCK] = "deadlock", [RT_FAIL_TIMEOUT] = "timeout",
	[RT_FAIL_PREDICATE] = "predicate",
};

const char *failure_kind_name(uint32_t kind)
{
	return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "unknown";
}

/* Only a fault has an address. */
static char *signal_line(const struct rt_failure *f)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	char name[32];
	signal_name(f->signal, name, sizeof name);
	if (f->address == RT_NO_ADDRESS)
		return xasprintf("%s at something that is no address", name);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (f->signal == faults[i])
			return xasprintf("%s at address 0x%llx", name, (unsigned long long)f->address);
	return xstrdup(name);
}

char *failure_line(const struct rt_failure *f)
{
	switch (f->kind) {
	case RT_FAIL_NONE:
		return xstrdup("no failure");
	case RT_FAIL_SIGNAL:
		return signal_line(f);
	case RT_FAIL_EXIT:
		return xasprintf("exit status %d", f->status);
	case RT_FAIL_DEADLOCK: {
		char *message = xasprintf("%.*s", RT_MESSAGE_SIZE, f->message), *who = deadlock_text(message), *line = xasprintf("deadlock: %s", who);
		free(message);
		free(who);
		return line;
	}
	default:
		return xasprintf("%s: %.*s", failure_kind_name(f->kind), RT_MESSAGE_SIZE, f->message);
	}
}

/* JSON is UTF-8: what is not goes as {"hex": "..."}. */
static json_t *text(const char *s)
{
	json_t *j = json_string(s);
	if (j)
		return j;
	char *hex = xcalloc(2 * strlen(s) + 1, 1);
	for (size_t i = 0; s[i]; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)s[i]);
	j = json_pack("{s:s}", "hex", hex);
	free(hex);
	return j;
}

/* Variables that the loader and the C library themselves look at, or that say where things are. */
static bool is_harmless(const char *variable)
{
	static const char *const names[] = {
		"HOME=", "LANG=", "LANGUAGE=", "LC_", "LD_", "LOGNAME=", "MALLOC_", "GLIBC_TUNABLES=", "OLDPWD=", "PATH=",
		"PWD=", "SHELL=", "TERM=", "TMPDIR=", "TZ=", "USER=", "OMP_", "XDG_",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_ours(const char *variable)
{
	return !strncmp(variable, "RETHREAD_OPTIONS=", 17);
}

/* As the program saw it: our own variable is the last. */
static json_t *environment(char **e, const char *ours, bool all)
{
	json_t *list = json_array();
	for (; *e; e++)
		if (!is_ours(*e) && (all || is_harmless(*e)))
			json_array_append_new(list, text(*e));
	json_array_append_new(list, text(ours));
	return list;
}

static char *own_variable(const struct run_options *o, const char *dir, const struct exec_command *other)
{
	for (char **e = other ? other->environment : NULL; e && *e; e++)
		if (is_ours(*e))
			return xstrdup(*e);
	char *value = run_variable(o, dir), *variable = xasprintf("RETHREAD_OPTIONS=%s", value);
	free(value);
	return variable;
}

static json_t *arguments(char **argv)
{
	json_t *list = json_array();
	for (size_t i = 0; argv[i]; i++)
		json_array_append_new(list, text(argv[i]));
	return list;
}

static json_t *verdict(const struct rt_failure *f)
{
	char message[RT_MESSAGE_SIZE + 1] = "";
	memcpy(message, f->message, RT_MESSAGE_SIZE);
	return json_pack("{s:s, s:i, s:i, s:o, s:i}", "kind", failure_kind_name(f->kind), "signal", f->signal,
			 "status", f->status, "message", text(message), "thread", (int)f->thread);
}

bool run_write_meta(const struct run_options *o, const char *dir, const struct run_result *r, const struct exec_command *other,
		    struct error *err)
{
	char *cwd = getcwd(NULL, 0), *path = xasprintf("%s/meta.json", dir), *ours = own_variable(o, dir, other);
	struct exec_command c = {.program = o->program, .cwd = cwd ? cwd : "/", .argv = o->argv, .environment = environ};
	if (other)
		c = *other;
	json_t *meta = json_pack("{s:o, s:o, s:o, s:o, s:i, s:s, s:i, s:o}", "program", text(c.program), "argv",
				 arguments(c.argv), "environment", environment(c.environment, ours, !o->no_env), "cwd",
				 text(*c.cwd ? c.cwd : "/"), "pid", (int)r->pid, "scheme",
				 o->scheme ? o->scheme : "path+sync", "status", r->status, "verdict",
				 verdict(&r->failure));
	json_object_set_new(meta, "fail_if", o->fail_if ? text(o->fail_if) : json_null());
	char *dump = json_dumps(meta, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	bool ok = dump ? write_file(path, dump, strlen(dump), err) : fail(err, "cannot write %s", path);
	if (!ok)
		unlink(path); /* what is there of it is of no use */
	free(dump);
	json_decref(meta);
	free(ours);
	free(path);
	free(cwd);
	return ok;
}
