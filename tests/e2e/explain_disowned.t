# What a callback asks for lies in a global variable that its thread has set, and that another sets for itself while the first still sorts: explain says so, however often it was read
# by then.
cat >sort.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { N = 64 };
static int downwards;
static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return downwards ? y - x : x - y;
}
static void *sorts(void *p)
{
	int numbers[N], down = p != NULL;
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < N; i++)
			numbers[i] = i * 37 % N;
		downwards = down;
		qsort(numbers, N, sizeof *numbers, compare);
		for (int i = 1; i < N; i++)
			assert(down ? numbers[i - 1] > numbers[i] : numbers[i - 1] < numbers[i]);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sorts, i ? t : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread sort.c -o sort
status 134 rethread record -q --until-failure --runs 500 ./sort 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:([12]) wrote downwards \(sort.c:17\); before it read it \(sort.c:9\), thread 1:[12] changed it \(sort.c:17\); none of them has a lock\.'
