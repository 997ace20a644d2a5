#include "cli/pointers.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known {
	const char *name; /* "heap block 0x40" */
	uint64_t start, size;
	const char *where;
	unsigned number; /* among those of the line; 0: it is the only one */
};

struct pointers {
	struct blocks *b;
	struct variables *v;
	const json_t *blocks, *places; /* of the interleaving */
	vec(struct known) all; /* by address */
};

static int by_start(const void *p, const void *q)
{
	const struct known *a = p, *b = q;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void number_blocks(struct pointers *p)
{
	for (size_t i = 0; i < p->all.n; i++)
		for (size_t k = i + 1; k < p->all.n && !p->all.at[i].number; k++)
			if (!strcmp(p->all.at[k].where, p->all.at[i].where))
				p->all.at[i].number = 1;
	for (size_t i = 0; i < p->all.n; i++)
		for (size_t k = i; k-- > 0;)
			if (!strcmp(p->all.at[k].where, p->all.at[i].where)) {
				p->all.at[i].number = p->all.at[k].number + 1;
				break;
			}
}

/* Where memory is used again, only the last block there has a name, which is not that of all addresses. */
struct pointers *pointers_new(const json_t *interleaving, struct blocks *b, struct variables *v)
{
	enum { MOST = 4000 };
	struct pointers *p = xcalloc(1, sizeof *p);
	const char *name;
	json_t *block;
	p->b = b;
	p->v = v;
	p->places = json_object_get(interleaving, "places");
	p->blocks = json_object_get(interleaving, "blocks");
	json_object_foreach(json_object_get(interleaving, "blocks"), name, block) {
		const char *where = json_string_value(json_object_get(block, "where"));
		if (where && *where && *where != '?' && !json_is_true(json_object_get(block, "reused")) && p->all.n < MOST)
			*vec_push(&p->all) = (struct known){ name, (uint64_t)json_integer_value(json_object_get(block, "start")),
							     (uint64_t)json_integer_value(json_object_get(block, "size")), where, 0 };
	}
	if (p->all.n)
		qsort(p->all.at, p->all.n, sizeof *p->all.at, by_start);
	number_blocks(p);
	return p;
}

void pointers_free(struct pointers *p)
{
	vec_free(&p->all);
	free(p);
}

static char *name_of(const struct known *k, uint64_t offset)
{
	const char *slash = strrchr(k->where, '/'), *where = slash ? slash + 1 : k->where;
	char *name = k->number ? xasprintf("block #%u of %s", k->number, where) : xasprintf("block of %s", where);
	if (!offset)
		return name;
	char *inside = xasprintf("%s+%llu", name, (unsigned long long)offset);
	free(name);
	return inside;
}

static const struct known *block_at(const struct pointers *p, uint64_t address)
{
	size_t low = 0, high = p->all.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (p->all.at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	const struct known *k = low ? &p->all.at[low - 1] : NULL;
	return k && address - k->start < k->size ? k : NULL;
}

char *pointers_block(const struct pointers *p, const char *object)
{
	size_t n = strcspn(object, "+");
	char *name = xasprintf("%.*s", (int)n, object);
	const json_t *block = json_object_get(p->blocks, name);
	const struct known *k = block ? block_at(p, (uint64_t)json_integer_value(json_object_get(block, "start"))) : NULL;
	bool same = k && !strcmp(k->name, name);
	free(name);
	return same ? name_of(k, object[n] ? strtoull(object + n + 1, NULL, 10) : 0) : NULL;
}

/* NULL: nothing is known of the address. */
static char *pointer_text(const struct pointers *p, uint64_t address)
{
	const struct known *k = block_at(p, address);
	struct block_name n;
	if (!k)
		return NULL;
	if (!blocks_name(p->b, NULL, k->name, address - k->start, 0, &n))
		return name_of(k, address - k->start);
	char *text = n.held ? xstrdup(n.owner) : n.numbers ? name_of(k, address - k->start) : xasprintf("&%s", address == k->start && !n.inside ? n.owner : n.name);
	block_name_release(&n);
	return text;
}

uint64_t place_parse(const char *place, char **name)
{
	char *plus, *end;
	*name = xstrdup(place);
	plus = strrchr(*name, '+');
	uint64_t offset = plus ? strtoull(plus + 1, &end, 10) : 0;
	if (!plus || *end || end == plus + 1)
		return 0;
	*plus = 0;
	return offset;
}

char *place_member(struct variables *v, const char *name, uint64_t offset, unsigned size, struct value_type *type)
{
	return strchr(name, '@') ? variables_local(v, name, offset, size, type) : variables_member(v, name, offset, size, type);
}

/* Of a variable or a function; NULL: the address is in none that is known, or behind it. */
static char *place_text(const struct pointers *p, const char *word)
{
	const char *place = json_string_value(json_object_get(p->places, word));
	if (!place)
		return NULL;
	char *name = NULL;
	uint64_t offset = place_parse(place, &name);
	char *member = place_member(p->v, name, offset, VARIABLES_POINTED, &(struct value_type){ 0 });
	char *text = member ? xasprintf("&%s", member) : offset || strchr(name, '@') ? NULL : xasprintf("&%s", name);
	free(name);
	free(member);
	return text;
}

/* One word of a value, to be freed. */
static char *word_text(const struct pointers *p, const char *word)
{
	char *end, *text = NULL;
	if (!strncmp(word, "0x", 2)) {
		uint64_t address = strtoull(word, &end, 16);
		text = *end ? NULL : pointer_text(p, address);
		text = text || *end ? text : place_text(p, word);
	}
	return text ? text : xstrdup(word);
}

void pointers_in_value(const struct pointers *p, json_t *step)
{
	const char *value = json_string_value(json_object_get(step, "value")), *arrow = value ? strstr(value, " -> ") : NULL;
	if (!value || json_integer_value(json_object_get(step, "size")) != 8 || !strstr(value, "0x"))
		return;
	char *before = xasprintf("%.*s", (int)(arrow ? arrow - value : (ptrdiff_t)strlen(value)), value);
	char *first = word_text(p, before), *last = arrow ? word_text(p, arrow + 4) : NULL;
	char *text = last ? xasprintf("%s -> %s", first, last) : xstrdup(first);
	json_object_set_new(step, "value", json_string(text));
	free(before);
	free(first);
	free(last);
	free(text);
}
