# Memory that main writes or frees only after it has joined all threads is not written while there are several. Where one of them may still be there, it is.
cat >sum.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 1000, MOST = 8 };
static int *table;
static long sums[MOST];
static void *add(void *p)
{
	long sum = 0;
	for (int i = 0; i < N; i++)
		sum += table[i] > 500 ? table[i] : 1;
	*(long *)p = sum;
	return p;
}
#if WAY == 9
static void *start_another(void *p)
{
	pthread_t t;
	pthread_create(&t, NULL, add, p);
	return p;
}
#endif
int main(int argc, char **argv)
{
	pthread_t a, b, t[MOST];
	int n = argc > 1 ? atoi(argv[1]) : 2;
	if (n > MOST || !(table = malloc(N * sizeof *table)))
		return 1;
	for (int i = 0; i < N; i++)
		table[i] = i;
#if WAY == 1 /* two threads */
	pthread_create(&a, NULL, add, &sums[0]);
	pthread_create(&b, NULL, add, &sums[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#elif WAY == 2 /* as many as somebody likes, of which one may not come into being */
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, add, &sums[i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
#elif WAY == 3 || WAY == 12 /* in rounds, three or several */
	for (int r = 0; r < (WAY == 3 ? 3 : argc); r++) {
		for (int i = 0; i < n; i++)
			pthread_create(&t[i], NULL, add, &sums[i]);
		for (int i = 0; i < n; i++)
			pthread_join(t[i], NULL);
		table[r] = r;
	}
#elif WAY == 4 /* one is joined */
	pthread_create(&a, NULL, add, &sums[0]);
	pthread_create(&b, NULL, add, &sums[1]);
	pthread_join(a, NULL);
#elif WAY == 5 /* all but the last */
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, add, &sums[i]);
	for (int i = 0; i < n - 1; i++)
		pthread_join(t[i], NULL);
#elif WAY == 6 /* until one has nothing */
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, add, &sums[i]);
	for (int i = 0; i < n; i++) {
		void *p;
		pthread_join(t[i], &p);
		if (!p)
			break;
	}
#elif WAY == 7 /* two by one name */
	pthread_create(&a, NULL, add, &sums[0]);
	pthread_create(&a, NULL, add, &sums[1]);
	pthread_join(a, NULL);
#elif WAY == 8 /* if somebody likes */
	pthread_create(&a, NULL, add, &sums[0]);
	if (argc > 1)
		pthread_join(a, NULL);
#elif WAY == 9 /* that creates another one */
	pthread_create(&a, NULL, start_another, &sums[0]);
	pthread_join(a, NULL);
#elif WAY == 10 /* in the next round */
	for (int r = 0; r < n; r++) {
		if (r)
			pthread_join(a, NULL);
		table[r] = 0;
		pthread_create(&a, NULL, add, &sums[0]);
	}
#elif WAY == 11 /* the first, twice */
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, add, &sums[i]);
	for (int i = 0; i < n; i++)
		pthread_join(t[0], NULL);
#endif
	printf("%ld\n", sums[0]);
	free(table);
	return 0;
}
P
for way in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rethread cc -O2 -g -w -pthread -DWAY=$way sum.c -o sum$way
	rethread analyze sum$way >out
	case $way in
	1 | 2 | 3 | 12) ! grep '^  heap  *malloc' out || fail "way $way: the table counts as written while there are several threads" ;;
	*) grep -q '^  heap  *malloc' out || fail "way $way: the table counts as nobody's" ;;
	esac
done

# In C++, where a join may throw.
cat >sum.cpp <<'P'
#include <cstdio>
#include <thread>
#include <vector>
static std::vector<int> *table;
static long sums[2];
static void add(int me)
{
	for (int n : *table)
		sums[me] += n > 500 ? n : 1;
}
int main()
{
	table = new std::vector<int>(1000, 7);
	std::thread a(add, 0), b(add, 1);
	a.join();
#ifndef EARLY
	b.join();
#endif
	delete table;
#ifdef EARLY
	b.join();
#endif
	printf("%ld\n", sums[0] + sums[1]);
}
P
for early in "" -DEARLY; do
	rethread c++ -O2 -g -pthread $early sum.cpp -o sum
	rethread analyze sum >out
	if [ "$early" ]; then
		grep -q 'heap  *_Znwm .*in main$' out || fail "deleted too early, and nobody's: $(cat out)"
	else
		! grep 'heap  *_Znwm .*in main$' out || fail "deleted when nobody is left, and taken for shared: $(cat out)"
	fi
done
