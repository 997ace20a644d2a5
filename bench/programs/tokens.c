/*
 * tokens THREADS TIMES: threads take turns at reading one text, which was written before there were threads: names, numbers, brackets. Prints how many strings and odd numbers
 * there are in all, and how deep it ended.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 20, MOST_THREADS = 64 };

static char *text;
static size_t length;
static atomic_int turn;
static int turns;

static long read_text(const char *p, const char *end)
{
	long found = 0;
	int depth = 0;
	while (p < end) {
		if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (*p == '"') {
			for (p++; *p != '"'; p++)
				if (*p == '\\')
					p++;
			p++;
			found++;
		} else if (*p >= '0' && *p <= '9') {
			long number = 0;
			while (*p >= '0' && *p <= '9')
				number = number * 10 + *p++ - '0';
			found += number & 1;
		} else {
			p++;
		}
	}
	return found + depth;
}

static void *reader(void *unused)
{
	long sum = 0;
	(void)unused;
	while (atomic_fetch_add(&turn, 1) < turns)
		sum += read_text(text, text + length);
	return (void *)sum;
}

static void write_text(void)
{
	unsigned r = 9;
	size_t at = 0;
	text[at++] = '[';
	while (at < SIZE - 200) {
		r = r * 1664525 + 1013904223;
		at += (size_t)sprintf(text + at, "{\"id\": %u, \"name\": \"n%u\", \"tags\": [\"a\\\"b\", \"c%u\"]},\n", r >> 8, r >> 20, r >> 26);
	}
	text[at++] = ']';
	length = at;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t t[MOST_THREADS];
	long sum = 0;
	turns = argc > 2 ? atoi(argv[2]) : 100;
	if (threads < 1 || threads > MOST_THREADS || !(text = malloc(SIZE)))
		return 1;
	write_text();
	for (int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, reader, NULL))
			return 1;
	for (int i = 0; i < threads; i++) {
		void *found;
		pthread_join(t[i], &found);
		sum += (long)found;
	}
	printf("%ld\n", sum);
	free(text);
}
