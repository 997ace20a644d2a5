/*
 * Instrumentation by hand, as include/rethread/instrument.h says the pass does it, so that the
 * recorder is tested alone: B(condition) is a branch that goes to the log, V(number) a value.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <rethread/instrument.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct rt_record_module __rethread_record_module = {RT_ABI, 0, 0, 0, {1, 2, 3}};

static inline void append(uint64_t bits, unsigned count)
{
	while (count--)
		*__rethread_path++ = bits >> count & 1;
	if (__rethread_path >= __rethread_path_end)
		__rethread_path_full();
}

static inline int B(int taken)
{
	append(!!taken, 1);
	return taken;
}

/* A value that is recorded. */
static inline void V(uint32_t value)
{
	if (__rethread_values.at) {
		*__rethread_values.at++ = ~value;
		if (__rethread_values.at == __rethread_values.end)
			__rethread_values_full();
	}
}

#endif
