#include "cli/causes.h"

#include "cli/freed.h"
#include "cli/telling.h"

#include <stdio.h>
#include <string.h>

static void print_deed(const json_t *step, const char *when, const char *object, const char *program)
{
	printf("  %sthread %s %s %s%s%s%s%s\n", when, text(step, "thread"), deed(step), style.race, object, style.off,
	       is_free(step) || !*text(step, "value") ? "" : ": ", is_free(step) ? "" : text(step, "value"));
	quote(step, program);
}

/* Which lock one of the three went without. */
static void print_missing_lock(const json_t *root, const json_t *between, const char *program)
{
	json_t *lock = json_object_get(between, "lock"), *bare = step_numbered(root, number(between, "unlocked"));
	if (!lock || !bare)
		return;
	if (json_is_true(json_object_get(between, "as_reader"))) {
		printf("    with %s%s%s locked for reading only, thread %s %s it here\n", style.race, text(lock, "object"), style.off,
		       text(bare, "thread"), deed(bare));
		quote(bare, program);
		return;
	}
	printf("    without %s%s%s, which guards it elsewhere, thread %s %s it here\n", style.race, text(lock, "object"), style.off,
	       text(bare, "thread"), deed(bare));
	quote(bare, program);
	if (*text(lock, "where")) {
		printf("    that lock is used here\n");
		quote(lock, program);
	}
}

/* Each has a lock, but not the same. */
static void print_apart(const json_t *between, const char *thread, const char *other)
{
	json_t *locks = json_object_get(between, "apart");
	if (locks)
		printf("    thread %s had %s%s%s locked, thread %s %s%s%s: different locks do not keep them apart\n", thread, style.race,
		       text(json_array_get(locks, 0), "object"), style.off, other, style.race, text(json_array_get(locks, 1), "object"), style.off);
}

/* Two critical sections that should be one. */
static void print_given_up(const json_t *between, const char *thread)
{
	json_t *lock = json_object_get(between, "given_up");
	if (lock)
		printf("    each time with %s%s%s locked, which thread %s gave up between its two accesses\n", style.race, text(lock, "object"), style.off,
		       thread);
}

/* Two places that belong together: a pointer and what it led to, or two values. */
static void print_stale(const json_t *root, const char *program)
{
	json_t *stale = json_object_get(root, "stale"), *lock = json_object_get(stale, "given_up");
	json_t *first = step_numbered(root, number(stale, "first")), *other = step_numbered(root, number(stale, "other")),
	       *second = step_numbered(root, number(stale, "second"));
	json_t *also = json_object_get(stale, "also") ? step_numbered(root, number(stale, "also")) : NULL;
	json_t *found = json_object_get(stale, "found") ? step_numbered(root, number(stale, "found")) : NULL;
	if (!second)
		second = json_object_get(stale, "wrote");
	bool late = found && number(stale, "second") > number(stale, "found");
	json_t *before = json_object_get(stale, "before") ? step_numbered(root, number(stale, "before")) : NULL;
	if (!json_object_size(stale) || !first || !other || !second)
		return;
	puts("Who came in between:");
	print_deed(first, "", text(first, "object"), program);
	print_deed(other, "then ", "it", program);
	if (also)
		print_deed(also, "and ", text(also, "object"), program);
	if (late)
		print_deed(found, "then ", text(found, "object"), program);
	if (late)
		print_deed(second, "and only then ", "it", program);
	else
		print_deed(second, "then ", text(second, "object"), program);
	if (json_is_true(json_object_get(stale, "copied")))
		printf("    which is what it had read, and no longer true\n");
	else if (json_is_true(json_object_get(stale, "rests")))
		puts("    which it would not have read so, or not have failed for, if it had known of that");
	else
		puts(also ? "    the one value is from before, the other from after that" : "    which is where the pointer led that had been replaced");
	if (found && !late && !json_is_true(json_object_get(stale, "copied"))) {
		printf("    thread %s found that, which had come there by a newer pointer\n", text(found, "thread"));
		quote(found, program);
	}
	if (before) {
		printf("    that came too late: thread %s had read it before\n", text(before, "thread"));
		quote(before, program);
	}
	print_apart(stale, text(first, "thread"), text(other, "thread"));
	if (lock)
		printf("    thread %s had %s%s%s locked then, and gave it up before it came to the second\n", text(first, "thread"), style.race,
		       text(lock, "object"), style.off);
	print_owner(root, second, program);
	putchar('\n');
}

