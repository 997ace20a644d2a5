/*
 * A recorder for the tests of the pass: real path words per thread, kept in memory; at the end of
 * the process they are written to $IR_OUT as one line per thread, "path K BITS".
 */
#include <rethread/instrument.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, WORDS = 1 << 20 };
static uint64_t *logs[THREADS];
static uint64_t scratch = RT_PATH_EMPTY;

__thread uint64_t *__rethread_path = &scratch;
static __thread int number = -1;

/* support.c calls this when a thread begins, the main thread included. */
void ir_thread_log(int n)
{
	number = n;
	logs[number] = calloc(WORDS, sizeof(uint64_t));
	logs[number][0] = RT_PATH_EMPTY;
	__rethread_path = logs[number];
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

void __rethread_path_full(void)
{
	if (number < 0) {
		*__rethread_path = RT_PATH_EMPTY;
		return;
	}
	if (__rethread_path + 1 == logs[number] + WORDS) {
		fprintf(stderr, "ir: log too small\n");
		_Exit(99);
	}
	*++__rethread_path = RT_PATH_EMPTY;
}

void __rethread_path_room(void)
{
	__rethread_path_full();
}

static void write_word(FILE *f, uint64_t word)
{
	unsigned bit = rt_path_bits(word);
	if (!rt_path_is_word(word)) {
		fprintf(stderr, "ir: a word without sentinel: %llx\n", (unsigned long long)word);
		_Exit(99);
	}
	while (bit--)
		fputc('0' + (int)(word >> bit & 1), f);
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
	for (int t = 0; t < THREADS && logs[t]; t++) {
		fprintf(f, "path %d ", t);
		for (uint64_t *w = logs[t]; *w; w++)
			write_word(f, *w);
		fputc('\n', f);
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
