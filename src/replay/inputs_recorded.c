/* A record of what the real call brought: see inputs.h. */
#include "replay/inputs.h"

#include "replay/conductor.h"
#include "replay/interpose.h"
#include "replay/library.h"
#include "rt/clock.h"
#include "rt/log.h"

#include <stdlib.h>

/* A buffer that the call fills is another one during the call, so that nobody sees it change before its step is done. */
static void bounce(struct given *g)
{
	memcpy(&g->wanted, g->buffer, sizeof g->wanted);
	g->bounce = g->wanted && g->buffer_size ? twin_pages(g->buffer_size) : NULL;
	if (g->bounce)
		memcpy(g->buffer, &g->bounce, sizeof g->bounce);
}

void record_call(struct given *g, unsigned flags)
{
	g->recorder->where = TWIN_RUNTIME;
	recorder_calls(g->recorder);
	if (g->shows == STDOUT_FILENO || g->shows == STDERR_FILENO) {
		recorder_touches(g->recorder, &library_output, sizeof library_output, true);
		for (size_t i = 0; i < g->npieces; i++)
			recorder_touches(g->recorder, g->pieces[i].iov_base, g->pieces[i].iov_len, false);
		recorder_holds(g->recorder);
	}
	if (flags & WAKES)
		recorder_wakes(g->recorder);
	if ((flags & WAKES) && conductor_on && g->shows != STDOUT_FILENO && g->shows != STDERR_FILENO)
		conductor_wakes();
	if (g->buffer)
		bounce(g);
	g->recorder->deep = (flags & DEEP) != 0;
	if ((flags & WAKES) && rt_log.time)
		g->stamp = rt_clock();
	g->recorder->where = TWIN_CALL;
}

void record_size(struct given *g, unsigned flags)
{
	g->recorder->where = TWIN_RUNTIME;
	g->recorder->deep = false;
	recorder_lets_go(g->recorder);
	if (flags & HEARS)
		recorder_hears(g->recorder);
	if ((flags & HEARS) && rt_log.time)
		g->stamp = rt_clock();
	if (flags & (WAKES | HEARS))
		input_put(&g->recording, &g->stamp, sizeof g->stamp);
}

void record_bytes(struct given *g, unsigned flags)
{
	struct input_recording *r = &g->recording;
	r->size += sizeof(struct rt_input);
	char *room = r->size <= UINT32_MAX ? recorder_input_room(g->recorder, r->size) : NULL;
	g->phase = room ? RECORD_BYTES : RECORD_LOST;
	recorder_holds(g->recorder);
	if (!room)
		return;
	r->end = room + r->size;
	r->at = room + sizeof(struct rt_input);
	if (flags & (WAKES | HEARS))
		input_put(r, &g->stamp, sizeof g->stamp);
}

void record_end(struct given *g, uint16_t function, int error, uint64_t *result)
{
	struct input_recording *r = &g->recording;
	if (g->phase == RECORD_BYTES) {
		struct rt_input *record = (struct rt_input *)(r->end - r->size);
		memset(r->at, 0, (size_t)(r->end - r->at));
		record->function = function;
		record->error = (uint16_t)error;
		record->result = *result;
		recorder_input_done(g->recorder, (uint32_t)r->size);
	}
	if (g->bounce) {
		if (*result == (uintptr_t)g->bounce)
			*result = (uintptr_t)g->wanted;
		twin_pages_free(g->bounce, g->buffer_size);
	}
	errno = error;
}

void record_cancelled(void *given)
{
	struct given *g = given;
	g->recorder->deep = false;
	recorder_lets_go(g->recorder);
	if (g->bounce)
		twin_pages_free(g->bounce, g->buffer_size);
	struct rt_input *record = recorder_input_room(g->recorder, sizeof *record);
	if (record) {
		*record = (struct rt_input){ .function = g->function, .error = RT_INPUT_CANCELLED };
		recorder_input_done(g->recorder, sizeof *record);
	}
	twin_step_cancelled(NULL);
}

void record_out(struct given *g, const void *p, int64_t n)
{
	bool bounced = g->bounce && p == g->bounce;
	if (g->phase == RECORD_SIZE && p && n > 0)
		recorder_touches(g->recorder, bounced ? g->wanted : p, (uint64_t)n, true);
	if (bounced && n > 0 && g->phase != RECORD_SIZE)
		memcpy(g->wanted, p, (size_t)n);
	if (g->phase != RECORD_LOST)
		input_put(&g->recording, p, n);
}

void record_fresh(struct given *g, const void *p, int64_t n)
{
	if (g->phase != RECORD_LOST)
		input_put(&g->recording, p, n);
}

void record_vector(struct given *g, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		record_out(g, v[i].iov_base, here);
		n -= here > 0 ? here : 0;
	}
}

void record_format(struct given *g, const char *format, va_list list, int n)
{
	struct rt_conversions c = { .at = format };
	va_list copy;
	va_copy(copy, list);
	while (n > 0 && rt_conversions_next(&c)) {
		const void *p = va_arg(copy, void *);
		record_out(g, p, (int64_t)rt_conversion_size(&c, p));
		n -= c.kind != 'n';
	}
	va_end(copy);
}

void record_mapped(void *given, uint64_t at, const void *bytes, size_t n)
{
	struct given *g = given;
	if (g->phase == RECORD_SIZE)
		recorder_touches(g->recorder, (void *)at, n, true);
	if (g->phase != RECORD_LOST)
		input_put_mapped(&g->recording, at, bytes, n);
}

void record_note(struct given *g, const void *p, uint64_t n)
{
	if (g->phase != RECORD_LOST)
		input_put_note(&g->recording, p, n);
}

void record_notes(struct given *g, const struct iovec *v, size_t count)
{
	if (g->phase != RECORD_LOST)
		input_put_notes(&g->recording, v, count);
}

void record_buffer(struct given *g, const FILE *f)
{
	if (g->phase != RECORD_LOST)
		input_put_buffer(&g->recording, f);
}

void record_marks(struct given *g, const FILE *f)
{
	if (g->phase != RECORD_LOST)
		input_put_marks(&g->recording, f);
}
