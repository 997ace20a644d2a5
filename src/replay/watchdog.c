/* The watchdog of a replay: a thread that sees when nobody can go on, tells why, and ends the run. */
#include "replay/recorder.h"
#include "rt/real.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_THERE = 40 }; /* ticks of 50 ms */

static _Atomic uint32_t released;
static unsigned timeout_seconds;
static bool no_end; /* is expected */
static _Atomic uint32_t reached; /* of the places where the schedule has the failure */

void watchdog_expects_no_end(void)
{
	no_end = true;
}

void watchdog_failure_point(void)
{
	reached++;
	bell_ring(); /* who polls is held until all are there */
}

bool watchdog_all_there(void)
{
	return atomic_load(&reached) >= schedule_failure_points();
}

bool watchdog_released(void)
{
	return atomic_load(&released);
}

/* Changes whenever any thread gets on. */
static uint64_t progress(void)
{
	uint64_t sum = bell_look();
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		struct rt_gate *gate = t ? *(struct rt_gate *volatile *)&t->gate : NULL;
		if (gate)
			sum += *(volatile uint64_t *)&gate->count;
	}
	return sum;
}

/* Who stands where. */
struct survey {
	bool runs;                   /* somebody may get on by itself */
	uint32_t stopped;            /* held at a stop of the schedule, and could go on without it */
	uint32_t blocked;            /* in a call of the program's own, or in a wait nobody will end */
	struct twin_thread *waiting; /* at a wait of the schedule */
};

static struct survey survey(void)
{
	struct survey s = { 0 };
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (!t)
			continue;
		switch (atomic_load(&t->state)) {
		case TWIN_RUNS:
			s.runs = true;
			break;
		case TWIN_AT_STOP:
			if (t->cond && !cond_can_wake(t->cond))
				s.blocked++;
			else
				s.stopped++;
			break;
		case TWIN_AT_WAIT:
			s.waiting = t;
			break;
		case TWIN_IN_CALL:
			s.blocked++;
			break;
		default:
			break;
		}
	}
	return s;
}

/* Of threads that wait for one another, one that waits for a thread that does not. */
static const struct twin_thread *last_waiting(const struct twin_thread *t)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		const struct twin_thread *other = t->waits_for ? t->waits_for->thread : NULL;
		if (!other || atomic_load(&other->state) != TWIN_AT_WAIT)
			break;
		t = other;
	}
	return t;
}

static void say_stuck(const struct twin_thread *waiting)
{
	static const char *const doing[] = { [TWIN_RUNS] = " and runs", [TWIN_AT_WAIT] = " and waits, too",
					     [TWIN_AT_STOP] = " where it has to stop",
					     [TWIN_IN_CALL] = " in a call that does not come back", [TWIN_ENDED] = " and is over" };
	const struct plan *plan = waiting->waits_for;
	const struct twin_thread *other = plan ? plan->thread : NULL;
	report_outcome(RT_REPLAY_STUCK, waiting,
		       "thread %s waits at its access %llu for access %llu of thread %s, which stands at %llu%s",
		       waiting->name, (unsigned long long)waiting->gate->count,
		       (unsigned long long)waiting->waits_sap, plan ? plan->name : "?",
		       (unsigned long long)(other && other->gate ? other->gate->count : 0),
		       other ? doing[atomic_load(&other->state)] : " (not started)");
}

/* Nobody can go on, and the schedule holds nobody back: the target itself is deadlocked. */
static void say_deadlock(void)
{
	char names[RT_MESSAGE_SIZE] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count() && n < sizeof names; i++) {
		struct twin_thread *t = twin_thread_at(i);
		uint32_t state = t ? atomic_load(&t->state) : TWIN_ENDED;
		if (state == TWIN_IN_CALL || (state == TWIN_AT_STOP && t->cond))
			n += (size_t)snprintf(names + n, sizeof names - n, "%s ", t->name);
	}
	struct rt_failure *f = twin_mode == TWIN_RECORD ? recorder_failure() : &twin_report->failure;
	f->kind = RT_FAIL_DEADLOCK;
	snprintf(f->message, sizeof f->message, "%s", names);
	__atomic_store_n(&f->state, 2, __ATOMIC_RELEASE);
	report_outcome(RT_REPLAY_FAILED, NULL, "every thread that is left is blocked: %s", names);
	__rethread_before_failure();
}

