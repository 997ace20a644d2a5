#include "cli/in_short.h"

#include "cli/asked.h"
#include "cli/in_short_objects.h"
#include "cli/in_short_waits.h"
#include "cli/telling.h"
#include "cli/words.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Lines are broken behind so many characters. */
enum { WIDTH = 100 };

/* ---- who came in between ---- */

static void say_locks(struct words *w, const json_t *root, const json_t *between, const char *thread)
{
	json_t *lock = json_object_get(between, "lock"), *bare = step_of(root, between, "unlocked"), *given_up = json_object_get(between, "given_up");
	if (given_up)
		say(w, "; thread %s had given up %s in between", thread, text(given_up, "object"));
	else if (json_object_get(between, "apart"))
		say(w, "; the locks that they have are different ones");
	else if (lock && bare && json_is_true(json_object_get(between, "as_reader")))
		say(w, "; thread %s has %s only for reading%s", text(bare, "thread"), text(lock, "object"), at(bare));
	else if (lock && bare)
		say(w, "; thread %s does not have %s%s", text(bare, "thread"), text(lock, "object"), at(bare));
	else if (json_is_true(json_object_get(between, "bare")) && !is_kind(step_of(root, between, "other"), "update"))
		say(w, "; none of them has a lock");
	say(w, ".");
}

static bool say_between(struct words *w, const json_t *root)
{
	json_t *b = json_object_get(root, "between"), *first = step_of(root, b, "first"), *other = step_of(root, b, "other"), *second = step_of(root, b, "second");
	if (!first || !other || !second)
		return false;
	const char *a = text(first, "thread"), *o = text(other, "thread"), *object = object_of(first);
	if (!is_write(other))
		say(w, "thread %s read %s%s after thread %s had written it%s and before that wrote it again%s", o, object, at(other), a, at(first), at(second));
	else if (is_kind(first, "read") && is_kind(second, "write"))
		say(w, "thread %s overwrote%s what thread %s had written to %s%s without having seen it: it had read it before that%s", a, at(second), o, object,
		    at(other), at(first));
	else if (is_kind(first, "update") && is_kind(other, "update") && is_kind(second, "read"))
		say(w, "thread %s updated %s%s%s and then asked what it was%s: by then thread %s had updated it, too%s%s, and it found %s", a, object, value_of(first, " (", ")"),
		    at(first), at(second), o, value_of(other, " (", ")"), at(other), text(second, "value"));
	else
		say(w, "thread %s %s %s%s; before it %s it%s%s, thread %s changed it%s", a, deed(first), object, at(first), deed(second),
		    !strcmp(deed(first), deed(second)) ? " again" : "", at(second), o, at(other));
	say_locks(w, root, b, a);
	return true;
}

/* ---- the others ---- */

static bool say_buffered(struct words *w, const json_t *root)
{
	json_t *b = json_object_get(root, "buffered"), *stores = json_object_get(b, "stores");
	json_t *one = step_numbered(root, json_integer_value(json_array_get(stores, 0))), *other = step_numbered(root, json_integer_value(json_array_get(stores, 1)));
	if (!json_object_size(b) || !one || !other)
		return false;
	say(w, "threads %s and %s each wrote%s%s and then looked for what the other writes; without a fence in between, neither saw it.", text(one, "thread"),
	    text(other, "thread"), at(one), at(other));
	return true;
}

static bool say_again(struct words *w, const json_t *root)
{
	json_t *g = json_object_get(root, "again"), *read = step_of(root, g, "read"), *swapped = step_of(root, g, "swapped"), *behind = step_of(root, g, "behind");
	if (!read || !swapped || !behind)
		return false;
	say(w, "ABA: when thread %s exchanged %s%s, it held what the thread had read there%s, but had been something else in between, and what was put there%s was no longer true.",
	    text(swapped, "thread"), object_of(read), at(swapped), at(read), at(behind));
	return true;
}

/*
 * Has it no name of its own, but an address, or the line that allocated it, or is it only known what kind of thing a library has there? Of memory that several blocks had, one
 * after the other, nothing tells which of them is meant.
 */
