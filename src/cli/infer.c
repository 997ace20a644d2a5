/*
 * The commands that need LLVM and the solver live in a program of their own, so that the others start
 * without loading those libraries.
 */
#include "cli/cli.h"

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
	.arguments = "[TRACE] [--budget SEC] [--memory-model sc|tso|pso] [--json FILE]\n"
		     "                          [--smt2 FILE] [--explain-formula] [--no-time]",
	.summary = "find an interleaving that fails the same way, and prove it by replaying",
	.details = "  --engine E        auto (default): solve, then search; solve; search; follow\n"
		   "  --budget SEC      time for all of it (default 300)\n"
		   "  --memory-model M  sc, tso or pso (default: sc, then tso)\n"
		   "  --seed N          of engine search: another number, other attempts (default 1)\n"
		   "  --workers N       threads that solve at a time (default: as many as there are processors)\n"
		   "  --no-time         do not believe time stamps\n"
		   "  --json FILE       figures\n"
		   "  --smt2 FILE       the formula\n"
		   "\n"
		   "Exit status: 0 reproduced, 1 proven that no interleaving explains the log, 3 the budget\n"
		   "ended, 4 an error.\n",
	.run = run,
};

const struct command infer_command = {
	.name = "infer",
	.arguments = "[TRACE] OPTIONS...",
	.summary = "the inference step of reproduce alone",
	.run = run,
};
