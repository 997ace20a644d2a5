/*
 * The twin's trays (instrument.h). They are full at the same branches as the recorder's; what is in them is only looked at, by the
 * conductor.
 */
#include "replay/conductor.h"

#include <errno.h>

static __thread uint8_t room[RT_TRAY_ANYWHERE];
static __thread uint64_t emptied; /* bits of earlier trays */

/* A handler may be due at any branch of a replay: then the twin looks at each question. */
static void set_end(uint8_t *tray)
{
	__rethread_path_end = twin_mode == TWIN_REPLAY && gate_awaits_path() ? tray : tray + RT_TRAY;
}

void path_begin(void)
{
	emptied = 0;
	__rethread_path = rt_tray_in(room);
	rt_tray_clear(__rethread_path);
	set_end(__rethread_path);
}

void path_catch_up(void)
{
	__rethread_path = rt_tray_here(__rethread_path);
}

uint64_t path_length(void)
{
	return emptied + (uint64_t)(rt_tray_here(__rethread_path) - rt_tray_of(__rethread_path));
}

void __rethread_path_room(void)
{
	uint8_t *tray = rt_tray_of(__rethread_path);
	int saved = errno;
	set_end(tray);
	if (__rethread_path < tray + RT_TRAY)
		return;
	emptied += (uint64_t)(__rethread_path - tray);
	conductor_path();
	rt_tray_clear(tray);
	__rethread_path = tray;
	errno = saved;
}

void __rethread_path_full(void)
{
	__rethread_path_room();
	if (twin_mode == TWIN_REPLAY)
		gate_path(path_length());
}
