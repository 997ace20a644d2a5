#include "cli/waits.h"

#include "cli/cycle.h"
#include "cli/telling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- who waits for whom */

/* The last step of the thread for which `holds` does; or NULL. */
static json_t *last_step(const json_t *root, const char *thread, const char *object, bool (*holds)(const json_t *, const char *))
{
	json_t *steps = json_object_get(root, "steps");
	for (size_t i = json_array_size(steps); i--;) {
		json_t *s = json_array_get(steps, i);
		if (!strcmp(text(s, "thread"), thread) && holds(s, object))
			return s;
	}
	return NULL;
}

bool is_blocked(const json_t *step)
{
	return !strcmp(text(step, "what"), "blocks here");
}

static bool blocks(const json_t *step, const char *unused)
{
	(void)unused;
	return is_blocked(step);
}

bool is_once(const json_t *step)
{
	return !strcmp(text(step, "what"), "pthread_once");
}

static bool takes(const json_t *step, const char *object)
{
	const char *what = *text(step, "what") ? text(step, "what") : text(step, "kind");
	/* Who comes back from a wait for a signal takes its lock again. */
	bool locks = !strcmp(text(step, "kind"), "lock") || (strstr(what, "lock") && !strstr(what, "unlock"));
	locks |= is_once(step);
	return !strcmp(text(step, "object"), object) && locks && strcmp(text(step, "kind"), "unlock") && !is_blocked(step);
}

void cycle_steps(const json_t *root, const struct cycle_step *c, json_t **blocked, json_t **taken)
{
	*blocked = last_step(root, c->thread, NULL, blocks);
	const char *object = text(*blocked, "object");
	*taken = *object && !c->joins ? last_step(root, c->other, object, takes) : NULL;
}

static void print_waiting(const json_t *root, const struct trace *t, const struct cycle_step *c)
{
	json_t *blocked, *taken;
	cycle_steps(root, c, &blocked, &taken);
	const char *object = text(blocked, "object");
	char *where = blocked ? xstrdup(text(blocked, "where")) : cycle_where(t, c->thread);
	printf("  thread %s waits for %s%s%s%s:\n", c->thread, c->joins ? "the end of thread " : "", style.race,
	       c->joins ? c->other : *object ? object : "a lock", style.off);
	quote_place(where, t->program);
	if (!c->joins)
		printf("    which thread %s has%s\n", c->other, taken ? " had since" : "");
	if (taken)
		quote(taken, t->program);
	print_owner(root, blocked, t->program);
	free(where);
}

void print_cycle(const json_t *root, const struct trace *t)
{
	const char *message = t->failure.kind == RT_FAIL_DEADLOCK ? t->failure.message : "";
	struct cycle_step c;
	bool any = false;
	while (cycle_next(&message, &c)) {
		if (!any)
			puts("Who waits for whom:");
		any = true;
		print_waiting(root, t, &c);
	}
	if (any)
		putchar('\n');
}

/* ---------------------------------------------------------------- who waits for ever */

enum { MOST_HANGS = 8 };

static json_t *step_of(const json_t *root, const json_t *hang, const char *key)
{
	return json_object_get(hang, key) ? step_numbered(root, number(hang, key)) : NULL;
}

static void print_signal(const json_t *root, const json_t *hang, const char *program)
{
	json_t *signal = step_of(root, hang, "signal"), *other = step_of(root, hang, "other");
	if (signal) {
		printf("    thread %s had signalled it before that%s\n", text(signal, "thread"),
		       json_is_true(json_object_get(hang, "lost")) ? ", when nobody waited: the signal was lost" : "");
		quote(signal, program);
	} else if (json_is_true(json_object_get(hang, "never"))) {
		puts("    which nobody has signalled");
	}
	if (other) {
		json_t *woke = step_of(root, hang, "woke");
		printf("    thread %s signalled it afterwards, for one thread only, which was %s%s\n", text(other, "thread"), woke ? "thread " : "another",
		       woke ? text(woke, "thread") : "");
		quote(other, program);
	}
}

bool has_ended(const struct trace *t, const char *thread)
{
	const struct trace_thread *of = trace_thread_named(t, thread);
	return of && of->info.ended;
}

/* The last step on what the thread is blocked on; of a semaphore, the last that posted it. */
static json_t *last_on(const json_t *root, const json_t *blocked)
{
	json_t *steps = json_object_get(root, "steps");
	for (size_t i = json_array_size(steps); i--;) {
		json_t *s = json_array_get(steps, i);
		if (number(s, "step") < number(blocked, "step") && !strcmp(text(s, "object"), text(blocked, "object")) && !is_blocked(s) &&
		    (strncmp(text(s, "what"), "sem_", 4) || !strcmp(text(s, "what"), "sem_post")))
			return s;
	}
	return NULL;
}

