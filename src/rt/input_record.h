/*
 * A record of an input under construction (struct rt_input), for both runtimes: a first pass over the pieces of
 * memory gives its size, a second its bytes. In the recorder a pass before both tries to pack it (packing.h).
 */
#ifndef RETHREAD_RT_INPUT_RECORD_H
#define RETHREAD_RT_INPUT_RECORD_H

#include "rt/log.h"
#include "rt/mapped.h"

#include <rethread/packed.h>

struct input_recording {
	/* While it is packed: where the entry's next bytes go, and its end; `entry` NULL: it is not, or cannot be. */
	uint8_t *entry, *entry_end;
	uint8_t head;
	size_t size;
	char *at; /* NULL in the first pass */
	char *end;
	uint64_t shift; /* as in struct rt_input_stream */
};

/* So many bytes are written rather than copied to pages that are new. */
enum { INPUT_WRITTEN = 1 << 15 };

static __attribute__((unused)) void input_copy(const struct input_recording *r, const void *from, size_t n)
{
	char *to = r->at + sizeof(uint64_t);

	if (!r->shift || n < INPUT_WRITTEN || !rt_log_write(from, n, (uintptr_t)to + r->shift))
		memcpy(to, from, n);
}

static inline uint8_t *input_number(uint8_t *at, uint64_t n)
{
	if (__builtin_expect(n < 0x80, 1)) {
		*at = (uint8_t)n;
		return at + 1;
	}
	return rt_sync_put(at, n);
}

/* NULL when it is too long for an entry. */
static inline uint8_t *input_pack(struct input_recording *r, const void *p, uint64_t length)
{
	uint8_t *at = r->entry;

	if (__builtin_expect((uint64_t)(r->entry_end - at) < length + 2 || length >= RT_PACKED_ENTRY ||
				     r->head / RT_PACKED_PIECE == RT_PACKED_PIECES,
			     0))
		return NULL;
	r->head = (uint8_t)(r->head + RT_PACKED_PIECE);
	at = input_number(at, length);
	memcpy(at, p, length);
	return at + length;
}

static __attribute__((noinline, unused)) void input_put_own(struct input_recording *r, const void *p, uint64_t length)
{
	size_t padded = input_padded(length);

	if (!r->at) {
		r->size += sizeof length + padded;
		return;
	}
	/* Another thread may make what it points to longer in between. */
	if (sizeof length + padded > (size_t)(r->end - r->at)) {
		padded = (size_t)(r->end - r->at) - sizeof length;
		length = padded;
	}
	memcpy(r->at, &length, sizeof length);
	input_copy(r, p, length);
	r->at += sizeof length + padded;
}

static inline void input_put(struct input_recording *r, const void *p, int64_t n)
{
	uint64_t length = p && n > 0 ? (uint64_t)n : 0;

	if (r->entry)
		r->entry = input_pack(r, p, length);
	else
		input_put_own(r, p, length);
}

static inline void input_put_vector(struct input_recording *r, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;

		input_put(r, v[i].iov_base, here);
		n -= here > 0 ? here : 0;
	}
}

static inline void input_put_buffer(struct input_recording *r, const FILE *f)
{
	input_put(r, f->_IO_read_ptr, f->_IO_read_end - f->_IO_read_ptr);
}

static inline void input_put_marks(struct input_recording *r, const FILE *f)
{
	int marks = f->_flags & (_IO_EOF_SEEN | _IO_ERR_SEEN);

	input_put(r, &marks, sizeof marks);
}

/* An address, and what the file's bytes there have become. Other threads may have made more of them since the first pass. */
static inline void input_put_mapped(void *recording, uint64_t at, const void *bytes, size_t n)
{
	struct input_recording *r = recording;

	if (r->at && (size_t)(r->end - r->at) < sizeof at + 2 * sizeof(uint64_t) + input_padded(n))
		return;
	input_put(r, &at, sizeof at);
	input_put(r, bytes, (int64_t)n);
}

/* Only what can hold addresses. */
static inline void input_put_note(struct input_recording *r, const void *p, uint64_t n)
{
	input_put(r, p, n % sizeof(void *) || n > INPUT_NOTE_MAX ? 0 : (int64_t)n);
}

static inline void input_put_notes(struct input_recording *r, const struct iovec *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		input_put_note(r, v[i].iov_base, v[i].iov_len);
}

static inline void input_put_format(struct input_recording *r, const char *format, va_list list, int n)
{
	struct rt_conversions c = {.at = format};
	va_list copy;

	va_copy(copy, list);
	while (n > 0 && rt_conversions_next(&c)) {
		const void *p = va_arg(copy, void *);

		input_put(r, p, (int64_t)rt_conversion_size(&c, p));
		n -= c.kind != 'n';
	}
	va_end(copy);
}

#endif