/* Everybody has come as far as in the recorded run, which had no end either. */
static void say_endless(void)
{
	char names[RT_MESSAGE_SIZE] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count() && n < sizeof names; i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (t && atomic_load(&t->state) != TWIN_ENDED)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s ", t->name);
	}
	twin_report->failure.kind = RT_FAIL_TIMEOUT;
	snprintf(twin_report->failure.message, sizeof twin_report->failure.message, "%s", names);
	__atomic_store_n(&twin_report->failure.state, 2, __ATOMIC_RELEASE);
	report_outcome(RT_REPLAY_FAILED, NULL, "the program went on without end: %s", names);
}

/* A debugger holds threads as long as it likes: no time counts then. */
static bool is_traced(void)
{
	char text[2048];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *tracer = strstr(text, "TracerPid:");
	return tracer && atoi(tracer + strlen("TracerPid:")) != 0;
}

/* The state of a thread as the kernel has it: R, S, D, ...; 0 when it is gone. */
static char kernel_state(const char *tid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

/*
 * On a busy machine a thread that was woken may wait long for a processor: as long as the kernel would let another
 * thread than this one run, nobody is stuck. Without the C library's opendir, which allocates.
 */
static bool anybody_runs(void)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t size;
		uint8_t type;
		char name[];
	};
	_Alignas(struct entry) char list[4096];
	char own[24];
	bool any = false;
	snprintf(own, sizeof own, "%ld", (long)syscall(SYS_gettid));
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (long n; fd >= 0 && !any && (n = syscall(SYS_getdents64, fd, list, sizeof list)) > 0;)
		for (long at = 0; at < n && !any; at += ((struct entry *)(list + at))->size) {
			const char *tid = ((struct entry *)(list + at))->name;
			char state = tid[0] == '.' || !strcmp(tid, own) ? 0 : kernel_state(tid);
			any = state == 'R' || state == 'D';
		}
	if (fd >= 0)
		close(fd);
	return any;
}

static void *watchdog(void *unused)
{
	(void)unused;
	const struct timespec tick = { .tv_nsec = 50 * 1000 * 1000 };
	uint64_t last = progress();
	for (unsigned idle = 0, there = 0;;) {
		nanosleep(&tick, NULL);
		there += no_end && schedule_failure_points() && reached >= schedule_failure_points();
		if (there >= PATIENCE_THERE && !is_traced()) {
			say_endless();
			gate_give_up();
		}
		uint64_t now = progress();
		idle = now == last ? idle + 1 : 0;
		last = now;
		struct survey s = survey();
		s.runs |= idle >= 4 && anybody_runs();
		if (idle >= 4 && !s.runs && !s.waiting && s.blocked) {
			say_deadlock();
			if (twin_mode == TWIN_RECORD)
				return NULL; /* whoever records ends the process */
			gate_give_up();
		} else if (idle >= 4 && !s.runs && s.stopped && !atomic_load(&released)) {
			atomic_store(&released, 1);
			bell_ring();
			idle = 0;
		} else if (((idle >= 20 && !s.runs) || idle >= timeout_seconds * 20) && !is_traced()) {
			if (s.waiting)
				say_stuck(last_waiting(s.waiting));
			else
				report_outcome(RT_REPLAY_STUCK, NULL, "the program went on without end");
			gate_give_up();
		}
	}
	return NULL;
}

void watchdog_start(unsigned seconds)
{
	timeout_seconds = seconds;
	twin_helper(watchdog);
}
