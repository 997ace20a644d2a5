#include "cli/steps.h"

#include "cli/telling.h"
#include "cli/waits.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Interleavings of so few steps are shown whole. */
enum { SHORT = 60 };

/* So many more that are alike are too many. */
enum { ALIKE = 4 };

/* Steps that are called what the program calls: sem_wait, free. */
static bool has_own_word(const char *kind)
{
	return !strcmp(kind, "call") || !strcmp(kind, "synchronization");
}

void steps_describe(const struct steps *v, const json_t *step, char *out, size_t size)
{
	const json_t *root = v->root;
	const char *kind = text(step, "kind"), *object = text(step, "object"), *value = text(step, "value"), *is = *value ? " = " : "";
	const json_t *writer = json_object_get(step, "saw") ? step_numbered(root, number(step, "saw")) : NULL;
	if (!strcmp(kind, "read") && writer && is_free(writer)) /* what the allocator left there says nothing */
		snprintf(out, size, "reads %s, freed", object);
	else if (!strcmp(kind, "read"))
		snprintf(out, size, "reads %s%s%s", object, is, value);
	else if (is_free(step))
		snprintf(out, size, "%s %s", !strcmp(text(step, "what"), "free") ? "frees" : "reallocates",
			 *text(step, "owner") ? text(step, "owner") : object);
	else if (!strcmp(kind, "write") && json_object_get(step, "visible"))
		snprintf(out, size, "%s = %s becomes visible", object, value);
	else if (!strcmp(kind, "write"))
		snprintf(out, size, "%s %s%s%s", v->buffers ? "buffers" : "writes", object, is, value);
	else if (!strcmp(kind, "update"))
		snprintf(out, size, "updates %s%s%s", object, *value ? ": " : "", value);
	else if (!strcmp(kind, "end"))
		snprintf(out, size, "%s", json_is_true(json_object_get(step, "fails")) ? "FAILS" : "ends");
	else if (!strcmp(text(step, "what"), "blocks here") && *object)
		snprintf(out, size, "blocks on %s", object);
	else
		snprintf(out, size, "%s%s%s", has_own_word(kind) && *text(step, "what") ? text(step, "what") : kind, *object ? " " : "",
			 object);
}

/* What matters for the failure, and how it ends; everything when that is not much. */
static bool is_shown(const struct steps *v, const json_t *step)
{
	return v->all || number(step, "step") >= v->from || json_object_get(step, "matters") ||
	       json_object_get(step, "fails");
}

size_t steps_column(const struct steps *v, const char *thread)
{
	for (size_t i = 0; i < v->threads.n; i++)
		if (!strcmp(v->threads.at[i], thread))
			return i;
	return SIZE_MAX;
}

void steps_init(struct steps *v, const json_t *root, bool all)
{
	json_t *steps = json_object_get(root, "steps"), *step;
	size_t i;
	json_int_t last = number(json_array_get(steps, json_array_size(steps) - 1), "step");
	*v = (struct steps){ .root = root };
	v->buffers = strcmp(text(root, "model"), "sc") != 0;
	v->whole = all;
	v->all = all || json_array_size(steps) <= SHORT;
	/* Where the order of locks is all there is, the end is what there is to see. */
	v->from = json_array_size(json_object_get(root, "asked")) && !is_guessed(root) ? last + 1 : last - SHORT / 2;
	json_array_foreach(steps, i, step)
		if (is_shown(v, step) && steps_column(v, text(step, "thread")) == SIZE_MAX)
			*vec_push(&v->threads) = text(step, "thread");
}

void steps_release(struct steps *v)
{
	vec_free(&v->threads);
}

/* It says nothing that the step before it does not: another word of a block that is freed, or the end of a thread that is blocked. */
static bool says_nothing(const json_t *step, const json_t *before)
{
	if (!before || strcmp(text(step, "thread"), text(before, "thread")))
		return false;
	return (is_free(step) && is_free(before) && number(step, "sap") == number(before, "sap") &&
		!strcmp(text(step, "owner"), text(before, "owner"))) ||
	       (!strcmp(text(step, "kind"), "end") && is_blocked(before));
}

/* Does the same line do the same to the same place? */
static bool is_alike(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "thread", "kind", "object", "where" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(text(a, keys[i]), text(b, keys[i])))
			return false;
	return json_object_get(a, "value") && json_object_get(b, "value") && !json_object_get(a, "visible") == !json_object_get(b, "visible");
}

/* A thread that counts, or looks again and again, in laps of so many steps at most. */
enum { LAP_MOST = 4 };

typedef vec(const json_t *) step_list;

/* How many laps of so many steps there are behind the one that begins at `first`. */
static size_t laps_behind(const step_list *shown, size_t first, size_t lap)
{
	size_t n = 0;
	while (first + n + lap < shown->n && is_alike(shown->at[first + n], shown->at[first + n + lap]))
		n++;
	return n / lap;
}

/* Of many laps that are alike the first and the last are shown; where the last one begins, and how long it is. `first`: there are not many. */
static size_t last_lap(const step_list *shown, size_t first, size_t *lap)
{
	for (*lap = 1; *lap <= LAP_MOST; ++*lap) {
		size_t laps = laps_behind(shown, first, *lap);
		if (laps >= ALIKE)
			return first + laps * *lap;
	}
	return first;
}

static void list_shown(const struct steps *v, step_list *out)
{
	json_t *steps = json_object_get(v->root, "steps"), *step;
	size_t i, lap;
	step_list all = { 0 };
	json_array_foreach(steps, i, step)
		if (is_shown(v, step))
			*vec_push(&all) = step;
	for (i = 0; i < all.n; i++) {
		size_t last = v->whole ? i : last_lap(&all, i, &lap);
		if (last == i) {
			*vec_push(out) = all.at[i];
			continue;
		}
		for (size_t k = 0; k < lap; k++)
			*vec_push(out) = all.at[i + k];
		for (size_t k = 0; k < lap; k++)
			*vec_push(out) = all.at[last + k];
		i = last + lap - 1;
	}
	vec_free(&all);
}

void steps_show(const struct steps *v, steps_shown *shown, void *data)
{
	step_list list = { 0 };
	json_int_t expected = 0, left_out = 0;
	list_shown(v, &list);
	for (size_t i = 0; i < list.n; i++) {
		const json_t *step = list.at[i];
		json_int_t before = number(step, json_object_get(step, "before") ? "before" : "step");
		left_out += before > expected ? before - expected : 0;
		expected = before + !json_object_get(step, "note");
		if (says_nothing(step, i ? list.at[i - 1] : NULL))
			continue;
		struct shown_step s = { .step = step, .column = steps_column(v, text(step, "thread")), .left_out = left_out };
		shown(data, v, &s);
		left_out = 0;
	}
	vec_free(&list);
}
