#include "instrument/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec last;

static bool wanted(void)
{
	const char *times = getenv("RETHREAD_PASS_TIMES");
	return times && *times;
}

void times_begin(void)
{
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &last);
}

void times_note(LLVMModuleRef m, const char *step)
{
	if (!wanted())
		return;
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	double seconds = (double)(now.tv_sec - last.tv_sec) + 1e-9 * (double)(now.tv_nsec - last.tv_nsec);
	fprintf(stderr, "rethread: %8.3f s %10zu instructions  %s\n", seconds, module_size(m), step);
	times_begin();
}
