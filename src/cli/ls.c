#include "cli/cli.h"
#include "cli/run.h"
#include "cli/show.h"
#include "trace/store.h"

#include <stdlib.h>

static int ls(const struct command *self, int argc, char **argv)
{
	if (argc > 1)
		usage_error(self, "takes no argument, not `%s'", argv[1]);
	char **names, *root = traces_root();
	size_t n = traces_list(&names);
	for (size_t i = 0; i < n; i++) {
		char *dir = xasprintf("%s/%s", root, names[i]), when[32];
		struct error err;
		struct trace *t = trace_open(dir, &err);
		if (t) {
			char *what = failure_line(&t->failure);
			trace_when(t, when, sizeof when);
			printf("%-40s  %s  %s\n", names[i], when, what);
			free(what);
			trace_free(t);
		} else {
			printf("%-40s  unreadable: %s\n", names[i], err.text);
		}
		free(dir);
		free(names[i]);
	}
	free(names);
	free(root);
	return EXIT_DONE;
}

const struct command ls_command = {
	.name = "ls",
	.arguments = "",
	.summary = "the traces there are, newest first",
	.run = ls,
};