static bool is_nameless(const char *object)
{
	static const char *const begins[] = {"freed block ", "heap block ", "block ", "0x", "a node of "};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(object, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* What was used: of what has no name, where the thread had the pointer from. To be freed. */
static char *freed_thing(const json_t *use, const json_t *got)
{
	const char *object = object_of(use), *from = got ? object_of(got) : "";
	if (!*from || !is_nameless(object) || is_nameless(from))
		return xstrdup(object);
	return inside_of(got) ? xasprintf("memory of %s", from) : xasprintf("what %s points to", from);
}

static bool say_freed(struct words *w, const json_t *root)
{
	json_t *f = json_object_get(root, "freed"), *use = step_of(root, f, "use"), *by = step_of(root, f, "freed");
	by = by ? by : json_object_get(f, "by");
	if (!use || !by)
		return false;
	char *thing = freed_thing(use, step_of(root, f, "got"));
	if (json_is_true(json_object_get(f, "twice")))
		say(w, "thread %s freed%s what thread %s had freed already%s.", text(use, "thread"), at(use), text(by, "thread"), at(by));
	else if (!strcmp(text(use, "thread"), text(by, "thread")))
		say(w, "thread %s %s %s%s after it had freed that itself%s%s.", text(use, "thread"), deed(use), thing, at(use), at(by),
		    json_is_true(json_object_get(root, "alone")) ? "; no other thread had a part in it" : "");
	else
		say(w, "thread %s %s %s%s after thread %s had freed it%s.", text(use, "thread"), deed(use), thing, at(use), text(by, "thread"), at(by));
	free(thing);
	return true;
}

static bool say_published(struct words *w, const json_t *root)
{
	json_t *p = json_object_get(root, "published"), *shown = step_of(root, p, "shown"), *read = step_of(root, p, "read"), *filled = json_object_get(p, "filled"), *led = step_of(root, p, "led"),
	       *lock = json_object_get(p, "given_up");
	if (!shown || !read || !filled)
		return false;
	say(w, "thread %s let others see %s%s before it wrote %s%s, which thread %s read in between%s", text(shown, "thread"), object_of(shown), at(shown),
	    object_of(read), at(filled), text(read, "thread"), at(read));
	if (led)
		say(w, " and then wrote %s%s", object_of(led), at(led));
	if (lock)
		say(w, "; thread %s had given up %s by then", text(shown, "thread"), text(lock, "object"));
	say(w, ".");
	return true;
}

/* What it read rested on what it had read before, and no longer was so. */
static void say_rests(struct words *w, const json_t *s, json_t *first, json_t *other, json_t *second, json_t *also)
{
	const char *a = text(first, "thread"), *o = text(other, "thread"), *object = object_of(first);
	if (!strcmp(object, object_of(second)))
		say(w, "thread %s went by what it had read in %s%s; before it read it again%s, thread %s changed it%s", a, object, at(first), at(second), o, at(other));
	else if (!strcmp(text(other, "where"), text(also, "where")))
		say(w, "thread %s went by what it had read in %s%s when it read %s%s; in between thread %s had changed both%s", a, object, at(first), object_of(second), at(second), o,
		    at(other));
	else
		say(w, "thread %s went by what it had read in %s%s when it read %s%s; in between thread %s had changed the one%s and the other%s", a, object, at(first),
		    object_of(second), at(second), o, at(other), at(also));
	say(w, "; thread %s had given up %s by then.", a, text(json_object_get(s, "given_up"), "object"));
}

static bool say_stale(struct words *w, const json_t *root)
{
	json_t *s = json_object_get(root, "stale"), *first = step_of(root, s, "first"), *other = step_of(root, s, "other"), *second = step_of(root, s, "second"),
	       *also = step_of(root, s, "also");
	second = second ? second : json_object_get(s, "wrote");
	if (!first || !other || !second)
		return false;
	const char *a = text(first, "thread"), *o = text(other, "thread");
	const char *end = json_object_get(s, "apart") ? "; the locks that they have are different ones." : ".";
	if (json_is_true(json_object_get(s, "rests"))) {
		say_rests(w, s, first, other, second, also);
		return true;
	}
	if (json_is_true(json_object_get(s, "copied")))
		say(w, "thread %s wrote %s%s%s, which it had read in %s%s before thread %s changed that%s%s.", a, object_of(second), value_of(second, " = ", ""), at(second),
		    object_of(first), at(first), o, left_by(other), at(other));
	else if (also && inside_of(first) && !strcmp(object_of(first), object_of(second)))
		say(w, "thread %s read %s%s while thread %s changed it%s: one part of it is from before, another from after that%s", a, object_of(second), at(second), o,
		    at(also), end);
	else if (also)
		say(w, "thread %s read %s%s before thread %s changed it%s, and %s%s after thread %s had changed that%s: the two are of different times%s", a,
		    object_of(first), at(first), o, at(other), object_of(second), at(second), o, at(also), end);
	else
		say(w, "thread %s %s %s%s through an old pointer: it had got that from %s%s, and thread %s had put another one there since%s.", a, deed(second),
		    object_of(second), at(second), object_of(first), at(first), o, at(other));
	return true;
}

static bool say_halfway(struct words *w, const json_t *root)
{
	json_t *h = json_object_get(root, "halfway"), *wrote = step_of(root, h, "wrote"), *seen = step_of(root, h, "seen"), *read = step_of(root, h, "read"), *usual = json_object_get(h, "usual");
	if (!wrote || !seen || !read || !usual)
		return false;
	const char *a = text(wrote, "thread");
	if (json_is_true(json_object_get(h, "in_turns")))
		say(w, "thread %s had written %s%s and not yet what is written next every other time%s; thread %s looked in between%s: thread %s gives up %s between the two.", a,
		    object_of(wrote), at(wrote), at(usual), text(read, "thread"), at(read), a, text(json_object_get(h, "given_up"), "object"));
	else if (!json_object_get(h, "given_up"))
		say(w, "thread %s writes %s%s and then %s%s; when thread %s read the second%s and the first%s, it had only written the first.", a, object_of(wrote), at(wrote), object_of(read), at(usual), text(read, "thread"),
		    at(read), at(seen));
	else
		say(w, "thread %s had written %s%s and not yet %s, which it writes next%s; thread %s read both in between%s: thread %s gives up %s between the two.", a, object_of(wrote), at(wrote),
	    object_of(read), at(usual), text(read, "thread"), at(read), a, text(json_object_get(h, "given_up"), "object"));
	return true;
}

static bool say_undone(struct words *w, const json_t *root)
{
	json_t *u = json_object_get(root, "undone"), *first = step_of(root, u, "first"), *other = step_of(root, u, "other"), *seen = step_of(root, u, "seen"),
	       *second = step_of(root, u, "second");
	if (!first || !other || !seen || !second)
		return false;
	say(w, "thread %s wrote %s%s, thread %s changed that%s, thread %s went by the change%s, and thread %s wrote again without having looked%s.", text(first, "thread"),
	    object_of(first), at(first), text(other, "thread"), at(other), text(seen, "thread"), at(seen), text(second, "thread"), at(second));
	return true;
}

static bool say_passed(struct words *w, const json_t *root)
{
	json_t *p = json_object_get(root, "passed"), *first = step_of(root, p, "first"), *then = step_of(root, p, "then"), *other = step_of(root, p, "other"),
	       *second = step_of(root, p, "second"), *lock = json_object_get(p, "given_up");
	if (!first || !then || !other || !second)
		return false;
	const char *a = text(first, "thread"), *o = text(then, "thread");
	bool elsewhere = strcmp(object_of(other), object_of(second)); /* another element, which is compared with that */
	char *there = elsewhere ? xasprintf(" to %s", object_of(other)) : xstrdup(" there");
	say(w, "thread %s %s %s%s%s before thread %s %s%s, but came to %s%s after it: thread %s had already %s%s", a, deed(first), object_of(first),
	    is_kind(first, "update") ? value_of(first, " (", ")") : value_of(first, " = ", ""), at(first), o, strcmp(deed(first), deed(then)) ? deed(then) : "did", value_of(then, " (", ")"), object_of(second), at(second), o,
	    is_kind(other, "update") ? "updated it" : *text(other, "value") ? value_of(other, "written ", there) : "changed it", at(other));
	free(there);
	if (lock)
		say(w, "; thread %s had given up %s in between", a, text(lock, "object"));
	say(w, ".");
	return true;
}

/* What it did for a reason that was another's, or no longer so. */
/* Is the one step before the other? */
static bool comes_before(const json_t *cause, const char *one, const char *other)
{
	return json_integer_value(json_object_get(cause, one)) < json_integer_value(json_object_get(cause, other));
}

static bool say_acted(struct words *w, const json_t *root)
{
	json_t *c = json_object_get(root, "acted"), *first = step_of(root, c, "first"), *other = step_of(root, c, "other"), *second = step_of(root, c, "second"),
	       *act = step_of(root, c, "act"), *alike = step_of(root, c, "alike"), *lock = json_object_get(c, "given_up");
	if (!first || !other || !act)
		return false;
	const char *a = text(first, "thread"), *o = text(other, "thread");
	if (second && alike)
		say(w, "thread %s wrote %s%s%s and asked for it only later%s, when thread %s had changed that%s%s: for what it found, it %s %s%s, as thread %s %s", a, object_of(first),
		    value_of(first, " = ", ""), at(first), at(second), o, left_by(other), at(other), deed(act), object_of(act), at(act), text(alike, "thread"),
		    comes_before(c, "alike", "act") ? "had" : "did afterwards");
	else if (json_is_true(json_object_get(c, "computed")))
		say(w, "thread %s wrote %s%s%s, which it had computed of %s%s%s, before thread %s changed that%s%s", a, object_of(act), value_of(act, " = ", ""), at(act), object_of(first),
		    value_of(first, " = ", ""), at(first), o, left_by(other), at(other));
	else
		say(w, "thread %s %s %s%s because it had found %s%s%s, which was no longer so: thread %s had changed that%s%s", a, deed(act), object_of(act), at(act), object_of(first),
		    value_of(first, " = ", ""), at(first), o, left_by(other), at(other));
	if (lock)
		say(w, "; thread %s had given up %s in between", a, text(lock, "object"));
	say(w, ".");
	return true;
}

/* More came in than there was room for. */
static bool say_overposted(struct words *w, const json_t *root)
{
	json_t *o = json_object_get(root, "overposted"), *before = step_of(root, o, "before"), *post = step_of(root, o, "post"), *take = step_of(root, o, "take");
	if (!before || !post || !take)
		return false;
	say(w, "thread %s posted %s%s once more than it had taken it: it had given it back already%s; thread %s took it after that%s.", text(post, "thread"), object_of(post), at(post),
	    at(before), text(take, "thread"), at(take));
	return true;
}

/* What the thread had looked at before it waited, and not again; still: nobody has changed it, and of several it is what was written last. */
static bool next_waited(const json_t *root, bool still, struct asked *found)
{
	struct asked a;
	bool any = false;
	for (size_t i = 0; (still || !any) && asked_next(root, &i, &a);) {
		bool own = a.writer && !strcmp(text(a.writer, "thread"), text(a.read, "thread"));
		if (!json_object_get(a.of, "waited") || !a.writer || json_is_true(json_object_get(a.of, "still")) != still || (own && !still) || wait_of(root, text(a.read, "thread")) ||
		    (any && number(a.read, "saw") < number(found->read, "saw")))
			continue;
		*found = a;
		any = true;
	}
	return any;
}

/* Who comes back from a wait has to look again. */
static bool say_waited(struct words *w, const json_t *root)
{
	struct asked a;
	bool changed = next_waited(root, false, &a);
	if (!changed && !next_waited(root, true, &a))
		return false;
	say(w, "thread %s had looked at %s before it waited%s, and %s when it came back; ", text(a.read, "thread"), object_of(a.read), at(json_object_get(a.of, "waited")),
	    json_is_true(json_object_get(a.of, "looked")) ? "did not go back to that" : "not again");
	if (changed)
		say(w, "thread %s had changed it by then%s.", text(a.writer, "thread"), at(a.writer));
	else
		say(w, "nobody had changed it.");
	return true;
}

/* Is it known what the failing thread read last, of another, that its failure rests on? Then what only its last condition asks for (a mark of a loop, of when to end) says less. */
static bool rests_on_last(const json_t *root)
{
	struct asked a;
	for (size_t i = 0; asked_next(root, &i, &a);)
		if (json_is_true(json_object_get(a.of, "last")) && json_is_true(json_object_get(a.of, "rests")) && a.writer && strcmp(text(a.writer, "thread"), text(a.read, "thread")) && !asked_is_ancestor(text(a.writer, "thread"), text(a.read, "thread")))
			return true;
	return false;
}

/* Nobody had written it yet, or only the thread itself, before the one was created that was to. */
static bool say_early(struct words *w, const json_t *root)
{
	struct asked a;
	bool last = rests_on_last(root);
	for (size_t i = 0; asked_next(root, &i, &a);) {
		json_t *next = json_object_get(a.of, "next");
		if (!next || is_free(next) || !json_object_get(a.read, "saw") || json_is_true(json_object_get(root, "guessed")) || (last && !json_is_true(json_object_get(a.of, "last"))))
			continue;
		bool initial = number(a.read, "saw") < 0 && !json_is_true(json_object_get(a.of, "last"));
		bool own = a.writer && !strcmp(text(a.writer, "thread"), text(a.read, "thread")) && asked_is_created_since(root, text(next, "thread"), number(a.read, "saw"));
		if (!initial && !own)
			continue;
		say(w, "thread %s read %s%s before thread %s wrote it%s.", text(a.read, "thread"), object_of(a.read), at(a.read), text(next, "thread"), at(next));
		return true;
	}
	return false;
}

/* The writer was not done. */
static bool say_midway(struct words *w, const json_t *root)
{
	struct asked a;
	for (size_t i = 0; asked_next(root, &i, &a);) {
		json_t *lock = json_object_get(a.of, "midway");
		if (!lock || !a.writer || is_free(a.writer))
			continue;
		say(w, "thread %s read %s%s while thread %s, which had written it%s, was not done: it still had %s locked.", text(a.read, "thread"), object_of(a.read),
		    at(a.read), text(a.writer, "thread"), at(a.writer), text(lock, "object"));
		return true;
	}
	return false;
}

/* One of two that race has a lock. */
static bool say_missing(struct words *w, const json_t *root)
{
	struct asked a;
	for (size_t i = 0; asked_next(root, &i, &a);) {
		json_t *lock = json_object_get(a.of, "missing");
		if (!lock || !a.writer || asked_is_of_counts(&a))
			continue;
		if (json_is_true(json_object_get(lock, "readers")))
			say(w, "thread %s read %s%s with %s locked; thread %s had written it%s without a lock.", text(a.read, "thread"), object_of(a.read), at(a.read),
			    text(lock, "object"), text(a.writer, "thread"), at(a.writer));
		else
			say(w, "thread %s read %s%s without a lock; thread %s had written it%s with %s locked.", text(a.read, "thread"), object_of(a.read), at(a.read),
			    text(a.writer, "thread"), at(a.writer), text(lock, "object"));
		return true;
	}
	return false;
}

/* ---- all of it ---- */

static bool say_cause(struct words *w, const json_t *root)
{
	static bool (*const says[])(struct words *, const json_t *) = {say_buffered, say_again, say_freed, say_destroyed, say_unfinished, say_published, say_between, say_stale, say_undone, say_passed, say_acted, say_halfway, say_overposted, say_waited, say_midway, say_missing, say_early};
	struct words one = {NULL};
	for (size_t i = 0; i < sizeof says / sizeof *says; i++)
		if (says[i](&one, root)) {
			bool begins = !w->text;
			if (!begins && *one.text >= 'a' && *one.text <= 'z')
				*one.text = (char)(*one.text - 'a' + 'A');
			say(w, "%s%s", begins ? "" : " ", one.text);
			free(one.text);
			return true;
		}
	return false;
}

/* How much it says: best of all a pointer to nothing, least the insides of containers. */
static int rank_found(const struct asked *a)
{
	return inside_of(a->read) ? 0 : !strcmp(text(a->read, "value"), "NULL") ? 2 : 1;
}

/* Does the failing thread's last condition ask only for what was read in other lines (a mark of a loop) than what it read last, which its failure rests on? */
static bool is_last_first(const json_t *root)
{
	struct asked a, b;
	for (size_t i = 0; rests_on_last(root) && asked_next(root, &i, &a);)
		for (size_t k = 0; json_is_true(json_object_get(a.of, "last")) && asked_next(root, &k, &b);)
			if (!json_is_true(json_object_get(b.of, "last")) && !json_is_true(json_object_get(b.of, "behind")) && !strcmp(text(a.read, "where"), text(b.read, "where")))
				return false;
	return rests_on_last(root);
}

/* Of the reads that are shown below, which found another thread's write, the one that says most; what only led to what the failing thread found is none. What was read last is shown only where it is known where that failed. */
static bool foreign_read(const json_t *root, struct asked *found)
{
	int best = -1;
	json_int_t latest = -1; /* of what says as much, what was written last: the rest may be as it was from the beginning */
	struct asked a;
	bool first = is_last_first(root);
	for (int pass = 0; pass < 2 && best < 0; pass++)
		for (size_t i = 0; asked_next(root, &i, &a);) {
			bool last = (pass & 1) != first, shown = json_is_true(json_object_get(a.of, "last")) == last && (!last || *text(root, "failed_at") || json_object_get(a.of, "rests"));
			if (!shown || !a.writer || asked_is_of_counts(&a) || json_is_true(json_object_get(a.of, "behind")) || !strcmp(text(a.writer, "thread"), text(a.read, "thread")) || asked_is_handed(root, &a) || rank_found(&a) < best ||
			    (rank_found(&a) == best && number(a.read, "saw") <= latest))
				continue;
			*found = a;
			best = rank_found(&a);
			latest = number(a.read, "saw");
		}
	return best >= 0;
}

/* What it found it had written itself, of what another thread had left there. */
static bool foreign_behind_own(const json_t *root, struct asked *found)
{
	json_t *steps = json_object_get(root, "steps");
	struct asked a;
	for (size_t i = 0; asked_next(root, &i, &a);)
		for (size_t k = json_array_size(steps); a.writer && k--;) {
			json_t *s = json_array_get(steps, k), *by;
			if (number(s, "step") > number(a.writer, "step") || strcmp(text(s, "thread"), text(a.writer, "thread")) || strcmp(text(s, "object"), text(a.read, "object")) || !json_object_get(s, "saw"))
				continue;
			by = step_numbered(root, number(s, "saw"));
			if (by && strcmp(text(by, "thread"), text(s, "thread")) && !asked_is_ancestor(text(by, "thread"), text(s, "thread")) && !inside_of(s)) {
				*found = (struct asked){a.of, s, by};
				return true;
			}
			break;
		}
	return false;
}

/* Nothing of another thread's was found: perhaps the thread came too early. */
static void say_unwritten(struct words *w, const json_t *root)
{
	struct asked a;
	for (size_t i = 0; asked_next(root, &i, &a);) {
		json_t *next = json_object_get(a.of, "next");
		if (!json_is_true(json_object_get(a.of, "unwritten")) || inside_of(a.read) || !*text(root, "failed_at"))
			continue;
		say(w, "thread %s found %s%s%s, which nobody is known to have written before", text(a.read, "thread"), object_of(a.read), value_of(a.read, " = ", ""), at(a.read));
		if (next && !is_free(next))
			say(w, "; thread %s wrote it only afterwards%s", text(next, "thread"), at(next));
		say(w, ".");
		return;
	}
	say(w, "no single cause stands out%s.", json_is_true(json_object_get(root, "alone")) ? "; nothing that the failure rests on is of another thread" : "");
}

/* Without a cause: what is certain. */
static void say_found(struct words *w, const json_t *root)
{
	struct asked a;
	if (say_handed_exception(w, root))
		return;
	if (!foreign_read(root, &a) && !foreign_behind_own(root, &a)) {
		say_unwritten(w, root);
		return;
	}
	json_t *next = a.read == step_of(root, a.of, "step") ? json_object_get(a.of, "next") : NULL;
	if (inside_of(a.read)) {
		say(w, "thread %s found %s%s as thread %s had left it%s.", text(a.read, "thread"), object_of(a.read), at(a.read), text(a.writer, "thread"), at(a.writer));
		return;
	}
	bool bare = is_free(a.writer) || is_kind(a.read, "update"); /* what it found says nothing */
	say(w, "thread %s found %s%s%s%s, which thread %s had %s%s", text(a.read, "thread"), object_of(a.read), bare ? "" : " = ", bare ? "" : text(a.read, "value"),
	    at(a.read), text(a.writer, "thread"), is_free(a.writer) ? "freed" : "written", at(a.writer));
	if (next && !is_free(next) && strcmp(text(next, "thread"), text(a.writer, "thread")))
		say(w, "; thread %s wrote it only afterwards%s", text(next, "thread"), at(next));
	say(w, ".");
}

static void print_broken(const char *text)
{
	size_t column = 0;
	while (*text) {
		size_t n = strcspn(text, " ");
		if (column && column + 1 + n > WIDTH)
			column = 0, putchar('\n');
		printf("%s%.*s", column ? " " : "", (int)n, text);
		column += n + !!column;
		text += n + strspn(text + n, " ");
	}
	puts("\n");
}

/* What comes first where memory was overrun: who did it. Then why. */
static void begin_outside(struct words *w, const json_t *root)
{
	if (*text(root, "outside"))
		say(w, "%s.", text(root, "outside"));
}

void print_in_short(const json_t *root, const struct trace *t)
{
	struct words w = {NULL}, found = {NULL};
	begin_outside(&w, root);
	bool waits = say_cycle(&w, root, t) || say_hang(&w, root, t), cause = !(waits && is_spin_told(root)) && say_cause(&w, root);
	if (!waits && !cause && t->failure.kind != RT_FAIL_DEADLOCK)
		say_found(&found, root);
	if (found.text)
		say(&w, "%s%s", w.text ? " In the end " : "", found.text);
	free(found.text);
	if (w.text) {
		char *all = xasprintf("In short: %s", w.text);
		print_broken(all);
		free(all);
	}
	free(w.text);
}
