/*
 * Libraries that the executor does not see have a state of their own: what their first caller makes, others find there. In a replay, whoever
 * comes first makes it. Where a thread asked the system for something inside of such a call (a seed for a hash, a file with settings), it
 * did not do what it does every time, so those that call such functions later, as the executor ran, have to come later in the
 * replay as well: else they would ask, and the first one would not. So do those that call one while the first one is still at it, and asks: they find
 * what it has made so far, or wait for it (pthread_once). Of races that says nothing, so clocks learn nothing from it.
 *
 * In the executor, too, the first one may be another than in the recorded run: its log has no such input. It is too late then to do without what it has begun to make, which others may
 * wait for in the library itself, for ever. So the run ends, and in the next one that call waits until those have asked that did (inside_waits). Nor does a thread begin
 * such a call while another is in one and has asked, if that can go on: it may wait for what that makes without a word to anybody.
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <stdlib.h>
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
	static uint64_t calls;
	/* Inside of a call back, the program may ask itself. */
	if (self->outside && self->native && strcmp(self->native, what))
		self->asked = (struct asked){.sap = self->saps, .site = place_describe(self, what), .call = self->asked.call ? self->asked.call : ++calls};
}

/* The call at hand comes after that event. */
static void come_after(struct ethread *self, struct event_ref before, bool *is_event)
{
	if (!*is_event)
		event_add(self, EVENT_ORDERED, 0, place_describe(self, self->native));
	*is_event = true;
	order_add(before, event_last(self));
}

/* Has the thread not heard of this call of another one, which is not over? */
static bool is_news(struct ethread *self, const struct ethread *other)
{
	if (other == self || !other->outside || !other->asked.sap)
		return false;
	while (self->asking_calls.n <= other->number)
		*vec_push(&self->asking_calls) = 0;
	bool news = self->asking_calls.at[other->number] != other->asked.call;
	self->asking_calls.at[other->number] = other->asked.call;
	return news;
}

static void follow_askings(struct ethread *self)
{
	bool is_event = false;
	for (; self->askings_known < askings.n; self->askings_known++) {
		struct asking *a = &askings.at[self->askings_known];
		if (a->thread == self)
			continue;
		if (!a->is_event)
			a->event = event_add_late(a->thread, EVENT_ORDERED, 0, a->sap, a->site);
		a->is_event = true;
		come_after(self, a->event, &is_event);
	}
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *other = engine.threads.at[i];
		if (is_news(self, other))
			come_after(self, event_add_late(other, EVENT_ORDERED, 0, other->asked.sap, other->asked.site), &is_event);
	}
}

/* A call of a thread, by its number among those of functions that no table has. */
struct vain {
	uint64_t thread, call;
};
static struct {
	vec(struct vain) all; /* those of earlier runs first */
	size_t nloaded;
} vains;

void inside_load(void)
{
	char *data, *path = xasprintf("%s/vains", engine.config->state);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		vains.all.at = (struct vain *)data;
		vains.nloaded = vains.all.n = vains.all.cap = size / sizeof *vains.all.at;
	}
	free(path);
}

size_t inside_finish(void)
{
	struct error err;
	char *path = xasprintf("%s/vains", engine.config->state);
	if (vains.all.n > vains.nloaded && !write_file(path, vains.all.at, vains.all.n * sizeof *vains.all.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return vains.all.n - vains.nloaded;
}

static bool is_vain(const struct ethread *t)
{
	for (size_t i = 0; i < vains.nloaded; i++)
		if (t->log && vains.all.at[i].thread == t->log->info.number && vains.all.at[i].call == t->calls_outside)
			return true;
	return false;
}

bool inside_is_asking(const struct ethread *t)
{
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *other = engine.threads.at[i];
		if (other != t && !other->ended && other->outside && other->asked.sap && other->wait != WAIT_LIBRARY && sync_can_go(other))
			return true;
	}
	return false;
}

void inside_waits(struct ethread *self)
{
	static const int not_begun = 0; /* as of a routine that runs once */
	self->calls_outside++;
	if (inside_is_asking(self)) {
		self->wait = WAIT_LIBRARY;
		baton_wait(self);
	}
	if (!is_vain(self))
		return;
	self->wait = WAIT_ROUTINE;
	self->wait_order = (uint64_t)(uintptr_t)&not_begun;
	baton_wait(self);
}

void inside_asks_in_vain(struct ethread *self, const char *what)
{
	enum { MOST = 1000 };
	bool by_library = self->outside && self->native && strcmp(self->native, what);
	if (!by_library || !self->log || engine.free || ties_on() || is_vain(self) || vains.all.n == MOST || !sync_others_ask(self))
		return;
	*vec_push(&vains.all) = (struct vain){ self->log->info.number, self->calls_outside };
	engine_finish();
}

void inside_begins(struct ethread *self)
{
	self->outside = true;
	self->asked = (struct asked){0};
	follow_askings(self);
}

/* Others asked while the thread waited for them, and have to have begun before the call in the replay, too: else it would not wait, but ask. */
void inside_came_back(struct ethread *self)
{
	if (self->outside && !self->asked.sap)
		follow_askings(self);
}

void inside_ends(struct ethread *self)
{
	if (self->asked.sap)
		*vec_push(&askings) = (struct asking){.thread = self, .sap = self->asked.sap, .site = self->asked.site};
	self->outside = false;
	self->asked = (struct asked){0};
}
