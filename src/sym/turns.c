/*
 * Which of two blocks had the same memory first (mirror.c). Nothing in the log orders the allocations of two threads, so the executor
 * may let the later one have the memory first. That shows when the earlier one's thread comes and waits for memory that
 * nobody is going to free: whoever has it needs a lock, say, that the waiting thread gets first. Then the next run knows better:
 * there, the later allocation waits until the earlier block is freed.
 *
 * An allocation is named by its thread and by the number of its address among the thread's recorded values.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

struct turn {
	struct allocation late, early;
};

static struct {
	vec(struct turn) all; /* those of earlier runs first */
	size_t nloaded;
	vec(bool) over;       /* of the loaded ones: the early block is freed */
} turns;

static char *state_file(void)
{
	return xasprintf("%s/turns", engine.config->state);
}

void turns_load(void)
{
	char *data, *path = state_file();
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		turns.all.at = (struct turn *)data;
		turns.nloaded = turns.all.n = turns.all.cap = size / sizeof *turns.all.at;
	}
	free(path);
	for (size_t i = 0; i < turns.nloaded; i++)
		*vec_push(&turns.over) = false;
}

size_t turns_finish(void)
{
	struct error err;
	char *path = state_file();
	if (turns.all.n && !write_file(path, turns.all.at, turns.all.n * sizeof *turns.all.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return turns.all.n - turns.nloaded;
}

static bool is_same(struct allocation a, struct allocation b)
{
	return a.thread == b.thread && a.value == b.value;
}

struct allocation turns_name(const struct ethread *t)
{
	return (struct allocation){ t->log ? t->log->info.number : UINT32_MAX, t->next_value };
}

bool turns_have_come(const struct ethread *t)
{
	struct allocation late = turns_name(t);
	for (size_t i = 0; i < turns.nloaded; i++)
		if (!turns.over.at[i] && is_same(turns.all.at[i].late, late))
			return false;
	return true;
}

void turns_freed(struct allocation early)
{
	for (size_t i = 0; i < turns.nloaded; i++)
		if (is_same(turns.all.at[i].early, early))
			turns.over.at[i] = true;
}

bool turns_learn(struct allocation late, struct allocation early)
{
	for (size_t i = 0; i < turns.all.n; i++) {
		const struct turn *t = &turns.all.at[i];
		if ((is_same(t->late, late) && is_same(t->early, early)) || (is_same(t->late, early) && is_same(t->early, late)))
			return false;
	}
	if (turns.all.n == MOST || late.thread == early.thread)
		return false;
	*vec_push(&turns.all) = (struct turn){ late, early };
	return true;
}
