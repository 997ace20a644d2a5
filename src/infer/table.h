/* Four numbers by key, which is not 0. All zero is an empty table. */
#ifndef RETHREAD_TABLE_H
#define RETHREAD_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
	struct entry {
		uint64_t key;
		size_t at[4];
	} *entries;
	size_t mask, n;
};

/* The entry, all 0 when it is new; until the next call. */
size_t *table_at(struct table *t, uint64_t key);
void table_release(struct table *t);
/* The bits of a number mixed, for keys that are made of several. */
uint64_t table_mix(uint64_t v);

#endif
