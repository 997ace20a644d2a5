#include "trace/meta.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of enum rt_failure_kind in meta.json. */
static const char *const kinds[] = {
	[RT_FAIL_NONE] = "none",           [RT_FAIL_ASSERT] = "assert",
	[RT_FAIL_SIGNAL] = "signal",       [RT_FAIL_EXIT] = "exit",
	[RT_FAIL_DEADLOCK] = "deadlock",   [RT_FAIL_TIMEOUT] = "timeout",
	[RT_FAIL_PREDICATE] = "predicate",
};

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A string, or the bytes of {"hex": "..."}; malloc'ed, NULL when it is neither. */
static char *string_of(const json_t *v)
{
	const char *s = json_string_value(v), *hex = json_string_value(json_object_get(v, "hex"));
	char *bytes;
	size_t n;

	if (s || !hex)
		return s ? xstrdup(s) : NULL;
	n = strlen(hex) / 2;
	bytes = xcalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++) {
		int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

		bytes[i] = (char)(high << 4 | low);
		if (high < 0 || low < 0 || !bytes[i]) {
			free(bytes);
			return NULL;
		}
	}
	return bytes;
}

static bool get_string(const json_t *object, const char *key, char **out, const char *path,
		       struct error *err)
{
	const json_t *v = json_object_get(object, key);
	char *s;

	if (!v || json_is_null(v))
		return true;
	s = string_of(v);
	if (!s)
		return fail(err, "%s: \"%s\" is not a string; the trace is damaged", path, key);
	free(*out);
	*out = s;
	return true;
}

static void free_strings(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

static bool get_strings(const json_t *object, const char *key, char ***out, const char *path,
			struct error *err)
{
	const json_t *v = json_object_get(object, key);
	size_t n;
	char **list;

	if (!v || json_is_null(v))
		return true;
	if (!json_is_array(v))
		return fail(err, "%s: \"%s\" is not an array; the trace is damaged", path, key);
	n = json_array_size(v);
	list = xcalloc(n + 1, sizeof *list);
	for (size_t i = 0; i < n; i++) {
		list[i] = string_of(json_array_get(v, i));
		if (!list[i]) {
			free_strings(list);
			return fail(
				err,
				"%s: \"%s\" has an element that is no string; the trace is damaged",
				path, key);
		}
	}
	free_strings(*out);
	*out = list;
	return true;
}

static bool get_int(const json_t *object, const char *key, long min, long max, long *out,
		    const char *path, struct error *err)
{
	const json_t *v = json_object_get(object, key);
	json_int_t n;

	if (!v || json_is_null(v))
		return true;
	n = json_integer_value(v);
	if (!json_is_integer(v) || n < min || n > max)
		return fail(err, "%s: \"%s\" is not a number from %ld to %ld; the trace is damaged",
			    path, key, min, max);
	*out = (long)n;
	return true;
}

static bool get_kind(const json_t *verdict, struct trace_meta *m, const char *path,
		     struct error *err)
{
	const json_t *v = json_object_get(verdict, "kind");
	const char *name = json_string_value(v);

	for (uint32_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i])) {
			m->verdict.kind = i;
			return true;
		}
	return fail(err, "%s: the verdict's kind %s%s%s is not known to this version of rethread",
		    path, name ? "\"" : "", name ? name : "is missing or", name ? "\"" : "");
}

static bool get_verdict(const json_t *root, struct trace_meta *m, const char *path,
			struct error *err)
{
	const json_t *v = json_object_get(root, "verdict");
	const json_t *thread;
	char *message = NULL;
	long signal = 0, status = 0, number = -1;

	if (!v || json_is_null(v))
		return true;
	if (!json_is_object(v))
		return fail(err, "%s: \"verdict\" is not an object; the trace is damaged", path);
	thread = json_object_get(v, "thread");
	if (!get_kind(v, m, path, err) || !get_int(v, "signal", 0, 1024, &signal, path, err) ||
	    !get_int(v, "status", -(1l << 31), (1l << 31) - 1, &status, path, err) ||
	    !get_string(v, "message", &message, path, err))
		return false;
	if (message)
		strncpy(m->verdict.message, message, RT_MESSAGE_SIZE - 1);
	free(message);
	m->verdict.signal = (int32_t)signal;
	m->verdict.status = (int32_t)status;
	m->has_verdict = true;
	if (json_is_string(thread)) {
		m->has_thread = true;
		m->thread_name = xstrdup(json_string_value(thread));
		return true;
	}
	/* -1: no thread in particular. */
	if (!get_int(v, "thread", -1, UINT32_MAX, &number, path, err))
		return false;
	if (number >= 0 && number < UINT32_MAX) {
		m->has_thread = true;
		m->verdict.thread = (uint32_t)number;
	}
	return true;
}

static bool get_all(struct trace *t, struct trace_meta *m, const json_t *root, const char *path,
		    struct error *err)
{
	if (!json_is_object(root))
		return fail(err, "%s is not a JSON object; the trace is damaged", path);
	return get_string(root, "program", &t->program, path, err) &&
	       get_strings(root, "argv", &t->argv, path, err) &&
	       get_strings(root, "environment", &t->environment, path, err) &&
	       get_string(root, "cwd", &t->cwd, path, err) &&
	       get_string(root, "fail_if", &t->fail_if, path, err) &&
	       get_int(root, "pid", 0, 1l << 30, &m->pid, path, err) &&
	       get_verdict(root, m, path, err);
}

bool trace_meta_read(struct trace *t, struct trace_meta *m, struct error *err)
{
	char *path = xasprintf("%s/meta.json", t->dir);
	char *data = NULL;
	size_t size;
	bool ok = true;

	memset(m, 0, sizeof *m);
	if (access(path, F_OK) == 0) {
		ok = read_file(path, &data, &size, err);
		if (ok) {
			json_error_t e;
			json_t *root = json_loadb(data, size, 0, &e);

			m->present = true;
			ok = root ? get_all(t, m, root, path, err)
				  : fail(err, "%s: line %d: %s; the trace is damaged", path, e.line,
					 e.text);
			json_decref(root);
		}
	}
	free(data);
	free(path);
	return ok;
}
