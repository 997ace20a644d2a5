/*
 * The commands of `rethread`: one file each, which defines one struct command; main.c has the table.
 */
#ifndef RETHREAD_CLI_H
#define RETHREAD_CLI_H

#include "base/base.h"

#define RETHREAD_VERSION "0.1"

struct command {
	const char *name;
	const char *arguments; /* "[-o DIR] PROG ARGS..." */
	const char *summary;   /* one line for `rethread help` */
	const char *details;   /* for `rethread help NAME`: options, exit status; may be NULL */
	/* argv[0] is what messages of getopt_long begin with; returns the exit status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cc_command, cxx_command, record_command, hunt_command, reproduce_command, infer_command,
	replay_command, strip_command, explain_command, analyze_command, dump_command, info_command, ls_command, rm_command,
	help_command, version_command;

/* The commands in the order of `rethread help`, NULL-terminated. */
extern const struct command *const commands[];

/* How to use the command, on `to`. */
void command_usage(const struct command *self, FILE *to);

/* "rethread: NAME: MESSAGE", the usage line on stderr, then exit(EXIT_USAGE). */
_Noreturn void usage_error(const struct command *self, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Options every command has: --help prints the usage and exits 0. For getopt_long's '?' and 'h'. */
_Noreturn void usage_option(const struct command *self, int option, char **argv);

/* A whole decimal number from 1 to `most`, or usage_error naming the option. */
long usage_number(const struct command *self, const char *option, const char *text, long most);

#endif
