/* The recorder of the full order, scheme rw: the twin's mode `record`. recorder.c says how it works. */
#ifndef RETHREAD_RECORDER_H
#define RETHREAD_RECORDER_H

#include "replay/twin.h"
#include "rt/real.h"

/* `options` as RETHREAD_OPTIONS has them, `build_id` of the recorded program in hex. False: nothing is recorded. */
bool recorder_start(const char *options, const char *build_id);
/* Where a failure goes that the runtime itself finds. */
struct rt_failure *recorder_failure(void);

/* Threads are in the log in order of their numbers: adding one is done with this lock held. */
void recorder_lock(void);
void recorder_unlock(void);
void recorder_thread(struct twin_thread *t, const struct twin_thread *parent);
void recorder_thread_begins(struct twin_thread *t);
void recorder_thread_ends(struct twin_thread *t);

/* The halves of the calling thread's gate; what stands in between is an access, a call, or a step (`what`). */
void recorder_before(struct twin_thread *self, const char *what, uint32_t kind, const void *address, uint64_t size);
void recorder_source(struct twin_thread *self, const void *address, uint64_t size);
void recorder_after(struct twin_thread *self, uint64_t sap);
/*
 * The calling thread gives memory back, which is a write of all of it by the call at hand: between these two nobody else
 * gets at it. False: it is not recorded, and there is no second half.
 */
bool recorder_frees(const void *p, uint64_t size);
void recorder_freed(void);
/* What the step at hand returned. */
void recorder_result(struct twin_thread *self, int result);

#endif
