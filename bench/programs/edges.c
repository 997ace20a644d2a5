/*
 * edges THREADS TIMES: edges of a picture, and of those again; threads take turns at rows, and count how often there is which gray, by what is in memory that they share. Prints a sum of
 * that.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1024, HEIGHT = 768, MOST_THREADS = 64 };

struct picture {
	int width, height;
	unsigned char *gray;
};

struct job {
	struct picture *from, *to;
	pthread_mutex_t lock;
	int next;
	long often[256];
};

static int at(const struct picture *p, int x, int y)
{
	x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
	y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
	return p->gray[y * p->width + x];
}

static void do_row(struct job *j, int y, long *often)
{
	for (int x = 0; x < j->from->width; x++) {
		int across = 0, down = 0;
		for (int d = -1; d <= 1; d++) {
			across += at(j->from, x + 1, y + d) - at(j->from, x - 1, y + d);
			down += at(j->from, x + d, y + 1) - at(j->from, x + d, y - 1);
		}
		int edge = abs(across) + abs(down);
		unsigned char gray = edge > 200 ? 255 : edge < 20 ? 0 : (unsigned char)(edge - 20);
		j->to->gray[y * j->to->width + x] = gray;
		often[gray]++;
	}
}

static void *work(void *arg)
{
	struct job *j = arg;
	long often[256] = {0};
	for (;;) {
		pthread_mutex_lock(&j->lock);
		int y = j->next < j->from->height ? j->next++ : -1;
		pthread_mutex_unlock(&j->lock);
		if (y < 0)
			break;
		do_row(j, y, often);
	}
	pthread_mutex_lock(&j->lock);
	for (int i = 0; i < 256; i++)
		j->often[i] += often[i];
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2, times = argc > 2 ? atoi(argv[2]) : 10;
	struct picture a = {WIDTH, HEIGHT, malloc(WIDTH * HEIGHT)}, b = {WIDTH, HEIGHT, malloc(WIDTH * HEIGHT)};
	unsigned random = 1;
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		random = random * 1664525 + 1013904223;
		a.gray[i] = (unsigned char)(i / 7 % 200 + (random >> 27));
	}
	n = n > MOST_THREADS ? MOST_THREADS : n;
	long sum = 0;
	for (int k = 0; k < times; k++) {
		struct job j = {k & 1 ? &b : &a, k & 1 ? &a : &b, PTHREAD_MUTEX_INITIALIZER, 0, {0}};
		pthread_t t[MOST_THREADS];
		for (int i = 0; i < n; i++)
			pthread_create(&t[i], NULL, work, &j);
		for (int i = 0; i < n; i++)
			pthread_join(t[i], NULL);
		for (int i = 0; i < 256; i++)
			sum += j.often[i] * i;
	}
	printf("%ld\n", sum);
	return 0;
}
