/*
 * What the twin's interposed functions are made of (interpose.c, sync.c): the engine's steps in infer mode, else
 * real calls between the two halves of a gate. The steps of each call are those of trace.h, "Order of
 * synchronization".
 */
#ifndef RETHREAD_REPLAY_INTERPOSE_H
#define RETHREAD_REPLAY_INTERPOSE_H

#include "replay/conductor.h"
#include "replay/twin.h"
#include "rt/real.h"

#include <errno.h>

/* Once, before the first thread; then in each thread, the main one included, as it begins. */
void interpose_start(void);
void interpose_thread(struct twin_thread *t);

/* The name of the function, for messages and explanations. */
#define WHAT __func__

/*
 * A real call in which the thread may be cancelled: in mode record its step then returns RT_CANCELLED, which ends it before
 * the program's own cleanup handlers run.
 */
#define CANCELLABLE(call)                                                                          \
	({                                                                                         \
		__typeof__(call) done_;                                                            \
		if (twin_mode == TWIN_RECORD) {                                                    \
			pthread_cleanup_push(twin_step_cancelled, NULL);                           \
			done_ = (call);                                                            \
			pthread_cleanup_pop(0);                                                    \
		} else {                                                                           \
			done_ = (call);                                                            \
		}                                                                                  \
		done_;                                                                             \
	})
void twin_step_cancelled(void *unused);

/* Who called the interposed function that the step at hand is of: where that returns to; NULL: not known. */
extern __thread const void *step_caller;

/* One step around a real call: on a synchronization object, or on none that the runtime knows. */
#define STEP_ON(object, call)                                                                      \
	({                                                                                         \
		int result_;                                                                       \
		step_caller = __builtin_return_address(0);                                         \
		if (!gate_enter_as(WHAT, object, &result_))                                        \
			result_ = (call);                                                          \
		gate_returns(result_);                                                             \
		gate_leave();                                                                      \
		step_caller = NULL;                                                                \
		if (result_ == RT_CANCELLED)                                                       \
			twin_cancelled();                                                          \
		result_;                                                                           \
	})
#define STEP(call) STEP_ON(NULL, call)

/* The step just done was, in the recorded run, where the thread was cancelled: so it is. */
_Noreturn void twin_cancelled(void);

static inline bool infers(void)
{
	rt_real_init();
	return twin_mode == TWIN_INFER;
}

#endif
