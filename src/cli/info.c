#include "cli/cli.h"
#include "cli/run.h"
#include "cli/show.h"

#include <stdlib.h>
#include <unistd.h>

static void print_command(const struct trace *t)
{
	printf("command     ");
	for (size_t i = 0; t->argv && t->argv[i]; i++)
		printf("%s%s", i ? " " : "", t->argv[i]);
	printf("\n");
}

static int info(const struct command *self, int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == '-')
		usage_error(self, "takes no option `%s'", argv[1]);
	if (argc > 2)
		usage_error(self, "one trace at a time");
	struct trace *t = open_trace(argv[1]);
	uint64_t branches = 0, sync = 0, order = 0;
	for (uint32_t i = 0; i < t->nthreads; i++) {
		branches += t->threads[i].nbits;
		sync += t->threads[i].nsync;
		order += t->threads[i].norder;
	}
	char when[32], build[2 * RT_BUILD_ID_SIZE + 1], module[2 * RT_HASH_SIZE + 1];
	trace_when(t, when, sizeof when);
	hex(t->header.build_id, RT_BUILD_ID_SIZE, build);
	hex(t->header.module_hash, RT_HASH_SIZE, module);
	char *what = failure_line(&t->failure);
	printf("trace       %s\n", t->dir);
	printf("program     %s\n", *t->program ? t->program : "? (the trace does not say)");
	print_command(t);
	printf("directory   %s\n", t->cwd ? t->cwd : "?");
	printf("recorded    %s\n", when);
	if (trace_seconds(t) >= 0)
		printf("duration    %.3f s\n", trace_seconds(t));
	printf("scheme      %s\n", scheme_name(t->header.scheme));
	printf("failure     %s\n", what);
	if (t->failure.kind == RT_FAIL_ASSERT || t->failure.kind == RT_FAIL_SIGNAL)
		printf("in thread   %s\n", failing_thread_name(t));
	printf("threads     %u\n", t->nthreads);
	printf("branches    %llu bits\n", (unsigned long long)branches);
	printf("sync        %llu entries\n", (unsigned long long)sync);
	if (trace_is_rw(t))
		printf("order       %llu entries\n", (unsigned long long)order);
	printf("on disk     %llu bytes\n", (unsigned long long)trace_bytes(t));
	if (trace_ends_early(t))
		printf("incomplete  the log ends early: %s\n", trace_ends_early(t));
	if (t->header.flags & RT_LOG_VALUES)
		puts("values      too many to record them all: record --all-values does");
	printf("build-id    %s\n", build);
	printf("module      %s\n", module);
	char *schedule = xasprintf("%s/schedule", t->dir);
	printf("schedule    %s\n", access(schedule, F_OK) ? "none yet: rethread reproduce" : schedule);
	free(schedule);
	free(what);
	trace_free(t);
	return EXIT_DONE;
}

const struct command info_command = {
	.name = "info",
	.arguments = "[TRACE]",
	.summary = "what a trace is of: program, command, failure, sizes",
	.run = info,
};
