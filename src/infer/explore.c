#include "infer/explore.h"

#include "exe/places.h"
#include "exe/sections.h"
#include "exe/symbols.h"
#include "exe/twin.h"
#include "exe/twin_server.h"
#include "infer/progress.h"
#include "model/decided.h"
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

typedef bool translator(const void *bitcode, size_t size, const char *code_file, struct error *err);

static bool make_code(const struct trace *t, const char *code, translator *translates, struct error *err)
{
	char *bitcode;
	size_t size;
	if (!sections_read(t->image, RT_SECTION_BITCODE, &bitcode, &size, err))
		return false;
	bool ok = translates(bitcode, size, code, err);
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
	s->faults = number(status, "faults");
	s->refuted = number(status, "refuted");
	s->early = number(status, "early");
	s->lulls = number(status, "lulls");
	s->shared_bytes = number(status, "shared_bytes");
	s->unseen = number(status, "unseen");
	s->failed = json_is_true(json_object_get(status, "failed"));
	const char *first = json_string_value(json_object_get(status, "first_mismatch"));
	snprintf(s->first_mismatch, sizeof s->first_mismatch, "%s", first ? first : "");
	first = json_string_value(json_object_get(status, "first_fault"));
	snprintf(s->first_fault, sizeof s->first_fault, "%s", first ? first : "");
	first = json_string_value(json_object_get(status, "outside"));
	snprintf(s->outside, sizeof s->outside, "%s", first ? first : "");
	first = json_string_value(json_object_get(status, "gone"));
	snprintf(s->gone, sizeof s->gone, "%s", first ? first : "");
	first = json_string_value(json_object_get(status, "answering"));
	snprintf(s->answering, sizeof s->answering, "%s", first ? first : "");
	json_decref(status);
	return true;
}

struct explorer {
	const struct trace *trace;
	const char *twin, *dir;
	struct twin_server *server; /* of its runs, from the first one on: what is learnt in one is about addresses */
	char *code;
	struct forced forced;
	double translated; /* seconds that took */
	unsigned waits; /* calls of explorer_wait that helped */
	unsigned lulled; /* calls of explorer_stir that came to nothing */
	char *nogoods;  /* before the last run */
	size_t nogoods_size;
};

