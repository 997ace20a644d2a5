#include "cli/words.h"

#include "base/base.h"
#include "cli/telling.h"

#include <stdlib.h>
#include <string.h>

void say(struct words *w, const char *format, ...)
{
	char *more;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&more, format, arguments) < 0)
		abort();
	va_end(arguments);
	char *all = w->text ? xasprintf("%s%s", w->text, more) : xstrdup(more);
	free(w->text);
	free(more);
	w->text = all;
}

/* " (bank.c:33)"; "" where that is not known. Until the next but five. */
const char *at(const json_t *step)
{
	static char texts[6][128];
	static unsigned next;
	char *out = texts[next++ % 6];
	const char *where = text(step, "where"), *slash = strrchr(where, '/');
	size_t n = strlen(where);
	*out = 0;
	if (*where && *where != '?' && !(n > 2 && !strcmp(where + n - 2, ":0")))
		snprintf(out, sizeof texts[0], " (%s)", slash ? slash + 1 : where);
	return out;
}

/* What it is about; of the insides of containers, whose they are. */
const char *object_of(const json_t *step)
{
	static const struct {
		const char *begins, *is;
	} insides[] = {
		{ "std::_Rb_tree_node", "a node of a map or set" },          { "std::__detail::_List_node", "a node of a list" },
		{ "std::_List_node", "a node of a list" },                   { "std::__detail::_Hash_node", "a node of an unordered map or set" },
		{ "std::_Fwd_list_node", "a node of a forward list" },       { "std::_Sp_counted", "the counts of a shared pointer" }, /* what lies beside them has the name of its own type */
		{ "std::_Stop_state_t", "the state of a stop token" },
	};
	for (size_t i = 0; i < sizeof insides / sizeof *insides; i++)
		if (!strncmp(text(step, "object"), insides[i].begins, strlen(insides[i].begins)))
			return insides[i].is;
	static char texts[4][160]; /* until the next but three */
	static unsigned next;
	const char *object = text(step, "object"), *inside = inside_of(step), *of = inside == object ? strstr(object, " of ") : NULL;
	char *out = texts[next++ % 4];
	if (of) { /* "part #2 of Bank.accounts" */
		snprintf(out, sizeof texts[0], "%s", of + 4);
		return out;
	}
	snprintf(out, sizeof texts[0], "%.*s", inside ? (int)(inside - object) : (int)strlen(object), object);
	return out;
}

bool is_kind(const json_t *step, const char *kind)
{
	return !strcmp(text(step, "kind"), kind);
}

/* The step that the object has under the key, or NULL. */
json_t *step_of(const json_t *root, const json_t *of, const char *key)
{
	return json_object_get(of, key) ? step_numbered(root, number(of, key)) : NULL;
}

/* " = 7", with what stands before and behind it; "" where that is not known, or is the library's own affair. Until the next but three. */
const char *value_of(const json_t *step, const char *before, const char *behind)
{
	static char texts[4][64];
	static unsigned next;
	char *out = texts[next++ % 4];
	*out = 0;
	if (*text(step, "value") && !inside_of(step))
		snprintf(out, sizeof texts[0], "%s%s%s", before, text(step, "value"), behind);
	return out;
}

/* " to 7": what a write or an update leaves; "" as above. */
const char *left_by(const json_t *step)
{
	static char out[64];
	const char *value = value_of(step, "", ""), *arrow = strstr(value, " -> ");
	*out = 0;
	if (*value)
		snprintf(out, sizeof out, " to %s", arrow ? arrow + 4 : value);
	return out;
}
