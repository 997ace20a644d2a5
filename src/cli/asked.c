#include "cli/asked.h"

#include "cli/telling.h"
#include "cli/words.h"

#include <string.h>

bool asked_next(const json_t *root, size_t *i, struct asked *a)
{
	json_t *all = json_object_get(root, "asked");
	while (*i < json_array_size(all)) {
		a->of = json_array_get(all, (*i)++);
		a->read = step_of(root, a->of, "step");
		a->writer = a->read ? step_numbered(root, number(a->read, "saw")) : NULL;
		if (a->read)
			return true;
	}
	return false;
}

bool asked_is_created_since(const json_t *root, const char *thread, json_int_t step)
{
	json_t *s;
	size_t i;
	json_array_foreach(json_object_get(root, "steps"), i, s)
		if (is_kind(s, "create") && !strcmp(text(s, "object"), thread) && number(s, "step") > step)
			return true;
	return false;
}

bool asked_is_of_counts(const struct asked *a)
{
	return !strcmp(object_of(a->read), "the counts of a shared pointer");
}

bool asked_is_ancestor(const char *thread, const char *of)
{
	size_t n = strlen(thread);
	return !strncmp(thread, of, n) && of[n] == ':';
}

/* Is nothing told of the thread before that step, nor when it was created? A trail does not know that. */
static bool begins_behind(const json_t *root, const char *thread, json_int_t step)
{
	json_t *s;
	size_t i;
	json_array_foreach(json_object_get(root, "steps"), i, s)
		if ((is_kind(s, "create") && !strcmp(text(s, "object"), thread)) || (!strcmp(text(s, "thread"), thread) && number(s, "step") < step))
			return false;
	return true;
}

bool asked_is_handed(const json_t *root, const struct asked *a)
{
	const char *thread = text(a->read, "thread");
	json_int_t saw = number(a->read, "saw");
	return !json_object_get(a->of, "next") && asked_is_ancestor(text(a->writer, "thread"), thread) &&
	       (asked_is_created_since(root, thread, saw) || (json_is_true(json_object_get(root, "guessed")) && begins_behind(root, thread, saw)));
}
