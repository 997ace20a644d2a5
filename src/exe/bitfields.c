#include "exe/bitfields.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static bool number(Dwarf_Die *member, unsigned what, Dwarf_Word *value)
{
	Dwarf_Attribute a;
	return dwarf_attr(member, what, &a) && !dwarf_formudata(&a, value);
}

bool is_bitfield(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_bit_size);
}

/* In bits from where the record begins; as DWARF 4 and 5 say it. */
static bool bits_of(Dwarf_Die *member, Dwarf_Word *first, Dwarf_Word *width)
{
	return dwarf_tag(member) == DW_TAG_member && number(member, DW_AT_bit_size, width) && number(member, DW_AT_data_bit_offset, first) && *width && dwarf_diename(member);
}

char *bitfields_at(Dwarf_Die *record, uint64_t offset, unsigned size, struct value_type *type)
{
	struct value_type t = { .kind = VALUE_BITS, .size = size };
	Dwarf_Word from = offset * 8, to = from + size * 8, first, width;
	Dwarf_Die member;
	char *names = NULL;
	unsigned n = 0;
	bool whole = size && size <= 8, more;
	for (more = !dwarf_child(record, &member); more; more = !dwarf_siblingof(&member, &member)) {
		if (!is_bitfield(&member) && number(&member, DW_AT_data_member_location, &first) && first >= offset && first < offset + size)
			break; /* something else is among it */
		if (!bits_of(&member, &first, &width) || first + width <= from || first >= to)
			continue;
		bool shown = n++ < VALUE_MOST_BITS;
		whole &= shown && first >= from && first + width <= to; /* of one that goes on elsewhere, nothing is known */
		if (whole)
			t.bits[n - 1].low = (unsigned char)(first - from), t.bits[n - 1].width = (unsigned char)width;
		char *more_names = !shown ? NULL : names ? xasprintf("%s, %s", names, dwarf_diename(&member)) : xstrdup(dwarf_diename(&member));
		if (more_names)
			free(names), names = more_names;
	}
	if (more) {
		free(names);
		return NULL;
	}
	t.nbits = n;
	*type = whole && n ? t : (struct value_type){ .kind = VALUE_UNKNOWN };
	if (n < 2)
		return names;
	char *text = xasprintf("{%s%s}", names, n > VALUE_MOST_BITS ? ", ..." : "");
	free(names);
	return text;
}
