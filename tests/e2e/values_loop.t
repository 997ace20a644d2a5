# Threads that stay in one function, and read so much there that not all of it is recorded: they go on in a copy of the loop that asks for nothing, and the log
# still says which way they went.
cat >rows.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { ROWS = 400, WIDTH = 4000 };
static unsigned char *picture;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_row, dark[ROWS];
static volatile int rows_done;
static void *work(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		int y = next_row < ROWS ? next_row++ : -1;
		pthread_mutex_unlock(&lock);
		if (y < 0)
			return unused;
		unsigned char *row = picture + y * WIDTH;
		int often[256] = {0};
		for (int x = 1; x < WIDTH; x++) {
			if ((row[x] ^ row[x - 1]) > 200)
				row[x] = 0;
			often[row[x]]++;
		}
		dark[y] = often[0] + often[1];
		rows_done++; /* bug: not under the lock */
	}
}
int main(void)
{
	unsigned random = 1;
	picture = malloc(ROWS * WIDTH);
	for (int i = 0; i < ROWS * WIDTH; i++)
		picture[i] = (random = random * 1664525 + 1013904223) >> 24;
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(rows_done == ROWS);
	return dark[7] == -1;
}
P
rethread cc -O2 -g -pthread rows.c -o rows
nm rows | grep -q 'work\.values$' || fail "no versions"
status 134 rethread record --until-failure --runs 3000 -q ./rows
rethread info >out
has out 'values *too many'
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 5 >out
has out '5/5'
