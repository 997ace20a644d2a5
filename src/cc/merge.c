#include "cc/merge.h"

#include "cc/linker.h"


static void set_priority(struct job *job, unsigned priority)
{
	char *plugin = tool_file("librethread_pass.so");
	char number[16];
	snprintf(number, sizeof number, "%u", priority);
	linker_add(&job->argv, "--load-pass-plugin=", plugin);
	strings_add(&job->environment, "RETHREAD_PASS=library");
	linker_add(&job->environment, "RETHREAD_PASS_PRIORITY=", number);
	free(plugin);
}

bool merge_bitcode(const struct merge *m, const struct job *job, bool verbose, struct error *err)
{
	struct job merge = {.argv = strings_copy(&job->argv), .output = m->trace};
	linker_drop_side_outputs(&merge.argv);
	linker_set_output(&merge.argv, m->module);
	strings_add(&merge.argv, "--lto-emit-llvm");
	strings_add(&merge.argv, "--lto-O0");
	strings_add(&merge.argv, "--trace");
	if (m->priority)
		set_priority(&merge, m->priority);
	if (verbose)
		job_print(&merge);
	int status = jobs_run(&merge, 1, 1, false);
	job_release(&merge);
	if (!status)
		return true;
	char *why = linker_complaint(m->trace);
	fail(err, "%s", why);
	free(why);
	return false;
}
