#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void command_usage(const struct command *self, FILE *to)
{
	fprintf(to, "usage: rethread %s%s%s\n", self->name, *self->arguments ? " " : "", self->arguments);
}

static void print_help(const struct command *c)
{
	command_usage(c, stdout);
	printf("\n%s.\n", c->summary);
	if (c->details)
		printf("\n%s", c->details);
}

_Noreturn void usage_error(const struct command *self, const char *format, ...)
{
	va_list ap;
	fprintf(stderr, "rethread: %s: ", self->name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	command_usage(self, stderr);
	exit(EXIT_USAGE);
}

_Noreturn void usage_option(const struct command *self, int option, char **argv)
{
	if (option == 'h') {
		print_help(self);
		exit(EXIT_DONE);
	}
	(void)argv; /* getopt_long has said what is wrong */
	command_usage(self, stderr);
	exit(EXIT_USAGE);
}

long usage_number(const struct command *self, const char *option, const char *text, long most)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	bool is_good = end != text && !*end && !errno && n >= 1 && n <= most;
	if (!is_good && most == LONG_MAX)
		usage_error(self, "%s takes a number, 1 or more, not `%s'", option, text);
	if (!is_good)
		usage_error(self, "%s takes a number from 1 to %ld, not `%s'", option, most, text);
	return n;
}

static int help(const struct command *self, int argc, char **argv)
{
	(void)self;
	if (argc > 1) {
		for (size_t i = 0; commands[i]; i++) {
			if (!strcmp(commands[i]->name, argv[1])) {
				print_help(commands[i]);
				return EXIT_DONE;
			}
		}
		die(EXIT_USAGE, "there is no command `%s'; `rethread help' lists them", argv[1]);
	}
	printf("rethread makes concurrency bugs of C and C++ programs reproducible.\n\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  rethread %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n`rethread help COMMAND' or `man rethread' say more.\n");
	return EXIT_DONE;
}

const struct command help_command = {
	.name = "help",
	.arguments = "[COMMAND]",
	.summary = "what the commands are and how one is used",
	.run = help,
};

static int version(const struct command *self, int argc, char **argv)
{
	(void)self, (void)argc, (void)argv;
	printf("rethread %s\n", RETHREAD_VERSION);
	return EXIT_DONE;
}

const struct command version_command = {
	.name = "version",
	.arguments = "",
	.summary = "the version",
	.run = version,
};
