/* The recorder of the full order, scheme rw: the twin's mode `record`. recorder.c says how it works. */
#ifndef RETHREAD_RECORDER_H
#define RETHREAD_RECORDER_H

#include "replay/twin.h"
#include "rt/real.h"

/* `options` as RETHREAD_OPTIONS has them, `build_id` of the recorded program in hex. False: nothing is recorded. */
bool recorder_start(const char *options, const char *build_id);
/* From now on threads give way at random: an access now and then, so that races come out. */
void recorder_shake(bool on);
/* Where a failure goes that the runtime itself finds. */
struct rt_failure *recorder_failure(void);

/* Threads are in the log in order of their numbers: adding one is done with this lock held. */
void recorder_lock(void);
void recorder_unlock(void);
void recorder_thread(struct twin_thread *t, const struct twin_thread *parent);
void recorder_thread_begins(struct twin_thread *t);
void recorder_thread_ends(struct twin_thread *t);

/* At a gate, before anything else: the previous access may never have come back to its second half. */
void recorder_settle(struct twin_thread *self);
/* The halves of the calling thread's gate; what stands in between is an access, a call, or a step (`what`). */
void recorder_before(struct twin_thread *self, const char *what, uint32_t kind, const void *address, uint64_t size);
void recorder_source(struct twin_thread *self, const void *address, uint64_t size);
void recorder_after(struct twin_thread *self, uint64_t sap);
/* The step at hand is also a call out of the module, ordered among those. */
void recorder_calls(struct twin_thread *self);
/* It begins, and may be what another thread waits for; it has ended, and may have waited for one of those. */
void recorder_wakes(struct twin_thread *self);
void recorder_hears(struct twin_thread *self);
/*
 * The step at hand reads, or writes, these bytes, and more by further calls. Then it holds them all: nobody else gets at
 * them until it lets go or is done.
 */
void recorder_touches(struct twin_thread *self, const void *address, uint64_t size, bool writes);
void recorder_holds(struct twin_thread *self);
void recorder_lets_go(struct twin_thread *self);
/*
 * Inputs of the thread: room for a record of that size, or NULL when the log has ended; once written, it is done. Or
 * the same record as in another log.
 */
void *recorder_input_room(struct twin_thread *self, size_t size);
void recorder_input_done(struct twin_thread *self, uint32_t size);
void recorder_input_copy(struct twin_thread *self, const struct rt_input *record);
/*
 * The calling thread gives memory back, which is a write of all of it by the call at hand: between these two nobody else
 * gets at it. False: it is not recorded, and there is no second half.
 */
bool recorder_frees(const void *p, uint64_t size);
/* The call at hand got a block; giving it back before the call is done needs no order. */
void recorder_allocated(const void *p);
void recorder_freed(void);
/* For alone.c: an entry of the calling thread's, NULL when the log has ended; how many SAPs a thread has done. */
struct rt_order *recorder_entry(struct twin_thread *self, struct rt_order entry);
uint64_t recorder_done(const struct twin_thread *t);
/*
 * Signals: the SAP that the calling thread has counted is that it runs a handler (FAULT: none is); for the schedule, `when`.
 */
void recorder_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place, uint64_t when);
/* The step that goes on is interrupted by a handler, and goes on as the SAP that is then counted. */
struct recorder_step {
	bool open, deep;
	struct rt_order *call;
	const void *object;
	int result;
	uint32_t waits_for, state, inside;
};
bool recorder_can_suspend(const struct twin_thread *self);
struct recorder_step recorder_suspend(struct twin_thread *self);
void recorder_resume(struct twin_thread *self, const struct recorder_step *s);
/* What the step at hand returned. */
void recorder_result(struct twin_thread *self, int result);

#endif
