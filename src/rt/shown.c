/* Outputs (include/rethread/trace.h): what a call is about to show goes to the thread's stream of its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/log.h"
#include "rt/self.h"

#include <errno.h>
#include <string.h>

/* An entry under construction; values take at most ten bytes each. */
struct entry {
	size_t size;
	uint8_t bytes[2 + 2 * 10 + 10 * RT_SHOWN_PARAMETERS];
};

static void put(struct entry *e, uint64_t v)
{
	for (; v > 127; v >>= 7)
		e->bytes[e->size++] = (uint8_t)(v | 128);
	e->bytes[e->size++] = (uint8_t)v;
}

static struct entry begin(uint32_t site, uint32_t what)
{
	struct entry e;

	e.size = 2;
	put(&e, site);
	put(&e, what);
	return e;
}

/* The entry, and the text behind it. */
static void append(const struct entry *e, const void *text, size_t size)
{
	struct rt_self *self = &rt_self;
	uint16_t length = (uint16_t)(e->size + size - 2);
	char *at;
	int error = errno;

	if (self->logging) {
		rt_log_drop();
		return;
	}
	self->logging = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	at = rt_self_shown_room(self, e->size + size);
	if (at) {
		memcpy(at + 2, e->bytes + 2, e->size - 2);
		memcpy(at + e->size, text, size);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		memcpy(at, &length, sizeof length);
	} else {
		rt_log_drop();
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->logging = false;
	errno = error;
}

static bool is_wanted(void)
{
	return rt_self.active && rt_log.output && !rt_self.handlers;
}

void __rethread_shown(uint32_t site, uint32_t parameters, const uint64_t *values)
{
	struct entry e;

	if (!is_wanted())
		return;
	e = begin(site, parameters);
	for (int i = 0; i < __builtin_popcount(parameters); i++)
		put(&e, values[i]);
	append(&e, "", 0);
}

void __rethread_shown_text(uint32_t site, uint32_t parameter, const void *text, uint64_t size)
{
	struct entry e;

	if (!is_wanted() || !text)
		return;
	if (size == RT_SHOWN_STRING) {
		size = strnlen(text, RT_SHOWN_MAX);
		size += size < RT_SHOWN_MAX; /* with its end */
	}
	e = begin(site, RT_SHOWN_TEXT + parameter);
	append(&e, text, size < RT_SHOWN_MAX ? size : RT_SHOWN_MAX);
}
