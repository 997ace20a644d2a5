/*
 * blocks THREADS BLOCKS: blocks of a text that an atomic counter hands out, each compressed by what it repeats of itself. Prints how many bytes that takes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 65536, DIFFERENT = 32, HEADS = 4096, LONGEST = 255, LEAST = 4, MOST_THREADS = 64 };

static unsigned char *text, *packed;
static atomic_int next;
static int blocks;

static unsigned place_of(const unsigned char *p)
{
	return ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) * 2654435761u >> 20;
}

static int pack(const unsigned char *in, unsigned char *out, int *head)
{
	int n = 0;
	for (int i = 0; i < HEADS; i++)
		head[i] = -1;
	for (int i = 0; i < SIZE;) {
		unsigned place = i + 3 < SIZE ? place_of(in + i) : 0;
		int at = head[place], length = 0;
		while (at >= 0 && i - at < SIZE / 2 && i + length < SIZE && length < LONGEST && in[at + length] == in[i + length])
			length++;
		head[place] = i;
		out[n++] = length >= LEAST;
		if (length >= LEAST) {
			out[n++] = (unsigned char)length;
			out[n++] = (unsigned char)(i - at);
			out[n++] = (unsigned char)((i - at) >> 8);
			i += length;
		} else {
			out[n++] = in[i++];
		}
	}
	return n;
}

static void *packer(void *unused)
{
	int head[HEADS], block;
	long sum = 0;
	(void)unused;
	while ((block = atomic_fetch_add(&next, 1)) < blocks)
		sum += pack(text + block % DIFFERENT * SIZE, packed + block % DIFFERENT * SIZE * 2, head);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	unsigned r = 8;
	pthread_t t[MOST_THREADS];
	long sum = 0;
	blocks = argc > 2 ? atoi(argv[2]) : 1000;
	text = malloc((size_t)DIFFERENT * SIZE);
	packed = malloc((size_t)DIFFERENT * SIZE * 2);
	if (threads < 1 || threads > MOST_THREADS || !text || !packed)
		return 1;
	for (int i = 0; i < DIFFERENT * SIZE; i++) {
		r = r * 1664525 + 1013904223;
		text[i] = i > 100 && r >> 29 ? text[i - 1 - (int)((r >> 12) % 90)] : (unsigned char)(r >> 26);
	}
	for (int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, packer, NULL))
			return 1;
	for (int i = 0; i < threads; i++) {
		void *bytes;
		pthread_join(t[i], &bytes);
		sum += (long)bytes;
	}
	printf("%ld\n", sum);
	free(text);
	free(packed);
}
