#include "infer/table.h"

#include "base/base.h"

#include <stdlib.h>

uint64_t table_mix(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return v ^ v >> 29;
}

static struct entry *free_entry(const struct table *t, uint64_t key)
{
	size_t i = table_mix(key) & t->mask;
	while (t->entries[i].key && t->entries[i].key != key)
		i = (i + 1) & t->mask;
	return &t->entries[i];
}

static void table_grow(struct table *t)
{
	struct table larger = {.mask = t->entries ? 2 * t->mask + 1 : 1023, .n = t->n};
	larger.entries = xcalloc(larger.mask + 1, sizeof *larger.entries);
	for (size_t i = 0; t->entries && i <= t->mask; i++)
		if (t->entries[i].key)
			*free_entry(&larger, t->entries[i].key) = t->entries[i];
	free(t->entries);
	*t = larger;
}

size_t *table_at(struct table *t, uint64_t key)
{
	if (2 * t->n >= t->mask)
		table_grow(t);
	struct entry *e = free_entry(t, key);
	t->n += !e->key;
	e->key = key;
	return e->at;
}

void table_release(struct table *t)
{
	free(t->entries);
}
