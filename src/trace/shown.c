/* Entries of outputs (include/rethread/trace.h). */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static bool leb128(const char *bytes, uint32_t size, uint32_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
		uint8_t b = (uint8_t)bytes[(*at)++];

		*value |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return true;
	}
	return false;
}

bool trace_shown_value(const struct trace_shown *s, uint32_t *at, uint64_t *value)
{
	return leb128(s->bytes, s->size, at, value);
}

/* As many values as the mask has parameters, and nothing else? */
static bool are_values_sound(const struct trace_shown *s)
{
	uint32_t at = 0;
	uint64_t value;

	for (int n = __builtin_popcount(s->parameters); n; n--)
		if (!trace_shown_value(s, &at, &value))
			return false;
	return at == s->size;
}

static bool decode(const char *bytes, uint32_t size, struct trace_shown *s)
{
	uint32_t at = 0;
	uint64_t site, what;

	if (!leb128(bytes, size, &at, &site) || !leb128(bytes, size, &at, &what) || site > UINT32_MAX ||
	    what >= RT_SHOWN_TEXT + RT_SHOWN_PARAMETERS)
		return false;
	s->site = (uint32_t)site;
	s->text = what >= RT_SHOWN_TEXT;
	s->parameters = (uint32_t)what - (s->text ? RT_SHOWN_TEXT : 0);
	s->bytes = bytes + at;
	s->size = size - at;
	return s->text ? s->size <= RT_SHOWN_MAX : are_values_sound(s);
}

bool trace_shown_index(struct trace_thread *t, const char *bytes, size_t size)
{
	vec(struct trace_shown) all = {.at = t->shown, .n = t->nshown, .cap = t->nshown};
	bool sound = true;

	for (size_t at = 0; sound && size - at >= sizeof(uint16_t);) {
		uint16_t length;

		memcpy(&length, bytes + at, sizeof length);
		at += sizeof length;
		if (!length || length > size - at)
			break;
		sound = decode(bytes + at, length, vec_push(&all));
		at += length;
	}
	t->shown = all.at;
	t->nshown = all.n;
	return sound;
}
