/* What values look like in the source (variables.h). */
#include "exe/variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *float_text(unsigned size, uint64_t value)
{
	double d;
	float f;
	uint32_t low = (uint32_t)value;
	memcpy(&d, &value, sizeof d);
	memcpy(&f, &low, sizeof f);
	/* As few digits as tell it from its neighbours, and never a whole number: inf and nan have their n. */
	for (int digits = 6;; digits++) {
		char text[40];
		snprintf(text, sizeof text, "%.*g", digits, size == 4 ? (double)f : d);
		bool exact = size == 4 ? strtof(text, NULL) == f : strtod(text, NULL) == d;
		if (exact || digits == 17)
			return xasprintf("%s%s", text, strpbrk(text, ".en") ? "" : ".0");
	}
}

/* The name that the enumeration has for it; NULL: none. */
static char *enumerator_text(const struct value_type *type, uint64_t value)
{
	Dwarf_Die of, one;
	memcpy(&of, type->of, sizeof of);
	uint64_t mask = type->size < 8 ? (UINT64_C(1) << 8 * type->size) - 1 : UINT64_MAX;
	for (int more = dwarf_child(&of, &one); !more; more = dwarf_siblingof(&one, &one)) {
		Dwarf_Attribute a;
		Dwarf_Sword number = 0;
		if (dwarf_tag(&one) == DW_TAG_enumerator && dwarf_attr(&one, DW_AT_const_value, &a) && !dwarf_formsdata(&a, &number) &&
		    !(((uint64_t)number ^ value) & mask) && dwarf_diename(&one))
			return xstrdup(dwarf_diename(&one));
	}
	return NULL;
}

/* What comes before its end, if all of that can be shown. */
static char *characters_text(unsigned size, uint64_t value)
{
	char text[2 * sizeof value + 1];
	size_t n = 0;
	for (unsigned i = 0; i < size && (char)(value >> 8 * i); i++) {
		char c = (char)(value >> 8 * i);
		if (c != '\n' && (c < ' ' || c > '~'))
			return NULL;
		if (c == '\n' || c == '"' || c == '\\')
			text[n++] = '\\';
		text[n++] = c == '\n' ? 'n' : c;
	}
	return xasprintf("\"%.*s\"", (int)n, text);
}

/* "5", or "{5, 0, 1}" of several. */
static char *bits_text(const struct value_type *type, uint64_t value)
{
	char *text = xstrdup("");
	for (unsigned i = 0; i < type->nbits; i++) {
		uint64_t mask = type->bits[i].width < 64 ? (UINT64_C(1) << type->bits[i].width) - 1 : UINT64_MAX;
		char *longer = xasprintf("%s%s%" PRIu64, text, i ? ", " : "", value >> type->bits[i].low & mask);
		free(text);
		text = longer;
	}
	char *all = type->nbits > 1 ? xasprintf("{%s}", text) : xstrdup(text);
	free(text);
	return all;
}

char *value_type_text(const struct value_type *type, uint64_t value)
{
	if (type->size < 8)
		value &= (UINT64_C(1) << 8 * type->size) - 1;
	switch (type->kind) {
	case VALUE_FLOAT:
		return float_text(type->size, value);
	case VALUE_BOOL:
		return value <= 1 ? xstrdup(value ? "true" : "false") : NULL;
	case VALUE_UNSIGNED:
		return xasprintf("%" PRIu64, value);
	case VALUE_ENUM:
		return enumerator_text(type, value);
	case VALUE_SHRUNK:
		value = value * (uint64_t)type->times + (uint64_t)type->plus;
		return type->truth && value <= 1 ? xstrdup(value ? "true" : "false") : xasprintf("%" PRId64, (int64_t)value);
	case VALUE_BITS:
		return bits_text(type, value);
	case VALUE_TEXT:
		return characters_text(type->size, value);
	case VALUE_POINTER:
		return value ? xasprintf("%#" PRIx64, value) : xstrdup("NULL");
	default:
		return NULL;
	}
}
