/* Records of inputs (struct rt_input in include/rethread/trace.h). */
#include "trace/trace.h"

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

bool trace_inputs_index(struct trace_thread *t, size_t size, size_t full)
{
	vec(const struct rt_input *) found = {0};
	size_t at = 0;

	while (size - at >= 8) {
		const struct rt_input *r = (const struct rt_input *)(t->input_bytes + at);

		if (!r->size)
			break;
		if (r->size % 8 || r->size > size - at || (r->function && r->size < sizeof *r)) {
			/* The end of a file that was cut off. */
			if (r->size % 8 || at < full)
				goto damaged;
			break;
		}
		if (r->function) {
			const void *info;

			if (!is_sound(r) || (r->function == RT_INPUT_SIGNAL ? !trace_input_signal(r, &info)
									    : r->function >= FUNCTIONS))
				goto damaged;
			*vec_push(&found) = r;
		}
		at += r->size;
	}
	if (at < full && !is_unwritten(t->input_bytes + at, size - at))
		goto damaged;
	t->inputs = found.at;
	t->ninputs = found.n;
	return true;
damaged:
	vec_free(&found);
	return false;
}
