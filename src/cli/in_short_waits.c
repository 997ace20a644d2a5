#include "cli/in_short_waits.h"

#include "cli/telling.h"
#include "cli/waits.h"

#include <string.h>

json_t *wait_of(const json_t *root, const char *thread)
{
	json_t *hang;
	size_t i;
	json_array_foreach(json_object_get(root, "hangs"), i, hang) {
		json_t *step = step_of(root, hang, "step");
		if (step && !json_is_true(json_object_get(hang, "spins")) && !strcmp(text(step, "thread"), thread))
			return step;
	}
	return NULL;
}

/* Each waits for a lock that the next one has, and the last for one of the first's. */
static bool say_circle(struct words *w, const json_t *root)
{
	enum { MOST = 6 };
	json_t *first = step_of(root, json_array_get(json_object_get(root, "hangs"), 0), "step"), *at_lock[MOST], *step = first, *holder;
	size_t n = 0;
	do {
		if (!step || n == MOST || !(holder = lock_holder(root, step)))
			return false;
		at_lock[n++] = step;
		step = wait_of(root, text(holder, "thread"));
	} while (step != first);
	for (size_t i = 0; i < n; i++)
		say(w, "%sthread %s waits for %s%s, which thread %s %s", i ? "; " : "", text(at_lock[i], "thread"), text(at_lock[i], "object"), at(at_lock[i]),
		    text(at_lock[(i + 1) % n], "thread"), is_once(lock_holder(root, at_lock[i])) ? "runs" : "has");
	say(w, ".");
	return true;
}

/* Of a deadlock: each of them waits for what the next one has. */
bool say_cycle(struct words *w, const json_t *root, const struct trace *t)
{
	const char *message = t->failure.kind == RT_FAIL_DEADLOCK ? t->failure.message : "";
	struct cycle_step c;
	bool any = false;
	while (cycle_next(&message, &c)) {
		json_t *blocked, *taken;
		cycle_steps(root, &c, &blocked, &taken);
		const char *object = text(blocked, "object");
		say(w, "%sthread %s waits for %s%s%s", any ? "; " : "", c.thread, c.joins ? "the end of thread " : "", c.joins ? c.other : *object ? object : "a lock", at(blocked));
		if (!c.joins)
			say(w, ", which thread %s %s%s", c.other, taken ? "took" : "has", taken ? at(taken) : "");
		any = true;
	}
	if (any)
		say(w, ".");
	return any;
}

/* It was woken for something that was gone when it came to look. */
static bool say_overtaken(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *read = step_of(root, hang, "read"), *woken = step_of(root, hang, "woken"), *over = step_of(root, hang, "over");
	if (!read || !woken || !over || inside_of(read))
		return false;
	say(w, ". Thread %s had signalled it%s, but before thread %s looked again%s, thread %s changed %s%s%s", text(woken, "thread"), at(woken), text(read, "thread"), at(read), text(over, "thread"),
	    object_of(read), left_by(over), at(over));
	return true;
}

/* What it waits for has come: who was woken instead, or why nobody was. */
static void say_missed(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *read = step_of(root, hang, "read"), *is = step_of(root, hang, "is"), *other = step_of(root, hang, "other"), *woke = step_of(root, hang, "woke"),
	       *looked = step_of(root, hang, "looked"), *told = step_of(root, hang, "told"), *signal = step_of(root, hang, "signal"),
	       *missed = step_of(root, hang, "missed"), *again;
	if (!read || !is || inside_of(read)) {
		if (other)
			say(w, "; thread %s signalled it%s for one thread only, which was %s%s", text(other, "thread"), at(other), woke ? "thread " : "another",
			    woke ? text(woke, "thread") : "");
		return;
	}
	bool only_reads = is_kind(read, "read"), same = missed && !strcmp(text(missed, "thread"), text(is, "thread"));
	if (missed)
		say(w, ". It had found %s%s%s; thread %s changed that%s%s and %s%s put it back%s, which thread %s did not see", object_of(read), value_of(read, " = ", ""), at(read), text(missed, "thread"),
		    left_by(missed), at(missed), same ? "" : "thread ", same ? "then" : text(is, "thread"), at(is), text(read, "thread"));
	else
		say(w, ". It had %s %s%s%s, which thread %s changed since%s%s", only_reads ? "found" : "looked at", object_of(read), only_reads ? value_of(read, " = ", "") : "", at(read),
		    text(is, "thread"), left_by(is), at(is));
	if (signal && !other)
		say(w, "; the signal%s came before it waited", at(signal));
	if (other)
		say(w, "; the signal%s was for one thread only", at(other));
	if (other && woke && (again = wait_of(root, text(woke, "thread"))))
		say(w, ", and woke thread %s, which waits%s", text(woke, "thread"), at(again));
	if (!other && json_is_true(json_object_get(hang, "never")))
		say(w, "; nobody has signalled it");
	if (looked && told)
		say(w, "; thread %s had looked at %s%s before thread %s wrote it%s", text(looked, "thread"), object_of(looked), at(looked), text(told, "thread"), at(told));
}

/* What it waits for never came: nobody did anything about what it had found. */
static void say_unchanged(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *read = step_of(root, hang, "read");
	if (!read || !json_is_true(json_object_get(hang, "unchanged")) || step_of(root, hang, "other") || step_of(root, hang, "taken"))
		return;
	say(w, ". It had found %s%s%s, which nobody has changed since%s", object_of(read), value_of(read, " = ", ""), at(read),
	    json_is_true(json_object_get(hang, "never")) ? "; nobody has signalled it" : "");
}

