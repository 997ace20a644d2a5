# Numbers that others may change and that are only computed with are no values of the log: hashed by rotations, smallest and largest, multiplied and added; and floating point numbers lead
# to no address, though memory that holds them is taken for memory of pointers, too. What an index is computed from is one.
cat >numbers.c <<'P'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
enum { N = 512, ROUNDS = 50 };
static unsigned words[N];
static double places[N];
static int ring[N];
static unsigned hashes[2];
static double lengths[2];
static int found[2];
static void *work(void *p)
{
	long me = (long)p;
	for (int r = 0; r < ROUNDS; r++) {
		unsigned hash = 1, least = ~0u;
		double sum = 0;
		int at = 0;
		for (int i = 0; i < N; i++) {
			hash = (hash ^ words[i]) * 0x9e3779b1u;
			hash = hash << 13 | hash >> 19;
			least = words[i] < least ? words[i] : least;
			sum += sqrt(places[i] * places[i] + 1) * places[i];
		}
		if (r % 10 == 0)
			for (int i = 0; i < 4; i++)
				at = ring[at];
		words[(r * 7 + me) % N]++;
		places[(r * 5 + me) % N] += 1;
		ring[(r * 3 + me) % N] = r % N;
		hashes[me] = hash + least, lengths[me] = sum, found[me] = at;
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%u %g %d\n", hashes[0] + hashes[1], lengths[0] + lengths[1], found[0] + found[1]);
	return 0;
}
P
rethread cc -O2 -g -pthread -fno-math-errno -o numbers numbers.c -lm
rethread record -q -o trace ./numbers >out
rethread dump --no-lines --json trace | python3 -c '
import json, sys
for t in json.load(sys.stdin)["threads"][1:]:
    assert 1 <= t["values"] <= 100, t["values"]'
