#include "cli/blocks.h"

#include "cli/holders.h"
#include "exe/report.h"

#include <rethread/instrument.h>

#include <stdlib.h>
#include <string.h>

/* What a site knows of the memory that it accesses. */
struct hint {
	struct record_key type;
	uint64_t offset;
	const char *variable; /* "" or a local variable */
	bool of_library;      /* the type is the standard library's */
	bool array, local;    /* numbers behind a pointer, whose name is the type's; that is a local variable */
};

/* Where a structure lies: the block's name and how far into it; without a block, "" and its address. */
struct claim {
	char *block;
	uint64_t base;
	const struct hint *hint;
	uint64_t block_size; /* 0: not known */
	bool array;          /* the block is an array of them */
	unsigned number;     /* among those of the type; 0: it was not asked for yet */
	size_t next;         /* of the same bucket, + 1 */
};

struct count {
	const char *type;
	unsigned n, mattering; /* those of the steps that matter have the lowest numbers */
};

/* Which part of a block is accessed, and what the program calls the container that has the block. */
struct extent {
	char *block;
	uint64_t low, high;
	const char *holder; /* NULL: none, or not known */
	unsigned number;    /* among the blocks of that; 0: it was not asked for yet */
	size_t next;        /* of the same bucket, + 1 */
};

/* What a class of the library has inside of it: what std::make_shared made. */
struct kept {
	const struct hint *of;
	struct hint *inside; /* NULL: nothing */
	uint64_t offset;
};

enum { BUCKETS = 1 << 14, MOST_OF_BLOCK = 200 };

struct blocks {
	struct variables *v;
	struct report report;
	struct holders *holders;
	vec(struct hint) hints; /* by site less 1; size 0: none */
	vec(struct claim) claims;
	size_t first[BUCKETS];   /* of the claims of a block, + 1 */
	vec(struct extent) extents;
	size_t first_extent[BUCKETS]; /* + 1 */
	vec(struct count) counts; /* of types */
	vec(struct kept) kept;    /* by hint, of those of the library that were asked for */
	json_int_t stale;         /* the step that used a block which was freed, of which the memory is another's by then; -1: none */
};

/* ---- what sites say ---- */