/* What a thread had written was changed, and it wrote there again without having looked. */
static void print_undone(const json_t *root, const char *program)
{
	json_t *u = json_object_get(root, "undone"), *first = step_numbered(root, number(u, "first")), *other = step_numbered(root, number(u, "other")),
	       *seen = step_numbered(root, number(u, "seen")), *second = step_numbered(root, number(u, "second"));
	if (!json_object_size(u) || !first || !other || !seen || !second)
		return;
	puts("Who came in between:");
	print_deed(first, "", text(first, "object"), program);
	print_deed(other, "then ", "it", program);
	print_deed(seen, "and ", "it", program);
	print_deed(second, "then ", "it", program);
	printf("    thread %s had not looked again: what it had written before was gone, and thread %s had gone by that\n", text(first, "thread"),
	       text(seen, "thread"));
	print_given_up(u, text(first, "thread"));
	print_owner(root, first, program);
	putchar('\n');
}

/* Another thread came to the first place behind the thread, and to the second before it. */
static void print_passed(const json_t *root, const char *program)
{
	json_t *p = json_object_get(root, "passed"), *first = step_numbered(root, number(p, "first")), *then = step_numbered(root, number(p, "then")),
	       *other = step_numbered(root, number(p, "other")), *second = step_numbered(root, number(p, "second")), *lock = json_object_get(p, "given_up");
	json_int_t in_order = number(p, "in_order");
	if (!json_object_size(p) || !first || !then || !other || !second)
		return;
	puts("Who came in between:");
	print_deed(first, "", text(first, "object"), program);
	print_deed(then, "then ", "it", program);
	print_deed(other, "then ", text(other, "object"), program);
	print_deed(second, "then ", strcmp(text(second, "object"), text(other, "object")) ? text(second, "object") : "it", program);
	printf("    thread %s was at the first before thread %s, and at the second after it\n", text(first, "thread"), text(then, "thread"));
	if (lock)
		printf("    thread %s had %s%s%s locked at the first, and gave it up before it came to the second\n", text(first, "thread"), style.race,
		       text(lock, "object"), style.off);
	if (in_order)
		printf("    %lld other time%s one thread came to the second behind another, in the order in which they had been at the first\n", (long long)in_order, in_order == 1 ? "" : "s");
	print_owner(root, first, program);
	print_owner(root, second, program);
	putchar('\n');
}

/* It was shown to others before it was filled. */
static void print_published(const json_t *root, const char *program)
{
	json_t *p = json_object_get(root, "published"), *filled = json_object_get(p, "filled");
	json_t *shown = step_numbered(root, number(p, "shown")), *seen = step_numbered(root, number(p, "seen")), *read = step_numbered(root, number(p, "read"));
	json_t *led = json_object_get(p, "led") ? step_numbered(root, number(p, "led")) : NULL, *lock = json_object_get(p, "given_up");
	json_int_t in_time = number(p, "in_time");
	if (!json_object_size(p) || !shown || !seen || !read || !filled)
		return;
	puts("What was read before it was filled:");
	print_deed(shown, "", text(shown, "object"), program);
	print_deed(seen, "then ", strcmp(text(seen, "object"), text(shown, "object")) ? text(seen, "object") : "it", program);
	print_deed(read, "then ", text(read, "object"), program);
	if (led)
		print_deed(led, "then ", text(led, "object"), program);
	printf("  and only then thread %s %s %s%s%s\n", text(filled, "thread"), deed(filled), led ? style.race : "", led ? text(read, "object") : "it", led ? style.off : "");
	quote(filled, program);
	if (lock)
		printf("    thread %s had %s%s%s locked when it %s the one, and not all the time until it %s the other\n", text(shown, "thread"), style.race,
		       text(lock, "object"), style.off, deed(shown), deed(filled));
	if (in_time)
		printf("    %lld other time%s it had been filled before it was read\n", (long long)in_time, in_time == 1 ? "" : "s");
	print_owner(root, read, program);
	putchar('\n');
}

