/*
 * A record of an input under construction (struct rt_input), for both runtimes: a first pass over the pieces of
 * memory gives its size, a second its bytes.
 */
#ifndef RETHREAD_RT_INPUT_RECORD_H
#define RETHREAD_RT_INPUT_RECORD_H

#include "rt/mapped.h"

struct input_recording {
	size_t size;
	char *at; /* NULL in the first pass */
	char *end;
};

static inline void input_put(struct input_recording *r, const void *p, int64_t n)
{
	uint64_t length = p && n > 0 ? (uint64_t)n : 0;
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
	memcpy(r->at + sizeof length, p, length);
	r->at += sizeof length + padded;
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
