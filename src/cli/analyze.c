/*
 * What the whole-program analysis found, from the section the link left in the executable. Built as one JSON value;
 * the text form prints the same value.
 */
#include "cli/cli.h"
#include "exe/report.h"

#include <getopt.h>
#include <jansson.h>
#include <string.h>

/* ---------------------------------------------------------------- the value */

static int compare_places(const void *p, const void *q)
{
	const struct report_line *const *a = p, *const *b = q;
	int c = strcmp((*a)->field[4], (*b)->field[4]);
	if (c)
		return c;
	int la = atoi((*a)->field[2]), lb = atoi((*b)->field[2]);
	if (la != lb)
		return la < lb ? -1 : 1;
	return strcmp((*a)->field[3], (*b)->field[3]);
}

static json_t *text(const char *s)
{
	json_t *j = json_string(s);
	return j ? j : json_string("?"); /* not UTF-8 */
}

/* object[key] += 1 */
static void count(json_t *object, const char *key)
{
	json_t *old = json_object_get(object, key);
	json_object_set_new(object, key, json_integer(json_integer_value(old) + 1));
}

static bool is_recorded(const struct report_line *l)
{
	return report_is(l, "branch") && !strcmp(l->field[1], "recorded");
}

/* "shared memory (line 7)" */
static void count_why(json_t *object, const struct report_line *l)
{
	char *why = xasprintf(*l->field[6] ? "%s (%s)" : "%s", l->field[5], l->field[6]);
	count(object, why);
	free(why);
}

/* Sites and branches of each place, ordered by file, line and function. */
static json_t *lines_value(const struct report *r)
{
	vec(const struct report_line *) places = {0};
	for (size_t i = 0; i < r->lines.n; i++)
		if (report_is(&r->lines.at[i], "site") || report_is(&r->lines.at[i], "branch"))
			*vec_push(&places) = &r->lines.at[i];
	if (places.n)
		qsort(places.at, places.n, sizeof *places.at, compare_places);
	json_t *list = json_array(), *place = NULL;
	for (size_t i = 0; i < places.n; i++) {
		const struct report_line *l = places.at[i];
		if (!i || compare_places(&places.at[i - 1], &places.at[i])) {
			place = json_pack("{s:o, s:i, s:o, s:{}, s:{}, s:{}}", "file", text(l->field[4]), "line",
					  atoi(l->field[2]), "function", text(l->field[3]), "saps", "branches", "why");
			json_array_append_new(list, place);
		}
		count(json_object_get(place, report_is(l, "site") ? "saps" : "branches"), l->field[1]);
		if (is_recorded(l))
			count_why(json_object_get(place, "why"), l);
	}
	vec_free(&places);
	return list;
}

static json_t *memory_value(const struct report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->lines.n; i++) {
		const struct report_line *l = &r->lines.at[i];
		if (report_is(l, "memory"))
			json_array_append_new(list, json_pack("{s:o, s:o, s:b, s:o, s:i, s:o}", "name", text(l->field[3]),
							      "kind", text(l->field[1]), "shared",
							      !strcmp(l->field[2], "shared"), "file", text(l->field[6]),
							      "line", atoi(l->field[4]), "function",
							      text(l->field[5])));
	}
	return list;
}

static json_t *externals_value(const struct report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->lines.n; i++) {
		const struct report_line *l = &r->lines.at[i];
		if (report_is(l, "external"))
			json_array_append_new(list, json_pack("{s:o, s:o, s:i}", "name", text(l->field[3]), "class",
							      text(l->field[1]), "calls", atoi(l->field[2])));
	}
	return list;
}

/* How many of each kind, over all lines of the subject. */
static json_t *kinds_value(const struct report *r, const char *subject)
{
	json_t *kinds = json_object();
	for (size_t i = 0; i < r->lines.n; i++)
		if (report_is(&r->lines.at[i], subject))
			count(kinds, r->lines.at[i].field[1]);
	return kinds;
}

/* How many recorded branches there are for each reason, wherever it comes from. */
static json_t *why_value(const struct report *r)
{
	json_t *why = json_object();
	for (size_t i = 0; i < r->lines.n; i++)
		if (is_recorded(&r->lines.at[i]))
			count(why, r->lines.at[i].field[5]);
	return why;
}

static json_t *totals_value(const struct report *r)
{
	json_t *totals = json_object();
	for (size_t i = 0; i < r->lines.n; i++)
		if (report_is(&r->lines.at[i], "total"))
			json_object_set_new(totals, r->lines.at[i].field[1],
					    json_integer(atoll(r->lines.at[i].field[2])));
	return totals;
}

static json_t *report_value(const struct report *r, const char *program)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "program", text(program), "totals", totals_value(r),
			 "saps", kinds_value(r, "site"), "branches", kinds_value(r, "branch"), "why", why_value(r), "memory",
			 memory_value(r), "lines", lines_value(r), "externals", externals_value(r));
}

/* ---------------------------------------------------------------- as text */

