/*
 * The runtime of the recorded program in these tests: keeps the path of the main thread and writes it to
 * $SYM_PATH as text, a character per bit.
 */
#include "sym.h"

#include <rethread/instrument.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 1 << 22 };
static uint64_t words[WORDS], scratch = RT_PATH_EMPTY;
__thread uint64_t *__rethread_path = &scratch;

/* Recorded values are not looked at here. */
static uint32_t values[64];
__thread struct rt_values __rethread_values = {values, values + 64, NULL};

void __rethread_values_full(void)
{
	__rethread_values.at = values;
}

void __rethread_values_wide(uint64_t value)
{
	(void)value;
	__rethread_values_full();
}

void __rethread_path_full(void)
{
	if (__rethread_path == &scratch) {
		scratch = RT_PATH_EMPTY;
		return;
	}
	if (__rethread_path + 1 == words + WORDS)
		_exit(99);
	*++__rethread_path = RT_PATH_EMPTY;
}

void __rethread_path_room(void)
{
	__rethread_path_full();
}

static void end(void);

static void on_abort(int sig)
{
	end();
	raise(sig);
}

__attribute__((constructor(101))) static void begin(void)
{
	struct sigaction a = {.sa_handler = on_abort, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
	sigaction(SIGABRT, &a, NULL);
	words[0] = RT_PATH_EMPTY;
	__rethread_path = words;
}

/* Everything up to the end of main counts; destructors run in both programs, but after this. */
static void end(void)
{
	const char *name = getenv("SYM_PATH");
	FILE *f = name ? fopen(name, "w") : NULL;
	if (!f)
		return;
	for (uint64_t *w = words; *w; w++)
		for (unsigned bit = rt_path_bits(*w); bit--;)
			fputc('0' + (int)(*w >> bit & 1), f);
	fclose(f);
}

__attribute__((destructor)) static void finish(void)
{
	end();
}

#include "marks.h"

/* What a program shows is not looked at here. */
void __rethread_shown(uint32_t site, uint32_t parameters, const uint64_t *values)
{
	(void)site, (void)parameters, (void)values;
}

void __rethread_shown_text(uint32_t site, uint32_t parameter, const void *text, uint64_t size)
{
	(void)site, (void)parameter, (void)text, (void)size;
}