/* One run of the executor. */
static bool run_once(struct explorer *e, const char *code, unsigned timeout, bool *timed_out, struct error *err)
{
	const char *dir = e->dir;
	char *engine = tool_file("librethread_engine.so");
	char *variable = xasprintf("mode=infer,engine=%s,trace=%s,code=%s,state=%s", engine, e->trace->dir, code, dir);
	char *status_file = xasprintf("%s/status.json", dir), *error_file = xasprintf("%s/error", dir);
	unlink(status_file);
	unlink(error_file);
	int status;
	*timed_out = false;
	if (!e->server)
		e->server = twin_server_start(e->trace, e->twin, getenv("RETHREAD_DEBUG_TWIN") == NULL, err);
	bool ok = e->server && twin_server_run(e->server, variable, timeout, &status, timed_out, err);
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

/* Line and file of a recorded fault, for the executor (src/sym/guess.c). */
static bool write_failure(const struct trace *t, const char *twin, const char *dir, struct error *err)
{
	if (t->failure.kind != RT_FAIL_SIGNAL || !t->failure.nframes)
		return true;
	struct symbols *symbols = symbols_open(trace_is_rw(t) ? twin : t->image, NULL);
	struct position p;
	bool ok = true;
	if (symbols && failure_code_site(symbols, &t->failure, &p) && p.file) {
		char *path = xasprintf("%s/failure", dir);
		const char *slash = strrchr(p.file, '/');
		char *text = xasprintf("%d %s\n", p.line, slash ? slash + 1 : p.file);
		ok = write_file(path, text, strlen(text), err);
		free(path);
		free(text);
	}
	if (symbols)
		symbols_close(symbols);
	return ok;
}

/* Where the recorded program had its symbols, for the executor (src/sym/recall.c). */
static bool write_places(const struct trace *t, const char *dir, struct error *err)
{
	uint64_t *at;
	size_t n;
	if (!places_read(t->image, &at, &n, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (at[i])
			at[i] += t->header.load_address;
	char *path = xasprintf("%s/places", dir);
	bool ok = write_file(path, at, n * sizeof *at, err);
	free(path);
	free(at);
	return ok;
}

static struct explorer *explorer_make(const struct trace *t, const char *twin, const char *dir, bool lines,
				      struct error *err)
{
	struct explorer *e = xcalloc(1, sizeof *e);
	double start = now();
	*e = (struct explorer){ .trace = t, .twin = twin, .dir = dir, .code = xasprintf("%s/code", dir), .forced.dir = dir };
	if (t->header.flags & RT_LOG_MIDDLE)
		fail(err, "process %u was forked by one that had other threads, or a long log: its own log begins there, so that it cannot be executed",
		     t->header.pid);
	else if (make_code(t, e->code, lines ? translate_with_lines : translate, err) && write_failure(t, twin, dir, err) && write_places(t, dir, err)) {
		e->translated = now() - start;
		return e;
	}
	explorer_free(e);
	return NULL;
}

struct explorer *explorer_new(const struct trace *t, const char *twin, const char *dir, struct error *err)
{
	return explorer_make(t, twin, dir, false, err);
}

struct explorer *explorer_new_with_lines(const struct trace *t, const char *twin, const char *dir, uint64_t most,
					 struct error *err)
{
	char *path = xasprintf("%s/lines", dir), *text = xasprintf("%llu\n", (unsigned long long)most);
	bool ok = write_file(path, text, strlen(text), err);
	free(path);
	free(text);
	return ok ? explorer_make(t, twin, dir, true, err) : NULL;
}

void explorer_free(struct explorer *e)
{
	twin_server_stop(e->server);
	free(e->nogoods);
	free(e->code);
	forced_release(&e->forced);
	free(e);
}

/* What was learnt before the run, for explorer_wait. */
static void keep_nogoods(struct explorer *e)
{
	char *path = xasprintf("%s/nogoods", e->dir);
	free(e->nogoods);
	e->nogoods = NULL;
	e->nogoods_size = 0;
	read_file(path, &e->nogoods, &e->nogoods_size, NULL); /* there may be none yet */
	free(path);
}

void explorer_unguide(struct explorer *e)
{
	char *guide = xasprintf("%s/guide", e->dir);
	unlink(guide);
	free(guide);
}

bool explorer_wait(struct explorer *e, const struct explore_stats *s)
{
	enum { MOST_WAITS = 12 };
	if (!s->early || e->waits == MOST_WAITS)
		return false;
	char *next = xasprintf("%s/early.next", e->dir), *early = xasprintf("%s/early", e->dir), *path = xasprintf("%s/nogoods", e->dir);
	struct error err;
	explorer_unguide(e); /* who follows an order waits for nothing else */
	bool ok = !rename(next, early) && write_file(path, e->nogoods ? e->nogoods : "", e->nogoods_size, &err);
	e->waits++;
	free(next);
	free(early);
	free(path);
	return ok;
}

bool explorer_stir(struct explorer *e, const struct explore_stats *s, bool wrong)
{
	enum { MOST_TRIES = 4 };
	if (!s->lulls || (!wrong && e->lulled++ < MOST_TRIES))
		return false;
	char *path = xasprintf("%s/stirred", e->dir);
	struct error err;
	bool ok = write_file(path, "", 0, &err);
	free(path);
	return ok;
}

bool explorer_place(struct explorer *e)
{
	static const char *const found[] = { "racy", "values", "nogoods", "early", "suspects", "quiet", "lulls", "stirred", "turns", "guide" };
	struct error err;
	char *path = xasprintf("%s/placed", e->dir);
	bool again = !access(path, F_OK), ok = !again && write_file(path, "", 0, &err);
	free(path);
	for (size_t i = 0; ok && i < sizeof found / sizeof *found; i++) {
		path = xasprintf("%s/%s", e->dir, found[i]);
		unlink(path);
		free(path);
	}
	if (!ok)
		return false;
	forced_release(&e->forced);
	e->forced = (struct forced){ .dir = e->dir };
	e->waits = e->lulled = 0;
	return true;
}

enum explore_result explorer_run(struct explorer *e, double seconds, struct execution *x,
				 struct explore_stats *stats, struct error *err)
{
	double start = now(), before = stats->seconds;
	keep_nogoods(e);
	for (uint64_t found = 1; found;) {
		double left = seconds - (now() - start);
		if (left <= 0) {
			fail(err, "the budget ended before the racy locations were known");
			return EXPLORE_BUDGET;
		}
		bool timed_out;
		stats->runs++;
		if (!run_once(e, e->code, (unsigned)left + 1, &timed_out, err))
			return timed_out ? EXPLORE_BUDGET : EXPLORE_ERROR;
		if (!read_status(e->dir, stats, &found, err))
			return EXPLORE_ERROR;
		stats->seconds = before + now() - start;
		progress_status("executing symbolically: run %u, %llu racy locations, %llu symbols", stats->runs,
				(unsigned long long)stats->racy, (unsigned long long)stats->symbols);
	}
	char *result = xasprintf("%s/execution", e->dir);
	bool ok = execution_read(x, result, err);
	free(result);
	if (ok)
		execution_decide(x);
	return ok ? EXPLORE_DONE : EXPLORE_ERROR;
}

static enum explore_numbers read_numbers(const char *status_file, char *where, size_t size)
{
	json_t *status = json_load_file(status_file, 0, NULL);
	const char *made = json_string_value(json_object_get(status, "numbers"));
	const char *possible = json_string_value(json_object_get(status, "possible_numbers"));
	bool known = made && possible;
	snprintf(where, size, "%s", !known ? "the executor left no result" : *made ? made : possible);
	enum explore_numbers result = !known ? NUMBERS_UNKNOWN : *made ? NUMBERS_MADE : *possible ? NUMBERS_POSSIBLE : NUMBERS_NONE;
	json_decref(status);
	return result;
}

enum explore_numbers explorer_numbers(struct explorer *e, double seconds, char *where, size_t size)
{
	struct error err;
	bool timed_out;
	char *code = xasprintf("%s/numbers", e->dir), *status_file = xasprintf("%s/status.json", e->dir);
	enum explore_numbers result = NUMBERS_UNKNOWN;
	if (make_code(e->trace, code, translate_with_numbers, &err) &&
	    run_once(e, code, (unsigned)seconds + 1, &timed_out, &err))
		result = read_numbers(status_file, where, size);
	else
		snprintf(where, size, "%s", err.text);
	free(code);
	free(status_file);
	return result;
}

static bool read_tied(const char *dir, tied_list *out, struct error *err)
{
	char *path = xasprintf("%s/tied", dir), *data = NULL;
	size_t size;
	bool ok = read_file(path, &data, &size, err);
	for (size_t i = 0; ok && i < size / sizeof *out->at; i++)
		memcpy(vec_push(out), data + i * sizeof *out->at, sizeof *out->at);
	free(data);
	free(path);
	return ok;
}

static bool write_asked(const char *path, const struct ties_asked *asked, const ties_values *values, struct error *err)
{
	size_t size = sizeof *asked + values->n * sizeof *values->at;
	char *data = xmalloc(size);
	memcpy(data, asked, sizeof *asked);
	if (values->n)
		memcpy(data + sizeof *asked, values->at, values->n * sizeof *values->at);
	bool ok = write_file(path, data, size, err);
	free(data);
	return ok;
}

bool explorer_ties(struct explorer *e, const struct ties_asked *asked, const ties_values *values, const struct execution *x, const uint64_t *symbols, double seconds, tied_list *out, struct error *err)
{
	if (e->translated > seconds / 2)
		return fail(err, "it takes too long to translate the program");
	char *code = xasprintf("%s/choices", e->dir), *forced = xasprintf("%s/values", e->dir), *ask = xasprintf("%s/ties", e->dir), *tied = xasprintf("%s/tied", e->dir), *old = NULL;
	size_t size = 0;
	bool timed_out, had = read_file(forced, &old, &size, NULL);
	unlink(tied);
	bool ok = (!access(code, F_OK) || make_code(e->trace, code, translate_with_choices, err)) && forced_write(e->dir, x, symbols, err) &&
		  write_asked(ask, asked, values, err) && run_once(e, code, (unsigned)seconds + 1, &timed_out, err) &&
		  read_tied(e->dir, out, err);
	struct error ignored;
	if (had)
		write_file(forced, old, size, &ignored);
	else
		unlink(forced);
	unlink(ask);
	free(code);
	free(forced);
	free(ask);
	free(tied);
	free(old);
	return ok;
}

bool explorer_reorder(struct explorer *e, const struct execution *x, const struct step *steps, size_t nsteps,
		      unsigned seed, struct error *err)
{
	char *path = xasprintf("%s/seed", e->dir), *guide = xasprintf("%s/guide", e->dir);
	char *text = xasprintf("%u\n", seed);
	vec(struct guide_run) runs = { 0 };
	for (size_t i = 0; i < nsteps; i++) {
		const struct event *v = &x->events.at[steps[i].event];
		uint32_t thread = x->threads.at[v->thread].log_number;
		if (!runs.n || runs.at[runs.n - 1].thread != thread)
			*vec_push(&runs) = (struct guide_run){ .thread = thread };
		if (runs.at[runs.n - 1].sap < v->sap)
			runs.at[runs.n - 1].sap = v->sap;
	}
	bool ok = write_file(path, text, strlen(text), err);
	if (ok && steps)
		ok = write_file(guide, runs.at, runs.n * sizeof *runs.at, err);
	vec_free(&runs);
	free(path);
	free(guide);
	free(text);
	return ok;
}

bool explorer_guide(struct explorer *e, const struct guide_run *runs, size_t n, struct error *err)
{
	char *guide = xasprintf("%s/guide", e->dir);
	bool ok = write_file(guide, runs, n * sizeof *runs, err);
	free(guide);
	return ok;
}

struct forced *explorer_forced(struct explorer *e)
{
	return &e->forced;
}
