/*
 * How short records of inputs (trace.h, struct rt_input) are packed in the log, for both sides.
 *
 * A record of function RT_INPUT_PACKED has, behind the struct, `result` bytes of entries, each of which stands for a record. It is as large
 * as there may be entries, so that nothing behind it can be taken for a record while one is being written; an entry is there when `result`, a word
 * that is stored at once, says so. An entry is a byte, then numbers in groups of seven bits, lowest first, the highest bit set in all
 * but a number's last byte (sync.h):
 *
 *     RT_PACKED_CALL      function and errno; else those of the entry before
 *     RT_PACKED_RESULT    the result; or RT_PACKED_AGAIN: that of the entry before; neither: 0
 *     RT_PACKED_TIME      the first piece of memory is a time stamp: the time since the last stamp of an entry before; or RT_PACKED_TIMELESS: it is 0
 *     RT_PACKED_PIECE * n further pieces: the length and the bytes of each
 *
 * What is "before" begins with zeros in each such record. Entries are at most RT_PACKED_ENTRY bytes; what is longer is a record of its own.
 */
#ifndef RETHREAD_PACKED_H
#define RETHREAD_PACKED_H

#include <rethread/sync.h>
#include <rethread/trace.h>

enum rt_packed_head {
	RT_PACKED_CALL = 0x01,
	RT_PACKED_RESULT = 0x02,
	RT_PACKED_AGAIN = 0x04,
	RT_PACKED_TIME = 0x08,
	RT_PACKED_TIMELESS = 0x10,
	RT_PACKED_PIECE = 0x20,
};
#define RT_PACKED_PIECES 7u
#define RT_PACKED_ENTRY 512u
/* More than any of them takes as a record. */
#define RT_PACKED_ROOM 1024u

/* A function and an errno. */
#define RT_PACKED_OF(function, error) ((uint32_t)(function) | (uint32_t)(error) << 16)
struct rt_packed_state {
	uint32_t what; /* RT_PACKED_OF */
	uint64_t result, time; /* of the entry before; of the last stamp that is not 0 */
};

/* Another piece of memory of a record that is at `to`; NULL: it is only measured. */
static inline void rt_packed_add(struct rt_input *to, uint32_t *size, const void *bytes, uint64_t length)
{
	uint64_t padded = (length + 7) & ~7ull;

	if (to) {
		char *at = (char *)to + *size;

		__builtin_memset(at, 0, sizeof length + padded);
		__builtin_memcpy(at, &length, sizeof length);
		__builtin_memcpy(at + sizeof length, bytes, length);
	}
	*size += (uint32_t)(sizeof length + padded);
}

/* The call, the result and the time of an entry. */
static inline const uint8_t *rt_packed_begin(struct rt_packed_state *s, uint8_t head, const uint8_t *at, const uint8_t *end)
{
	uint64_t function = s->what & 0xffff, error = s->what >> 16, time = 0;

	if (head & RT_PACKED_CALL) {
		at = rt_sync_get(at, end, &function);
		at = rt_sync_get(at, end, &error);
	}
	if (head & RT_PACKED_RESULT)
		at = rt_sync_get(at, end, &s->result);
	else if (!(head & RT_PACKED_AGAIN))
		s->result = 0;
	if (head & RT_PACKED_TIME)
		at = rt_sync_get(at, end, &time);
	if (!function || function >= RT_INPUT_PACKED || error > UINT16_MAX)
		return 0;
	s->what = RT_PACKED_OF(function, error);
	s->time += time;
	return at;
}

/*
 * The entry at `at`, as a record at `to`, which has RT_PACKED_ROOM bytes (NULL: it is only measured), of *size bytes. Where the next one is, or NULL
 * when there is no whole entry.
 */
static inline const uint8_t *rt_packed_next(struct rt_packed_state *s, const uint8_t *at, const uint8_t *end, struct rt_input *to,
					    uint32_t *size)
{
	const uint64_t none = 0;
	uint8_t head = *at;

	if ((uint64_t)(end - at) > RT_PACKED_ENTRY)
		end = at + RT_PACKED_ENTRY;
	at = rt_packed_begin(s, head, at + 1, end);
	*size = sizeof *to;
	if (head & (RT_PACKED_TIME | RT_PACKED_TIMELESS))
		rt_packed_add(to, size, head & RT_PACKED_TIME ? &s->time : &none, sizeof none);
	for (unsigned n = head / RT_PACKED_PIECE; n && at; n--) {
		uint64_t length;

		at = rt_sync_get(at, end, &length);
		if (!at || length > (uint64_t)(end - at))
			return 0;
		rt_packed_add(to, size, at, length);
		at += length;
	}
	if (at && to)
		*to = (struct rt_input){*size, (uint16_t)s->what, (uint16_t)(s->what >> 16), s->result};
	return at;
}

#endif