/* The lock that it keeps while it waits. */
static void say_kept(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *wanted = step_of(root, hang, "wanted"), *taken = wanted ? lock_holder(root, wanted) : NULL;
	if (taken)
		say(w, ", and %s %s%s, which thread %s waits for%s", is_once(taken) ? "is in the routine of" : "keeps", object_of(wanted), at(taken), text(wanted, "thread"), at(wanted));
}

/* It waits for something that another keeps, which waits as well. */
static void say_taken(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *read = step_of(root, hang, "taken"), *by = step_of(root, hang, "taker"), *waits;
	if (!read || !by || inside_of(read) || !(waits = wait_of(root, text(by, "thread"))))
		return;
	say(w, ". It had found %s%s%s; thread %s, which had written that%s, waits for ever as well%s", object_of(read), value_of(read, " = ", ""), at(read), text(by, "thread"), at(by), at(waits));
}

/* Whose end is waited for does not wait: it goes round, and finds what another thread has left. */
static void say_running(struct words *w, const json_t *root, const char *thread)
{
	json_t *asked, *read, *writer;
	if (!*thread || wait_of(root, thread))
		return;
	/* What its way depends on is asked first, then what it read last. */
	for (size_t k = 0, n = json_array_size(json_object_get(root, "asked")); k < 2 * n; k++) {
		asked = json_array_get(json_object_get(root, "asked"), k % n);
		read = json_is_true(json_object_get(asked, "last")) == (k >= n) ? step_of(root, asked, "step") : NULL;
		writer = read && json_object_get(read, "saw") ? step_numbered(root, number(read, "saw")) : NULL;
		if (!writer || json_object_get(asked, "next") || inside_of(read) || strcmp(text(read, "thread"), thread) || !strcmp(text(writer, "thread"), thread))
			continue;
		say(w, ", which still runs: it found %s%s%s, which thread %s had written%s", object_of(read), value_of(read, " = ", ""), at(read), text(writer, "thread"), at(writer));
		return;
	}
}

/* It does not wait, but looks again and again. */
static void say_spin(struct words *w, const json_t *root, const json_t *hang)
{
	json_t *read = step_of(root, hang, "read"), *is = step_of(root, hang, "is"), *missed = step_of(root, hang, "missed"), *looked = step_of(root, hang, "looked"), *told = step_of(root, hang, "told");
	bool own = is && !strcmp(text(is, "thread"), text(read, "thread"));
	say(w, "thread %s goes round for ever: it finds %s%s%s, ", text(read, "thread"), object_of(read), value_of(read, " = ", ""), at(read));
	if (own)
		say(w, "which it had written itself%s, and nobody has changed", at(is));
	else if (is)
		say(w, "which thread %s had written%s", text(is, "thread"), at(is));
	else
		say(w, "which nobody is known to have written");
	if (missed)
		say(w, "; before that thread %s had set it%s%s, which thread %s did not see", text(missed, "thread"), left_by(missed), at(missed), text(read, "thread"));
	if (looked && told)
		say(w, "; thread %s had looked at %s%s before thread %s wrote it%s", text(looked, "thread"), object_of(looked), at(looked), text(told, "thread"), at(told));
	say(w, ".");
}

bool is_spin_told(const json_t *root)
{
	json_t *hang = json_array_get(json_object_get(root, "hangs"), 0);
	return json_object_get(hang, "missed") || (json_is_true(json_object_get(hang, "spins")) && json_object_get(hang, "told"));
}

/* The first of those that wait is the most telling. */
bool say_hang(struct words *w, const json_t *root, const struct trace *t)
{
	json_t *hang = json_array_get(json_object_get(root, "hangs"), 0), *step = step_of(root, hang, "step"), *signal = step_of(root, hang, "signal"), *holder;
	if (!is_about_waits(t) || !step)
		return false;
	if (json_is_true(json_object_get(hang, "spins"))) {
		say_spin(w, root, hang);
		return true;
	}
	if (say_circle(w, root))
		return true;
	const char *object = text(*text(hang, "object") ? hang : step, "object"), *joins = text(hang, "joins");
	bool condition = json_is_true(json_object_get(hang, "condition"));
	say(w, "thread %s waits for ever%s%s%s%s", text(step, "thread"), *joins ? " for the end of thread " : !*object ? "" : condition ? " for a signal of " : " for ",
	    *joins ? joins : object, at(step), signal && json_is_true(json_object_get(hang, "lost")) ? ": the signal had come before it waited" : "");
	say_running(w, root, joins);
	if (signal && json_is_true(json_object_get(hang, "lost")))
		say(w, "%s", at(signal));
	else if (!condition && (holder = lock_holder(root, step)) && has_ended(t, text(holder, "thread")))
		say(w, was_cancelled_at(root, holder) ? ": thread %s took it again%s when it was cancelled, and ended without giving it up" : ": thread %s took it%s and ended without giving it up",
		    text(holder, "thread"), at(holder));
	else
		say_kept(w, root, hang);
	if (say_overtaken(w, root, hang)) {
		say(w, ".");
		return true;
	}
	if (!json_is_true(json_object_get(hang, "lost")))
		say_missed(w, root, hang);
	if (!json_is_true(json_object_get(hang, "lost")) && !signal)
		say_taken(w, root, hang);
	if (!json_is_true(json_object_get(hang, "lost")) && !json_object_get(hang, "wanted"))
		say_unchanged(w, root, hang);
	say(w, ".");
	return true;
}