/* A name that programs must not use. */
static bool is_reserved(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

static void read_hint(struct blocks *b, const struct report_line *l)
{
	struct hint h = { .type.name = l->field[6], .variable = l->field[7] };
	unsigned long long offset, size;
	if (sscanf(l->field[5], "%llu:%llu:%u", &offset, &size, &h.type.line) == 3) {
		h.offset = offset;
		h.type.size = size;
	}
	h.local = sscanf(l->field[5], "local:%llu", &size) == 1;
	h.array = h.local || sscanf(l->field[5], "array:%llu", &size) == 1;
	h.type.size = h.array ? size : h.type.size;
	if (h.array && is_reserved(h.type.name)) /* something of the library's has the pointer, which tells a reader nothing */
		h.type.size = 0;
	size_t prefix = strlen(RT_REPORT_LIBRARY);
	if (!strncmp(h.type.name, RT_REPORT_LIBRARY, prefix)) {
		h.type.name += prefix;
		h.of_library = true;
	}
	*vec_push(&b->hints) = h;
}

/* Calls of interposed functions are in the report, too, but have no number. */
static void read_hints(struct blocks *b, const json_t *interleaving, const char *program)
{
	bool read = report_read(&b->report, program, NULL);
	b->holders = holders_new(&b->report, b->v, interleaving);
	if (!read)
		return;
	for (size_t i = 0; i < b->report.lines.n; i++) {
		const struct report_line *l = &b->report.lines.at[i];
		if (report_is(l, "site") && strcmp(l->field[1], "synchronization") && strcmp(l->field[1], "input"))
			read_hint(b, l);
	}
}

static const struct hint *hint_of(const struct blocks *b, const json_t *site)
{
	json_int_t number = json_integer_value(site);
	return number > 0 && (size_t)number <= b->hints.n && b->hints.at[number - 1].type.size ? &b->hints.at[number - 1] : NULL;
}

/* ---- where that is ---- */

/* "heap block 0x40+16", "freed block 0x40", "0x7f0012345678", "memory 0x600000002000". False: it is something else. */
static bool parse(const char *object, char **block, uint64_t *at)
{
	char *end;
	*block = NULL;
	*at = 0;
	if (!strncmp(object, "memory 0x", 9))
		object += 7;
	if (!strncmp(object, "0x", 2)) {
		*at = strtoull(object, &end, 16);
		*block = *end ? NULL : xstrdup("");
		return *block;
	}
	if (strncmp(object, "heap block ", 11) && strncmp(object, "freed block ", 12))
		return false;
	size_t n = strcspn(object, "+");
	*block = xasprintf("%.*s", (int)n, object);
	*at = object[n] ? strtoull(object + n + 1, NULL, 10) : 0;
	return true;
}

static uint64_t size_of_block(const json_t *interleaving, const char *block)
{
	const json_t *known = json_object_get(json_object_get(interleaving, "blocks"), block);
	return (uint64_t)json_integer_value(json_object_get(known, "size"));
}

static size_t hash_of(const char *block)
{
	size_t h = 0;
	for (const char *s = block; *s; s++)
		h = h * 31 + (unsigned char)*s;
	return h % BUCKETS;
}

static size_t *bucket_of(struct blocks *b, const char *block)
{
	return &b->first[hash_of(block)];
}

/* NULL: nothing of it is accessed. */
static struct extent *extent_of(struct blocks *b, const char *block)
{
	for (size_t i = b->first_extent[hash_of(block)]; i; i = b->extents.at[i - 1].next)
		if (!strcmp(b->extents.at[i - 1].block, block))
			return &b->extents.at[i - 1];
	return NULL;
}

static void add_extent(struct blocks *b, const char *block, uint64_t at, uint64_t size, const char *holder)
{
	struct extent *e = extent_of(b, block);
	if (!e) {
		size_t *first = &b->first_extent[hash_of(block)];
		*vec_push(&b->extents) = (struct extent){ xstrdup(block), at, at + size, holder, 0, *first };
		*first = b->extents.n;
		return;
	}
	e->low = at < e->low ? at : e->low;
	e->high = at + size > e->high ? at + size : e->high;
	e->holder = e->holder ? e->holder : holder;
}

static const char *holder_of_step(struct blocks *b, const json_t *step)
{
	const char *where = json_string_value(json_object_get(step, "where"));
	return step ? holders_name(b->holders, (uint64_t)json_integer_value(json_object_get(step, "site")), where ? where : "") : NULL;
}

static bool is_same_type(const struct hint *a, const struct hint *b)
{
	return a->type.size == b->type.size && !strcmp(a->type.name, b->type.name);
}

static void add_claim(struct blocks *b, const char *block, uint64_t base, uint64_t block_size, const struct hint *h)
{
	size_t *first = bucket_of(b, block), known = 0;
	for (size_t i = *first; i; i = b->claims.at[i - 1].next) {
		struct claim *c = &b->claims.at[i - 1];
		if (c->base == base && !strcmp(c->block, block) && is_same_type(c->hint, h)) {
			c->hint = *h->variable ? h : c->hint;
			return;
		}
		if (++known > MOST_OF_BLOCK && *block) /* elements of an array, of which one tells as much */
			return;
	}
	*vec_push(&b->claims) = (struct claim){ xstrdup(block), base, h, block_size, false, 0, *first };
	*first = b->claims.n;
}

static const struct kept *kept_by(struct blocks *b, const struct hint *h)
{
	for (size_t i = 0; i < b->kept.n; i++)
		if (b->kept.at[i].of == h)
			return &b->kept.at[i];
	struct kept k = { .of = h };
	struct record_key key;
	if (h->of_library && !h->array && variables_kept(b->v, &h->type, &key, &k.offset)) {
		k.inside = xmalloc(sizeof *k.inside);
		*k.inside = (struct hint){ .type = key, .variable = "" };
	}
	*vec_push(&b->kept) = k;
	return &b->kept.at[b->kept.n - 1];
}

/* With what is kept inside of it. */
static void add_claims(struct blocks *b, const char *block, uint64_t base, uint64_t block_size, const struct hint *h)
{
	const struct kept *k = kept_by(b, h);
	add_claim(b, block, base, block_size, h);
	if (k->inside)
		add_claim(b, block, base + k->offset, block_size, k->inside);
}

/* Is there something larger in the block that has it? Then it is a part of that, and not an element. */
static bool is_nested(struct blocks *b, const struct claim *c)
{
	for (size_t i = *bucket_of(b, c->block); i; i = b->claims.at[i - 1].next) {
		const struct claim *o = &b->claims.at[i - 1];
		if (o->hint->type.size > c->hint->type.size && o->base <= c->base &&
		    c->base + c->hint->type.size <= o->base + o->hint->type.size && !strcmp(o->block, c->block))
			return true;
	}
	return false;
}

/* May it be an element? Not the only one of its type, behind something else that is accessed (the counts of a shared pointer). */
static bool may_be_element(struct blocks *b, const struct claim *c)
{
	const struct extent *e = extent_of(b, c->block);
	bool others = !c->base || !e || (e->low >= c->base && e->high <= c->base + c->hint->type.size);
	for (size_t i = *bucket_of(b, c->block); i && !others; i = b->claims.at[i - 1].next) {
		const struct claim *o = &b->claims.at[i - 1];
		others = o->base != c->base && is_same_type(o->hint, c->hint) && !strcmp(o->block, c->block);
	}
	return others;
}

static void find_arrays(struct blocks *b)
{
	for (size_t i = 0; i < b->claims.n; i++) {
		struct claim *c = &b->claims.at[i];
		uint64_t size = c->hint->type.size;
		c->array = c->block_size > size && c->block_size % size == 0 && c->base % size == 0 && (c->hint->array || (!is_nested(b, c) && may_be_element(b, c)));
	}
}

static void take_step(struct blocks *b, const json_t *interleaving, const json_t *step)
{
	const char *object = json_string_value(json_object_get(step, "object"));
	const struct hint *h = hint_of(b, json_object_get(step, "site"));
	char *block;
	uint64_t at;
	if (!object || !parse(object, &block, &at))
		return;
	if (json_object_get(step, "size") && *block)
		add_extent(b, block, at, (uint64_t)json_integer_value(json_object_get(step, "size")), holder_of_step(b, step));
	if (!h) {
		free(block);
		return;
	}
	uint64_t size = size_of_block(interleaving, block);
	if (h->array)
		at = at % h->type.size || size % h->type.size ? UINT64_MAX : 0; /* all of the block, or none */
	/* Where a structure would begin before the block, or end behind it, the pointer was of another type than the memory. */
	if (at != UINT64_MAX && at >= h->offset && (h->array ? size : !size || at - h->offset + h->type.size <= size))
		add_claims(b, block, at - h->offset, size, h);
	free(block);
}

/* What blocks were allocated for. */
static void take_blocks(struct blocks *b, const json_t *interleaving)
{
	const char *name;
	json_t *block;
	json_object_foreach(json_object_get(interleaving, "blocks"), name, block) {
		const struct hint *h = hint_of(b, json_object_get(block, "site"));
		uint64_t size = size_of_block(interleaving, name);
		if (h && h->type.size <= size)
			add_claims(b, name, 0, size, h);
	}
}

/* ---- names ---- */

static bool contains(const struct claim *c, uint64_t at, unsigned size)
{
	uint64_t all = c->hint->type.size, in = at - c->base;
	if (c->array)
		return at % all + size <= all;
	return at >= c->base && in + (size ? size : 1) <= all;
}

/* As in src/instrument/fields.c: the program's own types, then the library's, then the library's insides. */
static int rank(const struct hint *h)
{
	if (h->array)
		return h->local ? -2 : -1;
	return !h->of_library ? 2 : *h->type.name == '_' ? 0 : 1;
}

static bool is_better(const struct claim *c, const struct claim *than)
{
	if (!than || rank(c->hint) != rank(than->hint))
		return !than || rank(c->hint) > rank(than->hint);
	return c->hint->type.size >= than->hint->type.size;
}

/* The largest structure that has all of the access, of equals what was said first, where the block was allocated; else one that begins with the block, and may have an open end. */
static struct claim *claim_of(struct blocks *b, const char *block, uint64_t at, unsigned size)
{
	struct claim *best = NULL, *open = NULL;
	for (size_t i = *bucket_of(b, block); i; i = b->claims.at[i - 1].next) {
		struct claim *c = &b->claims.at[i - 1];
		if (strcmp(c->block, block))
			continue;
		if (contains(c, at, size) && is_better(c, best))
			best = c;
		if (*block && !c->base && !c->array && is_better(c, open))
			open = c;
	}
	return best ? best : open;
}

static struct count *count_of(struct blocks *b, const char *type)
{
	for (size_t i = 0; i < b->counts.n; i++)
		if (!strcmp(b->counts.at[i].type, type))
			return &b->counts.at[i];
	*vec_push(&b->counts) = (struct count){ type, 0, 0 };
	return &b->counts.at[b->counts.n - 1];
}

/* What is in angle brackets is left out of names that are long. */
static char *short_type(const char *name)
{
	const char *angle = strchr(name, '<');
	return strlen(name) > 24 && angle && angle != name ? xasprintf("%.*s<>", (int)(angle - name), name) : xstrdup(name);
}

/* One number for all that is known of elements. */
static struct claim *first_of_array(struct blocks *b, struct claim *c)
{
	struct claim *first = c;
	for (size_t i = *bucket_of(b, c->block); c->array && i; i = b->claims.at[i - 1].next)
		if (!strcmp(b->claims.at[i - 1].block, c->block) && is_same_type(b->claims.at[i - 1].hint, c->hint))
			first = &b->claims.at[i - 1];
	return first;
}

static char *owner_name(struct blocks *b, struct claim *c)
{
	if (*c->hint->variable)
		return xstrdup(c->hint->variable);
	struct count *count = count_of(b, c->hint->type.name);
	c = first_of_array(b, c);
	if (!c->number)
		c->number = ++count->n;
	char *type = short_type(c->hint->type.name);
	/* The only one that matters has none. */
	bool several = count->mattering ? count->mattering > 1 || c->number > 1 : count->n > 1;
	const char *library = c->hint->of_library ? RT_REPORT_LIBRARY : "";
	char *name = several ? xasprintf("%s%s#%u", library, type, c->number) : xasprintf("%s%s", library, type);
	free(type);
	return name;
}

/* ---- what a container has ---- */

static unsigned number_held(struct blocks *b, struct extent *e, const char *holder)
{
	struct count *count = count_of(b, holder);
	e->number = e->number ? e->number : ++count->n;
	/* The only one that matters has none. */
	bool several = count->mattering ? count->mattering > 1 || e->number > 1 : count->n > 1;
	return several ? e->number : 0;
}

/* Which node that is in, and where in it, is the library's affair; but for what the program put there. */
static void name_held(struct blocks *b, struct extent *e, const char *holder, const struct claim *c, uint64_t at, unsigned size, struct block_name *out)
{
	uint64_t element = holders_element(b->holders, holder);
	bool whole = element && size == element && at % element == 0; /* numbers that a vector has, and nothing else is in its block */
	bool numbers = c && c->hint->array, value = whole || (c && (numbers || rank(c->hint) > 0));
	unsigned number = number_held(b, e, holder);
	out->block = e->block;
	out->held = true;
	if (holders_itself(b->holders, holder)) {
		out->name = number ? xasprintf("%s #%u", holder, number) : xstrdup(holder);
		out->owner = xstrdup(out->name);
		return;
	}
	const char *kind = value ? "element" : "part", *article = value ? "an " : "";
	char *owner = number ? xasprintf("%s #%u of %s", kind, number, holder) : xasprintf("%s%s of %s", article, kind, holder);
	if (value && c && !numbers)
		free(variables_field(b->v, &c->hint->type, c->array ? at % c->hint->type.size : at - c->base, size, &out->type));
	out->inside = value;
	out->name = whole ? xasprintf("%s[%llu]", holder, (unsigned long long)(at / element)) : xstrdup(owner);
	out->owner = owner;
}

/* What is none of a container's has a name that readers know (object_of in src/cli/words.c). */
static bool has_counts(const struct claim *c)
{
	return c->hint->of_library && (!strncmp(c->hint->type.name, "_Sp_counted", 11) || !strncmp(c->hint->type.name, "_Stop_state", 11));
}

/* Where no type of the program's own, nor a pointer of its own, says more. */
static const char *holder_of(struct blocks *b, const struct extent *e, const struct claim *c, const json_t *step)
{
	if (!e || (c && ((!c->hint->of_library && !c->hint->local) || has_counts(c))))
		return NULL;
	const char *own = holder_of_step(b, step);
	return own ? own : e->holder;
}

/* ---- all names ---- */

/*
 * Memory that several blocks had, and a step at which a thread used it by a pointer to something else than the structure that is known to lie there: that would begin before the block,
 * or has the same place and size. The step's own structure, or NULL.
 */
static const struct hint *other_structure(const struct blocks *b, const json_t *step, const char *block, uint64_t at, const struct claim *c)
{
	const struct hint *h = step ? hint_of(b, json_object_get(step, "site")) : NULL;
	bool stale = step && json_integer_value(json_object_get(step, "step")) == b->stale;
	if (!h || h->array || h->of_library || *h->variable || (!stale && strncmp(block, "freed block ", 12)))
		return NULL;
	bool same = c && at - c->base == h->offset && c->hint->type.size == h->type.size && !is_same_type(c->hint, h);
	return at < h->offset || same ? h : NULL;
}

static bool name_of_other(struct blocks *b, const struct hint *h, unsigned size, struct block_name *out)
{
	char *field = variables_field(b->v, &h->type, h->offset, size, &out->type);
	if (!field)
		return false;
	out->owner = short_type(h->type.name);
	out->name = xasprintf("%s%s", out->owner, field);
	out->block = "";
	free(field);
	return true;
}

bool blocks_name(struct blocks *b, const json_t *step, const char *object, uint64_t behind, unsigned size, struct block_name *out)
{
	char *block;
	uint64_t at;
	*out = (struct block_name){ 0 };
	if (!b->hints.n || !parse(object, &block, &at))
		return false;
	at += behind;
	struct claim *c = claim_of(b, block, at, size);
	struct extent *e = *block ? extent_of(b, block) : NULL;
	const struct hint *other = behind ? NULL : other_structure(b, step, block, at, c);
	free(block);
	if (other && name_of_other(b, other, size, out))
		return true;
	const char *holder = holder_of(b, e, c, step);
	if (holder)
		name_held(b, e, holder, c, at, size, out);
	if (holder || !c)
		return holder;
	uint64_t in = c->array ? at % c->hint->type.size : at - c->base;
	char *field = c->hint->array ? xstrdup("") : variables_field(b->v, &c->hint->type, in, size, &out->type);
	if (!field) /* the type is known, and its members are not: the program was stripped, or has its debug information elsewhere */
		field = in ? xasprintf("+%llu", (unsigned long long)in) : xstrdup("");
	out->block = c->block;
	out->inside = !c->array && c->base;
	out->numbers = c->hint->array;
	out->owner = owner_name(b, c);
	out->name = c->array ? xasprintf("%s[%llu]%s", out->owner, (unsigned long long)(at / c->hint->type.size), field)
				: xasprintf("%s%s%s", c->hint->array ? "*" : "", out->owner, field);
	free(field);
	return true;
}

void block_name_release(struct block_name *n)
{
	free(n->name);
	free(n->owner);
}

/* ---- all of it ---- */

static void number_owners(struct blocks *b, const json_t *steps, bool mattering)
{
	size_t i;
	json_t *step;
	json_array_foreach(steps, i, step) {
		const char *object = json_string_value(json_object_get(step, "object"));
		struct block_name n;
		if ((json_object_get(step, "matters") || !mattering) && object &&
		    blocks_name(b, step, object, 0, (unsigned)json_integer_value(json_object_get(step, "size")), &n))
			block_name_release(&n);
	}
	for (size_t k = 0; mattering && k < b->counts.n; k++)
		b->counts.at[k].mattering = b->counts.at[k].n;
}

struct blocks *blocks_new(const json_t *interleaving, const char *program, struct variables *v)
{
	struct blocks *b = xcalloc(1, sizeof *b);
	const json_t *steps = json_object_get(interleaving, "steps");
	size_t i;
	json_t *step, *freed = json_object_get(interleaving, "freed");
	b->v = v;
	b->stale = json_is_object(json_object_get(freed, "again")) ? json_integer_value(json_object_get(freed, "use")) : -1;
	read_hints(b, interleaving, program);
	take_blocks(b, interleaving);
	json_array_foreach(steps, i, step)
		take_step(b, interleaving, step);
	find_arrays(b);
	number_owners(b, steps, true);
	number_owners(b, steps, false);
	return b;
}

void blocks_free(struct blocks *b)
{
	for (size_t i = 0; i < b->claims.n; i++)
		free(b->claims.at[i].block);
	for (size_t i = 0; i < b->extents.n; i++)
		free(b->extents.at[i].block);
	for (size_t i = 0; i < b->kept.n; i++)
		free(b->kept.at[i].inside);
	vec_free(&b->kept);
	vec_free(&b->claims);
	vec_free(&b->extents);
	vec_free(&b->counts);
	vec_free(&b->hints);
	holders_free(b->holders);
	report_release(&b->report);
	free(b);
}
