/*
 * A recorder for the tests of the pass: each thread's branches, kept in memory; at the end of
 * the process they are written to $IR_OUT as one line per thread, "path K BITS".
 */
#include <rethread/instrument.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, MOST = 1 << 26 };
static struct {
	char *bits; /* '0' and '1' */
	size_t n;
	uint8_t *tray;
} logs[THREADS];
static uint8_t nowhere[2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY)));

__thread uint8_t *__rethread_path = nowhere, *__rethread_path_end = nowhere + RT_TRAY;
static __thread int number = -1;

/* support.c calls this when a thread begins, the main thread included. */
void ir_thread_log(int n)
{
	number = n;
	logs[n].bits = malloc(MOST);
	logs[n].tray = __rethread_path = rt_tray_in(malloc(RT_TRAY_ANYWHERE));
	__rethread_path_end = logs[n].tray + RT_TRAY;
	rt_tray_clear(logs[n].tray);
}

/* Recorded values are not looked at here. After some of them there are none, so that both versions of functions run. */
static uint32_t values[8];
__thread struct rt_values __rethread_values = {.at = values, .end = values + 8};

void __rethread_values_full(void)
{
	__rethread_values = (struct rt_values){0};
}

void __rethread_values_wide(uint64_t value)
{
	(void)value;
	__rethread_values_full();
}

/* A thread's tray, up to `end`, goes to its log. */
static void empty(int t, const uint8_t *end)
{
	if (end - logs[t].tray > RT_TRAY + RT_TRAY_ROOM) {
		fprintf(stderr, "ir: a tray that is too full\n");
		_Exit(99);
	}
	unsigned silent = 0;
	for (const uint8_t *p = logs[t].tray; p < end; p++) {
		silent = *p == RT_TRAY_NONE ? silent + 1 : 0;
		if ((*p > 1 && !silent) || silent > RT_SILENT_MOST || logs[t].n == MOST) {
			fprintf(stderr, "ir: a tray with a hole, or the log is too small\n");
			_Exit(99);
		}
		logs[t].bits[logs[t].n++] = (char)('0' + (*p & 1));
	}
	for (; *end != RT_TRAY_NONE; end++) {
		fprintf(stderr, "ir: the pointer is behind\n");
		_Exit(99);
	}
	rt_tray_clear(logs[t].tray);
}

void __rethread_path_full(void)
{
	if (__rethread_path < __rethread_path_end) {
		fprintf(stderr, "ir: the tray is not full\n");
		_Exit(99);
	}
	if (number >= 0)
		empty(number, __rethread_path);
	__rethread_path = number < 0 ? nowhere : logs[number].tray;
}

void __rethread_path_room(void)
{
	__rethread_path_full();
}

__attribute__((destructor)) static void finish(void)
{
	if (!getenv("IR_OUT"))
		return;
	FILE *f = fopen(getenv("IR_OUT"), "w");
	const struct rt_record_module *m = &__rethread_record_module;
	fprintf(f, "module abi %u symbols %u sites %u branches %u hash ", m->abi, m->nsymbols,
		m->nsites, m->nbranches);
	for (int i = 0; i < RT_HASH_SIZE; i++)
		fprintf(f, "%02x", m->hash[i]);
	fputc('\n', f);
	for (int t = 0; t < THREADS && logs[t].bits; t++) {
		empty(t, rt_tray_here(logs[t].tray));
		fprintf(f, "path %d %.*s\n", t, (int)logs[t].n, logs[t].bits);
	}
	fclose(f);
}

/* What a program shows is not looked at here. */
void __rethread_shown(uint32_t site, uint32_t parameters, const uint64_t *values)
{
	(void)site, (void)parameters, (void)values;
}

void __rethread_shown_text(uint32_t site, uint32_t parameter, const void *text, uint64_t size)
{
	(void)site, (void)parameter, (void)text, (void)size;
}
