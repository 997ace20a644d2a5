/* The native part of the test programs: marks, expectations. See ir.h. */
#include "ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, MARKS = 1 << 16 };
static struct {
	const char *routine;
	int n;
	int marks[MARKS];
} *threads[THREADS];
static int nthreads;
static __thread int own = -1;

/* As inputs.def has it; nothing is recorded here. */
long rethread_machine(void (*asks)(void *), void *p, size_t n)
{
	(void)n;
	asks(p);
	return 0;
}

/* The recorder's part: thread `number` begins. */
__attribute__((weak)) void ir_thread_log(int number)
{
	(void)number;
}

void ir_thread_start(const char *routine)
{
	own = __atomic_fetch_add(&nthreads, 1, __ATOMIC_SEQ_CST);
	threads[own] = calloc(1, sizeof *threads[own]);
	threads[own]->routine = routine;
	ir_thread_log(own);
}

__attribute__((constructor(101))) static void start(void)
{
	ir_thread_start("main");
}

void mark(int k)
{
	if (threads[own]->n == MARKS)
		abort();
	threads[own]->marks[threads[own]->n++] = k;
}

long opaque(long v)
{
	return v;
}

static unsigned long expected;

void ir_expect(unsigned long n)
{
	expected = n;
}

/* $IR_OUT.marks: "thread K ROUTINE: marks"; $IR_OUT.expect: the expected number of sites. */
__attribute__((destructor)) static void finish(void)
{
	char name[4096];
	if (!getenv("IR_OUT"))
		return;
	snprintf(name, sizeof name, "%s.marks", getenv("IR_OUT"));
	FILE *f = fopen(name, "w");
	for (int t = 0; t < nthreads; t++) {
		fprintf(f, "thread %d %s:", t, threads[t]->routine);
		for (int i = 0; i < threads[t]->n; i++)
			fprintf(f, " %d", threads[t]->marks[i]);
		fputc('\n', f);
	}
	fclose(f);
	snprintf(name, sizeof name, "%s.expect", getenv("IR_OUT"));
	f = fopen(name, "w");
	fprintf(f, "%lu\n", expected);
	fclose(f);
}

/* Numbers made of addresses of variables go through this. */
unsigned long rethread_number(unsigned long n);
unsigned long rethread_number(unsigned long n)
{
	return n;
}