/* Another thread had done the one half of what it does in two sections. */
static void print_halfway(const json_t *root, const char *program)
{
	json_t *h = json_object_get(root, "halfway"), *wrote = step_numbered(root, number(h, "wrote")), *seen = step_numbered(root, number(h, "seen")),
	       *read = step_numbered(root, number(h, "read")), *usual = json_object_get(h, "usual");
	json_int_t times = number(h, "times");
	if (!json_object_size(h) || !wrote || !seen || !read || !usual)
		return;
	bool in_order = number(h, "seen") < number(h, "read");
	puts("Who was halfway:");
	print_deed(wrote, "", text(wrote, "object"), program);
	print_deed(in_order ? seen : read, "then ", text(in_order ? seen : read, "object"), program);
	print_deed(in_order ? read : seen, "and ", text(in_order ? read : seen, "object"), program);
	bool in_turns = json_is_true(json_object_get(h, "in_turns"));
	json_t *lock = json_object_get(h, "given_up");
	bool any = in_turns || json_is_true(json_object_get(h, "by_all"));
	printf("    %lld other times %s%s wrote %s next%s%s%s%s\n", (long long)times, any ? "a thread" : "thread ", any ? "" : text(wrote, "thread"),
	       in_turns ? "here" : text(read, "object"), lock ? ", in another section of " : "", style.race, text(lock, "object"), style.off);
	quote(usual, program);
	print_owner(root, read, program);
	putchar('\n');
}

/* What a thread did for what it found, when another thread had changed it. */
static void print_acted(const json_t *root, const char *program)
{
	json_t *a = json_object_get(root, "acted"), *first = step_numbered(root, number(a, "first")), *other = step_numbered(root, number(a, "other")),
	       *act = step_numbered(root, number(a, "act")), *lock = json_object_get(a, "given_up");
	json_t *second = json_object_get(a, "second") ? step_numbered(root, number(a, "second")) : NULL,
	       *alike = json_object_get(a, "alike") ? step_numbered(root, number(a, "alike")) : NULL;
	if (!json_object_size(a) || !first || !other || !act)
		return;
	puts("Who came in between:");
	print_deed(first, "", text(first, "object"), program);
	print_deed(other, "then ", "it", program);
	if (second)
		print_deed(second, "then ", "it", program);
	bool computed = json_is_true(json_object_get(a, "computed"));
	print_deed(act, computed ? "then " : "and did what it did for that: ", text(act, "object"), program);
	if (computed)
		puts("    which is computed of what it had read, and no longer right");
	else if (second)
		printf("    had it found what it had written itself, thread %s would not have done that\n", text(first, "thread"));
	else
		printf("    had it found what was there by then, thread %s would not have done that\n", text(first, "thread"));
	if (alike) {
		printf("    which thread %s %s as well\n", text(alike, "thread"), number(a, "alike") < number(a, "act") ? "had done" : "did afterwards");
		quote(alike, program);
	}
	if (lock)
		printf("    thread %s had %s%s%s locked at the first, and gave it up in between\n", text(first, "thread"), style.race, text(lock, "object"), style.off);
	print_owner(root, first, program);
	putchar('\n');
}

/* A semaphore was posted too often. */
static void print_overposted(const json_t *root, const char *program)
{
	json_t *o = json_object_get(root, "overposted"), *before = step_numbered(root, number(o, "before")), *post = step_numbered(root, number(o, "post")),
	       *take = step_numbered(root, number(o, "take"));
	if (!json_object_size(o) || !before || !post || !take)
		return;
	puts("What was posted too often:");
	printf("  thread %s posted %s%s%s\n", text(before, "thread"), style.race, text(before, "object"), style.off);
	quote(before, program);
	printf("  and once more, without having taken it again\n");
	quote(post, program);
	printf("  then thread %s took it, for which nothing was left\n", text(take, "thread"));
	quote(take, program);
	putchar('\n');
}

