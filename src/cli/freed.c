#include "cli/freed.h"

#include "cli/telling.h"

#include <stdio.h>
#include <string.h>

static json_t *step_of(const json_t *root, const char *key)
{
	json_t *freed = json_object_get(root, "freed"), *at = json_object_get(freed, key);
	return at ? step_numbered(root, json_integer_value(at)) : NULL;
}

static void print_by(const json_t *by, const char *what, const char *program)
{
	printf("    %s by thread %s%s%s\n", what, text(by, "thread"), *text(by, "function") ? " in " : "", text(by, "function"));
	if (*text(by, "where"))
		quote(by, program);
}

static void print_use(const json_t *root, const json_t *use, bool twice, const char *program)
{
	long long size = number(json_object_get(root, "freed"), "size");
	printf("  thread %s %s ", text(use, "thread"), deed(use));
	if (twice)
		printf("a block of %lld bytes that had been freed already\n", size);
	else
		printf("%s%s%s, in a block of %lld bytes that had been freed\n", style.race, text(use, "object"), style.off, size);
	quote(use, program);
}

static void print_pointer(const json_t *root, const json_t *use, const char *program)
{
	json_t *got = step_of(root, "got"), *gone = step_of(root, "gone"), *lock = json_object_get(json_object_get(root, "freed"), "lock");
	if (!got)
		return;
	printf("    thread %s had %s the pointer %s %s%s%s", text(use, "thread"), is_write(got) ? "put" : "taken", is_write(got) ? "into" : "from",
	       style.race, text(got, "object"), style.off);
	if (lock)
		printf(", with %s%s%s locked, which it has given up since", style.race, text(lock, "object"), style.off);
	putchar('\n');
	quote(got, program);
	if (gone) {
		printf("    then thread %s wrote something else there\n", text(gone, "thread"));
		quote(gone, program);
	}
}

void print_freed(const json_t *root, const char *program)
{
	json_t *freed = json_object_get(root, "freed"), *use = step_of(root, "use"), *by = step_of(root, "freed");
	by = by ? by : json_object_get(freed, "by"); /* engine search: no step of the interleaving */
	bool twice = json_is_true(json_object_get(freed, "twice"));
	if (!use || !by)
		return;
	puts(twice ? "What was freed twice:" : "What was used after it had been freed:");
	print_use(root, use, twice, program);
	print_by(by, "freed", program);
	if (json_is_object(json_object_get(freed, "allocated")))
		print_by(json_object_get(freed, "allocated"), "allocated", program);
	if (json_is_object(json_object_get(freed, "again")))
		print_by(json_object_get(freed, "again"), "what was found there is another block's, allocated since", program);
	print_pointer(root, use, program);
	putchar('\n');
}

bool is_told_as_freed(const json_t *root, const json_t *step)
{
	json_t *by = step_of(root, "freed"), *use = step_of(root, "use");
	if (!use)
		return false;
	return step == use || (by && number(step, "saw") == number(by, "step")) || (*text(step, "owner") && !strcmp(text(step, "owner"), text(use, "owner")));
}
