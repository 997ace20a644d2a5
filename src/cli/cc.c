#include "cc/cc.h"
#include "cli/cli.h"

#define DETAILS                                                                                     \
	"Every option is clang's. Objects also carry bitcode; a link makes the recorded program,\n"   \
	"with its bitcode and its twin inside. Shared libraries are linked as clang does, and keep\n" \
	"their bitcode: programs linked against them by rethread get the code itself, to record\n"   \
	"it. RETHREAD_KEEP_SHARED=all, or =LIBRARY:LIBRARY..., keeps such libraries shared.\n"        \
	"What cannot be recorded, such as static programs, is linked with a warning. RETHREAD_CC\n"   \
	"and RETHREAD_CXX name another clang of version 19. The exit status is clang's.\n"

static int run_cc(const struct command *self, int argc, char **argv)
{
	(void)self;
	return cc_main(argc, argv, false);
}

static int run_cxx(const struct command *self, int argc, char **argv)
{
	(void)self;
	return cc_main(argc, argv, true);
}

const struct command cc_command = {
	.name = "cc",
	.arguments = "ARGUMENTS OF clang...",
	.summary = "compile and link C like clang; the program gains a recorder",
	.details = DETAILS,
	.run = run_cc,
};

const struct command cxx_command = {
	.name = "c++",
	.arguments = "ARGUMENTS OF clang++...",
	.summary = "the same for C++",
	.details = DETAILS,
	.run = run_cxx,
};
