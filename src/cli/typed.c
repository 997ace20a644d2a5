#include "cli/typed.h"

#include "exe/variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One number of a value; NULL: it is text, or says all it can. */
static char *retyped(const struct value_type *type, const char *number, char **end)
{
	errno = 0;
	long long v = strtoll(number, end, 10);
	return *end == number || errno ? NULL : value_type_text(type, (uint64_t)v);
}

/* "4 -> 5" is an update; everything else one number. */
static void retype_value(json_t *step, const struct value_type *type)
{
	const char *value = json_string_value(json_object_get(step, "value"));
	char *end, *last, *first = value ? retyped(type, value, &end) : NULL;
	if (!first)
		return;
	char *text = NULL;
	if (!*end) {
		text = xstrdup(first);
	} else if (!strncmp(end, " -> ", 4) && (last = retyped(type, end + 4, &end)) && !*end) {
		text = xasprintf("%s -> %s", first, last);
		free(last);
	}
	if (text)
		json_object_set_new(step, "value", json_string(text));
	free(text);
	free(first);
}

static void name_step(json_t *step, struct variables *v)
{
	const char *object = json_string_value(json_object_get(step, "object"));
	json_int_t size = json_integer_value(json_object_get(step, "size"));
	if (!object || !*object)
		return;
	char *name = xstrdup(object), *plus = strrchr(name, '+'), *end;
	uint64_t offset = 0;
	if (plus) {
		offset = strtoull(plus + 1, &end, 10);
		if (*end || end == plus + 1)
			offset = 0;
		else
			*plus = 0;
	}
	struct value_type type;
	char *member = variables_member(v, name, offset, (unsigned)size, &type);
	if (member) {
		if (size > 0)
			retype_value(step, &type);
		json_object_set_new(step, "object", json_string(member));
	}
	free(member);
	free(name);
}

void name_as_source(json_t *interleaving, const char *program)
{
	struct variables *v = program ? variables_open(program) : NULL;
	size_t i;
	json_t *step;
	if (!v)
		return;
	json_array_foreach(json_object_get(interleaving, "steps"), i, step)
		name_step(step, v);
	variables_close(v);
}
