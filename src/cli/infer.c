/*
 * The commands that need LLVM and the solver live in a program of their own, so that the others start
 * without loading those libraries.
 */
#include "cli/cli.h"
#include "infer/usage.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int run(const struct command *self, int argc, char **argv)
{
	(void)self, (void)argc;
	char *program = tool_file("rethread-infer");
	execv(program, argv);
	die(EXIT_ERROR, "cannot run %s: %s", program, strerror(errno));
}

const struct command reproduce_command = {
	.name = "reproduce",
	.arguments = REPRODUCE_ARGUMENTS,
	.summary = "find an interleaving that fails the same way, and prove it by replaying",
	.details = REPRODUCE_DETAILS,
	.run = run,
};

const struct command infer_command = {
	.name = "infer",
	.arguments = "[TRACE] OPTIONS...",
	.summary = "the inference step of reproduce alone",
	.details = "Options and exit status are those of `rethread reproduce'; 0: an interleaving was found.\n",
	.run = run,
};
