#include "search/search.h"

#include "infer/follow.h"
#include "infer/progress.h"
#include "search/attempt.h"
#include "search/sketch.h"
#include "search/tree.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_JOBS = 8,
	FIRST_STEPS = 50 * 1000 * 1000, /* SAPs of an attempt, before anything is known of the program */
	LEAST_STEPS = 100 * 1000,
};

struct searcher {
	const struct search_options *options;
	struct search_stats *stats;
	struct attempt_setting setting;
	struct attempt slots[MOST_JOBS];
	struct recipe recipes[MOST_JOBS];
	unsigned jobs;
	struct tree *tree;
	uint8_t racy[RT_RACY_SITES / 8];
	uint64_t length; /* SAPs of a whole run, about */
	unsigned chances; /* attempts of the random kind so far */
	bool slow;        /* as recorded, threads busy-wait for too long */
	bool progress;    /* the last attempts got further than all before */
	double end;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
	interrupted = signal;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what to try ---- */

static bool has_time(const struct searcher *s)
{
	const struct trace *t = s->options->trace;
	return s->options->use_time && !s->slow && t->header.time_margin && t->header.scheme != RT_SCHEME_BASE;
}

/* The kinds take turns: in the recorded order with delays, random priorities, both, and at random. */
static void by_chance(struct searcher *s, struct recipe *r)
{
	static const struct {
		uint32_t policy, changes, delays;
	} kinds[] = {
		{ RT_POLICY_TIME, 0, 8 },  { RT_POLICY_PCT, 2, 0 }, { RT_POLICY_PCT, 0, 4 },   { RT_POLICY_TIME, 0, 3 },
		{ RT_POLICY_PCT, 3, 16 },  { RT_POLICY_RANDOM, 0, 0 }, { RT_POLICY_TIME, 0, 30 }, { RT_POLICY_PCT, 1, 2 },
	};
	size_t kind = s->chances++ % (sizeof kinds / sizeof *kinds);
	*r = (struct recipe){ .policy = kinds[kind].policy, .changes = kinds[kind].changes, .delays = kinds[kind].delays,
			      .seed = s->options->seed * 1000003 + s->chances, .length = s->length };
	if (r->policy == RT_POLICY_TIME && !has_time(s))
		r->policy = RT_POLICY_PCT;
}

/* The first attempt is the one that is nearest to the recorded run. */
static void plan(struct searcher *s, struct recipe *r, unsigned number)
{
	if (number == 0) {
		*r = (struct recipe){ .policy = has_time(s) ? RT_POLICY_TIME : RT_POLICY_PCT, .seed = s->options->seed,
				      .length = s->length };
		return;
	}
	if ((number % 2 == 0 || s->progress) && tree_next(s->tree, r)) {
		s->stats->flips++;
		return;
	}
	by_chance(s, r);
}

static bool start(struct searcher *s, unsigned slot, unsigned number, struct error *err)
{
	struct recipe *r = &s->recipes[slot];
	struct attempt *a = &s->slots[slot];
	plan(s, r, number);
	struct rt_attempt *o = a->out;
	o->policy = r->policy;
	o->seed = r->seed;
	o->changes = r->changes;
	o->delays = r->delays;
	o->length = r->length;
	o->most = s->length ? 20 * s->length + LEAST_STEPS : FIRST_STEPS;
	memcpy(o->racy, s->racy, sizeof o->racy);
	a->waits.n = 0;
	for (size_t i = 0; i < r->waits.n; i++)
		*vec_push(&a->waits) = r->waits.at[i];
	return attempt_start(a, &s->setting, err);
}

/* ---- what came of it ---- */

static void note_sites(struct searcher *s, const struct rt_race *races, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < RT_RACES; i++) {
		uint32_t sites[] = { races[i].site, races[i].other_site };
		for (int k = 0; k < 2; k++)
			if (sites[k] < RT_RACY_SITES)
				s->racy[sites[k] / 8] |= (uint8_t)(1u << sites[k] % 8);
	}
}

