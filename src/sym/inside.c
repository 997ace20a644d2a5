/*
 * Libraries that the executor does not see have a state of their own: what their first caller makes, others find there. In a replay, whoever
 * comes first makes it. Where a thread asked the system for something inside of such a call (a seed for a hash, a file with settings), it
 * did not do what it does every time, so those that call such functions later, as the executor ran, have to come later in the
 * replay as well: else they would ask, and the first one would not. Of races that says nothing, so clocks learn nothing from it.
 */
#include "sym/engine.h"

#include <string.h>

/* The last input inside of a call, and the event that stands for it once somebody came later. */
struct asking {
	struct ethread *thread;
	uint64_t sap;
	uint32_t site;
	bool is_event;
	struct event_ref event;
};
static vec(struct asking) askings;

void inside_asked(struct ethread *self, const char *what)
{
	/* Inside of a call back, the program may ask itself. */
	if (self->outside && self->native && strcmp(self->native, what))
		self->asked = (struct asked){.sap = self->saps, .site = place_describe(self, what)};
}

void inside_begins(struct ethread *self)
{
	bool is_event = false;
	self->outside = true;
	self->asked = (struct asked){0};
	for (; self->askings_known < askings.n; self->askings_known++) {
		struct asking *a = &askings.at[self->askings_known];
		if (a->thread == self)
			continue;
		if (!a->is_event)
			a->event = event_add_late(a->thread, EVENT_ORDERED, 0, a->sap, a->site);
		a->is_event = true;
		if (!is_event)
			event_add(self, EVENT_ORDERED, 0, place_describe(self, self->native));
		is_event = true;
		order_add(a->event, event_last(self));
	}
}

void inside_ends(struct ethread *self)
{
	if (self->asked.sap)
		*vec_push(&askings) = (struct asking){.thread = self, .sap = self->asked.sap, .site = self->asked.site};
	self->outside = false;
	self->asked = (struct asked){0};
}