static const char *get(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

static long long number(const json_t *j, const char *key)
{
	return (long long)json_integer_value(json_object_get(j, key));
}

/* "2 load, 1 store"; "" when there is none. Malloc'ed. */
static char *counts_text(json_t *counts)
{
	char *s = xstrdup("");
	const char *kind;
	json_t *n;
	json_object_foreach(counts, kind, n) {
		char *more = xasprintf("%s%s%lld %s", s, *s ? ", " : "", (long long)json_integer_value(n), kind);
		free(s);
		s = more;
	}
	return s;
}

static void print_counts(const char *label, json_t *counts, const char *none)
{
	char *s = counts_text(counts);
	printf("%s%s\n", label, *s ? s : none);
	free(s);
}

static void print_memory(const json_t *memory)
{
	size_t i, private = 0;
	json_t *m;
	printf("\nmemory that more than one thread may reach and somebody writes\n");
	json_array_foreach(memory, i, m) {
		if (!json_is_true(json_object_get(m, "shared"))) {
			private++;
			continue;
		}
		printf("  %-12s %-24s", get(m, "kind"), get(m, "name"));
		if (number(m, "line"))
			printf(" %s:%lld", get(m, "file"), number(m, "line"));
		if (strcmp(get(m, "function"), "?"))
			printf(" in %s", get(m, "function"));
		putchar('\n');
	}
	printf("  (and %zu variables and allocations that no two threads share)\n", private);
}

/* The most frequent reason first. */
static void print_why(json_t *why)
{
	const char *reason;
	json_t *n, *left = json_copy(why);
	printf("\nwhy branches are recorded\n");
	while (json_object_size(left)) {
		const char *most = NULL;
		json_object_foreach(left, reason, n)
			if (!most || json_integer_value(n) > number(left, most))
				most = reason;
		printf("%7lld  %s\n", number(left, most), most);
		json_object_del(left, most);
	}
	json_decref(left);
}

static void print_lines(const json_t *lines, bool with_why)
{
	size_t i;
	json_t *l;
	const char *file = "";
	json_array_foreach(lines, i, l) {
		if (strcmp(file, get(l, "file"))) {
			file = get(l, "file");
			printf("\n%s\n", file);
		}
		char *saps = counts_text(json_object_get(l, "saps"));
		char *branches = counts_text(json_object_get(l, "branches"));
		printf("%7lld  %-24s %s%s%s%s\n", number(l, "line"), get(l, "function"), saps, *saps && *branches ? "; " : "",
		       *branches ? "branches: " : "", branches);
		free(saps);
		free(branches);
		const char *reason;
		json_t *n;
		if (with_why)
			json_object_foreach(json_object_get(l, "why"), reason, n)
				printf("%34s recorded: %s\n", "", reason);
	}
}

static void print_externals(const json_t *externals)
{
	size_t i, unknown = 0;
	json_t *x;
	json_array_foreach(externals, i, x)
		if (!strcmp(get(x, "class"), "unknown"))
			printf("%s %s", unknown++ ? "," : "\nexternal functions that no table knows:", get(x, "name"));
	if (unknown)
		putchar('\n');
	printf("%sexternal functions: %zu, %zu of them unknown\n", unknown ? "" : "\n", json_array_size(externals), unknown);
}

static void print_text(const json_t *j, bool with_why)
{
	const json_t *totals = json_object_get(j, "totals");
	printf("program %s: %lld functions\n", get(j, "program"), number(totals, "functions"));
	print_counts("shared access points: ", json_object_get(j, "saps"), "none");
	print_counts("branches: ", json_object_get(j, "branches"), "none");
	printf("loads and stores: %lld, of which %lld may touch shared memory\n", number(totals, "accesses"),
	       number(totals, "shared"));
	print_memory(json_object_get(j, "memory"));
	if (with_why)
		print_why(json_object_get(j, "why"));
	print_lines(json_object_get(j, "lines"), with_why);
	print_externals(json_object_get(j, "externals"));
}

static int analyze(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"why", no_argument, NULL, 'w'}, {"help", no_argument, NULL, 'h'}, {0}};
	bool as_json = false, with_why = false;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (c == 'j')
			as_json = true;
		else if (c == 'w')
			with_why = true;
		else
			usage_option(self, c, argv);
	}
	if (argc - optind != 1)
		usage_error(self, "which program?");
	struct report r;
	struct error err;
	if (!report_read(&r, argv[optind], &err))
		die(EXIT_ERROR, "%s", err.text);
	json_t *j = report_value(&r, argv[optind]);
	if (as_json) {
		json_dumpf(j, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	} else {
		print_text(j, with_why);
	}
	json_decref(j);
	report_release(&r);
	return EXIT_DONE;
}

const struct command analyze_command = {
	.name = "analyze",
	.arguments = "PROG [--why] [--json]",
	.summary = "what the link found: shared access points, shared memory and branches by source line",
	.details = "  --why             also for what each branch is recorded: what its outcome depends on that inference\n"
		   "                    could not compute, and the line that it comes from\n"
		   "  --json            for programs\n"
		   "\n"
		   "Of each source line: the shared access points on it (loads, stores, atomics, synchronization,\n"
		   "calls), and its branches, recorded in the log or known (computed by inference instead).\n"
		   "Needs nothing but the program, or its companion; lines need -g.\n",
	.run = analyze,
};