static void say(const struct searcher *s, const struct recipe *r, const struct attempt *a, unsigned number)
{
	static const char *const policies[] = { "time", "pct", "random" };
	static const char *const outcomes[] = { "ended", "off", "stuck", "hung", "too long" };
	const struct rt_attempt *o = a->out;
	if (!s->options->verbose) {
		progress_status("searching: %u attempt%s, %u of them by exchanging races", number + 1, plural(number + 1, "s"), s->stats->flips);
		return;
	}
	progress_line("attempt %u: %s, seed %" PRIu64 ", %zu waits (%u dropped): %s after %" PRIu64 " steps, %" PRIu64
		      " branches as recorded, %" PRIu64 " races%s%.150s%s",
		      number + 1, policies[r->policy % 3], r->seed, r->waits.n, o->dropped,
		      a->failed ? "FAILED" : a->timed_out ? "timeout" : outcomes[o->outcome % 5], o->steps, o->matched, o->nraces,
		      o->off ? "; " : "", o->off ? o->why : "", a->failed && o->off ? ", and failed all the same" : "");
	for (size_t i = 0; i < r->waits.n; i++)
		progress_line("    wait %s %" PRIu64 " %s %" PRIu64, r->waits.at[i].thread, r->waits.at[i].sap, r->waits.at[i].other,
			      r->waits.at[i].other_sap);
}

/* The order that the attempt recorded, replayed. */
static bool is_proven(struct searcher *s, const struct attempt *a)
{
	struct error err;
	struct schedule schedule;
	struct trace *t = attempt_trace(a, &err);
	bool ok = t && follow(t, &schedule, &err);
	if (ok) {
		ok = s->options->prove(s->options->data, &schedule, a->out);
		schedule_release(&schedule);
	} else {
		progress_line("an attempt failed as recorded, but its order is not known: %s", err.text);
	}
	trace_free(t);
	return ok;
}

static bool learn(struct searcher *s, unsigned slot, unsigned number)
{
	struct attempt *a = &s->slots[slot];
	struct recipe *r = &s->recipes[slot];
	const struct rt_attempt *o = a->out;
	s->stats->steps += o->steps;
	say(s, r, a, number);
	note_sites(s, o->races, o->nraces);
	note_sites(s, o->near, o->nnear);
	if (o->outcome == RT_ATTEMPT_RUNNING && o->steps > s->length)
		s->length = o->steps;
	s->stats->failing += a->failed;
	s->slow |= a->timed_out && r->policy == RT_POLICY_TIME;
	bool proven = a->failed && is_proven(s, a);
	if (!proven)
		tree_add(s->tree, r, o);
	s->progress |= tree_progresses(s->tree);
	return proven;
}

/* ---- the loop ---- */

static enum search_result run(struct searcher *s, struct error *err)
{
	unsigned number = 0;
	while (now() < s->end && !interrupted) {
		/* One alone first: all others learn from it. */
		unsigned n = number ? s->jobs : 1, started = 0;
		double left = s->end - now();
		double most = left / 4 < 60 ? left / 4 : 60; /* one that busy-waits for ever must not be the only one */
		s->setting.timeout = (unsigned)most + 1;
		while (started < n && start(s, started, number + started, err))
			started++;
		bool ok = started == n, found = false;
		s->progress = false;
		for (unsigned i = 0; i < started; i++) {
			ok &= attempt_finish(&s->slots[i], &s->setting, err);
			if (ok && !found) {
				s->stats->attempts++;
				found = learn(s, i, number + i);
			}
			recipe_release(&s->recipes[i]);
		}
		if (!ok)
			return SEARCH_ERROR;
		if (found)
			return SEARCH_FOUND;
		number += n;
	}
	return interrupted ? SEARCH_INTERRUPTED : SEARCH_BUDGET;
}

static unsigned job_count(const struct search_options *options)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) - options->leave_one;
	return n < 1 ? 1 : n > MOST_JOBS ? MOST_JOBS : (unsigned)n;
}

enum search_result search(const struct search_options *options, struct search_stats *stats, struct error *err)
{
	struct searcher s = { .options = options, .stats = stats, .jobs = job_count(options), .tree = tree_new(),
			      .end = now() + options->seconds };
	char *sketch = xasprintf("%s/sketch", options->dir);
	s.setting = (struct attempt_setting){ .trace = options->trace, .twin = options->twin, .sketch = sketch,
					      .stop = &interrupted };
	struct sigaction new = { .sa_handler = on_signal }, old_int, old_term;
	sigaction(SIGINT, &new, &old_int);
	sigaction(SIGTERM, &new, &old_term);
	bool ok = sketch_write(options->trace, options->use_time, sketch, err);
	for (unsigned i = 0; i < s.jobs && ok; i++) {
		char *dir = xasprintf("%s/attempt.%u", options->dir, i);
		ok = attempt_init(&s.slots[i], dir, err);
		free(dir);
	}
	enum search_result result = ok ? run(&s, err) : SEARCH_ERROR;
	for (unsigned i = 0; i < s.jobs; i++) {
		attempt_kill(&s.slots[i]);
		attempt_release(&s.slots[i]);
	}
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	tree_free(s.tree);
	free(sketch);
	return result;
}
