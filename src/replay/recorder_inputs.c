/* Inputs in the log of scheme rw: records as the ordinary recorder writes them (rt/input_record.h). */
#include "replay/order.h"
#include "rt/clock.h"
#include "rt/input_record.h"
#include "rt/log.h"

#include <string.h>

#define INPUT_CHUNK (16u << 10)

static size_t input_left(const struct recorder *r)
{
	return r->input ? (size_t)((char *)r->input + r->input->size - r->input_at) : 0;
}

/* A chunk with room for a record of that size; what is left of the one before is filled up. */
static void *input_refill(struct twin_thread *self, size_t size)
{
	struct recorder *r = self->recorder;
	size_t least = (sizeof *r->input + size + RT_PAGE - 1) & ~(size_t)(RT_PAGE - 1);
	struct rt_chunk part = { .size = least > INPUT_CHUNK ? (uint32_t)least : INPUT_CHUNK, .thread = self->number,
				 .stream = RT_STREAM_INPUT, .seq = r->input_seq };
	struct rt_chunk *chunk = least > UINT32_MAX ? NULL : rt_log_reserve(&part, 1, NULL);
	if (!chunk) {
		rt_log_drop();
		return NULL;
	}
	if (input_left(r))
		__atomic_store_n(&((struct rt_input *)r->input_at)->size, (uint32_t)input_left(r), __ATOMIC_RELEASE);
	if (r->input)
		rt_log_unmap(r->input, r->input->size);
	r->input = chunk;
	r->input_at = (char *)(chunk + 1);
	r->input_seq++;
	return r->input_at;
}

void *recorder_input_room(struct twin_thread *self, size_t size)
{
	struct recorder *r = self->recorder;
	if (!r || !r->thread)
		return NULL;
	return size <= input_left(r) ? r->input_at : input_refill(self, size);
}

void recorder_input_done(struct twin_thread *self, uint32_t size)
{
	struct recorder *r = self->recorder;
	__atomic_store_n(&((struct rt_input *)r->input_at)->size, size, __ATOMIC_RELEASE);
	r->input_at += size;
}

void recorder_input_copy(struct twin_thread *self, const struct rt_input *record)
{
	char *room = recorder_input_room(self, record->size);
	if (!room)
		return;
	memcpy(room + sizeof record->size, (const char *)record + sizeof record->size, record->size - sizeof record->size);
	recorder_input_done(self, record->size);
}

void recorder_input_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place)
{
	struct rt_signal s = { .place = place, .steps = self->gate->count, .bits = path_length() };
	uint64_t stamp = rt_log.time ? rt_clock() : 0;
	struct input_recording r = { 0 };
	for (int pass = 0; pass < 2; pass++) {
		if (pass) {
			char *room = recorder_input_room(self, r.size += sizeof(struct rt_input));
			if (!room)
				return;
			r.at = room + sizeof(struct rt_input);
			r.end = room + r.size;
		}
		input_put(&r, &stamp, sizeof stamp);
		input_put(&r, &s, sizeof s);
		input_put(&r, info, sizeof *info);
	}
	struct rt_input *record = (struct rt_input *)(r.end - r.size);
	record->function = RT_INPUT_SIGNAL;
	record->error = 0;
	record->result = (uint64_t)info->si_signo;
	recorder_input_done(self, (uint32_t)r.size);
}
