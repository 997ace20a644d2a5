/* The margin of time stamps (src/cli/margin.h), measured while others use every processor. */
#include "cli/margin.h"
#include "rethread/trace.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BUSY = 4, MEASUREMENTS = 10 };

static unsigned small(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < MEASUREMENTS; i++)
		n += margin_measure() <= RT_TIME_MARGIN;
	return n;
}

/* Most, not all: processors may be taken away for longer than anybody wants to wait. */
static void is_measured_on_a_busy_machine(void **state)
{
	(void)state;
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2)
		skip();
	pid_t busy[BUSY];
	for (unsigned i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (!busy[i]) {
			alarm(20);
			for (volatile unsigned n = 0;; n++) {
			}
		}
	}
	unsigned n = small();
	for (unsigned i = 0; i < BUSY; i++) {
		if (busy[i] > 0 && !kill(busy[i], SIGKILL))
			waitpid(busy[i], NULL, 0);
	}
	assert_true(n > MEASUREMENTS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(is_measured_on_a_busy_machine)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
