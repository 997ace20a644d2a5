#include "cli/cli.h"
#include "exe/companion.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static void make_parent(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');
	struct error err;
	if (slash && slash != dir) {
		*slash = 0;
		if (!make_dirs(dir, &err))
			die(EXIT_ERROR, "%s", err.text);
	}
	free(dir);
}

static int strip(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'}, {"store", no_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},         {0},
	};
	const char *output = NULL;
	bool store = false;
	for (int c; (c = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
		if (c == 'o')
			output = optarg;
		else if (c == 's')
			store = true;
		else
			usage_option(self, c, argv);
	}
	if (argc - optind != 1)
		usage_error(self, "which program?");
	const char *program = argv[optind];
	struct error err;
	char *path = output ? xstrdup(output) : companion_path(program, store, &err);
	if (!path)
		die(EXIT_ERROR, "%s", err.text);
	make_parent(path);
	if (!companion_strip(program, path, &err))
		die(EXIT_ERROR, "%s", err.text);
	printf("%s\n", path);
	free(path);
	return EXIT_DONE;
}

const struct command strip_command = {
	.name = "strip",
	.arguments = "[--store | -o FILE] PROG",
	.summary = "move what replay needs from a program to a companion file",
	.details = "  --store           to the user's folder of companions, by build-id\n"
		   "  -o, --output FILE to FILE\n"
		   "\n"
		   "Without either the companion is PROG.rethread, beside the program. It is found again there, in\n"
		   "${XDG_DATA_HOME:-~/.local/share}/rethread/debug and in /usr/lib/debug/.build-id, by build-id.\n"
		   "Prints the companion's name. The stripped program records as before.\n",
	.run = strip,
};
