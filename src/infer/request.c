#include "infer/request.h"
#include "infer/usage.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void usage(bool prove, int code)
{
	fprintf(code ? stderr : stdout, "usage: rethread %s %s\n", prove ? "reproduce" : "infer    ", REPRODUCE_ARGUMENTS);
	if (!code)
		printf("       rethread infer     the same without the proof by replay\n\n%s", REPRODUCE_DETAILS);
	exit(code);
}

static double seconds_argument(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !(value > 0))
		die(EXIT_USAGE, "--budget takes a number of seconds, not `%s'", text);
	return value;
}

static uint64_t size_argument(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	end += shift != 0;
	if (end == text || *end || *text == '-' || !value || value > UINT64_MAX >> shift)
		die(EXIT_USAGE, "--memory takes a size like 500M or 4G, not `%s'", text);
	return value << shift;
}

static uint64_t seed_argument(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);
	if (end == text || *end || *text == '-')
		die(EXIT_USAGE, "--seed takes a number, not `%s'", text);
	return value;
}

static unsigned workers_argument(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (end == text || *end || *text == '-' || !value || value > 1000)
		die(EXIT_USAGE, "--workers takes a number of threads, not `%s'", text);
	return (unsigned)value;
}

/* Better now than after all the work. */
static void check_writable(const char *path)
{
	FILE *f = path ? fopen(path, "ab") : NULL;
	if (path && !f)
		die(EXIT_ERROR, "cannot write %s: %s", path, strerror(errno));
	if (f)
		fclose(f);
}

struct request request_parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "engine", required_argument, NULL, 'e' },       { "budget", required_argument, NULL, 'b' },
		{ "memory-model", required_argument, NULL, 'm' }, { "json", required_argument, NULL, 'j' },
		{ "smt2", required_argument, NULL, 's' },         { "no-time", no_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },            { "explain-formula", no_argument, NULL, 'x' },
		{ "seed", required_argument, NULL, 'd' },         { "memory", required_argument, NULL, 'M' },
		{ "workers", required_argument, NULL, 'w' },      { "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct request r = { .engine = "auto", .prove = argc && !strcmp(argv[0], "reproduce"), .budget = 300, .seed = 1 };
	if (argc)
		argv[0] = r.prove ? "rethread: reproduce" : "rethread: infer";
	for (int c; (c = getopt_long(argc, argv, "vh", options, NULL)) != -1;)
		switch (c) {
		case 'e':
			if (strcmp(optarg, "auto") && strcmp(optarg, "solve") && strcmp(optarg, "search") &&
			    strcmp(optarg, "follow"))
				die(EXIT_USAGE, "the engines are auto, solve, search and follow, not `%s'", optarg);
			r.engine = optarg;
			break;
		case 'b':
			r.budget = seconds_argument(optarg);
			break;
		case 'M':
			r.memory = size_argument(optarg);
			break;
		case 'm':
			if (strcmp(optarg, "sc") && strcmp(optarg, "tso") && strcmp(optarg, "pso"))
				die(EXIT_USAGE, "--memory-model is sc, tso or pso, not `%s'", optarg);
			r.model = optarg;
			break;
		case 'j':
			r.json = optarg;
			break;
		case 's':
			r.smt2 = optarg;
			break;
		case 't':
			r.no_time = true;
			break;
		case 'x':
			r.explain = true;
			break;
		case 'd':
			r.seed = seed_argument(optarg);
			break;
		case 'w':
			r.workers = workers_argument(optarg);
			break;
		case 'v':
			r.verbose = true;
			break;
		case 'h':
			usage(r.prove, EXIT_DONE);
		default:
			usage(r.prove, EXIT_USAGE);
		}
	if (argc - optind > 1) {
		warn("one trace at a time");
		usage(r.prove, EXIT_USAGE);
	}
	check_writable(r.json);
	check_writable(r.smt2);
	r.trace = argv[optind];
	return r;
}