json_t *lock_holder(const json_t *root, const json_t *blocked)
{
	json_t *s = last_on(root, blocked);
	return s && *text(blocked, "object") && takes(s, text(blocked, "object")) && strcmp(text(s, "thread"), text(blocked, "thread")) ? s : NULL;
}

bool was_cancelled_at(const json_t *root, const json_t *taken)
{
	json_t *steps = json_object_get(root, "steps"), *s;
	size_t i;
	bool ends = false;
	json_array_foreach(steps, i, s)
		ends |= !strcmp(text(s, "kind"), "end") && !strcmp(text(s, "thread"), text(taken, "thread")) && number(s, "sap") == number(taken, "sap");
	return ends && strstr(text(taken, "what"), "wait");
}

/* Of a barrier: who had come there before, and has ended. */
static void print_gone_from(const json_t *root, const json_t *blocked, const struct trace *t)
{
	json_t *steps = json_object_get(root, "steps"), *s;
	size_t i;
	for (uint32_t k = 0; k < t->nthreads; k++) {
		json_t *last = NULL;
		json_array_foreach(steps, i, s)
			if (!strcmp(text(s, "object"), text(blocked, "object")) && !strcmp(text(s, "thread"), t->threads[k].name) && strstr(text(s, "what"), "barrier"))
				last = s;
		if (!last || !t->threads[k].info.ended)
			continue;
		printf("    thread %s, which had come there before, has ended\n", t->threads[k].name);
		quote(last, t->program);
	}
}

/* Of a lock: who took it last, or posted a semaphore. */
static void print_holder(const json_t *root, const json_t *hang, const json_t *blocked, const struct trace *t)
{
	json_t *holder = lock_holder(root, blocked), *s = holder ? holder : last_on(root, blocked), *last = step_of(root, hang, "last");
	bool ended = holder && has_ended(t, text(holder, "thread"));
	if (s && strstr(text(s, "what"), "barrier"))
		print_gone_from(root, blocked, t);
	if (!holder && (!s || strcmp(text(s, "what"), "sem_post")))
		return;
	printf(ended && was_cancelled_at(root, s) ? "    which thread %s took again when it was cancelled here, and did not give up before it ended\n"
	       : ended  ? "    which thread %s took here, and did not give up before it ended\n"
	       : holder && is_once(s) ? "    whose routine thread %s has been in since\n"
	       : holder ? "    which thread %s has had since\n"
			: "    thread %s had posted it last; what was posted has all been taken\n",
	       text(s, "thread"));
	quote(s, t->program);
	if (ended && last) {
		printf("    the last that it did then: it %s %s%s%s: %s\n", deed(last), style.race, text(last, "object"), style.off, text(last, "value"));
		quote(last, t->program);
	}
}

/* Of a lock that was no longer one: who had given its memory back. */
static void print_gone(const json_t *freed, const char *program)
{
	printf("    nobody has it: thread %s had freed its memory, and what was left there looked like a lock that is taken\n", text(freed, "thread"));
	quote(freed, program);
}

/* What it found, and who keeps that so. */
static bool print_taken(const json_t *root, const json_t *hang, const char *program)
{
	json_t *read = step_of(root, hang, "taken"), *by = step_of(root, hang, "taker");
	if (!read || !by)
		return false;
	printf("    after it had read %s%s%s: %s\n", style.race, text(read, "object"), style.off, text(read, "value"));
	quote(read, program);
	printf("    which thread %s had written: %s; it waits for ever as well\n", text(by, "thread"), text(by, "value"));
	quote(by, program);
	return true;
}

static void print_told(const json_t *told, const char *program)
{
	printf("    which thread %s wrote only after that: %s\n", text(told, "thread"), text(told, "value"));
	quote(told, program);
}

/* Who would have let it go on looked at something else too early. */
static void print_looked(const json_t *root, const json_t *hang, const char *program)
{
	json_t *looked = step_of(root, hang, "looked"), *told = step_of(root, hang, "told");
	if (!looked || !told)
		return;
	printf("    thread %s had read %s%s%s: %s\n", text(looked, "thread"), style.race, text(looked, "object"), style.off, text(looked, "value"));
	quote(looked, program);
	print_told(told, program);
}

