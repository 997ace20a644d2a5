/* Outputs (include/rethread/trace.h): what a call is about to show goes to the thread's stream of its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/log.h"
#include "rt/self.h"

#include <string.h>

/* The most that an entry takes besides its text: its length, and values of at most ten bytes each. */
enum { ENTRY_ROOM = 2 + 2 * 10 + 10 * RT_SHOWN_PARAMETERS };

static uint8_t *put(uint8_t *at, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*at++ = (uint8_t)(v | 128);
	*at++ = (uint8_t)v;
	return at;
}

static bool is_wanted(void)
{
	return rt_self.active && rt_log.output && !rt_self.handlers;
}

/* Where the entry is made, or NULL. It is there once its length is. */
static uint8_t *open_entry(struct rt_self *self, size_t text)
{
	uint8_t *entry;

	if (self->logging) {
		rt_log_drop();
		return NULL;
	}
	self->logging = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	entry = rt_self_shown_room(self, ENTRY_ROOM + text);
	if (!entry) {
		rt_log_drop();
		self->logging = false;
	}
	return entry;
}

static void close_entry(struct rt_self *self, uint8_t *entry, uint8_t *end)
{
	uint16_t length = (uint16_t)(end - entry - 2);

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy(entry, &length, sizeof length);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->shown = (char *)end; /* the rest of the room was not needed */
	self->logging = false;
}

void __rethread_shown(uint32_t site, uint32_t parameters, const uint64_t *values)
{
	struct rt_self *self = &rt_self;
	uint8_t *entry = is_wanted() ? open_entry(self, 0) : NULL, *at;

	if (!entry)
		return;
	at = put(put(entry + 2, site), parameters);
	for (uint32_t left = parameters; left; left &= left - 1)
		at = put(at, *values++);
	close_entry(self, entry, at);
}

void __rethread_shown_text(uint32_t site, uint32_t parameter, const void *text, uint64_t size)
{
	struct rt_self *self = &rt_self;
	uint8_t *entry, *at;

	if (!text || !is_wanted())
		return;
	if (size == RT_SHOWN_STRING) {
		size = strnlen(text, RT_SHOWN_MAX);
		size += size < RT_SHOWN_MAX; /* with its end */
	}
	size = size < RT_SHOWN_MAX ? size : RT_SHOWN_MAX;
	entry = open_entry(self, size);
	if (!entry)
		return;
	at = put(put(entry + 2, site), RT_SHOWN_TEXT + parameter);
	memcpy(at, text, size);
	close_entry(self, entry, at + size);
}
