#include "infer/explore.h"

#include "exe/sections.h"
#include "exe/twin.h"
#include "sym/translate.h"

#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool make_code(const struct trace *t, const char *code, struct error *err)
{
	char *bitcode;
	size_t size;
	if (!sections_read(t->program, RT_SECTION_BITCODE, &bitcode, &size, err))
		return false;
	bool ok = translate(bitcode, size, code, err);
	free(bitcode);
	return ok;
}

static uint64_t number(json_t *status, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(status, key));
}

static bool read_status(const char *dir, struct explore_stats *s, uint64_t *found, struct error *err)
{
	char *path = xasprintf("%s/status.json", dir);
	json_t *status = json_load_file(path, 0, NULL);
	free(path);
	if (!status)
		return fail(err, "the executor left no result");
	*found = number(status, "found");
	s->racy = number(status, "racy") + *found;
	s->saps = number(status, "saps");
	s->instructions = number(status, "instructions");
	s->events = number(status, "events");
	s->symbols = number(status, "symbols");
	s->mismatches = number(status, "mismatches");
	s->assumptions = number(status, "assumptions");
	s->failed = json_is_true(json_object_get(status, "failed"));
	const char *first = json_string_value(json_object_get(status, "first_mismatch"));
	snprintf(s->first_mismatch, sizeof s->first_mismatch, "%s", first ? first : "");
	json_decref(status);
	return true;
}

/* One run of the executor. */
static bool run_once(const struct trace *t, const char *twin, const char *dir, const char *code,
		     unsigned timeout, bool *timed_out, struct error *err)
{
	char *engine = tool_file("librethread_engine.so");
	char *variable = xasprintf("mode=infer,engine=%s,trace=%s,code=%s,state=%s", engine, t->dir, code, dir);
	char *status_file = xasprintf("%s/status.json", dir), *error_file = xasprintf("%s/error", dir);
	unlink(status_file);
	unlink(error_file);
	struct twin_run run = { variable, getenv("RETHREAD_DEBUG_TWIN") == NULL, timeout };
	int status;
	bool ok = twin_run(t, twin, &run, &status, timed_out, err);
	char *text = NULL;
	if (ok && *timed_out)
		ok = fail(err, "the executor did not finish within the budget");
	else if (ok && read_file(error_file, &text, NULL, NULL))
		ok = fail(err, "%s", text);
	else if (ok && WIFSIGNALED(status))
		ok = fail(err, "the executor died: %s", strsignal(WTERMSIG(status)));
	else if (ok && WEXITSTATUS(status))
		ok = fail(err, "the executor ended with status %d", WEXITSTATUS(status));
	free(text);
	free(engine);
	free(variable);
	free(status_file);
	free(error_file);
	return ok;
}

bool explore(const struct trace *t, const char *twin, const char *dir, double budget,
	     explore_progress *progress, void *data, struct execution *x, struct explore_stats *stats,
	     bool *out_of_budget, struct error *err)
{
	double start = now();
	memset(stats, 0, sizeof *stats);
	*out_of_budget = false;
	char *code = xasprintf("%s/code", dir), *result = xasprintf("%s/execution", dir);
	bool ok = make_code(t, code, err);
	for (uint64_t found = 1; ok && found;) {
		double left = budget - (now() - start);
		if (budget > 0 && left <= 0) {
			*out_of_budget = true;
			ok = fail(err, "the budget ended before the racy locations were known");
			break;
		}
		unsigned timeout = budget > 0 ? (unsigned)left + 1 : 0;
		stats->runs++;
		ok = run_once(t, twin, dir, code, timeout, out_of_budget, err) &&
		     read_status(dir, stats, &found, err);
		stats->seconds = now() - start;
		if (ok && progress)
			progress(stats, data);
	}
	if (ok)
		ok = execution_read(x, result, err);
	free(code);
	free(result);
	return ok;
}
