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

enum { MOST = 1 << 28 };
static uint8_t trays[2][2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY))), bits[MOST];
static size_t nbits;
__thread uint8_t *__rethread_path = trays[1], *__rethread_path_end = trays[1] + RT_TRAY; /* of other threads */

/* Recorded values are not looked at here. */
static uint32_t values[64];
__thread struct rt_values __rethread_values = {.at = values, .end = values + 64};

void __rethread_values_full(void)
{
	__rethread_values.at = values;
}

void __rethread_values_wide(uint64_t value)
{
	(void)value;
	__rethread_values_full();
}

static void empty(const uint8_t *end)
{
	for (const uint8_t *p = trays[0]; p < end; p++) {
		if ((*p > 1 && *p != RT_TRAY_NONE) || nbits == MOST)
			_exit(99);
		bits[nbits++] = *p & 1;
	}
	rt_tray_clear(trays[0]);
}

void __rethread_path_full(void)
{
	uint8_t *tray = rt_tray_of(__rethread_path);
	if (tray == trays[0])
		empty(__rethread_path);
	__rethread_path = tray;
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
	rt_tray_clear(trays[0]);
	__rethread_path = trays[0];
	__rethread_path_end = trays[0] + RT_TRAY;
}

/* Everything up to the end of main counts; destructors run in both programs, but after this. */
static void end(void)
{
	const char *name = getenv("SYM_PATH");
	FILE *f = name ? fopen(name, "w") : NULL;
	if (!f)
		return;
	empty(rt_tray_here(trays[0]));
	for (size_t i = 0; i < nbits; i++)
		fputc('0' + bits[i], f);
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
