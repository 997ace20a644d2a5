/*
 * Solves one execution file again and again the way inference does, without the executor and without replay: for
 * measuring the solver alone.
 *
 *     RETHREAD_KEEP=1 rethread infer TRACE       keeps the file, in the folder it names
 *     solve_execution [options] EXECUTION
 *
 *     -m sc|tso|pso   memory model (sc)          -s NAME   solver
 *     -b SECONDS      budget (60)                -w SECONDS for lowering context switches (1)
 *     -r SECONDS      for the search alone (default of infer.h; below 0: no search)
 *     -n COUNT        candidates to ask for (1)  -t MARGIN believe time stamps
 *     -a              every read counts          -u        guesses only, unchecked
 *     -k COUNT        workers (as many as there are processors)
 *     -d              print events and conditions instead
 *     -f              measure the formula instead: "variables constraints"
 *     -j              figures as one line of JSON
 *     -c              there is none: a few conditions that contradict one another, with the rest left out
 *
 * Prints one row of figures per candidate. Exit status: 0 found, 1 proven that there is none, 3 the budget ended.
 */
#include "solve/infer.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[EVENT_KIND_COUNT] = {
	"?",    "start",  "end",  "read",   "write",     "update", "fence",   "create",
	"join", "lock",   "unlock", "wait", "signal", "broadcast", "call",   "ordered",
	"post", "take",   "empty",  "busy", "arrive", "leave",     "hang",
};

static void print_expr(const struct execution *x, const char *label, expr e)
{
	char text[200];
	if (!e)
		return;
	expr_print(x->exprs, e, text, sizeof text);
	printf("%s%s", label, text);
}

static void print_condition(const struct execution *x, const struct condition *c)
{
	printf("condition kind %u after %u (%u):", c->kind, c->event, c->sequence);
	print_expr(x, " ", c->condition);
	printf("\n");
}

static void dump(const struct execution *x)
{
	for (uint32_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[i];
		printf("%6u %-8s %-9s sap %" PRIu64 " %" PRIx64 "/%u", i, x->threads.at[e->thread].name, kinds[e->kind],
		       e->sap, e->object, e->size);
		print_expr(x, " reads ", e->read);
		print_expr(x, " writes ", e->written);
		printf(" [%" PRIu64 " %" PRIu64 "] flags %x %s\n", e->after, e->before, e->flags,
		       x->sites.at[e->site].where);
	}
	for (size_t i = 0; i < x->conditions.n; i++)
		print_condition(x, &x->conditions.at[i]);
	for (size_t i = 0; i < x->orders.n; i++)
		printf("order %u %u\n", x->orders.at[i].a, x->orders.at[i].b);
}

static void print_stats(const struct infer_stats *s, enum infer_result r)
{
	static const char *const names[] = { "found", "none", "budget", "error" };
	printf("%-6s events %" PRIu64 " symbols %" PRIu64 " conditions %" PRIu64 " reads %" PRIu64 " racy %" PRIu64
	       " candidates %" PRIu64 " variables %" PRIu64 " constraints %" PRIu64 "\n",
	       names[r], s->events, s->symbols, s->conditions, s->reads, s->racy_reads, s->candidates, s->variables,
	       s->constraints);
	printf("       preemptions %u; build %.3f solve %.3f check %.3f s; rounds %" PRIu64 " cycles %" PRIu64 " between %" PRIu64
	       " derived %" PRIu64 " states %" PRIu64 "%s; switches %u (%s%u) steps %" PRIu64 " waits %" PRIu64 "\n",
	       s->preemptions, s->build_seconds, s->solve_seconds, s->check_seconds, s->rounds, s->cycles, s->between, s->derived, s->states, s->walked ? " (search)" : "",
	       s->switches, s->fewest ? "fewest, " : "at least ", s->least, s->steps, s->waits);
}

static int measure(const struct execution *x, const struct infer_options *o)
{
	uint64_t variables, constraints;
	struct error err;
	if (!infer_measure(x, o, &variables, &constraints, &err))
		die(EXIT_ERROR, "%s", err.text);
	printf("%" PRIu64 " %" PRIu64 "\n", variables, constraints);
	return EXIT_DONE;
}

static void print_json(const struct infer_stats *s, enum infer_result r)
{
	printf("{\"result\": %d, \"switches\": %u, \"preemptions\": %u, \"least\": %u, \"solve\": %.4f, \"check\": %.4f, \"seconds\": %.4f, "
	       "\"racy_reads\": %" PRIu64 "}\n",
	       r, s->switches, s->preemptions, s->least, s->solve_seconds, s->check_seconds,
	       s->build_seconds + s->solve_seconds + s->check_seconds, s->racy_reads);
}

