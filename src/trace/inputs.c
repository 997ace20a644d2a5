/* Records of inputs (struct rt_input in include/rethread/trace.h). */
#include "trace/trace.h"

#include <rethread/packed.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 0, DEEP = 0, FORKS = 0, QUICK = 0, WAKES = TRACE_INPUT_WAKES, HEARS = TRACE_INPUT_HEARS, BLIND = 4 };

static const struct {
	const char *name;
	enum trace_input_time time;
	bool blind;
} functions[] = {
	{"?", TRACE_INPUT_TIMELESS, false},
#define INPUT(flags, type, name, ...) {#name, (enum trace_input_time)((flags) & ~BLIND), ((flags)&BLIND) != 0},
#include <rethread/inputs.def>
#undef INPUT
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

const char *trace_input_name(const struct rt_input *input)
{
	if (input->function == RT_INPUT_SIGNAL)
		return "signal";
	return functions[input->function < FUNCTIONS ? input->function : 0].name;
}

bool trace_input_is_blind(const char *function)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (functions[i].blind && !strcmp(functions[i].name, function))
			return true;
	return false;
}

static enum trace_input_time kind_of_time(const struct rt_input *input)
{
	if (input->function == RT_INPUT_SIGNAL)
		return TRACE_INPUT_HEARS;
	return input->function < FUNCTIONS ? functions[input->function].time : TRACE_INPUT_TIMELESS;
}

/* The time stamp is the first piece of memory. */
static bool is_timed(const struct rt_input *input)
{
	return kind_of_time(input) != TRACE_INPUT_TIMELESS;
}

const struct rt_signal *trace_input_signal(const struct rt_input *input, const void **info)
{
	uint64_t size, info_size;
	const void *signal = input->function == RT_INPUT_SIGNAL ? trace_input_piece(input, NULL, &size) : NULL;

	if (!signal || size != sizeof(struct rt_signal))
		return NULL;
	info_size = size;
	*info = trace_input_piece(input, signal, &info_size);
	return *info && info_size == sizeof(siginfo_t) ? signal : NULL;
}

enum trace_input_time trace_input_time(const struct rt_input *input, uint64_t *time)
{
	if (!is_timed(input) || input->size < sizeof *input + 2 * sizeof *time)
		return TRACE_INPUT_TIMELESS;
	memcpy(time, (const char *)(input + 1) + sizeof *time, sizeof *time);
	return *time ? kind_of_time(input) : TRACE_INPUT_TIMELESS;
}

const void *trace_input_piece(const struct rt_input *input, const void *at, uint64_t *size)
{
	const char *end = (const char *)input + input->size;
	const char *next = at ? (const char *)at + ((*size + 7) & ~7ull)
			      : (const char *)(input + 1) + (is_timed(input) ? 2 * sizeof *size : 0);

	if (next > end || (size_t)(end - next) < sizeof *size)
		return NULL;
	memcpy(size, next, sizeof *size);
	return next + sizeof *size;
}

/* Do the pieces fill the record? */
static bool is_sound(const struct rt_input *input)
{
	uint64_t left = input->size - sizeof *input, size;
	const char *at = (const char *)(input + 1);

	while (left) {
		memcpy(&size, at, sizeof size);
		left -= sizeof size;
		at += sizeof size;
		if (size > left)
			return false;
		size = (size + 7) & ~7ull;
		left -= size;
		at += size;
	}
	return true;
}

/* Nothing comes any more: a process that died with a new chunk, before it filled up the one before. */
static bool is_unwritten(const char *at, size_t size)
{
	while (size && !at[size - 1])
		size--;
	return !size;
}

/* A record of the index: in t->input_bytes, or, of a packed one, its place in t->unpacked + 1. */
struct found {
	const struct rt_input *record;
	size_t unpacked;
};

struct index {
	vec(struct found) records;
	size_t unpacked; /* bytes of those that are packed, as records of their own */
};

/* The entries in the first n bytes of a packed record. `cut`: the last of them may be without its end. */
static bool index_packed(struct index *x, const struct rt_input *r, uint64_t n, bool cut)
{
	const uint8_t *at = (const uint8_t *)(r + 1), *end = at + n;
	struct rt_packed_state state = {0};

	while (at < end) {
		uint32_t size;

		at = rt_packed_next(&state, at, end, NULL, &size);
		if (!at)
			return cut;
		if ((state.what & 0xffff) >= FUNCTIONS)
			return false;
		*vec_push(&x->records) = (struct found){r, x->unpacked + 1};
		x->unpacked += size;
	}
	return true;
}

static bool index_record(struct index *x, const struct rt_input *r)
{
	const void *info;

	if (!r->function)
		return true;
	if (r->function == RT_INPUT_PACKED)
		return r->result <= r->size - sizeof *r && index_packed(x, r, r->result, false);
	if (!is_sound(r) || (r->function == RT_INPUT_SIGNAL ? !trace_input_signal(r, &info) : r->function >= FUNCTIONS))
		return false;
	*vec_push(&x->records) = (struct found){r, 0};
	return true;
}

/* Up to where a file was cut off in the middle of it. */
static bool index_cut(struct index *x, const struct rt_input *r, size_t left)
{
	if (left < sizeof *r || r->function != RT_INPUT_PACKED)
		return true;
	left -= sizeof *r;
	return index_packed(x, r, r->result < left ? r->result : left, r->result > left);
}

/* Each as a record, in memory that stays where it is. */
static void unpack(struct trace_thread *t, const struct index *x, const uint8_t *end)
{
	const struct rt_input *last = NULL;
	struct rt_packed_state state;
	const uint8_t *at = NULL;

	t->unpacked = xmalloc(x->unpacked + RT_PACKED_ROOM);
	t->inputs = xmalloc((x->records.n ? x->records.n : 1) * sizeof(void *));
	t->ninputs = x->records.n;
	for (size_t i = 0; i < x->records.n; i++) {
		const struct found *f = &x->records.at[i];
		struct rt_input *to = (struct rt_input *)(t->unpacked + f->unpacked - 1);
		uint32_t size;

		t->inputs[i] = f->unpacked ? to : f->record;
		if (!f->unpacked)
			continue;
		if (f->record != last) {
			at = (const uint8_t *)(f->record + 1);
			state = (struct rt_packed_state){0};
			last = f->record;
		}
		at = rt_packed_next(&state, at, end, to, &size);
	}
}

bool trace_inputs_index(struct trace_thread *t, size_t size, size_t full)
{
	struct index x = {0};
	size_t at = 0;
	bool sound = true;

	while (sound && size - at >= 8) {
		const struct rt_input *r = (const struct rt_input *)(t->input_bytes + at);

		if (!r->size)
			break;
		if (r->size % 8 || r->size > size - at || (r->function && r->size < sizeof *r)) {
			/* The end of a file that was cut off. */
			sound = !(r->size % 8) && at >= full && index_cut(&x, r, size - at);
			at = size;
			break;
		}
		sound = index_record(&x, r);
		at += r->size;
	}
	sound = sound && (at >= full || is_unwritten(t->input_bytes + at, size - at));
	if (sound)
		unpack(t, &x, (const uint8_t *)t->input_bytes + size);
	vec_free(&x.records);
	return sound;
}
