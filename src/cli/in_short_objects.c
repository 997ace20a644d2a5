#include "cli/in_short_objects.h"

#include "base/sources.h"
#include "cli/asked.h"
#include "cli/telling.h"

#include <string.h>

/* The thread of the first read that the failure depends on, which is the failing one: its last step that has to do with memory. */
static json_t *last_access(const json_t *root)
{
	struct asked a;
	json_t *steps = json_object_get(root, "steps");
	size_t first = 0;
	bool any = asked_next(root, &first, &a);
	for (size_t k = any ? json_array_size(steps) : 0; k--;) {
		json_t *s = json_array_get(steps, k);
		if (!strcmp(text(s, "thread"), text(a.read, "thread")) && (is_kind(s, "read") || is_write(s)))
			return s;
	}
	return NULL;
}

/* A virtual function was called, and what the thread found to say which one is a destructor's: each sets that to the functions of its own class. */
bool say_destroyed(struct words *w, const json_t *root)
{
	json_t *read = last_access(root), *writer = read && json_object_get(read, "saw") ? step_numbered(root, number(read, "saw")) : NULL;
	const char *object = read ? object_of(read) : "", *table = strstr(object, "._vptr"), *function = writer ? text(writer, "function") : "";
	if (!table || *function != '~' || !strcmp(text(writer, "thread"), text(read, "thread")))
		return false;
	say(w, "thread %s called a virtual function of %.*s%s when thread %s was destroying that already: %s had begun%s.", text(read, "thread"), (int)(table - object), object, at(read), text(writer, "thread"),
	    function, at(writer));
	return true;
}

/* Folders apart: "service.cpp:19". */
static bool is_same_line(const char *a, const char *b)
{
	const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
	return *a && !strcmp(x ? x + 1 : a, y ? y + 1 : b);
}

/* Is the function the constructor of the class that has the table ("_vptr$Shape"), or was the failing thread created in it, behind the write of the table? */
static bool is_constructing(const json_t *root, const json_t *writer, const char *thread, const char *table)
{
	const char *function = text(writer, "function");
	size_t n = strcspn(table + strlen("._vptr$"), "<");
	if (strlen(function) == n && !strncmp(table + strlen("._vptr$"), function, n))
		return true;
	json_t *s;
	size_t i;
	json_array_foreach(json_object_get(root, "steps"), i, s)
		if (is_kind(s, "create") && !strcmp(text(s, "object"), thread) && !strcmp(text(s, "thread"), text(writer, "thread")) && number(s, "step") > number(writer, "step"))
			return *function && !strcmp(text(s, "function"), function);
	return false;
}

/*
 * The same of an object that another thread was still making: a base class's constructor has set the table to its own functions, and a pure virtual one ends
 * the program. That one has no line: the thread failed where it called it.
 */
bool say_unfinished(struct words *w, const json_t *root)
{
	json_t *read = last_access(root), *writer = read && json_object_get(read, "saw") ? step_numbered(root, number(read, "saw")) : NULL;
	const char *object = read ? object_of(read) : "", *table = strstr(object, "._vptr"), *by = writer ? text(writer, "thread") : "";
	if (!table || !writer || strlen(table) < strlen("._vptr$") || !strcmp(by, text(read, "thread")) || *text(writer, "function") == '~' ||
	    !is_same_line(text(root, "failed_at"), text(read, "where")) || !is_constructing(root, writer, text(read, "thread"), table))
		return false;
	say(w, "thread %s called a virtual function of %.*s%s when thread %s was still making that: it had come to the constructor of %s%s.", text(read, "thread"), (int)(table - object), object, at(read), by,
	    text(writer, "function"), at(writer));
	return true;
}

/* The thread's last step before that one, in code of the program; NULL: none is told of. */
static json_t *own_step_before(const json_t *root, const json_t *step)
{
	json_t *steps = json_object_get(root, "steps");
	for (size_t k = json_array_size(steps); k--;) {
		json_t *s = json_array_get(steps, k);
		if (number(s, "step") < number(step, "step") && !strcmp(text(s, "thread"), text(step, "thread")) && *at(s) && !is_system_source(text(s, "where")))
			return s;
	}
	return NULL;
}

/* What the thread read last of what another had written, of what is shown. */
static bool found_last(const json_t *root, const char *thread, struct asked *found)
{
	struct asked a;
	bool any = false;
	for (size_t i = 0; asked_next(root, &i, &a);) {
		if (strcmp(text(a.read, "thread"), thread) || !a.writer || !strcmp(text(a.writer, "thread"), thread) || asked_is_of_counts(&a) || asked_is_handed(root, &a) ||
		    (any && number(a.read, "step") < number(found->read, "step")))
			continue;
		*found = a;
		any = true;
	}
	return any;
}

/* It found an exception that another thread ended by, and whoever asks for a future's value throws it again: why that was thrown is in what the other had found. */
bool say_handed_exception(struct words *w, const json_t *root)
{
	struct asked a, found;
	for (size_t i = 0; asked_next(root, &i, &a);) {
		const char *by = a.writer ? text(a.writer, "thread") : "";
		json_t *before = strstr(a.writer ? text(a.writer, "where") : "", "/exception_ptr.h:") && strcmp(by, text(a.read, "thread")) ? own_step_before(root, a.writer) : NULL;
		if (!before)
			continue;
		const char *where = text(before, "where"), *slash = strrchr(where, '/');
		say(w, "thread %s was handed an exception of thread %s%s", text(a.read, "thread"), by, at(a.read));
		if (found_last(root, by, &found))
			say(w, ", which had found %s%s%s as thread %s had left it%s.", object_of(found.read), value_of(found.read, " = ", ""), at(found.read), text(found.writer, "thread"), at(found.writer));
		else
			say(w, "; the last step of thread %s in the program's own code before that is at %s.", by, slash ? slash + 1 : where);
		return true;
	}
	return false;
}