static int solve(const struct execution *x, const struct infer_options *o, unsigned count, bool json)
{
	struct infer_state *state = NULL;
	enum infer_result r = INFER_FOUND;
	double start = solver_clock();
	for (unsigned i = 0; i < count && r == INFER_FOUND; i++) {
		struct schedule schedule;
		struct infer_stats stats = { 0 };
		struct error err = { "" };
		r = infer_schedule(x, o, &state, &schedule, &stats, &err);
		if (json)
			print_json(&stats, r);
		else
			print_stats(&stats, r);
		if (r == INFER_ERROR)
			die(EXIT_ERROR, "%s", err.text);
		if (r == INFER_NONE && *err.text && !json)
			printf("%s\n", err.text);
		if (r == INFER_FOUND)
			schedule_release(&schedule);
	}
	infer_free(state);
	if (!json)
		printf("total %.3f s\n", solver_clock() - start);
	return r == INFER_FOUND ? EXIT_DONE : r == INFER_NONE ? EXIT_NO_INTERLEAVING : EXIT_BUDGET;
}

/* ---- a contradiction ---- */

static bool has_none(const struct execution *x, const struct infer_options *o)
{
	struct infer_state *state = NULL;
	struct schedule schedule;
	struct infer_stats stats = { 0 };
	struct error err;
	enum infer_result r = infer_schedule(x, o, &state, &schedule, &stats, &err);
	if (r == INFER_FOUND)
		schedule_release(&schedule);
	infer_free(state);
	return r == INFER_NONE;
}

/* Leaves out as many at a time as there were, then half of that, ...: what is left at the end is needed, each of it. */
static int contradiction(struct execution *x, const struct infer_options *o)
{
	size_t n = x->conditions.n;
	struct condition *all = x->conditions.at, *kept = xcalloc(n + 1, sizeof *kept);
	if (!has_none(x, o)) {
		printf("no contradiction\n");
		return EXIT_DONE;
	}
	for (size_t step = n; step;) {
		bool dropped = false;
		for (size_t at = 0; at < n;) {
			size_t rest = at + step < n ? n - at - step : 0;
			memcpy(kept, all, at * sizeof *kept);
			memcpy(kept + at, all + n - rest, rest * sizeof *kept);
			x->conditions.at = kept;
			x->conditions.n = at + rest;
			if (has_none(x, o)) {
				memcpy(all, kept, (n = at + rest) * sizeof *all);
				dropped = true;
			} else {
				at += step;
			}
		}
		step = step > 1 ? step / 2 : dropped;
	}
	x->conditions.at = all;
	x->conditions.n = n;
	for (size_t i = 0; i < n; i++)
		print_condition(x, &all[i]);
	printf("%zu conditions, and what the events demand\n", n);
	free(kept);
	return EXIT_NO_INTERLEAVING;
}

int main(int argc, char **argv)
{
	struct infer_options o = infer_defaults();
	unsigned count = 1;
	bool text = false, size = false, json = false, core = false;
	for (int c; (c = getopt(argc, argv, "m:s:b:w:r:n:t:k:audfjc")) != -1;)
		switch (c) {
		case 'm':
			if (!memory_model_parse(optarg, &o.model))
				die(EXIT_USAGE, "-m takes sc, tso or pso, not `%s'", optarg);
			break;
		case 's':
			o.solver = optarg;
			break;
		case 'b':
			o.seconds = atof(optarg);
			break;
		case 'w':
			o.fewest_seconds = atof(optarg);
			break;
		case 'r':
			o.walk_seconds = atof(optarg);
			break;
		case 'n':
			count = (unsigned)atoi(optarg);
			break;
		case 't':
			o.use_time = true;
			o.time_margin = strtoull(optarg, NULL, 0);
			break;
		case 'k':
			o.workers = (unsigned)atoi(optarg);
			break;
		case 'a':
			o.all_reads = true;
			break;
		case 'u':
			o.unchecked = true;
			break;
		case 'd':
			text = true;
			break;
		case 'f':
			size = true;
			break;
		case 'j':
			json = true;
			break;
		case 'c':
			core = true;
			break;
		default:
			die(EXIT_USAGE, "see the head of bench/solve_execution.c");
		}
	struct execution x;
	struct error err;
	if (optind + 1 != argc)
		die(EXIT_USAGE, "one execution file, please");
	if (!execution_read(&x, argv[optind], &err))
		die(EXIT_ERROR, "%s", err.text);
	if (text) {
		dump(&x);
		return EXIT_DONE;
	}
	if (core)
		return contradiction(&x, &o);
	return size ? measure(&x, &o) : solve(&x, &o, count, json);
}