/* An old value came again, and was taken for unchanged. */
static void print_again(const json_t *root, const char *program)
{
	json_t *again = json_object_get(root, "again");
	const char *const keys[] = {"read", "behind", "away", "changed", "back", "swapped"};
	enum { READ, BEHIND, AWAY, CHANGED, BACK, SWAPPED, STEPS };
	json_t *steps[STEPS];
	if (!json_object_size(again))
		return;
	for (size_t i = 0; i < STEPS; i++)
		if (!(steps[i] = step_numbered(root, number(again, keys[i]))))
			return;
	const char *place = text(steps[READ], "object"), *behind = text(steps[BEHIND], "object");
	puts("What came round again:");
	print_deed(steps[READ], "", place, program);
	print_deed(steps[BEHIND], "and ", behind, program);
	print_deed(steps[AWAY], "then ", place, program);
	bool changed_last = number(again, "changed") > number(again, "back");
	print_deed(steps[changed_last ? BACK : CHANGED], "and ", changed_last ? place : behind, program);
	print_deed(steps[changed_last ? CHANGED : BACK], "and ", changed_last ? behind : place, program);
	print_deed(steps[SWAPPED], "then ", place, program);
	printf("    it found there what it had read first, and put what it had read of %s there, which was no longer true\n", behind);
	print_owner(root, steps[BEHIND], program);
	putchar('\n');
}

static void print_between(const json_t *root, const char *program)
{
	json_t *between = json_object_get(root, "between");
	json_t *first = step_numbered(root, number(between, "first")), *other = step_numbered(root, number(between, "other")),
	       *second = step_numbered(root, number(between, "second"));
	json_int_t undisturbed = number(between, "undisturbed");
	bool told = json_object_size(json_object_get(root, "freed")) && (is_free(other) || is_free(second) || is_told_as_freed(root, second));
	if (!json_object_size(between) || !first || !other || !second || told)
		return;
	puts("Who came in between:");
	print_deed(first, "", text(first, "object"), program);
	print_deed(other, "then ", "it", program);
	print_deed(second, "then ", "it", program);
	if (json_object_get(between, "overtaken"))
		printf("    had it read that first, thread %s would have gone another way\n", text(first, "thread"));
	print_missing_lock(root, between, program);
	print_apart(between, text(first, "thread"), text(other, "thread"));
	print_given_up(between, text(first, "thread"));
	if (json_is_true(json_object_get(between, "bare")) && strcmp(text(other, "kind"), "update"))
		puts("    none of the three with a lock");
	print_owner(root, first, program);
	if (undisturbed)
		printf("    %lld other time%s nobody came in between these two\n", (long long)undisturbed, undisturbed == 1 ? "" : "s");
	putchar('\n');
}

/* Two threads wrote, and did not see what the other had written. */
static void print_buffered(const json_t *root, const char *program)
{
	json_t *b = json_object_get(root, "buffered"), *stores = json_object_get(b, "stores"), *reads = json_object_get(b, "reads");
	json_t *store[2], *read[2];
	if (!json_object_size(b))
		return;
	for (size_t i = 0; i < 2; i++) {
		store[i] = step_numbered(root, json_integer_value(json_array_get(stores, i)));
		read[i] = step_numbered(root, json_integer_value(json_array_get(reads, i)));
		if (!store[i] || !read[i])
			return;
	}
	puts("Whose stores came late:");
	for (size_t i = 0; i < 2; i++) {
		print_deed(store[i], "", text(store[i], "object"), program);
		print_deed(read[i], "then ", text(read[i], "object"), program);
	}
	puts("    neither saw what the other had written: it was still in a store buffer, and no fence stands between a store and the read behind it");
	putchar('\n');
}

void print_causes(const json_t *root, const char *program)
{
	print_buffered(root, program);
	print_again(root, program);
	print_freed(root, program);
	print_published(root, program);
	print_halfway(root, program);
	print_between(root, program);
	print_stale(root, program);
	print_undone(root, program);
	print_passed(root, program);
	print_acted(root, program);
	print_overposted(root, program);
}
