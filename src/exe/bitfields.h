/*
 * Bit-fields of a record: threads that write different ones may write the same word of memory, which is what the access is of.
 */
#ifndef RETHREAD_BITFIELDS_H
#define RETHREAD_BITFIELDS_H

#include "exe/variables.h"

#include <elfutils/libdw.h>

bool is_bitfield(Dwarf_Die *member);

/* The bit-fields that lie in these bytes: "state", or "{state, mode}" of several; to be freed. NULL: none, or not only those. *type says what their values are. */
char *bitfields_at(Dwarf_Die *record, uint64_t offset, unsigned size, struct value_type *type);

#endif