/* What it looks at again and again. */
static void print_spin(const json_t *root, const json_t *hang, const char *program)
{
	json_t *read = step_of(root, hang, "read"), *is = step_of(root, hang, "is"), *missed = step_of(root, hang, "missed");
	printf("  thread %s goes round, and finds %s%s%s: %s\n", text(read, "thread"), style.race, text(read, "object"), style.off, text(read, "value"));
	quote(read, program);
	if (missed) {
		printf("    which thread %s had set to something else in between: %s\n", text(missed, "thread"), text(missed, "value"));
		quote(missed, program);
	}
	if (is) {
		printf("    which %s%s had written\n", strcmp(text(is, "thread"), text(read, "thread")) ? "thread " : "it itself", strcmp(text(is, "thread"), text(read, "thread")) ? text(is, "thread") : "");
		quote(is, program);
	}
}

/* It was woken for something that was gone when it looked. */
static void print_overtaken(const json_t *root, const json_t *hang, const char *program)
{
	json_t *woken = step_of(root, hang, "woken"), *over = step_of(root, hang, "over");
	if (!woken || !over)
		return;
	printf("    thread %s had signalled it\n", text(woken, "thread"));
	quote(woken, program);
	printf("    but thread %s wrote %s%s%s before it looked: %s\n", text(over, "thread"), style.race, text(over, "object"), style.off, text(over, "value"));
	quote(over, program);
}

/* What it went to wait for. */
static void print_test(const json_t *root, const json_t *hang, const char *program)
{
	json_t *read = step_of(root, hang, "read"), *wrote = step_of(root, hang, "wrote"), *is = step_of(root, hang, "is");
	if (!read)
		return;
	printf("    after it had read %s%s%s: %s\n", style.race, text(read, "object"), style.off, text(read, "value"));
	quote(read, program);
	if (wrote) {
		printf("    which thread %s wrote only then: %s\n", text(wrote, "thread"), text(wrote, "value"));
		quote(wrote, program);
	}
	if (json_object_get(hang, "missed") && is) {
		printf("    and thread %s put back: %s\n", text(is, "thread"), text(is, "value"));
		quote(is, program);
	}
	json_t *looked = step_of(root, hang, "looked"), *told = step_of(root, hang, "told");
	if (looked && told) {
		printf("    and then read %s%s%s: %s\n", style.race, text(looked, "object"), style.off, text(looked, "value"));
		quote(looked, program);
		print_told(told, program);
	}
}

bool is_about_waits(const struct trace *t)
{
	struct cycle_step c;
	const char *message = t->failure.message;
	return t->failure.kind == RT_FAIL_TIMEOUT || (t->failure.kind == RT_FAIL_DEADLOCK && !cycle_next(&message, &c));
}

void print_hangs(const json_t *root, const struct trace *t)
{
	json_t *hangs = json_object_get(root, "hangs"), *hang;
	size_t i;
	if (!is_about_waits(t) || !json_array_size(hangs))
		return;
	puts("Who waits for ever:");
	json_array_foreach(hangs, i, hang) {
		json_t *step = step_numbered(root, number(hang, "step"));
		if (!step || i >= MOST_HANGS)
			continue;
		if (json_is_true(json_object_get(hang, "spins"))) {
			print_spin(root, hang, t->program);
			print_looked(root, hang, t->program);
			continue;
		}
		const char *object = text(*text(hang, "object") ? hang : step, "object");
		const char *joins = text(hang, "joins");
		printf("  thread %s waits%s%s%s%s\n", text(step, "thread"),
		       *joins ? " for the end of thread " : !*object ? "" : json_is_true(json_object_get(hang, "condition")) ? " for a signal of " : " for ",
		       style.race, *joins ? joins : object, style.off);
		quote(step, t->program);
		json_t *freed = step_of(root, hang, "freed");
		if (freed)
			print_gone(freed, t->program);
		else if (*object && !json_is_true(json_object_get(hang, "condition")))
			print_holder(root, hang, step, t);
		print_signal(root, hang, t->program);
		print_overtaken(root, hang, t->program);
		if (!print_taken(root, hang, t->program))
			print_test(root, hang, t->program);
	}
	putchar('\n');
}

bool is_told_of_hang(const json_t *root, const json_t *read)
{
	json_t *hang;
	size_t i;
	json_array_foreach(json_object_get(root, "hangs"), i, hang)
		if (i < MOST_HANGS && step_of(root, hang, "read") == read)
			return true;
	return false;
}
