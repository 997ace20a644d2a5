#include "cli/typed.h"

#include "cli/blocks.h"
#include "cli/pointers.h"
#include "exe/demangle.h"
#include "exe/variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One number of a value; NULL: it is text, or says all it can. */
static char *retyped(const struct value_type *type, const char *number, char **end)
{
	errno = 0;
	long long v = strtoll(number, end, 10);
	return *end == number || errno ? NULL : value_type_text(type, (uint64_t)v);
}

/* "4 -> 5" is an update; everything else one number. */
static void retype_value(json_t *step, const struct value_type *type)
{
	const char *value = json_string_value(json_object_get(step, "value"));
	char *end, *last, *first = value ? retyped(type, value, &end) : NULL;
	if (!first)
		return;
	char *text = NULL;
	if (!*end) {
		text = xstrdup(first);
	} else if (!strncmp(end, " -> ", 4) && (last = retyped(type, end + 4, &end)) && !*end) {
		text = xasprintf("%s -> %s", first, last);
		free(last);
	}
	if (text)
		json_object_set_new(step, "value", json_string(text));
	free(text);
	free(first);
}

/* ---- an access to several members at once, as copies of structures are ---- */

enum { MOST_PIECES = 4 };

struct access {
	struct variables *v;
	struct blocks *b;     /* NULL: of a variable */
	const char *variable; /* or the "object" of memory without a name */
	uint64_t offset;
	unsigned size;
};

static char *member_of(const struct access *a, unsigned at, unsigned size, struct value_type *type)
{
	if (!a->b)
		return place_member(a->v, a->variable, a->offset + at, size, type);
	struct block_name n;
	if (!blocks_name(a->b, NULL, a->variable, at, size, &n))
		return NULL;
	*type = n.held ? (struct value_type){.kind = VALUE_UNKNOWN} : n.type;
	free(n.owner);
	return n.name;
}

/* The number that begins there; its size, or 0 when none does. */
static unsigned piece_at(const struct access *a, unsigned at, char **name, struct value_type *type)
{
	for (unsigned size = 8; size; size /= 2) {
		if (at + size > a->size)
			continue;
		*name = member_of(a, at, size, type);
		if (*name && type->size == size)
			return size;
		free(*name);
	}
	return 0;
}

static char *piece_text(const struct value_type *type, uint64_t value)
{
	char *text = value_type_text(type, value);
	unsigned unused = 64 - 8 * type->size;
	return text ? text : xasprintf("%lld", (long long)((int64_t)(value << unused) >> unused));
}

/* `{.bid = 3, .ask = 4}`, named from within `object`; NULL when the access is to one number, or to too many. */
static char *pieces_text(const struct access *a, const char *object, uint64_t value)
{
	char *all = xstrdup("");
	unsigned n = 0, size;
	for (unsigned at = 0; at < a->size; at += size ? size : 1) {
		struct value_type type;
		char *name;
		size = piece_at(a, at, &name, &type);
		if (!size)
			continue;
		size_t common = strlen(object);
		char *text = piece_text(&type, value >> 8 * at);
		char *longer = xasprintf("%s%s%s = %s", all, n++ ? ", " : "", strncmp(name, object, common) ? name : name + common, text);
		free(all);
		free(text);
		free(name);
		all = longer;
	}
	char *result = n > 1 && n <= MOST_PIECES ? xasprintf("{%s}", all) : NULL;
	free(all);
	return result;
}

/* One number and padding: the number. */
static void show_only_piece(json_t *step, const struct access *a, uint64_t value)
{
	char *only = NULL, *name;
	unsigned size, n = 0;
	struct value_type type, only_type = { 0 };
	for (unsigned at = 0; at < a->size; at += size ? size : 1) {
		size = piece_at(a, at, &name, &type);
		if (!size)
			continue;
		value = n++ ? value : value >> 8 * at;
		free(only);
		only = name;
		only_type = type;
	}
	if (n == 1) {
		char *text = piece_text(&only_type, value);
		json_object_set_new(step, "value", json_string(text));
		json_object_set_new(step, "object", json_string(only));
		free(text);
	}
	free(only);
}

static void show_pieces(json_t *step, const struct access *a, const char *object)
{
	const char *value = json_string_value(json_object_get(step, "value"));
	char *end, *text;
	if (!value || !*value || a->size > sizeof(uint64_t))
		return;
	errno = 0;
	long long v = strtoll(value, &end, 10);
	if (*end || errno)
		return;
	/* Pieces say themselves where in the object they are. */
	char *whole = xasprintf("%.*s", (int)strcspn(object, "+"), object);
	text = pieces_text(a, whole, (uint64_t)v);
	if (text)
		json_object_set_new(step, "object", json_string(whole));
	else
		show_only_piece(step, a, (uint64_t)v);
	free(whole);
	if (!text)
		return;
	json_object_set_new(step, "value", json_string(text));
	free(text);
}

/* A variable, or a member of one. False: it is none. */
static bool name_variable(json_t *step, struct variables *v, const char *object, unsigned size)
{
	char *name;
	uint64_t offset = place_parse(object, &name);
	struct value_type type;
	char *member = place_member(v, name, offset, size, &type), *at = strchr(name, '@'), *plain;
	if (!member && (plain = at ? xstrdup(name) : demangle_variable(name))) { /* a variable of which no more is known */
		plain[strcspn(plain, "@")] = 0;
		member = offset ? xasprintf("%s+%llu", plain, (unsigned long long)offset) : xstrdup(plain);
		free(plain);
		json_object_set_new(step, "object", json_string(member));
	} else if (member) {
		json_object_set_new(step, "object", json_string(member));
		if (size > 0 && type.size)
			retype_value(step, &type);
		else if (size > 1)
			show_pieces(step, &(struct access){v, NULL, name, offset, size}, member);
	}
	free(name);
	free(member);
	return member;
}

