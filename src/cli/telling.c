#include "cli/telling.h"

#include "cli/source.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct style style = { "", "", "", "" };

/* On terminals, unless the user wants none there (no-color.org). */
static bool may_colour(void)
{
	const char *none = getenv("NO_COLOR");
	return isatty(STDOUT_FILENO) && !(none && *none);
}

void choose_style(void)
{
	if (!may_colour())
		return;
	style.thread = "\033[1m";
	style.race = "\033[33m";
	style.quote = "\033[36m";
	style.off = "\033[0m";
}

const char *text(const json_t *step, const char *key)
{
	const char *s = json_string_value(json_object_get(step, key));
	return s ? s : "";
}

bool is_free(const json_t *step)
{
	if (json_object_get(step, "frees"))
		return true;
	return !strcmp(text(step, "kind"), "write") && (!strcmp(text(step, "what"), "free") || !strcmp(text(step, "what"), "realloc"));
}

json_int_t number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

json_t *step_numbered(const json_t *root, json_int_t wanted)
{
	json_t *steps = json_object_get(root, "steps");
	size_t low = 0, high = json_array_size(steps);
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (number(json_array_get(steps, mid), "step") < wanted)
			low = mid + 1;
		else
			high = mid;
	}
	json_t *found = json_array_get(steps, low);
	return found && number(found, "step") == wanted ? found : NULL;
}

void quote_place(const char *where, const char *program)
{
	size_t n = strlen(where);
	if (!n || (n > 2 && !strcmp(where + n - 2, ":0"))) /* the compiler does not say which line that is */
		return;
	char *line = source_line(where, program);
	printf("      %s%s%s%s%s\n", *where ? where : "?", line ? "  " : "", style.quote, line ? line : "", style.off);
	free(line);
}

void quote(const json_t *step, const char *program)
{
	quote_place(text(step, "where"), program);
}

/* Was a block that the same thread allocated in the same line told of already? */
static bool is_told(const json_t *root, const json_t *block)
{
	const char *name;
	json_t *other;
	json_object_foreach(json_object_get(root, "owners"), name, other)
		if (json_object_get(other, "told") && !strcmp(text(other, "where"), text(block, "where")) &&
		    !strcmp(text(other, "thread"), text(block, "thread")))
			return true;
	return false;
}

void print_owner(const json_t *root, const json_t *step, const char *program)
{
	const char *owner = text(step, "owner");
	json_t *block = *owner ? json_object_get(json_object_get(root, "owners"), owner) : NULL;
	if (!block || !*text(block, "where") || json_is_true(json_object_get(block, "reused")) || is_told(root, block))
		return;
	json_object_set_new(block, "told", json_true());
	printf("    %s is %sa block of %lld bytes%s that thread %s allocated in %s\n", owner,
	       json_is_true(json_object_get(block, "inside")) ? "in " : "", (long long)number(block, "size"),
	       json_is_true(json_object_get(block, "freed")) ? ", freed in the end," : "", text(block, "thread"), text(block, "function"));
	quote(block, program);
}

bool is_guessed(const json_t *root)
{
	return json_is_true(json_object_get(root, "guessed"));
}

bool is_write(const json_t *step)
{
	return !strcmp(text(step, "kind"), "write") || !strcmp(text(step, "kind"), "update");
}

const char *inside_of(const json_t *step)
{
	const char *object = text(step, "object");
	return strncmp(object, "part ", 5) ? strstr(object, "._M_") : object;
}

const char *deed(const json_t *step)
{
	return is_free(step) ? "freed" : !strcmp(text(step, "kind"), "read") ? "read" : !strcmp(text(step, "kind"), "write") ? "wrote" : "updated";
}

