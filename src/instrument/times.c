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

static size_t instructions(LLVMModuleRef m)
{
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				n++;
	return n;
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
	fprintf(stderr, "rethread: %8.3f s %10zu instructions  %s\n", seconds, instructions(m), step);
	times_begin();
}
