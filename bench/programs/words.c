/*
 * words THREADS MEGABYTES: counts the words of a made-up text in a hash table that all threads share, a mutex for each part of
 * it. Prints how many different words there are and a checksum.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, BUCKETS = 4096, BLOCK = 1 << 16 };

struct word {
	struct word *next;
	long count;
	size_t length;
	char text[];
};
struct part {
	_Alignas(64) pthread_mutex_t mutex;
	struct word *buckets[BUCKETS];
};
static struct part *parts;
static char *text;
static size_t size, taken;
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void make_text(void)
{
	uint32_t random = 1;
	for (size_t i = 0; i < size; i++) {
		random = random * 1664525 + 1013904223;
		unsigned r = random >> 16;
		text[i] = r % 6 == 0 ? ' ' : (char)('a' + (r >> 4) % 26 * (r % 3 != 0) * (r >> 9) % 7);
	}
}

static void count(const char *s, size_t n)
{
	uint64_t hash = 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 1099511628211u;
	struct part *p = &parts[hash % PARTS];
	struct word **at = &p->buckets[hash / PARTS % BUCKETS];
	pthread_mutex_lock(&p->mutex);
	while (*at && ((*at)->length != n || memcmp((*at)->text, s, n)))
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof **at + n);
		(*at)->length = n;
		memcpy((*at)->text, s, n);
	}
	(*at)->count++;
	pthread_mutex_unlock(&p->mutex);
}

static void *work(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&taking);
		size_t begin = taken, end = begin + BLOCK < size ? begin + BLOCK : size;
		taken = end;
		pthread_mutex_unlock(&taking);
		if (begin == end)
			return unused;
		for (size_t i = begin; i < end;) {
			size_t from = i;
			while (i < end && text[i] != ' ')
				i++;
			if (i > from)
				count(text + from, i - from);
			i++;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	long n = atol(argv[1]), words = 0;
	uint64_t sum = 0;
	pthread_t threads[64];
	size = (size_t)atol(argv[2]) << 20;
	text = malloc(size);
	parts = aligned_alloc(64, PARTS * sizeof *parts);
	memset(parts, 0, PARTS * sizeof *parts);
	for (int i = 0; i < PARTS; i++)
		pthread_mutex_init(&parts[i].mutex, NULL);
	make_text();
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < PARTS; i++)
		for (int k = 0; k < BUCKETS; k++)
			for (struct word *w = parts[i].buckets[k]; w; w = w->next) {
				words++;
				sum += (uint64_t)w->count * w->length * (unsigned char)w->text[0];
			}
	printf("%ld words, %llu\n", words, (unsigned long long)sum);
	return 0;
}
