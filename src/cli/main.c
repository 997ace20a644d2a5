/*
 * rethread: finds the command in the table and runs it. Under the names rethread-cc and
 * rethread-c++, and under those of compilers, it is that command.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
	&cc_command,        &cxx_command,   &record_command, &hunt_command,
	&reproduce_command, &infer_command, &replay_command,
	&explain_command,   &analyze_command, &dump_command, &info_command,
	&ls_command,        &rm_command,    &strip_command,
	&help_command,      &version_command, NULL,
};

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* The command that a link to us is, by its name; NULL: the first argument tells. */
static const struct command *command_linked(const char *name)
{
	/* As one links to ccache, in a folder that comes early in PATH. */
	static const char *const c[] = {"cc", "gcc", "clang"}, *const cxx[] = {"c++", "g++", "clang++"};
	if (!strncmp(name, "rethread-", 9))
		return command_named(name + 9);
	return IS_ONE_OF(name, c) ? &cc_command : IS_ONE_OF(name, cxx) ? &cxx_command : NULL;
}

static bool asks_for_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

int main(int argc, char **argv)
{
	check_output_at_exit();
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	const struct command *link = command_linked(name);
	if (link)
		return link->run(link, argc, argv);
	if (argc < 2) {
		help_command.run(&help_command, 0, argv);
		return EXIT_USAGE;
	}
	name = argv[1];
	if (asks_for_help(name))
		name = "help";
	else if (!strcmp(name, "--version"))
		name = "version";
	const struct command *command = command_named(name);
	if (!command)
		die(EXIT_USAGE, "there is no command `%s'; `rethread help' lists them", name);
	bool is_compiler = command == &cc_command || command == &cxx_command;
	if (argc > 2 && !is_compiler && asks_for_help(argv[2]))
		return help_command.run(&help_command, 2, (char *[]){"help", argv[1], NULL});
	if (!is_compiler && command->run != infer_command.run) /* these look at their name */
		argv[1] = xasprintf("rethread: %s", command->name); /* what getopt_long begins its messages with */
	return command->run(command, argc - 1, argv + 1);
}