/* "owner" says what the name begins with, "owners" of the interleaving which block that is. False: nothing is known of it. */
static bool name_block(json_t *step, json_t *interleaving, struct blocks *b, const char *object, unsigned size)
{
	struct block_name n;
	char *was = xstrdup(object);
	if (!blocks_name(b, step, was, 0, size, &n)) {
		free(was);
		return false;
	}
	json_object_set_new(step, "object", json_string(n.name));
	if (size && n.type.size)
		retype_value(step, &n.type);
	else if (size > 1)
		show_pieces(step, &(struct access){NULL, b, was, 0, size}, n.name);
	free(was);
	json_t *block = json_object_get(json_object_get(interleaving, "blocks"), n.block);
	json_t *owners = json_object_get(interleaving, "owners");
	if (block)
		json_object_set_new(step, "owner", json_string(n.owner));
	if (block && !json_object_get(owners, n.owner)) {
		json_object_set_new(owners, n.owner, json_copy(block));
		json_object_set_new(json_object_get(owners, n.owner), "freed", json_boolean(!strncmp(n.block, "freed", 5)));
		json_object_set_new(json_object_get(owners, n.owner), "inside", json_boolean(n.inside));
	}
	block_name_release(&n);
	return true;
}

/* What names are made of. */
struct namer {
	json_t *interleaving;
	struct variables *v;
	struct blocks *b;
	struct pointers *p;
};

static void name_step(json_t *step, const struct namer *n)
{
	const char *object = json_string_value(json_object_get(step, "object"));
	json_int_t size = json_integer_value(json_object_get(step, "size"));
	if (object && *object && !name_variable(step, n->v, object, (unsigned)size) && !name_block(step, n->interleaving, n->b, object, (unsigned)size)) {
		char *block = pointers_block(n->p, object);
		if (block)
			json_object_set_new(step, "object", json_string(block));
		free(block);
	}
	pointers_in_value(n->p, step);
}

/* In the recorded run memory may have been used again: which of the blocks that were there a lock was in is not known, so it has no number. */
static void name_lock(json_t *lock, const struct namer *n)
{
	if (!lock)
		return;
	name_step(lock, n);
	const char *owner = json_string_value(json_object_get(lock, "owner")), *object = json_string_value(json_object_get(lock, "object"));
	const json_t *block = owner ? json_object_get(json_object_get(n->interleaving, "owners"), owner) : NULL;
	bool gone = json_is_true(json_object_get(block, "reused")) || json_is_true(json_object_get(block, "freed"));
	const char *mark = gone && object ? strchr(object, '#') : NULL;
	if (!mark)
		return;
	char *name = xasprintf("%.*s%s", (int)(mark - object), object, mark + 1 + strspn(mark + 1, "0123456789"));
	json_object_set_new(lock, "object", json_string(name));
	free(name);
}

static bool lies_somewhere(const char *object)
{
	return object && (!strncmp(object, "0x", 2) || strchr(object, '+'));
}

/* Says so when names are missing that -g would have given. */
static void note_nameless(json_t *interleaving, struct variables *v)
{
	size_t i;
	json_t *step;
	bool any = false;
	if (variables_known(v))
		return;
	json_array_foreach(json_object_get(interleaving, "steps"), i, step)
		any |= lies_somewhere(json_string_value(json_object_get(step, "object")));
	if (any)
		json_object_set_new(interleaving, "nameless", json_true());
}

void name_as_source(json_t *interleaving, const char *program)
{
	struct variables *v = program ? variables_open(program) : NULL;
	size_t i;
	json_t *step;
	if (!program)
		return;
	struct blocks *b = blocks_new(interleaving, program, v);
	struct namer n = { interleaving, v, b, pointers_new(interleaving, b, v) };
	json_object_set_new(interleaving, "owners", json_object());
	json_array_foreach(json_object_get(interleaving, "steps"), i, step)
		name_step(step, &n);
	json_array_foreach(json_object_get(interleaving, "asked"), i, step) {
		if (json_object_get(step, "next"))
			pointers_in_value(n.p, json_object_get(step, "next"));
		name_lock(json_object_get(step, "midway"), &n);
		name_lock(json_object_get(step, "missing"), &n);
	}
	if (json_object_get(json_object_get(interleaving, "stale"), "wrote"))
		name_step(json_object_get(json_object_get(interleaving, "stale"), "wrote"), &n);
	const struct {
		const char *of, *key;
	} locks[] = { { "between", "lock" }, { "between", "given_up" }, { "freed", "lock" }, { "stale", "given_up" }, { "undone", "given_up" }, { "passed", "given_up" }, { "published", "given_up" }, { "halfway", "given_up" }, { "acted", "given_up" } };
	for (i = 0; i < sizeof locks / sizeof *locks; i++) {
		json_t *lock = json_object_get(json_object_get(interleaving, locks[i].of), locks[i].key);
		name_lock(lock, &n);
	}
	json_array_foreach(json_object_get(interleaving, "hangs"), i, step)
		name_step(step, &n);
	json_array_foreach(json_object_get(json_object_get(interleaving, "between"), "apart"), i, step)
		name_lock(step, &n);
	json_array_foreach(json_object_get(json_object_get(interleaving, "stale"), "apart"), i, step)
		name_lock(step, &n);
	note_nameless(interleaving, v);
	pointers_free(n.p);
	blocks_free(b);
	variables_close(v);
}
