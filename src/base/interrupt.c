#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

static volatile sig_atomic_t caught;

static void note(int signal)
{
	caught = signal;
}

static void set_handler(void (*handler)(int))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction new = {.sa_handler = handler}, old;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &new, NULL);
	}
}

void interrupt_catch(void)
{
	set_handler(note);
}

void interrupt_release(void)
{
	set_handler(SIG_DFL);
}

int interrupt_signal(void)
{
	return caught;
}

void interrupt_end(void)
{
	if (!caught)
		return;
	fflush(NULL);
	interrupt_release();
	raise(caught);
}
