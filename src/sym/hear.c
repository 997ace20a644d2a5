/*
 * Threads that talk to each other through the kernel: pipes, sockets, signals, files. Nothing says who answered whom, but
 * time does (inputs.def, WAKES and HEARS): what a thread did before it began to write comes before what another does
 * after it came back from reading, when the one began before the other came back. That is so for any such pair, so
 * which of them had to do with each other need not be known.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

/* Stamps closer than this say nothing; less than it takes a byte to get through the kernel. */
#define MARGIN 400u

/* Inputs of a recorded thread that may wake others, by time. */
struct waker {
	size_t index;
	uint64_t time;
};
struct wakers {
	vec(struct waker) list;
};
static struct wakers *wakers; /* by recorded thread number */

static void find_wakers(void)
{
	if (wakers)
		return;
	wakers = xcalloc(engine.trace->nthreads + 1, sizeof *wakers);
	for (uint32_t i = 0; i < engine.trace->nthreads; i++) {
		const struct trace_thread *log = &engine.trace->threads[i];
		struct waker w;
		for (w.index = 0; w.index < log->ninputs; w.index++)
			if (trace_input_time(log->inputs[w.index], &w.time) == TRACE_INPUT_WAKES)
				*vec_push(&wakers[i].list) = w;
	}
}

/* How many of a recorded thread's inputs it has made when it has made the last that may wake others before `time`. */
static size_t made_before(uint32_t thread, uint64_t time)
{
	const struct wakers *w = &wakers[thread];
	size_t low = 0, high = w->list.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (w->list.at[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? w->list.at[low - 1].index + 1 : 0;
}

static const struct ethread *thread_of(const struct trace_thread *log)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->log == log)
			return engine.threads.at[i];
	return NULL;
}

bool hear_can_go(const struct ethread *self)
{
	for (uint32_t i = 0; i < engine.trace->nthreads; i++) {
		const struct trace_thread *log = &engine.trace->threads[i];
		size_t made = log == self->log ? 0 : made_before(i, self->wait_time);
		const struct ethread *t = made ? thread_of(log) : NULL;
		if (made && (!t || (t->next_input < made && t->wait != WAIT_FOREVER)))
			return false;
	}
	return true;
}

static void wakes(struct ethread *self, uint64_t time, const char *what)
{
	struct wake *w = vec_push(&self->wakes);
	*w = (struct wake){ .time = time, .sap = self->saps, .own = self->clock.at[self->number],
			    .site = place_describe(self, what) };
	vclock_join(&w->clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}

static struct wake *last_wake(struct ethread *t, uint64_t time)
{
	size_t n = t->wakes.n;
	while (n && t->wakes.at[n - 1].time >= time)
		n--;
	return n ? &t->wakes.at[n - 1] : NULL;
}

/* It came after the wake, unless that is known already. */
static void follow(struct ethread *self, struct ethread *other, struct wake *w, bool *is_event, const char *what)
{
	if (other->number < self->clock.n && self->clock.at[other->number] >= w->own)
		return;
	if (!w->is_event) {
		w->event = event_add_late(other, EVENT_ORDERED, 0, w->sap, w->site);
		w->is_event = true;
	}
	if (!*is_event)
		event_add(self, EVENT_ORDERED, 0, place_describe(self, what));
	*is_event = true;
	order_add(w->event, event_last(self));
	vclock_join(&self->clock, &w->clock);
}

void hear_input(struct ethread *self, const struct rt_input *input, const char *what)
{
	uint64_t time;
	enum trace_input_time kind = trace_input_time(input, &time);
	if (kind != TRACE_INPUT_TIMELESS && time > self->spoke) {
		self->spoke = time;
		baton_yield(self);
	}
	if (kind == TRACE_INPUT_WAKES)
		wakes(self, time, what);
	if (kind != TRACE_INPUT_HEARS || time <= MARGIN)
		return;
	find_wakers();
	self->wait_time = time - MARGIN;
	self->wait = WAIT_TIME;
	baton_wait(self);
	bool is_event = false;
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *other = engine.threads.at[i];
		struct wake *w = other == self ? NULL : last_wake(other, self->wait_time);
		if (w)
			follow(self, other, w, &is_event, what);
	}
}
