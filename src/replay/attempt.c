/* The attempt at hand (include/rethread/search.h): see baton.h. */
#include "replay/baton.h"
#include "replay/recorder.h"
#include "rt/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OFF_STEPS = 20000 /* how many there are at least after the sketch was left */ };

struct rt_attempt *attempt;

static uint64_t most_steps;
static uint64_t random_state;

uint64_t conductor_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

_Noreturn void attempt_over(enum rt_attempt_outcome outcome)
{
	attempt->outcome = outcome;
	if (!attempt->off)
		attempt->matched = sketch_matched();
	rt_log_end(0);
	_exit(125);
}

void conductor_leaves(struct actor *a, const char *format, ...)
{
	a->follower.off = true;
	conductor_reconsiders();
	if (attempt->off)
		return;
	attempt->off = a->thread->number + 1;
	attempt->off_sap = a->thread->gate ? a->thread->gate->count : 0;
	attempt->off_step = attempt->steps;
	attempt->matched = sketch_matched();
	va_list ap;
	va_start(ap, format);
	vsnprintf(attempt->why, sizeof attempt->why, format, ap);
	va_end(ap);
	uint64_t n = attempt->nraces < RT_RACES ? attempt->nraces : RT_RACES;
	for (uint64_t i = 0; i < n; i++)
		attempt->near[i] = attempt->races[(attempt->nraces - n + i) % RT_RACES];
	attempt->nnear = (uint32_t)n;
	uint64_t more = 2 * attempt->steps < OFF_STEPS ? OFF_STEPS : 2 * attempt->steps;
	if (attempt->steps + more < most_steps)
		most_steps = attempt->steps + more;
}

_Noreturn void attempt_hangs(void)
{
	char names[RT_MESSAGE_SIZE] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count() && n < sizeof names; i++) {
		const struct actor *a = actor_at(i);
		if (a && a->state != ACTOR_ENDED)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s ", a->thread->name);
	}
	for (uint32_t i = 0; i < twin_thread_count(); i++)
		if (actor_at(i) && actor_at(i)->state != ACTOR_ENDED)
			conductor_blocked(actor_at(i));
	struct rt_failure *f = recorder_failure();
	f->kind = RT_FAIL_DEADLOCK;
	snprintf(f->message, sizeof f->message, "%s", names);
	__atomic_store_n(&f->state, 2, __ATOMIC_RELEASE);
	twin_report->failure = *f;
	report_outcome(RT_REPLAY_FAILED, NULL, "every thread that is left is blocked: %s", names);
	attempt_over(RT_ATTEMPT_HUNG);
}

void attempt_step(void)
{
	baton_tick();
	if (++attempt->steps > most_steps)
		attempt_over(attempt->off ? RT_ATTEMPT_OFF : RT_ATTEMPT_STEPS);
}

bool attempt_open(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	long p = fd < 0 ? -1 : syscall(SYS_mmap, NULL, sizeof *attempt, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (fd >= 0)
		syscall(SYS_close, fd);
	attempt = p == -1 ? NULL : (struct rt_attempt *)p;
	if (!attempt || attempt->magic != RT_ATTEMPT_MAGIC)
		return false;
	random_state = attempt->seed;
	most_steps = attempt->most;
	return true;
}
