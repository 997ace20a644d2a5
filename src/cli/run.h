/*
 * One recorded run of a program: started, watched, judged.
 *
 *     struct run_options o = {...};
 *     struct run_result r;
 *     if (!run_recorded(&o, dir, &r, &err)) ...
 *     if (r.failure.kind != RT_FAIL_NONE) ...
 */
#ifndef RETHREAD_RUN_H
#define RETHREAD_RUN_H

#include "base/base.h"

#include <rethread/trace.h>
#include <sys/types.h>

struct run_options {
	char *program;        /* absolute path */
	bool runner;          /* it is not recorded itself, but becomes a program that is, by exec, or starts some (runner.h) */
	char **argv;          /* NULL-terminated; argv[0] as the user gave it */
	const char *scheme;   /* NULL: the runtime's default */
	const char *max_log;  /* NULL: no cap */
	const char *twin;     /* scheme rw: what is run in the program's place, else NULL */
	bool shake;           /* scheme rw: threads give way at random */
	bool attempt;         /* with twin: under the conductor, as the files in the trace's directory say (hunt.h) */
	const char *build_id; /* with twin: the program's, in hex */
	const char *fail_if;  /* shell command, or NULL */
	long timeout;         /* seconds; 0: none */
	mode_t umask;         /* the program's; that of who calls is 077, since traces are private */
	bool no_env;          /* most of the environment is not kept */
	bool all_values;      /* however many */
	bool no_output;       /* what the program shows is not in the log */
	bool patient;         /* threads that find a lock taken sleep at once */
	uint64_t margin;      /* of time stamps (margin.h) */
};

struct run_result {
	pid_t pid;
	int status;                /* as waitpid gives it */
	bool logged;               /* the log is there */
	bool interrupted;          /* the user sent a signal that was to end it, or did: no verdict */
	struct rt_log_header log;  /* header of the log, when logged */
	struct rt_failure failure; /* the verdict; kind RT_FAIL_NONE when the run is fine */
	unsigned started;          /* how many processes that a runner started were recorded; 0: it has become the program itself */
};

struct exec_command;

/*
 * From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGALRM are forwarded to the program that runs, if
 * any; those that were ignored until now only where the program does not ignore them. run_signal says which of the first four came
 * last, 0 for none: they ask for an end of all runs. Call once, before the first run.
 */
void run_catch_signals(void);
int run_signal(void);

/* Run into the trace directory `dir`, which exists. False when the program could not be started. */
bool run_recorded(const struct run_options *o, const char *dir, struct run_result *r, struct error *err);

/* What the program finds in RETHREAD_OPTIONS, when it is recorded into `dir`. */
char *run_variable(const struct run_options *o, const char *dir);

/* meta.json of the run (docs/FORMAT.md). `other` is what the process has become by exec, or NULL. */
bool run_write_meta(const struct run_options *o, const char *dir, const struct run_result *r, const struct exec_command *other,
		    struct error *err);

/* "assert", "signal", ...: names of enum rt_failure_kind. */
const char *failure_kind_name(uint32_t kind);
/* One line about a failure, without the thread. */
char *failure_line(const struct rt_failure *f);

#endif
