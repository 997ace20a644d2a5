# A table that is looked through again and again before anybody begins to change it: by the order of synchronization these reads
# race, but the time stamps tell that they came first, and they are no symbols.
cat >poll.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { ROWS = 16, EARLY = 6000, LATE = 30 };
static volatile int rows[ROWS];
static int seen[EARLY + LATE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* those who change something lock, those who look do not */
static void *change(void *arg)
{
	usleep(100000);
	for (int i = 0; i < ROWS; i++, usleep(100)) {
		pthread_mutex_lock(&lock);
		rows[i] = i & 1 ? 2 : 4;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void look(int lap)
{
	int n = 0;
	for (int i = 0; i < ROWS; i++)
		if (rows[i] > 1)
			n += rows[i] + lap;
	seen[lap] = n;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	for (int i = 0; i < EARLY; i++)
		look(i);
	usleep(100000);
	for (int i = 0; i < LATE; i++, usleep(100))
		look(EARLY + i);
	pthread_join(t, NULL);
	for (int i = EARLY; i < EARLY + LATE; i++)
		if (seen[i])
			abort();
	return 0;
}
P
rethread cc -O1 -g -pthread -o poll poll.c
rethread record -q --until-failure --runs 20 ./poll >rec 2>&1 || true
rethread reproduce --engine solve --budget 60 -v >out 2>&1 || fail "$(cat out)"
symbols=$(sed -n 's/^executed.* \([0-9]*\) symbols.*/\1/p' out | head -n 1)
# All reads that came early, but those near to the last stamp, of 96000.
test "$symbols" -lt 30000 || fail "$symbols symbols"
same "$(rethread replay -n 20 2>&1 | tail -n 1)" "reproduced 20/20"
