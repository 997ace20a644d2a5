/*
 * Outputs (include/rethread/trace.h): what a call showed in the recorded run it shows again. Where that depends on
 * racy reads it is a condition on them; the call then goes on with the recorded value, so that text made of it is the
 * recorded text. Where what was computed has no expression and differs, nothing is said: the bits of an address
 * differ from run to run.
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <string.h>

/* The next record, when it is of this site. */
static const struct trace_shown *next_record(struct ethread *self, bool text, uint32_t site)
{
	if (!site || !self->log || self->next_shown >= self->log->nshown)
		return NULL;
	const struct trace_shown *r = &self->log->shown[self->next_shown];
	if (r->text != text || r->site != site)
		return NULL;
	self->next_shown++;
	return r;
}

/* Where user space has its programs, stacks and libraries: such a number may well be an address. */
static bool may_be_address(uint64_t v)
{
	return v >> 40 && !(v >> 47);
}

static void states(struct ethread *self, expr e, uint64_t v, enum condition_kind kind)
{
	unsigned width = expr_node(engine.exprs, e)->width;
	if (width == 64 && may_be_address(v))
		return;
	condition_add(self, e, width < 64 ? v & ((1ull << width) - 1) : v, kind);
}

static void shows_words(struct ethread *self, struct native_call *c, const struct trace_shown *r,
			enum condition_kind kind)
{
	uint32_t at = 0;
	uint64_t v;
	for (unsigned i = 0; i < RT_SHOWN_PARAMETERS; i++) {
		if (!(r->parameters >> i & 1) || !trace_shown_value(r, &at, &v))
			continue;
		if (i >= c->nin || !c->in[i].e || may_be_address(v))
			continue;
		states(self, c->in[i].e, v, kind);
		c->in[i] = (struct slot){ v, EXPR_NONE };
	}
}

void shown_bytes(struct ethread *self, uint32_t site, uint64_t from, const char *text, uint64_t size)
{
	for (uint64_t at = 0; at < size;) {
		unsigned n = 8 - (unsigned)((from + at) % 8);
		struct access a = { .address = from + at, .size = size - at < n ? (unsigned)(size - at) : n };
		engine_load(self, site, &a);
		if (a.value.e) {
			uint64_t v = 0;
			memcpy(&v, text + at, a.size);
			states(self, a.value.e, v, CONDITION_OUTPUT);
		}
		at += a.size;
	}
}

uint32_t shown_call(struct ethread *self, struct native_call *c, enum condition_kind kind)
{
	uint32_t texts = 0;
	if (ties_on() && kind == CONDITION_OUTPUT)
		ties_shown(self, c);
	const struct trace_shown *r = next_record(self, false, c->site);
	if (r)
		shows_words(self, c, r, kind);
	while ((r = next_record(self, true, c->site))) {
		if (r->parameters >= c->nin)
			continue;
		texts |= 1u << r->parameters;
		shown_bytes(self, c->site, c->in[r->parameters].v, r->bytes, r->size);
	}
	return texts;
}

void shown_status(struct ethread *self, const struct slot *status)
{
	const struct rt_failure *f = &engine.trace->failure;
	ties_status(self, status->e);
	if (!status->e || (f->kind != RT_FAIL_EXIT && f->kind != RT_FAIL_PREDICATE))
		return;
	/* The parent of a process sees eight bits; a predicate judges runs that ended well. */
	uint64_t seen = f->kind == RT_FAIL_EXIT ? (uint64_t)f->status & 0xff : 0;
	expr e = status->e;
	if (expr_node(engine.exprs, e)->width > 8)
		e = expr_extract(engine.exprs, e, 0, 8);
	condition_add(self, e, seen, CONDITION_BUG);
}
