/* One interleaving asked for, for tests of what is answered rather than of the schedule. */
#ifndef RETHREAD_TEST_INFER_ONCE_H
#define RETHREAD_TEST_INFER_ONCE_H

#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* stats: NULL, or where they go. */
static inline enum infer_result infer_once(const struct execution *x, const struct infer_options *o, struct infer_stats *stats)
{
	struct infer_state *state = NULL;
	struct schedule schedule;
	struct error err = {{0}};
	enum infer_result r = infer_schedule(x, o, &state, &schedule, stats, &err);
	if (r == INFER_ERROR)
		print_error("%s\n", err.text);
	if (r == INFER_FOUND)
		schedule_release(&schedule);
	infer_free(state);
	return r;
}

#endif
