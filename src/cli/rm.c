#include "cli/cli.h"
#include "trace/store.h"
#include "trace/trace.h"

#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * All that is in the folder of traces is one, also what a recording that was killed has left there. Elsewhere only what looks like a trace is
 * removed: with a log in it, a damaged one only beside a meta.json, or nothing at all. The names alone say little: many a folder has a
 * log.txt, or a meta.json.
 */
static bool looks_like_trace(const char *path)
{
	bool log = false, named = false, meta = false, other = false;
	struct rt_log_header h;
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		log = log || trace_log_header(path, e->d_name, &h);
		named = named || trace_log_pid(e->d_name) > 0;
		meta = meta || !strcmp(e->d_name, "meta.json");
		other = other || (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."));
	}
	if (dir)
		closedir(dir);
	return dir && (log || (named && meta) || !other);
}

static void remove_trace(const char *dir)
{
	struct error err;
	if (!traces_holds(dir) && !looks_like_trace(dir))
		die(EXIT_ERROR, "%s is no trace", dir);
	if (trace_is_held(dir))
		die(EXIT_ERROR, "%s is being recorded: end that first", dir);
	if (!remove_tree(dir, &err))
		die(EXIT_ERROR, "%s", err.text);
}

static int rm(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'}, {"help", no_argument, NULL, 'h'}, {0}};
	bool all = false;
	for (int c; (c = getopt_long(argc, argv, "ah", options, NULL)) != -1;) {
		if (c != 'a')
			usage_option(self, c, argv);
		all = true;
	}
	if (all == (optind < argc))
		usage_error(self, all ? "--all takes no names" : "which trace? --all removes every one");
	struct error err;
	for (; optind < argc; optind++) {
		char *dir = traces_find(argv[optind], &err);
		if (!dir)
			die(EXIT_ERROR, "%s", err.text);
		remove_trace(dir);
		free(dir);
	}
	if (all) {
		char *root = traces_root(), **names;
		size_t n = traces_list(&names);
		for (size_t i = 0; i < n; i++) {
			char *dir = xasprintf("%s/%s", root, names[i]);
			if (trace_is_held(dir))
				warn("%s is being recorded, and stays", dir);
			else
				remove_trace(dir);
			free(dir);
			free(names[i]);
		}
		free(names);
		free(root);
	}
	traces_mend_latest();
	return EXIT_DONE;
}

const struct command rm_command = {
	.name = "rm",
	.arguments = "TRACE... | --all",
	.summary = "remove traces",
	.details = "  -a, --all         every one in the folder of `rethread ls' that is not being recorded\n",
	.run = rm,
};
